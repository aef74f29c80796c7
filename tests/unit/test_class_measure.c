/* Measures of classifiers against values worked out by hand, and slow versions. */
#include <math.h>

#include "kit/kit.h"

#include "measure/curve.h"
#include "measure/confusion.h"
#include "measure/measure.h"

/* Truth a a a a b b b c c, said a a b c b b a b b; class d has no rows, and is never said. */
enum { N = 9, K = 4 };
static const int32_t TRUTH[N] = {0, 0, 0, 0, 1, 1, 1, 2, 2}, SAID[N] = {0, 0, 1, 2, 1, 1, 0, 1, 1};

/* The confusion of n rows, all with weight 1. */
static void count(const int32_t *truth, const int32_t *said, int64_t n, int64_t k, double *counts)
{
    int32_t label[N];
    memcpy(label, said, (size_t)n * sizeof *label);
    const sri_comparison p = {.truth = {.classes = truth}, .n = n, .n_classes = k, .label = label};
    sri_confusion(&p, counts);
}

TEST(class_measure, confusion_counts_pairs_of_truth_and_label)
{
    static const double expected[K * K] = {2, 1, 1, 0, 1, 2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0};
    double counts[K * K];
    count(TRUTH, SAID, N, K, counts);
    for (int i = 0; i < K * K; i++)
        CHECK_SAME(counts[i], expected[i]);
}

TEST(class_measure, precision_recall_and_f1_are_those_of_the_textbook)
{
    static const struct {
        double support, predicted, right, precision, recall, f1;
    } expected[K] = {{4, 3, 2, 2.0 / 3, 2.0 / 4, 4.0 / 7},
                     {3, 5, 2, 2.0 / 5, 2.0 / 3, 4.0 / 8},
                     {2, 1, 0, 0, 0, 0},
                     {0, 0, 0, NAN, NAN, NAN}};
    double counts[K * K];
    count(TRUTH, SAID, N, K, counts);
    for (int c = 0; c < K; c++) {
        const sri_class_measure m = sri_measure_class(counts, K, c);
        CHECK_SAME(m.support, expected[c].support);
        CHECK_SAME(m.predicted, expected[c].predicted);
        CHECK_SAME(m.right, expected[c].right);
        CHECK_SAME(m.precision, expected[c].precision);
        CHECK_SAME(m.recall, expected[c].recall);
        CHECK_SAME(m.f1, expected[c].f1);
    }
    /* the harmonic mean of the two, as it is usually written */
    const sri_class_measure a = sri_measure_class(counts, K, 0);
    CHECK_NEAR(a.f1, 2 * a.precision * a.recall / (a.precision + a.recall), 1e-15);
}

TEST(class_measure, macro_means_are_over_the_classes_that_have_rows)
{
    double counts[K * K];
    count(TRUTH, SAID, N, K, counts);
    sri_macro_measure m = sri_measure_macro(counts, K);
    CHECK_NEAR(m.precision, (2.0 / 3 + 2.0 / 5 + 0) / 3, 1e-15);
    CHECK_NEAR(m.recall, (2.0 / 4 + 2.0 / 3 + 0) / 3, 1e-15);
    CHECK_NEAR(m.f1, (4.0 / 7 + 4.0 / 8 + 0) / 3, 1e-15);
    /* a class that has rows and is never said has precision 0 there; one that is only said, none */
    const int32_t truth[] = {0, 1}, said[] = {0, 2};
    count(truth, said, 2, 3, counts);
    m = sri_measure_macro(counts, 3);
    CHECK_SAME(m.precision, 0.5);
    CHECK_SAME(m.recall, 0.5);
    CHECK_SAME(m.f1, 0.5);
    CHECK_SAME(sri_measure_class(counts, 3, 2).precision, 0);
    CHECK(isnan(sri_measure_class(counts, 3, 2).recall));
    count(truth, said, 0, 3, counts);
    CHECK(isnan(sri_measure_macro(counts, 3).recall));
}

/* Scores 3 1 2: the classes in order 0 2 1.  Equal scores: 0 1 2. */
TEST(class_measure, top_k_counts_the_rows_whose_class_is_further_down)
{
    double scores[] = {3, 1, 2, 3, 1, 2, 3, 1, 2, 7, 7, 7, 7, 7, 7, NAN, 1, 0};
    const int32_t truth[] = {0, 1, 2, 1, 2, 0};
    sri_comparison p = {.truth = {.classes = truth}, .n_classes = 3, .scores = scores};
    p.n = 3;
    CHECK_SAME(sri_top_error(&p, 1), 2.0 / 3);
    p.n = 3;
    CHECK_SAME(sri_top_error(&p, 2), 1.0 / 3);
    p.n = 3;
    CHECK_SAME(sri_top_error(&p, 3), 0);
    p.n = 5;
    CHECK_SAME(sri_top_error(&p, 2), 2.0 / 5);
    p.n = 6;
    CHECK_SAME(sri_top_error(&p, 3), 1.0 / 6); /* NaN is never among them */
}

TEST(class_measure, log_loss_is_the_mean_of_minus_log_p)
{
    double P[] = {0.5, 0.5, 0.25, 0.75, 1, 0};
    const int32_t truth[] = {0, 1, 0};
    const sri_comparison p = {.truth = {.classes = truth},
                              .n = 3,
                              .n_classes = 2,
                              .probability = P};
    double value;
    CHECK_OK(ctx, sri_measure_report(ctx, &sri_measure_log_loss, &p, &value));
    CHECK_NEAR(value, (log(2) - log(0.75)) / 3, 1e-15);
}

TEST(curve, of_very_many_points_keeps_its_ends_its_area_and_some_points_between)
{
    enum { MANY = 60000 };
    double *scores = kit_uniform(3, MANY, 2);
    int32_t *classes = malloc(MANY * sizeof *classes);
    sri_curve curve;
    double area;
    for (int i = 0; i < MANY; i++) {
        classes[i] = scores[2 * i + 1] > 0.3 + 0.4 * scores[2 * i];
        scores[2 * i] = -scores[2 * i + 1];
    }
    const sri_comparison p = {.truth = {NULL, classes, NULL},
                              .n = MANY,
                              .n_classes = 2,
                              .scores = scores};
    CHECK_OK(ctx, sri_curve_area(ctx, &p, 1, &area));
    CHECK_OK(ctx, sri_curve_make(ctx, &p, 1, false, &curve));
    CHECK_SAME(curve.area, area);
    CHECK(curve.count > 1000 && curve.count <= SRI_CURVE_POINTS);
    CHECK(isinf(curve.point[0].threshold) && curve.point[0].fpr == 0 && curve.point[0].tpr == 0);
    CHECK_SAME(curve.point[curve.count - 1].fpr, 1);
    CHECK_SAME(curve.point[curve.count - 1].tpr, 1);
    for (int64_t i = 1; i < curve.count; i++)
        CHECK(curve.point[i].threshold < curve.point[i - 1].threshold &&
              curve.point[i].fpr >= curve.point[i - 1].fpr &&
              curve.point[i].tpr >= curve.point[i - 1].tpr);
    sri_curve_free(&curve);
    free(classes);
    free(scores);
}
