/* Masked Lanczos in a search: what held-out rows are told is within the tolerance of refits (by the
 * closed form of the decomposition, itself checked in test_folds.c), points come in order, and none
 * comes after the sink has seen enough. */
#include "kit/job.h"
#include "kit/kit.h"

#include <math.h>

#include "engine/krylov_search.h"

enum { N = 300, T = 2, FOLDS = 5, COUNT = 12 };
static const double TOLERANCE = 1e-3;

typedef struct keep {
    sri_sink base;
    int64_t seen, most;
    bool alpha;   /* some point had coefficients */
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
static void make(const double *x, double *Y, int32_t *fold)
{
    double *noise = kit_normal(2, N, T);
    for (int i = 0; i < N; i++) {
        Y[i * T] = sin(2 * x[2 * i]) + 0.1 * noise[i * T];
        Y[i * T + 1] = noise[i * T + 1];
        fold[i] = (int32_t)(i * 7 % FOLDS);
    }
    free(noise);
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

/* What so many steps are too few for, or what is too rough for single precision where it is not
 * worth beginning again, comes from the band: the roughest points to rounding.  Else steps in
 * double precision follow those in single. */
static sri_krylov_patience patience;
static specreg_status run_patiently(specreg_context *ctx, const sri_job *job, sri_sink *sink,
                                    sri_report *report)
{
    return sri_krylov_search(ctx, job, patience, sink, report);
}

static void check_limits(specreg_context *ctx, const sri_job *job, int64_t limit, int64_t again,
                         const double *exact)
{
    keep rest = keep_new(COUNT);
    sri_report report = {0};
    const sri_engine patient = {.run = run_patiently, .fallback = &sri_engine_band};
    patience = (sri_krylov_patience){.limit = limit, .again = again, .gives_up = true};
    CHECK_OK(ctx, sri_engine_run(ctx, &patient, job, &rest.base, &report));
    CHECK_EQ(rest.seen, COUNT);
    CHECK(limit == N ? report.steps > 20 && report.steps < N : report.steps == limit);
    const bool twice = again == N;
    const int64_t by_band = twice        ? COUNT
                            : limit == N ? COUNT - 1
                                         : COUNT / 2; /* from there on for sure */
    CHECK(twice ? report.effort > 1.4 * (double)report.steps &&
                      report.effort < 1.8 * (double)report.steps
                : report.effort == INT64_MAX);
    for (int64_t j = 0; j < rest.seen; j++)
        CHECK_WORST("held-out residuals, handed over",
                    rms(rest.held + j * N * T, exact + j * N * T, NULL, N * T) /
                        rms(exact + j * N * T, NULL, NULL, N * T),
                    j < by_band ? TOLERANCE : 1e-7);
    free(rest.held);
}

static void check(specreg_context *ctx, const char *name, const double *weight)
{
    double *x = kit_normal(1, N, 2), Y[N * T], lambda[COUNT];
    int32_t fold[N];
    sri_points *points = NULL;
    sri_kernel_grid grid;
    sri_filter filter;
    sri_op *op = NULL;
    sri_report report = {0};
    make(x, Y, fold);
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, "rbf:sigma=0.7", &grid));
    CHECK_OK(ctx, sri_points_new(ctx, x, N, 2, false, &points));
    const sri_kernel kernel = sri_kernel_grid_at(&grid, 0);
    for (int j = 0; j < COUNT; j++)
        lambda[j] = pow(10, -0.7 * j); /* the last ones are beyond single precision */
    CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &filter));
    CHECK_OK(ctx, sri_op_kernel_weighted(ctx, &kernel, points, weight, &op));
    sri_job job = kit_job(op, Y, T, &filter, lambda, COUNT);
    kit_job_folds(&job, fold, FOLDS, 1);
    keep exact = keep_new(COUNT), quick = keep_new(COUNT), few = keep_new(4);
    CHECK_OK(ctx, sri_engine_run(ctx, &sri_engine_eig, &job, &exact.base, &report));
    report = (sri_report){0};
    job.request.tolerance = TOLERANCE;
    CHECK_OK(ctx, sri_engine_run(ctx, &sri_engine_krylov, &job, &quick.base, &report));
    CHECK_EQ(quick.seen, COUNT);
    CHECK(!quick.alpha);
    CHECK(report.steps < N * 4 / 5);
    for (int64_t j = 0; j < COUNT; j++) {
        const double *e = exact.held + j * N * T, *q = quick.held + j * N * T;
        CHECK_WORST(name, rms(q, e, weight, N * T) / rms(e, NULL, weight, N * T), TOLERANCE);
    }
    sri_op_free(op); /* it has kernel values in double by now */
    CHECK_OK(ctx, sri_op_kernel_weighted(ctx, &kernel, points, weight, &op));
    job.problem.op = op;
    CHECK_OK(ctx, sri_engine_run(ctx, &sri_engine_krylov, &job, &few.base, &report));
    CHECK_EQ(few.seen, 4);
    CHECK_EQ(memcmp(few.held, quick.held, 4 * N * T * sizeof(double)), 0);
    static const int64_t limits[][2] = {{20, 20}, {N, 1}, {N, N}};
    for (int k = 0; k < 3 && !weight; k++) { /* sri_engine_run sees to weights */
        sri_op_free(op);
        CHECK_OK(ctx, sri_op_kernel_weighted(ctx, &kernel, points, NULL, &op));
        job.problem.op = op;
        check_limits(ctx, &job, limits[k][0], limits[k][1], exact.held);
    }
    sri_points_free(points);
    sri_kernel_grid_free(&grid);
    free(x);
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
    check(ctx, "held-out residuals", NULL);
    check(ctx, "held-out residuals, weighted", weight);
}

