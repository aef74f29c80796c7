/* The same conformance on real data: rows of the IDA benchmarks, with repeated rows, binary and
 * constant columns as they come, first as they are and with the classes as one output. */
#include "conformance/engines.h"

enum { ROWS = 60 };

static void conform_ida(specreg_context *ctx, const char *name, const char *kernel)
{
    char file[64], label[96];
    specreg_table *table_read;
    snprintf(file, sizeof file, "ida/%s.csv.gz", name);
    CHECK_OK(ctx, specreg_table_read(ctx, kit_data(file), NULL, &table_read));
    const int64_t p = specreg_table_cols(table_read) - 1;
    const int64_t step = specreg_table_rows(table_read) / ROWS;
    CHECK(p >= 1 && step >= 1);
    double *x = malloc((size_t)(ROWS * p) * sizeof *x), *Y = malloc(sizeof(double[ROWS]));
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t k = 0; k < p; k++)
            x[i * p + k] = specreg_table_number(table_read, i * step, k);
        Y[i] = specreg_table_number(table_read, i * step, p);
        CHECK(Y[i] == 1 || Y[i] == -1);
    }
    sri_kernel_grid grid;
    sri_points *points;
    sri_op *op, *streamed;
    problem pb;
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, kernel, &grid));
    CHECK_OK(ctx, sri_points_new(ctx, x, ROWS, p, false, &points));
    CHECK_OK(ctx, sri_kernel_grid_resolve(ctx, &grid, points, 1));
    const sri_kernel k = sri_kernel_grid_at(&grid, sri_kernel_grid_count(&grid) / 2);
    CHECK_OK(ctx, sri_op_kernel(ctx, &k, points, &op));
    CHECK_OK(ctx, sri_op_kernel(ctx, &k, points, &streamed));
    snprintf(label, sizeof label, "%s %s", name, kernel);
    problem_start(ctx, &pb, label, op, Y, 1);
    conform(ctx, &pb, streamed);
    problem_end(&pb);
    sri_op_free(streamed);
    sri_op_free(op);
    sri_points_free(points);
    sri_kernel_grid_free(&grid);
    free(Y);
    free(x);
    specreg_table_free(table_read);
}

#define ON(data)                                                          \
    TEST(engines_ida, agree_on_##data)                                    \
    {                                                                     \
        static const char *const kernels[] = {"rbf", "linear", "laplace", \
                                              "poly:degree=2,gamma=0.1"}; \
        register_own_filter(ctx);                                         \
        for (int k = 0; k < (kit_whole() ? 4 : 1); k++)                   \
            conform_ida(ctx, #data, kernels[k]);                          \
    }

ON(heart)
ON(thyroid)
ON(titanic) /* 11 different rows among 2201: as singular as it gets */
ON(splice)  /* 60 columns */
ON(banana)

/* Runs last: tests run in the order of the file. */
TEST(engines_ida, the_worst_errors_stay_below_their_bounds)
{
    if (table_rows == 0)
        KIT_SKIP("ida");
    check_table();
}
