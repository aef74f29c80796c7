/* The reduction to a band and what is done with it, and the engine that stands on them. */
#include <float.h>
#include <math.h>

#include "backend/band.h"
#include "backend/blas.h"
#include "backend/threads.h"
#include "backend/vec.h"
#include "kit/job.h"
#include "kit/kit.h"

static const int64_t SIZES[] = {1, 2, 48, 49, 50, 51, 96, 98, 200, 350};
enum { N_SIZES = sizeof SIZES / sizeof *SIZES };

/* X X' of random X with `rank` columns, of norm about 1. */
static double *low_rank(uint64_t seed, int64_t n, int64_t rank)
{
    double *X = kit_normal(seed, n, rank), *K = calloc((size_t)(n * n), sizeof *K);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t k = 0; k < rank; k++)
                K[i * n + j] += X[i * rank + k] * X[j * rank + k] / (double)(4 * n);
    free(X);
    return K;
}

/* A copy with NaN below the diagonal: only the upper triangle may be read. */
static double *upper_of(const double *K, int64_t n)
{
    double *U = malloc((size_t)(n * n) * sizeof *U);
    for (int64_t i = 0; i < n * n; i++)
        U[i] = i % n >= i / n ? K[i] : NAN;
    return U;
}

static double entry(const sri_band *band, int64_t i, int64_t j)
{
    const int64_t low = i > j ? j : i, off = i > j ? i - j : j - i;
    return off > band->width ? 0 : band->B[low * (band->width + 1) + off];
}

/* M = Q B Q' as dense columns: Q times B, transposed, Q times that. */
static double *multiplied_out(specreg_context *ctx, const sri_band *band)
{
    const int64_t n = band->n;
    double *M = malloc((size_t)(n * n) * sizeof *M);
    for (int64_t i = 0; i < n * n; i++)
        M[i] = entry(band, i / n, i % n);
    for (int pass = 0; pass < 2; pass++) {
        CHECK_OK(ctx, sri_band_rotate(ctx, band, false, n, M));
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < i; j++) {
                const double swap = M[i * n + j];
                M[i * n + j] = M[j * n + i];
                M[j * n + i] = swap;
            }
    }
    return M;
}

TEST(band, the_factors_multiply_to_the_matrix_and_Q_is_orthogonal)
{
    for (int k = 0; k < N_SIZES; k++)
        for (int low = 0; low < 2; low++) {
            const int64_t n = SIZES[k];
            double *K = low_rank(11, n, low ? 3 : n), *V = upper_of(K, n);
            double *X = kit_normal(12, n, 2), *kept = malloc((size_t)(2 * n) * sizeof *X);
            sri_band band;
            memcpy(kept, X, (size_t)(2 * n) * sizeof *X);
            CHECK_OK(ctx, sri_band_reduce(ctx, n, V, &band));
            CHECK_EQ(band.width, n - 1 < SRI_BAND_WIDTH ? n - 1 : SRI_BAND_WIDTH);
            double *M = multiplied_out(ctx, &band);
            CHECK_WORST("Q B Q' = K", kit_distance(M, K, n * n), kit_tolerance(n, 1));
            CHECK_OK(ctx, sri_band_rotate(ctx, &band, true, 2, X));
            CHECK_NEAR(sri_norm(2 * n, X), sri_norm(2 * n, kept), kit_tolerance(n, 4));
            CHECK_OK(ctx, sri_band_rotate(ctx, &band, false, 2, X));
            CHECK_WORST("Q Q' = I", kit_distance(X, kept, 2 * n), kit_tolerance(n, 1));
            for (int transposed = 0; transposed < 2; transposed++) { /* Q as a matrix is the same */
                double *Z = malloc((size_t)(2 * n) * sizeof *Z);
                memcpy(X, kept, (size_t)(2 * n) * sizeof *X);
                memcpy(Z, kept, (size_t)(2 * n) * sizeof *Z);
                sri_band formed = band;
                formed.V = malloc((size_t)(n * n) * sizeof *V);
                memcpy(formed.V, V, (size_t)(n * n) * sizeof *V);
                CHECK_OK(ctx, sri_band_form(ctx, &formed));
                CHECK_OK(ctx, sri_band_rotate(ctx, &band, transposed, 2, X));
                CHECK_OK(ctx, sri_band_rotate(ctx, &formed, transposed, 2, Z));
                CHECK_WORST("formed Q", kit_distance(X, Z, 2 * n), kit_tolerance(n, 1));
                free(formed.V);
                free(Z);
            }
            sri_band_free(&band);
            free(M);
            free(kept);
            free(X);
            free(V);
            free(K);
        }
}

