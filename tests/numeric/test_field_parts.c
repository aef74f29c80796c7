/* The two parts of a learned field, and predictions on grids. */
#include "numeric/field.h"

static specreg_model *model_of(specreg_context *ctx, const field_data *d, const char *kernel)
{
    specreg_options *o =
        options_of(ctx, "target", field_targets(d->T), "kernel", kernel, "param", "lambda=0.001",
                   "select", "none", "missing-targets", "allow", NULL);
    specreg_model *model = fitted(ctx, d->table, o);
    specreg_options_free(o);
    return model;
}

static specreg_table *with_parts(specreg_context *ctx, const specreg_model *model,
                                 const specreg_table *data)
{
    specreg_options *o = options_of(ctx, "parts", "yes", NULL);
    specreg_table *out;
    CHECK_OK(ctx, specreg_predict(ctx, model, data, o, &out));
    specreg_options_free(o);
    return out;
}

/* ------------------------------------------------------------------- derivatives */

enum { POINTS = 6, AROUND = 4 };
static const double STEP = 1e-2;

/* The points x + k h e_j, k = -2, -1, 1, 2, for every x and j. */
static specreg_table *around(specreg_context *ctx, const double *X, int64_t T)
{
    static const double k[AROUND] = {-2, -1, 1, 2};
    double *Z = malloc((size_t)(POINTS * T * AROUND * T) * sizeof *Z), *z = Z;
    for (int i = 0; i < POINTS; i++)
        for (int64_t j = 0; j < T; j++)
            for (int c = 0; c < AROUND; c++, z += T) {
                memcpy(z, X + i * T, (size_t)T * sizeof *z);
                z[j] += k[c] * STEP;
            }
    specreg_table *t = named_table(ctx, "around.csv", Z, POINTS * T * AROUND, T, NULL);
    free(Z);
    return t;
}

/* d f_s / d x_j at point i, of the column of f_s: (f(-2h) - 8 f(-h) + 8 f(h) - f(2h)) / 12 h. */
static double slope(const specreg_table *f, int64_t T, int64_t i, int64_t j, int64_t column)
{
    const int64_t row = (i * T + j) * AROUND;
    const double a = specreg_table_number(f, row, column),
                 b = specreg_table_number(f, row + 1, column),
                 c = specreg_table_number(f, row + 2, column),
                 d = specreg_table_number(f, row + 3, column);
    return (a - 8 * b + 8 * c - d) / (12 * STEP);
}

/* The share of the largest derivative that the curl (part 0) or divergence (part 1) is: 0 to the
 * error of the differences, h^4 / 30 of a fifth derivative, which is below 100 of a first one. */
static void check_derivatives(specreg_context *ctx, int64_t n, int64_t T, const char *kernel,
                              bool gaps)
{
    field_data d = field_problem(ctx, n, T, gaps, false);
    double *X = kit_normal(91, POINTS, T);
    specreg_model *model = model_of(ctx, &d, kernel);
    specreg_table *points = around(ctx, X, T), *f = with_parts(ctx, model, points);
    for (int part = 0; part < 2; part++) {
        double size = 0, worst = 0;
        for (int64_t i = 0; i < POINTS; i++) {
            double divergence = 0;
            for (int64_t j = 0; j < T; j++)
                for (int64_t s = 0; s < T; s++) {
                    const double own = slope(f, T, i, j, 3 * s + 1 + part),
                                 other = slope(f, T, i, s, 3 * j + 1 + part);
                    size = fmax(size, fabs(own));
                    divergence += s == j ? own : 0;
                    if (part == 0)
                        worst = fmax(worst, fabs(own - other));
                }
            if (part == 1)
                worst = fmax(worst, fabs(divergence));
        }
        CHECK(size > 0.01);
        CHECK_WORST(part ? "divergence of divfree" : "curl of curlfree", worst / size, 1e-6);
    }
    specreg_table_free(f);
    specreg_table_free(points);
    specreg_model_free(model);
    free(X);
    field_end(&d);
}

TEST(parts, one_has_no_curl_and_the_other_no_divergence)
{
    check_derivatives(ctx, 30, 2, "helmholtz:sigma=1.2,gamma=0.4", false);
    check_derivatives(ctx, 30, 2, "2*helmholtz:sigma=1.2,gamma=0.8", true);
    check_derivatives(ctx, 25, 3, "helmholtz:sigma=1.2,gamma=0.4", false);
}

