/* landweber (L2 boosting): alpha_i = alpha_{i-1} + (tau_i/n)(y - K alpha_{i-1}), t times from 0,
 * with the step tau_i = tau i^-theta.  With theta = 0 it is constant:
 *     r = (1 - tau s)^t, g = (1 - r)/s, g(0) = t tau. */
#include <math.h>

#include "filter/filter.h"

static bool is_constant(const sri_filter *self)
{
    return self->param[0] == 0;
}

static void eval(const sri_filter *self, double s, const double *t, int64_t count, double *g,
                 double *r)
{
    const double x = self->step * s;
    if (!is_constant(self)) {
        sri_iteration_eval(self, s, t, count, g, r);
        return;
    }
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

static sri_step recurrence(const sri_filter *self, int64_t i)
{
    const double shorter = is_constant(self) ? 1 : pow((double)i, -self->param[0]);
    return (sri_step){.w = self->step * shorter};
}

/* The sum of the steps, tau t^(1-theta) / (1-theta), is 1 / lambda. */
static double steps_for(const sri_filter *self, double lambda)
{
    const double rest = 1 - self->param[0];
    return pow(rest / (lambda * self->step), 1 / rest);
}

static double largest_step(const sri_filter *self)
{
    (void)self;
    return 2;
}

static const sri_iteration iteration = {
    .recurrence = recurrence,
    .steps_for = steps_for,
    .largest_step = largest_step,
    .has_formula = is_constant,
    .least_lambda = 1e-5,
    .krylov_growth = 4,
};

static const sri_param params[] = {
    {.name = "theta", .value = 0, .least = 0, .most = 0.99},
};

static const sri_filter_about about = {
    .g = "(1-r)/s",
    .r = "prod_i (1-tau i^-theta s), (1-tau s)^t for theta = 0",
    .qualification = "infinite",
    .lambda = "(1-theta)/(tau t^(1-theta))",
    .bound_g = "1 (theta = 0)",
    .bound_sg = "2, 1 for tau s <= 1",
};

const sri_filter_ops sri_filter_landweber = {
    .name = "landweber",
    .about = &about,
    .params = params,
    .n_params = 1,
    .path = SRI_PATH_T,
    .eval = eval,
    .iteration = &iteration,
    .smooth = true,
};
