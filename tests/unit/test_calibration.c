/* Probabilities from scores: the label's is the largest, rows sum to 1, slopes are those of a slow
 * search over the loss as it is written in docs/MATH.md. */
#include "record/record.h"

#include <float.h>
#include <math.h>

#include "coding/coding.h"
#include "kit/kit.h"

/* ------------------------------------------------------------------ the loss, slowly */

static double target_of(const int32_t *classes, const double *w, int64_t n, int64_t k, int64_t i,
                        int64_t c)
{
    double m = 0;
    for (int64_t j = 0; j < n; j++)
        m += classes[j] == classes[i] ? w[j] : 0;
    return c == classes[i] ? (m + 1) / (m + 2) : 1 / (m + 2) / (double)(k - 1);
}

/* Cross-entropy of smoothed targets and softmax(a s), over the rows that `only` wins (-1: all). */
static double loss(const double *s, const int32_t *classes, const double *w, int64_t n, int64_t k,
                   int only, double a)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const double *row = s + i * k;
        int64_t best = 0;
        long double all = 0;
        for (int64_t c = 0; c < k; c++)
            best = row[c] > row[best] ? c : best;
        if (only >= 0 && best != only)
            continue;
        for (int64_t c = 0; c < k; c++)
            all += expl(a * (row[c] - row[best]));
        for (int64_t c = 0; c < k; c++)
            sum -= w[i] * target_of(classes, w, n, k, i, c) *
                   (a * (row[c] - row[best]) - (double)logl(all));
    }
    return sum;
}

static double penalized(const double *s, const int32_t *classes, const double *w, int64_t n,
                        int64_t k, int only, double common, double a)
{
    const double d = common > 0 ? a / common - 1 : 0;
    return loss(s, classes, w, n, k, only, a) + 5 * d * d;
}

/* Golden section in log a. */
static double slow_slope(const double *s, const int32_t *classes, const double *w, int64_t n,
                         int64_t k, int only, double common)
{
    const double golden = (sqrt(5) - 1) / 2;
    double lo = log(1e-3), hi = log(1e3);
    while (hi - lo > 1e-7) {
        const double x = hi - golden * (hi - lo), y = lo + golden * (hi - lo);
        if (penalized(s, classes, w, n, k, only, common, exp(x)) <
            penalized(s, classes, w, n, k, only, common, exp(y)))
            hi = y;
        else
            lo = x;
    }
    return exp((lo + hi) / 2);
}

/* Scores that lean to the true class; two classes share one number. */
static double *leaning_scores(uint64_t seed, int64_t n, int64_t k, double lean, int32_t *classes)
{
    double *s = kit_normal(seed, n, k);
    for (int64_t i = 0; i < n; i++) {
        classes[i] = (int32_t)((i * i + i / 3) % k);
        s[i * k + classes[i]] += lean;
        if (k == 2) {
            s[2 * i] = (s[2 * i] - s[2 * i + 1]) / 2;
            s[2 * i + 1] = -s[2 * i];
        }
    }
    return s;
}

TEST(calibration, slopes_are_the_minimum_of_the_loss)
{
    enum { N = 80 };
    for (int64_t k = 2; k <= 4; k++)
        for (int weighted = 0; weighted < 2; weighted++) {
            int32_t classes[N];
            double *s = leaning_scores(3 + (uint64_t)k, N, k, 1, classes), w[N], raw[N], sum = 0;
            for (int i = 0; i < N; i++)
                sum += raw[i] = weighted ? 0.2 + i % 5 : 1;
            for (int i = 0; i < N; i++)
                w[i] = raw[i] * N / sum;
            sri_calibration got;
            CHECK_OK(ctx,
                     sri_calibration_fit(
                         ctx, &(sri_scored_rows){s, classes, weighted ? raw : NULL, N, k, {0, 0}},
                         &got));
            const double common = slow_slope(s, classes, w, N, k, -1, 0);
            CHECK_EQ(got.slopes, k == 2 ? 2 : 1);
            /* the slow search stops where the loss is flat to rounding: sqrt(eps), times ten */
            for (int i = 0; i < got.slopes; i++)
                CHECK_NEAR(got.slope[i],
                           k == 2 ? slow_slope(s, classes, w, N, k, i, common) : common,
                           10 * sqrt(DBL_EPSILON));
            free(s);
        }
}

