/* What evaluate, path and spectrum say, and the keys of all records. */
#include "numeric/models.h"

TEST(records, evaluate_equals_the_measures_of_the_predictions)
{
    double *X = kit_normal(31, N + M, P), *y = smooth_target(X, N + M, P, 0.3, 32);
    specreg_table *t = named_table(ctx, "t.csv", X, N, P, y);
    specreg_table *test = named_table(ctx, "u.csv", X + N * P, M, P, y + N);
    specreg_model *m = fitted(ctx, t, NULL);
    specreg_table *out = predicted(ctx, m, test);
    double mse = 0, mae = 0, mean = 0, variance = 0;
    for (int64_t i = 0; i < M; i++) {
        const double e = specreg_table_number(out, i, 0) - y[N + i];
        mse += e * e / M;
        mae += fabs(e) / M;
        mean += y[N + i] / M;
    }
    for (int64_t i = 0; i < M; i++)
        variance += pow(y[N + i] - mean, 2) / M;
    char *text;
    CHECK_OK(ctx, specreg_evaluate(ctx, m, test, NULL, &text));
    json_t *e = parsed(text);
    CHECK_EQ(number_at(e, "test.n"), M);
    CHECK_NEAR(number_at(e, "test.mse"), mse, kit_tolerance(M, 1));
    CHECK_NEAR(number_at(e, "test.mae"), mae, kit_tolerance(M, 1));
    CHECK_NEAR(number_at(e, "test.r2"), 1 - mse / variance, kit_tolerance(M, 10));
    json_decref(e);
    specreg_table_free(out);
    specreg_model_free(m);
    specreg_table_free(test);
    specreg_table_free(t);
    free(y);
    free(X);
    /* classes: the labels that predict gives, counted */
    t = flower_table(ctx);
    specreg_options *o = options_of(ctx, "param", "lambda=0.3", "kernel", "rbf:sigma=3", NULL);
    m = fitted(ctx, t, o);
    out = predicted(ctx, m, t);
    CHECK_OK(ctx, specreg_evaluate(ctx, m, t, NULL, &text));
    e = parsed(text);
    double wrong = 0;
    for (int64_t a = 0; a < 3; a++)
        for (int64_t b = 0; b < 3; b++) {
            char key[64];
            int64_t count = 0;
            for (int64_t i = 0; i < specreg_table_rows(t); i++)
                count += strcmp(specreg_table_text(t, i, 3), specreg_model_class(m, a)) == 0 &&
                         strcmp(specreg_table_text(out, i, 0), specreg_model_class(m, b)) == 0;
            snprintf(key, sizeof key, "test.confusion.counts.%d.%d", (int)a, (int)b);
            CHECK_EQ(number_at(e, key), count);
            wrong += a == b ? 0 : (double)count;
        }
    CHECK(wrong > 0);
    CHECK_NEAR(number_at(e, "test.error_rate"), wrong / 36, 1e-15);
    json_t *record = record_of(ctx, m);
    CHECK_NEAR(number_at(record, "train.error_rate"), wrong / 36, 1e-15);
    json_decref(record);
    json_decref(e);
    specreg_table_free(out);
    specreg_options_free(o);
    specreg_model_free(m);
    specreg_table_free(t);
}

