/* From 1,000 rows on a search goes along a path only as far as it matters: the choice and its value
 * are those of the exhaustive search. */
#include "kit/kit.h"

#include <math.h>

#include "models.h"

enum { ROWS = 1200, COLUMNS = 3 };

static specreg_table *sine_table(specreg_context *ctx)
{
    double *X = kit_normal(5, ROWS, COLUMNS), *y = kit_normal(6, ROWS, 1);
    specreg_table *t = NULL;
    for (int i = 0; i < ROWS; i++)
        y[i] = sin(2 * X[i * COLUMNS]) * X[i * COLUMNS + 1] + 0.2 * y[i];
    const specreg_view vx = {X, ROWS, COLUMNS, COLUMNS}, vy = {y, ROWS, 1, 1};
    CHECK_OK(ctx, specreg_table_from_arrays(ctx, &vx, NULL, &vy, NULL, &t));
    free(y);
    free(X);
    return t;
}

static json_t *search(specreg_context *ctx, const specreg_table *t, const char *kernel,
                      const char *param, const char *how)
{
    specreg_options *o = NULL;
    specreg_model *m = NULL;
    char *text = NULL;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "select", "kfold:k=5"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", kernel));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "param", param));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "search", how));
    if (strcmp(how, "exhaustive") == 0)
        CHECK_OK(ctx, specreg_options_set(ctx, o, "engine", "eig"));
    CHECK_OK(ctx, specreg_fit(ctx, t, o, &m));
    CHECK_OK(ctx, specreg_model_record(ctx, m, &text));
    json_t *record = json_loads(text, 0, NULL);
    specreg_string_free(text);
    specreg_model_free(m);
    specreg_options_free(o);
    return record;
}

TEST(long_search, chooses_what_the_exhaustive_search_chooses)
{
    specreg_table *t = sine_table(ctx);
    static const char KERNEL[] = "rbf:sigma={0.3,1}", PARAM[] = "lambda=log:1e-7:1:22";
    json_t *all = search(ctx, t, KERNEL, PARAM, "exhaustive");
    json_t *some = search(ctx, t, KERNEL, PARAM, "grid");
    const json_t *a = json_object_get(all, "selection"), *s = json_object_get(some, "selection");
    CHECK(json_equal(json_object_get(all, "kernel"), json_object_get(some, "kernel")));
    CHECK(json_equal(json_object_get(json_object_get(all, "filter"), "lambda"),
                     json_object_get(json_object_get(some, "filter"), "lambda")));
    const double exact = json_number_value(json_object_get(a, "value"));
    CHECK_WORST("value", fabs(json_number_value(json_object_get(s, "value")) / exact - 1), 1e-3);
    CHECK_HAS(json_string_value(json_array_get(json_object_get(some, "notes"), 0)), "left");
    const json_t *table = json_object_get(s, "table");
    CHECK_EQ(json_array_size(table), json_array_size(json_object_get(a, "table")));
    size_t computed = 0;
    for (size_t i = 0; i < json_array_size(table); i++) {
        const json_t *row = json_array_get(table, i);
        const json_t *other = json_array_get(json_object_get(a, "table"), i);
        CHECK(json_equal(json_object_get(row, "kernel"), json_object_get(other, "kernel")));
        if (json_is_null(json_object_get(row, "value")))
            continue;
        computed++;
        CHECK_WORST("values of the table",
                    fabs(json_number_value(json_object_get(row, "value")) /
                             json_number_value(json_object_get(other, "value")) -
                         1),
                    1e-3);
    }
    CHECK(computed > 10 && computed < json_array_size(table));
    json_decref(some);
    json_decref(all);
    specreg_table_free(t);
}

/* The eigenvalues of a kernel that is not smooth end above 1e-5: smaller lambdas change nothing,
 * and the error, at most a tenth above its least, neither rises nor falls any more. */
TEST(long_search, ends_where_the_error_has_come_to_rest)
{
    static const char *const kernel[] = {"laplace:sigma=0.5", "laplace:sigma=2"};
    static const char PARAM[] = "lambda=log:1e-9:1:28";
    specreg_table *t = sine_table(ctx);
    for (int k = 0; k < 2; k++) {
        json_t *all = search(ctx, t, kernel[k], PARAM, "exhaustive");
        json_t *some = search(ctx, t, kernel[k], PARAM, "grid");
        const json_t *a = json_object_get(all, "selection"),
                     *s = json_object_get(some, "selection");
        const json_t *rows = json_object_get(a, "table"), *table = json_object_get(s, "table");
        const size_t last = json_array_size(table) - 1;
        const double least = json_number_value(json_object_get(a, "value"));
        const double found = json_number_value(json_object_get(s, "value"));
        const double end = json_number_value(json_object_get(json_array_get(rows, last), "value"));
        CHECK(end < 1.1 * least);
        CHECK(json_is_null(json_object_get(json_array_get(table, last), "value")));
        CHECK_WORST("the error at rest", found / least - 1, 2e-3);
        json_decref(some);
        json_decref(all);
    }
    specreg_table_free(t);
}
