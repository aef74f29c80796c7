/* Products with kernel matrices that are not stored, against the stored matrix and a plain loop. */
#include <math.h>

#include "core/openmp.h"
#include "kernel/kernel.h"
#include "kit/kit.h"

static sri_kernel parse_kernel(specreg_context *ctx, const char *text)
{
    sri_kernel_grid grid;
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, text, &grid));
    const sri_kernel k = sri_kernel_grid_at(&grid, 0);
    sri_kernel_grid_free(&grid);
    return k;
}

/* Values of these kernels are at most 4 on the points below. */
static const char *const KERNELS[] = {"rbf:sigma=1", "laplace:sigma=2,norm=1",
                                      "0.5*matern:sigma=2 + 0.25*poly:degree=2"};
static const double LARGEST = 4;

static void check_product(specreg_context *ctx, const sri_kernel *k, int64_t m, int64_t n,
                          int64_t p, int64_t t)
{
    double *x = kit_normal(1, m, p), *z = kit_normal(2, n, p), *A = kit_normal(3, n, t);
    double *K = malloc((size_t)(m * n) * sizeof *K), *F = malloc((size_t)(m * t) * sizeof *F);
    double *expected = calloc((size_t)(m * t), sizeof *expected);
    for (int64_t i = 0; i < m * p; i++)
        x[i] /= 2 * sqrt((double)p);
    for (int64_t i = 0; i < n * p; i++)
        z[i] /= 2 * sqrt((double)p);
    memcpy(z, x, (size_t)p * sizeof *z); /* one equal pair */
    sri_points *centres;
    const sri_rows_view rows = sri_view_dense(x, m, p);
    CHECK_OK(ctx, sri_points_new(ctx, z, n, p, false, &centres));
    CHECK_OK(ctx, sri_kernel_block(ctx, k, &rows, centres, K, n));
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t c = 0; c < t; c++)
                expected[i * t + c] += K[i * n + j] * A[j * t + c];
    for (int64_t i = 0; i < m * t; i++)
        F[i] = -777;
    CHECK_OK(ctx, sri_kernel_product(ctx, &(sri_kernel_matrix){k, &rows, centres}, t, A, F));
    CHECK_ARRAY_NEAR(F, expected, m * t, kit_tolerance(n + p, LARGEST));
    sri_points_free(centres);
    free(expected);
    free(F);
    free(K);
    free(A);
    free(z);
    free(x);
}

TEST(kernel_product, equals_the_stored_matrix_times_the_columns)
{
    static const int64_t rows[] = {1, 8, 17, 130}, sizes[] = {1, 129, 515};
    static const int64_t ps[] = {3, 65}, columns[] = {1, 3, 8, 17}; /* by tiles, by products */
    for (size_t f = 0; f < sizeof KERNELS / sizeof *KERNELS; f++) {
        const sri_kernel k = parse_kernel(ctx, KERNELS[f]);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 3; j++)
                for (int q = 0; q < 2; q++)
                    for (int c = 0; c < 4; c++)
                        check_product(ctx, &k, rows[i], sizes[j], ps[q], columns[c]);
    }
}

TEST(kernel_product, many_rows_are_cut_into_blocks)
{
    const sri_kernel k = parse_kernel(ctx, KERNELS[0]);
    check_product(ctx, &k, 2500, 300, 5, 1);
    check_product(ctx, &k, 2500, 300, 70, 1);
    check_product(ctx, &k, 2500, 300, 70, 3);
}

TEST(kernel_product, threads_change_nothing_but_the_time)
{
#ifndef _OPENMP
    KIT_SKIP("this build has no OpenMP");
#endif
    enum { M = 700, N = 300 };
    static const int64_t ps[] = {5, 70};
    const sri_kernel k = parse_kernel(ctx, KERNELS[0]);
    for (int q = 0; q < 2; q++) {
        double *x = kit_normal(1, M, ps[q]), *z = kit_normal(2, N, ps[q]), *a = kit_normal(3, N, 1);
        double one[M], two[M];
        sri_points *centres;
        const sri_rows_view rows = sri_view_dense(x, M, ps[q]);
        const int before = omp_get_max_threads();
        CHECK_OK(ctx, sri_points_new(ctx, z, N, ps[q], false, &centres));
        omp_set_num_threads(1);
        CHECK_OK(ctx, sri_kernel_product(ctx, &(sri_kernel_matrix){&k, &rows, centres}, 1, a, one));
        omp_set_num_threads(2);
        CHECK_OK(ctx, sri_kernel_product(ctx, &(sri_kernel_matrix){&k, &rows, centres}, 1, a, two));
        CHECK_EQ(omp_get_max_threads(), 2);
        omp_set_num_threads(before);
        CHECK_ARRAY_NEAR(one, two, M, kit_tolerance(N, 1));
        sri_points_free(centres);
        free(a);
        free(z);
        free(x);
    }
}