TEST(records, every_row_of_a_path_is_a_fit_of_its_own)
{
    double *X = kit_normal(33, N + M, P), *y = smooth_target(X, N + M, P, 0.3, 34);
    specreg_table *t = table_of(ctx, X, N, P, y, 1),
                  *test = table_of(ctx, X + N * P, M, P, y + N, 1);
    static const char *const how[][3] = {{"tikhonov", "lambda", "{1,0.1,0.01}"},
                                         {"landweber", "t", "{2,20,200}"},
                                         {"tsvd", "components", "{1,3,9}"},
                                         {"cg", "t", "{1,2,4}"}};
    for (int i = 0; i < 4; i++) {
        char param[64], *text;
        snprintf(param, sizeof param, "%s=%s", how[i][1], how[i][2]);
        specreg_options *o = options_of(ctx, "kernel", "rbf:sigma={1.5,3}", "filter", how[i][0],
                                        "param", param, NULL);
        CHECK_OK(ctx, specreg_path(ctx, t, test, o, &text));
        json_t *path = parsed(text), *row;
        size_t k;
        CHECK_EQ(json_array_size(at(path, "table")), 6);
        json_array_foreach (at(path, "table"), k, row) {
            char kernel[64];
            snprintf(kernel, sizeof kernel, "rbf:sigma=%.17g", number_at(row, "kernel.sigma"));
            snprintf(param, sizeof param, "%s=%.17g", how[i][1], number_at(row, how[i][1]));
            specreg_options_set(ctx, o, "kernel", kernel);
            specreg_options_set(ctx, o, "param", param);
            specreg_model *m = fitted(ctx, t, o);
            json_t *record = record_of(ctx, m);
            CHECK_OK(ctx, specreg_evaluate(ctx, m, test, NULL, &text));
            json_t *e = parsed(text);
            CHECK_NEAR(number_at(row, "train_mse"), number_at(record, "train.mse"),
                       kit_tolerance(N, 1e3));
            CHECK_NEAR(number_at(row, "test_mse"), number_at(e, "test.mse"), kit_tolerance(N, 1e3));
            json_decref(e);
            json_decref(record);
            specreg_model_free(m);
        }
        json_decref(path);
        specreg_options_free(o);
    }
    specreg_table_free(test);
    specreg_table_free(t);
    free(y);
    free(X);
}

TEST(records, the_spectrum_is_that_of_the_kernel_matrix_over_n)
{
    double *X = kit_normal(35, N, P), *y = smooth_target(X, N, P, 0.3, 36);
    const double sigma = 1.1;
    specreg_table *t = table_of(ctx, X, N, P, y, 1);
    specreg_options *o = options_of(ctx, "kernel", "rbf:sigma=1.1", "scale", "none", NULL);
    char *text;
    CHECK_OK(ctx, specreg_spectrum(ctx, t, o, &text));
    json_t *spectrum = parsed(text);
    double *K = gram(k_rbf, &sigma, X, N, X, N, P), total = 0, share = 0;
    real *s = real_new(N), *Q = real_new(N * N);
    ref_jacobi(N, K, s, Q);
    for (int64_t i = 0; i < N; i++)
        total += y[i] * y[i];
    for (size_t j = 0; j < N; j++) {
        real along = 0;
        for (size_t i = 0; i < N; i++)
            along += Q[i * N + j] * y[i];
        const double got = json_number_value(json_array_get(at(spectrum, "target_share"), j));
        CHECK_NEAR(json_number_value(json_array_get(at(spectrum, "eigenvalues"), j)), (double)s[j],
                   kit_tolerance(N, 1));
        if (j < 5) /* the eigenvectors of well separated eigenvalues */
            CHECK_NEAR(got, (double)(along * along) / total, kit_tolerance(N, 1e3));
        share += got;
    }
    CHECK_NEAR(share, 1, kit_tolerance(N, 1));
    CHECK_NEAR(number_at(spectrum, "trace"), 1, kit_tolerance(N, 1)); /* k(x,x) = 1 */
    for (size_t e = 0; e < json_array_size(at(spectrum, "effective_dimension")); e++) {
        const json_t *row = json_array_get(at(spectrum, "effective_dimension"), e);
        const double lambda = number_at(row, "lambda");
        double sum = 0;
        for (int64_t j = 0; j < N; j++)
            sum += (double)(s[j] / (s[j] + lambda));
        CHECK_NEAR(number_at(row, "df"), sum, kit_tolerance(N, 1 / lambda));
    }
    free(Q);
    free(s);
    free(K);
    json_decref(spectrum);
    specreg_options_free(o);
    specreg_table_free(t);
    free(y);
    free(X);
}

/* ------------------------------------------------------------------------- records */

