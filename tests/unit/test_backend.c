/* Backends: the two that exist agree, a third one can stand in, sizes beyond an int, thread
 * counts. */
#include "backend/backend.h"

#include <float.h>
#include <math.h>

#include "backend/blas.h"
#include "backend/cpu/lapack.h"
#include "backend/cpu/pieces.h"
#include "backend/eigen.h"
#include "backend/factor.h"
#include "backend/threads.h"
#include "core/context.h"
#include "core/openmp.h"
#include "kernel/kernel.h"
#include "kit/kit.h"

/* Around the widths of bands (24), panels (48, 96, 240) and the size that is divided (500). */
static const int64_t SIZES[] = {1, 2, 23, 24, 25, 26, 49, 97, 144, 241, 499, 500, 613};
enum { N_SIZES = sizeof SIZES / sizeof *SIZES };

/* I + G G' / n, G n x 20: eigenvalues from 1 to about 2. */
static double *well_conditioned(uint64_t seed, int64_t n)
{
    enum { RANK = 20 };
    double *G = kit_normal(seed, n, RANK), *K = malloc((size_t)(n * n) * sizeof *K);
    sri_gemm(false, true, n, n, RANK, 1 / (double)n, G, RANK, G, RANK, 0, K, n);
    for (int64_t i = 0; i < n; i++)
        K[i * (n + 1)] += 1;
    free(G);
    return K;
}

static double *copy_of(const double *v, int64_t count)
{
    double *copy = malloc((size_t)count * sizeof *copy);
    memcpy(copy, v, (size_t)count * sizeof *copy);
    return copy;
}

/* ------------------------------------------------------------------------ own and lapack */

/* What each of them finds, own first. */
typedef struct both {
    double *v[2];
} both;

static void use(specreg_context *ctx, int which)
{
    CHECK_OK(ctx, sri_backend_choose(ctx, which ? "lapack" : "own"));
}

static void compare(const char *what, both *b, int64_t count, double tolerance)
{
    CHECK_WORST(what, kit_distance(b->v[0], b->v[1], count), tolerance);
    free(b->v[0]);
    free(b->v[1]);
}

static void clear_upper(double *K, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++)
            K[i * n + j] = 0;
}

TEST(backend, cholesky_agrees)
{
    enum { T = 3 };
    for (int k = 0; k < N_SIZES; k++) {
        const int64_t n = SIZES[k];
        double *K = well_conditioned(1, n), *B = kit_normal(2, n, T);
        both L, X, one, D, inverse;
        for (int i = 0; i < 2; i++) {
            int64_t failed_at = -1;
            use(ctx, i);
            L.v[i] = copy_of(K, n * n);
            X.v[i] = copy_of(B, n * T);
            one.v[i] = copy_of(B, n);
            D.v[i] = malloc((size_t)n * sizeof(double));
            CHECK_OK(ctx, sri_cholesky(ctx, n, L.v[i], &failed_at));
            CHECK_EQ(failed_at, 0);
            clear_upper(L.v[i], n);
            inverse.v[i] = copy_of(L.v[i], n * n);
            CHECK_OK(ctx, sri_cholesky_solve(ctx, n, T, L.v[i], X.v[i]));
            CHECK_OK(ctx, sri_cholesky_solve(ctx, n, 1, L.v[i], one.v[i]));
            CHECK_OK(ctx, sri_cholesky_inverse_diagonal(ctx, n, L.v[i], D.v[i]));
            CHECK_OK(ctx, sri_cholesky_invert(ctx, n, inverse.v[i]));
            for (int64_t j = 0; j < n; j++)
                CHECK_NEAR(D.v[i][j], inverse.v[i][j * (n + 1)], kit_tolerance(20, 2));
        }
        compare("L", &L, n * n, kit_tolerance(20, 2));
        compare("solutions", &X, n * T, kit_tolerance(20, 8));
        compare("one solution", &one, n, kit_tolerance(20, 8));
        compare("diagonal of the inverse", &D, n, kit_tolerance(20, 2));
        compare("inverse", &inverse, n * n, kit_tolerance(20, 2));
        free(B);
        free(K);
    }
}

