/* The numbers that parameters are chosen by, against refits done here: leave-one-out, generalized
 * cross-validation, folds, a held-out part, a validation file; and who wins.  (A long file: the
 * slow answers and the claims about them are one thing.) */
#include "numeric/oracle.h"

#include "data/split.h"

/* A problem with its answers; classes is 0 for regression.  Kernel: rbf of width SIGMA, no
 * scaling. */
typedef struct problem {
    int64_t n, p, T, classes;
    double *X, *Y; /* Y: n x T targets, or coded classes */
    int32_t *class;
    double *K;
    specreg_table *table;
} problem;

static const double SIGMA = 1.5;
#define KERNEL "kernel", "rbf:sigma=1.5", "scale", "none"

static problem regression(specreg_context *ctx, int64_t n, int64_t T)
{
    problem d = {.n = n, .p = 2, .T = T};
    d.X = kit_normal(1, n, d.p);
    double *noise = kit_normal(2, n, T);
    d.Y = malloc((size_t)(n * T) * sizeof *d.Y);
    for (int64_t i = 0; i < n * T; i++)
        d.Y[i] =
            sin((double)(1 + i % T) * d.X[i / T * 2]) + 0.3 * d.X[i / T * 2 + 1] + 0.2 * noise[i];
    d.table = table_of(ctx, d.X, n, d.p, d.Y, T);
    d.K = gram(k_rbf, &SIGMA, d.X, n, d.X, n, d.p);
    free(noise);
    return d;
}

/* Rings that overlap: some rows are decoded wrongly whatever the parameter.  Two classes are one
 * column of -1 and 1, more are one column each. */
static problem classification(specreg_context *ctx, int64_t n, int64_t classes)
{
    problem d = {.n = n, .p = 2, .T = classes == 2 ? 1 : classes, .classes = classes};
    double *noise = kit_normal(3, n, 1), *label = malloc((size_t)n * sizeof *label);
    d.X = kit_normal(4, n, d.p);
    d.class = malloc((size_t)n * sizeof *d.class);
    d.Y = malloc((size_t)(n * d.T) * sizeof *d.Y);
    for (int64_t i = 0; i < n; i++) {
        const double r = inner(d.X + 2 * i, d.X + 2 * i, 2) + 0.4 * noise[i];
        d.class[i] = (int32_t)(r < 0.7 ? 0 : r < 2.2 || classes == 2 ? 1 : 2);
        label[i] = 10 + d.class[i];
        for (int64_t t = 0; t < d.T; t++)
            d.Y[i * d.T + t] = d.class[i] == t + (classes == 2) ? 1 : -1;
    }
    d.table = table_of(ctx, d.X, n, d.p, label, 1);
    d.K = gram(k_rbf, &SIGMA, d.X, n, d.X, n, d.p);
    free(label);
    free(noise);
    return d;
}

static void problem_free(problem *d)
{
    specreg_table_free(d->table);
    free(d->K);
    free(d->class);
    free(d->Y);
    free(d->X);
}

/* ------------------------------------------------------------------ slow answers */

typedef struct answer {
    double value, error; /* of all rows together, and its standard error from the rows' spread */
    double mse;
    double margin; /* how far the nearest score is from changing a decoded label */
} answer;

/* The class of a row's outputs, and by how much it wins. */
static int64_t decoded(const problem *d, const double *f, double *margin)
{
    if (d->classes == 2) {
        *margin = fabs(f[0]);
        return f[0] > 0;
    }
    int64_t best = 0;
    for (int64_t c = 1; c < d->classes; c++)
        best = f[c] > f[best] ? c : best;
    *margin = INFINITY;
    for (int64_t c = 0; c < d->classes; c++)
        *margin = c == best ? *margin : fmin(*margin, f[best] - f[c]);
    return best;
}

/* Predictions F of the rows `row` (NULL: all) against their answers. */
static answer judge(const problem *d, const double *F, const int64_t *row, int64_t m)
{
    answer a = {.margin = INFINITY};
    double squares = 0, wrong = 0;
    for (int64_t i = 0; i < m; i++) {
        const int64_t r = row ? row[i] : i;
        double loss = 0, margin;
        for (int64_t t = 0; t < d->T; t++)
            loss += pow(F[i * d->T + t] - d->Y[r * d->T + t], 2) / (double)d->T;
        a.mse += loss / (double)m;
        squares += loss * loss / (double)m;
        if (d->classes) {
            wrong += decoded(d, F + i * d->T, &margin) != d->class[r];
            a.margin = fmin(a.margin, margin);
        }
    }
    a.value = d->classes ? wrong / (double)m : a.mse;
    a.error = d->classes ? sqrt(a.value * (1 - a.value) / (double)m)
                         : sqrt(fmax(0, squares - a.mse * a.mse) / (double)m);
    return a;
}

