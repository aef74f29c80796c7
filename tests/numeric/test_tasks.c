/* What is said about outputs and tasks: errors of each, tasks that are new, the spectrum,
 * searches over matrices, groups, threads. */
#include "data/split.h"
#include "record/container.h"
#include "numeric/dense_problems.h"

static const filter_case TIKHONOV_CASE = {"tikhonov", "lambda=0.01", TIKHONOV, 0.01, 1e3};

static specreg_model *fitted_kind(specreg_context *ctx, const dense *d, int kind, const char *file)
{
    specreg_options *o = options_for(ctx, d, kind, file);
    specreg_model *m;
    CHECK_OK(ctx, specreg_options_set(ctx, o, "param", TIKHONOV_CASE.param));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "select", "none"));
    CHECK_OK(ctx, specreg_fit(ctx, d->train, o, &m));
    specreg_options_free(o);
    return m;
}

/* ------------------------------------------------------------------------ errors of each */

typedef struct errors {
    double n, square, absolute, mean, variance;
} errors;

/* Of the points with this label; -1: of all. */
static errors errors_of(const dense *d, const double *residual, int label)
{
    errors e = {0};
    for (int i = 0; i < d->n; i++)
        if (label < 0 || d->label[i] == label) {
            e.n++;
            e.square += residual[i] * residual[i];
            e.absolute += fabs(residual[i]);
            e.mean += d->y[i];
        }
    e.mean /= e.n;
    for (int i = 0; i < d->n; i++)
        if (label < 0 || d->label[i] == label)
            e.variance += (d->y[i] - e.mean) * (d->y[i] - e.mean) / e.n;
    e.square /= e.n;
    e.absolute /= e.n;
    return e;
}

static void check_errors(const json_t *record, const dense *d, int kind, const double *residual)
{
    const double tolerance = kit_tolerance(d->n, 1e4);
    const json_t *list = at(record, of_tasks(kind) ? "per_task" : "per_output");
    double r2 = 0;
    CHECK_EQ(json_array_size(list), OUT);
    for (int t = 0; t < OUT; t++) {
        const json_t *one = json_array_get(list, (size_t)t);
        const errors e = errors_of(d, residual, t);
        const char name[] = {of_tasks(kind) ? 't' : 'y', (char)('0' + t + !of_tasks(kind)), '\0'};
        CHECK_STR(text_at(one, "name"), name);
        CHECK_SAME(number_at(one, "n"), e.n);
        CHECK_NEAR(number_at(one, "mse"), e.square, tolerance);
        CHECK_NEAR(number_at(one, "mae"), e.absolute, tolerance);
        CHECK_NEAR(number_at(one, "r2"), 1 - e.square / e.variance, tolerance);
        r2 += (1 - e.square / e.variance) / OUT;
    }
    const errors all = errors_of(d, residual, -1);
    const double explained = 1 - all.square / all.variance;
    CHECK_NEAR(number_at(record, "mse"), all.square, tolerance);
    CHECK_NEAR(number_at(record, "mae"), all.absolute, tolerance);
    CHECK_NEAR(number_at(record, "r2"), of_tasks(kind) ? explained : r2, tolerance);
    CHECK_NEAR(number_at(record, "explained_variance"), explained, tolerance);
}

TEST(tasks, errors_are_those_of_each_output_or_task_over_the_targets_it_has)
{
    static const int kinds[] = {COMMON, GAPS, INDEPENDENT_GAPS, SUM, DELAYS, TASKS};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char file[MOST_PATH], *text;
        double F[NEW * OUT], residual[ROWS * OUT];
        real trace;
        dense d = problem(ctx, kinds[k], false, file);
        specreg_model *m = fitted_kind(ctx, &d, kinds[k], file);
        dense_answers(&d, &TIKHONOV_CASE, F, residual, &trace);
        json_t *record = record_of(ctx, m);
        check_errors(at(record, "train"), &d, kinds[k], residual);
        json_decref(record);
        CHECK_OK(ctx, specreg_evaluate(ctx, m, d.train, NULL, &text));
        record = parsed(text);
        check_errors(at(record, "test"), &d, kinds[k], residual);
        json_decref(record);
        specreg_model_free(m);
        dense_free(&d);
    }
}

/* ------------------------------------------------------------------------ tasks that are new */

