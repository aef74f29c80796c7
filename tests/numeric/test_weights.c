/* Weights of rows through fit, path and cv.  A row of weight w is w rows of weight 1, so answers
 * come from tables where the rows stand that often, and from refits on such rows done here. */
#include "numeric/weighted.h"

/* ------------------------------------------------------------------ training */

/* Every filter and engine; `cond` is by how much rounding may grow. */
static const struct {
    const char *filter, *param;
    const char *engine[4];
    double cond;
} MACHINES[] = {
    {"tikhonov", "lambda=1e-3", {"eig", "cholesky", "krylov"}, 1e3},
    {"iterated:order=3", "lambda=1e-2", {"eig", "cholesky", "krylov"}, 300},
    {"tsvd", "lambda=0.01", {"eig"}, 100},
    {"tsvd", "components=4", {"eig"}, 100},
    {"landweber", "t=40", {"eig", "krylov", "iterate"}, 40},
    {"landweber:step=norm", "t=10", {"eig", "krylov", "iterate"}, 20},
    {"nu", "t=15", {"eig", "krylov", "iterate"}, 225},
    {"showalter", "lambda=1e-2", {"eig", "krylov"}, 100},
    {"cg", "t=3", {"krylov", "iterate"}, 1e3},
    {"cg:norm=residual", "t=4", {"krylov", "iterate"}, 1e3},
};
enum { N_MACHINES = sizeof MACHINES / sizeof *MACHINES };

typedef void machine_fn(specreg_context *ctx, const weighted *d, const specreg_options *o,
                        const specreg_table *query, int kind, double cond);

/* Calls with the options of every filter and engine and rows to predict. */
static void every_machine(specreg_context *ctx, machine_fn *check)
{
    double *Z = kit_normal(22, M, 2);
    specreg_table *query = named_table(ctx, "query.csv", Z, M, 2, NULL);
    for (int kind = 0; kind < 4; kind++) {
        weighted d = weighted_problem(ctx, kind, 30);
        for (int i = 0; i < N_MACHINES; i++)
            for (int e = 0; e < 4 && MACHINES[i].engine[e]; e++) {
                specreg_options *o =
                    options_of(ctx, WEIGHTED, "target", TARGETS[kind], "filter", MACHINES[i].filter,
                               "param", MACHINES[i].param, "engine", MACHINES[i].engine[e],
                               "weights", "w", NULL);
                print_message("  %s, %s, %s\n", KIND[kind], MACHINES[i].filter,
                              MACHINES[i].engine[e]);
                check(ctx, &d, o, query, kind, MACHINES[i].cond);
                specreg_options_free(o);
            }
        weighted_free(&d);
    }
    specreg_table_free(query);
    free(Z);
}

/* The numbers of two tables. */
static void check_near_table(const char *name, const specreg_table *a, const specreg_table *b,
                             double tol)
{
    double *x = numbers_of(a), *y = numbers_of(b), size = 1, worst = 0;
    CHECK_EQ(specreg_table_rows(a), specreg_table_rows(b));
    for (int64_t k = 0; k < specreg_table_rows(a) * specreg_table_cols(a); k++) {
        if (isnan(x[k]) && isnan(y[k])) /* a label */
            continue;
        size = fmax(size, fabs(y[k]));
        worst = fmax(worst, fabs(x[k] - y[k]));
    }
    CHECK_WORST(name, worst / size, tol);
    free(y);
    free(x);
}

static void check_repeated(specreg_context *ctx, const weighted *d, const specreg_options *o,
                           const specreg_table *query, int kind, double cond)
{
    (void)kind;
    specreg_table *again = weighted_table(ctx, d, "repeated.csv", NULL, d->n, true, 1);
    specreg_model *a = fitted(ctx, d->table, o), *b = fitted(ctx, again, o);
    specreg_table *x = predicted(ctx, a, query), *y = predicted(ctx, b, query);
    check_near_table("repeated rows", x, y, kit_tolerance(2 * d->n, cond));
    specreg_table_free(y);
    specreg_table_free(x);
    specreg_model_free(b);
    specreg_model_free(a);
    specreg_table_free(again);
}

TEST(weights, a_whole_number_weight_is_the_row_that_often_for_every_filter_and_engine)
{
    every_machine(ctx, check_repeated);
}

