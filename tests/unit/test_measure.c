/* Measures of error against hand-computed values and a slow obvious area. */
#include "small_table.h"

#include <float.h>

#include "core/rng.h"
#include "measure/errors.h"
#include "measure/columns.h"
#include "measure/curve.h"
#include "measure/measure.h"

static void assert_near(double got, double expected)
{
    if (!(fabs(got - expected) <= 8 * DBL_EPSILON * fabs(expected)))
        fail_msg("%.17g is not %.17g", got, expected);
}

/* Predictions F (n x T) of targets Y. */
static sri_comparison numbers(const double *F, const double *Y, int64_t n, int64_t T)
{
    return sri_compare(F, (sri_truth){.Y = Y}, n, T, NULL);
}

static sri_column_errors output(const double *F, const double *Y, int64_t n, int64_t T, int64_t t)
{
    const sri_comparison p = numbers(F, Y, n, T);
    return sri_errors_of_column(&p, t);
}

static sri_column_errors outputs(const double *F, const double *Y, int64_t n, int64_t T)
{
    const sri_comparison p = numbers(F, Y, n, T);
    return sri_errors_averaged(&p);
}

static double angle(const double *F, const double *Y, int64_t n, int64_t T)
{
    const sri_comparison p = numbers(F, Y, n, T);
    double degrees;
    assert_int_equal(sri_measure_angular_error.value(NULL, &p, &degrees), SPECREG_OK);
    return degrees;
}

/* Two classes with scores (-s, s): those of the second class are s. */
typedef struct two_classes {
    sri_comparison p;
    double *scores;
} two_classes;

static two_classes two(const double *score, const int32_t *classes, int64_t n)
{
    two_classes c = {.scores = malloc((size_t)(2 * n + 1) * sizeof *c.scores)};
    for (int64_t i = 0; i < n; i++) {
        c.scores[2 * i] = -score[i];
        c.scores[2 * i + 1] = score[i];
    }
    c.p =
        (sri_comparison){.truth = {.classes = classes}, .n = n, .n_classes = 2, .scores = c.scores};
    return c;
}

/* Of class 1; of class 0 the scores are the negative ones. */
static double area_of(specreg_context *ctx, const double *score, const int32_t *classes,
                      int32_t class, int64_t n)
{
    two_classes c = two(score, classes, n);
    double area;
    assert_ok(ctx, sri_curve_area(ctx, &c.p, class, &area));
    free(c.scores);
    return area;
}

static sri_curve curve_of(specreg_context *ctx, const double *score, const int32_t *classes,
                          int32_t class, int64_t n)
{
    two_classes c = two(score, classes, n);
    sri_curve curve;
    assert_ok(ctx, sri_curve_make(ctx, &c.p, class, false, &curve));
    free(c.scores);
    return curve;
}

/* Output 1 of two: y = 1 2 6 (variance 14/3), f = 2 2 4: errors 1 0 -2. */
TEST(measure, regression_measures_are_those_of_the_textbook)
{
    const double Y[] = {0, 1, 0, 2, 0, 6}, F[] = {1, 2, 1, 2, 1, 4};
    const sri_column_errors m = output(F, Y, 3, 2, 1);
    assert_near(m.mse, 5.0 / 3);
    assert_near(m.mae, 1);
    assert_near(m.r2, 1 - 5.0 / 14);
    const sri_column_errors all = outputs(F, Y, 3, 2);
    assert_near(all.mse, 8.0 / 6);
    assert_near(all.mae, 1);
    assert_near(all.r2, 1 - 5.0 / 14); /* output 0 is constant and has none */
    assert_true(isnan(output(F, Y, 3, 2, 0).r2));
    assert_true(isnan(output(F, Y, 0, 2, 0).mse));
}

/* Output 0 has y = 1 3 (f = 2 3), output 1 y = 1 2 6 as above: what is missing is not compared. */
TEST(measure, missing_targets_are_left_out)
{
    const double Y[] = {1, 1, NAN, 2, 3, 6}, F[] = {2, 2, 9, 2, 3, 4};
    const sri_column_errors m = output(F, Y, 3, 2, 0);
    assert_int_equal(m.n, 2);
    assert_near(m.mse, 0.5);
    assert_near(m.mae, 0.5);
    assert_near(m.r2, 0.5);
    const sri_column_errors all = outputs(F, Y, 3, 2);
    assert_int_equal(all.n, 5);
    assert_near(all.mse, 6.0 / 5); /* over the five values that are there */
    assert_near(all.mae, 4.0 / 5);
    assert_near(all.r2, (0.5 + 1 - 5.0 / 14) / 2);
    const double none[] = {NAN, NAN};
    assert_true(isnan(outputs(F, none, 2, 1).mse));
}