TEST(backend, both_say_where_a_matrix_stops_being_positive)
{
    enum { N = 150 };
    double *K = well_conditioned(3, N);
    for (int i = 0; i < 2; i++)
        for (int row = 0; row < N; row += 37)
            for (int way = 0; way < 2; way++) {
                double *L = copy_of(K, N * N);
                int64_t failed_at = -1;
                use(ctx, i);
                L[row * (N + 1)] = way ? NAN : -1;
                CHECK_OK(ctx, sri_cholesky(ctx, N, L, &failed_at));
                CHECK_EQ(failed_at, row + 1);
                free(L);
            }
    free(K);
}

/* Eigenvalues, and sum_k exp(-s_k) v_k v_k', which does not depend on the choice of vectors. */
TEST(backend, decompositions_agree)
{
    for (int k = 0; k < N_SIZES; k++) {
        const int64_t n = SIZES[k];
        double *K = well_conditioned(4, n);
        both s, only, F;
        for (int i = 0; i < 2; i++) {
            double *V = copy_of(K, n * n), *W = malloc((size_t)(n * n) * sizeof *W);
            use(ctx, i);
            s.v[i] = malloc((size_t)n * sizeof(double));
            only.v[i] = malloc((size_t)n * sizeof(double));
            F.v[i] = malloc((size_t)(n * n) * sizeof(double));
            CHECK_OK(ctx, sri_eigen(ctx, n, V, s.v[i], true));
            for (int64_t j = 0; j < n * n; j++)
                W[j] = exp(-s.v[i][j / n]) * V[j];
            sri_gemm(true, false, n, n, n, 1, V, n, W, n, 0, F.v[i], n);
            memcpy(V, K, (size_t)(n * n) * sizeof *V);
            CHECK_OK(ctx, sri_eigen(ctx, n, V, only.v[i], false));
            free(W);
            free(V);
        }
        compare("eigenvalues", &s, n, kit_tolerance(n, 2));
        compare("eigenvalues alone", &only, n, kit_tolerance(n, 2));
        compare("exp(-K)", &F, n * n, kit_tolerance(n, 2));
        free(K);
    }
}

/* The band itself, a solution in its coordinates, and leverages. */
TEST(backend, bands_agree)
{
    enum { LAMBDAS = 2 };
    static const double mu[LAMBDAS] = {0.5, 2};
    static const bool failed[LAMBDAS] = {false, false};
    for (int k = 0; k < N_SIZES; k++) {
        const int64_t n = SIZES[k];
        double *K = well_conditioned(5, n), *y = kit_normal(6, n, 1);
        both H, x;
        for (int i = 0; i < 2; i++) {
            sri_band band;
            sri_band_factors factors = {0};
            double *V = copy_of(K, n * n);
            use(ctx, i);
            CHECK_OK(ctx, sri_band_reduce(ctx, n, V, &band));
            double *L = malloc((size_t)(n * (band.width + 1)) * sizeof *L);
            x.v[i] = copy_of(y, n);
            H.v[i] = malloc((size_t)(LAMBDAS * n) * sizeof(double));
            CHECK_OK(ctx, sri_band_rotate(ctx, &band, true, 1, x.v[i]));
            CHECK_OK(ctx, sri_band_form(ctx, &band));
            CHECK_OK(ctx, sri_band_factors_new(ctx, &band, LAMBDAS, &factors));
            for (int l = LAMBDAS - 1; l >= 0; l--) {
                CHECK(sri_band_cholesky(&band, mu[l], L));
                sri_band_factors_set(&factors, l, L);
            }
            sri_band_solve(&band, L, 1, x.v[i]);
            CHECK_OK(ctx, sri_band_rotate(ctx, &band, false, 1, x.v[i]));
            sri_band_leverages(&band, &factors, LAMBDAS, mu, failed, H.v[i]);
            sri_band_factors_free(&factors);
            sri_band_free(&band);
            free(L);
            free(V);
        }
        compare("(K + mu I)^-1 y", &x, n, kit_tolerance(n, 8));
        compare("1 - H_ii", &H, LAMBDAS * n, kit_tolerance(n, 2));
        free(y);
        free(K);
    }
}

TEST(backend, products_agree)
{
    static const int64_t columns[] = {1, 2, 7, 8, 9, 33};
    for (int c = 0; c < 6; c++) {
        enum { M = 61, N = 43 };
        const int64_t t = columns[c];
        double *K = kit_normal(7, M, N), *X = kit_normal(8, N, t);
        both Y, C;
        for (int i = 0; i < 2; i++) {
            use(ctx, i);
            Y.v[i] = malloc((size_t)(M * t) * sizeof(double));
            C.v[i] = kit_normal(9, N, N);
            CHECK_OK(ctx, sri_product(ctx, (sri_dense){M, N, K, N}, t, X, Y.v[i]));
            CHECK_OK(ctx, sri_add_square(ctx, M, N, K, C.v[i]));
            clear_upper(C.v[i], N);
        }
        compare("K X", &Y, M * t, kit_tolerance(N, 4));
        compare("C + K'K", &C, N * N, kit_tolerance(M, 8));
        free(X);
        free(K);
    }
}

