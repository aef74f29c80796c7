/* Engine lowrank against the full decomposition, which test_engines.c checks: every filter, with
 * leverages, degrees of freedom, folds, weights and several outputs.  Its error is what it says. */
#include "kit/job.h"
#include "kit/kit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { T = 3, MOST = 6, FOLDS = 4 };

/* ------------------------------------------------------------------------------- problems */

typedef struct problem {
    const char *name;
    int64_t n, p;
    double *x, *Y, *weight; /* weight NULL: none */
    sri_kernel_grid grid;
    sri_kernel kernel;
    sri_points *points;
    sri_op *op;
} problem;

static problem make(specreg_context *ctx, const char *kernel, int64_t n, int64_t p, bool weighted)
{
    problem q = {.name = kernel,
                 .n = n,
                 .p = p,
                 .x = kit_normal(31, n, p),
                 .Y = kit_normal(32, n, T)};
    if (weighted)
        q.weight = malloc((size_t)n * sizeof *q.weight);
    for (int64_t i = 0; i < n; i++) {
        q.Y[i * T] = sin(2 * q.x[i * p]) + 0.1 * q.Y[i * T];
        q.Y[i * T + 1] = 0;
        if (weighted)
            q.weight[i] = 0.1 + (double)(i * i % 7);
    }
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, kernel, &q.grid));
    q.kernel = sri_kernel_grid_at(&q.grid, 0);
    CHECK_OK(ctx, sri_points_new(ctx, q.x, n, p, sri_kernel_grid_indexed(&q.grid), &q.points));
    return q;
}

/* The operator keeps a pointer to the kernel: only once the problem lies where it stays. */
static void start(specreg_context *ctx, problem *q)
{
    CHECK_OK(ctx, sri_op_kernel_weighted(ctx, &q->kernel, q->points, q->weight, &q->op));
}

static void drop(problem *q)
{
    sri_op_free(q->op);
    sri_points_free(q->points);
    sri_kernel_grid_free(&q->grid);
    free(q->weight);
    free(q->Y);
    free(q->x);
}

static sri_job job_of(const problem *q, const sri_filter *filter, const double *param,
                      int64_t count)
{
    sri_job job = kit_job(q->op, q->Y, T, filter, param, count);
    job.request.memory = INT64_C(1) << 32;
    return job;
}

/* -------------------------------------------------------------------------------- a path */

typedef struct path {
    sri_sink base;
    int64_t n, count;
    double *alpha, *residual, *slack, *df, *held;
    sri_report report;
} path;

static specreg_status keep(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    path *k = (path *)self;
    const int64_t size = k->n * T, i = k->count++;
    CHECK_EQ(point->index, i);
    memcpy(k->alpha + i * size, point->alpha, (size_t)size * sizeof(double));
    memcpy(k->residual + i * size, point->residual, (size_t)size * sizeof(double));
    if (point->one_minus_h)
        memcpy(k->slack + i * k->n, point->one_minus_h, (size_t)k->n * sizeof(double));
    if (point->fold_residual)
        memcpy(k->held + i * 2 * size, point->fold_residual, (size_t)(2 * size) * sizeof(double));
    k->df[i] = point->df;
    return SPECREG_OK;
}

static path run(specreg_context *ctx, const sri_engine *engine, const sri_job *job)
{
    const int64_t n = job->problem.op->n;
    path k = {.base = {.put = keep}, .n = n};
    k.alpha = calloc((size_t)(n * T * MOST), sizeof(double));
    k.residual = calloc((size_t)(n * T * MOST), sizeof(double));
    k.slack = calloc((size_t)(n * MOST), sizeof(double));
    k.df = calloc(MOST, sizeof(double));
    k.held = calloc((size_t)(2 * n * T * MOST), sizeof(double));
    CHECK_OK(ctx, sri_engine_run(ctx, engine, job, &k.base, &k.report));
    CHECK_EQ(k.count, job->path.count);
    return k;
}

static void path_free(path *k)
{
    free(k->held);
    free(k->df);
    free(k->slack);
    free(k->residual);
    free(k->alpha);
}

