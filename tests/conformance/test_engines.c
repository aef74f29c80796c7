/* Every engine gives the same coefficients, residuals, leverages and degrees of freedom for every
 * filter on every kernel: those of slow long double arithmetic.  See engines.h for the bounds.
 * (krylov* and iterate*: the matrix is not stored but computed again for each product.) */
#include "conformance/engines.h"
#include "kit/job.h"

static double own_kernel(const double *x, const double *z, int64_t p, const double *params,
                         void *payload)
{
    (void)payload;
    double dot = 1, dist = 0; /* a product of two kernels is one */
    for (int64_t k = 0; k < p; k++) {
        dot += x[k] * z[k];
        dist += (x[k] - z[k]) * (x[k] - z[k]);
    }
    return dot * exp(-params[0] * dist);
}

static void register_own_kernel(specreg_context *ctx)
{
    static const specreg_param_def params[] = {{"c", 0.5}};
    const specreg_kernel_def def = {sizeof def, "mine", own_kernel, params, 1, NULL, NULL};
    CHECK_OK(ctx, specreg_register_kernel(ctx, &def));
}

static const char *const KERNELS[] = {
    "linear",
    "poly:degree=2",
    "poly:degree=5,coef0=0.5,gamma=0.3",
    "rbf:sigma=0.05",
    "rbf:sigma=1",
    "rbf:sigma=30",
    "laplace:sigma=1",
    "laplace:sigma=2,norm=1",
    "matern:nu=0.5,sigma=1",
    "matern:nu=1.5,sigma=1",
    "matern:nu=2.5,sigma=3",
    "sobolev",
    "precomputed",
    "0.3*rbf:sigma=1 + 2*linear",
    "mine:c=0.2",
};
enum { N_KERNELS = sizeof KERNELS / sizeof *KERNELS };

/* Three outputs: smooth, zero, noise. */
static double *outputs(const double *x, int64_t n, int64_t p)
{
    double *noise = kit_normal(77, n, 1), *Y = malloc((size_t)(3 * n) * sizeof *Y);
    for (int64_t i = 0; i < n; i++) {
        Y[3 * i] = sin(3 * x[i * p]) + 0.1 * noise[i];
        Y[3 * i + 1] = 0;
        Y[3 * i + 2] = 100 * noise[i];
    }
    free(noise);
    return Y;
}

static void conform_on(specreg_context *ctx, const char *kernel, const double *x, int64_t n,
                       int64_t p)
{
    sri_kernel_grid grid;
    sri_points *points;
    sri_op *op, *streamed;
    problem pb;
    double *Y = outputs(x, n, p), *made = NULL;
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, kernel, &grid));
    if (strcmp(kernel, "sobolev") == 0) { /* one column in [0, 1] */
        made = malloc((size_t)n * sizeof *made);
        for (int64_t i = 0; i < n; i++)
            made[i] = 0.5 + 0.4 * sin(x[i * p]);
        p = 1;
    } else if (sri_kernel_grid_indexed(&grid)) { /* a symmetric matrix: Brownian motion */
        made = malloc((size_t)(n * n) * sizeof *made);
        for (int64_t i = 0; i < n * n; i++)
            made[i] = (double)(i / n < i % n ? i / n + 1 : i % n + 1) / (double)n;
        p = n;
    }
    CHECK_OK(ctx,
             sri_points_new(ctx, made ? made : x, n, p, sri_kernel_grid_indexed(&grid), &points));
    CHECK_OK(ctx, sri_kernel_grid_resolve(ctx, &grid, points, 1));
    const sri_kernel k = sri_kernel_grid_at(&grid, 0);
    CHECK_OK(ctx, sri_op_kernel(ctx, &k, points, &op));
    CHECK_OK(ctx, sri_op_kernel(ctx, &k, points, &streamed));
    problem_start(ctx, &pb, kernel, op, Y, 3);
    conform(ctx, &pb, streamed);
    problem_end(&pb);
    sri_op_free(streamed);
    sri_op_free(op);
    sri_points_free(points);
    sri_kernel_grid_free(&grid);
    free(made);
    free(Y);
}

/* All kernels, or each third one from `first` on: engines see the matrix, not the kernel. */
static void many_kernels(specreg_context *ctx, const double *x, int64_t n, int64_t p, int first)
{
    register_own_filter(ctx);
    register_own_kernel(ctx);
    for (int k = kit_whole() ? 0 : first; k < N_KERNELS; k += kit_whole() ? 1 : 3)
        conform_on(ctx, KERNELS[k], x, n, p);
}