/* Zero outside of blocks of 30 rows, all ones, or of rank 3; in units that have no squares. */
static double *special(int kind, int64_t n, double unit)
{
    double *K = low_rank(21, n, kind == 2 ? 3 : n);
    for (int64_t i = 0; i < n * n; i++)
        K[i] = unit * (kind == 0   ? (i / n / 30 == i % n / 30) * K[i]
                       : kind == 1 ? 1 / (double)n
                                   : K[i]);
    return K;
}

TEST(band, holds_for_special_matrices_in_any_unit_with_any_threads)
{
    static const int64_t sizes[] = {25, 26, 47, 49, 71, 72, 73, 74, 121, 193};
    static const double units[] = {1, 1e-160, 1e160};
    for (int k = 0; k < (int)(sizeof sizes / sizeof *sizes); k++)
        for (int kind = 0; kind < 9; kind++)
            for (int threads = 1; threads <= 3; threads++) {
                const int64_t n = sizes[k];
                const double unit = units[kind / 3];
                double *K = special(kind % 3, n, unit), *V = upper_of(K, n);
                double *I = calloc((size_t)(n * n), sizeof *I),
                       *X = calloc((size_t)(n * n), sizeof *X);
                sri_band band;
                sri_threads before;
                for (int64_t i = 0; i < n; i++)
                    I[i * (n + 1)] = X[i * (n + 1)] = 1;
                sri_threads_enter(threads, &before);
                CHECK_OK(ctx, sri_band_reduce(ctx, n, V, &band));
                double *M = multiplied_out(ctx, &band);
                CHECK_WORST("Q B Q' = K", kit_distance(M, K, n * n) / unit, kit_tolerance(n, 1));
                CHECK_OK(ctx, sri_band_form(ctx, &band));
                CHECK_OK(ctx, sri_band_rotate(ctx, &band, true, n, X));
                CHECK_OK(ctx, sri_band_rotate(ctx, &band, false, n, X));
                CHECK_WORST("Q Q' = I", kit_distance(X, I, n * n), kit_tolerance(n, 1));
                sri_threads_leave(&before);
                sri_band_free(&band);
                free(M);
                free(X);
                free(I);
                free(V);
                free(K);
            }
}

TEST(band, solves_multiplies_and_traces)
{
    const double shift = 0.1;
    for (int k = 0; k < N_SIZES; k++) {
        const int64_t n = SIZES[k];
        double *V = low_rank(13, n, n), *b = kit_normal(14, n, 3), *x = malloc(24 * (size_t)n);
        double *r = malloc((size_t)n * sizeof *r), trace = 0;
        sri_band band;
        CHECK_OK(ctx, sri_band_reduce(ctx, n, V, &band));
        double *L = malloc((size_t)(n * (band.width + 1)) * sizeof *L);
        memcpy(x, b, 24 * (size_t)n);
        CHECK(sri_band_cholesky(&band, shift, L));
        sri_band_solve(&band, L, 3, x);
        for (int t = 0; t < 3; t++) { /* b - B x = shift x */
            sri_band_residual(&band, b + t * n, x + t * n, r);
            for (int64_t i = 0; i < n; i++)
                CHECK_NEAR(r[i], shift * x[t * n + i], kit_tolerance(n, 1 / shift));
        }
        for (int64_t j = 0; j < n; j++) { /* column by column */
            memset(r, 0, (size_t)n * sizeof *r);
            r[j] = 1;
            sri_band_solve(&band, L, 1, r);
            trace += r[j];
        }
        CHECK_NEAR(sri_band_inverse_trace(&band, L), trace,
                   (double)n * kit_tolerance(n, 1 / shift));
        CHECK(!sri_band_cholesky(&band, -2, L));
        sri_band_free(&band);
        free(L);
        free(r);
        free(x);
        free(b);
        free(V);
    }
}

TEST(band, a_region_leaves_the_threads_as_they_were)
{
    (void)ctx;
    sri_threads before;
    sri_threads_enter(2, &before);
    const sri_region region = sri_region_enter();
    sri_region_leave(region);
    CHECK_EQ(sri_region_threads(), region.threads);
    sri_threads_leave(&before);
}

/* ------------------------------------------------------------------- the engine */

typedef struct keep { /* alpha, residual, fold_residual of every point; NaN where there is none */
    sri_sink base;
    int64_t size, repeats, count;
    double *value;
} keep;

