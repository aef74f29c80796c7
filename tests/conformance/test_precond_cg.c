/* Conjugate gradients with a preconditioner, for matrices that are not stored: coefficients and
 * held-out residuals are those of the decomposition (engine eig, itself checked against refits in
 * test_folds.c and test_features.c), as far as the residual that is reported allows; and that
 * residual is the true one. */
#include "engine/precond_cg.h"
#include "engine/preconditioner.h"
#include "kit/job.h"
#include "kit/kit.h"

#include <math.h>

enum { N = 300, P = 3, T = 3, FOLDS = 4, REPEATS = 2, COUNT = 3, L = 2 };
static const double LAMBDA[COUNT] = {1e-1, 1e-3, 1e-4};

static specreg_status run(specreg_context *ctx, const sri_job *job, sri_sink *sink,
                          sri_report *report)
{
    return sri_precond_cg(ctx, job, sink, report);
}

/* The solver as an engine, so that weights and unpenalised terms are taken out and put back. */
static const sri_engine precond_cg = {.name = "precond_cg", .run = run};

typedef struct keep {
    sri_sink base;
    int64_t seen, most;
    double alpha[COUNT * N * T], residual[COUNT * N * T], held[COUNT * REPEATS * N * T];
    double beta[COUNT * L * T];
} keep;

static specreg_status keep_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    keep *k = (keep *)self;
    const size_t size = N * T, at = (size_t)point->index;
    CHECK_EQ(point->index, k->seen);
    k->seen++;
    if (point->alpha) {
        memcpy(k->alpha + at * size, point->alpha, size * sizeof(double));
        memcpy(k->residual + at * size, point->residual, size * sizeof(double));
    }
    if (point->beta)
        memcpy(k->beta + at * L * T, point->beta, L * T * sizeof(double));
    if (point->fold_residual)
        memcpy(k->held + at * REPEATS * size, point->fold_residual,
               REPEATS * size * sizeof(double));
    return SPECREG_OK;
}

static bool keep_enough(const sri_sink *self)
{
    return ((const keep *)self)->seen >= ((const keep *)self)->most;
}

static keep *keep_new(int64_t most)
{
    keep *k = calloc(1, sizeof *k);
    k->base = (sri_sink){keep_put, keep_enough};
    k->most = most;
    return k;
}

typedef struct problem {
    double *x, *Y, weight[N], terms[N * L];
    int32_t fold[REPEATS * N];
    sri_matrix sparse;
    sri_points *points;
    sri_kernel kernel;
    sri_filter filter;
} problem;

/* The same numbers, of which every third is there, as sparse rows. */
static void make_sparse(specreg_context *ctx, problem *q)
{
    q->sparse = (sri_matrix){.n = N,
                             .p = P,
                             .start = calloc(N + 1, sizeof(int64_t)),
                             .index = calloc(N * P, sizeof(int32_t)),
                             .value = calloc(N * P, sizeof(double))};
    int64_t end = 0;
    for (int k = 0; k < N * P; k++) {
        if (k % 7 < 5) {
            q->sparse.index[end] = k % P;
            q->sparse.value[end++] = q->x[k];
        }
        q->sparse.start[k / P + 1] = end;
    }
    CHECK_OK(ctx, sri_points_of(ctx, &q->sparse, false, &q->points));
}

/* A sine with noise, noise alone, and nothing. */
static problem *make(specreg_context *ctx, const char *kernel, bool sparse)
{
    problem *q = calloc(1, sizeof *q);
    sri_kernel_grid grid;
    double *noise = kit_normal(2, N, T);
    q->x = kit_normal(1, N, P);
    q->Y = calloc(N * T, sizeof(double));
    for (int i = 0; i < N; i++) {
        q->Y[i * T] = sin(2 * q->x[P * i]) + 0.1 * noise[i * T] + 0.5;
        q->Y[i * T + 1] = noise[i * T + 1];
        q->weight[i] = 0.5 + i % 3;
        q->terms[i * L] = 1;
        q->terms[i * L + 1] = q->x[P * i + 1];
        q->fold[i] = i % 5 == 4 ? -1 : i * 7 % FOLDS;
        q->fold[N + i] = i / 76;
    }
    free(noise);
    if (sparse)
        make_sparse(ctx, q);
    else
        CHECK_OK(ctx, sri_points_new(ctx, q->x, N, P, false, &q->points));
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, kernel, &grid));
    q->kernel = sri_kernel_grid_at(&grid, 0);
    sri_kernel_grid_free(&grid);
    CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &q->filter));
    return q;
}

