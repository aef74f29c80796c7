/* nesterov: a step of Landweber from a point that lies ahead,
 *     z = a_{i-1} + u_i (a_{i-1} - a_{i-2}),  a_i = z + tau (1 - s z),   u_i = (i-2)/(i-1+beta),
 *     r_i = (1 - tau s) (r_{i-1} + u_i (r_{i-1} - r_{i-2})),  u_1 = 0,  r_0 = 1.
 * With x = tau s in [0, 1] and Gegenbauer's polynomials C of order (beta+1)/2 (Kindermann 2021)
 *     r_t = (1-x)^((t+1)/2) C_{t-1}(sqrt(1-x)) / C_{t-1}(1). */
#include <math.h>

#include "filter/filter.h"

static sri_step recurrence(const sri_filter *self, int64_t i)
{
    const double u = i > 2 ? (double)(i - 2) / ((double)(i - 1) + self->param[0]) : 0;
    return (sri_step){.u = u, .w = self->step, .v = u};
}

static double steps_for(const sri_filter *self, double lambda)
{
    return sqrt(1 / (lambda * self->step));
}

/* With u = 1, its limit, the roots of z^2 - 2 (1-x) z + (1-x) leave the unit disk at x = 4/3. */
static double largest_step(const sri_filter *self)
{
    (void)self;
    return 4.0 / 3;
}

static const sri_iteration iteration = {
    .recurrence = recurrence,
    .looks_ahead = true,
    .steps_for = steps_for,
    .largest_step = largest_step,
    .least_lambda = 1e-6,
    .krylov_growth = 10,
};

static const sri_param params[] = {
    {.name = "beta", .value = 2, .least = 0, .open = true},
};

static const sri_filter_about about = {
    .g = "(1-r)/s",
    .r = "(1-x)^((t+1)/2) C_(t-1)(sqrt(1-x)) / C_(t-1)(1), x = tau s, C of Gegenbauer, order "
         "(beta+1)/2",
    .qualification = "(beta+1)/4",
    .lambda = "1/(tau t^2)",
    .bound_g = "1",
    .bound_sg = "2",
};

const sri_filter_ops sri_filter_nesterov = {
    .name = "nesterov",
    .about = &about,
    .params = params,
    .n_params = 1,
    .path = SRI_PATH_T,
    .eval = sri_iteration_eval,
    .iteration = &iteration,
    .smooth = true,
};
