/* Block conjugate gradients give the solution of the linear system as elimination in long double
 * has it, for dense and sparse rows, any number of outputs, and outputs that depend on each
 * other. */
#include "conformance/reference.h"
#include "engine/block_cg.h"
#include "kit/job.h"
#include "kit/kit.h"

enum { N = 90, P = 7, MOST_T = 70 };
static const double TOLERANCE = 1e-12; /* that of engine krylov */

typedef struct keep {
    sri_sink base;
    int64_t T, points;
    double alpha[N * MOST_T], residual[N * MOST_T];
} keep;

static specreg_status keep_point(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    keep *k = (keep *)self;
    const size_t size = (size_t)(N * k->T) * sizeof(double);
    CHECK_EQ(point->index, 0);
    memcpy(k->alpha, point->alpha, size);
    memcpy(k->residual, point->residual, size);
    k->points++;
    return SPECREG_OK;
}

typedef struct setting {
    double *x;
    sri_matrix sparse;
    sri_points *points;
    sri_kernel kernel;
    sri_op *op;
    double K[N * N];
    double trace; /* of K / n */
} setting;

static setting *setting_new(specreg_context *ctx, const char *text, bool sparse)
{
    setting *s = calloc(1, sizeof *s);
    sri_kernel_grid grid;
    s->x = kit_normal(11, N, P);
    if (sparse) {
        s->sparse = (sri_matrix){.n = N,
                                 .p = P,
                                 .start = calloc(N + 1, sizeof(int64_t)),
                                 .index = calloc(N * P, sizeof(int32_t)),
                                 .value = calloc(N * P, sizeof(double))};
        for (int64_t k = 0; k < N * P; k++) {
            int64_t *end = &s->sparse.start[k / P + 1];
            *end = k % P ? *end : s->sparse.start[k / P];
            if ((k * 7) % 5 < 2) {
                s->sparse.index[*end] = (int32_t)(k % P);
                s->sparse.value[(*end)++] = s->x[k];
            }
        }
        CHECK_OK(ctx, sri_points_of(ctx, &s->sparse, false, &s->points));
    } else {
        CHECK_OK(ctx, sri_points_new(ctx, s->x, N, P, false, &s->points));
    }
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, text, &grid));
    s->kernel = sri_kernel_grid_at(&grid, 0);
    sri_kernel_grid_free(&grid);
    CHECK_OK(ctx, sri_op_kernel(ctx, &s->kernel, s->points, &s->op));
    CHECK_OK(ctx, sri_op_fill(ctx, s->op, true, s->K));
    for (int i = 0; i < N; i++)
        s->trace += s->K[i * N + i] / N;
    return s;
}

static void setting_free(setting *s)
{
    sri_op_free(s->op);
    sri_points_free(s->points);
    sri_matrix_free(&s->sparse);
    free(s->x);
    free(s);
}

static sri_job job_of(specreg_context *ctx, sri_op *op, const double *Y, int64_t T,
                      const double *lambda)
{
    static sri_filter f;
    CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &f));
    sri_job job = kit_job(op, Y, T, &f, lambda, 1);
    return job;
}

static double column_norm(const double *Y, int64_t T, int64_t t)
{
    double most = 0, sum = 0;
    for (int i = 0; i < N; i++)
        most = fmax(most, fabs(Y[i * T + t]));
    for (int i = 0; i < N && most > 0; i++)
        sum += Y[i * T + t] / most * (Y[i * T + t] / most);
    return most * sqrt(sum);
}

/* |A^-1 r| <= |r| / mu and |K A^-1 r| <= |r|: errors of alpha, times mu, and of the residual are
 * at most the defect, which is at most what is promised, and rounding. */
static void compare(const setting *s, const double *K, const double *Y, int64_t T, double lambda,
                    const keep *got)
{
    const double mu = N * lambda, tol = TOLERANCE + kit_tolerance(N, 1 + s->trace / lambda);
    real *B = real_new(N * T);
    for (int64_t k = 0; k < N * T; k++)
        B[k] = Y[k];
    ref_solve(N, T, K, mu, B);
    for (int64_t t = 0; t < T; t++) {
        const double norm = column_norm(Y, T, t);
        real alpha = 0, residual = 0;
        for (int64_t i = 0; i < N; i++) {
            const real a = (got->alpha[i * T + t] - B[i * T + t]) * mu;
            const real r =
                got->residual[i * T + t] - mu * B[i * T + t]; /* y - K alpha = mu alpha */
            alpha += norm > 0 ? a / norm * (a / norm) : a * a;
            residual += norm > 0 ? r / norm * (r / norm) : r * r;
        }
        CHECK_WORST("alpha", (double)sqrtl(alpha), norm > 0 ? tol : 0);
        CHECK_WORST("residual", (double)sqrtl(residual), norm > 0 ? tol : 0);
    }
    free(B);
}