/* Trains on some rows and predicts others; the filter's matrix is K/n_train. */
static double *refit(const problem *d, train_fn *train, double param, const int64_t *row, int64_t n,
                     const int64_t *out, int64_t m)
{
    double *K = malloc((size_t)(n * n) * sizeof *K), *Y = malloc((size_t)(n * d->T) * sizeof *Y);
    double *Kout = malloc((size_t)(m * n) * sizeof *K);
    double *F = malloc((size_t)(m * d->T) * sizeof *F);
    real *alpha = real_new(n * d->T);
    for (int64_t i = 0; i < n; i++) {
        memcpy(Y + i * d->T, d->Y + row[i] * d->T, (size_t)d->T * sizeof *Y);
        for (int64_t j = 0; j < n; j++)
            K[i * n + j] = d->K[row[i] * d->n + row[j]];
    }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            Kout[i * n + j] = d->K[out[i] * d->n + row[j]];
    train(n, d->T, K, Y, param, alpha);
    expand(m, n, d->T, Kout, alpha, F);
    free(alpha);
    free(Kout);
    free(Y);
    free(K);
    return F;
}

/* n refits without row i, each with n lambda (n the full size) added to its matrix. */
static answer brute_loo(const problem *d, double lambda)
{
    int64_t rest[256];
    double *F = malloc((size_t)(d->n * d->T) * sizeof *F);
    for (int64_t i = 0; i < d->n; i++) {
        for (int64_t j = 0; j < d->n - 1; j++)
            rest[j] = j + (j >= i);
        /* train_tikhonov adds (n-1) lambda' */
        double *f = refit(d, train_tikhonov, lambda * (double)d->n / (double)(d->n - 1), rest,
                          d->n - 1, &i, 1);
        memcpy(F + i * d->T, f, (size_t)d->T * sizeof *F);
        free(f);
    }
    const answer a = judge(d, F, NULL, d->n);
    free(F);
    return a;
}

/* y - (y - f) / (1 - H_ii), with H formed explicitly; *df is its trace. */
static answer hat_loo(const problem *d, train_fn *train, double param, double *df)
{
    double *H = hat_matrix(train, d->n, d->K, param);
    double *F = malloc((size_t)(d->n * d->T) * sizeof *F);
    *df = 0;
    for (int64_t i = 0; i < d->n; i++) {
        *df += H[i * d->n + i];
        for (int64_t t = 0; t < d->T; t++) {
            double f = 0;
            for (int64_t j = 0; j < d->n; j++)
                f += H[i * d->n + j] * d->Y[j * d->T + t];
            const double y = d->Y[i * d->T + t];
            F[i * d->T + t] = y - (y - f) / (1 - H[i * d->n + i]);
        }
    }
    const answer a = judge(d, F, NULL, d->n);
    free(F);
    free(H);
    return a;
}

/* (1/nT) |(I - H) Y|^2 / (tr(I - H) / n)^2 */
static double hat_gcv(const problem *d, train_fn *train, double param, double *df)
{
    double *H = hat_matrix(train, d->n, d->K, param), sum = 0;
    const double n = (double)d->n;
    *df = 0;
    for (int64_t i = 0; i < d->n; i++) {
        *df += H[i * d->n + i];
        for (int64_t t = 0; t < d->T; t++) {
            double r = d->Y[i * d->T + t];
            for (int64_t j = 0; j < d->n; j++)
                r -= H[i * d->n + j] * d->Y[j * d->T + t];
            sum += r * r;
        }
    }
    free(H);
    return sum / (n * (double)d->T) / pow((n - *df) / n, 2);
}

/* Refits on the splits: the value of all held-out rows together; its error from the folds' spread
 * where there are several. */
