/* heavyball (Landweber with momentum m, Polyak 1964):
 *     a_i = a_{i-1} + m (a_{i-1} - a_{i-2}) + tau (1 - s a_{i-1}),
 *     r_i = (1 + m - tau s) r_{i-1} - m r_{i-2},  r_0 = 1,  r_1 = 1 - tau s.
 * With Chebyshev's polynomials U of the second kind and z = (1 + m - tau s) / (2 sqrt m)
 *     r_t = m^(t/2) (U_t(z) - sqrt(m) U_{t-1}(z)).
 * For small s it is Landweber's iteration with the step tau / (1 - m). */
#include "filter/filter.h"

static sri_step recurrence(const sri_filter *self, int64_t i)
{
    return (sri_step){.u = i == 1 ? 0 : self->param[0], .w = self->step};
}

static double steps_for(const sri_filter *self, double lambda)
{
    return (1 - self->param[0]) / (lambda * self->step);
}

static double largest_step(const sri_filter *self)
{
    return 2 * (1 + self->param[0]);
}

static const sri_iteration iteration = {
    .recurrence = recurrence,
    .steps_for = steps_for,
    .largest_step = largest_step,
    .least_lambda = 1e-5,
    .krylov_growth = 6,
};

static const sri_param params[] = {
    {.name = "momentum", .value = 0.9, .least = 0, .most = 0.999},
};

static const sri_filter_about about = {
    .g = "(1-r)/s",
    .r = "m^(t/2) (U_t(z) - sqrt(m) U_(t-1)(z)), z = (1+m-tau s)/(2 sqrt m), U of Chebyshev",
    .qualification = "infinite",
    .lambda = "(1-m)/(tau t)",
    .bound_g = "1",
    .bound_sg = "2",
};

const sri_filter_ops sri_filter_heavyball = {
    .name = "heavyball",
    .about = &about,
    .params = params,
    .n_params = 1,
    .path = SRI_PATH_T,
    .eval = sri_iteration_eval,
    .iteration = &iteration,
    .smooth = true,
};
