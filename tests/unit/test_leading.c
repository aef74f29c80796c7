/* Leading eigenpairs: by products and by decomposition the same, also where eigenvalues are equal,
 * clustered or 0. */
#include "op/leading.h"

#include <float.h>
#include <math.h>

#include "backend/blas.h"
#include "backend/eigen.h"
#include "backend/factor.h"
#include "kit/kit.h"

/* V has orthonormal rows, K v = mass s v, and s are the largest eigenvalues of K/mass, up to
 * rounding of the largest. */
static void check_pairs(const double *K, int64_t n, double mass, int64_t m, const double *s,
                        const double *V, const double *expected, const char *name)
{
    const double tol = kit_tolerance(n, 1);
    double *w = malloc((size_t)n * sizeof *w);
    for (int64_t j = 0; j < m; j++) {
        CHECK_WORST(name, fabs(s[j] - expected[j]), tol * expected[0]);
        sri_gemm(false, false, n, 1, n, 1 / mass, K, n, V + j * n, 1, 0, w, 1);
        for (int64_t i = 0; i < n; i++)
            CHECK_WORST("residual", fabs(w[i] - s[j] * V[j * n + i]), tol * expected[0]);
        for (int64_t k = 0; k <= j; k++)
            CHECK_WORST("orthogonality", fabs(sri_dot(n, V + j * n, V + k * n) - (j == k)), tol);
    }
    free(w);
}

/* K = B' diag(d) B with orthonormal rows of B, the other eigenvalues 0. */
static double *matrix_of(specreg_context *ctx, int64_t n, int64_t rank, const double *d)
{
    double *B = kit_normal(61, rank, n), *C = malloc((size_t)(rank * n) * sizeof *C);
    double *R = malloc((size_t)(rank * rank) * sizeof *R), *K = malloc((size_t)(n * n) * sizeof *K);
    CHECK_OK(ctx, sri_orthonormal(ctx, rank, n, B, R));
    for (int64_t j = 0; j < rank; j++)
        for (int64_t i = 0; i < n; i++)
            C[j * n + i] = d[j] * B[j * n + i];
    sri_gemm(true, false, n, n, rank, 1, B, n, C, n, 0, K, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            K[i * n + j] = K[j * n + i] = (K[i * n + j] + K[j * n + i]) / 2;
    free(R);
    free(C);
    free(B);
    return K;
}

static void check_matrix(specreg_context *ctx, int64_t n, int64_t rank, const double *d, int64_t m,
                         const char *name)
{
    double *K = matrix_of(ctx, n, rank, d), *V = malloc((size_t)(m * n) * sizeof *V);
    double *s = malloc((size_t)m * sizeof *s), *expected = calloc((size_t)m, sizeof *expected);
    sri_op *op;
    for (int64_t j = 0; j < m && j < rank; j++)
        expected[j] = d[j] / (double)n;
    CHECK_OK(ctx, kit_op_matrix(ctx, K, n, &op));
    CHECK(sri_op_leading_krylov_fits(n, m));
    CHECK_OK(ctx, sri_op_leading_krylov(ctx, op, m, 0, s, V));
    check_pairs(K, n, op->mass, m, s, V, expected, name);
    CHECK_OK(ctx, sri_op_leading(ctx, op, m, (sri_leading_limits){INT64_MAX, 0}, s, V));
    check_pairs(K, n, op->mass, m, s, V, expected, "by decomposition");
    sri_op_free(op);
    free(expected);
    free(s);
    free(V);
    free(K);
}

enum { ORDER = 300 };

TEST(leading, products_find_what_the_decomposition_does)
{
    double d[ORDER];
    for (int j = 0; j < ORDER; j++)
        d[j] = 5 * pow(0.8, j);
    check_matrix(ctx, ORDER, ORDER, d, 12, "falling fast");
    for (int j = 0; j < ORDER; j++)
        d[j] = 2.0 / (1 + j);
    check_matrix(ctx, ORDER, ORDER, d, 1, "falling slowly, one");
    check_matrix(ctx, ORDER, ORDER, d, 40, "falling slowly");
    for (int j = 0; j < ORDER; j++)
        d[j] = 1 - 0.5 * j / ORDER;
    check_matrix(ctx, ORDER, ORDER, d, 20, "nearly flat");
}

TEST(leading, equal_eigenvalues_are_all_found)
{
    double d[ORDER];
    for (int j = 0; j < ORDER; j++)
        d[j] = j < 30 ? 4 : 1; /* more than a block has rows */
    check_matrix(ctx, ORDER, ORDER, d, 30, "equal ones");
    check_matrix(ctx, ORDER, ORDER, d, 25, "a part of equal ones");
    for (int b = 1; b < 10; b++) { /* others converge before rounding brings the rest */
        for (int j = 0; j < ORDER; j++)
            d[j] = j < 12 ? 4 : j < 16 ? 3.9 - 0.1 * (j - 12) : 0.2 * b * (ORDER - j) / ORDER;
        check_matrix(ctx, ORDER, ORDER, d, 12, "equal ones before others");
    }
    for (int j = 0; j < ORDER; j++)
        d[j] = j < 3 ? 10 : j < 25 ? 5 : pow(0.9, j);
    check_matrix(ctx, ORDER, ORDER, d, 26, "equal ones that are not the first");
}

TEST(leading, of_a_low_rank_the_rest_is_rounding)
{
    double d[9] = {9, 8, 7, 6, 5, 4, 3, 2, 1};
    check_matrix(ctx, ORDER, 9, d, 9, "all that there are");
    check_matrix(ctx, ORDER, 9, d, 30, "more than there are");
    check_matrix(ctx, ORDER, 1, d, 2, "rank 1");
}

TEST(leading, linear_kernels_go_by_columns_or_products_alike)
{
    enum { ROWS = 200, COLS = 7, MOST = 5 };
    double *x = kit_normal(62, ROWS, COLS), s[MOST], t[MOST],
           *V = malloc(sizeof(double[MOST * ROWS]));
    double *U = malloc(sizeof(double[MOST * ROWS])), *K = malloc(sizeof(double[ROWS * ROWS]));
    sri_kernel_grid grid;
    sri_points *points;
    sri_op *op;
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, "2*linear", &grid));
    CHECK_OK(ctx, sri_points_new(ctx, x, ROWS, COLS, false, &points));
    const sri_kernel kernel = sri_kernel_grid_at(&grid, 0);
    CHECK_OK(ctx, sri_op_kernel(ctx, &kernel, points, &op));
    CHECK_OK(ctx, sri_op_fill(ctx, op, true, K));
    CHECK_OK(ctx, sri_op_leading(ctx, op, MOST, (sri_leading_limits){INT64_MAX, 0}, s,
                                 V)); /* of the 7 x 7 matrix */
    CHECK_OK(ctx, sri_op_leading_krylov(ctx, op, MOST, 5, t, U));
    check_pairs(K, ROWS, ROWS, MOST, s, V, t, "columns and products");
    check_pairs(K, ROWS, ROWS, MOST, t, U, s, "columns and products");
    sri_op_free(op);
    sri_points_free(points);
    sri_kernel_grid_free(&grid);
    free(K);
    free(U);
    free(V);
    free(x);
}