static void drop(problem *q)
{
    sri_points_free(q->points);
    sri_matrix_free(&q->sparse);
    free(q->Y);
    free(q->x);
    free(q);
}

static sri_op *operator_of(specreg_context *ctx, const problem *q, bool weights, bool terms)
{
    static char one[] = "one", x2[] = "x2", *NAMES[L] = {one, x2};
    const sri_features features = {.P = q->terms, .l = L, .name = NAMES};
    const double *weight = weights ? q->weight : NULL;
    sri_op *op;
    sri_projection *p;
    CHECK_OK(ctx, sri_op_kernel_weighted(ctx, &q->kernel, q->points, weight, &op));
    if (terms) {
        CHECK_OK(ctx, sri_projection_new(ctx, &features, N, weight, &p));
        CHECK_OK(ctx, sri_op_projected(ctx, op, p, &op));
    }
    return op;
}

static double length(const double *v, int64_t t, int64_t stride)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += v[i * stride + t] * v[i * stride + t];
    return sqrt(sum);
}

static double distance(const double *a, const double *b, int64_t t)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += (a[i * T + t] - b[i * T + t]) * (a[i * T + t] - b[i * T + t]);
    return sqrt(sum);
}

/* With |r| <= eps |y|: |K A^-1 r| <= |r| and |A^-1 r| <= |r| / mu, and in rows H that are held out
 * |K_HT A_T^-1 r| <= sqrt(|K_HH| / (4 mu)) |r|, where |K_HH| <= N / 2.  Weights of at most 2.5,
 * in y and in rows. */
static void compare(const keep *got, const keep *exact)
{
    for (int j = 0; j < COUNT; j++)
        for (int t = 0; t < T; t++) {
            const double *held = got->held + j * REPEATS * N * T;
            const double eps = 2.5 * SRI_PRECOND_CG_TOLERANCE * sqrt((double)N), mu = N * LAMBDA[j];
            CHECK(distance(got->alpha + j * N * T, exact->alpha + j * N * T, t) <= 2 * eps / mu);
            CHECK(distance(got->residual + j * N * T, exact->residual + j * N * T, t) <= 2 * eps);
            for (int r = 0; r < REPEATS; r++)
                CHECK(distance(held + r * N * T, exact->held + (j * REPEATS + r) * N * T, t) <=
                      FOLDS * eps * sqrt(N / (8 * mu)));
            for (int l = 0; l < L; l++)
                CHECK_NEAR(got->beta[(j * L + l) * T + t], exact->beta[(j * L + l) * T + t],
                           eps * (1 + sqrt(N / mu)));
        }
}

static void check(specreg_context *ctx, const problem *q, bool weights, bool terms, int64_t memory)
{
    sri_op *op = operator_of(ctx, q, weights, terms);
    keep *exact = keep_new(COUNT), *got = keep_new(COUNT);
    sri_report report = {0};
    sri_job job = kit_job(op, q->Y, T, &q->filter, LAMBDA, COUNT);
    kit_job_folds(&job, q->fold, FOLDS, REPEATS);
    CHECK_OK(ctx, sri_engine_run(ctx, &sri_engine_eig, &job, &exact->base, &report));
    job.request.memory = memory;
    report = (sri_report){0};
    CHECK_OK(ctx, sri_engine_run(ctx, &precond_cg, &job, &got->base, &report));
    CHECK_EQ(got->seen, COUNT);
    CHECK(report.residual > 0 && report.residual <= SRI_PRECOND_CG_TOLERANCE * 1.001);
    compare(got, exact);
    free(got);
    free(exact);
    sri_op_free(op);
}

TEST(precond_cg, coefficients_and_folds_are_those_of_the_decomposition)
{
    static const char *const KERNELS[] = {"rbf:sigma=1.5", "laplace:sigma=2 + 0.5*matern:sigma=3"};
    for (int k = 0; k < 4; k++) {
        problem *q = make(ctx, KERNELS[k / 2], k % 2);
        for (int i = 0; i < 4; i++)
            check(ctx, q, i & 1, i & 2, INT64_C(1) << 30);
        drop(q);
    }
}

/* Too little memory for a preconditioner, and for more than one point at a time. */
TEST(precond_cg, little_memory_changes_nothing_but_the_time)
{
    problem *q = make(ctx, "rbf:sigma=1.5", false);
    check(ctx, q, true, true, 1000);
    drop(q);
}