/* The same numbers times 1e200 or 1e-200: mse and mae scale, r2 does not; 1e400 is infinity. */
TEST(measure, regression_measures_survive_huge_and_tiny_numbers)
{
    const double scale[] = {1e150, 1e-150, 1e200, 1e-200, 1e307, 1e-310};
    for (int s = 0; s < 6; s++) {
        const double c = scale[s];
        const double Y[] = {1 * c, 2 * c, 6 * c}, F[] = {2 * c, 2 * c, 4 * c};
        const sri_column_errors m = output(F, Y, 3, 1, 0);
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
TEST(measure, angles_are_those_between_fields_with_a_one_behind)
{
    const double Y[] = {1, 0, 0, 0, 2, 3, 1e300, 0}, F[] = {0, 1, sqrt(3), 0, 2, 3, -1e300, 0};
    assert_near(angle(F, Y, 1, 2), 60);
    assert_near(angle(F + 2, Y + 2, 1, 2), 60);
    assert_true(angle(F + 4, Y + 4, 1, 2) == 0);
    assert_near(angle(F + 6, Y + 6, 1, 2), 180);
    assert_near(angle(F, Y, 4, 2), 300.0 / 4);
    assert_true(isnan(angle(F, Y, 0, 2)));
}

/* With one component, the difference of two arc tangents, also where arccos has lost all digits. */
TEST(measure, small_angles_keep_their_digits)
{
    const double tiny[] = {0.1, 1e-6, 1e-12, 1e-100}, zero = 0;
    for (int i = 0; i < 4; i++)
        assert_near(angle(&tiny[i], &zero, 1, 1), atan(tiny[i]) * 180 / acos(-1));
    const double gap = NAN;
    assert_true(isnan(angle(&gap, &zero, 1, 1)));
    assert_true(isnan(angle(&zero, &gap, 1, 1)));
}

/* A row that lacks a component has no direction: 60 degrees from the other row alone. */
TEST(measure, rows_that_lack_a_component_have_no_angle)
{
    const double Y[] = {1, NAN, 1, 0, NAN, 0}, F[] = {5, 5, 0, 1, 5, 5};
    assert_near(angle(F, Y, 3, 2), 60);
}

/* Positive scores 3, 2; negative 2, 1: pairs 3>2, 3>1, 2=2, 2>1 give 3.5 of 4. */
TEST(measure, auc_counts_pairs_and_half_of_ties)
{
    const double score[] = {2, 3, 1, 2, NAN};
    const int32_t classes[] = {1, 1, 0, 0, -1};
    const double other[] = {-2, -3, -1, -2};
    assert_true(area_of(ctx, score, classes, 1, 5) == 3.5 / 4);
    assert_true(area_of(ctx, score, classes, 0, 4) == 3.5 / 4); /* by its own scores */
    assert_true(area_of(ctx, other, classes, 0, 4) == 0.5 / 4);
    assert_true(isnan(area_of(ctx, score, classes, 1, 2)));
    assert_true(isnan(area_of(ctx, score, classes, 1, 0)));
}

TEST(measure, auc_equals_the_slow_count_of_pairs)
{
    enum { N = 200 };
    sri_rng rng = sri_rng_make(5, SRI_STREAM_TEST);
    double score[N], pairs = 0, total = 0;
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
    const double auc = area_of(ctx, score, classes, 1, N);
    assert_near(auc, pairs / total);
    /* and the trapezoids under the curve are the same area */
    sri_curve curve = curve_of(ctx, score, classes, 1, N);
    const sri_curve_point *p = curve.point;
    double area = 0;
    for (int64_t i = 1; i < curve.count; i++)
        area += (p[i].fpr - p[i - 1].fpr) * (p[i].tpr + p[i - 1].tpr) / 2;
    assert_true(fabs(area - auc) < 1e-14);
    assert_true(curve.area == auc);
    sri_curve_free(&curve);
}

TEST(measure, the_curve_has_a_point_per_distinct_score)
{
    const double score[] = {2, 3, 1, 2};
    const int32_t classes[] = {1, 1, 0, 0};
    sri_curve curve = curve_of(ctx, score, classes, 1, 4);
    const sri_curve_point expected[] = {{INFINITY, 0, 0}, {3, 0, 0.5}, {2, 0.5, 1}, {1, 1, 1}};
    assert_int_equal(curve.count, 4);
    assert_memory_equal(curve.point, expected, sizeof expected);
    sri_curve_free(&curve);
    const int32_t one_class[] = {0, 0, 0, 0};
    curve = curve_of(ctx, score, one_class, 1, 4);
    assert_int_equal(curve.count, 0);
    sri_curve_free(&curve);
}

/* Of three classes by falling score of the first: a a b b a c; hits go up twice, alarms right
 * twice, up once, right once: the corners of those. */
TEST(measure, corners_are_what_is_left_of_straight_lines)
{
    const double scores[] = {6, 0, 0, 5, 0, 0, 4, 0, 0, 3, 0, 0, 2, 0, 0, 1, 0, 0};
    const int32_t classes[] = {0, 0, 1, 1, 0, 2};
    double own[18];
    memcpy(own, scores, sizeof own);
    const sri_comparison p = {.truth = {.classes = classes}, .n = 6, .n_classes = 3, .scores = own};
    sri_curve curve;
    assert_ok(ctx, sri_curve_make(ctx, &p, 0, true, &curve));
    const sri_curve_point expected[] = {{INFINITY, 0, 0},
                                        {5, 0, 2 / 3.0},
                                        {3, 2 / 3.0, 2 / 3.0},
                                        {2, 2 / 3.0, 1},
                                        {1, 1, 1}};
    assert_int_equal(curve.count, 5);
    assert_memory_equal(curve.point, expected, sizeof expected);
    sri_curve_free(&curve);
}

/* Three classes: 3 a of which 2 are found, 2 b of which 1 is, 1 c which is taken for an a.  Counts
 * 2 1 0 / 1 1 0 / 1 0 0: F1 of a is 4/7, of b 1/2, of c 0; mcc is
 * (3*6 - (3*4 + 2*2)) / sqrt((36 - 20) (36 - 14)) = 2 / sqrt(352). */
TEST(measure, measures_of_labels_are_those_worked_out_by_hand)
{
    const int32_t classes[] = {0, 0, 0, 1, 1, 2};
    int32_t label[] = {0, 0, 1, 0, 1, 0};
    const sri_comparison p = {.truth = {.classes = classes},
                              .n = 6,
                              .n_classes = 3,
                              .label = label};
    const struct {
        const sri_measure *measure;
        double expected;
    } rows[] = {{&sri_measure_accuracy, 0.5},
                {&sri_measure_balanced_accuracy, (2 / 3.0 + 0.5) / 3},
                {&sri_measure_f1, (4 / 7.0 + 0.5) / 3},
                {&sri_measure_mcc, 2 / sqrt(352)}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value;
        assert_ok(ctx, sri_measure_report(ctx, rows[i].measure, &p, &value));
        assert_true(fabs(value - rows[i].expected) < 1e-15);
    }
}

TEST(measure, brier_is_of_the_second_of_two_classes_and_of_all_of_more)
{
    const int32_t classes[] = {0, 1};
    double two[] = {0.75, 0.25, 0.5, 0.5}, three[] = {0.5, 0.25, 0.25, 0, 0.5, 0.5}, value;
    sri_comparison p = {.truth = {.classes = classes}, .n = 2, .n_classes = 2, .probability = two};
    assert_ok(ctx, sri_measure_report(ctx, &sri_measure_brier, &p, &value));
    assert_true(value == (0.0625 + 0.25) / 2);
    p.n_classes = 3;
    p.probability = three;
    assert_ok(ctx, sri_measure_report(ctx, &sri_measure_brier, &p, &value));
    assert_true(value == (0.25 + 0.0625 + 0.0625 + 0.25 + 0.25) / 2);
}

/* Targets 2, 4 and 0 predicted by 3, 3 and 5: |d|/|y| is 1/2 and 1/4, the third is left out. */
TEST(measure, shares_of_the_target_leave_out_zero)
{
    const double Y[] = {2, 4, 0}, F[] = {3, 3, 5};
    double value;
    const sri_comparison p = sri_compare(F, (sri_truth){.Y = Y}, 3, 1, NULL);
    assert_ok(ctx, sri_measure_report(ctx, &sri_measure_mape, &p, &value));
    assert_true(value == 0.375);
    assert_ok(ctx, sri_measure_report(ctx, &sri_measure_rmse, &p, &value));
    assert_true(fabs(value - 3) < 1e-15);
}

/* The mean of 1, 2, 6 is 3, about which the squares are 4, 1, 9. */
TEST(measure, the_baseline_is_the_best_constant)
{
    const double Y[] = {1, 2, 6}, F[] = {1, 2, 6};
    sri_errors errors;
    const sri_errors_request request = {.report = SRI_IN_TRAIN};
    sri_comparison p = sri_compare(F, (sri_truth){.Y = Y}, 3, 1, NULL);
    assert_ok(ctx, sri_errors_make(ctx, &p, &request, &errors));
    assert_ptr_equal(errors.baseline.error[0].measure, &sri_measure_mse);
    assert_true(fabs(errors.baseline.error[0].value - 14 / 3.0) < 1e-15);
    sri_errors_free(&errors);
}
