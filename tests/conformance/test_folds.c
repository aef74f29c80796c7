/* Every engine that gives leave-a-fold-out residuals without refits, against refits: for each fold
 * the submatrix of the other rows is cut out here, its path run by the decomposition (itself
 * checked in test_engines.c), and the fold's rows predicted by a plain loop.  A row of weight 3
 * is there three times. */
#include "kit/job.h"
#include "kit/kit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { N = 61, T = 3, FOLDS = 4, REPEATS = 2 };

typedef struct keep { /* all of a path's coefficients and fold residuals */
    sri_sink base;
    int64_t n, repeats;
    double *alpha, *held; /* count x (n x T), count x (REPEATS x n x T) */
} keep;

static specreg_status keep_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    keep *k = (keep *)self;
    const size_t size = (size_t)(k->n * T);
    memcpy(k->alpha + (size_t)point->index * size, point->alpha, size * sizeof(double));
    if (point->fold_residual)
        memcpy(k->held + (size_t)point->index * REPEATS * size, point->fold_residual,
               (size_t)k->repeats * size * sizeof(double));
    return SPECREG_OK;
}

static keep keep_new(int64_t n, int64_t count, int64_t repeats)
{
    keep k = {.base = {.put = keep_put}, .n = n, .repeats = repeats};
    k.alpha = calloc((size_t)(n * T * count), sizeof(double));
    k.held = calloc((size_t)(n * T * count * REPEATS), sizeof(double));
    return k;
}

static void keep_free(keep *k)
{
    free(k->alpha);
    free(k->held);
}

/* Folds of unequal size: 1 row, a few, many, the rest; twice. */
static void unequal_folds(int32_t *fold)
{
    for (int i = 0; i < N; i++) {
        fold[i] = i == 7 ? 0 : i % 5 == 1 ? 1 : i % 2 == 0 ? 2 : 3;
        fold[N + i] = i < 20 ? 3 : i % 3;
    }
}

/* What refits say: out is count x (REPEATS x N x T), of which this fills one repeat. */
static void refit(specreg_context *ctx, const double *K, const double *Y, const double *weight,
                  const int32_t *fold, const sri_filter *filter, const double *param, int64_t count,
                  double *out)
{
    for (int32_t f = 0; f < FOLDS; f++) {
        int row[3 * N], m = 0;
        for (int i = 0; i < N; i++)
            for (int times = 0; fold[i] != f && times < (weight ? (int)weight[i] : 1); times++)
                row[m++] = i;
        double *Ks = malloc(sizeof(double) * (size_t)(m * m));
        double *Ys = malloc(sizeof(double) * (size_t)(m * T));
        for (int a = 0; a < m; a++) {
            for (int b = 0; b < m; b++)
                Ks[a * m + b] = K[row[a] * N + row[b]];
            memcpy(Ys + a * T, Y + row[a] * T, T * sizeof(double));
        }
        sri_op *op = NULL;
        CHECK_OK(ctx, kit_op_matrix(ctx, Ks, m, &op));
        keep k = keep_new(m, count, 0);
        sri_report report = {0};
        sri_job job = kit_job(op, Ys, T, filter, param, count);
        CHECK_OK(ctx, sri_engine_run(ctx, &sri_engine_eig, &job, &k.base, &report));
        for (int64_t j = 0; j < count; j++)
            for (int i = 0; i < N; i++)
                for (int t = 0; fold[i] == f && t < T; t++) {
                    double sum = 0;
                    for (int a = 0; a < m; a++)
                        sum += K[i * N + row[a]] * k.alpha[(j * m + a) * T + t];
                    out[(j * REPEATS * N + i) * T + t] = Y[i * T + t] - sum;
                }
        keep_free(&k);
        sri_op_free(op);
        free(Ys);
        free(Ks);
    }
}

/* How rounding grows: g at 0 times |K/n|, the condition of the filter. */
static double condition(const sri_filter *filter, double param, double norm)
{
    double g, r;
    filter->ops->eval(filter, 0, &param, 1, &g, &r);
    return 1 + g * norm;
}

/* Two given splits: overlapping rows are held out, some in both, some in none (-1). */
static void given_splits(int32_t *fold)
{
    for (int i = 0; i < N; i++) {
        fold[i] = i % 4 == 0 ? 0 : -1;
        fold[N + i] = i > 10 && i < 45 ? 0 : -1;
    }
}

