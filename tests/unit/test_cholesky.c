/* The dense factorizations, and the engine that falls back from one to the other. */
#include <float.h>
#include <math.h>

#include "backend/backend.h"
#include "backend/blas.h"
#include "backend/eigen.h"
#include "backend/factor.h"
#include "backend/threads.h"
#include "conformance/reference.h"
#include "kit/job.h"
#include "kit/kit.h"

/* A symmetric matrix with NaN above the diagonal: only the lower triangle may be read. */
static double *lower_of(const double *K, int64_t n)
{
    double *L = malloc((size_t)(n * n) * sizeof *L);
    for (int64_t i = 0; i < n * n; i++)
        L[i] = i % n <= i / n ? K[i] : NAN;
    return L;
}

static double *spd(uint64_t seed, int64_t n) /* A A' + I */
{
    double *A = kit_normal(seed, n, n), *K = calloc((size_t)(n * n), sizeof *K);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t k = 0; k < n; k++)
                K[i * n + j] += (A[i * n + k] * A[j * n + k] + (i == j && k == 0)) / (double)n;
    free(A);
    return K;
}

TEST(blas, cholesky_solves_and_inverts)
{
    static const int64_t sizes[] = {1, 2, 7, 60};
    for (int m = 0; m < 4; m++)
        for (int64_t T = 1; T <= 3; T += 2) {
            const int64_t n = sizes[m];
            double *K = spd(41, n), *L = lower_of(K, n), *B = kit_normal(42, n, T);
            real *want = real_new(n * T), *inverse = real_new(n * n);
            int64_t failed_at = -1;
            for (int64_t i = 0; i < n * T; i++)
                want[i] = B[i];
            for (int64_t i = 0; i < n; i++)
                inverse[i * n + i] = 1;
            ref_solve(n, T, K, 0, want);
            ref_solve(n, n, K, 0, inverse);
            real size = 0; /* of the inverse: the condition, as |K| is about 4 */
            for (int64_t i = 0; i < n; i++)
                size += inverse[i * n + i];
            CHECK_OK(ctx, sri_cholesky(ctx, n, L, &failed_at));
            CHECK_EQ(failed_at, 0);
            CHECK_OK(ctx, sri_cholesky_solve(ctx, n, T, L, B));
            for (int64_t i = 0; i < n * T; i++)
                CHECK_NEAR(B[i], (double)want[i], kit_tolerance(n, 8 * (double)size));
            double *diagonal = malloc((size_t)n * sizeof *diagonal);
            CHECK_OK(ctx, sri_cholesky_inverse_diagonal(ctx, n, L, diagonal));
            for (int64_t i = 0; i < n; i++)
                CHECK_NEAR(diagonal[i], (double)inverse[i * n + i],
                           kit_tolerance(n, 8 * (double)size));
            free(diagonal);
            CHECK_OK(ctx, sri_cholesky_invert(ctx, n, L));
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j <= i; j++)
                    CHECK_NEAR(L[i * n + j], (double)inverse[i * n + j],
                               kit_tolerance(n, 8 * (double)size));
            free(inverse);
            free(want);
            free(B);
            free(L);
            free(K);
        }
}

/* I + G G' / n, G n x 20: eigenvalues from 1 to about 2. */
static double *well_conditioned(uint64_t seed, int64_t n)
{
    enum { RANK = 20 };
    double *G = kit_normal(seed, n, RANK), *K = calloc((size_t)(n * n), sizeof *K);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            for (int64_t k = 0; k < RANK; k++)
                K[i * n + j] += G[i * RANK + k] * G[j * RANK + k] / (double)n;
            K[i * n + j] += i == j;
        }
    free(G);
    return K;
}

/* Column by column, as it is written in books. */
static real *ref_cholesky(int64_t n, const double *K)
{
    real *L = real_new(n * n);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            real sum = K[i * n + j];
            for (int64_t k = 0; k < j; k++)
                sum -= L[i * n + k] * L[j * n + k];
            L[i * n + j] = i == j ? sqrtl(sum) : sum / L[j * n + j];
        }
    return L;
}