TEST(backend, names_are_checked)
{
    CHECK_FAILS(ctx, sri_backend_choose(ctx, "lapak"), SPECREG_E_ARG,
                "unknown linalg 'lapak' (did you mean 'lapack'? known: own lapack)");
    CHECK(sri_backend_of(ctx) != NULL);
    use(ctx, 1);
    CHECK(sri_backend_of(ctx) == &sri_backend_lapack);
    use(ctx, 0);
    CHECK(sri_backend_of(ctx) == &sri_backend_own);
}

/* ------------------------------------------------------------------------ a third backend */

static int fills;

static double pair_of(sri_pair pair, const double *x, const double *z, int64_t p)
{
    double sum = 0;
    for (int64_t k = 0; k < p; k++)
        sum += pair == SRI_PAIR_DOT     ? x[k] * z[k]
               : pair == SRI_PAIR_DIST1 ? fabs(x[k] - z[k])
                                        : (x[k] - z[k]) * (x[k] - z[k]);
    return sum;
}

static double mapped(const sri_map *map, double v)
{
    const double u = map->c * sqrt(v);
    switch (map->kind) {
    case SRI_MAP_EXP:
        return exp(map->c * v);
    case SRI_MAP_EXP_ROOT:
        return exp(u);
    case SRI_MAP_MATERN32:
        return (1 + u) * exp(-u);
    case SRI_MAP_MATERN52:
        return (1 + u + u * u / 3) * exp(-u);
    case SRI_MAP_POWER:
        return pow(map->c * v + map->shift, map->degree);
    default:
        return v;
    }
}

/* As a device might: from the description alone. */
static specreg_status plain_fill(specreg_context *ctx, const sri_fill *f, double *K, int64_t ld)
{
    (void)ctx;
    fills++;
    for (int64_t i = 0; i < f->m; i++)
        for (int64_t j = 0; j < (f->lower ? i + 1 : f->n); j++) {
            K[i * ld + j] = 0;
            for (int t = 0; t < f->n_terms; t++) {
                const sri_fill_term *term = &f->term[t];
                const double v = pair_of(term->pair, f->x + i * f->ldx, f->z + j * f->p, f->p);
                K[i * ld + j] += term->weight * mapped(&term->map, v);
            }
        }
    return SPECREG_OK;
}

TEST(backend, one_that_fills_kernel_matrices_gets_them_described)
{
    enum { N = 150, M = 9, P = 3 };
    static const char *const kernels[] = {"rbf:sigma=0.7",
                                          "laplace:sigma=1.5,norm=1",
                                          "laplace:sigma=1.5",
                                          "matern:nu=1.5,sigma=2",
                                          "matern:nu=2.5,sigma=2",
                                          "linear",
                                          "2*poly:degree=2,coef0=0.5 + 0.5*rbf:sigma=1"};
    sri_backend other = sri_backend_own;
    other.fill = plain_fill;
    double *x = kit_normal(10, N, P), *rows = kit_normal(11, M, P);
    double *K[2] = {malloc(sizeof(double[N * N])), malloc(sizeof(double[N * N]))};
    const sri_rows_view view = sri_view_dense(rows, M, P);
    sri_points *points;
    CHECK_OK(ctx, sri_points_new(ctx, x, N, P, false, &points));
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        sri_kernel_grid grid;
        CHECK_OK(ctx, sri_kernel_grid_parse(ctx, kernels[k], &grid));
        const sri_kernel kernel = sri_kernel_grid_at(&grid, 0);
        for (int full = 0; full < 2; full++) {
            for (int i = 0; i < 2; i++) {
                ctx->backend = i ? &other : &sri_backend_own;
                memset(K[i], 0, sizeof(double[N * N]));
                CHECK_OK(ctx, sri_kernel_gram(ctx, &kernel, points, full, K[i], N));
            }
            CHECK_ARRAY_NEAR(K[1], K[0], N * N, kit_tolerance(P, 20));
        }
        for (int i = 0; i < 2; i++) {
            ctx->backend = i ? &other : &sri_backend_own;
            CHECK_OK(ctx, sri_kernel_block(ctx, &kernel, &view, points, K[i], N));
        }
        CHECK_ARRAY_NEAR(K[1], K[0], M * N, kit_tolerance(P, 20));
        CHECK_EQ(fills, 3 * ((int)k + 1));
        sri_kernel_grid_free(&grid);
    }
    ctx->backend = NULL;
    sri_points_free(points);
    free(K[1]);
    free(K[0]);
    free(rows);
    free(x);
}