/* ------------------------------------------------------------------- sums */

static void check_sum(specreg_context *ctx, int64_t T, const char *kernel, int only)
{
    field_data d = field_problem(ctx, 25, T, false, false);
    specreg_model *model = model_of(ctx, &d, kernel);
    specreg_table *f = with_parts(ctx, model, d.table), *plain = predicted(ctx, model, d.table);
    const specreg_view X = {d.X, d.n, T, T};
    double *array = malloc((size_t)(d.n * T) * sizeof *array), size = 0;
    for (int64_t i = 0; i < d.n * T; i++)
        size = fmax(size, fabs(specreg_table_number(f, i / T, 3 * (i % T) + 1)) +
                              fabs(specreg_table_number(f, i / T, 3 * (i % T) + 2)));
    CHECK_EQ(specreg_table_cols(f), 3 * T);
    CHECK_EQ(specreg_model_parts(model), 2);
    CHECK(!specreg_model_part(model, 2) && !specreg_model_part(model, -1));
    for (int64_t i = 0; i < d.n * T; i++) {
        const int64_t row = i / T, c = 3 * (i % T);
        const double whole = specreg_table_number(f, row, c),
                     curlfree = specreg_table_number(f, row, c + 1),
                     divfree = specreg_table_number(f, row, c + 2);
        CHECK_SAME(whole, specreg_table_number(plain, row, i % T));
        CHECK_WORST("sum of the parts", fabs(curlfree + divfree - whole),
                    kit_tolerance(d.n * T, 1) * size * 10);
        if (only >= 0) {
            CHECK_SAME(only ? divfree : curlfree, whole);
            CHECK_SAME(only ? curlfree : divfree, 0.0);
        }
    }
    for (int64_t t = 0; t < T; t++) {
        char name[32];
        snprintf(name, sizeof name, "y%d:curlfree", (int)t + 1);
        CHECK_STR(specreg_table_name(f, 3 * t + 1), name);
        snprintf(name, sizeof name, "y%d:divfree", (int)t + 1);
        CHECK_STR(specreg_table_name(f, 3 * t + 2), name);
    }
    for (int part = 0; part < 2; part++) {
        CHECK_OK(ctx, specreg_predict_part_array(ctx, model, &X, part, NULL, array, d.n * T));
        CHECK_STR(specreg_model_part(model, part), part ? "divfree" : "curlfree");
        for (int64_t i = 0; i < d.n * T; i++)
            CHECK_SAME(array[i], specreg_table_number(f, i / T, 3 * (i % T) + 1 + part));
    }
    CHECK_FAILS(ctx, specreg_predict_part_array(ctx, model, &X, 2, NULL, array, d.n * T),
                SPECREG_E_ARG, "no part 2");
    free(array);
    specreg_table_free(plain);
    specreg_table_free(f);
    specreg_model_free(model);
    field_end(&d);
}

TEST(parts, add_up_to_the_prediction)
{
    check_sum(ctx, 2, "helmholtz:sigma=1.2,gamma=0.4", -1);
    check_sum(ctx, 3, "3*helmholtz:sigma=1.2,gamma=0.9", -1);
    check_sum(ctx, 2, "curlfree:sigma=1.2", 0);
    check_sum(ctx, 3, "divfree:sigma=1.2", 1);
    check_sum(ctx, 2, "helmholtz:sigma=1.2,gamma=0", 0);
    check_sum(ctx, 2, "helmholtz:sigma=1.2,gamma=1", 1);
}

