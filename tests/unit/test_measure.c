/* Measures of error against hand-computed values and a slow obvious area. */
#include "small_table.h"

#include <float.h>

#include "core/rng.h"
#include "select/measure.h"

static void assert_near(double got, double expected)
{
    if (!(fabs(got - expected) <= 8 * DBL_EPSILON * fabs(expected)))
        fail_msg("%.17g is not %.17g", got, expected);
}

/* Output 1 of two: y = 1 2 6 (variance 14/3), f = 2 2 4: errors 1 0 -2. */
static void regression_measures_are_those_of_the_textbook(void **state)
{
    (void)state;
    const double Y[] = {0, 1, 0, 2, 0, 6}, F[] = {1, 2, 1, 2, 1, 4};
    const sri_regression_measure m = sri_measure_output(F, Y, 3, 2, 1);
    assert_near(m.mse, 5.0 / 3);
    assert_near(m.mae, 1);
    assert_near(m.r2, 1 - 5.0 / 14);
    const sri_regression_measure all = sri_measure_outputs(F, Y, 3, 2);
    assert_near(all.mse, 8.0 / 6);
    assert_near(all.mae, 1);
    assert_near(all.r2, 1 - 5.0 / 14); /* output 0 is constant and has none */
    assert_true(isnan(sri_measure_output(F, Y, 3, 2, 0).r2));
    assert_true(isnan(sri_measure_output(F, Y, 0, 2, 0).mse));
}

/* Output 0 has y = 1 3 (f = 2 3), output 1 y = 1 2 6 as above: what is missing is not compared. */
static void missing_targets_are_left_out(void **state)
{
    (void)state;
    const double Y[] = {1, 1, NAN, 2, 3, 6}, F[] = {2, 2, 9, 2, 3, 4};
    const sri_regression_measure m = sri_measure_output(F, Y, 3, 2, 0);
    assert_int_equal(m.n, 2);
    assert_near(m.mse, 0.5);
    assert_near(m.mae, 0.5);
    assert_near(m.r2, 0.5);
    const sri_regression_measure all = sri_measure_outputs(F, Y, 3, 2);
    assert_int_equal(all.n, 5);
    assert_near(all.mse, 6.0 / 5); /* over the five values that are there */
    assert_near(all.mae, 4.0 / 5);
    assert_near(all.r2, (0.5 + 1 - 5.0 / 14) / 2);
    const double none[] = {NAN, NAN};
    assert_true(isnan(sri_measure_outputs(F, none, 2, 1).mse));
}

/* The same numbers times 1e200 or 1e-200: mse and mae scale, r2 does not; 1e400 is infinity. */
static void regression_measures_survive_huge_and_tiny_numbers(void **state)
{
    (void)state;
    const double scale[] = {1e150, 1e-150, 1e200, 1e-200, 1e307, 1e-310};
    for (int s = 0; s < 6; s++) {
        const double c = scale[s];
        const double Y[] = {1 * c, 2 * c, 6 * c}, F[] = {2 * c, 2 * c, 4 * c};
        const sri_regression_measure m = sri_measure_output(F, Y, 3, 1, 0);
        if (s < 2)
            assert_near(m.mse, 5.0 / 3 * c * c);
        else
            assert_true(m.mse == (c > 1 ? INFINITY : 0));
        assert_true(fabs(m.mae / c - 1) < (s == 5 ? 1e-12 : 1e-15));
        assert_true(fabs(m.r2 - (1 - 5.0 / 14)) < (s == 5 ? 1e-12 : 1e-15));
    }
}

/* (1, 0) and (0, 1) with a 1 behind: product 1/2 of unit vectors, 60 degrees; (0, 0) and
 * (sqrt 3, 0): also 60; opposite and very long: 180. */
static void angles_are_those_between_fields_with_a_one_behind(void **state)
{
    (void)state;
    const double Y[] = {1, 0, 0, 0, 2, 3, 1e300, 0}, F[] = {0, 1, sqrt(3), 0, 2, 3, -1e300, 0};
    assert_near(sri_measure_angle(F, Y, 1, 2), 60);
    assert_near(sri_measure_angle(F + 2, Y + 2, 1, 2), 60);
    assert_true(sri_measure_angle(F + 4, Y + 4, 1, 2) == 0);
    assert_near(sri_measure_angle(F + 6, Y + 6, 1, 2), 180);
    assert_near(sri_measure_angle(F, Y, 4, 2), 300.0 / 4);
    assert_true(isnan(sri_measure_angle(F, Y, 0, 2)));
}

