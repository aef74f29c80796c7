/* Searches of all kinds while allocations fail one after the other: weights, criteria, racing, the
 * IDA protocol, extension, checkpoints.  A status, a text, no leak; a checkpoint that is left
 * serves the next run. */
#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

#include "kit/fault.h"
#include "kit/kit.h"

/* Columns x, w, y; y a number, or one of two texts. */
static specreg_table *make_table(specreg_context *ctx, int rows, bool classes)
{
    double *u = kit_normal(51, rows, 2);
    specreg_table *t;
    FILE *f = fopen(kit_temp("search.csv"), "w");
    fprintf(f, "x,w,y\n");
    for (int i = 0; i < rows; i++) {
        const double y = u[2 * i] + 0.5 * u[2 * i + 1];
        fprintf(f, "%.6f,%d,", u[2 * i], 1 + i % 3);
        if (classes)
            fprintf(f, "%s\n", y > 0 ? "yes" : "no");
        else
            fprintf(f, "%.6f\n", y);
    }
    fclose(f);
    free(u);
    CHECK_OK(ctx, specreg_table_read(ctx, kit_temp("search.csv"), NULL, &t));
    return t;
}

/* name, value, ..., NULL after those that all have. */
static specreg_options *options_of(specreg_context *ctx, const char *name, ...)
{
    specreg_options *o;
    va_list args;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "threads", "1"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "weights", "w"));
    va_start(args, name);
    for (; name; name = va_arg(args, const char *))
        CHECK_OK(ctx, specreg_options_set(ctx, o, name, va_arg(args, const char *)));
    va_end(args);
    return o;
}

typedef struct outcome {
    specreg_model *model;
    char *json;
} outcome;

static specreg_status run(specreg_context *ctx, const specreg_table *t, const specreg_options *o,
                          bool cv, outcome *out)
{
    return cv ? specreg_cv(ctx, t, o, &out->json) : specreg_fit(ctx, t, o, &out->model);
}

/* The record without what differs from run to run. */
static char *describe(specreg_context *ctx, outcome *out)
{
    if (out->model)
        CHECK_OK(ctx, specreg_model_record(ctx, out->model, &out->json));
    json_t *record = json_loads(out->json, 0, NULL);
    json_object_del(record, "seconds");
    json_object_del(record, "peak_bytes");
    char *text = json_dumps(record, JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
    json_decref(record);
    return text;
}

static void outcome_free(outcome *out)
{
    specreg_string_free(out->json);
    specreg_model_free(out->model);
}

static void remove_checkpoints(void)
{
    static const char *const names[] = {"run.ck", "run.ck.1", "run.ck.2"};
    for (int i = 0; i < 3; i++)
        unlink(kit_temp(names[i]));
}

/* As in test_fit.c: every allocation up to `dense`, then every `stride`-th. */
static void every_allocation(specreg_context *ctx, const char *name, const specreg_table *t,
                             specreg_options *o, bool cv, int64_t dense, int64_t stride)
{
    outcome good = {0};
    remove_checkpoints();
    CHECK_OK(ctx, run(ctx, t, o, cv, &good));
    char *expected = describe(ctx, &good);
    outcome_free(&good);
    int64_t k = 0, failures = 0;
    for (bool failed = true; failed; k += k < dense ? 1 : stride) {
        outcome out = {cv ? NULL : (void *)1, cv ? (void *)1 : NULL};
        if (k % 2) /* from the beginning, or from where the last failure came */
            remove_checkpoints();
        kit_fail_allocation(k);
        const specreg_status st = run(ctx, t, o, cv, &out);
        failed = kit_disarm();
        if (st == SPECREG_OK) {
            char *got = describe(ctx, &out);
            if (strcmp(got, expected) != 0)
                kit_fail(__FILE__, __LINE__, "%s, allocation %d:\n%s\nnot\n%s", name, (int)k, got,
                         expected);
            free(got);
        } else {
            CHECK_EQ(st, SPECREG_E_NOMEM);
            CHECK_HAS(specreg_last_error(ctx), "memory");
            CHECK(!out.model && !out.json);
            failures++;
        }
        outcome_free(&out);
        if (kit_live_allocations() != 0)
            kit_fail(__FILE__, __LINE__, "%s: allocation %d failed, %d blocks were left", name,
                     (int)k, (int)kit_live_allocations());
    }
    print_message("  %s: %d failures\n", name, (int)failures);
    CHECK(failures > 20);
    remove_checkpoints();
    free(expected);
    specreg_options_free(o);
}

#define SMALL "kernel", "rbf:sigma={1,2}", "param", "lambda={1,0.1}"

/* Two splits of 30 rows. */
static const char *ida_rule(char rule[300])
{
    snprintf(rule, 300, "ida:%s",
             kit_temp_file("two.txt",
                           "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18\n"
                           "11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29\n"));
    return rule;
}

/* Before the first kit_count_jansson(): cv reads a record, see test_fit.c. */
TEST(fault, cv_survives_every_failing_allocation)
{
    specreg_table *t = make_table(ctx, 30, true);
    char rule[300];
    every_allocation(ctx, "cv by ida", t,
                     options_of(ctx, SMALL, "select", ida_rule(rule), "criterion", "auc", NULL),
                     true, 300, 7);
    every_allocation(ctx, "cv with checkpoints", t,
                     options_of(ctx, SMALL, "select", "holdout", "outer", "kfold:k=2", "checkpoint",
                                kit_temp("run.ck"), NULL),
                     true, 30, 17);
    specreg_table_free(t);
}

TEST(fault, fits_by_weights_and_criteria_survive_every_failing_allocation)
{
    specreg_table *t = make_table(ctx, 30, true);
    static const char *const rules[] = {"loo", "kfold:k=3", "holdout"};
    static const char *const criteria[] = {"auc", "balanced_error"};
    kit_count_jansson();
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 2; c++)
            every_allocation(ctx, criteria[c], t,
                             options_of(ctx, SMALL, "select", rules[r], "criterion", criteria[c],
                                        "class-weight", "balanced", NULL),
                             false, 400, 7);
    specreg_table_free(t);
}