static answer split_answer(const problem *d, train_fn *train, double param, const sri_splits *s)
{
    answer all = {.margin = INFINITY};
    double rows = 0, sum = 0, sum2 = 0;
    for (int64_t k = 0; k < s->count; k++) {
        const sri_split *part = &s->split[k];
        const double m = (double)part->n_validate;
        double *F =
            refit(d, train, param, part->train, part->n_train, part->validate, part->n_validate);
        const answer a = judge(d, F, part->validate, part->n_validate);
        free(F);
        rows += m;
        all.value += m * a.value;
        all.mse += m * a.mse;
        all.error = a.error;
        all.margin = fmin(all.margin, a.margin);
        sum += a.value;
        sum2 += a.value * a.value;
    }
    all.value /= rows;
    all.mse /= rows;
    const double k = (double)s->count;
    if (s->count > 1) /* sample deviation of the folds' values, over sqrt(k) */
        all.error = sqrt(fmax(0, (sum2 - sum * sum / k) / (k - 1)) / k);
    return all;
}

/* ---------------------------------------------------------------------- checking */

static json_t *fit_record(specreg_context *ctx, const problem *d, specreg_options *o)
{
    specreg_model *model;
    if (d->T > 1 && !d->classes)
        CHECK_OK(ctx, specreg_options_set(ctx, o, "target", "y1,y2"));
    CHECK_OK(ctx, specreg_fit(ctx, d->table, o, &model));
    json_t *record = record_of(ctx, model);
    specreg_model_free(model);
    return record;
}

/* A row of the table: its value and standard error.  An error rate is exact as long as no score is
 * within rounding of changing a label. */
static void check_row(const problem *d, const char *name, const json_t *row, const answer *a,
                      double tol)
{
    const double size = fmax(1, a->value);
    CHECK(a->margin > 10 * tol);
    CHECK_WORST(name, fabs(number_at(row, "value") - a->value) / size,
                d->classes ? 1e-15 : 4 * tol);
    /* an error is a root: of a difference of rounding size tol, sqrt(tol) at worst */
    CHECK_WORST("standard error", fabs(number_at(row, "stderr") - a->error),
                a->error > 1e-3 ? 8 * tol / a->error : sqrt(tol));
}

static const double LAMBDAS[] = {1, 0.1, 1e-2, 1e-3, 1e-5};
#define LAMBDA_PATH "param", "lambda={1,0.1,1e-2,1e-3,1e-5}"
enum { N_LAMBDAS = 5 };

static const char *const KINDS[] = {"two targets", "two classes", "three classes"};

static problem make(specreg_context *ctx, int kind, int64_t n)
{
    return kind == 0 ? regression(ctx, n, 2) : classification(ctx, n, kind + 1);
}

static void check_loo(specreg_context *ctx, int kind, const char *engine)
{
    problem d = make(ctx, kind, 30);
    specreg_options *o =
        options_of(ctx, KERNEL, LAMBDA_PATH, "select", "loo", "engine", engine, NULL);
    json_t *record = fit_record(ctx, &d, o);
    CHECK_STR(text_at(record, "selection.method"), "loo");
    CHECK_STR(text_at(record, "selection.criterion"), kind ? "error_rate" : "mse");
    CHECK_STR(text_at(record, "engine"), engine);
    CHECK(json_is_true(at(record, "selection.exact")));
    const json_t *table = at(record, "selection.table");
    CHECK_EQ(json_array_size(table), N_LAMBDAS);
    int64_t best = 0;
    answer lead = {0};
    for (int64_t j = 0; j < N_LAMBDAS; j++) {
        const json_t *row = json_array_get(table, (size_t)j);
        const answer a = brute_loo(&d, LAMBDAS[j]);
        double df;
        const double tol = kit_tolerance(d.n, 1 + 1 / LAMBDAS[j]);
        hat_loo(&d, train_tikhonov, LAMBDAS[j], &df);
        CHECK_SAME(number_at(row, "lambda"), LAMBDAS[j]);
        check_row(&d, "leave-one-out", row, &a, tol);
        CHECK_NEAR(number_at(row, "df"), df, tol);
        if (j == 0 || a.value < lead.value || (a.value == lead.value && a.mse < lead.mse)) {
            best = j;
            lead = a;
        }
    }
    CHECK_SAME(number_at(record, "filter.lambda"), LAMBDAS[best]);
    CHECK_SAME(number_at(record, "selection.value"),
               number_at(json_array_get(table, (size_t)best), "value"));
    json_decref(record);
    specreg_options_free(o);
    problem_free(&d);
}

TEST(selection, leave_one_out_equals_refits_without_each_row)
{
    for (int kind = 0; kind < 3; kind++) {
        print_message("  %s\n", KINDS[kind]);
        check_loo(ctx, kind, "eig");
        check_loo(ctx, kind, "cholesky");
    }
}

