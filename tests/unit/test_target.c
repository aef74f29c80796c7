/* Which columns are targets, whether they are numbers or classes, and their values. */
#include "small_table.h"

#include <stdio.h>

#include "data/target.h"

#define NOTHING (&(sri_aside){0})

static int64_t target_of(specreg_context *ctx, specreg_table *t, const char *option)
{
    int64_t *columns, count, first;
    assert_ok(ctx, sri_target_columns(ctx, t, option, NOTHING, &columns, &count));
    assert_int_equal(count, 1);
    first = columns[0];
    free(columns);
    specreg_table_free(t);
    return first;
}

TEST(target, the_target_is_found_by_name_number_or_habit)
{
#define ROW(a, b, c) small_table(ctx, "t.csv", true, 1, 3, CELLS(a, b, c, "1", "2", "3"))
    assert_int_equal(target_of(ctx, ROW("a", "b", "c"), NULL), 2);
    assert_int_equal(target_of(ctx, ROW("a", "Label", "c"), ""), 1);
    assert_int_equal(target_of(ctx, ROW("label", "TARGET", "c"), ""), 1);
    assert_int_equal(target_of(ctx, ROW("Y", "target", "label"), ""), 0);
    assert_int_equal(target_of(ctx, ROW("a", "b", "y"), "1"), 0);
    assert_int_equal(target_of(ctx, ROW("a", "3", "y"), "3"), 1); /* a name before a number */
    assert_int_equal(target_of(ctx, ROW("a", "u,v", "y"), "u,v"), 1);
    const double y[] = {1, 2}, x[] = {1, 2};
    assert_int_equal(target_of(ctx, small_sparse(ctx, "t", 2, 1, y, x), NULL), 0);

    specreg_table *t = ROW("a", "b", "c");
    int64_t *columns, count;
    assert_ok(ctx, sri_target_columns(ctx, t, "c,1", NOTHING, &columns, &count));
    assert_int_equal(count, 2);
    assert_int_equal(columns[0], 2);
    assert_int_equal(columns[1], 0);
    free(columns);
    specreg_table_free(t);
}

TEST(target, wrong_target_columns_are_refused)
{
    int64_t *columns, count;
    specreg_table *t = small_table(ctx, "t.csv", true, 1, 2, CELLS("height", "age", "1", "2"));
    assert_int_equal(sri_target_columns(ctx, t, "heigth", NOTHING, &columns, &count),
                     SPECREG_E_ARG);
    assert_non_null(strstr(specreg_last_error(ctx), "t.csv: "));
    assert_non_null(strstr(specreg_last_error(ctx), "did you mean 'height'?"));
    assert_int_equal(sri_target_columns(ctx, t, "3", NOTHING, &columns, &count), SPECREG_E_ARG);
    assert_int_equal(sri_target_columns(ctx, t, "0", NOTHING, &columns, &count), SPECREG_E_ARG);
    assert_int_equal(sri_target_columns(ctx, t, "age,", NOTHING, &columns, &count), SPECREG_E_ARG);
    assert_fails(ctx, sri_target_columns(ctx, t, "age,2", NOTHING, &columns, &count), SPECREG_E_ARG,
                 "t.csv: target column 'age' is given twice");
    assert_fails(ctx, sri_target_columns(ctx, t, "age,height", NOTHING, &columns, &count),
                 SPECREG_E_SHAPE, "t.csv has no feature columns");
    assert_null(columns);
    assert_int_equal(count, 0);
    specreg_table_free(t);
    t = small_table(ctx, "t.csv", true, 1, 1, CELLS("y", "1"));
    assert_fails(ctx, sri_target_columns(ctx, t, NULL, NOTHING, &columns, &count), SPECREG_E_SHAPE,
                 "t.csv has no feature columns");
    specreg_table_free(t);
}

/* Describes the only column of a table of the given cells. */
static sri_target *describe(specreg_context *ctx, int64_t n, const char *const *cells,
                            sri_problem_kind problem)
{
    specreg_table *t = small_table(ctx, "t.csv", false, n, 1, cells);
    const int64_t column = 0;
    sri_target *target;
    assert_ok(ctx, sri_target_describe(ctx, &(sri_rows){t, ALL, n},
                                       &(sri_target_list){&column, 1, false}, problem, &target));
    specreg_table_free(t);
    return target;
}