static path run_lowrank(specreg_context *ctx, sri_job *job)
{
    const sri_engine *engine;
    CHECK_OK(ctx, sri_engine_plan(ctx, "lowrank", job, &engine, NULL));
    CHECK(engine == &sri_engine_lowrank);
    return run(ctx, engine, job);
}

/* ------------------------------------------------------------------------- every filter */

static const struct {
    const char *text;
    bool components;
    double param[MOST]; /* lambda by kappa^2; ends at 0 */
} FILTERS[] = {
    {"tikhonov", false, {1, 1e-1, 1e-2, 1e-4, 1e-6}},
    {"iterated:order=3", false, {1, 1e-2, 1e-4}},
    {"showalter", false, {1, 1e-2, 1e-4}},
    {"tsvd", true, {1, 2, 3}},
    {"landweber", false, {1, 7, 100, 5000}},
    {"nu:nu=1", false, {1, 7, 100}},
    {"nesterov", false, {1, 7, 100}},
};
enum { N_FILTERS = sizeof FILTERS / sizeof *FILTERS };

static sri_filter filter_of(specreg_context *ctx, const problem *q, int f, double *param,
                            int64_t *count)
{
    sri_filter filter;
    double kappa2;
    CHECK_OK(ctx, sri_filter_parse(ctx, FILTERS[f].text, &filter));
    CHECK_OK(ctx, sri_filter_prepare(ctx, &filter, q->op));
    CHECK_OK(ctx, sri_op_kappa2(ctx, q->op, &kappa2));
    if (FILTERS[f].components)
        filter.path = SRI_PATH_COMPONENTS;
    for (*count = 0; *count < MOST && FILTERS[f].param[*count] > 0; ++*count)
        param[*count] = FILTERS[f].param[*count] * (filter.path == SRI_PATH_LAMBDA ? kappa2 : 1);
    return filter;
}

/* As in engines.h: rounding grows with |K/n| g, and to it comes what the factor leaves. */
static double tolerance(specreg_context *ctx, const problem *q, const sri_filter *filter,
                        double param, double left, double *g)
{
    double kappa2, r;
    CHECK_OK(ctx, sri_op_kappa2(ctx, q->op, &kappa2));
    if (filter->path == SRI_PATH_COMPONENTS) { /* 1/s of the first few, well apart */
        *g = 1e3 / kappa2;
    } else {
        filter->ops->eval(filter, 0, &param, 1, g, &r);
    }
    return 2 * kit_tolerance(q->n, 1 + kappa2 * *g) + left * kappa2 * *g;
}

static void check_filters(specreg_context *ctx, const char *kernel, int64_t n, int64_t p,
                          bool weighted, int64_t rank)
{
    problem q = make(ctx, kernel, n, p, weighted);
    start(ctx, &q);
    for (int f = 0; f < N_FILTERS; f++) {
        double param[MOST], g;
        int64_t count;
        const sri_filter filter = filter_of(ctx, &q, f, param, &count);
        sri_job job = job_of(&q, &filter, param, count);
        job.request.need = SRI_NEED_LEVERAGE | SRI_NEED_DF;
        path want = run(ctx, &sri_engine_eig, &job), got = run_lowrank(ctx, &job);
        CHECK(rank ? got.report.rank == rank : got.report.rank < n / 4);
        CHECK(got.report.left >= 0 && got.report.left < 1e-8);
        for (int64_t i = 0; i < count; i++) {
            char name[96];
            const double tol = tolerance(ctx, &q, &filter, param[i], got.report.left, &g);
            const double size = 4 * sqrt((double)n); /* |y|, and more */
            snprintf(name, sizeof name, "%.20s, %s%s", filter.ops->name, kernel,
                     weighted ? ", weighted" : "");
            CHECK_WORST(name,
                        kit_distance(got.alpha + i * n * T, want.alpha + i * n * T, n * T) *
                            q.op->mass / (g * size),
                        tol * (weighted ? 3 : 1)); /* W^(1/2) */
            CHECK_WORST(name,
                        kit_distance(got.residual + i * n * T, want.residual + i * n * T, n * T) /
                            size,
                        tol * (weighted ? 4 : 1)); /* W^(-1/2) */
            CHECK_WORST(name, kit_distance(got.slack + i * n, want.slack + i * n, n), tol);
            CHECK_WORST(name, fabs(got.df[i] - want.df[i]) / (double)n, tol);
            for (int64_t k = 0; k < n; k++)
                CHECK(got.alpha[(i * n + k) * T + 1] == 0);
        }
        path_free(&got);
        path_free(&want);
    }
    drop(&q);
}