/* H K H with the mean taken out: what was added to every entry of K goes again, but for its
 * rounding. */
TEST(leading, of_a_centred_matrix_a_large_constant_is_rounding_alone)
{
    enum { M = 6 };
    static double one[ORDER], d[ORDER], H[ORDER * ORDER], HK[ORDER * ORDER], s[ORDER], t[M],
        V[M * ORDER];
    const double added = 1e4, level = added, tol = kit_tolerance(ORDER, 1);
    char constant[] = "constant", *name = constant;
    for (int j = 0; j < ORDER; j++) {
        d[j] = 5 * pow(0.8, j);
        one[j] = 1;
    }
    double *K = matrix_of(ctx, ORDER, ORDER, d), *C = malloc(sizeof(double[ORDER * ORDER]));
    for (int k = 0; k < ORDER * ORDER; k++)
        H[k] = (k % (ORDER + 1) == 0) - 1.0 / ORDER;
    sri_gemm(false, false, ORDER, ORDER, ORDER, 1, H, ORDER, K, ORDER, 0, HK, ORDER);
    sri_gemm(false, false, ORDER, ORDER, ORDER, 1, HK, ORDER, H, ORDER, 0, C, ORDER);
    CHECK_OK(ctx, sri_eigen(ctx, ORDER, C, s, false));
    for (int k = 0; k < ORDER * ORDER; k++)
        K[k] += added;
    const sri_features features = {.P = one, .l = 1, .name = &name};
    sri_projection *mean;
    sri_op *inner, *op;
    CHECK_OK(ctx, sri_projection_new(ctx, &features, ORDER, NULL, &mean));
    CHECK_OK(ctx, kit_op_matrix(ctx, K, ORDER, &inner));
    CHECK_OK(ctx, sri_op_projected(ctx, inner, mean, &op));
    double found;
    CHECK_OK(ctx, sri_op_leading_level(ctx, op, &found));
    CHECK_NEAR(found, level, 1); /* and the mean of K as it was */
    for (int way = 0; way < 2; way++) {
        if (way == 0)
            CHECK_OK(ctx, sri_op_leading_krylov(ctx, op, M, 0, t, V));
        else
            CHECK_OK(ctx, sri_op_leading(ctx, op, M, (sri_leading_limits){INT64_MAX, 0}, t, V));
        for (int j = 0; j < M; j++) {
            CHECK_WORST("eigenvalue", fabs(t[j] - s[ORDER - 1 - j] / ORDER), tol * level);
            CHECK_WORST("mean", fabs(sri_dot(ORDER, V + j * ORDER, one)), tol * level / t[j]);
        }
    }
    sri_op_free(op);
    free(C);
    free(K);
}

TEST(leading, a_matrix_with_negative_eigenvalues_and_too_little_memory_are_refused)
{
    double d[ORDER], s[3], *V = malloc(sizeof(double[3 * ORDER]));
    sri_op *op;
    for (int j = 0; j < ORDER; j++)
        d[j] = j < 5 ? -3 : 1;
    double *K = matrix_of(ctx, ORDER, ORDER, d);
    CHECK_OK(ctx, kit_op_matrix(ctx, K, ORDER, &op));
    CHECK_FAILS(ctx, sri_op_leading(ctx, op, 3, (sri_leading_limits){INT64_MAX, 0}, s, V),
                SPECREG_E_NUMERIC, "not positive semi-definite");
    CHECK_FAILS(ctx, sri_op_leading_krylov(ctx, op, 3, 0, s, V), SPECREG_E_NUMERIC,
                "not positive semi-definite");
    CHECK_FAILS(ctx, sri_op_leading(ctx, op, 3, (sri_leading_limits){100000, 0}, s, V),
                SPECREG_E_NOMEM, "budget");
    sri_op_free(op);
    free(K);
    free(V);
}