/* 0: noise; 1: one class against the others, whose columns sum to a constant, one of them zero
 * and two alike; 2: all multiples of one; 3: all zero; 4: noise of very different sizes. */
enum { KINDS = 5 };
static double *outputs(int kind, int64_t T)
{
    double *Y = kit_normal(31, N, T);
    for (int64_t k = 0; k < N * T; k++) {
        const int64_t i = k / T, t = k % T;
        if (kind == 1)
            Y[k] = T > 2 && t == 2 ? 0 : i % T == (t == 1 ? 0 : t) ? 1 : -1;
        else if (kind == 2)
            Y[k] = sin((double)i) * (double)(t + 1);
        else if (kind == 3)
            Y[k] = 0;
        else if (kind == 4)
            Y[k] *= pow(10, 40 * (double)(t % 3) - 40);
    }
    return Y;
}

TEST(block_cg, solves_the_system_for_any_outputs)
{
    static const struct {
        const char *kernel;
        bool sparse;
    } settings[] = {{"rbf:sigma=2", false},
                    {"laplace:sigma=1", false},
                    {"linear", false},
                    {"2*linear", true},
                    {"rbf:sigma=1", true}};
    static const int64_t T[] = {1, 3, 20, MOST_T};
    static const double lambda[] = {1, 1e-2, 1e-5};
    keep *got = calloc(1, sizeof *got);
    got->base.put = keep_point;
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        setting *s = setting_new(ctx, settings[k].kernel, settings[k].sparse);
        for (int c = 0; c < 4 * 3 * KINDS; c++) {
            const int64_t t = T[c % 4];
            const double *l = &lambda[c / 4 % 3];
            double *Y = outputs(c / 12, t);
            const sri_job job = job_of(ctx, s->op, Y, t, l);
            sri_report report = {0};
            bool done = false;
            got->T = t;
            got->points = 0;
            CHECK_OK(ctx, sri_block_cg(ctx, &job, (sri_block_limits){TOLERANCE, 4 * N}, &got->base,
                                       &report, &done));
            CHECK(done);
            CHECK_EQ(got->points, 1);
            CHECK(report.bound <= TOLERANCE + kit_tolerance(N, s->trace / *l));
            CHECK((report.steps == 0) == (c / 12 == 3));
            compare(s, s->K, Y, t, *l, got);
            free(Y);
        }
        setting_free(s);
    }
    free(got);
}

/* In exact arithmetic the space of r independent outputs is whole after n / r steps; outputs
 * that add nothing take no room in it. */
TEST(block_cg, outputs_help_each_other)
{
    static const double lambda = 1e-4;
    setting *s = setting_new(ctx, "laplace:sigma=1", false);
    keep *got = calloc(1, sizeof *got);
    int64_t steps[3];
    got->base.put = keep_point;
    for (int c = 0; c < 3; c++) { /* one, twenty, and twenty that are multiples of one */
        const int64_t T = got->T = c ? 20 : 1;
        double *Y = outputs(c == 1 ? 0 : 2, T);
        const sri_job job = job_of(ctx, s->op, Y, T, &lambda);
        sri_report report = {0};
        bool done;
        CHECK_OK(ctx, sri_block_cg(ctx, &job, (sri_block_limits){TOLERANCE, 4 * N}, &got->base,
                                   &report, &done));
        CHECK(done);
        steps[c] = report.steps;
        free(Y);
    }
    CHECK(steps[1] <= N / 20 + 3);
    CHECK(steps[0] > 3 * steps[1]);
    CHECK(labs((long)(steps[2] - steps[0])) <= 2);
    free(got);
    setting_free(s);
}