TEST(tasks, one_that_is_new_is_like_the_others_as_far_as_they_are_alike)
{
    char file[MOST_PATH];
    int point[ROWS * OUT] = {0};
    real *alpha = real_new(ROWS * OUT);
    dense d = problem(ctx, TASKS, false, file);
    specreg_model *m = fitted_kind(ctx, &d, TASKS, file);
    specreg_table *later = csv(ctx, "new.csv", "a,b,task\n0.3,-0.4,t9\n0.3,-0.4,t1\n"), *out;
    const double x[] = {0.3, -0.4};
    double common = 0;
    for (int i = 0; i < d.n; i++)
        point[i] = i;
    dense_train(&d, point, d.n, &TIKHONOV_CASE, 1, alpha, NULL);
    for (int i = 0; i < d.n; i++)
        common += 0.6 * k_rbf(x, d.X + 2 * d.row[i], 2, d.sigma) * (double)alpha[i];
    CHECK_OK(ctx, specreg_predict(ctx, m, later, NULL, &out));
    CHECK_NEAR(specreg_table_number(out, 0, 0), common, kit_tolerance(d.n, 1e3));
    CHECK_NEAR(specreg_table_number(out, 1, 0), dense_at(&d, point, d.n, alpha, x, 1),
               kit_tolerance(d.n, 1e3));
    specreg_table_free(out);
    specreg_model_free(m);
    m = fitted_kind(ctx, &d, GRAPH_TASKS, kit_temp_file("g.csv", "1,1,0\n1,1,0\n0,0,1\n"));
    CHECK_FAILS(ctx, specreg_predict(ctx, m, later, NULL, &out), SPECREG_E_SHAPE,
                "new.csv:2: column 'task': task 't9' was not seen in training");
    specreg_model_free(m);
    specreg_table_free(later);
    dense_free(&d);
    free(alpha);
}

/* ------------------------------------------------------------------------ files */

/* A copy of a model file with another text in its metadata. */
static void rewrite(specreg_context *ctx, const char *from, const char *key, const char *text)
{
    static const char *const names[] = {"alpha", "centres", "scaling"};
    sri_container c;
    sri_tensor t[3];
    double *data[3];
    CHECK_OK(ctx, sri_container_read(ctx, from, &c));
    for (int i = 0; i < 3; i++) {
        t[i].name = names[i];
        CHECK_OK(ctx, sri_container_tensor(ctx, &c, names[i], &data[i], &t[i].rows, &t[i].cols));
        t[i].data = data[i];
    }
    CHECK_OK(ctx, sri_metadata_set(ctx, &c.metadata, key, text));
    CHECK_OK(ctx, sri_container_write(ctx, kit_temp("bad.srm"), &c.metadata, t, 3));
    for (int i = 0; i < 3; i++)
        free(data[i]);
    sri_container_free(&c);
}

#define COMMON_OF(order, omega) \
    "{\"name\": \"common\", \"omega\": " omega ", \"order\": " order ", \"points\": \"tasks\"}"
#define TARGET(problem, labels, counts)                                                         \
    "{\"problem\": \"" problem "\", \"why\": \"\", \"names\": [\"task\"], \"labels\": [" labels \
    "], \"counts\": [" counts "], \"positions\": [2], \"table_columns\": 4, \"has_names\": true}"

TEST(tasks, files_with_broken_outputs_are_refused_by_name)
{
    static const struct {
        const char *key, *text, *message; /* NULL: it is a good file */
    } cases[] = {
        {"outputs", COMMON_OF("3", "0.5"), NULL},
        {"outputs", "{}", "outputs"},
        {"outputs", "{", "outputs"},
        {"outputs", COMMON_OF("2", "0.5"), "do not fit its matrix"},
        {"outputs", COMMON_OF("99999", "0.5"), "do not fit its matrix"},
        {"outputs", COMMON_OF("3", "2"), "omega must be from 0 to 1"},
        {"outputs", COMMON_OF("3", "\"x\""), "'omega' of outputs common is missing"},
        {"outputs", "{\"name\": \"odd\", \"order\": 3, \"points\": \"tasks\"}", "outputs 'odd'"},
        {"outputs", "{\"name\": \"matrix\", \"order\": 3, \"points\": \"tasks\"}", "0 entries"},
        {"outputs",
         "{\"name\": \"matrix\", \"order\": 3, \"points\": \"tasks\", \"matrix\": [1, 2, 3]}",
         "not square"},
        {"outputs",
         "{\"name\": \"matrix\", \"order\": 3, \"points\": \"tasks\", \"matrix\": [1, 2, 0, 2, 1, "
         "0, 0, 0, 1]}",
         "not positive semi-definite"},
        {"outputs", "{\"name\": \"sum\", \"points\": \"tasks\", \"terms\": []}", "sum of 0 terms"},
        {"outputs",
         "{\"name\": \"sum\", \"points\": \"tasks\", \"terms\": [{\"name\": \"independent\", "
         "\"order\": 3}, {\"name\": \"independent\", \"order\": 2}]}",
         "do not fit its matrix"},
        {"tasks", TARGET("classification", "\"a\", \"b\", \"c\"", "1, 1, 1"), NULL},
        {"tasks", TARGET("classification", "\"a\", \"b\"", "1, 1"), "do not fit its matrix"},
        {"tasks", TARGET("regression", "", ""), "tasks"},
        {"tasks", "[]", "tasks"},
    };
    char file[MOST_PATH], saved[MOST_PATH];
    dense d = problem(ctx, TASKS, false, file);
    specreg_model *m = fitted_kind(ctx, &d, TASKS, file), *back;
    snprintf(saved, sizeof saved, "%s", kit_temp("m.srm"));
    CHECK_OK(ctx, specreg_model_save(ctx, m, saved));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rewrite(ctx, saved, cases[i].key, cases[i].text);
        const specreg_status st = specreg_model_load(ctx, kit_temp("bad.srm"), &back);
        if (cases[i].message) {
            CHECK(st == SPECREG_E_FORMAT || st == SPECREG_E_NUMERIC);
            CHECK_HAS(specreg_last_error(ctx), "bad.srm");
            CHECK_HAS(specreg_last_error(ctx), cases[i].message);
        } else {
            CHECK_OK(ctx, st);
            specreg_model_free(back);
        }
    }
    specreg_model_free(m);
    dense_free(&d);
}