TEST(engines, agree_on_random_points)
{
    double *x = kit_normal(1, 44, 3);
    many_kernels(ctx, x, 44, 3, 0);
    free(x);
}

TEST(engines, agree_on_repeated_rows_and_a_constant_column)
{
    enum { N = 42, P = 3 };
    double *x = kit_normal(2, N, P);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < P; k++)
            x[i * P + k] = k == P - 1 ? 3 : x[i % 14 * P + k];
    many_kernels(ctx, x, N, P, 1);
    free(x);
}

TEST(engines, agree_on_one_and_two_rows)
{
    double *x = kit_normal(3, 2, 3);
    register_own_filter(ctx);
    register_own_kernel(ctx);
    for (int k = 0; k < N_KERNELS; k++)
        for (int64_t n = 1; n <= 2; n++)
            conform_on(ctx, KERNELS[k], x, n, 3);
    free(x);
}

/* ------------------------------------------------------------------ conjugate gradients
 * They are not a function of K alone, so their conditioning is measured: long double
 * arithmetic with an error of n eps in every product misses the exact iterate by so much.
 * Steps beyond the tenth digit are not compared: no engine owes anything there. */

typedef struct cg_sink {
    sri_sink base;
    const char *filter, *engine, *kernel;
    const real *alphas[3], *size; /* per output: steps x n; size: output x step, |alpha|        */
    const real *cond;             /* the same shape: relative error per relative error in K     */
    int64_t n, steps, compared;
} cg_sink;

static specreg_status cg_compare(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    cg_sink *c = (cg_sink *)self;
    for (int64_t t = 0; t < 3; t++) {
        const int64_t at = t * c->steps + (int64_t)point->param - 1;
        const double bound = kit_tolerance(c->n, 1 + (double)c->cond[at]);
        double error = 0;
        for (int64_t i = 0; i < c->n; i++) {
            const real want = t == 1 ? 0 : c->alphas[t][((int64_t)point->param - 1) * c->n + i];
            error += pow(point->alpha[i * 3 + t] - (double)want, 2);
        }
        if (t == 1) {
            CHECK(error == 0);
        } else if (bound < 1e-10) {
            note(c->filter, c->engine, c->kernel, "alpha", point->param,
                 sqrt(error) / (double)c->size[at], bound);
            c->compared++;
        }
    }
    return SPECREG_OK;
}

static void cg_on(specreg_context *ctx, const char *kernel, sri_op *op, const double *Y,
                  bool residual)
{
    enum { STEPS_MAX = 14, SEEDS = 4 };
    const int64_t n = op->n, steps = n < STEPS_MAX ? n : STEPS_MAX;
    const real noise = (real)n * DBL_EPSILON;
    double *K = malloc((size_t)(n * n) * sizeof *K), param[STEPS_MAX];
    real *exact[3], *size = real_new(3 * steps), *cond = real_new(3 * steps);
    real *rough = real_new(steps * n), *y = real_new(n);
    CHECK_OK(ctx, sri_op_fill(ctx, op, true, K));
    for (int t = 0; t < 3; t++) {
        exact[t] = real_new(steps * n);
        if (t == 1)
            continue;
        for (int64_t i = 0; i < n; i++)
            y[i] = Y[i * 3 + t];
        ref_cg(n, K, y, steps, residual, 0, 0, exact[t]);
        for (int seed = 0; seed < SEEDS; seed++) {
            ref_cg(n, K, y, steps, residual, noise, (uint64_t)seed + 1, rough);
            for (int64_t k = 0; k < steps; k++) {
                real norm = 0, off = 0;
                for (int64_t i = 0; i < n; i++) {
                    const real a = exact[t][k * n + i], b = rough[k * n + i];
                    norm += a * a;
                    off += (a - b) * (a - b);
                }
                size[t * steps + k] = sqrtl(norm);
                const real c = sqrtl(off / norm) / noise;
                const real old = cond[t * steps + k];
                cond[t * steps + k] = c > old || c != c ? c : old;
            }
        }
    }
    for (int64_t k = 0; k < steps; k++)
        param[k] = (double)(k + 1);
    const char *text = residual ? "cg:norm=residual" : "cg:norm=error";
    sri_filter filter;
    CHECK_OK(ctx, sri_filter_parse(ctx, text, &filter));
    int engines = 0;
    for (int e = 0; sri_engine_at(e); e++) {
        sri_job job = kit_job(op, Y, 3, &filter, param, steps);
        if (sri_engine_at(e)->refuses(&job))
            continue;
        cg_sink sink = {.base = {.put = cg_compare},
                        .filter = text,
                        .engine = sri_engine_at(e)->name,
                        .kernel = kernel,
                        .alphas = {exact[0], exact[1], exact[2]},
                        .size = size,
                        .cond = cond,
                        .n = n,
                        .steps = steps};
        sri_report report = {0};
        CHECK_OK(ctx, sri_engine_run(ctx, sri_engine_at(e), &job, &sink.base, &report));
        CHECK(sink.compared >= 2);
        engines++;
    }
    CHECK_EQ(engines, 2);
    for (int t = 0; t < 3; t++)
        free(exact[t]);
    free(y);
    free(rough);
    free(cond);
    free(size);
    free(K);
}