TEST(selection, gcv_equals_the_hat_matrix_formula)
{
    static const double T_VALUES[] = {1, 7, 40};
    for (int kind = 0; kind < 3; kind++)
        for (int other = 0; other < 3; other++) {
            train_fn *train = other == 0   ? train_tikhonov
                              : other == 1 ? train_landweber
                                           : train_nu1;
            problem d = make(ctx, kind, 26);
            specreg_options *o = options_of(ctx, KERNEL, "select", "gcv", NULL);
            specreg_options_set(ctx, o, "filter",
                                other == 0   ? "tikhonov"
                                : other == 1 ? "landweber"
                                             : "nu");
            specreg_options_set(ctx, o, "param",
                                other ? "t={1,7,40}" : "lambda={1,0.1,1e-2,1e-3,1e-5}");
            json_t *record = fit_record(ctx, &d, o);
            CHECK_STR(text_at(record, "selection.criterion"), "gcv");
            const json_t *table = at(record, "selection.table");
            CHECK_EQ(json_array_size(table), other ? 3 : N_LAMBDAS);
            for (size_t j = 0; j < json_array_size(table); j++) {
                const json_t *row = json_array_get(table, j);
                const double param = other ? T_VALUES[j] : LAMBDAS[j];
                double df;
                const double expected = hat_gcv(&d, train, param, &df);
                const double share = 1 - df / (double)d.n; /* rounding is amplified by 1/share^2 */
                const double cond = other ? param : 1 + 1 / param;
                CHECK_WORST("gcv", fabs(number_at(row, "value") - expected) / expected,
                            kit_tolerance(d.n, cond) / (share * share));
                CHECK_NEAR(number_at(row, "df"), df, kit_tolerance(d.n, cond));
                CHECK(json_is_null(at(row, "stderr")));
            }
            json_decref(record);
            specreg_options_free(o);
            problem_free(&d);
        }
}

TEST(selection, leave_one_out_of_landweber_is_the_residual_over_the_slack)
{
    static const double T_VALUES[] = {1, 5, 30, 200};
    for (int kind = 0; kind < 3; kind++) {
        problem d = make(ctx, kind, 30);
        specreg_options *o = options_of(ctx, KERNEL, "filter", "landweber", "param",
                                        "t={1,5,30,200}", "select", "loo", NULL);
        json_t *record = fit_record(ctx, &d, o);
        CHECK(json_is_false(at(record, "selection.exact"))); /* and the record says so */
        for (int64_t j = 0; j < 4; j++) {
            double df;
            const answer a = hat_loo(&d, train_landweber, T_VALUES[j], &df);
            const double share = 1 - df / (double)d.n;
            const json_t *row = json_array_get(at(record, "selection.table"), (size_t)j);
            check_row(&d, "leave-one-out, landweber", row, &a,
                      kit_tolerance(d.n, T_VALUES[j]) / (share * share));
            CHECK_NEAR(number_at(row, "df"), df, kit_tolerance(d.n, T_VALUES[j]));
        }
        json_decref(record);
        specreg_options_free(o);
        problem_free(&d);
    }
}

/* Rules that train on some rows and look at others, by refits on the same rows. */
static void check_splits(specreg_context *ctx, int kind, const char *rule, bool folds,
                         const char *filter, train_fn *train, const char *engine)
{
    static const double T_VALUES[] = {1, 6, 50};
    problem d = make(ctx, kind, 33); /* folds of 7 and 6 rows: n_train differs */
    sri_splits s;
    const bool steps = train != train_tikhonov;
    specreg_options *o =
        options_of(ctx, KERNEL, "select", rule, "seed", "7", "filter", filter, "engine", engine,
                   "param", steps ? "t={1,6,50}" : "lambda={1,0.1,1e-2,1e-3,1e-5}", NULL);
    json_t *record = fit_record(ctx, &d, o);
    const sri_strata strata = {.n = d.n, .classes = d.class, .n_classes = d.classes, .seed = 7};
    if (folds)
        CHECK_OK(ctx, sri_splits_kfold(ctx, &strata, 5, 1, &s));
    else
        CHECK_OK(ctx, sri_splits_holdout(ctx, &strata, 0.4, &s));
    const int64_t count = steps ? 3 : N_LAMBDAS;
    CHECK_EQ(json_array_size(at(record, "selection.table")), count);
    int64_t best = 0;
    answer lead = {0};
    for (int64_t j = 0; j < count; j++) {
        const double param = steps ? T_VALUES[j] : LAMBDAS[j];
        const answer a = split_answer(&d, train, param, &s);
        check_row(&d, folds ? "folds" : "held-out part",
                  json_array_get(at(record, "selection.table"), (size_t)j), &a,
                  kit_tolerance(d.n, steps ? param : 1 + 1 / param));
        if (j == 0 || a.value < lead.value || (a.value == lead.value && a.mse < lead.mse)) {
            best = j;
            lead = a;
        }
    }
    CHECK_SAME(number_at(record, steps ? "filter.t" : "filter.lambda"),
               steps ? T_VALUES[best] : LAMBDAS[best]);
    sri_splits_free(&s);
    json_decref(record);
    specreg_options_free(o);
    problem_free(&d);
}

