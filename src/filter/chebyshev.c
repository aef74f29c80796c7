/* chebyshev (semi-iteration): of all polynomials of degree t with r(0) = 1 the one that is smallest
 * where x = tau s lies between l and 1,
 *     r_t = T_t((1 + l - 2x) / (1 - l)) / T_t((1 + l) / (1 - l)).
 * With q = (1 - sqrt l) / (1 + sqrt l) and p_i = T_{i-1}/T_i at x = 0,
 *     p_i = q (1 + q^(2i-2)) / (1 + q^(2i)),
 *     a_i = a_{i-1} + p_i p_{i-1} (a_{i-1} - a_{i-2}) + 4 p_i / (1 - l) (1 - x a_{i-1}),  i > 1,
 * and a_1 = 2 / (1 + l).  For s below l / tau it is Landweber's iteration with the step
 * tau / sqrt(l). */
#include <math.h>

#include "filter/filter.h"

/* T_{i-1} / T_i at x = 0.  The powers are at most exp(-4 (i-1) sqrt l): soon they are lost in 1. */
static double ratio(double l, int64_t i)
{
    const double root = sqrt(l), q = (1 - root) / (1 + root);
    if (4 * (double)(i - 1) * root > 40)
        return q;
    return q * (1 + pow(q, 2 * (double)i - 2)) / (1 + pow(q, 2 * (double)i));
}

static sri_step recurrence(const sri_filter *self, int64_t i)
{
    const double l = self->param[0];
    if (i == 1)
        return (sri_step){.w = self->step * 2 / (1 + l)};
    const double p = ratio(l, i);
    return (sri_step){.u = p * ratio(l, i - 1), .w = self->step * 4 * p / (1 - l)};
}

static double steps_for(const sri_filter *self, double lambda)
{
    return sqrt(self->param[0]) / (lambda * self->step);
}

/* The polynomial is even or odd about the middle of [l, 1]: it is at most 1 up to 1 + l. */
static double largest_step(const sri_filter *self)
{
    return 1 + self->param[0];
}

static const sri_iteration iteration = {
    .recurrence = recurrence,
    .steps_for = steps_for,
    .largest_step = largest_step,
    .least_lambda = 1e-5,
    .krylov_growth = 6,
};

static const sri_param params[] = {
    {.name = "lower", .value = 0.01, .least = 0, .open = true, .most = 0.99},
};

static const sri_filter_about about = {
    .g = "(1-r)/s",
    .r = "T_t((1+l-2 tau s)/(1-l)) / T_t((1+l)/(1-l)), T of Chebyshev",
    .qualification = "infinite",
    .lambda = "sqrt(l)/(tau t)",
    .bound_g = "1",
    .bound_sg = "2",
};

const sri_filter_ops sri_filter_chebyshev = {
    .name = "chebyshev",
    .about = &about,
    .params = params,
    .n_params = 1,
    .path = SRI_PATH_T,
    .eval = sri_iteration_eval,
    .iteration = &iteration,
    .smooth = true,
};
