/* Degrees of freedom: exact, and estimated by random signs. */
#include <math.h>

#include "kernel/kernel.h"
#include "kit/kit.h"
#include "select/degrees.h"

enum { N = 150, COUNT = 3 };

/* The estimate lies within 4.5 of its standard errors of the exact trace, and these errors are what
 * the variance of z'Hz, at most 2 |H|_F^2 <= 2 df for 0 <= H <= 1, lets expect of 16 probes. */
TEST(degrees, random_signs_estimate_the_trace_with_its_error)
{
    static const struct {
        const char *filter;
        double param[COUNT];
    } c[] = {{"tikhonov", {1e-1, 1e-2, 1e-4}},
             {"iterated:order=3", {1e-1, 1e-2, 1e-3}},
             {"landweber", {3, 30, 300}},
             {"nesterov", {3, 10, 30}}};
    double *x = kit_normal(5, N, 2), *Y = kit_normal(6, N, 2);
    sri_points *points = NULL;
    sri_kernel_grid grid;
    CHECK_OK(ctx, sri_points_new(ctx, x, N, 2, false, &points));
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, "rbf:sigma=0.7", &grid));
    const sri_kernel kernel = sri_kernel_grid_at(&grid, 0);
    const sri_problem problem = {.points = points,
                                 .n = N,
                                 .T = 2,
                                 .Y = Y,
                                 .resources = {.seed = 1, .memory = (int64_t)1 << 30}};
    for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
        sri_filter filter;
        double exact[COUNT], zero[COUNT], df[COUNT], error[COUNT];
        CHECK_OK(ctx, sri_filter_parse(ctx, c[k].filter, &filter));
        const sri_path path = {&filter, c[k].param, COUNT};
        CHECK_OK(ctx,
                 sri_degrees_find(ctx, &problem, &kernel, &path, N, &(sri_degrees){exact, zero}));
        CHECK_OK(ctx,
                 sri_degrees_find(ctx, &problem, &kernel, &path, 0, &(sri_degrees){df, error}));
        for (int i = 0; i < COUNT; i++) {
            CHECK(zero[i] == 0 && exact[i] > 0 && exact[i] < N);
            CHECK_WORST(c[k].filter, fabs(df[i] - exact[i]), 4.5 * error[i]);
            CHECK(error[i] > 0 && error[i] < 2 * sqrt(2 * exact[i] / 16));
        }
    }
    sri_kernel_grid_free(&grid);
    sri_points_free(points);
    free(Y);
    free(x);
}
