/* Krylov: when it stops, how good it is then, and what it says when it may not go on. */
#include <float.h>
#include <math.h>

#include "conformance/reference.h"
#include "kit/job.h"
#include "kit/kit.h"

enum { N = 260, T = 2, POINTS = 4 };

typedef struct keep {
    sri_sink base;
    double alpha[POINTS][N * T], residual[POINTS][N * T];
} keep;

static specreg_status keep_point(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    keep *k = (keep *)self;
    memcpy(k->alpha[point->index], point->alpha, sizeof k->alpha[0]);
    memcpy(k->residual[point->index], point->residual, sizeof k->residual[0]);
    return SPECREG_OK;
}

typedef struct setting {
    double *x, *Y, *K;
    sri_kernel_grid grid;
    sri_kernel kernel;
    sri_points *points;
    sri_op *op;
} setting;

static setting setting_make(specreg_context *ctx, const char *kernel)
{
    setting s = {.x = kit_normal(51, N, 2), .Y = kit_normal(52, N, T)};
    for (int i = 0; i < N; i++)
        s.Y[i * T] = sin(2 * s.x[i * 2]) * s.x[i * 2 + 1];
    s.K = malloc(sizeof(double[N * N]));
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, kernel, &s.grid));
    CHECK_OK(ctx, sri_points_new(ctx, s.x, N, 2, false, &s.points));
    return s;
}

/* The operator points at the kernel, so the setting must lie still from here on. */
static void setting_start(specreg_context *ctx, setting *s)
{
    s->kernel = sri_kernel_grid_at(&s->grid, 0);
    CHECK_OK(ctx, sri_op_kernel(ctx, &s->kernel, s->points, &s->op));
    CHECK_OK(ctx, sri_op_fill(ctx, s->op, true, s->K));
}

static void setting_free(setting *s)
{
    sri_op_free(s->op);
    sri_points_free(s->points);
    sri_kernel_grid_free(&s->grid);
    free(s->K);
    free(s->Y);
    free(s->x);
}

/* |y - (K + n lambda I) alpha| / |y|, the worst output: Tikhonov's defect itself. */
static double defect_of(const setting *s, const double *alpha, double lambda)
{
    double worst = 0;
    for (int t = 0; t < T; t++) {
        real off = 0, size = 0;
        for (int i = 0; i < N; i++) {
            real v = s->Y[i * T + t] - N * (real)lambda * alpha[i * T + t];
            for (int j = 0; j < N; j++)
                v -= (real)s->K[i * N + j] * alpha[j * T + t];
            off += v * v;
            size += (real)s->Y[i * T + t] * s->Y[i * T + t];
        }
        worst = fmax(worst, (double)sqrtl(off / size));
    }
    return worst;
}

/* Kernels and lambdas that need few, many and (almost) all steps. */
TEST(krylov, stops_early_with_the_defect_it_promises)
{
    static const char *const kernels[] = {"rbf:sigma=1", "rbf:sigma=0.2", "laplace:sigma=1",
                                          "poly:degree=2"};
    static const double lambda[POINTS] = {1e-1, 1e-3, 1e-5, 1e-7};
    for (int k = 0; k < 4; k++) {
        setting s = setting_make(ctx, kernels[k]);
        keep *sink = calloc(1, sizeof *sink);
        sri_filter f;
        setting_start(ctx, &s);
        sink->base.put = keep_point;
        CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &f));
        const int64_t counts[3] = {1, 2, POINTS};
        for (int c = 0; c < 3; c++) {
            sri_job job = kit_job(s.op, s.Y, T, &f, lambda, counts[c]);
            sri_report report = {0};
            CHECK_OK(ctx, sri_engine_run(ctx, &sri_engine_krylov, &job, &sink->base, &report));
            CHECK(report.steps >= 1 && report.steps <= N);
            if (k == 0 && c < 2)
                CHECK(report.steps < N / 2);
            double trace = 0;
            for (int i = 0; i < N; i++)
                trace += s.K[i * N + i] / N;
            for (int i = 0; i < counts[c]; i++) /* rounding: n eps |K/n| g in the defect */
                CHECK_WORST("defect", defect_of(&s, sink->alpha[i], lambda[i]),
                            1e-12 + kit_tolerance(N, 1 + trace / lambda[i]));
        }
        free(sink);
        setting_free(&s);
    }
}

