/* What the library does by itself, where no option says otherwise. */
#include "numeric/models.h"

/* y = sin(x1) + x2 / 2 + noise, and `offset`. */
static specreg_table *wave(specreg_context *ctx, int64_t n, double offset)
{
    double *X = kit_normal(3, n, 2), *e = kit_normal(4, n, 1), *y = malloc((size_t)n * sizeof *y);
    for (int64_t i = 0; i < n; i++)
        y[i] = offset + sin(2 * X[2 * i]) + X[2 * i + 1] / 2 + 0.1 * e[i];
    specreg_table *t = table_of(ctx, X, n, 2, y, 1);
    free(y);
    free(e);
    free(X);
    return t;
}

static json_t *fit_record(specreg_context *ctx, const specreg_table *t, const specreg_options *o)
{
    specreg_model *m = fitted(ctx, t, o);
    json_t *r = record_of(ctx, m);
    specreg_model_free(m);
    return r;
}

static specreg_options *one_option(specreg_context *ctx, const char *name, const char *value)
{
    specreg_options *o;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, specreg_options_set(ctx, o, name, value));
    return o;
}

TEST(defaults, predictions_move_with_a_constant_that_is_added_to_the_target)
{
    enum { ROWS = 60 };
    static const double offset = 1e5;
    specreg_table *t[2] = {wave(ctx, ROWS, 0), wave(ctx, ROWS, offset)};
    double *f[2];
    json_t *r[2];
    for (int k = 0; k < 2; k++) {
        specreg_model *m = fitted(ctx, t[k], NULL);
        specreg_table *out = predicted(ctx, m, t[k]);
        f[k] = numbers_of(out);
        r[k] = record_of(ctx, m);
        specreg_table_free(out);
        specreg_model_free(m);
    }
    CHECK(json_equal(at(r[0], "kernel"), at(r[1], "kernel")));
    CHECK(json_equal(at(r[0], "filter"), at(r[1], "filter")));
    CHECK_STR(text_at(r[0], "features.terms.0"), "constant");
    for (int64_t i = 0; i < ROWS; i++)
        CHECK_NEAR(f[1][i] - offset, f[0][i], 1e-6); /* 1e5 has lost five digits */
    CHECK_NEAR(number_at(r[1], "train.r2"), number_at(r[0], "train.r2"), 1e-6);
    for (int k = 0; k < 2; k++) {
        json_decref(r[k]);
        free(f[k]);
        specreg_table_free(t[k]);
    }
}

TEST(defaults, a_constant_is_added_unless_there_is_one_already)
{
    static const struct {
        const char *option, *value;
        bool constant;
    } cases[] = {
        {"kernel", "rbf:sigma=1", true},
        {"kernel", "poly", false}, /* coef0 is 1 */
        {"kernel", "poly:coef0=0", true},
        {"kernel", "poly:coef0={0,1}", true}, /* one of the two has none */
        {"kernel", "linear + poly", false},
        {"kernel", "{rbf,poly}", true},
        {"features", "none", false},
        {"problem", "field", false},
    };
    double *X = kit_normal(3, 40, 2), *Y = kit_normal(4, 40, 2);
    specreg_table *t = table_of(ctx, X, 40, 2, Y, 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        specreg_options *o = one_option(ctx, cases[i].option, cases[i].value);
        CHECK_OK(ctx, specreg_options_set(ctx, o, "target", "y1,y2"));
        json_t *r = fit_record(ctx, t, o);
        CHECK_EQ(json_object_get(r, "features") != NULL, cases[i].constant);
        json_decref(r);
        specreg_options_free(o);
    }
    specreg_table_free(t);
    free(Y);
    free(X);
}

/* The rows of the table of one family. */
static int64_t rows_of(const json_t *record, const char *family, bool judged)
{
    const json_t *table = at(record, "selection.table");
    int64_t count = 0;
    for (size_t i = 0; i < json_array_size(table); i++) {
        const json_t *row = json_array_get(table, i);
        count += strcmp(text_at(row, "kernel.name"), family) == 0 &&
                 (!judged || !json_is_null(at(row, "value")));
    }
    return count;
}