/* The rows of weight 3 get weight 0; the others keep theirs. */
static void check_zero(specreg_context *ctx, const weighted *d, const specreg_options *o,
                       const specreg_table *query, int kind, double cond)
{
    (void)cond, (void)kind;
    int64_t left[64], n = 0;
    weighted less = *d;
    less.w = malloc((size_t)d->n * sizeof *less.w);
    for (int64_t i = 0; i < d->n; i++) {
        less.w[i] = d->w[i] < 3 ? d->w[i] : 0;
        if (less.w[i] > 0)
            left[n++] = i;
    }
    CHECK(n > 10 && n < d->n);
    specreg_table *zeros = weighted_table(ctx, &less, "zeros.csv", NULL, d->n, false, 1),
                  *without = weighted_table(ctx, &less, "without.csv", left, n, false, 1);
    specreg_model *a = fitted(ctx, zeros, o), *b = fitted(ctx, without, o);
    specreg_table *x = predicted(ctx, a, query), *y = predicted(ctx, b, query);
    check_same_table(x, y);
    specreg_table_free(y);
    specreg_table_free(x);
    specreg_model_free(b);
    specreg_model_free(a);
    specreg_table_free(without);
    specreg_table_free(zeros);
    free(less.w);
}

TEST(weights, weight_zero_is_the_row_removed_to_the_last_bit)
{
    every_machine(ctx, check_zero);
}

static void check_times_seven(specreg_context *ctx, const weighted *d, const specreg_options *o,
                              const specreg_table *query, int kind, double cond)
{
    (void)kind;
    specreg_table *more = weighted_table(ctx, d, "seven.csv", NULL, d->n, false, 7);
    specreg_model *a = fitted(ctx, d->table, o), *b = fitted(ctx, more, o);
    specreg_table *x = predicted(ctx, a, query), *y = predicted(ctx, b, query);
    check_near_table("weights times seven", x, y, kit_tolerance(d->n, cond));
    specreg_table_free(y);
    specreg_table_free(x);
    specreg_model_free(b);
    specreg_model_free(a);
    specreg_table_free(more);
}

TEST(weights, all_weights_times_seven_change_nothing_but_rounding)
{
    every_machine(ctx, check_times_seven);
}

/* ------------------------------------------------------------------ selection */

typedef struct answer {
    double value; /* mse, or error rate, by weight */
    double mse, margin;
} answer;

/* Held-out predictions of all rows against their answers, each row by its weight. */
static answer judge(const weighted *d, const double *F)
{
    answer a = {.margin = INFINITY};
    double wrong = 0;
    const double all = weight_of(d, NULL, d->n);
    for (int64_t i = 0; i < d->n; i++) {
        for (int64_t t = 0; t < d->T; t++)
            a.mse += d->w[i] / all * pow(F[i * d->T + t] - d->Y[i * d->T + t], 2) / (double)d->T;
        if (d->classes)
            wrong += d->w[i] * (weighted_decoded(d, F + i * d->T, &a.margin) != d->class[i]);
    }
    a.value = d->classes ? wrong / all : a.mse;
    return a;
}

/* The rows of the table against answers, and the best of them against the winner. */
static void check_table(const weighted *d, const char *name, const json_t *record,
                        const char *param, const double *values, const answer *a, int64_t count,
                        const double *tol)
{
    int64_t best = 0;
    char path[32];
    CHECK_EQ(json_array_size(at(record, "selection.table")), count);
    for (int64_t j = 0; j < count; j++) {
        const json_t *row = json_array_get(at(record, "selection.table"), (size_t)j);
        CHECK_SAME(number_at(row, param), values[j]);
        CHECK(a[j].margin > 10 * tol[j]); /* else an error rate could differ by rounding */
        CHECK_WORST(name, fabs(number_at(row, "value") - a[j].value),
                    (d->classes ? 1e-15 : 4 * tol[j]) * fmax(1, a[j].value));
        if (a[j].value < a[best].value || (a[j].value == a[best].value && a[j].mse < a[best].mse))
            best = j;
    }
    snprintf(path, sizeof path, "filter.%s", param);
    CHECK_SAME(number_at(record, path), values[best]);
    CHECK_NEAR(number_at(record, "selection.value"), a[best].value, 1e-9);
}

