/* nu (accelerated Landweber): the three-term recurrence
 *     a_i = a_{i-1} + u_i (a_{i-1} - a_{i-2}) + w_i (1 - x a_{i-1}),   x = tau s in [0, 1],
 *     u_1 = 0,  u_i = (i-1)(2i-3)(2i+2nu-1) / ((i+2nu-1)(2i+4nu-1)(2i+2nu-3)),
 *     w_i = 4 (2i+2nu-1)(i+nu-1) / ((i+2nu-1)(2i+4nu-1)),
 * g = tau a_t, and r = 1 - s g obeys the same recurrence without the constant. */
#include <math.h>

#include "filter/filter.h"

static void coefficients(double nu, double i, double *u, double *w)
{
    const double common = (i + 2 * nu - 1) * (2 * i + 4 * nu - 1);
    *u =
        i == 1 ? 0 : (i - 1) * (2 * i - 3) * (2 * i + 2 * nu - 1) / (common * (2 * i + 2 * nu - 3));
    *w = 4 * (2 * i + 2 * nu - 1) * (i + nu - 1) / common;
}

static void eval(const sri_filter *self, double s, const double *t, int64_t count, double *g,
                 double *r)
{
    const double x = self->step * s < 1 ? self->step * s : 1; /* rounding may exceed 1 */
    double a = 0, a_before = 0, e = 1, e_before = 1;
    int64_t next = 0;
    for (double i = 1; next < count; i++) {
        double u, w;
        coefficients(self->param[0], i, &u, &w);
        const double a_new = a + u * (a - a_before) + w * (1 - x * a);
        const double e_new = e + u * (e - e_before) - w * x * e;
        a_before = a;
        e_before = e;
        a = a_new;
        e = e_new;
        while (next < count && t[next] <= i) {
            g[next] = self->step * a;
            r[next++] = e;
        }
    }
}

static void recurrence(const sri_filter *self, int64_t i, double *u, double *w)
{
    coefficients(self->param[0], (double)i, u, w);
    *w *= self->step;
}

static double steps_for(const sri_filter *self, double lambda)
{
    return sqrt(1 / (lambda * self->step));
}

/* It needs about the square root of Landweber's steps. */
static const sri_iteration iteration = {
    .recurrence = recurrence,
    .steps_for = steps_for,
    .largest_step = 1,
    .longest_path = 1e3,
    .krylov_growth = 10,
};

static const sri_param params[] = {
    {.name = "nu", .value = 1, .least = 0, .open = true},
};

const sri_filter_ops sri_filter_nu = {
    .name = "nu",
    .params = params,
    .n_params = 1,
    .path = SRI_PATH_T,
    .eval = eval,
    .eval_takes_steps = true,
    .iteration = &iteration,
    .smooth = true,
};