static bool listed(const char *list, const char *key)
{
    const size_t length = strlen(key);
    for (const char *s = list; (s = strstr(s, key)); s += length)
        if ((s == list || s[-1] == ' ') && (s[length] == ' ' || !s[length]))
            return true;
    return false;
}

/* The object has all of `keys`, and beyond them nothing but `also`. */
static void check_keys(const json_t *object, const char *what, const char *keys, const char *also)
{
    char key[64];
    const char *name;
    json_t *value;
    CHECK(json_is_object(object));
    for (const char *s = keys; *s; s += *s == ' ') {
        const size_t length = strcspn(s, " ");
        snprintf(key, sizeof key, "%.*s", (int)length, s);
        if (!json_object_get(object, key))
            kit_fail(__FILE__, __LINE__, "%s has no key '%s'", what, key);
        s += length;
    }
    json_object_foreach ((json_t *)object, name, value)
        if (!listed(keys, name) && !listed(also, name))
            kit_fail(__FILE__, __LINE__, "%s has a key '%s' that nobody promised", what, name);
}

/* Keys of the interface first, those we added after them. */
static const char DATA_KEYS[] =
    "file n p outputs problem format header problem_why targets columns scale dropped_rows";

#define CLASS_TEST_KEYS                                                                        \
    "n mse error_rate balanced_error confusion classes macro micro auc roc log_loss baseline " \
    "accuracy balanced_accuracy f1 mcc brier"

static const char KERNEL_KEYS[] = "sigma nu norm degree coef0 gamma"; /* a kernel has its own */

static void check_fit_record(const json_t *r, bool classes, const char *path)
{
    check_keys(
        r, "fit",
        "specreg command options data kernel outputs filter approx engine selection train seconds "
        "peak_bytes seed threads df",
        classes ? "steps notes calibration coding features" : "steps notes features");
    CHECK_EQ(classes, json_object_get(r, "coding") != NULL);
    if (classes && json_object_get(r, "calibration"))
        check_keys(at(r, "calibration"), "calibration", "slopes held_by", "");
    check_keys(at(r, "data"), "data", DATA_KEYS,
               classes ? "classes class_counts delimiter group groups weights class_weight" : "");
    check_keys(at(r, "outputs"), "outputs", "name", "");
    check_keys(at(r, "approx"), "approx", "name", "m");
    check_keys(at(r, "kernel"), "kernel", "name", KERNEL_KEYS);
    char keys[64];
    snprintf(keys, sizeof keys, "name %s", path);
    check_keys(at(r, "filter"), "filter", keys, "step kept theta");
    check_keys(at(r, "selection"), "selection",
               "method criterion value table searched stderr rule exact engine search",
               "k repeats stratified fraction file families"); /* the rule's own parameters */
    snprintf(keys, sizeof keys, "kernel %s value stderr df", path);
    check_keys(at(r, "selection.table.0"), "selection.table", keys, "reason");
    check_keys(at(r, "selection.table.0.kernel"), "selection.table.kernel", "name", KERNEL_KEYS);
    check_keys(at(r, "train"), "train",
               classes ? "n mse error_rate baseline" : "n mse rmse mae r2 baseline",
               "per_output explained_variance weighted_baseline");
    check_keys(at(r, "seconds"), "seconds", "read gram solve select total", "");
    CHECK_STR(text_at(r, "specreg"), SPECREG_VERSION);
}