static const double LAMBDAS[] = {1, 0.1, 1e-2, 1e-3, 1e-4};
#define LAMBDA_PATH "param", "lambda={1,0.1,1e-2,1e-3,1e-4}"
enum { N_LAMBDAS = 5 };

TEST(weights, leave_one_out_equals_refits_that_keep_the_whole_weight_times_lambda)
{
    static const char *const engines[] = {"eig", "cholesky"};
    for (int kind = 0; kind < 4; kind++) {
        weighted d = weighted_problem(ctx, kind, 26);
        answer a[N_LAMBDAS];
        double tol[N_LAMBDAS];
        for (int j = 0; j < N_LAMBDAS; j++) {
            double *F = held_out_loo(&d, LAMBDAS[j]);
            a[j] = judge(&d, F);
            tol[j] = kit_tolerance(2 * d.n, 1 + 1 / LAMBDAS[j]);
            free(F);
        }
        for (int e = 0; e < 2; e++) {
            specreg_options *o =
                options_of(ctx, WEIGHTED, LAMBDA_PATH, "target", TARGETS[kind], "weights", "w",
                           "select", "loo", "engine", engines[e], NULL);
            json_t *record = weighted_record(ctx, &d, o);
            check_table(&d, "leave-one-out", record, "lambda", LAMBDAS, a, N_LAMBDAS, tol);
            json_decref(record);
            specreg_options_free(o);
        }
        weighted_free(&d);
    }
}

TEST(weights, folds_equal_refits_with_the_weight_that_trains_times_lambda)
{
    static const double steps[] = {1, 6, 30}, cuts[] = {0.2, 0.05, 0.004};
    static const struct {
        const char *filter, *param, *engine, *name;
        train_fn *train;
        const double *values;
        int64_t count;
    } how[] = {
        {"tikhonov", "lambda={1,0.1,1e-2,1e-3,1e-4}", "eig", "lambda", train_tikhonov, LAMBDAS, 5},
        {"tikhonov", "lambda={1,0.1,1e-2,1e-3,1e-4}", "cholesky", "lambda", train_tikhonov, LAMBDAS,
         5},
        {"tikhonov", "lambda={1,0.1,1e-2,1e-3,1e-4}", "krylov", "lambda", train_tikhonov, LAMBDAS,
         5},
        {"landweber", "t={1,6,30}", "iterate", "t", train_landweber, steps, 3},
        {"landweber", "t={1,6,30}", "krylov", "t", train_landweber, steps, 3},
        {"landweber", "t={1,6,30}", "eig", "t", train_landweber, steps, 3},
        {"nu", "t={1,6,30}", "iterate", "t", train_nu1, steps, 3},
        {"nu", "t={1,6,30}", "krylov", "t", train_nu1, steps, 3},
        {"tsvd", "lambda={0.2,0.05,0.004}", "eig", "lambda", train_tsvd, cuts, 3},
    };
    for (int kind = 0; kind < 4; kind++) {
        weighted d = weighted_problem(ctx, kind, 27);
        sri_splits s = weighted_folds(ctx, &d, 4, 5);
        for (size_t h = 0; h < sizeof how / sizeof *how; h++) {
            answer a[5];
            double tol[5];
            for (int64_t j = 0; j < how[h].count; j++) {
                const double v = how[h].values[j];
                double *F = held_out_folds(&d, how[h].train, v, &s);
                a[j] = judge(&d, F);
                tol[j] = kit_tolerance(2 * d.n, v < 1 ? 1 + 1 / v : v * v);
                free(F);
            }
            specreg_options *o =
                options_of(ctx, WEIGHTED, "target", TARGETS[kind], "weights", "w", "select",
                           "kfold:k=4", "seed", "5", "filter", how[h].filter, "param", how[h].param,
                           "engine", how[h].engine, NULL);
            json_t *record = weighted_record(ctx, &d, o);
            check_table(&d, how[h].filter, record, how[h].name, how[h].values, a, how[h].count,
                        tol);
            json_decref(record);
            specreg_options_free(o);
        }
        sri_splits_free(&s);
        weighted_free(&d);
    }
}