TEST(lowrank, agrees_with_the_full_decomposition_for_every_filter)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        check_filters(ctx, "linear", 300, 5, weighted, 5);
        check_filters(ctx, "poly:degree=2,coef0=1,gamma=1", 400, 4, weighted, 15);
        check_filters(ctx, "rbf:sigma=4", 500, 2, weighted, 0);
        check_filters(ctx, "rbf:sigma=20 + 0.5*linear", 400, 3, weighted, 0);
    }
}

/* --------------------------------------------------------------------------------- folds */

static void make_folds(int64_t n, int32_t *fold)
{
    for (int64_t i = 0; i < n; i++) {
        fold[i] = i == 7 ? 0 : i % 5 == 1 ? 1 : i % 2 ? 2 : 3;
        fold[n + i] = i < 20 ? -1 : (int32_t)(i % FOLDS); /* some rows in none */
    }
}

/* What machines trained on the other rows alone say: residuals of one repeat, count x (2 x n x
 * T). */
static void refit(specreg_context *ctx, const problem *q, const sri_filter *filter,
                  const double *param, int64_t count, const int32_t *fold, double *out)
{
    const int64_t n = q->n;
    double *K = malloc((size_t)(n * n) * sizeof *K);
    CHECK_OK(ctx, sri_kernel_gram(ctx, &q->kernel, q->points, true, K, n));
    for (int32_t f = 0; f < FOLDS; f++) {
        int64_t *row = malloc((size_t)n * sizeof *row), m = 0;
        problem part = *q;
        for (int64_t i = 0; i < n; i++)
            if (fold[i] != f)
                row[m++] = i;
        part.n = m;
        part.Y = malloc((size_t)(m * T) * sizeof(double));
        part.weight = q->weight ? malloc((size_t)m * sizeof(double)) : NULL;
        for (int64_t a = 0; a < m; a++) {
            memcpy(part.Y + a * T, q->Y + row[a] * T, T * sizeof(double));
            if (q->weight)
                part.weight[a] = q->weight[row[a]];
        }
        CHECK_OK(ctx, sri_points_subset(ctx, q->points, row, m, &part.points));
        start(ctx, &part);
        sri_job job = job_of(&part, filter, param, count);
        path k = run(ctx, &sri_engine_eig, &job);
        for (int64_t j = 0; j < count; j++)
            for (int64_t i = 0; i < n; i++)
                for (int t = 0; fold[i] == f && t < T; t++) {
                    double sum = 0;
                    for (int64_t a = 0; a < m; a++)
                        sum += K[i * n + row[a]] * k.alpha[(j * m + a) * T + t];
                    out[(j * 2 * n + i) * T + t] = q->Y[i * T + t] - sum;
                }
        path_free(&k);
        sri_op_free(part.op);
        sri_points_free(part.points);
        free(part.weight);
        free(part.Y);
        free(row);
    }
    free(K);
}

static void check_folds(specreg_context *ctx, const char *kernel, int64_t n, int64_t p,
                        bool weighted)
{
    problem q = make(ctx, kernel, n, p, weighted);
    int32_t *fold = malloc((size_t)(2 * n) * sizeof *fold);
    start(ctx, &q);
    make_folds(n, fold);
    for (int f = 0; f < N_FILTERS; f++) {
        double param[MOST], g, *want = calloc((size_t)(2 * n * T * MOST), sizeof *want);
        int64_t count;
        const sri_filter filter = filter_of(ctx, &q, f, param, &count);
        sri_job job = job_of(&q, &filter, param, count);
        job.request.need = SRI_NEED_FOLDS;
        job.problem.folds.of_row = fold;
        job.problem.folds.n = job.problem.op->n;
        job.problem.folds.per_repeat = FOLDS;
        job.problem.folds.repeats = 2;
        path got = run_lowrank(ctx, &job);
        for (int r = 0; r < 2; r++)
            refit(ctx, &q, &filter, param, count, fold + r * n, want + r * n * T);
        for (int64_t i = 0; i < count; i++) {
            char name[96];
            snprintf(name, sizeof name, "folds: %.20s, %s%s", filter.ops->name, kernel,
                     weighted ? ", weighted" : "");
            CHECK_WORST(name,
                        kit_distance(got.held + i * 2 * n * T, want + i * 2 * n * T, 2 * n * T),
                        4 * sqrt((double)n) * (weighted ? 8 : 2) *
                            tolerance(ctx, &q, &filter, param[i], got.report.left, &g));
        }
        path_free(&got);
        free(want);
    }
    free(fold);
    drop(&q);
}