static specreg_status keep_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    keep *k = (keep *)self;
    const int64_t each = k->size * (2 + k->repeats);
    double *to = k->value + k->count * each;
    CHECK_EQ(point->index, k->count++);
    for (int64_t i = 0; i < each; i++)
        to[i] = i < 2 * k->size
                    ? point->alpha ? (i < k->size ? point->alpha[i] : point->residual[i - k->size])
                                   : NAN
                    : point->fold_residual[i - 2 * k->size];
    return SPECREG_OK;
}

static keep run_engine(specreg_context *ctx, const sri_engine *engine, const sri_job *job,
                       sri_report *report)
{
    const int64_t size = job->problem.op->n * job->problem.T;
    keep k = {.base = {.put = keep_put},
              .size = size,
              .repeats = job->request.need ? job->problem.folds.repeats : 0};
    k.value = malloc((size_t)(job->path.count * size * (2 + k.repeats)) * sizeof(double));
    CHECK(engine->refuses(job) == NULL);
    CHECK_OK(ctx, sri_engine_run(ctx, engine, job, &k.base, report));
    CHECK_EQ(k.count, job->path.count);
    return k;
}

/* Sizes around the bandwidth, folds and all rows, against the decomposition and plain iteration:
 * several outputs, weights, matrices of rank 3. */
TEST(band, agrees_with_other_engines_whatever_the_size)
{
    enum { T = 2, FOLDS = 3, REPEATS = 2, COUNT = 3, FILTERS = 4 };
    static const struct {
        const char *filter;
        double param[COUNT], cond[COUNT]; /* cond: g at 0, more for errors of every step */
        const sri_engine *other;
    } how[FILTERS] = {
        {"tikhonov", {1, 1e-2, 1e-4}, {1, 1e2, 1e4}, &sri_engine_eig},
        {"iterated:order=3", {1, 1e-2, 1e-4}, {3, 3e2, 3e4}, &sri_engine_eig},
        {"landweber:step=0.5", {1, 7, 40}, {0.5, 3.5, 20}, &sri_engine_iterate},
        {"nu:step=0.5", {1, 7, 40}, {1, 7 * 50, 40 * 1600}, &sri_engine_iterate},
    };
    for (int k = 0; k < N_SIZES; k++)
        for (int kind = 0; kind < 4 * FILTERS; kind++) {
            const bool low = kind & 1, weighted = kind & 2;
            const int h = kind / 4;
            const int64_t n = SIZES[k];
            if (n == 1 && how[h].other == &sri_engine_iterate)
                continue; /* it has no answer where no row is left to train */
            double *K = low_rank(15, n, low ? 3 : n), *Y = kit_normal(16, n, T);
            double *weight = malloc((size_t)n * sizeof *weight);
            int32_t *fold = malloc((size_t)(REPEATS * n) * sizeof *fold);
            for (int64_t i = 0; i < n; i++) {
                weight[i] = 1 + (double)(i % 3);
                fold[i] = (int32_t)(i % FOLDS);
                fold[n + i] = i == 0; /* fold 2 is empty */
            }
            sri_op *op;
            sri_filter f;
            CHECK_OK(ctx, kit_op_matrix(ctx, K, n, &op));
            if (weighted)
                CHECK_OK(ctx, sri_op_weighted(ctx, op, weight, &op));
            CHECK_OK(ctx, sri_filter_parse(ctx, how[h].filter, &f));
            if (h > 1)
                CHECK_OK(ctx, sri_filter_prepare(ctx, &f, op));
            sri_job job = kit_job(op, Y, T, &f, how[h].param, COUNT);
            kit_job_folds(&job, fold, FOLDS, REPEATS);
            sri_report report = {0}, other = {0};
            keep b = run_engine(ctx, &sri_engine_band, &job, &report);
            keep e = run_engine(ctx, how[h].other, &job, &other);
            CHECK_EQ(report.fell_back, 0);
            const int64_t each = b.size * (2 + REPEATS);
            for (int i = 0; i < COUNT; i++) {
                const double g = how[h].cond[i], tol = 4 * kit_tolerance(n, 1 + g);
                const double *got = b.value + i * each, *want = e.value + i * each;
                CHECK_WORST("n alpha / g", kit_distance(got, want, b.size) * (double)n / g, tol);
                CHECK_WORST("residuals", kit_distance(got + b.size, want + b.size, 3 * b.size),
                            tol);
            }
            free(e.value);
            free(b.value);
            sri_op_free(op);
            free(fold);
            free(weight);
            free(Y);
            free(K);
        }
}

typedef struct leverages { /* what leave-one-out takes of every point, and df */
    sri_sink base;
    int64_t n, T, count;
    double *value; /* count x (alpha, residual, slack, df) */
} leverages;

