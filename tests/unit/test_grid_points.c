/* Regular grids: their text form and their points; and VTK files of values on them. */
#include <math.h>

#include "data/grid_points.h"
#include "kit/kit.h"

TEST(grid_points, the_first_coordinate_runs_fastest)
{
    static const char *const names[] = {"east", "north"};
    static const double expected[6][2] = {{-1, 2}, {0, 2}, {1, 2}, {-1, 2.5}, {0, 2.5}, {1, 2.5}};
    sri_grid_spec g;
    specreg_table *t;
    CHECK_OK(ctx, sri_grid_parse(ctx, "--grid", "-1:1:3,2:2.5:2", &g));
    CHECK_EQ(g.axes, 2);
    CHECK_EQ(sri_grid_count(&g), 6);
    CHECK(g.spacing[0] == 1 && g.spacing[1] == 0.5 && g.count[2] == 1 && g.origin[2] == 0);
    CHECK_OK(ctx, sri_grid_points(ctx, &g, names, &t));
    CHECK_EQ(specreg_table_rows(t), 6);
    CHECK_EQ(specreg_table_cols(t), 2);
    CHECK_STR(specreg_table_name(t, 0), "east");
    CHECK_STR(specreg_table_name(t, 1), "north");
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 2; j++)
            CHECK_SAME(specreg_table_number(t, i, j), expected[i][j]);
    specreg_table_free(t);
}

TEST(grid_points, three_axes_and_axes_of_one_point)
{
    static const char *const names[] = {"x", "y", "z"};
    sri_grid_spec g;
    specreg_table *t;
    CHECK_OK(ctx, sri_grid_parse(ctx, "--grid", " 0 : 0.3 : 4, 7:7:1 ,1e1:2e1:2", &g));
    CHECK_EQ(g.axes, 3);
    CHECK_OK(ctx, sri_grid_points(ctx, &g, names, &t));
    CHECK_EQ(specreg_table_rows(t), 8);
    for (int i = 0; i < 8; i++) {
        CHECK_NEAR(specreg_table_number(t, i, 0), 0.1 * (i % 4), 1e-16);
        CHECK_SAME(specreg_table_number(t, i, 1), 7.0);
        CHECK_SAME(specreg_table_number(t, i, 2), i < 4 ? 10.0 : 20.0);
    }
    CHECK_SAME(specreg_table_number(t, 3, 0), 0.3); /* the end itself, whatever 3 * 0.1 is */
    specreg_table_free(t);
    CHECK_OK(ctx, sri_grid_parse(ctx, "--grid", "3:9:1,0:1:2", &g)); /* one point: its first end */
    CHECK(g.origin[0] == 3 && g.last[0] == 3 && g.spacing[0] == 1);
}

