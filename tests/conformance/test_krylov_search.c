/* Masked Lanczos in a search: what held-out rows are told is within the tolerance of refits (by the
 * closed form of the decomposition, itself checked in test_folds.c), points come in order, and none
 * comes after the sink has seen enough. */
#include "kit/kit.h"

#include <math.h>

#include "engine/engine.h"

enum { N = 300, T = 2, FOLDS = 5, COUNT = 12 };
static const double TOLERANCE = 1e-3;

typedef struct keep {
    sri_sink base;
    int64_t seen, most;
    bool alpha; /* some point had coefficients */
    double *held; /* COUNT x N x T */
} keep;

static specreg_status keep_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    keep *k = (keep *)self;
    CHECK_EQ(point->index, k->seen);
    k->seen++;
    k->alpha = k->alpha || point->alpha;
    memcpy(k->held + point->index * N * T, point->fold_residual, N * T * sizeof(double));
    return SPECREG_OK;
}

static bool keep_enough(const sri_sink *self)
{
    const keep *k = (const keep *)self;
    return k->seen >= k->most;
}

static keep keep_new(int64_t most)
{
    return (keep){.base = {keep_put, keep_enough},
                  .most = most,
                  .held = calloc(COUNT * N * T, sizeof(double))};
}

/* A sine with noise, and noise alone. */
static void make(double *K, double *Y, int32_t *fold, double *weight)
{
    double *x = kit_normal(1, N, 2), *noise = kit_normal(2, N, T);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            K[i * N + j] = exp(-(pow(x[2 * i] - x[2 * j], 2) + pow(x[2 * i + 1] - x[2 * j + 1], 2)));
        Y[i * T] = sin(2 * x[2 * i]) + 0.1 * noise[i * T];
        Y[i * T + 1] = noise[i * T + 1];
        fold[i] = (int32_t)(i * 7 % FOLDS);
        weight[i] = 0.5 + i % 3;
    }
    free(noise);
    free(x);
}

static double rms(const double *a, const double *b, const double *weight, int64_t n)
{
    double sum = 0, mass = 0;
    for (int64_t i = 0; i < n; i++) {
        const double e = a[i] - (b ? b[i] : 0), w = weight ? weight[i / T] : 1;
        sum += w * e * e;
        mass += w;
    }
    return sqrt(sum / mass);
}

static void check(specreg_context *ctx, const double *weight)
{
    static double K[N * N], Y[N * T], lambda[COUNT], own[N];
    int32_t fold[N];
    sri_filter filter;
    sri_op *op = NULL;
    sri_report report = {0};
    make(K, Y, fold, own);
    for (int j = 0; j < COUNT; j++)
        lambda[j] = pow(10, -0.7 * j);
    CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &filter));
    CHECK_OK(ctx, sri_op_matrix(ctx, K, N, &op));
    if (weight)
        CHECK_OK(ctx, sri_op_weighted(ctx, op, weight, &op));
    sri_job job = {.op = op, .Y = Y, .T = T, .filter = &filter, .param = lambda, .count = COUNT,
                   .need = SRI_NEED_FOLDS, .fold = fold, .folds = FOLDS, .repeats = 1,
                   .memory = INT64_C(1) << 30};
    keep exact = keep_new(COUNT), quick = keep_new(COUNT), few = keep_new(4);
    CHECK_OK(ctx, sri_engine_run(ctx, &sri_engine_eig, &job, &exact.base, &report));
    job.tolerance = TOLERANCE;
    CHECK_OK(ctx, sri_engine_run(ctx, &sri_engine_krylov, &job, &quick.base, &report));
    CHECK_EQ(quick.seen, COUNT);
    CHECK(!quick.alpha);
    CHECK(report.steps < N * 4 / 5);
    for (int64_t j = 0; j < COUNT; j++) {
        const double *e = exact.held + j * N * T, *q = quick.held + j * N * T;
        CHECK_WORST(weight ? "held-out residuals, weighted" : "held-out residuals",
                    rms(q, e, weight, N * T) / rms(e, NULL, weight, N * T), TOLERANCE);
    }
    CHECK_OK(ctx, sri_engine_run(ctx, &sri_engine_krylov, &job, &few.base, &report));
    CHECK_EQ(few.seen, 4);
    CHECK_EQ(memcmp(few.held, quick.held, 4 * N * T * sizeof(double)), 0);
    free(few.held);
    free(quick.held);
    free(exact.held);
    sri_op_free(op);
}

TEST(krylov_search, held_out_residuals_are_within_the_tolerance_of_refits)
{
    double weight[N];
    for (int i = 0; i < N; i++)
        weight[i] = 0.5 + i % 3;
    check(ctx, NULL);
    check(ctx, weight);
}
