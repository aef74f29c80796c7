/* Where a search goes on beyond its grid, by hand-made results. */
#include "kit/kit.h"
#include "select/extend.h"

/* The next kernel after candidate number `won` of a grid, all of it tried. */
static bool next_kernel(specreg_context *ctx, const char *text, int64_t won, sri_kernel *next)
{
    static const double x[4] = {0, 0, 1, 1};
    sri_kernel tried[32];
    sri_kernel_grid grid;
    sri_points *points;
    CHECK_OK(ctx, sri_points_new(ctx, x, 2, 2, false, &points));
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, text, &grid));
    CHECK_OK(ctx, sri_kernel_grid_resolve(ctx, &grid, points, 1));
    const int64_t count = sri_kernel_grid_count(&grid);
    for (int64_t c = 0; c < count; c++)
        tried[c] = sri_kernel_grid_at(&grid, c);
    const sri_search_spec spec = {.grid = &grid, .extend = SRI_EXTEND_YES};
    const sri_search_result result = {.candidate = tried,
                                      .candidates = count,
                                      .kernel = tried[won]};
    const bool found = sri_extend_kernel(ctx, &spec, points, &result, next);
    sri_kernel_grid_free(&grid);
    sri_points_free(points);
    return found;
}

TEST(extend, a_parameter_goes_on_beyond_its_last_value)
{
    sri_kernel next;
    CHECK(next_kernel(ctx, "rbf:sigma={1,2,4}", 0, &next)); /* wide first */
    CHECK_SAME(next.term[0].param[0], 8.0);
    CHECK(next_kernel(ctx, "rbf:sigma={1,2,4}", 2, &next));
    CHECK_SAME(next.term[0].param[0], 0.5);
    CHECK(!next_kernel(ctx, "rbf:sigma={1,2,4}", 1, &next));
}

TEST(extend, a_parameter_with_two_ends_does_not_leave_them)
{
    sri_kernel next;
    CHECK(!next_kernel(ctx, "helmholtz:sigma=1,gamma={0.2,0.4,0.8}", 2, &next)); /* 1.6 */
    CHECK(next_kernel(ctx, "helmholtz:sigma=1,gamma={0.2,0.4,0.8}", 0, &next));
    CHECK_SAME(next.term[0].param[0], 0.1);
    CHECK(!next_kernel(ctx, "helmholtz:sigma=1,gamma=auto", 0, &next));
    CHECK(!next_kernel(ctx, "helmholtz:sigma=1,gamma=auto", 10, &next));
}