TEST(records, records_have_the_keys_of_the_interface)
{
    char *text;
    specreg_table *flowers = flower_table(ctx);
    specreg_model *m = fitted(ctx, flowers, NULL);
    json_t *r = record_of(ctx, m);
    check_fit_record(r, true, "lambda");
    CHECK_STR(text_at(r, "command"), "fit");
    CHECK_STR(text_at(r, "data.problem"), "classification");
    CHECK_EQ(json_array_size(at(r, "data.classes")), 3);
    CHECK_EQ(number_at(r, "data.outputs"), 3);
    CHECK_EQ(number_at(r, "data.p"), 4); /* kind is two columns */
    json_decref(r);
    CHECK_OK(ctx, specreg_evaluate(ctx, m, flowers, NULL, &text));
    r = parsed(text);
    check_keys(r, "eval", "specreg command data kernel outputs filter seconds test coding", "");
    check_keys(at(r, "test"), "test", CLASS_TEST_KEYS, "");
    check_keys(at(r, "test.classes.0"), "classes",
               "label support predicted precision recall f1 auc", "");
    check_keys(at(r, "test.macro"), "macro", "precision recall f1", "");
    check_keys(at(r, "test.micro"), "micro", "precision recall f1", "");
    check_keys(at(r, "test.confusion"), "confusion", "labels counts", "");
    CHECK_STR(text_at(r, "command"), "eval");
    json_decref(r);
    CHECK_OK(ctx, specreg_path(ctx, flowers, flowers, NULL, &text));
    r = parsed(text);
    check_keys(
        r, "path",
        "specreg command options data kernel outputs filter approx engine selection table seconds "
        "peak_bytes seed threads df coding features",
        "steps notes");
    check_keys(at(r, "table.0"), "path.table",
               "kernel lambda df train_mse train_error_rate value stderr test_mse test_error_rate",
               "");
    check_keys(at(r, "selection"), "path.selection",
               "method criterion value stderr rule exact engine search", "");
    check_keys(at(r, "seconds"), "seconds", "read gram solve select total", "");
    CHECK_STR(text_at(r, "command"), "path");
    json_decref(r);
    CHECK_OK(ctx, specreg_spectrum(ctx, flowers, NULL, &text));
    r = parsed(text);
    check_keys(r, "spectrum",
               "specreg command options data kernel n trace rank eigenvalues target_share "
               "effective_dimension seconds",
               "notes");
    CHECK_STR(text_at(r, "command"), "spectrum");
    CHECK_EQ(json_array_size(at(r, "eigenvalues")), 36);
    json_decref(r);
    CHECK_OK(ctx, specreg_plan(ctx, flowers, NULL, &text));
    r = parsed(text);
    check_keys(
        r, "plan",
        "specreg command options data kernel_candidates kernel_families search outputs_candidates "
        "path_points "
        "path_parameter selection "
        "budget_bytes threads engines engine search_engine why runs seconds flops "
        "traffic_bytes kernel_values "
        "memory_bytes stages machine features",
        "");
    CHECK_STR(text_at(r, "command"), "plan");
    json_decref(r);
    specreg_model_free(m);
    /* groups and weights by class */
    specreg_options *by_kind = options_of(ctx, "group", "kind", "class-weight", "balanced",
                                          "select", "kfold:k=2,repeats=2", NULL);
    m = fitted(ctx, flowers, by_kind);
    r = record_of(ctx, m);
    check_fit_record(r, true, "lambda");
    CHECK_STR(text_at(r, "data.group"), "kind");
    CHECK_EQ(number_at(r, "data.groups"), 2);
    CHECK_EQ(number_at(r, "data.p"), 2);
    CHECK_EQ(number_at(r, "selection.repeats"), 2);
    CHECK_EQ(number_at(r, "selection.stratified"), 1);
    CHECK_EQ(json_object_size(at(r, "data.class_weight")), 3);
    for (int c = 0; c < 3; c++) {
        char count[64];
        snprintf(count, sizeof count, "data.class_counts.%d", c);
        CHECK_NEAR(json_number_value(
                       json_object_get(at(r, "data.class_weight"), specreg_model_class(m, c))),
                   36 / (3 * number_at(r, count)), 1e-15);
    }
    json_decref(r);
    specreg_options_free(by_kind);
    specreg_model_free(m);
    specreg_table_free(flowers);
    /* two targets, steps */
    double *X = kit_normal(37, N, P), *Y = kit_normal(38, N, 2);
    specreg_table *t = table_of(ctx, X, N, P, Y, 2);
    specreg_options *o =
        options_of(ctx, "filter", "landweber", "target", "y1,y2", "param", "t={1,5}", NULL);
    m = fitted(ctx, t, o);
    r = record_of(ctx, m);
    check_fit_record(r, false, "t");
    CHECK(json_is_integer(at(r, "filter.t")));
    CHECK_EQ(json_array_size(at(r, "train.per_output")), 2);
    check_keys(at(r, "train.per_output.0"), "per_output", "name n mse rmse mae r2", "");
    json_decref(r);
    CHECK_OK(ctx, specreg_evaluate(ctx, m, t, NULL, &text));
    r = parsed(text);
    check_keys(at(r, "test"), "test",
               "n mse rmse mae r2 mape explained_variance per_output baseline", "");
    json_decref(r);
    specreg_model_free(m);
    specreg_options_free(o);
    specreg_table_free(t);
    /* two classes: a curve */
    for (int64_t i = 0; i < N; i++)
        Y[i] = X[i * P] + 0.5 * Y[i] > 0;
    t = table_of(ctx, X, N, P, Y, 1);
    m = fitted(ctx, t, NULL);
    CHECK_OK(ctx, specreg_evaluate(ctx, m, t, NULL, &text));
    r = parsed(text);
    check_keys(at(r, "test"), "test", CLASS_TEST_KEYS, "");
    check_keys(at(r, "test.roc.0"), "roc", "class threshold fpr tpr", "");
    json_decref(r);
    specreg_model_free(m);
    specreg_table_free(t);
    free(Y);
    free(X);
}