TEST(lowrank, folds_without_refits_equal_refits_for_every_filter)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        check_folds(ctx, "linear", 150, 5, weighted);
        check_folds(ctx, "poly:degree=2,coef0=1,gamma=1", 200, 3, weighted);
        check_folds(ctx, "rbf:sigma=4", 300, 2, weighted);
    }
}

/* --------------------------------------------------------------------------- certificate */

/* A factor that leaves much: the error is below what it says, and not for being small anyway. */
TEST(lowrank, coefficients_are_off_by_no_more_than_the_trace_left_says)
{
    static const double SHARE[] = {1e-2, 1e-4, 1e-8};
    static const double LAMBDA[] = {1, 1e-2, 1e-4, 1e-6};
    for (int weighted = 0; weighted < 2; weighted++)
        for (int s = 0; s < 3; s++) {
            problem q = make(ctx, "rbf:sigma=2", 500, 2, weighted);
            sri_filter filter;
            double worst = 0;
            start(ctx, &q);
            CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &filter));
            sri_job job = job_of(&q, &filter, LAMBDA, 4);
            CHECK_OK(ctx, sri_op_reveal(ctx, q.op, SHARE[s] * q.op->mass, q.n, true));
            const int64_t rank = q.op->revealed.factor->rank;
            CHECK(q.op->revealed.left <= SHARE[s] * q.op->mass);
            CHECK_NEAR(q.op->revealed.trace, q.op->mass,
                       1e-12); /* the kernel is 1 on the diagonal */
            path want = run(ctx, &sri_engine_eig, &job), got = run(ctx, &sri_engine_lowrank, &job);
            for (int64_t i = 0; i < 4; i++)
                for (int t = 0; t < T; t += 2) {
                    double off = 0, size = 0;
                    for (int64_t k = 0; k < q.n; k++) { /* as in the norm of W^(-1/2) alpha */
                        const double w = weighted ? q.weight[k] : 1;
                        const int64_t at = (i * q.n + k) * T + t;
                        off += pow(got.alpha[at] - want.alpha[at], 2) / w;
                        size += pow(got.alpha[at], 2) / w;
                    }
                    const double bound = q.op->revealed.left / (q.op->mass * LAMBDA[i]);
                    CHECK_WORST("certificate", sqrt(off / size),
                                bound + kit_tolerance(q.n, 1 + 1 / LAMBDA[i]));
                    worst = fmax(worst, sqrt(off / size) / bound);
                }
            CHECK(worst > 1e-4);
            CHECK(sri_engine_lowrank.refuses(&job) != NULL); /* that much is too much, */
            CHECK_OK(ctx,
                     sri_engine_look(ctx, "lowrank", &job)); /* and looking goes on from there */
            CHECK(sri_engine_lowrank.refuses(&job) == NULL);
            CHECK(q.op->revealed.factor->rank > rank);
            path_free(&got);
            path_free(&want);
            drop(&q);
        }
}

/* ------------------------------------------------------------------------------- choosing */

static const sri_engine *chosen(specreg_context *ctx, const problem *q, const char *name,
                                unsigned need)
{
    static const double lambda[] = {1, 1e-3, 1e-6, 1e-9};
    static int32_t fold[2000];
    const sri_engine *engine = NULL;
    sri_filter filter;
    CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &filter));
    sri_job job = job_of(q, &filter, lambda, 4);
    for (int i = 0; i < 2000; i++)
        fold[i] = i % 5;
    job.request.need = need;
    job.problem.folds.of_row = fold;
    job.problem.folds.n = job.problem.op->n;
    job.problem.folds.per_repeat = 5;
    job.problem.folds.repeats = 1;
    sri_engine_plan(ctx, name, &job, &engine, NULL);
    return engine;
}

