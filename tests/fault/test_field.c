/* Vector fields when an allocation or a write fails: a message, no leak, no file. */
#include <stdio.h>

#include "data/grid_points.h"
#include "kit/fault.h"
#include "kit/kit.h"
#include "op/op.h"

/* A product that computes its values, one from a stored matrix. */
static specreg_status products(specreg_context *ctx)
{
    static const double x[6] = {0, 0, 1, 0, 0, 1}, X[6] = {1, 2, 3, 4, 5, 6};
    const sri_field f = {.sigma = 1, .curl = 0.5, .div = 0.5, .T = 2};
    specreg_status st;
    sri_op *op = NULL;
    double Y[6], Z[6];
    if ((st = sri_op_field(ctx, &f, x, 3, &op)) != SPECREG_OK)
        CHECK(!op);
    if (st == SPECREG_OK)
        st = sri_op_apply(ctx, op, 1, X, Y);
    if (st == SPECREG_OK)
        st = sri_op_prepare(ctx, op, 1 << 20);
    if (st == SPECREG_OK)
        st = sri_op_apply(ctx, op, 1, X, Z);
    sri_op_free(op);
    return st;
}

/* The beginning of a factor, from points that are one component each. */
static specreg_status factored(specreg_context *ctx)
{
    static const double x[4] = {0, 0, 1, 0};
    static const int32_t label[4] = {0, 1, 0, 1};
    static const int64_t vector[4] = {0, 0, 1, 1};
    const sri_rows_view vectors = sri_view_dense(x, 2, 2);
    const sri_rows_view components = sri_view_field(&vectors.x, vector, label, 4);
    const sri_kernel kernel = {.n_terms = 1,
                               .term = {{.ops = &sri_kernel_curlfree, .weight = 1, .param = {9}}}};
    sri_points *points = NULL;
    sri_op *op = NULL;
    specreg_status st = sri_points_of_view(ctx, &components, &points);
    if (st == SPECREG_OK)
        st = sri_op_kernel(ctx, &kernel, points, &op);
    if (st == SPECREG_OK) {
        CHECK_STR(op->ops->name, "field");
        st = sri_op_reveal(ctx, op, 1e-3, 4, true);
    }
    sri_op_free(op);
    sri_points_free(points);
    return st;
}

/* Points of a grid, written with themselves as the field. */
static specreg_status grid_file(specreg_context *ctx)
{
    static const char *const names[] = {"u", "v"};
    sri_grid_values values = {.n_vectors = 1, .vector = {{"field", {0, 1}, 2}}};
    sri_grid_spec g;
    specreg_table *t = NULL;
    remove(kit_temp("field.vtk"));
    specreg_status st = sri_grid_parse(ctx, "--grid", "0:1:3,0:1:2", &g);
    if (st == SPECREG_OK)
        st = sri_grid_points(ctx, &g, names, &t);
    if (st == SPECREG_OK)
        values.spec = g, st = sri_table_on_grid(ctx, t, &values);
    if (st == SPECREG_OK)
        st = specreg_table_write(ctx, t, kit_temp("field.vtk"));
    specreg_table_free(t);
    return st;
}

/* The parts of a model's field on a grid, as a file. */
static const specreg_model *the_model;
static specreg_status parts_file(specreg_context *ctx)
{
    specreg_table *points = NULL, *f = NULL;
    specreg_options *o = NULL;
    remove(kit_temp("field.vtk"));
    specreg_status st = specreg_options_new(ctx, &o);
    if (st == SPECREG_OK)
        st = specreg_options_set(ctx, o, "parts", "yes");
    if (st == SPECREG_OK)
        st = specreg_grid_table(ctx, the_model, "0:1:3,0:1:2", &points);
    if (st == SPECREG_OK)
        st = specreg_predict(ctx, the_model, points, o, &f);
    if (st == SPECREG_OK)
        st = specreg_table_write(ctx, f, kit_temp("field.vtk"));
    specreg_table_free(f);
    specreg_table_free(points);
    specreg_options_free(o);
    return st;
}

static specreg_model *small_model(specreg_context *ctx)
{
    static const double x[8] = {0, 0, 1, 0, 0, 1, 1, 1}, y[8] = {0, 1, -1, 2, 1, 0, 2, 1};
    const specreg_view X = {x, 4, 2, 2}, Y = {y, 4, 2, 2};
    specreg_options *o;
    specreg_model *model;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", "helmholtz:sigma=1,gamma=0.5"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "param", "lambda=0.1"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "select", "none"));
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &X, &Y, o, &model));
    specreg_options_free(o);
    return model;
}

static void with_failing_allocations(specreg_context *ctx,
                                     specreg_status (*call)(specreg_context *))
{
    for (int64_t k = 0;; k++) {
        kit_fail_allocation(k);
        const specreg_status st = call(ctx);
        const bool failed = kit_disarm();
        CHECK_EQ(kit_live_allocations(), 0);
        if (!failed) {
            CHECK_OK(ctx, st);
            CHECK(k > 3);
            return;
        }
        CHECK_EQ(st, SPECREG_E_NOMEM);
        CHECK_HAS(specreg_last_error(ctx), "memory");
        CHECK_EQ(kit_temp_count(), 0);
    }
}

TEST(fault, vector_fields_survive_every_failing_allocation)
{
    CHECK_OK(ctx, products(ctx)); /* threads are there, which keep memory of their own */
    with_failing_allocations(ctx, products);
    with_failing_allocations(ctx, factored);
    with_failing_allocations(ctx, grid_file);
    specreg_model *model = small_model(ctx);
    the_model = model;
    with_failing_allocations(ctx, parts_file);
    specreg_model_free(model);
}

TEST(fault, grid_files_are_whole_or_not_there_when_a_write_fails)
{
    CHECK_OK(ctx, grid_file(ctx));
    char *whole = kit_read_file(kit_temp("field.vtk"));
    for (int64_t k = 0;; k++) {
        kit_fail_write(k);
        const specreg_status st = grid_file(ctx);
        const bool failed = kit_disarm();
        if (st == SPECREG_OK) { /* syncing the folder, after the rename, may fail */
            char *text = kit_read_file(kit_temp("field.vtk"));
            CHECK_STR(text, whole);
            free(text);
        } else {
            CHECK_EQ(st, SPECREG_E_IO);
            CHECK_HAS(specreg_last_error(ctx), "field.vtk");
            CHECK_EQ(kit_temp_count(), 0);
        }
        if (!failed) {
            CHECK(k > 2);
            break;
        }
    }
    free(whole);
}
