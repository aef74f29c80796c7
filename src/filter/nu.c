/* nu (accelerated Landweber): the three-term recurrence
 *     a_i = a_{i-1} + u_i (a_{i-1} - a_{i-2}) + w_i (1 - x a_{i-1}),   x = tau s in [0, 1],
 *     u_1 = 0,  u_i = (i-1)(2i-3)(2i+2nu-1) / ((i+2nu-1)(2i+4nu-1)(2i+2nu-3)),
 *     w_i = 4 (2i+2nu-1)(i+nu-1) / ((i+2nu-1)(2i+4nu-1)),
 * g = tau a_t, and r = 1 - s g obeys the same recurrence without the constant. */
#include <math.h>

#include "filter/filter.h"

static sri_step recurrence(const sri_filter *self, int64_t step)
{
    const double nu = self->param[0], i = (double)step;
    const double common = (i + 2 * nu - 1) * (2 * i + 4 * nu - 1);
    const double u =
        i == 1 ? 0 : (i - 1) * (2 * i - 3) * (2 * i + 2 * nu - 1) / (common * (2 * i + 2 * nu - 3));
    const double w = 4 * (2 * i + 2 * nu - 1) * (i + nu - 1) / common;
    return (sri_step){.u = u, .w = self->step * w};
}

static double steps_for(const sri_filter *self, double lambda)
{
    return sqrt(1 / (lambda * self->step));
}

static double largest_step(const sri_filter *self)
{
    (void)self;
    return 1;
}

/* It needs about the square root of Landweber's steps. */
static const sri_iteration iteration = {
    .recurrence = recurrence,
    .steps_for = steps_for,
    .largest_step = largest_step,
    .least_lambda = 1e-6,
    .krylov_growth = 10,
};

static const sri_param params[] = {
    {.name = "nu", .value = 1, .least = 0, .open = true},
};

static const sri_filter_about about = {
    .g = "(1-r)/s",
    .r = "polynomial of degree t, by recurrence",
    .qualification = "nu",
    .lambda = "1/(tau t^2)",
    .bound_g = "2",
    .bound_sg = "2",
};

const sri_filter_ops sri_filter_nu = {
    .name = "nu",
    .about = &about,
    .params = params,
    .n_params = 1,
    .path = SRI_PATH_T,
    .eval = sri_iteration_eval,
    .iteration = &iteration,
    .smooth = true,
};