TEST(selection, folds_equal_refits_with_the_same_lambda)
{
    for (int kind = 0; kind < 3; kind++) {
        check_splits(ctx, kind, "kfold", true, "tikhonov", train_tikhonov, "eig");
        check_splits(ctx, kind, "kfold:k=5", true, "tikhonov", train_tikhonov, "cholesky");
        check_splits(ctx, kind, "kfold:k=5", true, "landweber", train_landweber, "iterate");
        check_splits(ctx, kind, "kfold:k=5", true, "landweber", train_landweber, "krylov");
        check_splits(ctx, kind, "kfold:k=5", true, "nu", train_nu1, "auto");
    }
}

TEST(selection, a_held_out_part_equals_a_refit)
{
    for (int kind = 0; kind < 3; kind++) {
        check_splits(ctx, kind, "holdout:fraction=0.4", false, "tikhonov", train_tikhonov, "auto");
        check_splits(ctx, kind, "holdout:fraction=0.4", false, "nu", train_nu1, "iterate");
    }
}

TEST(selection, another_seed_gives_other_folds)
{
    problem d = regression(ctx, 33, 1);
    double value[3];
    static const char *const seeds[] = {"1", "2", "1"};
    for (int i = 0; i < 3; i++) {
        specreg_options *o =
            options_of(ctx, KERNEL, LAMBDA_PATH, "select", "kfold", "seed", seeds[i], NULL);
        json_t *record = fit_record(ctx, &d, o);
        value[i] = number_at(record, "selection.table.2.value");
        json_decref(record);
        specreg_options_free(o);
    }
    CHECK(value[0] != value[1]);
    CHECK_SAME(value[2], value[0]);
    problem_free(&d);
}

/* The validation rows are scaled with the training rows' mean and deviation, and all training rows
 * train. */
TEST(selection, a_validation_file_is_scored_by_the_model_of_all_rows)
{
    enum { N = 25, M = 9, P = 2 };
    double *X = kit_normal(8, N + M, P), *y = smooth_target(X, N + M, P, 0.2, 9);
    FILE *f = fopen(kit_temp("val,a=b.csv"), "w"); /* a name that a spec would split */
    fprintf(f, "y,x2,x1\n");                       /* another order of columns */
    for (int64_t i = N; i < N + M; i++)
        fprintf(f, "%.17g,%.17g,%.17g\n", y[i], X[i * P + 1], X[i * P]);
    fclose(f);
    char rule[1024];
    snprintf(rule, sizeof rule, "file:%s", kit_temp("val,a=b.csv"));
    f = fopen(kit_temp("train.csv"), "w");
    fprintf(f, "x1,x2,y\n");
    for (int64_t i = 0; i < N; i++)
        fprintf(f, "%.17g,%.17g,%.17g\n", X[i * P], X[i * P + 1], y[i]);
    fclose(f);
    specreg_table *train;
    specreg_model *model;
    specreg_options *o =
        options_of(ctx, "kernel", "rbf:sigma=1.5", LAMBDA_PATH, "select", rule, NULL);
    CHECK_OK(ctx, specreg_table_read(ctx, kit_temp("train.csv"), NULL, &train));
    CHECK_OK(ctx, specreg_fit(ctx, train, o, &model));
    json_t *record = record_of(ctx, model);
    CHECK_STR(text_at(record, "selection.method"), "file");
    for (int64_t j = 0; j < P; j++)
        standardize(X, N, N + M, P, j);
    problem d = {.n = N + M, .p = P, .T = 1, .Y = y};
    d.K = gram(k_rbf, &SIGMA, X, N + M, X, N + M, P);
    int64_t rows[N + M];
    for (int64_t i = 0; i < N + M; i++)
        rows[i] = i;
    const sri_splits s = {&(sri_split){rows, rows + N, N, M}, 1};
    for (int64_t j = 0; j < N_LAMBDAS; j++) {
        const answer a = split_answer(&d, train_tikhonov, LAMBDAS[j], &s);
        check_row(&d, "validation file", json_array_get(at(record, "selection.table"), (size_t)j),
                  &a, kit_tolerance(N, 1 + 1 / LAMBDAS[j]));
    }
    free(d.K);
    json_decref(record);
    specreg_model_free(model);
    specreg_table_free(train);
    specreg_options_free(o);
    free(y);
    free(X);
}