/* A list finds what the best of its members finds alone. */
TEST(defaults, a_list_of_kernels_is_the_best_of_its_members)
{
    static const char *const members[] = {"laplace", "linear", "rbf"};
    specreg_table *t = wave(ctx, 120, 0);
    specreg_options *o = one_option(ctx, "kernel", "{laplace,linear,rbf}");
    json_t *all = fit_record(ctx, t, o);
    double best = INFINITY;
    for (int k = 0; k < 3; k++) {
        CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", members[k]));
        json_t *one = fit_record(ctx, t, o);
        const double value = number_at(one, "selection.value");
        if (value < best) {
            best = value;
            CHECK(value > number_at(all, "selection.value") ||
                  json_equal(at(one, "kernel"), at(all, "kernel")));
        }
        CHECK(rows_of(all, members[k], false) > 0);
        json_decref(one);
    }
    CHECK_NEAR(number_at(all, "selection.value"), best, 1e-12);
    CHECK_STR(text_at(all, "kernel.name"), "rbf");
    json_decref(all);
    specreg_options_free(o);
    specreg_table_free(t);
}

TEST(defaults, families_are_compared_by_themselves)
{
    static const char *const families[] = {"rbf", "laplace", "matern", "linear", "poly"};
    specreg_table *t = wave(ctx, 120, 0);
    json_t *r = fit_record(ctx, t, NULL);
    for (int k = 0; k < 5; k++)
        CHECK(rows_of(r, families[k], true) > 0);
    CHECK_STR(text_at(r, "selection.search"), "grid");
    json_decref(r);
    specreg_table_free(t);
}

TEST(defaults, lists_that_do_not_go_are_refused)
{
    static const char *const bad[][2] = {
        {"{rbf,precomputed}", "kernel precomputed cannot be one of a list"},
        {"{rbf,curlfree}", "kernel curlfree cannot be one of a list"},
        {"{rbf,laplace", "has no end"},
        {"{}", "kernel"},
        {"{rbf,}", "kernel"},
        {"{rbf,lapalce}", "laplace"},
    };
    specreg_table *t = wave(ctx, 20, 0);
    specreg_model *m;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        specreg_options *o = one_option(ctx, "kernel", bad[i][0]);
        CHECK_FAILS(ctx, specreg_fit(ctx, t, o, &m), SPECREG_E_ARG, bad[i][1]);
        specreg_options_free(o);
    }
    specreg_table_free(t);
}

/* From 1,000 rows on automatic lists are raced; those that were written out are not. */
TEST(defaults, long_tables_are_raced_but_lists_are_searched_whole)
{
    specreg_table *t = wave(ctx, 1000, 0);
    specreg_options *o = one_option(ctx, "kernel", "rbf");
    CHECK_OK(ctx, specreg_options_set(ctx, o, "select", "kfold:k=3"));
    json_t *raced = fit_record(ctx, t, o);
    CHECK_STR(text_at(raced, "selection.search"), "race");
    CHECK_OK(ctx, specreg_options_set(ctx, o, "search", "grid"));
    json_t *whole = fit_record(ctx, t, o);
    CHECK(json_equal(at(raced, "kernel"), at(whole, "kernel")));
    CHECK_NEAR(number_at(raced, "selection.value"), number_at(whole, "selection.value"), 1e-9);
    CHECK_OK(ctx, specreg_options_set(ctx, o, "search", "auto"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", "rbf:sigma={0.5,1,2}"));
    json_t *list = fit_record(ctx, t, o);
    CHECK_STR(text_at(list, "selection.search"), "grid");
    json_decref(list);
    json_decref(whole);
    json_decref(raced);
    specreg_options_free(o);
    specreg_table_free(t);
}