/* A budget that allows 50 steps only: the result is not exact, and the record says by how much. */
TEST(krylov, says_how_far_it_came_when_memory_ends_it)
{
    static const double lambda[POINTS] = {1e-2, 1e-4, 1e-6, 1e-7};
    setting s = setting_make(ctx, "laplace:sigma=0.5");
    keep *sink = calloc(1, sizeof *sink);
    sri_filter f;
    setting_start(ctx, &s);
    sink->base.put = keep_point;
    CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &f));
    sri_job job = kit_job(s.op, s.Y, T, &f, lambda, POINTS);
    job.request.memory = 100000;
    sri_report report = {0};
    CHECK_OK(ctx, sri_engine_run(ctx, &sri_engine_krylov, &job, &sink->base, &report));
    CHECK_EQ(report.steps, 50);
    double worst = 0;
    for (int i = 0; i < POINTS; i++)
        worst = fmax(worst, defect_of(&s, sink->alpha[i], lambda[i]));
    CHECK(report.bound > 1e-9);
    CHECK_NEAR(worst / report.bound, 1, 1e-6);
    for (int i = 0; i < POINTS; i++) /* and residuals are those of the coefficients it has */
        for (int row = 0; row < N; row++)
            for (int t = 0; t < T; t++) {
                real want = s.Y[row * T + t];
                for (int j = 0; j < N; j++)
                    want -= (real)s.K[row * N + j] * sink->alpha[i][j * T + t];
                CHECK_NEAR(sink->residual[i][row * T + t], (double)want,
                           kit_tolerance(N, 1 / lambda[i] / N));
            }
    free(sink);
    setting_free(&s);
}

TEST(krylov, refuses_more_steps_of_cg_than_memory_holds)
{
    static const double t[2] = {10, 51};
    setting s = setting_make(ctx, "rbf:sigma=1");
    sri_filter f;
    setting_start(ctx, &s);
    CHECK_OK(ctx, sri_filter_parse(ctx, "cg", &f));
    sri_job job = kit_job(s.op, s.Y, T, &f, t, 2);
    job.request.memory = 100000;
    CHECK(sri_engine_krylov.refuses(&job) != NULL);
    job.path.count = 1;
    CHECK(sri_engine_krylov.refuses(&job) == NULL);
    job.path.count = 2;
    job.request.memory = 1 << 30;
    CHECK(sri_engine_krylov.refuses(&job) == NULL);
    setting_free(&s);
}

TEST(krylov, an_indefinite_matrix_is_an_error)
{
    double K[N * N] = {0};
    static const double lambda = 1e-3;
    double *Y = kit_normal(53, N, T);
    keep *sink = calloc(1, sizeof *sink);
    sri_op *op;
    sri_filter f;
    sri_report report = {0};
    for (int i = 0; i < N; i++)
        K[i * N + i] = i == 5 ? -3 : 1 + i % 3;
    sink->base.put = keep_point;
    CHECK_OK(ctx, kit_op_matrix(ctx, K, N, &op));
    CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &f));
    sri_job job = kit_job(op, Y, T, &f, &lambda, 1);
    CHECK_FAILS(ctx, sri_engine_run(ctx, &sri_engine_krylov, &job, &sink->base, &report),
                SPECREG_E_NUMERIC,
                "not positive semi-definite: it has eigenvalues from below -3 to above 3");
    sri_op_free(op);
    free(sink);
    free(Y);
}

/* ------------------------------------------------------------------------------- the choice */

TEST(plan, names_are_checked_and_refusals_are_explained)
{
    static const double lambda = 1e-3, t = 5;
    setting s = setting_make(ctx, "rbf:sigma=1");
    const sri_engine *engine;
    char why[200];
    sri_filter tik, cg, tsvd;
    setting_start(ctx, &s);
    CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &tik));
    CHECK_OK(ctx, sri_filter_parse(ctx, "cg", &cg));
    CHECK_OK(ctx, sri_filter_parse(ctx, "tsvd", &tsvd));
    sri_job job = kit_job(s.op, s.Y, T, &tik, &lambda, 1);
    CHECK_FAILS(ctx, sri_engine_plan(ctx, "krilov", &job, &engine, why), SPECREG_E_ARG,
                "did you mean 'krylov'?");
    CHECK_OK(ctx, sri_engine_plan(ctx, "krylov", &job, &engine, why));
    CHECK(engine == &sri_engine_krylov);
    CHECK_FAILS(ctx, sri_engine_plan(ctx, "iterate", &job, &engine, why), SPECREG_E_ARG,
                "the filter is not an iteration");
    CHECK_OK(ctx, sri_engine_plan(ctx, "auto", &job, &engine, why));
    CHECK(engine != NULL && why[0] != '\0');
    job.request.memory = 1000;
    CHECK_FAILS(ctx, sri_engine_plan(ctx, "auto", &job, &engine, why), SPECREG_E_NOMEM,
                "the budget leaves 1000 bytes");
    job.request.memory = 1 << 30;
    job.path.filter = &tsvd;
    CHECK_OK(ctx, sri_engine_plan(ctx, "auto", &job, &engine, why));
    CHECK(engine == &sri_engine_eig);
    job.path.filter = &cg;
    job.path.param = &t;
    job.request.need = SRI_NEED_DF;
    CHECK_FAILS(ctx, sri_engine_plan(ctx, "auto", &job, &engine, why), SPECREG_E_ARG,
                "conjugate gradients depend on y");
    setting_free(&s);
}

