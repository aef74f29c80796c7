/* Nested cross-validation against the same done by hand: select rows, fit, evaluate. */
#include "kit/kit.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

enum { N = 60, FOLDS = 3 };

static specreg_table *table(specreg_context *ctx, bool classes)
{
    double *X = kit_normal(8, N, 2), y[N];
    specreg_table *t = NULL;
    for (int i = 0; i < N; i++) {
        y[i] = sin(2 * X[2 * i]) + X[2 * i + 1] + 0.2 * X[(2 * i + 7) % N];
        if (classes)
            y[i] = y[i] > 0 ? 1 : -1;
    }
    const specreg_view vx = {X, N, 2, 2}, vy = {y, N, 1, 1};
    CHECK_OK(ctx, specreg_table_from_arrays(ctx, &vx, NULL, &vy, NULL, &t));
    free(X);
    return t;
}

/* Row i is tested in split i % FOLDS. */
static const char *split_file(void)
{
    char text[2048] = "";
    size_t used = 0;
    for (int f = 0; f < FOLDS; f++) {
        for (int i = 0; i < N; i++)
            if (i % FOLDS != f)
                used += (size_t)snprintf(text + used, sizeof text - used, "%d ", i);
        used += (size_t)snprintf(text + used, sizeof text - used, "\n");
    }
    return kit_temp_file("outer.txt", text);
}

static double by_hand(specreg_context *ctx, const specreg_table *t, const specreg_options *o, int f,
                      const char *measure)
{
    int64_t train[N], test[N], n_train = 0, n_test = 0;
    specreg_table *a = NULL, *b = NULL;
    specreg_model *model = NULL;
    char *text = NULL;
    for (int i = 0; i < N; i++)
        if (i % FOLDS == f)
            test[n_test++] = i;
        else
            train[n_train++] = i;
    CHECK_OK(ctx, specreg_table_select(ctx, t, train, n_train, &a));
    CHECK_OK(ctx, specreg_table_select(ctx, t, test, n_test, &b));
    CHECK_OK(ctx, specreg_fit(ctx, a, o, &model));
    CHECK_OK(ctx, specreg_evaluate(ctx, model, b, NULL, &text));
    json_t *record = json_loads(text, 0, NULL);
    const double v = json_number_value(json_object_get(json_object_get(record, "test"), measure));
    json_decref(record);
    specreg_string_free(text);
    specreg_model_free(model);
    specreg_table_free(b);
    specreg_table_free(a);
    return v;
}

static void check(specreg_context *ctx, bool classes, const char *measure)
{
    specreg_table *t = table(ctx, classes);
    specreg_options *o = NULL;
    char rule[300], *text = NULL;
    snprintf(rule, sizeof rule, "splits:%s", split_file());
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", "rbf:sigma={0.5,1,2}"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "outer", rule));
    CHECK_OK(ctx, specreg_cv(ctx, t, o, &text));
    json_t *record = json_loads(text, 0, NULL);
    const json_t *folds = json_object_get(record, "folds");
    double sum = 0, squares = 0;
    CHECK_EQ(json_array_size(folds), FOLDS);
    for (int f = 0; f < FOLDS; f++) {
        const json_t *fold = json_array_get(folds, (size_t)f);
        const double expected = by_hand(ctx, t, o, f, measure);
        CHECK_SAME(json_number_value(json_object_get(fold, measure)), expected);
        CHECK_EQ(json_integer_value(json_object_get(fold, "n_test")), N / FOLDS);
        sum += expected;
        squares += expected * expected;
    }
    const double mean = sum / FOLDS;
    CHECK_NEAR(json_number_value(json_object_get(json_object_get(record, "mean"), measure)), mean,
               kit_tolerance(FOLDS, 1));
    CHECK_NEAR(json_number_value(json_object_get(json_object_get(record, "stddev"), measure)),
               sqrt((squares - FOLDS * mean * mean) / (FOLDS - 1)), 1e-7);
    json_decref(record);
    specreg_string_free(text);
    specreg_options_free(o);
    specreg_table_free(t);
}

TEST(cv, equals_fit_and_evaluate_on_each_split)
{
    check(ctx, false, "mse");
    check(ctx, true, "error_rate");
}

TEST(cv, folds_are_of_equal_size_and_test_each_row_once)
{
    specreg_table *t = table(ctx, true);
    char *text = NULL;
    CHECK_OK(ctx, specreg_cv(ctx, t, NULL, &text));
    json_t *record = json_loads(text, 0, NULL);
    const json_t *folds = json_object_get(record, "folds");
    CHECK_EQ(json_array_size(folds), 5);
    for (size_t f = 0; f < 5; f++)
        CHECK_EQ(json_integer_value(json_object_get(json_array_get(folds, f), "n_test")), N / 5);
    json_decref(record);
    specreg_string_free(text);
    specreg_table_free(t);
}

TEST(cv, an_outer_rule_that_makes_no_splits_is_refused)
{
    specreg_table *t = table(ctx, false);
    specreg_options *o = NULL;
    char *text = (char *)1;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "outer", "loo"));
    CHECK_FAILS(ctx, specreg_cv(ctx, t, o, &text), SPECREG_E_ARG, "kfold, holdout or splits");
    CHECK(!text);
    CHECK_OK(ctx, specreg_options_set(ctx, o, "outer", "kfold:k=61"));
    CHECK_FAILS(ctx, specreg_cv(ctx, t, o, &text), SPECREG_E_SHAPE, "61");
    specreg_options_free(o);
    specreg_table_free(t);
}