static void check_folds(specreg_context *ctx, const char *text, const double *param, int64_t count,
                        const double *K, const double *Y, const double *weight, const char *data,
                        const int32_t *fold, int64_t folds)
{
    sri_filter filter;
    sri_op *op = NULL;
    CHECK_OK(ctx, sri_filter_parse(ctx, text, &filter));
    if (strstr(text, "lambda="))
        filter.path = SRI_PATH_ORDER;
    CHECK_OK(ctx, kit_op_matrix(ctx, K, N, &op));
    CHECK_OK(ctx, sri_filter_prepare(ctx, &filter, op));
    if (weight)
        CHECK_OK(ctx, sri_op_weighted(ctx, op, weight, &op));
    double *expected = calloc((size_t)(count * REPEATS * N * T), sizeof(double)), norm = 0, y = 0;
    for (int r = 0; r < REPEATS; r++)
        refit(ctx, K, Y, weight, fold + r * N, &filter, param, count, expected + r * N * T);
    for (int i = 0; i < N; i++)
        norm += K[i * N + i] / N; /* the trace bounds the norm of K/n */
    for (int i = 0; i < N * T; i++)
        y = fmax(y, fabs(Y[i]));
    int served = 0;
    for (int run = 0; sri_engine_at(run / REPEATS); run++) { /* each engine, one repeat and all */
        const sri_engine *engine = sri_engine_at(run / REPEATS);
        const int repeats = run % REPEATS + 1;
        sri_job job = kit_job(op, Y, T, &filter, param, count);
        kit_job_folds(&job, fold, folds, repeats);
        if (engine->refuses(&job))
            continue;
        served++;
        keep k = keep_new(N, count, repeats);
        sri_report report = {0};
        CHECK_OK(ctx, sri_engine_run(ctx, engine, &job, &k.base, &report));
        for (int64_t j = 0; j < count; j++) {
            char name[128];
            const double c = condition(&filter, param[j], norm);
            const double krylov = engine == &sri_engine_krylov ? 1e-12 * N * c : 0;
            snprintf(name, sizeof name, "%s, %s, %s%s", text, engine->name, data,
                     weight ? ", weighted" : "");
            const int size = REPEATS * N * T;
            CHECK_WORST(name,
                        kit_distance(k.held + j * size, expected + j * size, repeats * N * T) / y,
                        kit_tolerance(N, c) + krylov);
        }
        keep_free(&k);
    }
    CHECK(served > 0);
    free(expected);
    sri_op_free(op);
}

static void check(specreg_context *ctx, const char *text, const double *param, int64_t count,
                  const double *K, const double *Y, const double *weight, const char *data)
{
    int32_t fold[REPEATS * N];
    unequal_folds(fold);
    check_folds(ctx, text, param, count, K, Y, weight, data, fold, FOLDS);
}

/* n points, p columns, and three outputs of which one is zero. */
static double *targets(uint64_t seed)
{
    double *Y = kit_normal(seed, N, T);
    for (int i = 0; i < N; i++)
        Y[i * T + 1] = 0;
    return Y;
}

static double *gram(uint64_t seed, int p, bool linear)
{
    double *X = kit_normal(seed, N, p), *K = calloc(N * N, sizeof *K);
    memcpy(X + 3 * p, X + 9 * p, (size_t)p * sizeof *X); /* a repeated row */
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double d = 0, s = 0;
            for (int k = 0; k < p; k++) {
                d += (X[i * p + k] - X[j * p + k]) * (X[i * p + k] - X[j * p + k]);
                s += X[i * p + k] * X[j * p + k];
            }
            K[i * N + j] = linear ? s : exp(-d / 4);
        }
    free(X);
    return K;
}

static const double LAMBDA[] = {1, 1e-2, 1e-4, 1e-6};
static const double STEPS[] = {1, 2, 5, 20, 100};
static const double ORDERS[] = {1, 2, 5, 9};