TEST(selection, a_validation_file_that_is_not_there_is_named)
{
    problem d = regression(ctx, 10, 1);
    specreg_model *model;
    specreg_options *o = options_of(ctx, KERNEL, LAMBDA_PATH, "select", "file:no/such.csv", NULL);
    CHECK_FAILS(ctx, specreg_fit(ctx, d.table, o, &model), SPECREG_E_IO, "no/such.csv");
    CHECK(!model);
    specreg_options_free(o);
    problem_free(&d);
}

/* ------------------------------------------------------------------------ who wins */

/* Thresholds between the same two eigenvalues give the same model, to the bit. */
TEST(selection, of_equal_models_the_smoother_one_wins)
{
    problem d = regression(ctx, 20, 1);
    real s[20], Q[400];
    ref_jacobi(d.n, d.K, s, Q);
    const double a = (double)(s[2] + 0.1L * (s[1] - s[2])),
                 b = (double)(s[2] + 0.9L * (s[1] - s[2]));
    char param[128];
    snprintf(param, sizeof param, "lambda={%.17g,%.17g}", a, b);
    specreg_options *o =
        options_of(ctx, KERNEL, "filter", "tsvd", "param", param, "select", "gcv", NULL);
    static const char *const rules[] = {"gcv", "loo", "kfold", "holdout"};
    for (int i = 0; i < 4; i++) {
        specreg_options_set(ctx, o, "select", rules[i]);
        json_t *record = fit_record(ctx, &d, o);
        if (i < 2) /* on the folds the spectrum is another one */
            CHECK_SAME(number_at(record, "selection.table.0.value"),
                       number_at(record, "selection.table.1.value"));
        if (number_at(record, "selection.table.0.value") ==
            number_at(record, "selection.table.1.value"))
            CHECK_SAME(number_at(record, "filter.lambda"), b);
        json_decref(record);
    }
    specreg_options_free(o);
    problem_free(&d);
}

/* All rows alike: every width gives the matrix of ones. */
TEST(selection, of_equal_kernels_the_wider_one_wins)
{
    double x[12] = {0}, *y = kit_normal(5, 12, 1);
    specreg_table *t = table_of(ctx, x, 12, 1, y, 1);
    specreg_model *model;
    static const char *const rules[] = {"loo", "gcv", "kfold"};
    for (int i = 0; i < 3; i++) {
        specreg_options *o = options_of(ctx, "kernel", "rbf:sigma={1,4,2}", "param",
                                        "lambda={0.1,1,10}", "select", rules[i], NULL);
        CHECK_OK(ctx, specreg_fit(ctx, t, o, &model));
        json_t *record = record_of(ctx, model);
        CHECK_SAME(number_at(record, "selection.table.0.value"),
                   number_at(record, "selection.table.3.value"));
        CHECK_SAME(number_at(record, "kernel.sigma"), 4);
        json_decref(record);
        specreg_model_free(model);
        specreg_options_free(o);
    }
    specreg_table_free(t);
    free(y);
}