/* The worst |y - (K + n lambda I) alpha| / |y| of outputs that are not 0. */
static double true_residual(specreg_context *ctx, const problem *q, sri_op *op, const keep *got)
{
    double *K = malloc(sizeof(double) * N * N), worst = 0;
    CHECK_OK(ctx, sri_op_fill(ctx, op, true, K));
    for (int j = 0; j < COUNT; j++)
        for (int t = 0; t < T - 1; t++) {
            const double *alpha = got->alpha + j * N * T;
            double r[N];
            for (int i = 0; i < N; i++) {
                double sum = N * LAMBDA[j] * alpha[i * T + t];
                for (int k = 0; k < N; k++)
                    sum += K[i * N + k] * alpha[k * T + t];
                r[i] = q->Y[i * T + t] - sum;
            }
            worst = fmax(worst, length(r, 0, 1) / length(q->Y, t, T));
        }
    free(K);
    return worst;
}

TEST(precond_cg, the_residual_that_is_reported_is_the_true_one)
{
    problem *q = make(ctx, "rbf:sigma=1.5", false);
    sri_op *op = operator_of(ctx, q, false, false);
    keep *got = keep_new(COUNT);
    sri_report report = {0};
    const sri_job job = kit_job(op, q->Y, T, &q->filter, LAMBDA, COUNT);
    CHECK_OK(ctx, sri_precond_cg(ctx, &job, &got->base, &report));
    const double worst = true_residual(ctx, q, op, got);
    CHECK_NEAR(report.residual, worst, kit_tolerance(N, 1 / LAMBDA[COUNT - 1]));
    CHECK(worst <= SRI_PRECOND_CG_TOLERANCE);
    for (int k = 0; k < COUNT * N; k++) /* an output that is 0 */
        CHECK_SAME(got->alpha[k * T + T - 1], 0);
    free(got);
    sri_op_free(op);
    drop(q);
}

/* An operator whose first two products are wrong by some thousandths. */
typedef struct faulty {
    sri_op base;
    int products;
} faulty;

static specreg_status faulty_apply(specreg_context *ctx, sri_op *self, int64_t t, const double *X,
                                   double *Y)
{
    faulty *op = (faulty *)self;
    CHECK_OK(ctx, sri_op_apply(ctx, self->inner, t, X, Y));
    for (int64_t k = 0; op->products < 2 && k < N * t; k++)
        Y[k] *= 1 + 1e-3 * (double)(k % 7);
    op->products++;
    return SPECREG_OK;
}

/* The recurrence does not know of them: a product with alpha tells, and it starts again. */
TEST(precond_cg, errors_of_products_are_seen_and_mended)
{
    problem *q = make(ctx, "rbf:sigma=1.5", false);
    sri_op *right = operator_of(ctx, q, false, false);
    static const sri_op_ops ops = {.apply = faulty_apply};
    faulty op = {.base = *right};
    keep *got = keep_new(COUNT);
    sri_report report = {0};
    op.base.ops = &ops;
    op.base.inner = right;
    sri_job job = kit_job(right, q->Y, T, &q->filter, LAMBDA, COUNT);
    job.problem.op = &op.base;
    CHECK_OK(ctx, sri_precond_cg(ctx, &job, &got->base, &report));
    CHECK(op.products > 2);
    CHECK(true_residual(ctx, q, right, got) <= SRI_PRECOND_CG_TOLERANCE);
    free(got);
    sri_op_free(right);
    drop(q);
}

static sri_report steps_of(specreg_context *ctx, const problem *q, sri_op *op, int64_t memory)
{
    keep *got = keep_new(COUNT);
    sri_report report = {0};
    sri_job job = kit_job(op, q->Y, T, &q->filter, LAMBDA, COUNT);
    kit_job_folds(&job, q->fold, FOLDS, REPEATS);
    job.request.memory = memory;
    CHECK_OK(ctx, sri_engine_run(ctx, &precond_cg, &job, &got->base, &report));
    free(got);
    return report;
}

/* A smooth kernel is in it but for a small rest; with little memory there is none. */
TEST(precond_cg, a_preconditioner_saves_most_steps)
{
    problem *q = make(ctx, "rbf:sigma=6", false);
    for (int i = 0; i < 4; i++) {
        sri_op *op = operator_of(ctx, q, i & 1, i & 2);
        const sri_report with = steps_of(ctx, q, op, INT64_C(1) << 30);
        const sri_report without = steps_of(ctx, q, op, 1000);
        CHECK(with.rank > 0 && with.rank < N / 4);
        CHECK_EQ(without.rank, 0);
        CHECK(with.steps <= 8);
        CHECK(without.steps > 2 * with.steps);
        sri_op_free(op);
    }
    drop(q);
}