TEST(parts, models_without_any_say_who_has)
{
    static const double x[2] = {0, 0};
    const specreg_view view = {x, 1, 2, 2};
    double f[2];
    field_data d = field_problem(ctx, 10, 2, false, false);
    specreg_options *o = options_of(ctx, "parts", "yes", NULL),
                    *bad = options_of(ctx, "parts", "2", NULL);
    specreg_model *model = model_of(ctx, &d, "rbf:sigma=1");
    specreg_table *out;
    CHECK_EQ(specreg_model_parts(model), 0);
    CHECK(!specreg_model_part(model, 0));
    CHECK_FAILS(ctx, specreg_predict(ctx, model, d.table, o, &out), SPECREG_E_UNAVAILABLE,
                "kernel curlfree, divfree or helmholtz");
    CHECK(!out);
    CHECK_FAILS(ctx, specreg_predict_part_array(ctx, model, &view, 0, NULL, f, 2),
                SPECREG_E_UNAVAILABLE, "parts");
    CHECK_FAILS(ctx, specreg_predict(ctx, model, d.table, bad, &out), SPECREG_E_ARG,
                "parts must be yes or no");
    specreg_model_free(model);
    specreg_options_free(bad);
    specreg_options_free(o);
    field_end(&d);
}

/* Neighbouring components say something about each other: intervals for one alone would be
 * wrong. */
TEST(parts, fields_have_no_intervals)
{
    field_data d = field_problem(ctx, 10, 2, false, false);
    specreg_options *o = options_of(ctx, "interval", "0.9", NULL);
    specreg_model *model = model_of(ctx, &d, "helmholtz:sigma=1,gamma=0.5");
    specreg_table *out;
    CHECK_FAILS(ctx, specreg_predict(ctx, model, d.table, o, &out), SPECREG_E_UNAVAILABLE,
                "for vector fields");
    specreg_model_free(model);
    specreg_options_free(o);
    field_end(&d);
}

/* ------------------------------------------------------------------- grids */

/* The columns of `out` behind the coordinates are the predictions of the same points in a table. */
static void check_grid(specreg_context *ctx, const specreg_model *model, const char *grid,
                       const specreg_options *o, int64_t axes, int64_t points)
{
    specreg_table *on, *out, *expected;
    CHECK_OK(ctx, specreg_grid_table(ctx, model, grid, &on));
    CHECK_EQ(specreg_table_rows(on), points);
    CHECK_EQ(specreg_table_cols(on), axes);
    double *X = numbers_of(on);
    specreg_table *plain = table_of(ctx, X, points, axes, NULL, 0);
    CHECK_OK(ctx, specreg_predict(ctx, model, on, o, &out));
    CHECK_OK(ctx, specreg_predict(ctx, model, plain, o, &expected));
    CHECK_EQ(specreg_table_cols(out), axes + specreg_table_cols(expected));
    CHECK_EQ(specreg_table_rows(out), points);
    for (int64_t c = 0; c < specreg_table_cols(out); c++) {
        const specreg_table *from = c < axes ? on : expected;
        const int64_t k = c < axes ? c : c - axes;
        CHECK_STR(specreg_table_name(out, c), specreg_table_name(from, k));
        CHECK_EQ(specreg_table_is_text(out, c), specreg_table_is_text(from, k));
        for (int64_t i = 0; i < points; i++) {
            CHECK_SAME(specreg_table_number(out, i, c), specreg_table_number(from, i, k));
            if (specreg_table_is_text(out, c))
                CHECK_STR(specreg_table_text(out, i, c), specreg_table_text(from, i, k));
        }
    }
    CHECK_OK(ctx, specreg_table_write(ctx, out, kit_temp("grid.vtk")));
    CHECK_FAILS(ctx, specreg_table_write(ctx, expected, kit_temp("none.vtk")), SPECREG_E_ARG,
                "values on a regular grid");
    specreg_table_free(expected);
    specreg_table_free(out);
    specreg_table_free(plain);
    free(X);
    specreg_table_free(on);
}

TEST(grids, coordinates_come_before_what_is_predicted_there)
{
    specreg_options *parts = options_of(ctx, "parts", "yes", NULL);
    for (int64_t T = 2; T <= 3; T++) {
        field_data d = field_problem(ctx, 12, T, false, false);
        specreg_model *model = model_of(ctx, &d, "helmholtz:sigma=1,gamma=0.5");
        check_grid(ctx, model, T == 2 ? "-1:1:5,0:2:3" : "-1:1:5,0:2:3,0:1:2", parts, T,
                   T == 2 ? 15 : 30);
        char *text = kit_read_file(kit_temp("grid.vtk"));
        CHECK_HAS(text, "VECTORS field double\n");
        CHECK_HAS(text, "VECTORS curlfree double\n");
        CHECK_HAS(text, "VECTORS divfree double\n");
        CHECK(!strstr(text, "SCALARS"));
        free(text);
        specreg_model_free(model);
        field_end(&d);
    }
    specreg_options_free(parts);
}

