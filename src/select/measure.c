#include "select/measure.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/memory.h"

/* Sums of squares are formed from values times 2^-e, with 2^e just above the largest magnitude, so
 * that they overflow or vanish only where the result itself does.  (An e
 * below -1022 would make 2^-e overflow.) */
static int exponent_of(double largest)
{
    int e = 0;
    if (isfinite(largest) && largest > 0)
        frexp(largest, &e);
    return e < -1022 ? -1022 : e;
}

sri_regression_measure sri_measure_output(const double *F, const double *Y, int64_t n, int64_t T,
                                          int64_t t)
{
    sri_regression_measure m = {NAN, NAN, NAN, 0};
    double largest_d = 0, largest_y = 0, low = INFINITY, high = -INFINITY;
    for (int64_t i = t; i < n * T; i += T) {
        if (isnan(Y[i]))
            continue;
        m.n++;
        largest_d = fmax(largest_d, fabs(F[i] - Y[i]));
        largest_y = fmax(largest_y, fabs(Y[i]));
        low = fmin(low, Y[i]);
        high = fmax(high, Y[i]);
    }
    if (m.n == 0)
        return m;
    const int ed = exponent_of(largest_d), ey = exponent_of(largest_y);
    const double unit_d = ldexp(1, -ed), unit_y = ldexp(1, -ey);
    double square = 0, absolute = 0, mean = 0, variance = 0;
    for (int64_t i = t; i < n * T; i += T) {
        if (isnan(Y[i]))
            continue;
        const double d = (F[i] - Y[i]) * unit_d;
        square += d * d;
        absolute += fabs(d);
        mean += Y[i] * unit_y;
    }
    square /= (double)m.n;
    mean /= (double)m.n;
    for (int64_t i = t; i < n * T; i += T) {
        const double d = isnan(Y[i]) ? 0 : Y[i] * unit_y - mean;
        variance += d * d;
    }
    variance /= (double)m.n;
    m.mse = ldexp(square, 2 * ed);
    m.mae = ldexp(absolute / (double)m.n, ed);
    if (low < high)
        m.r2 = 1 - ldexp(square / variance, 2 * (ed - ey));
    return m;
}

sri_regression_measure sri_measure_outputs(const double *F, const double *Y, int64_t n, int64_t T)
{
    sri_regression_measure sum = {0, 0, 0, 0};
    int64_t varying = 0;
    for (int64_t k = 0; k < n * T; k++)
        sum.n += !isnan(Y[k]);
    for (int64_t t = 0; t < T; t++) {
        const sri_regression_measure m = sri_measure_output(F, Y, n, T, t);
        if (m.n == 0)
            continue;
        sum.mse += m.mse * ((double)m.n / (double)sum.n);
        sum.mae += m.mae * ((double)m.n / (double)sum.n);
        if (!isnan(m.r2)) {
            sum.r2 += m.r2;
            varying++;
        }
    }
    sum.r2 = varying ? sum.r2 / (double)varying : NAN;
    if (sum.n == 0)
        sum.mse = sum.mae = NAN;
    return sum;
}

/* The length of (v, 1) / most, most at least the largest of |v_t| and 1. */
static double length_of(const double *v, int64_t T, double most)
{
    double sum = 1 / most / most;
    for (int64_t t = 0; t < T; t++)
        sum += v[t] / most * (v[t] / most);
    return sqrt(sum);
}

/* 2 atan(|a - b| / |a + b|) of the unit vectors along (f, 1) and (y, 1): arccos of their product,
 * but exact also for small angles. */
static double angle_of(const double *f, const double *y, int64_t T)
{
    double most_f = 1, most_y = 1, apart = 0, along = 0;
    for (int64_t t = 0; t < T; t++) {
        if (isnan(f[t]) || isnan(y[t]))
            return NAN;
        most_f = fmax(most_f, fabs(f[t]));
        most_y = fmax(most_y, fabs(y[t]));
    }
    const double length_f = length_of(f, T, most_f), length_y = length_of(y, T, most_y);
    for (int64_t t = 0; t <= T; t++) {
        const double a = (t < T ? f[t] : 1) / most_f / length_f;
        const double b = (t < T ? y[t] : 1) / most_y / length_y;
        apart += (a - b) * (a - b);
        along += (a + b) * (a + b);
    }
    return 2 * atan2(sqrt(apart), sqrt(along));
}