TEST(grid_points, mistakes_are_named)
{
    static const char *const bad[][2] = {
        {"", "write '' as from:to:count"},
        {"0:1:2,", "write '' as from:to:count"},
        {"0:1:2,0:1", "write '0:1' as from:to:count"},
        {"0:1:2,0:1:2:3", "write '0:1:2:3' as from:to:count"},
        {"0:1:2,0::2", "write '0::2' as from:to:count"},
        {"0:1:2,a:1:2", "write 'a:1:2' as from:to:count"},
        {"0:1:2,0:1:2,0:1:2,0:1:2", "at most three axes"},
        {"0:1:0,0:1:2", "the count of '0:1:0' must be a whole number from 1"},
        {"0:1:-3,0:1:2", "must be a whole number from 1"},
        {"0:1:2.5,0:1:2", "must be a whole number from 1"},
        {"0:1:nan,0:1:2", "must be a whole number from 1"},
        {"0:1:1e300,0:1:2", "must be a whole number from 1"},
        {"0:inf:2,0:1:2", "the ends of '0:inf:2' must be finite"},
        {"nan:1:2,0:1:2", "the ends of 'nan:1:2' must be finite"},
        {"-1e308:1e308:2,0:1:2", "must be finite"},
        {"1:0:2,0:1:2", "the second end of '1:0:2' must be greater"},
        {"1:1:2,0:1:2", "must be greater"},
        {"1e16:1.0000000000000002e16:9,0:1:2", "too close to be told apart"},
        {"0:1:100000,0:1:100000", "these are 1e+10 points, at most 100000000"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sri_grid_spec g;
        CHECK_FAILS(ctx, sri_grid_parse(ctx, "--grid", bad[i][0], &g), SPECREG_E_ARG, bad[i][1]);
        CHECK_HAS(specreg_last_error(ctx), "--grid '");
        CHECK_EQ(g.axes, 0);
    }
}

static specreg_table *table_of(specreg_context *ctx, int64_t rows, int64_t cols, const double *x,
                               const char *const *names)
{
    specreg_table *t;
    const specreg_view view = {.data = x, .rows = rows, .cols = cols, .ld = cols};
    CHECK_OK(ctx, specreg_table_from_arrays(ctx, &view, names, NULL, NULL, &t));
    return t;
}

/* Written as values of that grid. */
static specreg_status write_vtk(specreg_context *ctx, const sri_grid_spec *g, specreg_table *t,
                                const sri_grid_vector *vectors, int count, const char *path)
{
    sri_grid_values values = {.spec = *g, .n_vectors = count};
    for (int v = 0; v < count; v++)
        values.vector[v] = vectors[v];
    CHECK_OK(ctx, sri_table_on_grid(ctx, t, &values));
    return specreg_table_write(ctx, t, path);
}

TEST(vtk, a_field_in_the_plane_gets_a_third_component)
{
    static const char *const names[] = {"u", "v", "speed of wind %", "u:curlfree", "v:curlfree"};
    static const double x[20] = {1,   2,     2.236, 1, 0, -3, 0.1, 3.0017, 0, 1,
                                 1e3, -1e-9, 1000,  2, 3, 0,  0,   0,      4, 5};
    static const sri_grid_vector vectors[] = {{"field", {0, 1}, 2}, {"curlfree", {3, 4}, 2}};
    sri_grid_spec g;
    CHECK_OK(ctx, sri_grid_parse(ctx, "--grid", "-1:0.5:2,2:2.25:2", &g));
    specreg_table *t = table_of(ctx, 4, 5, x, names);
    const char *path = kit_temp("a.vtk");
    CHECK_OK(ctx, write_vtk(ctx, &g, t, vectors, 2, path));
    char *text = kit_read_file(path);
    CHECK_STR(text, "# vtk DataFile Version 3.0\n"
                    "specreg\n"
                    "ASCII\n"
                    "DATASET STRUCTURED_POINTS\n"
                    "DIMENSIONS 2 2 1\n"
                    "ORIGIN -1 2 0\n"
                    "SPACING 1.5 0.25 1\n"
                    "POINT_DATA 4\n"
                    "VECTORS field double\n"
                    "1 2 0\n"
                    "-3 0.1 0\n"
                    "1000 -1e-09 0\n"
                    "0 0 0\n"
                    "VECTORS curlfree double\n"
                    "1 0 0\n"
                    "0 1 0\n"
                    "2 3 0\n"
                    "4 5 0\n"
                    "SCALARS speed%20of%20wind%20%25 double 1\n"
                    "LOOKUP_TABLE default\n"
                    "2.236\n"
                    "3.0017\n"
                    "1000\n"
                    "0\n");
    free(text);
    specreg_table_free(t);
}

TEST(vtk, a_field_in_space_has_three)
{
    static const char *const names[] = {"w", "u", "v"};
    static const double x[6] = {3, 1, 2, 6, 4, 5};
    static const sri_grid_vector vector = {"field", {1, 2, 0}, 3};
    sri_grid_spec g;
    CHECK_OK(ctx, sri_grid_parse(ctx, "--grid", "0:0:1,0:0:1,5:6:2", &g));
    specreg_table *t = table_of(ctx, 2, 3, x, names);
    const char *path = kit_temp("b.vtk");
    CHECK_OK(ctx, write_vtk(ctx, &g, t, &vector, 1, path));
    char *text = kit_read_file(path);
    CHECK_HAS(text, "DIMENSIONS 1 1 2\nORIGIN 0 0 5\nSPACING 1 1 1\nPOINT_DATA 2\n"
                    "VECTORS field double\n1 2 3\n4 5 6\n");
    CHECK(!strstr(text, "SCALARS"));
    free(text);
    specreg_table_free(t);
}

TEST(vtk, many_points_are_all_there)
{
    enum { SIDE = 120, N = SIDE * SIDE };
    static const char *const names[] = {"value"};
    double *x = kit_normal(71, N, 1);
    sri_grid_spec g;
    CHECK_OK(ctx, sri_grid_parse(ctx, "--grid", "0:1:120,0:1:120", &g));
    specreg_table *t = table_of(ctx, N, 1, x, names);
    const char *path = kit_temp("c.vtk");
    CHECK_OK(ctx, write_vtk(ctx, &g, t, NULL, 0, path));
    char *text = kit_read_file(path), *s = strstr(text, "default\n") + 8;
    for (int i = 0; i < N; i++)
        CHECK_SAME(strtod(s, &s), x[i]);
    CHECK_STR(s, "\n");
    free(text);
    specreg_table_free(t);
    free(x);
}

TEST(vtk, what_a_file_cannot_hold_is_an_error_and_leaves_no_file)
{
    static const char *const names[] = {"u", "v"};
    static const double x[8] = {1, 2, 3, 4, 5, 6, 7, NAN};
    char name[301];
    memset(name, 'n', 300);
    name[300] = 0;
    const sri_grid_vector named = {name, {0}, 1}, nameless = {"", {0}, 1};
    sri_grid_spec g;
    CHECK_OK(ctx, sri_grid_parse(ctx, "--grid", "0:1:2,0:1:2", &g));
    specreg_table *t = table_of(ctx, 4, 2, x, names);
    const char *path = kit_temp("d.vtk");
    const int before = kit_temp_count();
    CHECK_FAILS(ctx, write_vtk(ctx, &g, t, NULL, 0, path), SPECREG_E_ARG,
                "row 4: column 'v' has no finite number");
    CHECK_FAILS(ctx, write_vtk(ctx, &g, t, &named, 1, path), SPECREG_E_ARG, "too long");
    CHECK_FAILS(ctx, write_vtk(ctx, &g, t, &nameless, 1, path), SPECREG_E_ARG, "without a name");
    free(t->grid);
    t->grid = NULL;
    CHECK_FAILS(ctx, specreg_table_write(ctx, t, path), SPECREG_E_ARG,
                "VTK files hold values on a regular grid");
    CHECK_EQ(kit_temp_count(), before);
    specreg_table_free(t);
}

/* Coordinates are in the head; texts are numbered as their list has them. */
TEST(vtk, coordinates_are_left_out_and_texts_are_numbered)
{
    static const char *const names[] = {"x"};
    char no[] = "no", yes[] = "yes", *labels[] = {no, yes};
    static const int32_t code[3] = {1, 0, 1};
    sri_grid_spec g;
    specreg_table *t;
    CHECK_OK(ctx, sri_grid_parse(ctx, "--grid", "1:2:3", &g));
    CHECK_EQ(g.axes, 1);
    CHECK_OK(ctx, sri_grid_points(ctx, &g, names, &t));
    CHECK_OK(ctx, sri_table_insert_text(ctx, t, 1, "label", code,
                                        &(sri_texts){.text = labels, .count = 2}));
    const char *path = kit_temp("e.vtk");
    CHECK_OK(ctx, specreg_table_write(ctx, t, path));
    char *text = kit_read_file(path);
    CHECK_HAS(text, "DIMENSIONS 3 1 1\nORIGIN 1 0 0\nSPACING 0.5 1 1\nPOINT_DATA 3\n"
                    "SCALARS label int 1\nLOOKUP_TABLE default\n1\n0\n1\n");
    free(text);
    specreg_table *again;
    CHECK_FAILS(ctx, specreg_table_read(ctx, path, NULL, &again), SPECREG_E_FORMAT,
                "VTK files are written, not read");
    specreg_table_free(t);
}