/* One lambda without folds: K is stored, and residuals are as short as those of other engines. */
TEST(precond_cg, one_point_of_a_stored_matrix_is_exact)
{
    problem *q = make(ctx, "rbf:sigma=2", false);
    for (int i = 0; i < 4; i++) {
        sri_op *op = operator_of(ctx, q, i & 1, i & 2);
        keep *exact = keep_new(1), *got = keep_new(1);
        sri_report report = {0};
        sri_job job = kit_job(op, q->Y, T, &q->filter, LAMBDA, 1);
        CHECK_OK(ctx, sri_engine_run(ctx, &sri_engine_eig, &job, &exact->base, &report));
        report = (sri_report){0};
        CHECK_OK(ctx, sri_engine_run(ctx, &precond_cg, &job, &got->base, &report));
        CHECK(report.rank > 0 && report.bound > 0);
        CHECK(report.bound <= 1.001 * (SRI_PRECOND_CG_STORED_TOLERANCE + 1e-15 / LAMBDA[0]));
        for (int t = 0; t < T; t++) {
            const double eps = 1e-11 * sqrt((double)N);
            CHECK(distance(got->alpha, exact->alpha, t) <= eps / (N * LAMBDA[0]));
            CHECK(distance(got->residual, exact->residual, t) <= eps);
        }
        free(got);
        free(exact);
        sri_op_free(op);
    }
    drop(q);
}

TEST(precond_cg, points_that_are_not_wanted_do_not_come)
{
    problem *q = make(ctx, "rbf:sigma=1.5", false);
    sri_op *op = operator_of(ctx, q, false, false);
    keep *all = keep_new(COUNT), *got = keep_new(2);
    sri_report report = {0}, less = {0};
    sri_job job = kit_job(op, q->Y, T, &q->filter, LAMBDA, COUNT);
    kit_job_folds(&job, q->fold, FOLDS, REPEATS);
    job.request.scores_only = true;
    CHECK_OK(ctx, sri_engine_run(ctx, &precond_cg, &job, &all->base, &report));
    CHECK_OK(ctx, sri_engine_run(ctx, &precond_cg, &job, &got->base, &less));
    CHECK_EQ(got->seen, 2);
    CHECK(less.steps < report.steps);
    CHECK_ARRAY_NEAR(got->held, all->held, 2 * REPEATS * N * T, 0);
    CHECK_SAME(length(got->alpha, 0, T), 0); /* nor do coefficients */
    free(got);
    free(all);
    sri_op_free(op);
    drop(q);
}

/* Its inverse times the matrix itself, once nothing is left of that, for rows of all folds. */
TEST(precond_cg, the_preconditioner_of_full_rank_is_the_inverse)
{
    problem *q = make(ctx, "laplace:sigma=2", false);
    sri_op *op = operator_of(ctx, q, true, false);
    enum { PARTS = FOLDS + 1 };
    static const double lambda = 1e-9, mu[PARTS] = {1, 2, 0.5, 0.1, 3};
    static const int64_t part[PARTS] = {0, 1, 2, 3, FOLDS};
    sri_preconditioner p;
    double *x = kit_normal(5, N, PARTS), *A = malloc(sizeof(double) * N * PARTS),
           *z = malloc(sizeof(double) * N * PARTS);
    sri_job job = kit_job(op, q->Y, T, &q->filter, &lambda, 1);
    kit_job_folds(&job, q->fold, FOLDS, 1);
    for (int k = 0; k < N * PARTS; k++)
        x[k] *= k % PARTS == FOLDS || q->fold[k / PARTS] != k % PARTS;
    CHECK_OK(ctx, sri_op_apply(ctx, op, PARTS, x, A));
    for (int k = 0; k < N * PARTS; k++)
        A[k] = x[k] == 0 ? 0 : A[k] + mu[k % PARTS] * x[k];
    CHECK_OK(ctx, sri_preconditioner_new(ctx, &job, NULL, N, &p));
    CHECK_OK(ctx, sri_preconditioner_apply(ctx, &p, &(sri_preconditioned){PARTS, part, mu}, A, z));
    for (int k = 0; k < N * PARTS; k++)
        if (x[k] != 0)
            CHECK_NEAR(z[k], x[k], 1e-5);
    sri_preconditioner_free(&p);
    free(z);
    free(A);
    free(x);
    sri_op_free(op);
    drop(q);
}