TEST(lowrank, is_taken_where_the_rank_is_low)
{
    static const struct {
        const char *kernel;
        int64_t p, rank;
    } cases[] = {
        {"poly:degree=1", 20, 21},
        {"poly:degree=1", 100, 101}, /* no sign of it before the last column */
        {"poly:degree=2,coef0=1,gamma=1", 8, 45},
        {"rbf:sigma=4", 2, 0},
        {"rbf:sigma=500", 8, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        problem q = make(ctx, cases[k].kernel, 1500, cases[k].p, false);
        static const unsigned need[] = {SRI_NEED_LEVERAGE, SRI_NEED_DF, SRI_NEED_FOLDS};
        for (int i = 0; i < 3; i++) {
            start(ctx, &q);
            CHECK(chosen(ctx, &q, "auto", need[i]) == &sri_engine_lowrank);
            CHECK(!cases[k].rank || q.op->revealed.factor->rank == cases[k].rank);
            sri_op_free(q.op);
            q.op = NULL;
        }
        drop(&q);
    }
}

TEST(lowrank, a_linear_kernel_goes_to_primal)
{
    static const unsigned need[] = {0, SRI_NEED_LEVERAGE, SRI_NEED_DF, SRI_NEED_FOLDS};
    for (int i = 0; i < 4; i++) {
        problem q = make(ctx, "linear", 1500, 20, i % 2);
        start(ctx, &q);
        CHECK(chosen(ctx, &q, "auto", need[i]) == &sri_engine_primal);
        drop(&q);
    }
}

TEST(lowrank, of_a_narrow_kernel_is_given_up_at_once)
{
    static const char *const kernels[] = {"rbf:sigma=0.5", "laplace:sigma=1",
                                          "matern:nu=1.5,sigma=1", "rbf:sigma=0.5 + linear"};
    for (int k = 0; k < 4; k++) {
        problem q = make(ctx, kernels[k], 1500, 4, false);
        start(ctx, &q);
        CHECK(chosen(ctx, &q, "auto", SRI_NEED_LEVERAGE) != &sri_engine_lowrank);
        CHECK(q.op->revealed.factor && q.op->revealed.factor->rank <= 64);
        CHECK(chosen(ctx, &q, "lowrank", SRI_NEED_LEVERAGE) == NULL);
        CHECK_HAS(specreg_last_error(ctx),
                  "engine lowrank cannot be used here: the kernel matrix has no low rank");
        drop(&q);
    }
}

static double own_kernel(const double *x, const double *z, int64_t p, const double *params,
                         void *payload)
{
    (void)p, (void)params, (void)payload;
    return x[0] * z[0] - 0.5 * x[1] * z[1];
}

/* What is left of a matrix that is not semi-definite bounds nothing. */
TEST(lowrank, is_not_for_matrices_that_may_be_indefinite)
{
    const specreg_kernel_def def = {sizeof def, "mine", own_kernel, NULL, 0, NULL, NULL};
    CHECK_OK(ctx, specreg_register_kernel(ctx, &def));
    problem own = make(ctx, "mine", 1000, 2, false),
            given = make(ctx, "precomputed", 300, 300, false);
    start(ctx, &own);
    CHECK(chosen(ctx, &own, "auto", SRI_NEED_LEVERAGE) != &sri_engine_lowrank);
    CHECK(chosen(ctx, &own, "lowrank", SRI_NEED_LEVERAGE) == NULL);
    CHECK_HAS(specreg_last_error(ctx), "not known to be positive semi-definite");
    start(ctx, &given);
    CHECK(chosen(ctx, &given, "lowrank", SRI_NEED_LEVERAGE) == NULL);
    CHECK_HAS(specreg_last_error(ctx), "not known to be positive semi-definite");
    drop(&given);
    drop(&own);
}
