/* Operators: products, matrices and diagonals say the same, stored or not. */
#include <float.h>
#include <math.h>

#include "kit/kit.h"
#include "op/op.h"

/* One kernel operator: fill, apply, diagonal; before and after the matrix is stored. */
static void check_op(specreg_context *ctx, const char *kernel, int64_t n, int64_t p)
{
    const int64_t widths[] = {1, 3, 17};
    double *x = kit_normal(31, n, p), *K = malloc((size_t)(n * n) * sizeof *K);
    double *d = malloc((size_t)n * sizeof *d), kappa2;
    sri_kernel_grid grid;
    sri_points *pts;
    sri_op *op;
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, kernel, &grid));
    CHECK_OK(ctx, sri_points_new(ctx, x, n, p, false, &pts));
    const sri_kernel k = sri_kernel_grid_at(&grid, 0);
    CHECK_OK(ctx, sri_op_kernel(ctx, &k, pts, &op));
    CHECK_EQ(op->n, n);
    CHECK_OK(ctx, sri_op_fill(ctx, op, true, K));
    CHECK_OK(ctx, op->ops->diagonal(ctx, op, d));
    CHECK_OK(ctx, sri_op_kappa2(ctx, op, &kappa2));
    double top = 0;
    for (int64_t i = 0; i < n; i++) {
        CHECK_NEAR(d[i], K[i * n + i], kit_tolerance(p, 1));
        top = fmax(top, d[i]);
    }
    CHECK_SAME(kappa2, top);
    const sri_shape shape = sri_op_shape(op);
    const int64_t bytes = (int64_t)sri_op_stored_bytes(op, &shape);
    for (int stored = 0; stored < 2; stored++) {
        CHECK_OK(ctx, sri_op_prepare(ctx, op, stored ? bytes : bytes - 1));
        const double spent = op->seconds; /* on kernel values: once, or for every product */
        for (int w = 0; w < 3; w++) {
            const int64_t t = widths[w];
            double *X = kit_normal(32, n, t), *Y = malloc((size_t)(n * t) * sizeof *Y);
            for (int64_t i = 0; i < n * t; i++)
                Y[i] = NAN; /* what was there before must not matter */
            CHECK_OK(ctx, sri_op_apply(ctx, op, t, X, Y));
            for (int64_t i = 0; i < n; i++)
                for (int64_t c = 0; c < t; c++) {
                    long double sum = 0, size = 0;
                    for (int64_t j = 0; j < n; j++) {
                        sum += (long double)K[i * n + j] * X[j * t + c];
                        size += fabsl((long double)K[i * n + j] * X[j * t + c]);
                    }
                    CHECK_WORST(stored ? "product, stored" : "product, in blocks",
                                (double)fabsl(Y[i * t + c] - sum),
                                (double)size * (kit_tolerance(n, 1) + kit_tolerance(p, 1)));
                }
            free(Y);
            free(X);
        }
        CHECK(stored || sri_shape_by_factors(&op->shape) ? op->seconds == spent
                                                         : op->seconds > spent);
    }
    sri_op_free(op);
    sri_points_free(pts);
    sri_kernel_grid_free(&grid);
    free(d);
    free(K);
    free(x);
}

TEST(op, products_equal_the_matrix_times_the_columns)
{
    check_op(ctx, "rbf:sigma=1", 1, 2);
    check_op(ctx, "rbf:sigma=1", 2, 2);
    check_op(ctx, "linear", 130, 3);
    check_op(ctx, "rbf:sigma=1 + 0.5*linear", 300, 2);
    check_op(ctx, "laplace:sigma=3", 513, 2);          /* more than one block of rows */
    check_op(ctx, "rbf:sigma=8", 520, 70);             /* by matrix products */
    check_op(ctx, "rbf:sigma=1", SRI_OP_WHOLE + 1, 3); /* one triangle */
}