/* Also the standard error, and for weights whose squares no double holds. */
TEST(weights, a_factor_on_all_weights_is_no_matter_of_the_selection)
{
    static const char *const rules[] = {"loo", "kfold:k=3", "holdout", "gcv"};
    static const double factors[] = {7, 1e250, 1e-250};
    weighted d = weighted_problem(ctx, 1, 30);
    for (int f = 0; f < 3; f++)
        for (int r = 0; r < 4; r++) {
            specreg_options *o = options_of(ctx, WEIGHTED, LAMBDA_PATH, "target", "y1,y2",
                                            "weights", "w", "select", rules[r], NULL);
            specreg_table *t = weighted_table(ctx, &d, "factor.csv", NULL, d.n, false, factors[f]);
            specreg_model *m = fitted(ctx, t, o);
            json_t *a = weighted_record(ctx, &d, o), *b = record_of(ctx, m);
            for (size_t j = 0; j < N_LAMBDAS; j++) {
                const json_t *x = json_array_get(at(a, "selection.table"), j),
                             *y = json_array_get(at(b, "selection.table"), j);
                const double tol = kit_tolerance(d.n, 1 + 1 / LAMBDAS[j]);
                CHECK_NEAR(number_at(y, "value"), number_at(x, "value"), tol);
                if (r < 3)
                    CHECK_NEAR(number_at(y, "stderr"), number_at(x, "stderr"), sqrt(tol));
            }
            json_decref(b);
            json_decref(a);
            specreg_model_free(m);
            specreg_table_free(t);
            specreg_options_free(o);
        }
    weighted_free(&d);
}

/* f = H y minimises the weighted sum: H = K (K + W^{-1} lambda sum w)^{-1}. */
static double *weighted_hat(const weighted *d, double lambda)
{
    const int64_t n = d->n;
    double *K = gram(k_rbf, &WIDTH, d->X, n, d->X, n, 2), *A = malloc((size_t)(n * n) * sizeof *A);
    double *H = malloc((size_t)(n * n) * sizeof *H);
    real *C = real_new(n * n);
    memcpy(A, K, (size_t)(n * n) * sizeof *A);
    for (int64_t i = 0; i < n; i++) {
        A[i * n + i] += lambda * weight_of(d, NULL, n) / d->w[i];
        C[i * n + i] = 1;
    }
    ref_solve(n, n, A, 0, C);
    expand(n, n, n, K, C, H);
    free(C);
    free(A);
    free(K);
    return H;
}

TEST(weights, gcv_is_the_weighted_mean_square_over_the_share_of_free_rows_squared)
{
    for (int kind = 0; kind < 4; kind++) {
        weighted d = weighted_problem(ctx, kind, 28);
        const double all = weight_of(&d, NULL, d.n);
        specreg_options *o = options_of(ctx, WEIGHTED, LAMBDA_PATH, "target", TARGETS[kind],
                                        "weights", "w", "select", "gcv", NULL);
        json_t *record = weighted_record(ctx, &d, o);
        for (int j = 0; j < N_LAMBDAS; j++) {
            const json_t *row = json_array_get(at(record, "selection.table"), (size_t)j);
            double *H = weighted_hat(&d, LAMBDAS[j]), df = 0, sum = 0;
            for (int64_t i = 0; i < d.n; i++) {
                df += H[i * d.n + i];
                for (int64_t t = 0; t < d.T; t++) {
                    double r = d.Y[i * d.T + t];
                    for (int64_t k = 0; k < d.n; k++)
                        r -= H[i * d.n + k] * d.Y[k * d.T + t];
                    sum += d.w[i] / all * r * r / (double)d.T;
                }
            }
            const double share = 1 - df / (double)d.n, tol = kit_tolerance(d.n, 1 + 1 / LAMBDAS[j]);
            CHECK_NEAR(number_at(row, "df"), df, 3 * tol);
            CHECK_WORST("gcv", fabs(number_at(row, "value") / (sum / (share * share)) - 1),
                        3 * tol / (share * share));
            free(H);
        }
        json_decref(record);
        specreg_options_free(o);
        weighted_free(&d);
    }
}

/* ------------------------------------------------------------------ by class */