TEST(target, text_makes_classes_in_sorted_order)
{
    sri_target *t = describe(ctx, 4, CELLS("b", "a", "b", "B"), SRI_PROBLEM_AUTO);
    assert_int_equal(t->problem, SRI_CLASSIFICATION);
    assert_int_equal(t->n_classes, 3);
    assert_string_equal(t->label[0], "B");
    assert_string_equal(t->label[1], "a");
    assert_string_equal(t->label[2], "b");
    assert_int_equal(t->count[0], 1);
    assert_int_equal(t->count[2], 2);
    assert_string_equal(t->why, "text");
    sri_target_free(t);
}

TEST(target, two_values_make_classes_in_numeric_order)
{
    sri_target *t = describe(ctx, 3, CELLS("1", "-1", "1.0"), SRI_PROBLEM_AUTO);
    assert_int_equal(t->problem, SRI_CLASSIFICATION);
    assert_int_equal(t->n_classes, 2);
    assert_string_equal(t->label[0], "-1");
    assert_string_equal(t->label[1], "1");
    assert_int_equal(t->count[1], 2);
    assert_string_equal(t->why, "2 different values");
    sri_target_free(t);
    t = describe(ctx, 3, CELLS("-0", "1", "-0"), SRI_PROBLEM_AUTO);
    assert_string_equal(t->label[0], "0");
    sri_target_free(t);
}

/* n rows with the whole numbers 0 .. different-1 in turn (half added to each if not whole). */
static sri_problem_kind problem_of(specreg_context *ctx, int n, int different, bool whole,
                                   char *why)
{
    char text[64][32];
    const char *cells[64];
    for (int i = 0; i < n; i++) {
        snprintf(text[i], sizeof text[i], "%d%s", i % different, whole ? "" : ".5");
        cells[i] = text[i];
    }
    sri_target *t = describe(ctx, n, cells, SRI_PROBLEM_AUTO);
    const sri_problem_kind problem = t->problem;
    strcpy(why, t->why);
    sri_target_free(t);
    return problem;
}

TEST(target, few_whole_numbers_that_come_often_are_classes)
{
    char why[160];
    assert_int_equal(problem_of(ctx, 15, 3, true, why), SRI_CLASSIFICATION);
    assert_string_equal(why, "3 different whole numbers");
    assert_int_equal(problem_of(ctx, 14, 3, true, why), SRI_REGRESSION);
    assert_string_equal(why, "3 different numbers");
    assert_int_equal(problem_of(ctx, 15, 3, false, why), SRI_REGRESSION);
    assert_int_equal(problem_of(ctx, 60, 12, true, why), SRI_CLASSIFICATION);
    assert_int_equal(problem_of(ctx, 29, 29, true, why), SRI_REGRESSION);
    assert_string_equal(why, "29 different numbers");
    assert_int_equal(problem_of(ctx, 4, 2, false, why), SRI_CLASSIFICATION);
}

/* 100 rows of each of 20 or 21 whole numbers. */
TEST(target, twenty_whole_numbers_are_classes_and_twenty_one_are_not)
{
    for (int k = 20; k <= 21; k++) {
        double y[2100];
        int64_t keep[2100];
        for (int i = 0; i < 100 * k; i++) {
            y[i] = i % k;
            keep[i] = i;
        }
        const specreg_view view = {y, 100 * k, 1, 1};
        specreg_table *t;
        sri_target *target;
        const int64_t column = 0;
        assert_ok(ctx, specreg_table_from_arrays(ctx, &view, NULL, NULL, NULL, &t));
        assert_ok(ctx, sri_target_describe(ctx, &(sri_rows){t, keep, 100 * k},
                                           &(sri_target_list){&column, 1, false}, SRI_PROBLEM_AUTO,
                                           &target));
        assert_int_equal(target->problem, k == 20 ? SRI_CLASSIFICATION : SRI_REGRESSION);
        sri_target_free(target);
        specreg_table_free(t);
    }
}

TEST(target, the_option_overrides_the_values)
{
    sri_target *t = describe(ctx, 2, CELLS("0", "1"), SRI_REGRESSION);
    assert_int_equal(t->problem, SRI_REGRESSION);
    assert_int_equal(t->n_classes, 0);
    assert_string_equal(t->why, "as asked");
    sri_target_free(t);
    t = describe(ctx, 3, CELLS("0.5", "1", "7"), SRI_CLASSIFICATION);
    assert_int_equal(t->n_classes, 3);
    assert_string_equal(t->label[0], "0.5");
    sri_target_free(t);
}