TEST(calibration, a_weight_of_two_is_the_row_twice)
{
    enum { N = 60, K = 3 };
    int32_t classes[2 * N];
    double *s = leaning_scores(8, N, K, 1, classes), *twice = malloc(2 * N * K * sizeof *twice);
    double w[N];
    sri_calibration a, b;
    int64_t m = 0;
    int32_t both[2 * N];
    for (int i = 0; i < N; i++) {
        w[i] = 1 + i % 2;
        for (int r = 0; r < 1 + i % 2; r++, m++) {
            memcpy(twice + m * K, s + i * K, K * sizeof *s);
            both[m] = classes[i];
        }
    }
    /* weights have mean 1: only the smoothing of the targets sees the number of rows */
    CHECK_OK(ctx, sri_calibration_fit(ctx, &(sri_scored_rows){s, classes, w, N, K, {0, 0}}, &a));
    CHECK_OK(ctx,
             sri_calibration_fit(ctx, &(sri_scored_rows){twice, both, NULL, m, K, {0, 0}}, &b));
    CHECK_NEAR(a.slope[0], b.slope[0], 0.05);
    for (int i = 0; i < N; i++)
        w[i] = 7;
    CHECK_OK(ctx, sri_calibration_fit(ctx, &(sri_scored_rows){s, classes, w, N, K, {0, 0}}, &a));
    CHECK_OK(ctx, sri_calibration_fit(ctx, &(sri_scored_rows){s, classes, NULL, N, K, {0, 0}}, &b));
    CHECK_NEAR(a.slope[0], b.slope[0], kit_tolerance(N, 100));
    free(twice);
    free(s);
}

/* ------------------------------------------------------------------ probabilities */

static void check_rows(const sri_calibration *cal, const double *s, int64_t m, int64_t k)
{
    double *P = malloc((size_t)(m * k) * sizeof *P), *scores = malloc((size_t)k * sizeof *scores);
    const sri_coding ova = {.spec = {.ops = &sri_coding_ova},
                            .n_classes = k,
                            .width = k == 2 ? 1 : k};
    sri_calibration_apply(cal, s, m, k, P);
    for (int64_t i = 0; i < m; i++) {
        const double *p = P + i * k;
        double sum = 0;
        int64_t first = 0;
        for (int64_t c = 0; c < k; c++) {
            CHECK(p[c] > 0 && p[c] < 1);
            sum += p[c];
            first = p[c] > p[first] ? c : first;
        }
        CHECK_NEAR(sum, 1, 4 * (double)k * DBL_EPSILON);
        /* the label as predict finds it: from the outputs, by the coding */
        const double *outputs = k == 2 ? s + 2 * i + 1 : s + i * k;
        CHECK_EQ(first, sri_decode(&ova, outputs, scores));
    }
    free(scores);
    free(P);
}

TEST(calibration, the_label_is_the_most_probable_class)
{
    enum { M = 2000 };
    for (int64_t k = 2; k <= 5; k++)
        for (int steep = -2; steep <= 6; steep++) {
            const sri_calibration cal = {.slopes = k == 2 ? 2 : 1,
                                         .slope = {pow(10, steep), 0.3 * pow(10, -steep)}};
            double *s = kit_normal(70 + (uint64_t)k, M, k);
            for (int64_t i = 0; i < M; i++) {
                for (int64_t c = 0; c < k; c++) /* ties, near ties, tiny and large scores */
                    s[i * k + c] *= i % 4 == 0 ? 0 : i % 4 == 1 ? 1e-17 : i % 4 == 2 ? 1 : 1e4;
                if (i % 8 < 4)
                    s[i * k + k - 1] = s[i * k];
                if (k == 2)
                    s[2 * i] = -s[2 * i + 1];
            }
            check_rows(&cal, s, M, k);
            free(s);
        }
}