/* K between points of the same label, 0 between others, where points are in no order. */
static void check_same(specreg_context *ctx, int64_t n, int32_t labels)
{
    enum { P = 2, T = 3 };
    double *x = kit_normal(33, n, P), *X = kit_normal(34, n, T),
           *K = malloc((size_t)(n * n) * sizeof *K);
    double *S = malloc((size_t)(n * n) * sizeof *S), *Y = malloc((size_t)(n * T) * sizeof *Y);
    int32_t *label = malloc((size_t)n * sizeof *label);
    sri_kernel_grid grid;
    sri_points *pts;
    sri_op *all, *same;
    for (int64_t i = 0; i < n; i++)
        label[i] = (int32_t)((i * i + 1) % labels); /* some labels have no points */
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, "rbf:sigma=1", &grid));
    CHECK_OK(ctx, sri_points_new(ctx, x, n, P, false, &pts));
    const sri_kernel k = sri_kernel_grid_at(&grid, 0);
    CHECK_OK(ctx, sri_op_kernel(ctx, &k, pts, &all));
    CHECK_OK(ctx, sri_op_fill(ctx, all, true, K));
    sri_rows_view view = pts->rows;
    view.label = label;
    sri_points *labelled;
    CHECK_OK(ctx, sri_points_of_view(ctx, &view, &labelled));
    CHECK_OK(ctx, sri_op_same(ctx, &k, labelled, labels, &same));
    CHECK_OK(ctx, sri_op_fill(ctx, same, true, S));
    CHECK_OK(ctx, same->ops->diagonal(ctx, same, Y));
    double pairs = 0;
    for (int64_t i = 0; i < n * n; i++) {
        const bool equal = label[i / n] == label[i % n];
        CHECK_NEAR(S[i], equal ? K[i] : 0, kit_tolerance(P, 1));
        pairs += equal;
    }
    for (int64_t i = 0; i < n; i++)
        CHECK_NEAR(Y[i], S[i * n + i], kit_tolerance(P, 1));
    CHECK_EQ(sri_op_same_bytes(labelled, labels), 8 * pairs);
    CHECK_OK(ctx, sri_op_apply(ctx, same, T, X, Y));
    for (int64_t i = 0; i < n * T; i++) {
        long double sum = 0;
        for (int64_t j = 0; j < n; j++)
            sum += (long double)S[i / T * n + j] * X[j * T + i % T];
        CHECK_WORST("points with the same label", (double)fabsl(Y[i] - sum), kit_tolerance(n, 1));
    }
    sri_op_free(same);
    sri_op_free(all);
    sri_points_free(labelled);
    sri_points_free(pts);
    sri_kernel_grid_free(&grid);
    free(label);
    free(Y);
    free(S);
    free(K);
    free(X);
    free(x);
}

TEST(op, between_points_of_the_same_label_products_equal_those_of_the_matrix_with_zeros_elsewhere)
{
    check_same(ctx, 60, 3);
    check_same(ctx, 60, 12);  /* blocks by plain loops */
    check_same(ctx, 700, 11); /* on several threads */
}

TEST(op, the_diagonal_of_a_weighted_matrix_has_the_weights_in_it)
{
    enum { N = 40, P = 2 };
    double *x = kit_normal(35, N, P), *w = kit_uniform(36, N, 1), d[N], K[N * N];
    sri_kernel_grid grid;
    sri_points *pts;
    sri_op *op;
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, "rbf:sigma=1", &grid));
    CHECK_OK(ctx, sri_points_new(ctx, x, N, P, false, &pts));
    const sri_kernel k = sri_kernel_grid_at(&grid, 0);
    CHECK_OK(ctx, sri_op_kernel_weighted(ctx, &k, pts, w, &op));
    CHECK_OK(ctx, op->ops->diagonal(ctx, op, d));
    CHECK_OK(ctx, sri_op_fill(ctx, op, true, K));
    for (int i = 0; i < N; i++) {
        CHECK_NEAR(d[i], op->weight[i], kit_tolerance(P, 1)); /* k(x, x) = 1 */
        CHECK_NEAR(d[i], K[i * N + i], kit_tolerance(P, 1));
    }
    sri_op_free(op);
    sri_points_free(pts);
    sri_kernel_grid_free(&grid);
    free(w);
    free(x);
}

TEST(op, a_given_matrix_is_used_as_it_is)
{
    static const double K[4] = {2, -1, -1, 5}, X[4] = {1, 10, 2, 20};
    double Y[4], full[4], kappa2;
    sri_op *op;
    CHECK_OK(ctx, kit_op_matrix(ctx, K, 2, &op));
    CHECK_OK(ctx, sri_op_apply(ctx, op, 2, X, Y));
    CHECK(Y[0] == 0 && Y[1] == 0 && Y[2] == 9 && Y[3] == 90);
    CHECK_OK(ctx, sri_op_fill(ctx, op, true, full));
    CHECK(memcmp(full, K, sizeof K) == 0);
    CHECK_OK(ctx, sri_op_kappa2(ctx, op, &kappa2));
    CHECK_SAME(kappa2, 5.0);
    CHECK_OK(ctx, sri_op_prepare(ctx, op, 0));
    sri_op_free(op);
    sri_op_free(NULL);
}

static int cancel(const specreg_progress *p, void *payload)
{
    (void)p;
    return --*(int *)payload < 0;
}

TEST(op, a_product_in_blocks_can_be_cancelled)
{
    double *x = kit_normal(31, 1100, 2), *X = kit_normal(32, 1100, 1), *Y = kit_normal(33, 1100, 1);
    sri_kernel_grid grid;
    sri_points *pts;
    sri_op *op;
    int left = 0;
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, "rbf:sigma=1", &grid));
    CHECK_OK(ctx, sri_points_new(ctx, x, 1100, 2, false, &pts));
    const sri_kernel k = sri_kernel_grid_at(&grid, 0);
    CHECK_OK(ctx, sri_op_kernel(ctx, &k, pts, &op));
    specreg_set_progress(ctx, cancel, &left);
    CHECK_FAILS(ctx, sri_op_apply(ctx, op, 1, X, Y), SPECREG_E_CANCELLED, "cancelled");
    specreg_set_progress(ctx, NULL, NULL);
    sri_op_free(op);
    sri_points_free(pts);
    sri_kernel_grid_free(&grid);
    free(Y);
    free(X);
    free(x);
}