static void assert_describe_fails(specreg_context *ctx, int64_t n, int64_t cols,
                                  const char *const *cells, sri_problem_kind problem,
                                  specreg_status status, const char *text)
{
    specreg_table *t = small_table(ctx, "train.csv", true, n, cols, cells);
    sri_target *target = (sri_target *)&target;
    assert_fails(ctx,
                 sri_target_describe(ctx, &(sri_rows){t, ALL, n},
                                     &(sri_target_list){ALL, cols, false}, problem, &target),
                 status, text);
    assert_null(target);
    specreg_table_free(t);
}

TEST(target, targets_with_nothing_to_learn_are_refused)
{
    assert_describe_fails(ctx, 2, 1, CELLS("y", "3.5", "3.5"), SRI_PROBLEM_AUTO, SPECREG_E_NUMERIC,
                          "train.csv: target 'y' is constant (3.5): there is nothing to learn");
    assert_describe_fails(ctx, 2, 1, CELLS("y", "a", "a"), SRI_PROBLEM_AUTO, SPECREG_E_NUMERIC,
                          "train.csv: target 'y' is constant (a): there is nothing to learn");
    assert_describe_fails(ctx, 2, 1, CELLS("y", "0", "-0"), SRI_PROBLEM_AUTO, SPECREG_E_NUMERIC,
                          "train.csv: target 'y' is constant (0): there is nothing to learn");
    assert_describe_fails(ctx, 1, 1, CELLS("y", "1"), SRI_PROBLEM_AUTO, SPECREG_E_NUMERIC,
                          "train.csv has 1 row: at least two are needed");
    assert_describe_fails(ctx, 0, 1, CELLS("y"), SRI_PROBLEM_AUTO, SPECREG_E_NUMERIC,
                          "train.csv has 0 rows: at least two are needed");
    assert_describe_fails(ctx, 2, 1, CELLS("y", "a", "b"), SRI_REGRESSION, SPECREG_E_ARG,
                          "train.csv: target 'y' holds text, regression needs numbers");
    assert_describe_fails(ctx, 2, 1, CELLS("y", "1", ""), SRI_PROBLEM_AUTO, SPECREG_E_NUMERIC,
                          "train.csv:3: column 'y': value is missing (see --missing)");
    assert_describe_fails(ctx, 2, 1, CELLS("y", "inf", "1"), SRI_PROBLEM_AUTO, SPECREG_E_NUMERIC,
                          "train.csv:2: column 'y': value is infinite");
    assert_describe_fails(ctx, 2, 2, CELLS("u", "v", "1", "2", "1", "2"), SRI_PROBLEM_AUTO,
                          SPECREG_E_NUMERIC,
                          "train.csv: all targets are constant: there is nothing to learn");
    assert_describe_fails(ctx, 2, 2, CELLS("u", "v", "1", "a", "2", "b"), SRI_PROBLEM_AUTO,
                          SPECREG_E_ARG,
                          "train.csv: target 'v' holds text, several targets must be numbers");
    assert_describe_fails(ctx, 2, 2, CELLS("u", "v", "1", "2", "3", "4"), SRI_CLASSIFICATION,
                          SPECREG_E_ARG,
                          "train.csv: classification needs one target column, 2 are given");
    sri_problem_kind problem;
    assert_int_equal(sri_problem_parse(ctx, "regresion", &problem), SPECREG_E_ARG);
    assert_non_null(strstr(specreg_last_error(ctx), "did you mean 'regression'"));
}

TEST(target, several_targets_give_their_numbers_in_order)
{
    specreg_table *t =
        small_table(ctx, "t.csv", true, 3, 3,
                    CELLS("u", "x", "v", "1", "9", "4", "2", "9", "4", "3", "9", "4"));
    const int64_t columns[] = {2, 0};
    int64_t keep[] = {2, 0};
    sri_target *target;
    double *Y;
    assert_ok(ctx, sri_target_describe(ctx, &(sri_rows){t, ALL, 3},
                                       &(sri_target_list){columns, 2, false}, SRI_PROBLEM_AUTO,
                                       &target));
    assert_int_equal(target->problem, SRI_REGRESSION);
    assert_string_equal(target->name[0], "v");
    assert_string_equal(target->why, "2 target columns");
    assert_ok(ctx, sri_target_numbers(ctx, target, &(sri_rows){t, keep, 2}, columns, &Y));
    const double expected[] = {4, 3, 4, 1};
    assert_memory_equal(Y, expected, sizeof expected);
    free(Y);
    sri_target_free(target);
    specreg_table_free(t);
}

static bool located(specreg_context *ctx, const sri_target *target, specreg_table *t, int64_t where)
{
    int64_t *columns;
    bool found;
    assert_ok(ctx, sri_target_locate(ctx, target, t, &columns, &found));
    assert_true(found == (columns != NULL));
    if (found)
        assert_int_equal(columns[0], where);
    free(columns);
    specreg_table_free(t);
    return found;
}