/* Panels have 48 and from 96 columns on, 144 with 901; blocks 24 rows, what threads share 96. */
TEST(blas, cholesky_is_the_factor_of_books_and_leaves_the_upper_triangle_alone)
{
    static const int64_t sizes[] = {0,   1,   7,   23,  24,  25,  47,  48,  49,  95,  96,  97,
                                    103, 119, 120, 121, 191, 192, 193, 241, 289, 383, 600, 901};
    for (size_t m = 0; m < sizeof sizes / sizeof *sizes; m++) {
        const int64_t n = sizes[m];
        double *K = well_conditioned(44, n), *L = lower_of(K, n);
        real *want = ref_cholesky(n, K);
        int64_t failed_at = -1;
        CHECK_OK(ctx, sri_cholesky(ctx, n, L, &failed_at));
        CHECK_EQ(failed_at, 0);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++)
                CHECK_WORST("factor", fabs(L[i * n + j] - (double)want[i * n + j]),
                            kit_tolerance(20, 2));
        CHECK_OK(ctx, sri_cholesky(ctx, n, K, &failed_at)); /* K has numbers above, L had NaN */
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                if (j <= i)
                    CHECK_SAME(K[i * n + j], L[i * n + j]);
                else
                    CHECK(isnan(L[i * n + j]));
        double *unchanged = well_conditioned(44, n);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++)
                CHECK_SAME(K[i * n + j], unchanged[i * n + j]);
        free(unchanged);
        free(want);
        free(L);
        free(K);
    }
}

/* |L^{-1} e_i|^2, row by row. */
static real inverse_entry(int64_t n, const double *L, int64_t i, real *x)
{
    real sum = 0;
    for (int64_t k = i; k < n; k++) {
        real left = k == i;
        for (int64_t j = i; j < k; j++)
            left -= L[k * n + j] * x[j];
        x[k] = left / L[k * n + k];
        sum += x[k] * x[k];
    }
    return sum;
}

/* Columns come 96 at a time, panels have 240 rows. */
TEST(blas, the_diagonal_of_the_inverse_has_sums_of_squares)
{
    static const int64_t sizes[] = {1, 5, 23, 24, 95, 96, 97, 240, 241, 247, 336, 337, 500, 601};
    for (size_t m = 0; m < sizeof sizes / sizeof *sizes; m++) {
        const int64_t n = sizes[m];
        double *K = well_conditioned(48, n), *L = lower_of(K, n),
               *D = malloc((size_t)n * sizeof *D);
        real *x = real_new(n);
        int64_t failed_at;
        CHECK_OK(ctx, sri_cholesky(ctx, n, L, &failed_at));
        CHECK_OK(ctx, sri_cholesky_inverse_diagonal(ctx, n, L, D));
        for (int64_t i = 0; i < n; i++)
            CHECK_WORST("diagonal of the inverse", fabs(D[i] - (double)inverse_entry(n, L, i, x)),
                        kit_tolerance(20, 2));
        free(x);
        free(D);
        free(L);
        free(K);
    }
}

TEST(blas, cholesky_has_the_same_bits_for_any_number_of_threads)
{
    enum { N = 701 };
    double *K = well_conditioned(45, N), *factor[3], *diagonal[3];
    int64_t failed_at;
    CHECK_OK(ctx, sri_backend_choose(ctx, "own")); /* LAPACK promises nothing of the kind */
    for (int t = 0; t < 3; t++) {
        sri_threads before;
        factor[t] = lower_of(K, N);
        diagonal[t] = malloc(N * sizeof **diagonal);
        sri_threads_enter(t + 1, &before);
        CHECK_OK(ctx, sri_cholesky(ctx, N, factor[t], &failed_at));
        CHECK_OK(ctx, sri_cholesky_inverse_diagonal(ctx, N, factor[t], diagonal[t]));
        sri_threads_leave(&before);
        for (int64_t i = 0; i < N * N; i++)
            CHECK_SAME(factor[t][i], factor[0][i]);
        for (int64_t i = 0; i < N; i++)
            CHECK_SAME(diagonal[t][i], diagonal[0][i]);
    }
    for (int t = 0; t < 3; t++) {
        free(factor[t]);
        free(diagonal[t]);
    }
    free(K);
}

