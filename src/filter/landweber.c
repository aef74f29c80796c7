/* landweber (L2 boosting): alpha_i = alpha_{i-1} + (tau/n)(y - K alpha_{i-1}), t times from 0:
 * r = (1 - tau s)^t, g = (1 - r)/s, g(0) = t tau. */
#include <math.h>

#include "filter/filter.h"

static void eval(const sri_filter *self, double s, const double *t, int64_t count, double *g,
                 double *r)
{
    const double x = self->step * s;
    for (int64_t i = 0; i < count; i++) {
        if (x < 0.5) { /* 1 - (1-x)^t cancels for small x */
            const double e = t[i] * log1p(-x);
            r[i] = exp(e);
            g[i] = s > 0 ? -expm1(e) / s : t[i] * self->step;
        } else {
            r[i] = pow(1 - x, t[i]);
            g[i] = (1 - r[i]) / s;
        }
    }
}

static void recurrence(const sri_filter *self, int64_t i, double *u, double *w)
{
    (void)i;
    *u = 0;
    *w = self->step;
}

static double steps_for(const sri_filter *self, double lambda)
{
    return 1 / (lambda * self->step);
}

static const sri_iteration iteration = {
    .recurrence = recurrence,
    .steps_for = steps_for,
    .largest_step = 2,
    .longest_path = 1e5,
    .krylov_growth = 4,
};

const sri_filter_ops sri_filter_landweber = {
    .name = "landweber",
    .path = SRI_PATH_T,
    .eval = eval,
    .iteration = &iteration,
    .smooth = true,
};