TEST(folds, without_refits_equal_refits_for_every_filter_and_engine)
{
    double *Y = targets(1), *wide = gram(2, 3, false), *low = gram(3, 2, true);
    static const char *const by_lambda[] = {"tikhonov", "iterated:order=3", "showalter"};
    static const char *const by_steps[] = {"landweber",
                                           "landweber:theta=0.5",
                                           "nu:nu=1",
                                           "nu:nu=5",
                                           "nesterov",
                                           "heavyball:momentum=0.7",
                                           "chebyshev:lower=0.05"};
    double weight[N];
    for (int i = 0; i < N; i++)
        weight[i] = 1 + (i * i) % 3;
    for (int weighted = 0; weighted < 2; weighted++) {
        const double *w = weighted ? weight : NULL;
        for (int f = 0; f < 3; f++) {
            check(ctx, by_lambda[f], LAMBDA, 4, wide, Y, w, "rbf");
            check(ctx, by_lambda[f], LAMBDA, 3, low, Y, w, "linear, rank 2");
        }
        check(ctx, "iterated:lambda=0.01", ORDERS, 4, wide, Y, w, "rbf");
        check(ctx, "iterated:lambda=0.01", ORDERS, 4, low, Y, w, "linear, rank 2");
        for (int f = 0; f < 7; f++) {
            check(ctx, by_steps[f], STEPS, 5, wide, Y, w, "rbf");
            check(ctx, by_steps[f], STEPS, 5, low, Y, w, "linear, rank 2");
        }
    }
    free(low);
    free(wide);
    free(Y);
}

TEST(folds, given_splits_without_refits_equal_refits)
{
    double *Y = targets(1), *K = gram(2, 3, false), weight[N];
    int32_t fold[REPEATS * N];
    given_splits(fold);
    for (int i = 0; i < N; i++)
        weight[i] = 1 + (i * i) % 3;
    for (int weighted = 0; weighted < 2; weighted++) {
        const double *w = weighted ? weight : NULL;
        check_folds(ctx, "tikhonov", LAMBDA, 4, K, Y, w, "splits", fold, 1);
        check_folds(ctx, "iterated:order=2", LAMBDA, 4, K, Y, w, "splits", fold, 1);
        check_folds(ctx, "landweber", STEPS, 5, K, Y, w, "splits", fold, 1);
        check_folds(ctx, "nu:nu=1", STEPS, 5, K, Y, w, "splits", fold, 1);
    }
    free(K);
    free(Y);
}

TEST(folds, an_engine_that_cannot_says_so)
{
    double *K = gram(2, 3, false), *Y = targets(1);
    const int32_t fold[N] = {0};
    sri_filter filter;
    sri_op *op = NULL;
    CHECK_OK(ctx, kit_op_matrix(ctx, K, N, &op));
    CHECK_OK(ctx, sri_filter_parse(ctx, "tsvd", &filter));
    sri_job job = kit_job(op, Y, T, &filter, LAMBDA, 1);
    kit_job_folds(&job, fold, 1, 1);
    for (int e = 0; sri_engine_at(e); e++)
        CHECK(sri_engine_at(e)->refuses(&job) != NULL);
    sri_op_free(op);
    free(Y);
    free(K);
}

/* 61 rows of a real table: its class and two of its columns as outputs, the others as features. */
static double *real_gram(specreg_context *ctx, const char *file, double *Y)
{
    specreg_table *table = NULL;
    CHECK_OK(ctx, specreg_table_read(ctx, kit_data(file), NULL, &table));
    const int64_t p = specreg_table_cols(table) - 1, step = specreg_table_rows(table) / N;
    double *K = calloc(N * N, sizeof *K);
    for (int i = 0; i < N; i++) {
        for (int t = 0; t < T; t++)
            Y[i * T + t] = specreg_table_number(table, i * step, t ? t - 1 : p);
        for (int j = 0; j < N; j++) {
            double d = 0;
            for (int64_t k = T - 1; k < p; k++) {
                const double e = specreg_table_number(table, i * step, k) -
                                 specreg_table_number(table, j * step, k);
                d += e * e;
            }
            K[i * N + j] = exp(-d / (2 * (double)p));
        }
    }
    specreg_table_free(table);
    return K;
}

TEST(folds, without_refits_equal_refits_on_real_data)
{
    static const char *const files[] = {"ida/heart.csv.gz", "ida/titanic.csv.gz",
                                        "ida/splice.csv.gz"};
    double weight[N];
    for (int i = 0; i < N; i++)
        weight[i] = 1 + (i * i) % 3;
    for (int f = 0; f < 3; f++) {
        double Y[N * T], *K = real_gram(ctx, files[f], Y);
        for (int weighted = 0; weighted < 2; weighted++) {
            const double *w = weighted ? weight : NULL;
            check(ctx, "tikhonov", LAMBDA, 4, K, Y, w, files[f]);
            check(ctx, "iterated:order=2", LAMBDA, 4, K, Y, w, files[f]);
            check(ctx, "landweber", STEPS, 5, K, Y, w, files[f]);
            check(ctx, "nu:nu=1", STEPS, 5, K, Y, w, files[f]);
        }
        free(K);
    }
}