/* With one component, the difference of two arc tangents, also where arccos has lost all digits. */
static void small_angles_keep_their_digits(void **state)
{
    (void)state;
    const double tiny[] = {0.1, 1e-6, 1e-12, 1e-100}, zero = 0;
    for (int i = 0; i < 4; i++)
        assert_near(sri_measure_angle(&tiny[i], &zero, 1, 1), atan(tiny[i]) * 180 / acos(-1));
    const double gap = NAN;
    assert_true(isnan(sri_measure_angle(&gap, &zero, 1, 1)));
    assert_true(isnan(sri_measure_angle(&zero, &gap, 1, 1)));
}

/* A row that lacks a component has no direction: 60 degrees from the other row alone. */
static void rows_that_lack_a_component_have_no_angle(void **state)
{
    (void)state;
    const double Y[] = {1, NAN, 1, 0, NAN, 0}, F[] = {5, 5, 0, 1, 5, 5};
    assert_near(sri_measure_angle(F, Y, 3, 2), 60);
}

/* Positive scores 3, 2; negative 2, 1: pairs 3>2, 3>1, 2=2, 2>1 give 3.5 of 4. */
static void auc_counts_pairs_and_half_of_ties(void **state)
{
    specreg_context *ctx = *state;
    const double score[] = {2, 3, 1, 2, NAN};
    const int32_t classes[] = {1, 1, 0, 0, -1};
    double auc;
    assert_ok(ctx, sri_measure_auc(ctx, score, classes, NULL, 1, 5, &auc));
    assert_true(auc == 3.5 / 4);
    assert_ok(ctx, sri_measure_auc(ctx, score, classes, NULL, 0, 4, &auc));
    assert_true(auc == 0.5 / 4);
    assert_ok(ctx, sri_measure_auc(ctx, score, classes, NULL, 1, 2, &auc));
    assert_true(isnan(auc));
    assert_ok(ctx, sri_measure_auc(ctx, score, classes, NULL, 1, 0, &auc));
    assert_true(isnan(auc));
}

static void auc_equals_the_slow_count_of_pairs(void **state)
{
    specreg_context *ctx = *state;
    enum { N = 200 };
    sri_rng rng = sri_rng_make(5, SRI_STREAM_TEST);
    double score[N], auc, pairs = 0, total = 0;
    int32_t classes[N];
    for (int i = 0; i < N; i++) {
        classes[i] = (int32_t)sri_rng_below(&rng, 2);
        score[i] = (double)sri_rng_below(&rng, 40) / 7 + classes[i]; /* many ties */
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (classes[i] == 1 && classes[j] == 0) {
                pairs += score[i] > score[j] ? 1 : score[i] == score[j] ? 0.5 : 0;
                total++;
            }
    assert_ok(ctx, sri_measure_auc(ctx, score, classes, NULL, 1, N, &auc));
    assert_near(auc, pairs / total);
    /* and the trapezoids under the curve are the same area */
    sri_roc_point *p;
    int64_t count;
    double area = 0;
    assert_ok(ctx, sri_measure_roc(ctx, score, classes, 1, N, &p, &count));
    for (int64_t i = 1; i < count; i++)
        area += (p[i].fpr - p[i - 1].fpr) * (p[i].tpr + p[i - 1].tpr) / 2;
    assert_true(fabs(area - auc) < 1e-14);
    free(p);
}

static void the_curve_has_a_point_per_distinct_score(void **state)
{
    specreg_context *ctx = *state;
    const double score[] = {2, 3, 1, 2};
    const int32_t classes[] = {1, 1, 0, 0};
    sri_roc_point *p;
    int64_t count;
    assert_ok(ctx, sri_measure_roc(ctx, score, classes, 1, 4, &p, &count));
    const sri_roc_point expected[] = {{INFINITY, 0, 0}, {3, 0, 0.5}, {2, 0.5, 1}, {1, 1, 1}};
    assert_int_equal(count, 4);
    assert_memory_equal(p, expected, sizeof expected);
    free(p);
    assert_ok(ctx, sri_measure_roc(ctx, score, classes, 7, 4, &p, &count));
    assert_int_equal(count, 0);
    free(p);
}

#define UNIT(name) cmocka_unit_test_setup_teardown(name, context_setup, context_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT(regression_measures_are_those_of_the_textbook),
        UNIT(missing_targets_are_left_out),
        UNIT(regression_measures_survive_huge_and_tiny_numbers),
        UNIT(angles_are_those_between_fields_with_a_one_behind),
        UNIT(small_angles_keep_their_digits),
        UNIT(rows_that_lack_a_component_have_no_angle),
        UNIT(auc_counts_pairs_and_half_of_ties),
        UNIT(auc_equals_the_slow_count_of_pairs),
        UNIT(the_curve_has_a_point_per_distinct_score),
    };
    return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