static specreg_status leverages_put(specreg_context *ctx, sri_sink *self,
                                    const sri_path_point *point)
{
    (void)ctx;
    leverages *l = (leverages *)self;
    const int64_t size = l->n * l->T;
    double *to = l->value + l->count * (2 * size + l->n + 1);
    CHECK_EQ(point->index, l->count++);
    memcpy(to, point->alpha, (size_t)size * sizeof *to);
    memcpy(to + size, point->residual, (size_t)size * sizeof *to);
    memcpy(to + 2 * size, point->one_minus_h, (size_t)l->n * sizeof *to);
    to[2 * size + l->n] = point->df;
    return SPECREG_OK;
}

static leverages run_leverages(specreg_context *ctx, const sri_engine *engine, const sri_job *job,
                               sri_report *report)
{
    const int64_t n = job->problem.op->n;
    leverages l = {.base = {.put = leverages_put}, .n = n, .T = job->problem.T};
    l.value =
        malloc((size_t)(job->path.count * (2 * n * job->problem.T + n + 1)) * sizeof *l.value);
    CHECK(engine->refuses(job) == NULL);
    CHECK_OK(ctx, sri_engine_run(ctx, engine, job, &l.base, report));
    CHECK_EQ(l.count, job->path.count);
    return l;
}

/* One point of the path by both engines. */
static void compare_leverages(const double *got, const double *want, int64_t n, int64_t T,
                              double lambda)
{
    const double tol = 4 * kit_tolerance(n, 1 + 1 / lambda);
    CHECK_WORST("n alpha lambda", kit_distance(got, want, n * T) * (double)n * lambda, tol);
    CHECK_WORST("residuals", kit_distance(got + n * T, want + n * T, n * T), tol);
    CHECK_WORST("1 - H_ii", kit_distance(got + 2 * n * T, want + 2 * n * T, n), tol);
    CHECK_WORST("df / n", fabs(got[2 * n * T + n] - want[2 * n * T + n]) / (double)n, tol);
}

/* Sizes around the bandwidth and beyond the window of the substitution, more lambdas than a group
 * holds, every instruction set. */
TEST(band, leverages_equal_those_of_the_decomposition)
{
    enum { T = 2, COUNT = 20 };
    static const char *const sets[] = {"plain", "avx2", "avx512"};
    double lambda[COUNT];
    for (int i = 0; i < COUNT; i++)
        lambda[i] = pow(10, -i / 4.0);
    for (int k = 0; k <= N_SIZES; k++)
        for (int kind = 0; kind < 4; kind++) {
            const bool low = kind & 1, weighted = kind & 2;
            const int64_t n = k < N_SIZES ? SIZES[k] : 601, each = 2 * n * T + n + 1;
            double *K = low_rank(19, n, low ? 3 : n), *Y = kit_normal(20, n, T);
            double *weight = malloc((size_t)n * sizeof *weight);
            for (int64_t i = 0; i < n; i++)
                weight[i] = 1 + (double)(i % 3);
            sri_op *op;
            sri_filter f;
            CHECK_OK(ctx, kit_op_matrix(ctx, K, n, &op));
            if (weighted)
                CHECK_OK(ctx, sri_op_weighted(ctx, op, weight, &op));
            CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &f));
            sri_job job = kit_job(op, Y, T, &f, lambda, COUNT);
            job.request.need = SRI_NEED_LEVERAGE | SRI_NEED_DF;
            sri_report other = {0};
            leverages e = run_leverages(ctx, &sri_engine_eig, &job, &other);
            for (int set = 0; set < 3; set++) {
                sri_report report = {0};
                sri_vec_use(sets[set]);
                leverages b = run_leverages(ctx, &sri_engine_band, &job, &report);
                sri_vec_use(NULL);
                CHECK_EQ(report.fell_back, 0);
                for (int i = 0; i < COUNT; i++)
                    compare_leverages(b.value + i * each, e.value + i * each, n, T, lambda[i]);
                free(b.value);
            }
            free(e.value);
            sri_op_free(op);
            free(weight);
            free(Y);
            free(K);
        }
}

