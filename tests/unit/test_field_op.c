/* The operator of a vector-field kernel: products, matrix, diagonal say the same, stored or not. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kit/kit.h"
#include "op/op.h"

static void check_op(specreg_context *ctx, int64_t n, int64_t T)
{
    const int64_t N = n * T, widths[] = {1, 3, 17};
    const sri_field f = {.sigma = 0.7, .curl = 0.25, .div = 0.75, .T = T};
    const double top = (0.25 + 0.75 * (double)(T - 1)) / 0.49;
    double *x = kit_normal(61, n, T), *K = kit_normal(62, N, N), *d = kit_normal(63, N, 1), kappa2;
    sri_op *op;
    CHECK_OK(ctx, sri_op_field(ctx, &f, x, n, &op));
    CHECK_EQ(op->n, N);
    CHECK_SAME(op->mass, (double)n);
    CHECK_OK(ctx, sri_op_fill(ctx, op, true, K));
    CHECK_OK(ctx, op->ops->diagonal(ctx, op, d));
    CHECK_OK(ctx, sri_op_kappa2(ctx, op, &kappa2));
    CHECK_NEAR(kappa2, top, 4 * DBL_EPSILON);
    for (int64_t i = 0; i < N; i++)
        CHECK_SAME(d[i], K[i * N + i]);
    for (int stored = 0; stored < 2; stored++) {
        CHECK_OK(ctx, sri_op_prepare(ctx, op, stored ? 8 * N * N : 8 * N * N - 1));
        const double spent = op->seconds; /* on kernel values: once, or for every product */
        for (int w = 0; w < 3; w++) {
            const int64_t t = widths[w];
            double *X = kit_normal(64, N, t), *Y = kit_normal(65, N, t);
            CHECK_OK(ctx, sri_op_apply(ctx, op, t, X, Y));
            for (int64_t i = 0; i < N; i++)
                for (int64_t c = 0; c < t; c++) {
                    long double sum = 0, size = 0;
                    for (int64_t j = 0; j < N; j++) {
                        sum += (long double)K[i * N + j] * X[j * t + c];
                        size += fabsl((long double)K[i * N + j] * X[j * t + c]);
                    }
                    /* a and b w w' may cancel in an entry: both are below the diagonal's 2 T */
                    CHECK_WORST(stored ? "product, stored" : "product, on the way",
                                (double)fabsl(Y[i * t + c] - sum),
                                (double)(size + 2 * T * top) * kit_tolerance(N, 1));
                }
            free(Y);
            free(X);
        }
        CHECK(stored ? op->seconds == spent : op->seconds > spent);
    }
    sri_op_free(op);
    free(d);
    free(K);
    free(x);
}

TEST(field_op, products_equal_the_matrix_times_the_columns)
{
    check_op(ctx, 1, 2);
    check_op(ctx, 150, 2);
    check_op(ctx, 131, 3);
    check_op(ctx, 60, 5);
}

TEST(field_op, the_kernel_is_copied)
{
    static const double x[2] = {0, 0}, X[2] = {1, 2};
    double Y[2];
    sri_field f = {.sigma = 0.5, .curl = 1, .T = 2};
    sri_op *op;
    CHECK_OK(ctx, sri_op_field(ctx, &f, x, 1, &op));
    f = (sri_field){0};
    CHECK_OK(ctx, sri_op_apply(ctx, op, 1, X, Y));
    CHECK(Y[0] == 4 && Y[1] == 8);
    sri_op_free(op);
}

/* W^(1/2) K W^(1/2): weights per component go around it like around any operator. */
TEST(field_op, weights_go_around_it)
{
    static const double x[4] = {0, 0, 1, 1}, w[4] = {4, 4, 1, 1}, X[4] = {1, 0, 0, 0};
    double Y[4], G[16];
    const sri_field f = {.sigma = 1, .div = 1, .T = 2};
    sri_op *op, *weighted;
    CHECK_OK(ctx, sri_field_fill(ctx, &f, x, 2, true, G));
    CHECK_OK(ctx, sri_op_field(ctx, &f, x, 2, &op));
    CHECK_OK(ctx, sri_op_weighted(ctx, op, w, &weighted));
    CHECK_OK(ctx, sri_op_apply(ctx, weighted, 1, X, Y));
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(Y[i], (i < 2 ? 4 : 2) * G[i * 4], 8 * DBL_EPSILON);
    sri_op_free(weighted);
}

/* Points that are one component each, in any order and not all of them, have the entries of the
 * whole matrix; all components of vectors in order are the operator of fields. */
TEST(field_op, components_of_vectors_have_the_entries_of_the_matrix)
{
    enum { N = 5, T = 3, SOME = 7 };
    static const int64_t some[SOME] = {14, 0, 4, 5, 9, 13, 2};
    const sri_field f = {.sigma = 0.8, .curl = 1.4, .div = 0.6, .T = T};
    double *x = kit_normal(66, N, T), *K = kit_normal(67, N * T, N * T), G[SOME * SOME];
    int32_t label[N * T];
    int64_t vector[N * T];
    sri_kernel_grid grid;
    sri_points *all, *part;
    sri_op *op;
    CHECK_OK(ctx, sri_field_fill(ctx, &f, x, N, true, K));
    for (int64_t i = 0; i < N * T; i++) {
        vector[i] = i / T;
        label[i] = (int32_t)(i % T);
    }
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, "2*helmholtz:sigma=0.8,gamma=0.3", &grid));
    const sri_kernel kernel = sri_kernel_grid_at(&grid, 0);
    const sri_rows_view vectors = sri_view_dense(x, N, T);
    const sri_rows_view components = sri_view_field(&vectors.x, vector, label, N * T);
    CHECK_OK(ctx, sri_points_of_view(ctx, &components, &all));
    CHECK_OK(ctx, sri_points_subset(ctx, all, some, SOME, &part));
    CHECK_OK(ctx, sri_op_kernel(ctx, &kernel, part, &op));
    CHECK_STR(op->ops->name, "kernel");
    CHECK_OK(ctx, sri_op_fill(ctx, op, true, G));
    for (int64_t i = 0; i < SOME; i++)
        for (int64_t j = 0; j < SOME; j++)
            CHECK_WORST("entry", fabs(G[i * SOME + j] - K[some[i] * N * T + some[j]]),
                        64 * DBL_EPSILON * 2 * T * sri_field_diagonal(&f));
    sri_op_free(op);
    CHECK_OK(ctx, sri_op_kernel(ctx, &kernel, all, &op));
    CHECK_STR(op->ops->name, "field");
    sri_op_free(op);
    sri_points_free(part);
    sri_points_free(all);
    sri_kernel_grid_free(&grid);
    free(K);
    free(x);
}