/* ------------------------------------------------------------------------ the spectrum */

TEST(tasks, the_spectrum_is_that_of_the_dense_matrix)
{
    static const int kinds[] = {COMMON, MATRIX, GAPS, TASKS};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int weighted = 0; weighted < 2; weighted++) {
            char file[MOST_PATH], *text;
            int point[ROWS * OUT] = {0};
            double mass;
            dense d = problem(ctx, kinds[k], weighted, file);
            specreg_options *o = options_for(ctx, &d, kinds[k], file);
            real *s = real_new(d.n), *Q = real_new((int64_t)d.n * d.n);
            for (int i = 0; i < d.n; i++)
                point[i] = i;
            double *G = dense_matrix(&d, point, d.n, 1, &mass);
            ref_jacobi(d.n, G, s, Q);
            CHECK_OK(ctx, specreg_spectrum(ctx, d.train, o, &text));
            json_t *record = parsed(text);
            CHECK_EQ(json_array_size(at(record, "eigenvalues")), d.n);
            double shares = 0;
            for (int i = 0; i < d.n; i++) {
                const size_t j = (size_t)i;
                CHECK_NEAR(json_number_value(json_array_get(at(record, "eigenvalues"), j)),
                           (double)(s[i] * d.n), kit_tolerance(d.n, 10));
                shares += json_number_value(json_array_get(at(record, "target_share"), j));
            }
            CHECK_NEAR(shares, 1, kit_tolerance(d.n, 10));
            json_decref(record);
            free(G);
            free(Q);
            free(s);
            specreg_options_free(o);
            dense_free(&d);
        }
}

/* ------------------------------------------------------------------------ searches */

/* Every row of the table is of the matrix that it names. */
TEST(tasks, a_search_over_matrices_has_a_value_for_each)
{
    static const int kinds[] = {COMMON, GAPS, TASKS};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char file[MOST_PATH];
        dense d = problem(ctx, kinds[k], false, file);
        specreg_options *o = options_for(ctx, &d, kinds[k], file);
        specreg_model *m;
        CHECK_OK(ctx, specreg_options_set(ctx, o, "outputs", "common:omega={0,0.3,1}"));
        CHECK_OK(ctx, specreg_options_set(ctx, o, "param", "lambda={0.1,0.01}"));
        CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", "rbf:sigma={0.8,1.5}"));
        CHECK_OK(ctx, specreg_options_set(ctx, o, "select", "gcv"));
        CHECK_OK(ctx, specreg_fit(ctx, d.train, o, &m));
        json_t *record = record_of(ctx, m);
        const json_t *table = at(record, "selection.table");
        double least = INFINITY;
        CHECK_EQ(json_array_size(table), 12);
        for (size_t i = 0; i < 12; i++) {
            const json_t *row = json_array_get(table, i);
            filter_case f = TIKHONOV_CASE;
            double F[NEW * OUT], residual[ROWS * OUT];
            real trace;
            f.value = number_at(row, "lambda");
            d.sigma[0] = number_at(row, "kernel.sigma");
            common_matrix(number_at(row, "outputs.omega"), d.A[0]);
            dense_answers(&d, &f, F, residual, &trace);
            const double left = 1 - (double)trace / d.n;
            const double value = errors_of(&d, residual, -1).square / (left * left);
            CHECK_NEAR(number_at(row, "value"), value, kit_tolerance(d.n, 1e4));
            least = fmin(least, value);
        }
        CHECK_NEAR(number_at(record, "selection.value"), least, kit_tolerance(d.n, 1e4));
        json_decref(record);
        specreg_model_free(m);
        specreg_options_free(o);
        dense_free(&d);
    }
}