TEST(selection, equal_error_rates_are_decided_by_the_squared_error)
{
    /* two clouds far apart: every lambda decodes every row correctly */
    enum { N = 16 };
    double *X = kit_normal(6, N, 1), y[N];
    for (int64_t i = 0; i < N; i++) {
        y[i] = i % 2 ? 1 : -1;
        X[i] = 0.3 * X[i] + 5 * y[i];
    }
    specreg_table *t = table_of(ctx, X, N, 1, y, 1);
    specreg_model *model;
    specreg_options *o =
        options_of(ctx, KERNEL, "param", "lambda={1,0.1,1e-3}", "select", "loo", NULL);
    CHECK_OK(ctx, specreg_fit(ctx, t, o, &model));
    json_t *record = record_of(ctx, model);
    problem d = {.n = N, .p = 1, .T = 1, .Y = y, .K = gram(k_rbf, &SIGMA, X, N, X, N, 1)};
    double best = INFINITY, lambda = 0;
    for (int j = 0; j < 3; j++) {
        CHECK_SAME(number_at(json_array_get(at(record, "selection.table"), (size_t)j), "value"), 0);
        const double candidate = j == 0 ? 1 : j == 1 ? 0.1 : 1e-3;
        const answer a = brute_loo(&d, candidate);
        if (a.mse < best) {
            best = a.mse;
            lambda = candidate;
        }
    }
    CHECK(lambda < 1); /* the smoothest would have won a plain tie */
    CHECK_SAME(number_at(record, "filter.lambda"), lambda);
    free(d.K);
    json_decref(record);
    specreg_model_free(model);
    specreg_options_free(o);
    specreg_table_free(t);
    free(X);
}

/* -------------------------------------------------------------------- grids and rules */

TEST(selection, none_with_several_values_says_what_to_give)
{
    problem d = regression(ctx, 12, 1);
    specreg_model *model;
    static const char *const bad[][3] = {
        {"rbf:sigma=1", "lambda={1,2}", "tikhonov"},
        {"rbf:sigma={1,2}", "lambda=1", "tikhonov"},
        {"rbf", "lambda=1", "tikhonov"},
        {"rbf:sigma=1", "auto", "tikhonov"},
        {"rbf:sigma=1", "auto", "landweber"},
    };
    for (int i = 0; i < 5; i++) {
        specreg_options *o = options_of(ctx, "kernel", bad[i][0], "param", bad[i][1], "filter",
                                        bad[i][2], "select", "none", NULL);
        CHECK_FAILS(ctx, specreg_fit(ctx, d.table, o, &model), SPECREG_E_ARG,
                    "every parameter must be a single value");
        CHECK_HAS(specreg_last_error(ctx), i == 4 ? "--param t=VALUE" : "--param lambda=VALUE");
        CHECK(!model);
        specreg_options_free(o);
    }
    problem_free(&d);
}

/* Every combination once: kernels outside, the path inside. */
TEST(selection, the_table_is_the_product_of_all_lists)
{
    problem d = regression(ctx, 14, 1);
    static const struct {
        const char *kernel, *param;
        int64_t kernels, points;
    } grids[] = {
        {"rbf:sigma={1,2,4}", "lambda=log:1e-3:1:4", 3, 4},
        {"matern:nu={0.5,1.5,2.5},sigma={1,2}", "lambda={0.1,1}", 6, 2},
        {"poly:degree={1,2},coef0={0,1,2},gamma={0.5,1}", "lambda={0.1,1}", 12, 2},
        {"rbf:sigma={1,2} + 0.5*laplace:sigma={1,2,3}", "lambda=1", 6, 1},
        {"rbf", "lambda=1", 11, 1},
        {"rbf:sigma={2,2}", "lambda={1,1}", 2, 1}, /* a path has each value once */
    };
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
        specreg_options *o = options_of(ctx, "kernel", grids[g].kernel, "param", grids[g].param,
                                        "select", "loo", NULL);
        json_t *record = fit_record(ctx, &d, o);
        const json_t *table = at(record, "selection.table");
        CHECK_EQ(json_array_size(table), grids[g].kernels * grids[g].points);
        for (size_t i = 0; i < json_array_size(table) && g < 5; i++)
            for (size_t j = 0; j < i; j++) {
                const json_t *a = json_array_get(table, i), *b = json_array_get(table, j);
                CHECK(!json_equal(at(a, "kernel"), at(b, "kernel")) ||
                      number_at(a, "lambda") != number_at(b, "lambda"));
            }
        json_t *best = NULL, *row;
        size_t i;
        json_array_foreach (table, i, row)
            if (!best || number_at(row, "value") < number_at(best, "value"))
                best = row;
        CHECK(json_equal(at(record, "kernel"), at(best, "kernel")));
        CHECK_SAME(number_at(record, "filter.lambda"), number_at(best, "lambda"));
        json_decref(record);
        specreg_options_free(o);
    }
    problem_free(&d);
}