/* Two fits of the same rows with the same weights, said in two ways. */
static void check_same_fit(specreg_context *ctx, const specreg_table *s, const specreg_options *a,
                           const specreg_table *t, const specreg_options *b)
{
    specreg_model *m = fitted(ctx, s, a), *n = fitted(ctx, t, b);
    specreg_table *x = predicted(ctx, m, s), *y = predicted(ctx, n, s);
    json_t *p = record_of(ctx, m), *q = record_of(ctx, n);
    check_same_table(x, y);
    CHECK(json_equal(at(p, "selection.table"), at(q, "selection.table")));
    json_decref(q);
    json_decref(p);
    specreg_table_free(y);
    specreg_table_free(x);
    specreg_model_free(n);
    specreg_model_free(m);
}

TEST(weights, class_weights_are_those_weights_in_a_column)
{
    static const char *const rules[] = {"loo", "kfold:k=3", "holdout", "gcv"};
    for (int kind = 2; kind < 4; kind++) {
        weighted d = weighted_problem(ctx, kind, 45), balanced = d, product = d;
        double size[3] = {0};
        balanced.w = malloc((size_t)d.n * sizeof *d.w);
        product.w = malloc((size_t)d.n * sizeof *d.w);
        for (int64_t i = 0; i < d.n; i++)
            size[d.class[i]]++;
        for (int64_t i = 0; i < d.n; i++) {
            balanced.w[i] = (double)d.n / ((double)d.classes * size[d.class[i]]);
            product.w[i] = d.w[i] * (d.class[i] == 0 ? 5 : d.class[i] == 1 ? 0.5 : 1);
        }
        specreg_table *b = weighted_table(ctx, &balanced, "balanced.csv", NULL, d.n, false, 1),
                      *p = weighted_table(ctx, &product, "product.csv", NULL, d.n, false, 1),
                      *plain = weighted_table(ctx, &d, "plain.csv", NULL, d.n, false, 0);
        for (int r = 0; r < 4; r++) {
            specreg_options *column = options_of(ctx, WEIGHTED, LAMBDA_PATH, "select", rules[r],
                                                 "weights", "w", NULL),
                            *by_class = options_of(ctx, WEIGHTED, LAMBDA_PATH, "select", rules[r],
                                                   "class-weight", "balanced", NULL);
            check_same_fit(ctx, plain, by_class, b, column);
            specreg_options_set(ctx, by_class, "weights", "w");
            specreg_options_set(ctx, by_class, "class-weight", "b=0.5,a=5");
            check_same_fit(ctx, d.table, by_class, p, column);
            specreg_options_free(by_class);
            specreg_options_free(column);
        }
        specreg_table_free(plain);
        specreg_table_free(p);
        specreg_table_free(b);
        free(product.w);
        free(balanced.w);
        weighted_free(&d);
    }
}

/* ------------------------------------------------------------------ path and cv */

/* The points of a path are the models that fit makes of them.  Errors that are shown, of training
 * rows as of others, count every row once. */
TEST(weights, path_shows_the_models_of_single_fits)
{
    for (int kind = 0; kind < 4; kind++) {
        weighted d = weighted_problem(ctx, kind, 30);
        specreg_options *o = options_of(ctx, WEIGHTED, "target", TARGETS[kind], "weights", "w",
                                        "param", "lambda={0.1,1e-3}", "select", "loo", NULL);
        char *text;
        CHECK_OK(ctx, specreg_path(ctx, d.table, d.table, o, &text));
        json_t *path = parsed(text);
        CHECK_STR(text_at(path, "data.weights"), "w");
        specreg_options_set(ctx, o, "select", "none");
        for (int j = 0; j < 2; j++) {
            const json_t *row = json_array_get(at(path, "table"), (size_t)j);
            specreg_options_set(ctx, o, "param", j ? "lambda=1e-3" : "lambda=0.1");
            json_t *fit = weighted_record(ctx, &d, o);
            CHECK_NEAR(number_at(row, "train_mse"), number_at(fit, "train.mse"), 1e-10);
            CHECK_NEAR(number_at(row, "test_mse"), number_at(fit, "train.mse"), 1e-10);
            if (kind > 1)
                CHECK_SAME(number_at(row, "train_error_rate"), number_at(fit, "train.error_rate"));
            json_decref(fit);
        }
        json_decref(path);
        specreg_options_free(o);
        weighted_free(&d);
    }
}