/* The fastest of all engines for five folds of one output, as measured (docs/BENCHMARKS.md, "Which
 * engine"); costs need no more of the operator than its size. */
TEST(plan, folds_of_iterations_go_to_the_engine_that_measured_fastest)
{
    enum { MOST = 4000, FOLDS = 5 };
    static const struct {
        int64_t n;
        const char *filter;
        double last;
        const sri_engine *fastest;
    } cases[] = {
        {400, "landweber", 1e5, &sri_engine_krylov},  {1000, "landweber", 1e5, &sri_engine_krylov},
        {2000, "landweber", 1e5, &sri_engine_krylov}, {4000, "landweber", 1e5, &sri_engine_krylov},
        {400, "nu", 1e3, &sri_engine_iterate},        {1000, "nu", 1e3, &sri_engine_krylov},
        {2000, "nu", 1e3, &sri_engine_krylov},        {4000, "nu", 1e3, &sri_engine_krylov},
    };
    static const sri_op_ops ops = {.name = "of costs alone"};
    static int32_t fold[MOST];
    const sri_machine measured_on = sri_machine_default(2);
    for (int i = 0; i < MOST; i++)
        fold[i] = i % FOLDS;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double n = (double)cases[k].n;
        sri_op op = {.ops = &ops, .n = cases[k].n, .mass = n};
        sri_filter f;
        const sri_engine *engine;
        CHECK_OK(ctx, sri_filter_parse(ctx, cases[k].filter, &f));
        sri_job job = kit_job(&op, NULL, 1, &f, &cases[k].last, 1);
        job.request.memory = (int64_t)8 << 30;
        kit_job_folds(&job, fold, FOLDS, 1);
        job.request.machine = &measured_on;
        CHECK_OK(ctx, sri_engine_plan(ctx, "auto", &job, &engine, NULL));
        CHECK(engine == cases[k].fastest);
    }
}

/* Sparse rows with few columns, one of them full: A'A takes pairs of entries within rows, not of
 * columns within columns, and is the cheapest for folds (measured on a9a). */
TEST(plan, sparse_rows_with_few_columns_go_to_primal)
{
    enum { ROWS = 20000, COLS = 120, EACH = 14, FOLDS = 5 };
    static const double lambda[3] = {1e-1, 1e-3, 1e-5};
    int32_t *fold = calloc(ROWS, sizeof *fold);
    sri_matrix m = {.n = ROWS,
                    .p = COLS,
                    .start = calloc(ROWS + 1, sizeof(int64_t)),
                    .index = calloc(ROWS * EACH, sizeof(int32_t)),
                    .value = calloc(ROWS * EACH, sizeof(double))};
    for (int i = 0; i < ROWS; i++) {
        fold[i] = i % FOLDS;
        m.start[i + 1] = (i + 1) * EACH;
        for (int k = 0; k < EACH; k++) {
            m.index[i * EACH + k] = k == EACH - 1 ? COLS - 1 : k * 9 + i % 9;
            m.value[i * EACH + k] = 1;
        }
    }
    sri_kernel_grid grid;
    sri_points *points;
    sri_op *op;
    sri_filter f;
    const sri_engine *engine;
    const sri_machine measured_on = sri_machine_default(2);
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, "linear", &grid));
    const sri_kernel kernel = sri_kernel_grid_at(&grid, 0);
    CHECK_OK(ctx, sri_points_of(ctx, &m, false, &points));
    CHECK_OK(ctx, sri_op_kernel(ctx, &kernel, points, &op));
    CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &f));
    sri_job job = kit_job(op, NULL, 1, &f, lambda, 3);
    job.request.memory = (int64_t)8 << 30;
    kit_job_folds(&job, fold, FOLDS, 1);
    job.request.machine = &measured_on;
    job.request.tolerance = 1e-3;
    CHECK_OK(ctx, sri_engine_plan(ctx, "auto", &job, &engine, NULL));
    CHECK(engine == &sri_engine_primal);
    CHECK(sri_engine_seconds("primal", &job) <
          sri_engine_seconds("krylov", &job) / 5); /* a9a: 0.1 and 1 s */
    sri_op_free(op);
    sri_points_free(points);
    sri_kernel_grid_free(&grid);
    sri_matrix_free(&m);
    free(fold);
}