/* Groups are of rows, and a row's outputs go with it. */
TEST(tasks, groups_hold_out_their_rows_with_all_outputs)
{
    char file[MOST_PATH];
    int32_t group[ROWS * OUT];
    sri_splits s;
    dense d = problem(ctx, GAPS, false, file);
    FILE *f = fopen(kit_temp("groups.csv"), "w");
    fprintf(f, "a,b,group,y1,y2,y3\n");
    for (int i = 0; i < ROWS; i++) {
        fprintf(f, "%.17g,%.17g,%d", d.X[2 * i], d.X[2 * i + 1], i / 2);
        for (int t = 0; t < OUT; t++)
            if (isnan(d.Y[i * OUT + t]))
                fprintf(f, ",");
            else
                fprintf(f, ",%.17g", d.Y[i * OUT + t]);
        fprintf(f, "\n");
    }
    fclose(f);
    specreg_table *train = read_table(ctx, kit_temp("groups.csv"));
    specreg_options *o = options_for(ctx, &d, GAPS, file);
    specreg_model *m;
    CHECK_OK(ctx, specreg_options_set(ctx, o, "group", "group"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "param", "lambda={0.1,0.01}"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "select", "kfold:k=3"));
    CHECK_OK(ctx, specreg_fit(ctx, train, o, &m));
    json_t *record = record_of(ctx, m);
    for (int i = 0; i < d.n; i++)
        group[i] = d.row[i] / 2;
    const sri_strata strata = {.n = d.n, .group = group, .n_groups = (ROWS + 1) / 2, .seed = 3};
    CHECK_OK(ctx, sri_splits_kfold(ctx, &strata, 3, 1, &s));
    for (size_t l = 0; l < 2; l++) {
        filter_case filter = TIKHONOV_CASE;
        double sum = 0, weights = 0;
        filter.value = l ? 0.01 : 0.1;
        for (int64_t k = 0; k < s.count; k++) {
            bool held[ROWS] = {false};
            for (int64_t i = 0; i < s.split[k].n_validate; i++)
                held[d.row[s.split[k].validate[i]]] = true;
            for (int i = 0; i + 1 < ROWS; i += 2)
                CHECK(held[i] == held[i + 1]);
            dense_held_out(&d, &filter, held, 1, &sum, &weights);
        }
        const json_t *row = json_array_get(at(record, "selection.table"), l);
        CHECK_NEAR(number_at(row, "value"), sum / weights, kit_tolerance(d.n, 1e4));
    }
    sri_splits_free(&s);
    json_decref(record);
    specreg_model_free(m);
    specreg_options_free(o);
    specreg_table_free(train);
    dense_free(&d);
}

/* ------------------------------------------------------------------------ threads */

/* With more than 600 points, below which there is one thread whatever is asked. */
TEST(tasks, one_thread_and_two_give_the_same_model_to_rounding)
{
    enum { MANY = 330 };
    double *X = kit_normal(8, MANY, 2), *answer[2];
    FILE *f = fopen(kit_temp("many.csv"), "w");
    fprintf(f, "a,b,y1,y2\n");
    for (int i = 0; i < MANY; i++)
        fprintf(f, i == 7 ? "%.17g,%.17g,%.17g,\n" : "%.17g,%.17g,%.17g,%.17g\n", X[2 * i],
                X[2 * i + 1], sin(X[2 * i]), sin(X[2 * i]) + 0.3 * X[2 * i + 1]);
    fclose(f);
    specreg_table *train = read_table(ctx, kit_temp("many.csv"));
    for (int k = 0; k < 2; k++) {
        specreg_options *o = options_of(ctx, "target", "y1,y2", "missing-targets", "allow",
                                        "outputs", "common:omega=0.7", "kernel", "rbf:sigma=1",
                                        "param", "lambda=0.01", "threads", k ? "2" : "1", NULL);
        answer[k] = fit_predict(ctx, train, o, train);
        specreg_options_free(o);
    }
    CHECK_ARRAY_NEAR(answer[1], answer[0], 2 * MANY, kit_tolerance(2 * MANY, 1e2));
    free(answer[1]);
    free(answer[0]);
    specreg_table_free(train);
    free(X);
}