TEST(calibration, scores_that_are_no_numbers_give_even_probabilities)
{
    const sri_calibration two = {.slopes = 2, .slope = {1, 2}}, one = {.slopes = 1, .slope = {1}};
    const double odd2[] = {-NAN, NAN, -INFINITY, INFINITY, INFINITY, -INFINITY};
    const double odd3[] = {1, NAN, 2, INFINITY, INFINITY, 0, -INFINITY, 1, 1, 1e200, 0, 1e201};
    double p[3];
    check_rows(&two, odd2, 3, 2);
    check_rows(&one, odd3, 4, 3);
    sri_calibration_apply(&one, odd3, 1, 3, p);
    CHECK_NEAR(p[2], 1.0 / 3, 4 * DBL_EPSILON);
}

/* k classes of m rows each, the score 1 for the truth and -1 for the others: the loss is least
 * where the truth has the probability of its target, (m + 1) / (m + 2), so that
 * 2 a = log((k - 1) (m + 1)). */
TEST(calibration, separable_rows_give_the_finite_slope_of_a_formula)
{
    enum { ROWS = 15 };
    for (int64_t k = 2; k <= 4; k++) {
        const int64_t n = k * ROWS;
        double s[4 * 4 * ROWS];
        int32_t classes[4 * ROWS];
        sri_calibration cal;
        for (int64_t i = 0; i < n; i++) {
            classes[i] = (int32_t)(i % k);
            for (int64_t c = 0; c < k; c++)
                s[i * k + c] = c == i % k ? 1 : -1;
        }
        CHECK_OK(ctx, sri_calibration_fit(ctx, &(sri_scored_rows){s, classes, NULL, n, k, {0, 0}},
                                          &cal));
        for (int i = 0; i < cal.slopes; i++)
            CHECK_NEAR(cal.slope[i], log((double)(k - 1) * (ROWS + 1)) / 2, kit_tolerance(n, 10));
        check_rows(&cal, s, n, k);
    }
}

TEST(calibration, two_classes_have_the_slope_of_the_one_that_wins)
{
    const sri_calibration cal = {.slopes = 2, .slope = {0.5, 2}};
    const double s[] = {1, -1, -1, 1};
    double p[4];
    sri_calibration_apply(&cal, s, 2, 2, p);
    CHECK_NEAR(p[0], 1 / (1 + exp(-2 * 0.5)), 1e-11);
    CHECK_NEAR(p[3], 1 / (1 + exp(-2 * 2.0)), 1e-11);
}

TEST(calibration, scores_that_say_the_opposite_or_nothing_leave_the_label_alone)
{
    enum { N = 40 };
    int32_t classes[N];
    double *s = leaning_scores(5, N, 2, -3, classes);
    sri_calibration cal;
    CHECK_OK(ctx,
             sri_calibration_fit(ctx, &(sri_scored_rows){s, classes, NULL, N, 2, {0, 0}}, &cal));
    CHECK(cal.slopes == 2 && cal.slope[0] > 0 && cal.slope[1] > 0);
    check_rows(&cal, s, N, 2);
    memset(s, 0, 2 * N * sizeof *s);
    CHECK_OK(ctx,
             sri_calibration_fit(ctx, &(sri_scored_rows){s, classes, NULL, N, 2, {0, 0}}, &cal));
    CHECK(cal.slopes == 2 && cal.slope[0] > 0 && isfinite(cal.slope[0]));
    check_rows(&cal, s, N, 2);
    free(s);
}

