/* What a kernel has to reach to be followed on, by hand-made results. */
#include "kit/kit.h"
#include "select/threshold.h"
#include "select/strategy.h"

static sri_kernel_grid grid_of(specreg_context *ctx, const char *text)
{
    static const double x[4] = {0, 0, 1, 1};
    sri_kernel_grid grid;
    sri_points *points;
    CHECK_OK(ctx, sri_points_new(ctx, x, 2, 2, false, &points));
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, text, &grid));
    CHECK_OK(ctx, sri_kernel_grid_resolve(ctx, &grid, points, 1));
    sri_points_free(points);
    return grid;
}

TEST(threshold, between_is_along_every_list)
{
    sri_kernel_grid one = grid_of(ctx, "rbf:sigma={1,2,4,8,16}");
    CHECK(sri_kernel_between(&one, 1, 4, 2));
    CHECK(sri_kernel_between(&one, 4, 1, 3));
    CHECK(!sri_kernel_between(&one, 1, 4, 0));
    CHECK(!sri_kernel_between(&one, 1, 4, 4));
    CHECK(!sri_kernel_between(&one, 1, 7, 2)); /* beyond the grid */
    sri_kernel_grid two = grid_of(ctx, "rbf:sigma={1,2,4}+laplace:sigma={1,2,4}");
    /* numbers a + 3 b */
    CHECK(sri_kernel_between(&two, 0, 8, 4));
    CHECK(sri_kernel_between(&two, 0, 8, 1)); /* level with 0 along the second list */
    CHECK(sri_kernel_between(&two, 2, 8, 5));
    CHECK(!sri_kernel_between(&two, 2, 8, 4)); /* by its number, but not along the first list */
    sri_kernel_grid_free(&two);
    sri_kernel_grid_free(&one);
}

/* Heats by the rules of docs/MATH.md, with one family of nine widths and with two. */
TEST(threshold, heats_of_a_race_grow_with_the_rows)
{
    static const struct {
        int64_t n;
        int heats;
        int64_t rows[SRI_HEATS], on_all;
    } expected[] = {{799, 0, {0}, 9},
                    {800, 1, {400}, 3},
                    {3199, 1, {799}, 3},
                    {3200, 2, {400, 800}, 3},
                    {8192, 2, {512, 2048}, 3},
                    {9999, 2, {624, 2499}, 3},
                    {10000, 3, {625, 2500, 5000}, 1}};
    sri_kernel_grid grid = grid_of(ctx, "rbf:sigma={1,2,3,4,5,6,7,8,9}");
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        sri_heat heat[SRI_HEATS];
        int64_t on_all;
        CHECK_EQ(sri_race_heats(expected[i].n, &grid, heat, &on_all), expected[i].heats);
        CHECK_EQ(on_all, expected[i].on_all);
        for (int h = 0; h < expected[i].heats; h++) {
            CHECK_EQ(heat[h].rows, expected[i].rows[h]);
            CHECK_EQ(heat[h].kernels, h ? 3 : 9);
        }
    }
    sri_kernel_grid_free(&grid);
}

/* The optimism for candidate 4 where 1 leads with 0.1 +- 0.01 and the rows are what is known
 * besides. */
static double optimism_with(specreg_context *ctx, sri_search_row *row, int64_t rows)
{
    sri_kernel_grid grid = grid_of(ctx, "rbf:sigma={1,2,4,8,16}");
    const sri_search_result known = {.row = row, .rows = rows};
    const sri_score rank = {.value = 0.1, .stderr_ = 0.01, .tie = 0.5};
    const sri_threshold threshold = sri_threshold_make(&grid, &known, 1, &rank, 4);
    sri_kernel_grid_free(&grid);
    CHECK_SAME(threshold.rank.value, 0.1);
    return threshold.optimism;
}

TEST(threshold, beyond_a_kernel_that_is_clearly_behind_there_is_less_optimism)
{
    sri_search_row row[] = {
        {.candidate = 2, .score = {.value = 0.3, .tie = 0.9}},
        {.candidate = 2, .score = {.value = 0.121, .tie = 0.6}},
        {.candidate = 2, .score = {.value = NAN, .tie = NAN}}, /* its path was left */
    };
    const double beyond = optimism_with(ctx, row, 3), open = optimism_with(ctx, row, 0);
    CHECK(beyond < open);
    CHECK(beyond >= 1);         /* it may go on as it does */
    row[1].score.value = 0.119; /* within two standard errors */
    CHECK_SAME(optimism_with(ctx, row, 3), open);
    row[1].score = (sri_score){.value = 0.121, .tie = 0.54}; /* as good by squared error */
    CHECK_SAME(optimism_with(ctx, row, 3), open);
    for (int k = 0; k < 3; k++) { /* behind, but on the other side */
        row[k].score = (sri_score){.value = 0.4, .tie = 0.9};
        row[k].candidate = 0;
    }
    CHECK_SAME(optimism_with(ctx, row, 3), open);
}