double sri_measure_angle(const double *F, const double *Y, int64_t n, int64_t T)
{
    static const double DEGREES = 57.295779513082320877; /* 180 / pi */
    double sum = 0;
    int64_t rows = 0;
    for (int64_t i = 0; i < n; i++) {
        bool whole = true;
        for (int64_t t = 0; t < T; t++)
            whole = whole && !isnan(Y[i * T + t]);
        if (whole)
            sum += angle_of(F + i * T, Y + i * T, T);
        rows += whole;
    }
    return rows > 0 ? sum / (double)rows * DEGREES : NAN;
}

typedef struct scored {
    double score, weight;
    bool positive;
} scored;

static int falling(const void *a, const void *b)
{
    const double x = ((const scored *)a)->score, y = ((const scored *)b)->score;
    return (x < y) - (x > y);
}

/* The rows of known class by falling score, and how many are positive.  *sorted is NULL where the
 * curve is not defined: one class only, or a score that is NaN. */
static specreg_status sort_scores(specreg_context *ctx, const double *score, const int32_t *classes,
                                  const double *weight, int32_t positive, int64_t n,
                                  scored **sorted, int64_t *count, int64_t *n_positive)
{
    specreg_status st = SPECREG_OK;
    scored *list = NULL;
    bool defined = true;
    *sorted = NULL;
    *count = *n_positive = 0;
    SRI_ALLOC(ctx, list, n, 1);
    for (int64_t i = 0; i < n; i++) {
        if (classes[i] < 0)
            continue;
        defined = defined && !isnan(score[i]);
        list[(*count)++] = (scored){score[i], weight ? weight[i] : 1, classes[i] == positive};
        *n_positive += classes[i] == positive;
    }
    if (!defined || *n_positive == 0 || *n_positive == *count)
        goto done;
    qsort(list, (size_t)*count, sizeof *list, falling);
    *sorted = list;
    list = NULL;
done:
    free(list);
    return st;
}

/* One step along the curve: past all rows of the next score; adds their weights. */
static int64_t next_score(const scored *list, int64_t count, int64_t from, double *hits,
                          double *alarms)
{
    int64_t i = from;
    for (; i < count && list[i].score == list[from].score; i++)
        *(list[i].positive ? hits : alarms) += list[i].weight;
    return i;
}

/* The area is the share of (positive, negative) pairs in the right order, a tie counting half:
 * summed over the distinct scores, falling, alarms there * (hits before + half the hits there). */
specreg_status sri_measure_auc(specreg_context *ctx, const double *score, const int32_t *classes,
                               const double *weight, int32_t positive, int64_t n, double *auc)
{
    scored *list = NULL;
    int64_t count, n_positive;
    double pairs = 0, hits = 0, alarms = 0;
    *auc = NAN;
    const specreg_status st =
        sort_scores(ctx, score, classes, weight, positive, n, &list, &count, &n_positive);
    if (!list)
        return st;
    for (int64_t i = 0; i < count;) {
        const double hits_before = hits, alarms_before = alarms;
        i = next_score(list, count, i, &hits, &alarms);
        pairs += (alarms - alarms_before) * 0.5 * (hits_before + hits);
    }
    *auc = pairs / (hits * alarms);
    free(list);
    return st;
}

specreg_status sri_measure_roc(specreg_context *ctx, const double *score, const int32_t *classes,
                               int32_t positive, int64_t n, sri_roc_point **points, int64_t *count)
{
    specreg_status st = SPECREG_OK;
    scored *list = NULL;
    int64_t rows, n_positive;
    double hits = 0, alarms = 0;
    *points = NULL;
    *count = 0;
    SRI_TRY(sort_scores(ctx, score, classes, NULL, positive, n, &list, &rows, &n_positive));
    SRI_ALLOC(ctx, *points, rows + 1, 1);
    if (!list)
        goto done;
    (*points)[(*count)++] = (sri_roc_point){INFINITY, 0, 0};
    for (int64_t i = 0; i < rows;) {
        const double threshold = list[i].score;
        i = next_score(list, rows, i, &hits, &alarms);
        (*points)[(*count)++] = (sri_roc_point){threshold, alarms / (double)(rows - n_positive),
                                                hits / (double)n_positive};
    }
done:
    free(list);
    return st;
}