/* Negative or NaN on the diagonal, or NaN to the left of it: the order is that of the row. */
TEST(blas, cholesky_says_where_a_matrix_stops_being_positive)
{
    enum { N = 500 };
    static const int64_t rows[] = {1, 2, 47, 48, 49, 95, 96, 97, 150, 191, 192, 300, 479, 480, 499};
    double *K = well_conditioned(46, N);
    int64_t failed_at;
    for (size_t m = 0; m < sizeof rows / sizeof *rows; m++)
        for (int way = 0; way < 3; way++) {
            const int64_t i = rows[m];
            double *L = lower_of(K, N);
            L[i * N + (way == 2 ? i / 2 : i)] = way ? NAN : -1;
            CHECK_OK(ctx, sri_cholesky(ctx, N, L, &failed_at));
            CHECK_EQ(failed_at, i + 1);
            free(L);
        }
    free(K);
    double zero[9] = {4, NAN, NAN, 2, 1, NAN, 0, 3, 9}; /* the second pivot is 1 - 1 = 0 */
    CHECK_OK(ctx, sri_cholesky(ctx, 3, zero, &failed_at));
    CHECK_EQ(failed_at, 2);
}

static int at_the_second_call(const specreg_progress *p, void *calls)
{
    (void)p;
    return ++*(int *)calls == 2;
}

TEST(blas, cholesky_can_be_cancelled_between_panels)
{
    enum { N = 600 };
    double *K = well_conditioned(47, N);
    int64_t failed_at;
    int calls = 0;
    CHECK_OK(ctx, sri_backend_choose(ctx, "own"));
    specreg_set_progress(ctx, at_the_second_call, &calls);
    CHECK_FAILS(ctx, sri_cholesky(ctx, N, K, &failed_at), SPECREG_E_CANCELLED, "cancelled");
    CHECK_EQ(calls, 2);
    specreg_set_progress(ctx, NULL, NULL);
    free(K);
}

TEST(blas, eigenvectors_lie_in_rows)
{
    enum { N = 40 };
    double *K = spd(43, N), *V = lower_of(K, N), s[N], only[N];
    for (int i = 0; i < N * N; i++)
        V[i] = isnan(V[i]) ? 0 : V[i]; /* LAPACKE looks for NaN in the whole matrix */
    CHECK_OK(ctx, sri_eigen(ctx, N, V, s, true));
    for (int j = 0; j < N; j++) {
        CHECK(j == 0 || s[j] >= s[j - 1]);
        for (int i = 0; i < N; i++) {
            real sum = -(real)s[j] * V[j * N + i];
            for (int k = 0; k < N; k++)
                sum += (real)K[i * N + k] * V[j * N + k];
            CHECK_NEAR((double)sum, 0, kit_tolerance(N, s[N - 1]));
        }
    }
    CHECK_OK(ctx, sri_eigen(ctx, N, K, only, false));
    for (int j = 0; j < N; j++)
        CHECK_NEAR(only[j], s[j], kit_tolerance(N, s[N - 1]));
    free(V);
    free(K);
}

TEST(blas, products_take_transposes_and_scales)
{
    enum { M = 5, N = 4, K = 3 };
    double *A = kit_normal(1, M, K), *At = malloc(sizeof(double[M * K])), C[M * N];
    double *B = kit_normal(2, K, N), *Bt = malloc(sizeof(double[K * N]));
    for (int i = 0; i < M * K; i++)
        At[i % K * M + i / K] = A[i];
    for (int i = 0; i < K * N; i++)
        Bt[i % N * K + i / N] = B[i];
    for (int mode = 0; mode < 8; mode++) {
        const bool ta = mode & 1, tb = mode & 2;
        const int64_t n = mode & 4 ? 1 : N; /* one column takes another routine */
        for (int i = 0; i < M * N; i++)
            C[i] = i;
        if (n == 1) /* the first column of B, contiguous, as B or as its transpose */
            sri_gemm(ta, false, M, 1, K, 2, ta ? At : A, ta ? M : K, Bt, 1, 0.5, C, 1);
        else
            sri_gemm(ta, tb, M, N, K, 2, ta ? At : A, ta ? M : K, tb ? Bt : B, tb ? K : N, 0.5, C,
                     N);
        for (int64_t i = 0; i < M; i++)
            for (int64_t j = 0; j < n; j++) {
                double want = 0.5 * (double)(i * n + j);
                for (int k = 0; k < K; k++)
                    want += 2 * A[i * K + k] * B[k * N + j];
                CHECK_NEAR(C[i * n + j], want, kit_tolerance(K, 10));
            }
    }
    free(Bt);
    free(B);
    free(At);
    free(A);
}