TEST(grids, are_for_every_model_of_one_to_three_numbers)
{
    specreg_options *level = options_of(ctx, "interval", "0.5", NULL);
    double *X = kit_normal(92, 30, 1), y[30];
    for (int i = 0; i < 30; i++)
        y[i] = sin(X[i]);
    specreg_table *line = named_table(ctx, "line.csv", X, 30, 1, y);
    specreg_model *model = fitted(ctx, line, NULL);
    check_grid(ctx, model, "0:1:4", level, 1, 4);
    char *text = kit_read_file(kit_temp("grid.vtk"));
    CHECK_HAS(text, "SCALARS y double 1\n");
    CHECK_HAS(text, "SCALARS y:upper double 1\n");
    free(text);
    specreg_model_free(model);
    specreg_table_free(line);
    FILE *f = fopen(kit_temp("classes.csv"), "w");
    fprintf(f, "a,b,y\n");
    for (int i = 0; i < 30; i++)
        fprintf(f, "%.17g,%d,%s\n", X[i], i % 3, X[i] > 0 ? "up" : "down");
    fclose(f);
    specreg_table *classes = read_table(ctx, kit_temp("classes.csv"));
    model = fitted(ctx, classes, NULL);
    check_grid(ctx, model, "-1:1:2,0:2:3", NULL, 2, 6);
    text = kit_read_file(kit_temp("grid.vtk"));
    CHECK_HAS(text, "SCALARS label int 1\nLOOKUP_TABLE default\n0\n1\n"); /* down, up */
    free(text);
    specreg_model_free(model);
    specreg_table_free(classes);
    free(X);
    specreg_options_free(level);
}

TEST(grids, that_do_not_suit_the_model_are_refused)
{
    specreg_table *flowers = flower_table(ctx), *out;
    specreg_model *texts = fitted(ctx, flowers, NULL);
    CHECK_FAILS(ctx, specreg_grid_table(ctx, texts, "0:1:2,0:1:2,0:1:2", &out), SPECREG_E_SHAPE,
                "the model's feature 'kind' is a text");
    CHECK(!out);
    double *X = kit_normal(93, 20, 4), *y = smooth_target(X, 20, 4, 0.1, 94);
    specreg_table *wide = named_table(ctx, "wide.csv", X, 20, 4, y);
    specreg_model *many = fitted(ctx, wide, NULL);
    CHECK_FAILS(ctx, specreg_grid_table(ctx, many, "0:1:2,0:1:2,0:1:2", &out), SPECREG_E_SHAPE,
                "the model has 4 features, grids have at most three axes");
    field_data d = field_problem(ctx, 10, 2, false, false);
    specreg_model *field = model_of(ctx, &d, "curlfree:sigma=1");
    CHECK_FAILS(ctx, specreg_grid_table(ctx, field, "0:1:2", &out), SPECREG_E_SHAPE,
                "grid '0:1:2' has 1 axis, the model has 2 features");
    CHECK_FAILS(ctx, specreg_grid_table(ctx, field, "0:1:2,1:0:2", &out), SPECREG_E_ARG,
                "grid '0:1:2,1:0:2': the second end of '1:0:2' must be greater");
    specreg_options *o = options_of(ctx, "task-column", "x2", "target", "y1", NULL);
    for (int64_t i = 0; i < d.n; i++)
        d.X[2 * i + 1] = (double)(i % 2);
    specreg_table *table = field_table(ctx, &d, "tasks.csv");
    specreg_model *tasks = fitted(ctx, table, o);
    CHECK_FAILS(ctx, specreg_grid_table(ctx, tasks, "0:1:2,0:1:2", &out), SPECREG_E_UNAVAILABLE,
                "many tasks");
    specreg_model_free(tasks);
    specreg_table_free(table);
    specreg_options_free(o);
    specreg_model_free(field);
    field_end(&d);
    specreg_model_free(many);
    specreg_table_free(wide);
    free(y);
    free(X);
    specreg_model_free(texts);
    specreg_table_free(flowers);
}