/* Outer splits by hand: fit on some rows with their weights, evaluate the others. */
TEST(weights, cv_fits_each_part_with_its_weights)
{
    enum { FOLDS = 3 };
    for (int kind = 1; kind < 4; kind++) {
        weighted d = weighted_problem(ctx, kind, 33);
        char lines[1024] = "", rule[300], *text;
        size_t used = 0;
        for (int f = 0; f < FOLDS; f++) {
            for (int i = 0; i < 33; i++)
                if (i % FOLDS != f)
                    used += (size_t)snprintf(lines + used, sizeof lines - used, "%d ", i);
            used += (size_t)snprintf(lines + used, sizeof lines - used, "\n");
        }
        snprintf(rule, sizeof rule, "splits:%s", kit_temp_file("outer.txt", lines));
        specreg_options *o = options_of(ctx, WEIGHTED, LAMBDA_PATH, "target", TARGETS[kind],
                                        "weights", "w", "select", "kfold:k=3", "outer", rule, NULL);
        if (kind > 1)
            specreg_options_set(ctx, o, "class-weight", "balanced");
        CHECK_OK(ctx, specreg_cv(ctx, d.table, o, &text));
        json_t *cv = parsed(text);
        for (int f = 0; f < FOLDS; f++) {
            int64_t part[2][64], count[2] = {0};
            for (int64_t i = 0; i < d.n; i++)
                part[i % FOLDS == f][count[i % FOLDS == f]++] = i;
            specreg_table *train, *test;
            CHECK_OK(ctx, specreg_table_select(ctx, d.table, part[0], count[0], &train));
            CHECK_OK(ctx, specreg_table_select(ctx, d.table, part[1], count[1], &test));
            specreg_model *m = fitted(ctx, train, o);
            CHECK_OK(ctx, specreg_evaluate(ctx, m, test, NULL, &text));
            json_t *e = parsed(text), *r = record_of(ctx, m);
            const json_t *fold = json_array_get(at(cv, "folds"), (size_t)f);
            CHECK_SAME(number_at(fold, "mse"), number_at(e, "test.mse"));
            CHECK_SAME(number_at(fold, "filter.lambda"), number_at(r, "filter.lambda"));
            if (kind > 1)
                CHECK_SAME(number_at(fold, "error_rate"), number_at(e, "test.error_rate"));
            json_decref(r);
            json_decref(e);
            specreg_model_free(m);
            specreg_table_free(test);
            specreg_table_free(train);
        }
        json_decref(cv);
        specreg_options_free(o);
        weighted_free(&d);
    }
}

/* Repeated rows give the spectrum that weights give, and zeros: of W^(1/2) K W^(1/2) / sum w. */
TEST(weights, the_spectrum_is_that_of_repeated_rows)
{
    weighted d = weighted_problem(ctx, 1, 20);
    char *text;
    specreg_options *o = options_of(ctx, WEIGHTED, "target", "y1,y2", "weights", "w", NULL);
    specreg_table *again = weighted_table(ctx, &d, "repeated.csv", NULL, d.n, true, 1);
    CHECK_OK(ctx, specreg_spectrum(ctx, d.table, o, &text));
    json_t *a = parsed(text);
    CHECK_OK(ctx, specreg_spectrum(ctx, again, o, &text));
    json_t *b = parsed(text);
    const double tol = kit_tolerance(2 * d.n, 1);
    for (size_t j = 0; j < 20; j++)
        CHECK_NEAR(json_number_value(json_array_get(at(a, "eigenvalues"), j)),
                   json_number_value(json_array_get(at(b, "eigenvalues"), j)), tol);
    for (size_t j = 0; j < 5; j++) /* simple eigenvalues, far apart */
        CHECK_NEAR(json_number_value(json_array_get(at(a, "target_share"), j)),
                   json_number_value(json_array_get(at(b, "target_share"), j)), 1000 * tol);
    CHECK_NEAR(number_at(a, "trace"), number_at(b, "trace"), tol);
    json_decref(b);
    json_decref(a);
    specreg_table_free(again);
    specreg_options_free(o);
    weighted_free(&d);
}
