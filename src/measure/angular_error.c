/* Vector fields: the mean over the rows of the angle between (f, 1) and (y, 1), in degrees.  Rows
 * where a component of y is missing are left out; NaN without others. */
#include <math.h>

#include "measure/measure.h"

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

static bool is_complete(const double *y, int64_t T)
{
    for (int64_t t = 0; t < T; t++)
        if (isnan(y[t]))
            return false;
    return true;
}

static specreg_status value(specreg_context *ctx, const sri_comparison *p, double *degrees)
{
    (void)ctx;
    static const double DEGREES = 57.295779513082320877; /* 180 / pi */
    double sum = 0, weight = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double *y = sri_row_targets(p, i), v = sri_row_weight(p, i);
        if (!is_complete(y, p->T))
            continue;
        sum += v * angle_of(sri_row_outputs(p, i), y, p->T);
        weight += v;
    }
    *degrees = sum / weight * DEGREES;
    return SPECREG_OK;
}

const sri_measure sri_measure_angular_error = {
    .info = {.name = "angular_error", .title = "angular error", .unit = "degrees", .line = 1},
    .suits = SRI_SUITS_FIELDS,
    .reports = SRI_IN_TRAIN | SRI_IN_TEST | SRI_IN_FOLDS,
    .value = value,
};
