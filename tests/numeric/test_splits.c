/* Splits from a file: the folds of kfold, written down, give what kfold gives. */
#include "kit/kit.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "data/split.h"

enum { N = 47 };

static specreg_table *table(specreg_context *ctx)
{
    double *X = kit_normal(5, N, 2), y[N];
    specreg_table *t = NULL;
    for (int i = 0; i < N; i++)
        y[i] = X[2 * i] - X[2 * i + 1] * X[2 * i + 1];
    const specreg_view vx = {X, N, 2, 2}, vy = {y, N, 1, 1};
    CHECK_OK(ctx, specreg_table_from_arrays(ctx, &vx, NULL, &vy, NULL, &t));
    free(X);
    return t;
}

static specreg_status fit(specreg_context *ctx, const specreg_table *t, const char *rule,
                          specreg_model **model)
{
    specreg_options *o = NULL;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "select", rule));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", "rbf:sigma={0.5,1,2}"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "param", "lambda=log:1e-6:1:7"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "seed", "3"));
    const specreg_status st = specreg_fit(ctx, t, o, model);
    specreg_options_free(o);
    return st;
}

/* selection.value of every row of the table. */
static json_t *values(specreg_context *ctx, const specreg_table *t, const char *rule)
{
    specreg_model *model = NULL;
    char *text = NULL;
    CHECK_OK(ctx, fit(ctx, t, rule, &model));
    CHECK_OK(ctx, specreg_model_record(ctx, model, &text));
    json_t *record = json_loads(text, 0, NULL);
    json_t *rows = json_incref(json_object_get(json_object_get(record, "selection"), "table"));
    json_decref(record);
    specreg_string_free(text);
    specreg_model_free(model);
    return rows;
}

static void check_written_down(specreg_context *ctx, const char *kfold, int64_t repeats)
{
    specreg_table *t = table(ctx);
    sri_splits s = {0};
    char text[8192] = "", rule[300];
    size_t used = 0;
    CHECK_OK(ctx, sri_splits_kfold(ctx, &(sri_strata){.n = N, .seed = 3}, 4, repeats, &s));
    for (int64_t f = 0; f < s.count; f++) {
        for (int64_t i = 0; i < s.split[f].n_train; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%lld ",
                                     (long long)s.split[f].train[i]);
        used += (size_t)snprintf(text + used, sizeof text - used, "\n");
    }
    snprintf(rule, sizeof rule, "splits:%s", kit_temp_file("splits.txt", text));
    json_t *expected = values(ctx, t, kfold), *got = values(ctx, t, rule);
    CHECK_EQ(json_array_size(got), 21);
    CHECK_EQ(json_array_size(expected), 21);
    for (size_t i = 0; i < 21; i++) {
        const json_t *a = json_array_get(got, i), *b = json_array_get(expected, i);
        const double lambda = json_number_value(json_object_get(a, "lambda"));
        CHECK_NEAR(json_number_value(json_object_get(a, "value")),
                   json_number_value(json_object_get(b, "value")),
                   kit_tolerance(N, 1 + 1 / lambda));
    }
    json_decref(got);
    json_decref(expected);
    sri_splits_free(&s);
    specreg_table_free(t);
}

TEST(splits, the_folds_of_kfold_written_down_give_what_kfold_gives)
{
    check_written_down(ctx, "kfold:k=4", 1);
    check_written_down(ctx, "kfold:k=4,repeats=3", 3);
}

TEST(splits, what_is_wrong_is_said_with_its_line)
{
    static const char *const bad[][2] = {
        {"0 1 2\n0 47\n", ":2: '47' is not the number of a row, 0 to 46"},
        {"0 x\n", ":1: 'x' is not the number of a row"},
        {"\n\n3 4 3\n", ":3: row 3 is listed twice"},
        {"-1\n", ":1: '-1' is not the number of a row"},
        {"\n", "has no splits"},
    };
    specreg_table *t = table(ctx);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char rule[300];
        specreg_model *model = (specreg_model *)1;
        snprintf(rule, sizeof rule, "splits:%s", kit_temp_file("bad.txt", bad[i][0]));
        CHECK_FAILS(ctx, fit(ctx, t, rule, &model), SPECREG_E_FORMAT, bad[i][1]);
        CHECK(!model);
    }
    specreg_model *model = NULL;
    CHECK_FAILS(ctx, fit(ctx, t, "splits:", &model), SPECREG_E_ARG, "splits:NAME");
    CHECK_FAILS(ctx, fit(ctx, t, "splits:/nowhere/s.txt", &model), SPECREG_E_IO, "/nowhere/s.txt");
    specreg_table_free(t);
}