/* ------------------------------------------------------------------------ sizes */

/* op(A) is m x k, as rows of k or, transposed, of m; both with a gap. */
static double entry(const double *A, int64_t ld, bool transposed, int64_t i, int64_t j)
{
    return transposed ? A[j * ld + i] : A[i * ld + j];
}

static void check_pieces(int64_t m, int64_t n, int64_t k, int64_t most)
{
    for (int mode = 0; mode < 4; mode++) {
        const bool ta = mode & 1, tb = mode & 2;
        const int64_t lda = (ta ? m : k) + 1, ldb = tb ? k : n, ldc = n;
        double *A = kit_normal(12, ta ? k : m, lda), *B = kit_normal(13, tb ? n : k, ldb);
        double *C = kit_normal(14, m, ldc), *got = copy_of(C, m * ldc);
        sri_gemm_pieces(&(sri_gemm_call){ta, tb, m, n, k, 2, A, lda, B, ldb, 0.5, got, ldc}, most);
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                double want = 0.5 * C[i * ldc + j];
                for (int64_t l = 0; l < k; l++)
                    want += 2 * entry(A, lda, ta, i, l) * entry(B, ldb, tb, l, j);
                CHECK_NEAR(got[i * ldc + j], want, kit_tolerance(k + 1, 20));
            }
        free(got);
        free(C);
        free(B);
        free(A);
    }
}

TEST(blas, products_in_pieces_are_the_products)
{
    static const int64_t sizes[][3] = {{5, 4, 3}, {3, 11, 6}, {11, 1, 7}, {1, 1, 12},
                                       {4, 5, 0}, {0, 3, 2},  {2, 0, 3},  {9, 9, 9}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int64_t most = 1; most <= 13; most++)
            check_pieces(sizes[s][0], sizes[s][1], sizes[s][2], most);
}

TEST(blas, symmetric_products_and_sums_in_pieces_are_the_same)
{
    enum { M = 6, K = 11 };
    double *A = kit_normal(15, M, K), *B = kit_normal(16, K, M), *D = kit_normal(17, K, M);
    for (int64_t most = 1; most <= 12; most++) {
        both C, S;
        for (int i = 0; i < 2; i++) {
            C.v[i] = kit_normal(18, M, M);
            S.v[i] = kit_normal(19, M, M);
            sri_syrk_pieces(M, K, A, C.v[i], i ? most : INT32_MAX);
            sri_syr2k_subtract_pieces(M, K, B, D, S.v[i], i ? most : INT32_MAX);
        }
        compare("A A'", &C, M * M, kit_tolerance(K, 8)); /* what lies above stays as it was */
        compare("C - B'D - D'B", &S, M * M, kit_tolerance(2 * K, 8));
        CHECK_NEAR(sri_dot_pieces(M * K, A, B, most), sri_dot(M * K, A, B),
                   kit_tolerance(M * K, 1));
        CHECK_NEAR(sri_norm_pieces(M * K, A, most), sri_norm(M * K, A), kit_tolerance(M * K, 1));
    }
    free(D);
    free(B);
    free(A);
}

