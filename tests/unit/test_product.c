/* Products with few columns against a plain loop. */
#include "kit/kit.h"

#include <float.h>
#include <math.h>

#include "backend/blas.h"
#include "backend/panels.h"
#include "backend/triangle.h"
#include "backend/vec.h"

static void plain(int64_t rows, int64_t n, const double *K, int64_t ldk, int64_t t, const double *X,
                  double *Y)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t c = 0; c < t; c++) {
            double sum = 0;
            for (int64_t j = 0; j < n; j++)
                sum += K[i * ldk + j] * X[j * t + c];
            Y[i * t + c] = sum;
        }
}

TEST(product, equals_a_plain_loop_for_all_shapes)
{
    static const int64_t sizes[][2] = {{1, 1},  {7, 30},  {8, 30},   {9, 31},
                                       {15, 8}, {16, 17}, {100, 63}, {400, 401}};
    static const int64_t columns[] = {1, 2, 3, 6, 7, 8, 9, 15, 16, 17, 32, 33, 40};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
            const int64_t rows = sizes[s][0], n = sizes[s][1], ldk = n + 3, t = columns[c];
            double *K = kit_normal(1, rows, ldk), *X = kit_normal(2, n, t);
            double *Y = calloc((size_t)(rows * t), sizeof *Y);
            double *expected = calloc((size_t)(rows * t), sizeof *Y);
            plain(rows, n, K, ldk, t, X, expected);
            CHECK_OK(ctx, sri_product(ctx, (sri_dense){rows, n, K, ldk}, t, X, Y));
            CHECK_ARRAY_NEAR(Y, expected, rows * t, kit_tolerance(n, 1));
            free(expected);
            free(Y);
            free(X);
            free(K);
        }
}

TEST(product, every_instruction_set_gives_the_same)
{
    enum { n = 77, ldk = 80 };
    const sri_vec *tables[] = {&sri_vec_plain, sri_vec_best(), NULL};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        tables[2] = &sri_vec_avx2;
#endif
    double *K = kit_normal(3, SRI_THIN_ROWS, ldk), *X = kit_normal(4, n, SRI_THIN);
    double expected[SRI_THIN_ROWS * SRI_THIN], Y[SRI_THIN_ROWS * SRI_THIN];
    plain(SRI_THIN_ROWS, n, K, ldk, SRI_THIN, X, expected);
    for (int v = 0; v < 3; v++) {
        if (!tables[v])
            continue;
        tables[v]->thin(K, ldk, n, X, Y);
        CHECK_ARRAY_NEAR(Y, expected, SRI_THIN_ROWS * SRI_THIN, kit_tolerance(n, 1));
    }
    free(X);
    free(K);
}

/* Kernel values of single precision are rounded by half of FLT_EPSILON, and so are the sums of a
 * chunk, each time they grow. */
static void check_triangle(specreg_context *ctx, int64_t n, int64_t t, bool single, bool holes)
{
    const int64_t wide = (n + 127) / 128 * 128;
    double *A = kit_normal(31, (int)n, (int)n), *X = kit_normal(32, (int)n, (int)t);
    double *K = calloc((size_t)(wide * wide), sizeof *K);
    double *Y = calloc((size_t)(n * t), sizeof *Y);
    double squares = 0;
    sri_triangle *s = NULL;
    for (int64_t k = 0; k < n * t && holes; k++) /* columns that are 0 in some blocks of rows */
        X[k] *= (k / t / 128 * 7 + k % t * 3) % 5 > 2;
    for (int64_t i = 0; i < wide; i++)
        for (int64_t j = 0; j < wide; j++) /* beyond the matrix it is not to look */
            K[i * wide + j] = i < n && j < n ? A[i * n + j] + A[j * n + i] : NAN;
    CHECK_OK(ctx, sri_triangle_new(ctx, n, single, &s));
    for (int64_t i = 0; i < wide / 128; i++)
        for (int64_t j = 0; j <= i; j++) {
            double tile[128 * 128];
            for (int64_t r = 0; r < 128; r++)
                memcpy(tile + r * 128, K + (i * 128 + r) * wide + j * 128, 128 * sizeof *tile);
            sri_triangle_set(s, i, j, tile);
        }
    CHECK_OK(ctx, sri_triangle_product(ctx, s, t, X, Y));
    for (int64_t i = 0; i < n; i++) {
        for (int64_t c = 0; c < t; c++) {
            double sum = 0, size = 0;
            for (int64_t j = 0; j < n; j++) {
                sum += K[i * wide + j] * X[j * t + c];
                size += fabs(K[i * wide + j] * X[j * t + c]);
            }
            CHECK_WORST(single ? "single precision" : "one triangle", fabs(Y[i * t + c] - sum),
                        single ? 10 * FLT_EPSILON * size : 100 * DBL_EPSILON * size);
        }
        for (int64_t j = 0; j < n; j++)
            squares += K[i * wide + j] * K[i * wide + j];
    }
    if (single)
        CHECK_NEAR(sri_triangle_norm(s), sqrt(squares), 1e-12 * sqrt(squares));
    sri_triangle_free(s);
    free(Y);
    free(K);
    free(X);
    free(A);
}

/* All ways to group columns, and what comes in several passes. */
TEST(product, of_one_triangle_is_that_of_the_matrix)
{
    static const int64_t shape[][2] = {{1, 1},   {40, 2},  {128, 3},  {257, 4},  {300, 5},
                                       {130, 6}, {129, 7}, {700, 11}, {200, 32}, {131, 70}};
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++)
        for (int single = 0; single < 2; single++)
            for (int holes = 0; holes < 2; holes++)
                check_triangle(ctx, shape[k][0], shape[k][1], single, holes);
}

TEST(panels, add_the_square_of_a_factor_with_few_columns)
{
    static const int64_t sizes[][2] = {{1, 1}, {127, 3}, {128, 4}, {300, 33}, {1100, 64}};
    static const int64_t columns[] = {1, 4, 5, 6, 12};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
            const int64_t n = sizes[s][0], rank = sizes[s][1], t = columns[c];
            double *Lt = kit_normal(5, rank, n), *X = kit_normal(6, n, t), *Y = kit_normal(7, n, t);
            double *C = calloc((size_t)(rank * t), sizeof *C), *expected = kit_normal(7, n, t);
            sri_panels panels;
            plain(rank, n, Lt, n, t, X, C);
            for (int64_t i = 0; i < n; i++)
                for (int64_t k = 0; k < t; k++)
                    for (int64_t r = 0; r < rank; r++)
                        expected[i * t + k] += Lt[r * n + i] * C[r * t + k];
            CHECK_OK(ctx, sri_panels_new(ctx, n, rank, Lt, &panels));
            CHECK_OK(ctx, sri_panels_add_square(ctx, &panels, t, X, Y));
            CHECK_ARRAY_NEAR(Y, expected, n * t, kit_tolerance(n, 100.0 * (double)rank));
            sri_panels_free(&panels);
            free(expected);
            free(C);
            free(Y);
            free(X);
            free(Lt);
        }
}