/* One value of a record, by its path of two keys. */
static double number(specreg_context *ctx, const specreg_model *model, const char *part,
                     const char *key)
{
    char *text = NULL;
    CHECK_OK(ctx, specreg_model_record(ctx, model, &text));
    json_t *record = json_loads(text, 0, NULL);
    const double v = json_number_value(json_object_get(json_object_get(record, part), key));
    json_decref(record);
    specreg_string_free(text);
    return v;
}

/* With one kernel: the largest lambda whose value is within a standard error of the least one. */
TEST(rule, one_standard_error_takes_the_smoothest_model_that_is_as_good)
{
    static const char *const selects[] = {"loo", "kfold:k=4", "holdout"};
    specreg_table *t = table(ctx);
    for (int i = 0; i < 3; i++) {
        specreg_options *o = NULL;
        specreg_model *best = NULL, *smooth = NULL, *alone = NULL;
        char lambda[64];
        CHECK_OK(ctx, specreg_options_new(ctx, &o));
        CHECK_OK(ctx, specreg_options_set(ctx, o, "select", selects[i]));
        CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", "rbf:sigma=1"));
        CHECK_OK(ctx, specreg_options_set(ctx, o, "param", "lambda=log:1e-6:1:25"));
        CHECK_OK(ctx, specreg_fit(ctx, t, o, &best));
        CHECK_OK(ctx, specreg_options_set(ctx, o, "rule", "1se"));
        CHECK_OK(ctx, specreg_fit(ctx, t, o, &smooth));
        const double limit =
            number(ctx, best, "selection", "value") + number(ctx, best, "selection", "stderr");
        const double chosen = number(ctx, smooth, "filter", "lambda");
        CHECK(chosen >= number(ctx, best, "filter", "lambda"));
        CHECK(number(ctx, smooth, "selection", "value") <= limit);
        /* The model is that of the chosen lambda, and the next larger one would be too bad. */
        snprintf(lambda, sizeof lambda, "lambda=%.17g", chosen);
        CHECK_OK(ctx, specreg_options_set(ctx, o, "param", lambda));
        CHECK_OK(ctx, specreg_options_set(ctx, o, "select", "none"));
        CHECK_OK(ctx, specreg_fit(ctx, t, o, &alone));
        CHECK_NEAR(number(ctx, smooth, "train", "mse"), number(ctx, alone, "train", "mse"),
                   kit_tolerance(N, 1 + 1 / chosen));
        if (chosen < 0.9) {
            snprintf(lambda, sizeof lambda, "lambda={%.17g,%.17g}", chosen * pow(10, 0.25), chosen);
            CHECK_OK(ctx, specreg_options_set(ctx, o, "param", lambda));
            CHECK_OK(ctx, specreg_options_set(ctx, o, "select", selects[i]));
            CHECK_OK(ctx, specreg_options_set(ctx, o, "rule", NULL));
            specreg_model *pair = NULL;
            CHECK_OK(ctx, specreg_fit(ctx, t, o, &pair));
            char *text = NULL;
            CHECK_OK(ctx, specreg_model_record(ctx, pair, &text));
            json_t *record = json_loads(text, 0, NULL);
            const json_t *row =
                json_array_get(json_object_get(json_object_get(record, "selection"), "table"), 0);
            CHECK(json_number_value(json_object_get(row, "value")) > limit);
            json_decref(record);
            specreg_string_free(text);
            specreg_model_free(pair);
        }
        specreg_model_free(alone);
        specreg_model_free(smooth);
        specreg_model_free(best);
        specreg_options_free(o);
    }
    specreg_table_free(t);
}