/* Rows of few words, some of them a thousand times as long: what counts of words are like.  K has
 * eigenvalues from 1e-2 to 1e7. */
static sri_matrix counts(void)
{
    enum { P = 500, WORDS = 8 };
    sri_matrix m = {.n = N,
                    .p = P,
                    .start = calloc(N + 1, sizeof(int64_t)),
                    .index = calloc(N * WORDS, sizeof(int32_t)),
                    .value = calloc(N * WORDS, sizeof(double))};
    double *u = kit_uniform(4, N, WORDS);
    for (int i = 0; i < N; i++) {
        int32_t column = 0;
        for (int k = 0; k < WORDS; k++) { /* frequent words have the first columns */
            column += 1 + (int32_t)(100 * pow(u[i * WORDS + k], 2));
            if (column >= P)
                break;
            m.index[m.start[i] + k] = column;
            m.value[m.start[i] + k] = (1 + i % 3) * (i % 60 ? 1 : 1000 + i);
            m.start[i + 1] = m.start[i] + k + 1;
        }
    }
    free(u);
    return m;
}

/* Products by factors, bases in single precision. */
TEST(krylov_search, held_out_residuals_of_counts_are_within_the_tolerance_of_refits)
{
    sri_matrix rows = counts();
    double *Y = kit_normal(6, N, T), lambda[COUNT];
    int32_t fold[N];
    sri_points *points = NULL;
    sri_kernel_grid grid;
    sri_filter filter;
    sri_op *op = NULL;
    sri_report report = {0};
    for (int i = 0; i < N; i++) {
        Y[i * T] += rows.index[rows.start[i]] < 3 ? 2 : 0;
        fold[i] = (int32_t)(i * 7 % FOLDS);
    }
    for (int j = 0; j < COUNT; j++)
        lambda[j] = pow(10, 4 - 0.7 * j);
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, "linear", &grid));
    const sri_kernel kernel = sri_kernel_grid_at(&grid, 0);
    CHECK_OK(ctx, sri_points_of(ctx, &rows, false, &points));
    CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &filter));
    CHECK_OK(ctx, sri_op_kernel(ctx, &kernel, points, &op));
    sri_job job = kit_job(op, Y, T, &filter, lambda, COUNT);
    kit_job_folds(&job, fold, FOLDS, 1);
    CHECK(sri_shape_by_factors(&job.shape));
    keep exact = keep_new(COUNT), quick = keep_new(COUNT);
    CHECK_OK(ctx, sri_engine_run(ctx, &sri_engine_eig, &job, &exact.base, &report));
    report = (sri_report){0};
    job.request.tolerance = TOLERANCE;
    CHECK_OK(ctx, sri_engine_run(ctx, &sri_engine_krylov, &job, &quick.base, &report));
    CHECK_EQ(quick.seen, COUNT);
    CHECK(report.steps > 40 && report.steps < N * 4 / 5);
    for (int64_t j = 0; j < COUNT; j++) {
        const double *e = exact.held + j * N * T, *q = quick.held + j * N * T;
        CHECK_WORST("held-out residuals of counts",
                    rms(q, e, NULL, N * T) / rms(e, NULL, NULL, N * T), TOLERANCE);
    }
    sri_op_free(op);
    sri_points_free(points);
    sri_kernel_grid_free(&grid);
    sri_matrix_free(&rows);
    free(Y);
    free(quick.held);
    free(exact.held);
}