/* --------------------------------------------------------------------------- falling back */

typedef struct last {
    sri_sink base;
    double alpha[64], residual[64], slack[64], df;
    int64_t count, index;
} last;

static specreg_status keep_last(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    last *l = (last *)self;
    memcpy(l->alpha, point->alpha, sizeof l->alpha);
    memcpy(l->residual, point->residual, sizeof l->residual);
    if (point->one_minus_h)
        memcpy(l->slack, point->one_minus_h, sizeof l->slack);
    l->df = point->df;
    CHECK_EQ(point->index, l->count++);
    return SPECREG_OK;
}

static last run_on(specreg_context *ctx, const sri_engine *engine, const char *filter,
                   const double *K, const double *Y, const double *lambda, int64_t count,
                   unsigned need, int64_t *fell_back)
{
    sri_op *op;
    sri_filter f;
    last sink = {.base = {.put = keep_last}};
    sri_report report = {0};
    CHECK_OK(ctx, kit_op_matrix(ctx, K, 64, &op));
    CHECK_OK(ctx, sri_filter_parse(ctx, filter, &f));
    sri_job job = kit_job(op, Y, 1, &f, lambda, count);
    job.request.need = need;
    CHECK_OK(ctx, sri_engine_run(ctx, engine, &job, &sink.base, &report));
    CHECK_EQ(sink.count, count);
    *fell_back = report.fell_back;
    sri_op_free(op);
    return sink;
}

/* K = 1 1' has pivots that are rounding after the first: for small lambda the factorization breaks
 * down or, worse, goes through with noise.  The answer is known: with e = 1/sqrt(n),
 * alpha = (y - <y,e> e)/(n lambda) + <y,e> e / (n + n lambda). */
TEST(cholesky, falls_back_where_rounding_eats_the_regularization)
{
    enum { N = 64 };
    static const double lambdas[] = {1e-2, 1e-10, 1e-15, 1e-17, 1e-19, 1e-25};
    double K[N * N], Y[N], mean = 0;
    for (int i = 0; i < N * N; i++)
        K[i] = 1;
    for (int i = 0; i < N; i++)
        Y[i] = i % 5 + (i == 3);
    for (int i = 0; i < N; i++)
        mean += Y[i] / N;
    for (int k = 0; k < 6; k++) {
        int64_t fell_back, none;
        const double lambda = lambdas[k];
        const last c = run_on(ctx, &sri_engine_cholesky, "tikhonov", K, Y, &lambda, 1,
                              SRI_NEED_LEVERAGE | SRI_NEED_DF, &fell_back);
        const last e = run_on(ctx, &sri_engine_eig, "tikhonov", K, Y, &lambda, 1,
                              SRI_NEED_LEVERAGE | SRI_NEED_DF, &none);
        CHECK(lambda > 1e-12 ? fell_back == 0 : lambda > 1e-18 || fell_back == 1);
        CHECK_EQ(none, 0);
        /* |K/n| = 1, g = 1/lambda: where the condition leaves no digit, only sizes are owed */
        const double cond = 1 + 1 / lambda, tol = fmin(kit_tolerance(N, cond), 2);
        for (int i = 0; i < N; i++) {
            const double want = (Y[i] - mean) / lambda + mean / (1 + lambda); /* n alpha */
            CHECK_WORST("n lambda alpha", fabs(N * c.alpha[i] - want) * lambda, 5 * tol);
            CHECK_WORST("residual", fabs(c.residual[i] - lambda * want), 5 * tol);
            CHECK_WORST("1 - H_ii", fabs(c.slack[i] - e.slack[i]), tol);
        }
        CHECK_NEAR(c.df, 1 / (1 + lambda), N * tol);
    }
}

