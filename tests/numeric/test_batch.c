/* Candidates that are evaluated in one run have the values that each has by itself.  A
 * checkpoint has them evaluated one by one. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kit/kit.h"

enum { N = 90, P = 2, TASKS = 4 };

static specreg_table *tasks_table(specreg_context *ctx)
{
    const char *const names[] = {"task", "a", "b"};
    double *x = kit_normal(7, N, P), *noise = kit_normal(8, N, 1), rows[N * (P + 1)], y[N];
    specreg_table *table;
    for (int i = 0; i < N; i++) {
        const int task = i % (TASKS + 2) % TASKS; /* of different sizes */
        rows[i * (P + 1)] = task;
        rows[i * (P + 1) + 1] = x[i * P];
        rows[i * (P + 1) + 2] = x[i * P + 1];
        y[i] = sin(2 * x[i * P]) + 0.3 * task * x[i * P + 1] + 0.2 * noise[i];
    }
    const specreg_view X = {rows, N, P + 1, P + 1}, Y = {y, N, 1, 1};
    CHECK_OK(ctx, specreg_table_from_arrays(ctx, &X, names, &Y, NULL, &table));
    free(noise);
    free(x);
    return table;
}

static json_t *fit_record(specreg_context *ctx, const specreg_table *table, const char *const *set,
                          const char *checkpoint)
{
    specreg_options *o;
    specreg_model *model;
    char *text;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    for (; *set; set += 2)
        CHECK_OK(ctx, specreg_options_set(ctx, o, set[0], set[1]));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "checkpoint", checkpoint));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "extend", "no"));
    CHECK_OK(ctx, specreg_fit(ctx, table, o, &model));
    CHECK_OK(ctx, specreg_model_record(ctx, model, &text));
    json_t *record = json_loads(text, 0, NULL);
    CHECK(record);
    specreg_string_free(text);
    specreg_model_free(model);
    specreg_options_free(o);
    return record;
}

/* Values to `tolerance`; the same choice. */
static void check_same(specreg_context *ctx, const specreg_table *table, const char *const *set,
                       double tolerance)
{
    remove("batch.checkpoint");
    json_t *a = fit_record(ctx, table, set, NULL),
           *b = fit_record(ctx, table, set, "batch.checkpoint");
    const json_t *s = json_object_get(a, "selection"), *t = json_object_get(b, "selection");
    const json_t *u = json_object_get(s, "table"), *v = json_object_get(t, "table");
    CHECK(json_array_size(u) > 11);
    CHECK_EQ(json_array_size(u), json_array_size(v));
    for (size_t i = 0; i < json_array_size(u); i++) {
        const json_t *one = json_array_get(u, i), *other = json_array_get(v, i);
        CHECK(json_equal(json_object_get(one, "outputs"), json_object_get(other, "outputs")));
        CHECK_NEAR(json_number_value(json_object_get(one, "value")),
                   json_number_value(json_object_get(other, "value")), tolerance);
    }
    CHECK(json_equal(json_object_get(a, "outputs"), json_object_get(b, "outputs")));
    CHECK(json_equal(json_object_get(a, "kernel"), json_object_get(b, "kernel")));
    json_decref(b);
    json_decref(a);
}

TEST(batch, omegas_together_are_omegas_one_by_one)
{
    static const char *const ways[][4] = {
        {"nu", "t={2,5,20}", "kfold:k=4", "krylov"},
        {"nu", "t={2,5,20}", "kfold:k=4", "iterate"},
        {"nu:step=norm", "t={2,5,20}", "kfold:k=4", "iterate"},
        {"landweber:step=norm", "t={3,60}", "holdout", "krylov"},
        {"landweber", "t={3,60}", "holdout", "krylov"},
        {"landweber", "t={3,60}", "holdout", "iterate"},
        {"tikhonov", "lambda={0.1,0.001}", "kfold:k=4", "krylov"},
        {"iterated", "lambda={0.1,0.001}", "holdout", "krylov"},
        {"showalter", "lambda={0.1,0.001}", "kfold:k=3,repeats=2", "krylov"},
    };
    specreg_table *table = tasks_table(ctx);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (int weighted = 0; weighted < 2; weighted++) {
            const char *const set[] =
                {"task-column", "task",
                 "outputs",     "common",
                 "kernel",      "rbf:sigma={0.7,2}",
                 "filter",      ways[i][0],
                 "param",       ways[i][1],
                 "select",      ways[i][2],
                 "engine",      ways[i][3],
                 "task-weight", weighted ? "tasks" : "rows",
                 "features",    "none", /* candidates with terms go one by one */
                 NULL};
            check_same(ctx, table, set, 1e-10);
        }
    specreg_table_free(table);
}