TEST(fault, extended_and_coarse_searches_survive_every_failing_allocation)
{
    specreg_table *t = make_table(ctx, 30, false);
    kit_count_jansson();
    every_allocation(ctx, "extend", t,
                     options_of(ctx, "kernel", "rbf:sigma={0.01,0.02,0.03}", "param",
                                "lambda={1,0.5,0.2}", "select", "kfold:k=3", "extend", "yes", NULL),
                     false, 500, 13);
    every_allocation(ctx, "coarse", t,
                     options_of(ctx, "kernel", "rbf:sigma=log:0.1:10:9", "param", "lambda=0.1",
                                "select", "loo", "search", "coarse", NULL),
                     false, 500, 13);
    specreg_table_free(t);
}

TEST(fault, races_survive_every_failing_allocation)
{
    specreg_table *t = make_table(ctx, 800, true);
    kit_count_jansson();
    every_allocation(ctx, "race", t,
                     options_of(ctx, "kernel", "rbf:sigma={1,2,3}", "filter", "landweber", "param",
                                "t=1", "engine", "iterate", "select", "holdout", "search", "race",
                                NULL),
                     false, 200, 5);
    specreg_table_free(t);
}

TEST(fault, conjugate_gradients_survive_every_failing_allocation)
{
    specreg_table *t = make_table(ctx, 60, true);
    kit_count_jansson();
    every_allocation(ctx, "conjugate gradients", t,
                     options_of(ctx, "kernel", "rbf:sigma=1", "approx", "rectangle:m=8,solver=cg",
                                "param", "lambda={0.1,0.01}", "select", "kfold:k=2", NULL),
                     false, 700, 7);
    every_allocation(ctx, "steps", t,
                     options_of(ctx, "kernel", "rbf:sigma=1", "approx", "rectangle:m=8,solver=cg",
                                "filter", "nu", "param", "t={1,3}", "select", "holdout", NULL),
                     false, 700, 7);
    specreg_table_free(t);
}

TEST(fault, outputs_of_some_classes_survive_every_failing_allocation)
{
    specreg_table *t = make_table(ctx, 60, true);
    static const char *const rules[][2] = {{"loo", "auc"}, {"kfold:k=2", "mse"}};
    kit_count_jansson();
    for (int r = 0; r < 2; r++)
        every_allocation(ctx, "one against one", t,
                         options_of(ctx, "kernel", "rbf:sigma=1", "approx", "rectangle:m=8",
                                    "target", "w", "weights", "", "problem", "classification",
                                    "coding", "ovo", "param", "lambda={0.1,0.01}", "select",
                                    rules[r][0], "criterion", rules[r][1], NULL),
                         false, 700, 7);
    specreg_table_free(t);
}

TEST(fault, the_ida_protocol_survives_every_failing_allocation)
{
    specreg_table *t = make_table(ctx, 30, true);
    char rule[300];
    kit_count_jansson();
    every_allocation(ctx, "ida", t, options_of(ctx, SMALL, "select", ida_rule(rule), NULL), false,
                     400, 7);
    specreg_table_free(t);
}

TEST(fault, searches_with_a_checkpoint_survive_every_failing_allocation)
{
    specreg_table *t = make_table(ctx, 30, false);
    kit_count_jansson();
    every_allocation(ctx, "checkpoint", t,
                     options_of(ctx, SMALL, "select", "kfold:k=3", "checkpoint", kit_temp("run.ck"),
                                NULL),
                     false, 60, 5);
    specreg_table_free(t);
}