/* By engine krylov, for coefficients (K + sum(w) lambda W^-1)^-1 Y. */
TEST(block_cg, weights_are_those_of_the_problem)
{
    static const double lambda = 1e-3;
    enum { T = 3 };
    for (int sparse = 0; sparse < 2; sparse++) {
        setting *s = setting_new(ctx, sparse ? "linear" : "rbf:sigma=2", sparse);
        double *w = kit_uniform(5, N, 1), *Y = outputs(0, T), *K = calloc(N * N, sizeof *K),
               sum = 0;
        keep *got = calloc(1, sizeof *got);
        sri_op *op;
        sri_report report = {0};
        got->base.put = keep_point;
        got->T = T;
        for (int i = 0; i < N; i++)
            sum += w[i] += 0.1;
        CHECK_OK(ctx, sri_op_kernel_weighted(ctx, &s->kernel, s->points, w, &op));
        const sri_job job = job_of(ctx, op, Y, T, &lambda);
        CHECK_OK(ctx, sri_engine_run(ctx, &sri_engine_krylov, &job, &got->base, &report));
        CHECK(report.steps > 0 && report.bound <= TOLERANCE + kit_tolerance(N, s->trace / lambda));
        for (int k = 0; k < N * N; k++)
            K[k] = sqrt(w[k / N] * w[k % N]) * s->K[k];
        for (int k = 0; k < N * T;
             k++) { /* into the form of compare(), with n for the sum of weights */
            Y[k] *= sqrt(w[k / T]);
            got->alpha[k] /= sqrt(w[k / T]);
            got->residual[k] *= sqrt(w[k / T]);
        }
        compare(s, K, Y, T, lambda * sum / N, got);
        sri_op_free(op);
        free(got);
        free(K);
        free(Y);
        free(w);
        setting_free(s);
    }
}

TEST(block_cg, hands_on_nothing_that_is_not_solved)
{
    static const double lambda = 1e-4;
    double *Y = outputs(0, 3);
    keep *got = calloc(1, sizeof *got);
    setting *s = setting_new(ctx, "laplace:sigma=1", false);
    sri_job job = job_of(ctx, s->op, Y, 3, &lambda);
    sri_report report = {0};
    bool done = true;
    got->base.put = keep_point;
    got->T = 3;
    CHECK_OK(ctx, sri_block_cg(ctx, &job, (sri_block_limits){TOLERANCE, 4}, &got->base, &report,
                               &done)); /* too few steps */
    CHECK(!done);
    double D[N * N] = {0}; /* an eigenvalue below zero */
    for (int i = 0; i < N; i++)
        D[i * N + i] = i == 5 ? -3 : 1 + i % 3;
    CHECK_OK(ctx, kit_op_matrix(ctx, D, N, &job.problem.op));
    CHECK_OK(ctx, sri_block_cg(ctx, &job, (sri_block_limits){TOLERANCE, 4 * N}, &got->base, &report,
                               &done));
    CHECK(!done);
    CHECK_EQ(got->points, 0);
    sri_op_free(job.problem.op);
    setting_free(s);
    free(got);
    free(Y);
}

/* Many points, folds, other filters and outputs with operators of their own have no single
 * system; few outputs of a stored matrix are better served by a basis. */
TEST(block_cg, serves_one_point_of_tikhonov)
{
    static const double lambda[2] = {1e-2, 1e-3}, scale[4] = {2, 2, 2, 2};
    sri_op op = {.n = N, .mass = N};
    sri_job job = job_of(ctx, &op, NULL, 1, lambda);
    sri_filter other;
    CHECK(!sri_block_cg_serves(&job));
    job.shape.nonzeros = 100;
    CHECK(sri_block_cg_serves(&job));
    job.shape.nonzeros = 0;
    job.problem.T = 4;
    CHECK(sri_block_cg_serves(&job));
    job.path.count = 2;
    CHECK(!sri_block_cg_serves(&job));
    job.path.count = 1;
    job.request.need = SRI_NEED_FOLDS;
    CHECK(!sri_block_cg_serves(&job));
    job.request.need = 0;
    job.problem.scale = scale;
    CHECK(!sri_block_cg_serves(&job));
    job.problem.scale = NULL;
    CHECK_OK(ctx, sri_filter_parse(ctx, "iterated:order=2", &other));
    job.path.filter = &other;
    CHECK(!sri_block_cg_serves(&job));
}