/* The number of kept components is in the record however the parameter was chosen. */
TEST(records, tsvd_records_how_many_components_it_kept)
{
    /* four points on a circle, each twice: eigenvalues come in a pair, then fall to 0 */
    double X[16], y[8];
    for (int64_t i = 0; i < 8; i++) {
        X[2 * i] = (i / 2) % 2 ? 0 : 1 - (double)(i / 4) * 2;
        X[2 * i + 1] = (i / 2) % 2 ? 1 - (double)(i / 4) * 2 : 0;
        y[i] = (double)(i / 2 * i);
    }
    specreg_table *t = table_of(ctx, X, 8, 2, y, 1);
    static const char *const how[][3] = {
        {"components=1", "none", "1"},  {"components=2", "none", "3"},
        {"components=3", "none", "3"},  {"components=8", "none", "4"},
        {"components={2}", "gcv", "3"}, {"components=2", "kfold", "3"},
    };
    for (int i = 0; i < 6; i++) {
        specreg_options *o = options_of(ctx, "kernel", "rbf:sigma=1", "scale", "none", "filter",
                                        "tsvd", "param", how[i][0], "select", how[i][1], NULL);
        specreg_model *m = fitted(ctx, t, o);
        json_t *r = record_of(ctx, m);
        CHECK_EQ(number_at(r, "filter.kept"), atoi(how[i][2]));
        json_decref(r);
        specreg_model_free(m);
        specreg_options_free(o);
    }
    specreg_table_free(t);
}

/* A file's name is bytes; JSON is UTF-8.  The record keeps the rest of the name, and all else. */
TEST(records, a_file_name_that_is_not_utf8_costs_one_character)
{
    double *X = kit_normal(40, N, P), *y = smooth_target(X, N, P, 0.2, 41);
    specreg_table *t = named_table(ctx, "caf\xe9.csv", X, N, P, y);
    specreg_model *m = fitted(ctx, t, NULL);
    json_t *r = record_of(ctx, m);
    char *text;
    CHECK_HAS(text_at(r, "data.file"), "caf?.csv");
    CHECK_EQ(number_at(r, "data.n"), N);
    json_decref(r);
    CHECK_OK(ctx, specreg_evaluate(ctx, m, t, NULL, &text));
    r = parsed(text);
    CHECK_HAS(text_at(r, "data.file"), "caf?.csv");
    json_decref(r);
    CHECK_OK(ctx, specreg_table_record(ctx, t, NULL, &text));
    r = parsed(text);
    CHECK_HAS(text_at(r, "file"), "caf?.csv");
    json_decref(r);
    specreg_model_free(m);
    specreg_table_free(t);
    free(y);
    free(X);
}