TEST(calibration, rows_without_a_number_a_class_or_a_weight_are_left_out)
{
    enum { N = 40 };
    int32_t classes[N], fewer[N];
    double *s = leaning_scores(6, N, 2, 1, classes), *t = malloc(2 * N * sizeof *t), w[N];
    sri_calibration a, b;
    int64_t m = 0;
    for (int i = 0; i < N; i++) {
        w[i] = i % 7 == 3 ? 0 : 1;
        if (i % 7 >= 1 && i % 7 <= 3)
            continue;
        memcpy(t + 2 * m, s + 2 * i, 2 * sizeof *s);
        fewer[m++] = classes[i];
    }
    CHECK_OK(ctx, sri_calibration_fit(ctx, &(sri_scored_rows){t, fewer, NULL, m, 2, {0, 0}}, &b));
    for (int i = 0; i < N; i++) {
        if (i % 7 == 1)
            s[2 * i] = NAN;
        if (i % 7 == 2)
            classes[i] = -1;
    }
    CHECK_OK(ctx, sri_calibration_fit(ctx, &(sri_scored_rows){s, classes, w, N, 2, {0, 0}}, &a));
    CHECK_NEAR(a.slope[0], b.slope[0], kit_tolerance(N, 100));
    CHECK_NEAR(a.slope[1], b.slope[1], kit_tolerance(N, 100));
    for (int i = 0; i < N; i++)
        s[2 * i] = NAN;
    CHECK_OK(ctx, sri_calibration_fit(ctx, &(sri_scored_rows){s, classes, NULL, N, 2, {0, 0}}, &a));
    CHECK_EQ(a.slopes, 0);
    free(t);
    free(s);
}

TEST(calibration, one_class_alone_is_no_trouble)
{
    const double s[] = {-1, 1, -2, 2, 1, -1};
    const int32_t classes[] = {1, 1, 1};
    sri_calibration cal;
    CHECK_OK(ctx,
             sri_calibration_fit(ctx, &(sri_scored_rows){s, classes, NULL, 3, 2, {0, 0}}, &cal));
    CHECK(cal.slopes == 2 && isfinite(cal.slope[0]) && isfinite(cal.slope[1]));
    check_rows(&cal, s, 3, 2);
}

TEST(calibration, json_reads_back_and_nonsense_is_refused)
{
    const sri_calibration cal = {.slopes = 2, .slope = {0.1, 3}, .held_by = "loo"};
    sri_calibration back;
    json_t *json = sri_calibration_json(&cal);
    CHECK(sri_calibration_from_json(json, 2, &back));
    CHECK_SAME(back.slope[0], 0.1);
    CHECK_SAME(back.slope[1], 3);
    CHECK_STR(back.held_by, "loo");
    CHECK(!sri_calibration_from_json(json, 3, &back));
    CHECK(!sri_calibration_from_json(json, 0, &back));
    json_decref(json);
    static const char *const bad[] = {"{}",
                                      "{\"slopes\": [1, 2]}",
                                      "{\"slopes\": 1, \"held_by\": \"loo\"}",
                                      "{\"slopes\": [1, 0], \"held_by\": \"loo\"}",
                                      "{\"slopes\": [1, -1], \"held_by\": \"loo\"}",
                                      "{\"slopes\": [1, \"2\"], \"held_by\": \"loo\"}",
                                      "{\"slopes\": [1, 2, 3], \"held_by\": \"loo\"}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json = json_loads(bad[i], 0, NULL);
        CHECK(json && !sri_calibration_from_json(json, 2, &back));
        json_decref(json);
    }
}

/* Scores so far apart that 1 is lost beside them: the search for the shares once had no end. */
TEST(calibration, posteriors_of_scores_far_from_0_and_1)
{
    static const double s[][3] = {{1e17, 1e17, -1e17},     {3e20, -1e20, 0},
                                  {9e99, -9e99, 9e99},     {-1e60, -1e60, -1e60},
                                  {1e20, 1e20 - 16384, 0}, {0, 0, 0}};
    static const double wanted[][3] = {{.5, .5, 0}, {1, 0, 0},
                                       {.5, 0, .5}, {1. / 3, 1. / 3, 1. / 3},
                                       {1, 0, 0},   {1. / 3, 1. / 3, 1. / 3}};
    const double slopes[] = {1, 0.5, 1e300};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 3; j++) {
            const sri_calibration posterior = {.posterior = {slopes[j], 0.5}, .floor = 1e-6};
            double p[3];
            sri_calibration_apply(&posterior, s[i], 1, 3, p);
            for (int c = 0; c < 3; c++)
                CHECK_NEAR(p[c], (1 - 3e-6) * wanted[i][c] + 1e-6, 4 * DBL_EPSILON);
        }
}