TEST(blas, sizes_beyond_an_int_are_refused_where_they_cannot_go_in_pieces)
{
    const int64_t many = INT64_C(1) << 31;
    int64_t failed_at;
    double none = 1;
    CHECK_FAILS(ctx, sri_lapack_fits(ctx, many), SPECREG_E_SHAPE, "2147483648");
    CHECK_OK(ctx, sri_lapack_fits(ctx, many - 1));
    for (int i = 0; i < 2; i++) {
        use(ctx, i);
        CHECK_FAILS(ctx, sri_cholesky(ctx, many, &none, &failed_at), SPECREG_E_SHAPE, "at most");
    }
    CHECK_FAILS(ctx, sri_cholesky_solve(ctx, 1, many, &none, &none), SPECREG_E_SHAPE, "at most");
    CHECK_FAILS(ctx, sri_orthonormal(ctx, 1, many, &none, &none), SPECREG_E_SHAPE, "at most");
    CHECK_FAILS(ctx, sri_solve(ctx, many, &none, &none), SPECREG_E_SHAPE, "at most");
    CHECK_FAILS(ctx, sri_tridiagonal(ctx, many, &none, &none, &none), SPECREG_E_SHAPE, "at most");
    CHECK_FAILS(ctx, sri_cholesky_invert(ctx, many, &none), SPECREG_E_SHAPE, "at most");
    CHECK_FAILS(ctx, sri_eigen(ctx, many, &none, &none, true), SPECREG_E_UNAVAILABLE, "at most");
    CHECK_EQ(none, 1);
}

/* ------------------------------------------------------------------------ threads */

static void check_counts(int openmp, int blas)
{
    CHECK_EQ(omp_get_max_threads(), openmp);
    CHECK_EQ(kit_blas_threads(), blas);
}

TEST(threads, calls_and_regions_put_back_what_they_found)
{
#ifndef _OPENMP
    KIT_SKIP("this build has no OpenMP");
#endif
    (void)ctx;
    if (!kit_has_openblas())
        KIT_SKIP("another library than OpenBLAS");
    const int openmp = omp_get_max_threads(), blas = kit_blas_threads();
    sri_threads outer, inner;
    kit_set_blas_threads(3);
    omp_set_num_threads(2);
    CHECK_EQ(sri_threads_enter(4, &outer), 4);
    check_counts(4, 4);
    CHECK_EQ(sri_threads_enter(1, &inner), 1);
    check_counts(1, 1);
    sri_threads_leave(&inner);
    check_counts(4, 4);
    sri_region region = sri_region_enter();
    CHECK_EQ(region.threads, 4);
    CHECK_EQ(kit_blas_threads(), 1);
    sri_region_leave(region);
    check_counts(4, 4);
    sri_threads_leave(&outer);
    check_counts(2, 3);
    sri_threads_leave(&(sri_threads){0}); /* never entered */
    check_counts(2, 3);
    kit_set_blas_threads(blas);
    omp_set_num_threads(openmp);
}

TEST(threads, kept_counts_are_not_touched_by_calls_inside_nor_by_regions)
{
#ifndef _OPENMP
    KIT_SKIP("this build has no OpenMP");
#endif
    (void)ctx;
    if (!kit_has_openblas())
        KIT_SKIP("another library than OpenBLAS");
    const int openmp = omp_get_max_threads(), blas = kit_blas_threads();
    sri_threads outer, inner;
    kit_set_blas_threads(3);
    omp_set_num_threads(2);
    CHECK_EQ(sri_threads_enter(SRI_THREADS_KEEP, &outer), 2);
    CHECK(sri_threads_kept());
    CHECK_EQ(sri_threads_enter(1, &inner), 2);
    check_counts(2, 3);
    const sri_region region = sri_region_enter();
    check_counts(2, 3);
    sri_region_leave(region);
    check_counts(2, 3);
    sri_threads_leave(&inner);
    CHECK(sri_threads_kept());
    sri_threads_leave(&outer);
    CHECK(!sri_threads_kept());
    check_counts(2, 3);
    kit_set_blas_threads(blas);
    omp_set_num_threads(openmp);
}

/* Two threads in calls of their own: whoever leaves last puts back what the first one found. */
TEST(threads, calls_of_several_threads_leave_the_count_of_the_process_alone)
{
    (void)ctx;
    if (!kit_has_openblas())
        KIT_SKIP("another library than OpenBLAS");
    const int openmp = omp_get_max_threads(), blas = kit_blas_threads();
    kit_set_blas_threads(3);
    omp_set_num_threads(2);
#pragma omp parallel num_threads(2)
    {
        const int me = omp_get_thread_num();
        sri_threads before;
        for (int turn = 0; turn < 2; turn++) { /* 0 enters first, and leaves first */
            if (turn == me)
                sri_threads_enter(1 + me, &before);
#pragma omp barrier
        }
        for (int turn = 0; turn < 2; turn++) {
            if (turn == me)
                sri_threads_leave(&before);
#pragma omp barrier
        }
    }
    CHECK_EQ(kit_blas_threads(), 3);
    kit_set_blas_threads(blas);
    omp_set_num_threads(openmp);
}