/* fit and path say the rule in selection.method, plan in selection. */
static void check_auto(specreg_context *ctx, const specreg_table *t, const char *kernel,
                       const char *filter, const char *param, const char *engine, const char *rule)
{
    specreg_options *o =
        options_of(ctx, "kernel", kernel, "filter", filter, "param", param, "engine", engine, NULL);
    char *text;
    CHECK_OK(ctx, specreg_plan(ctx, t, o, &text));
    json_t *plan = parsed(text);
    CHECK_STR(text_at(plan, "selection"), rule);
    json_decref(plan);
    if (specreg_table_rows(t) < 100) {
        specreg_model *model;
        CHECK_OK(ctx, specreg_fit(ctx, t, o, &model));
        json_t *record = record_of(ctx, model);
        CHECK_STR(text_at(record, "selection.method"), rule);
        json_decref(record);
        specreg_model_free(model);
        CHECK_OK(ctx, specreg_path(ctx, t, NULL, o, &text));
        record = parsed(text);
        CHECK_STR(text_at(record, "selection.method"), rule);
        json_decref(record);
    }
    specreg_options_free(o);
}

TEST(selection, auto_is_none_for_single_values_loo_for_tikhonov_up_to_2000_rows_else_kfold)
{
    problem d = regression(ctx, 20, 1);
    check_auto(ctx, d.table, "rbf:sigma=1", "tikhonov", "lambda=1", "auto", "none");
    check_auto(ctx, d.table, "linear", "landweber", "t=10", "auto", "none");
    check_auto(ctx, d.table, "linear", "tikhonov", "auto", "auto", "loo");
    check_auto(ctx, d.table, "rbf", "tikhonov", "lambda=1", "auto", "loo"); /* widths to compare */
    check_auto(ctx, d.table, "linear", "landweber", "auto", "auto", "kfold");
    check_auto(ctx, d.table, "linear", "tsvd", "auto", "auto", "kfold");
    check_auto(ctx, d.table, "linear", "cg", "auto", "auto", "kfold");
    /* engines that know no leverages */
    check_auto(ctx, d.table, "rbf:sigma=1", "tikhonov", "lambda={0.1,1}", "krylov", "kfold");
    problem_free(&d);
    double *X = kit_normal(1, 2001, 1), *y = smooth_target(X, 2001, 1, 0.1, 2);
    for (int64_t n = 2000; n <= 2001; n++) {
        specreg_table *t = table_of(ctx, X, n, 1, y, 1);
        check_auto(ctx, t, "linear", "tikhonov", "auto", "auto", n == 2000 ? "loo" : "kfold");
        specreg_table_free(t);
    }
    free(y);
    free(X);
}

/* The rule's value stands beside the point it belongs to, also where the folds are too small for
 * the whole of a path that depends on the number of rows. */
TEST(selection, path_and_fit_and_plan_agree_on_the_points)
{
    static const char *const filters[][2] = {{"cg", "auto"},
                                             {"tsvd", "components=auto"},
                                             {"tikhonov", "auto"},
                                             {"landweber", "auto"}};
    problem d = classification(ctx, 43, 2);
    for (int f = 0; f < 4; f++)
        for (int rule = 0; rule < 2; rule++) {
            specreg_options *o =
                options_of(ctx, "kernel", "rbf:sigma={1,2}", "filter", filters[f][0], "param",
                           filters[f][1], "select", rule ? "holdout" : "kfold", NULL);
            char *text;
            json_t *fit = fit_record(ctx, &d, o);
            CHECK_OK(ctx, specreg_path(ctx, d.table, d.table, o, &text));
            json_t *path = parsed(text);
            CHECK_OK(ctx, specreg_plan(ctx, d.table, o, &text));
            json_t *plan = parsed(text);
            const char *name = f == 2 ? "lambda" : f == 1 ? "components" : "t";
            const json_t *a = at(fit, "selection.table"), *b = at(path, "table");
            CHECK_EQ(json_array_size(b), json_array_size(a));
            CHECK_EQ(number_at(plan, "path_points") * number_at(plan, "kernel_candidates"),
                     json_array_size(a));
            for (size_t i = 0; i < json_array_size(a); i++) {
                const json_t *x = json_array_get(a, i), *y = json_array_get(b, i);
                CHECK_SAME(number_at(y, name), number_at(x, name));
                CHECK_SAME(number_at(y, "value"), number_at(x, "value"));
                CHECK(json_equal(at(y, "kernel"), at(x, "kernel")));
                /* the training rows were given as test rows */
                CHECK_NEAR(number_at(y, "test_mse"), number_at(y, "train_mse"), 1e-6);
            }
            json_decref(plan);
            json_decref(path);
            json_decref(fit);
            specreg_options_free(o);
        }
    problem_free(&d);
}