/* Trained with names on "u,v,w" with target u; and without names with target 1. */
TEST(target, another_table_has_its_targets_by_name_or_by_position)
{
    for (int named = 0; named < 2; named++) {
        specreg_table *t =
            named ? small_table(ctx, "t", true, 2, 3,
                                CELLS("u", "v", "w", "1", "2", "3", "4", "5", "6"))
                  : small_table(ctx, "t", false, 2, 3, CELLS("1", "2", "3", "4", "5", "6"));
        sri_target *target;
        assert_ok(ctx, sri_target_describe(ctx, &(sri_rows){t, ALL, 2},
                                           &(sri_target_list){ALL, 1, false}, SRI_PROBLEM_AUTO,
                                           &target));
        specreg_table_free(t);
#define OTHER(header, cols, ...) small_table(ctx, "o", header, 1, cols, CELLS(__VA_ARGS__))
        assert_true(located(ctx, target, OTHER(false, 3, "1", "2", "3"), 0));
        /* two columns without names are the features alone, although the first is called x1 */
        assert_false(located(ctx, target, OTHER(false, 2, "1", "2"), 0));
        if (named) {
            assert_true(located(ctx, target, OTHER(true, 2, "a", "u", "1", "2"), 1));
            assert_false(located(ctx, target, OTHER(true, 3, "a", "b", "c", "1", "2", "3"), 0));
        } else
            assert_true(located(ctx, target, OTHER(true, 3, "a", "b", "c", "1", "2", "3"), 0));
        sri_target_free(target);
    }
}

TEST(target, classes_are_matched_by_text_and_by_value)
{
    sri_target *target = describe(ctx, 4, CELLS("-1", "1", "10", "9"), SRI_CLASSIFICATION);
    specreg_table *numbers =
        small_table(ctx, "n.csv", true, 4, 1, CELLS("y", "10", "1.0", "-1", "9"));
    specreg_table *texts =
        small_table(ctx, "t.csv", true, 4, 1, CELLS("y", "1.0", "-1", "10", "blue"));
    const int64_t column = 0;
    int32_t *classes;
    assert_ok(ctx, sri_target_classes(ctx, target, &(sri_rows){numbers, ALL, 4}, &column, false,
                                      &classes));
    const int32_t expected[] = {3, 1, 0, 2}; /* of -1 < 1 < 9 < 10 */
    assert_memory_equal(classes, expected, sizeof expected);
    free(classes);
    assert_fails(ctx,
                 sri_target_classes(ctx, target, &(sri_rows){texts, ALL, 4}, &column, false,
                                    &classes),
                 SPECREG_E_SHAPE, "t.csv:5: column 'y': class 'blue' was not seen in training");
    assert_null(classes);
    assert_ok(ctx,
              sri_target_classes(ctx, target, &(sri_rows){texts, ALL, 4}, &column, true, &classes));
    const int32_t with_unknown[] = {1, 0, 3, -1};
    assert_memory_equal(classes, with_unknown, sizeof with_unknown);
    free(classes);
    specreg_table_free(texts);
    specreg_table_free(numbers);
    numbers = small_table(ctx, "n.csv", true, 2, 1, CELLS("y", "2", ""));
    assert_fails(ctx,
                 sri_target_classes(ctx, target, &(sri_rows){numbers, ALL, 1}, &column, false,
                                    &classes),
                 SPECREG_E_SHAPE, "n.csv:2: column 'y': class '2' was not seen in training");
    assert_fails(ctx,
                 sri_target_classes(ctx, target, &(sri_rows){numbers, ALL + 1, 1}, &column, false,
                                    &classes),
                 SPECREG_E_NUMERIC, "n.csv:3: column 'y': value is missing (see --missing)");
    specreg_table_free(numbers);
    sri_target_free(target);
}

TEST(target, text_where_numbers_were_is_refused)
{
    sri_target *target = describe(ctx, 2, CELLS("1", "2"), SRI_REGRESSION);
    specreg_table *t = small_table(ctx, "t.csv", true, 1, 1, CELLS("x1", "a"));
    const int64_t column = 0;
    double *Y;
    assert_fails(ctx, sri_target_numbers(ctx, target, &(sri_rows){t, ALL, 1}, &column, &Y),
                 SPECREG_E_SHAPE, "t.csv: target 'x1' holds text, it held numbers in training");
    specreg_table_free(t);
    sri_target_free(target);
}