TEST(engines, take_the_textbook_steps_of_conjugate_gradients)
{
    static const char *const kernels[] = {"linear",         "poly:degree=2",
                                          "rbf:sigma=0.05", "rbf:sigma=1",
                                          "rbf:sigma=30",   "laplace:sigma=1",
                                          "matern:sigma=1", "rbf:sigma=1 + 2*linear"};
    static const int64_t rows[] = {1, 2, 14, 44};
    double *x = kit_normal(1, 44, 3), *Y = outputs(x, 44, 3);
    for (int k = 0; k < 8; k++)
        for (int m = 0; m < 4; m++) {
            sri_kernel_grid grid;
            sri_points *points;
            sri_op *op;
            CHECK_OK(ctx, sri_kernel_grid_parse(ctx, kernels[k], &grid));
            CHECK_OK(ctx, sri_points_new(ctx, x, rows[m], 3, false, &points));
            const sri_kernel kernel = sri_kernel_grid_at(&grid, 0);
            CHECK_OK(ctx, sri_op_kernel(ctx, &kernel, points, &op));
            cg_on(ctx, kernels[k], op, Y, false);
            cg_on(ctx, kernels[k], op, Y, true);
            sri_op_free(op);
            sri_points_free(points);
            sri_kernel_grid_free(&grid);
        }
    free(Y);
    free(x);
}

/* ----------------------------------------------------------- more than fits in one go
 * Engines take points, rows and outputs in groups.  Here all groups are needed more than once;
 * Cholesky, which knows no groups and was compared above, gives the answer. */

typedef struct whole_path {
    sri_sink base;
    int64_t n, T, next;
    double *alpha, *residual, *slack, *df; /* by point */
} whole_path;

static specreg_status keep_whole(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    whole_path *w = (whole_path *)self;
    const int64_t size = w->n * w->T, i = w->next++;
    CHECK_EQ(point->index, i);
    memcpy(w->alpha + i * size, point->alpha, (size_t)size * sizeof(double));
    memcpy(w->residual + i * size, point->residual, (size_t)size * sizeof(double));
    if (point->one_minus_h)
        memcpy(w->slack + i * w->n, point->one_minus_h, (size_t)w->n * sizeof(double));
    w->df[i] = point->df;
    return SPECREG_OK;
}

static whole_path run_whole(specreg_context *ctx, const sri_engine *engine, const sri_job *job)
{
    const int64_t n = job->problem.op->n;
    whole_path w = {.base = {.put = keep_whole}, .n = n, .T = job->problem.T};
    w.alpha = malloc((size_t)(n * job->problem.T * job->path.count) * sizeof(double));
    w.residual = malloc((size_t)(n * job->problem.T * job->path.count) * sizeof(double));
    w.slack = malloc((size_t)(n * job->path.count) * sizeof(double));
    w.df = malloc((size_t)job->path.count * sizeof(double));
    sri_report report = {0};
    CHECK(engine->refuses(job) == NULL);
    CHECK_OK(ctx, sri_engine_run(ctx, engine, job, &w.base, &report));
    CHECK_EQ(w.next, job->path.count);
    return w;
}

static void whole_free(whole_path *w)
{
    free(w->df);
    free(w->slack);
    free(w->residual);
    free(w->alpha);
}