/* By the matrix itself; with one thread and two the same bits. */
static void check_square(specreg_context *ctx, const sri_kernel *k, int64_t n, int64_t p, int64_t t)
{
    double *x = kit_normal(1, n, p), *X = kit_normal(2, n, t);
    double *K = calloc((size_t)(n * n), sizeof *K), *Y[2] = {NULL};
    sri_points *points;
    const int before = omp_get_max_threads();
    CHECK_OK(ctx, sri_points_new(ctx, x, n, p, false, &points));
    CHECK_OK(ctx, sri_kernel_gram(ctx, k, points, true, K, n));
    for (int threads = 1; threads <= 2; threads++) {
        Y[threads - 1] = malloc((size_t)(n * t) * sizeof **Y);
        omp_set_num_threads(threads);
        CHECK_OK(ctx, sri_kernel_square_product(ctx, k, points, t, X, Y[threads - 1]));
    }
    omp_set_num_threads(before);
    CHECK(memcmp(Y[0], Y[1], (size_t)(n * t) * sizeof **Y) == 0);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < t; c++) {
            double sum = 0, size = 0;
            for (int64_t j = 0; j < n; j++) {
                sum += K[i * n + j] * X[j * t + c];
                size += fabs(K[i * n + j] * X[j * t + c]);
            }
            CHECK_NEAR(Y[0][i * t + c], sum, kit_tolerance(n, size));
        }
    free(Y[1]);
    free(Y[0]);
    free(K);
    sri_points_free(points);
    free(X);
    free(x);
}

TEST(kernel_product, that_of_all_points_takes_each_value_once_for_both_triangles)
{
    static const int64_t sizes[] = {1, 100, 256, 600}, ps[] = {5, 70}, columns[] = {1, 9};
    for (int q = 0; q < (int)(sizeof KERNELS / sizeof *KERNELS); q++) {
        const sri_kernel k = parse_kernel(ctx, KERNELS[q]);
        for (int j = 0; j < 4; j++)
            for (int c = 0; c < 4; c++)
                check_square(ctx, &k, sizes[j], ps[c / 2], columns[c % 2]);
    }
}

TEST(kernel_product, values_that_are_not_finite_are_named)
{
    static const int64_t ps[] = {2, 100}; /* by tiles, by products */
    enum { M = 40, N = 3 };
    for (int q = 0; q < 2; q++) {
        const int64_t p = ps[q];
        double *x = kit_normal(1, M, p), *z = kit_normal(2, N, p), F[M];
        const sri_rows_view rows = sri_view_dense(x, M, p);
        static const double a[N] = {1, 0, -1}, huge[N] = {1e308, 1e308, 1e308};
        sri_points *centres;
        for (int64_t c = 0; c < p; c++)
            x[33 * p + c] = z[p + c] = 1e200;
        CHECK_OK(ctx, sri_points_new(ctx, z, N, p, false, &centres));
        const sri_kernel linear = parse_kernel(ctx, "linear");
        const sri_kernel rbf = parse_kernel(ctx, "rbf:sigma=9");
        CHECK_FAILS(ctx,
                    sri_kernel_product(ctx, &(sri_kernel_matrix){&linear, &rows, centres}, 1, a, F),
                    SPECREG_E_NUMERIC, "the kernel value of rows 34 and 2 is not finite");
        CHECK_OK(ctx, sri_kernel_product(ctx, &(sri_kernel_matrix){&rbf, &rows, centres}, 1, a, F));
        for (int64_t c = 0; c < p; c++) /* sums may be infinite: the values are not */
            x[c] = z[c] = z[2 * p + c] = 0;
        CHECK_OK(ctx,
                 sri_kernel_product(ctx, &(sri_kernel_matrix){&rbf, &rows, centres}, 1, huge, F));
        CHECK(isinf(F[0]));
        sri_points_free(centres);
        free(z);
        free(x);
    }
}

/* Panels are a second copy of the centres: made where a tile is wanted, whichever thread comes
 * first, not where values come from matrix products. */
TEST(kernel_product, centres_are_packed_when_a_tile_is_wanted)
{
    enum { N = 70, P = 80, THREADS = 4 };
    double *x = kit_normal(4, N, P), *K = malloc(N * N * sizeof *K), *first = NULL;
    double *each = malloc(THREADS * N * N * sizeof *each);
    const sri_kernel wide = parse_kernel(ctx, "rbf:sigma=9");
    const sri_kernel tiles = parse_kernel(ctx, "laplace:sigma=50,norm=1");
    sri_points *points;
    int failed = 0;
    CHECK_OK(ctx, sri_points_new(ctx, x, N, P, false, &points));
    CHECK(!points->panels);
    CHECK_OK(ctx, sri_kernel_gram(ctx, &wide, points, true, K, N));
    CHECK(!points->panels);
#pragma omp parallel for num_threads(THREADS) schedule(static, 1) reduction(+ : failed)
    for (int i = 0; i < THREADS; i++) {
        specreg_context *own = NULL;
        failed += specreg_context_new(&own) != SPECREG_OK;
        failed += sri_kernel_gram(own, &tiles, points, true, each + i * N * N, N) != SPECREG_OK;
        specreg_context_free(own);
    }
    CHECK_EQ(failed, 0);
    first = points->panels;
    CHECK(first);
    CHECK_OK(ctx, sri_kernel_gram(ctx, &tiles, points, true, K, N));
    CHECK(points->panels == first);
    for (int i = 0; i < THREADS * N * N; i++)
        CHECK_SAME(each[i], K[i % (N * N)]);
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int k = 0; k < P; k++)
            sum += fabs(x[i * P + k] - x[3 * P + k]);
        CHECK_NEAR(K[3 * N + i], exp(-sum / 50), kit_tolerance(P, 1));
    }
    sri_points_free(points);
    free(each);
    free(K);
    free(x);
}