/* K = 1 1': small lambdas go to the decomposition, with folds and without, in their places. */
TEST(band, falls_back_where_rounding_eats_the_regularization)
{
    enum { N = 100 };
    static const double lambdas[] = {1, 1e-3, 1e-20, 1e-25};
    double *K = malloc(sizeof(double[N * N])), Y[N];
    int32_t fold[N];
    sri_op *op;
    sri_filter f;
    for (int i = 0; i < N * N; i++)
        K[i] = 1;
    for (int i = 0; i < N; i++) {
        Y[i] = i;
        fold[i] = i % 2;
    }
    CHECK_OK(ctx, kit_op_matrix(ctx, K, N, &op));
    CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &f));
    sri_job job = kit_job(op, Y, 1, &f, lambdas, 4);
    kit_job_folds(&job, fold, 2, 1);
    for (int folds = 0; folds < 2; folds++) {
        sri_report report = {0}, other = {0};
        job.request.need = folds ? SRI_NEED_FOLDS : 0;
        keep b = run_engine(ctx, &sri_engine_band, &job, &report);
        keep e = run_engine(ctx, &sri_engine_eig, &job, &other);
        CHECK_EQ(report.fell_back, 2);
        CHECK_ARRAY_NEAR(b.value + N, e.value + N, N, 100 * kit_tolerance(N, 1e3));
        free(e.value);
        free(b.value);
    }
    sri_report report = {0}, other = {0};
    job.request.need = SRI_NEED_LEVERAGE | SRI_NEED_DF;
    leverages b = run_leverages(ctx, &sri_engine_band, &job, &report);
    leverages e = run_leverages(ctx, &sri_engine_eig, &job, &other);
    CHECK_EQ(report.fell_back, 2);
    for (int i = 0; i < 4; i++)
        CHECK_ARRAY_NEAR(b.value + i * (3 * N + 1) + 2 * N, e.value + i * (3 * N + 1) + 2 * N,
                         N + 1, 100 * kit_tolerance(N, 1e3));
    free(e.value);
    free(b.value);
    sri_op_free(op);
    free(K);
}

TEST(band, a_search_gets_held_out_residuals_alone)
{
    enum { N = 90, COUNT = 2 };
    static const double lambda[] = {1e-1, 1e-3};
    double *K = low_rank(17, N, N), *Y = kit_normal(18, N, 1);
    int32_t fold[N];
    sri_op *op;
    sri_filter f;
    for (int i = 0; i < N; i++)
        fold[i] = i % 4;
    CHECK_OK(ctx, kit_op_matrix(ctx, K, N, &op));
    CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &f));
    sri_job job = kit_job(op, Y, 1, &f, lambda, COUNT);
    kit_job_folds(&job, fold, 4, 1);
    sri_report report = {0};
    keep whole = run_engine(ctx, &sri_engine_band, &job, &report);
    const double all = sri_engine_band.cost(&job).flops;
    for (int way = 0; way < 2; way++) { /* to a tolerance, or to rounding */
        job.request.tolerance = way == 0 ? 1e-3 : 0;
        job.request.scores_only = way == 1;
        keep search = run_engine(ctx, &sri_engine_band, &job, &report);
        CHECK(sri_engine_band.cost(&job).flops < all);
        for (int i = 0; i < COUNT; i++) {
            const double *a = whole.value + i * 3 * N, *b = search.value + i * 3 * N;
            CHECK(isfinite(a[0]) && isnan(b[0]));
            CHECK(memcmp(a + 2 * N, b + 2 * N, sizeof(double[N])) == 0);
        }
        free(search.value);
    }
    free(whole.value);
    sri_op_free(op);
    free(Y);
    free(K);
}

TEST(band, says_what_it_cannot_do)
{
    static const struct {
        const char *filter;
        unsigned need;
        bool can;
    } cases[] = {
        {"tikhonov", 0, true},
        {"tikhonov", SRI_NEED_DF, true},
        {"tikhonov", SRI_NEED_LEVERAGE, true},
        {"iterated:order=2", SRI_NEED_LEVERAGE, false},
        {"landweber", SRI_NEED_LEVERAGE, false},
        {"iterated:order=2", SRI_NEED_FOLDS, true},
        {"iterated:order=2", SRI_NEED_DF, false},
        {"nu", SRI_NEED_FOLDS, true},
        {"landweber:step=norm", 0, true},
        {"landweber:step=norm", SRI_NEED_FOLDS, false},
        {"landweber", SRI_NEED_DF, false},
        {"tsvd", 0, false},
        {"showalter", 0, false},
        {"cg", 0, false},
    };
    const double K[4] = {1, 0, 0, 1}, Y[2] = {1, 2}, param = 1;
    const int32_t fold[2] = {0, 1};
    sri_op *op;
    CHECK_OK(ctx, kit_op_matrix(ctx, K, 2, &op));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sri_filter f;
        CHECK_OK(ctx, sri_filter_parse(ctx, cases[i].filter, &f));
        sri_job job = kit_job(op, Y, 1, &f, &param, 1);
        kit_job_folds(&job, fold, 2, 1);
        job.request.need = cases[i].need;
        CHECK((sri_engine_band.refuses(&job) == NULL) == cases[i].can);
    }
    sri_op_free(op);
}