TEST(cholesky, points_keep_their_places_when_some_fall_back)
{
    enum { N = 64 };
    static const double lambdas[] = {1, 1e-3, 1e-20, 1e-25};
    double K[N * N], Y[N];
    for (int i = 0; i < N * N; i++)
        K[i] = 1;
    for (int i = 0; i < N; i++)
        Y[i] = i;
    int64_t fell_back;
    run_on(ctx, &sri_engine_cholesky, "iterated:order=3", K, Y, lambdas, 4, 0, &fell_back);
    CHECK_EQ(fell_back, 2);
}

TEST(cholesky, an_indefinite_matrix_is_an_error_with_its_eigenvalues)
{
    enum { N = 64 };
    double K[N * N] = {0}, Y[N] = {1};
    const double lambda = 1e-3;
    sri_op *op;
    sri_filter f;
    last sink = {.base = {.put = keep_last}};
    sri_report report = {0};
    for (int i = 0; i < N; i++)
        K[i * N + i] = i == 5 ? -1 : 1;
    CHECK_OK(ctx, kit_op_matrix(ctx, K, N, &op));
    CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &f));
    sri_job job = kit_job(op, Y, 1, &f, &lambda, 1);
    CHECK_FAILS(ctx, sri_engine_run(ctx, &sri_engine_eig, &job, &sink.base, &report),
                SPECREG_E_NUMERIC, "not positive semi-definite: its eigenvalues go from -1 to 1");
    CHECK_FAILS(ctx, sri_engine_run(ctx, &sri_engine_cholesky, &job, &sink.base, &report),
                SPECREG_E_NUMERIC, "not positive semi-definite");
    sri_op_free(op);
}

/* m components: the m largest, those equal to the m-th, and never rounding. */
TEST(eig, components_count_what_is_there)
{
    enum { N = 64 };
    double K[N * N] = {0}, Y[N];
    static const double values[4] = {8, 4, 4, 1}; /* the rest is zero, but for rounding */
    for (int i = 0; i < N; i++)
        Y[i] = 1;
    for (int k = 0; k < 4; k++) /* Walsh vectors: orthogonal, length sqrt(N) */
        for (int i = 0; i < N * N; i++)
            K[i] += values[k] * (__builtin_popcount((i / N) & k) & 1 ? -1 : 1) *
                    (__builtin_popcount((i % N) & k) & 1 ? -1 : 1) / 3.0;
    sri_op *op;
    sri_filter f;
    CHECK_OK(ctx, kit_op_matrix(ctx, K, N, &op));
    CHECK_OK(ctx, sri_filter_parse(ctx, "tsvd", &f));
    f.path = SRI_PATH_COMPONENTS;
    static const double asked[] = {1, 2, 3, 4, 5, 64}, kept[] = {1, 3, 3, 4, 4, 4};
    for (int k = 0; k < 6; k++) {
        last sink = {.base = {.put = keep_last}};
        sri_report report = {0};
        sri_job job = kit_job(op, Y, 1, &f, &asked[k], 1);
        job.request.need = SRI_NEED_DF;
        CHECK_OK(ctx, sri_engine_run(ctx, &sri_engine_eig, &job, &sink.base, &report));
        CHECK_EQ(sink.df, kept[k]);
        CHECK_EQ(report.rank, 4);
    }
    static const double many = 65;
    last sink = {.base = {.put = keep_last}};
    sri_report report = {0};
    sri_job job = kit_job(op, Y, 1, &f, &many, 1);
    CHECK_FAILS(ctx, sri_engine_run(ctx, &sri_engine_eig, &job, &sink.base, &report), SPECREG_E_ARG,
                "components=65, but there are only 64 training rows");
    sri_op_free(op);
}