static void check_band_groups(specreg_context *ctx, sri_job job, const whole_path *want)
{
    const int64_t n = job.problem.op->n, T = job.problem.T;
    whole_path band = run_whole(ctx, &sri_engine_band, &job);
    for (int64_t i = 0; i < job.path.count; i++) {
        const double lambda = job.path.param[i], size = sqrt((double)n);
        const double tol = 2 * kit_tolerance(n, 1 + 1 / lambda);
        const double *a = want->alpha + i * n * T, *r = want->residual + i * n * T;
        CHECK_WORST("groups: band, alpha", kit_distance(band.alpha + i * n * T, a, n * T),
                    tol * size / ((double)n * lambda));
        CHECK_WORST("groups: band, residual", kit_distance(band.residual + i * n * T, r, n * T),
                    tol * size);
        CHECK_WORST("groups: band, df", fabs(band.df[i] - want->df[i]), tol * (double)n);
        if (job.request.need & SRI_NEED_LEVERAGE)
            CHECK_WORST("groups: band, 1-H_ii",
                        kit_distance(band.slack + i * n, want->slack + i * n, n), tol);
    }
    whole_free(&band);
}

static void check_groups(specreg_context *ctx, int64_t n, int64_t T, int64_t count)
{
    double *x = kit_normal(8, n, 2), *Y = kit_normal(9, n, T), *lambda = malloc((size_t)count * 8);
    sri_kernel_grid grid;
    sri_points *points;
    sri_op *op;
    sri_filter f;
    for (int64_t i = 0; i < count; i++)
        lambda[i] = pow(10, -1 - 4.0 * (double)i / (double)count);
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, "rbf:sigma=0.5", &grid));
    CHECK_OK(ctx, sri_points_new(ctx, x, n, 2, false, &points));
    const sri_kernel k = sri_kernel_grid_at(&grid, 0);
    CHECK_OK(ctx, sri_op_kernel(ctx, &k, points, &op));
    CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &f));
    sri_job job = kit_job(op, Y, T, &f, lambda, count);
    job.request.need = SRI_NEED_LEVERAGE | SRI_NEED_DF;
    whole_path want = run_whole(ctx, &sri_engine_cholesky, &job);
    whole_path eig = run_whole(ctx, &sri_engine_eig, &job);
    check_band_groups(ctx, job, &want);
    job.request.need = SRI_NEED_DF; /* then df is the trace of an inverse, not a sum of leverages */
    check_band_groups(ctx, job, &want);
    job.request.need = 0;
    whole_path krylov = run_whole(ctx, &sri_engine_krylov, &job);
    for (int64_t i = 0; i < count; i++) {
        const double tol = kit_tolerance(n, 1 + 1 / lambda[i]), size = sqrt((double)n);
        const double *a = want.alpha + i * n * T, *r = want.residual + i * n * T;
        CHECK_WORST("groups: eig, alpha", kit_distance(eig.alpha + i * n * T, a, n * T),
                    2 * tol * size / ((double)n * lambda[i]));
        CHECK_WORST("groups: eig, residual", kit_distance(eig.residual + i * n * T, r, n * T),
                    2 * tol * size);
        CHECK_WORST("groups: krylov, alpha", kit_distance(krylov.alpha + i * n * T, a, n * T),
                    (2 * tol + 1e-12) * size / ((double)n * lambda[i]));
        CHECK_WORST("groups: krylov, residual", kit_distance(krylov.residual + i * n * T, r, n * T),
                    (2 * tol + 1e-12) * size);
        CHECK_WORST("groups: eig, 1-H_ii", kit_distance(eig.slack + i * n, want.slack + i * n, n),
                    2 * tol);
        CHECK_WORST("groups: eig, df", fabs(eig.df[i] - want.df[i]), 2 * tol * (double)n);
    }
    whole_free(&krylov);
    whole_free(&eig);
    whole_free(&want);
    sri_op_free(op);
    sri_points_free(points);
    sri_kernel_grid_free(&grid);
    free(lambda);
    free(Y);
    free(x);
}

TEST(engines, agree_on_many_rows_points_and_outputs)
{
    check_groups(ctx, 300, 1, 70);
    check_groups(ctx, 150, 3, 40);
    check_groups(ctx, 140, 70, 3);
    check_groups(ctx, 130, 2, 80);
}

/* Runs last: tests run in the order of the file. */
TEST(engines, the_worst_errors_stay_below_their_bounds)
{
    check_table();
}
