/* heavyball (Landweber with momentum m, Polyak 1964):
 *     a_i = a_{i-1} + m (a_{i-1} - a_{i-2}) + tau (1 - s a_{i-1}),
 *     r_i = (1 + m - tau s) r_{i-1} - m r_{i-2},  r_0 = 1,  r_1 = 1 - tau s.
 * With Chebyshev's polynomials U of the second kind and z = (1 + m - tau s) / (2 sqrt m)
 *     r_t = m^(t/2) (U_t(z) - sqrt(m) U_{t-1}(z)).
 * For small s it is Landweber's iteration with the step tau / (1 - m).
 *
 * With x = tau s and h = (1+m-x)/2 the roots of the recurrence are R = h +- sqrt(h^2 - m); they are
 * complex for (1 - sqrt m)^2 < x < (1 + sqrt m)^2, and
 *     r_t = S_t - m S_{t-1},   S_t = (R_1^(t+1) - R_2^(t+1)) / (R_1 - R_2) = m^(t/2) U_t(z). */
#include <math.h>

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

/* Up to so many steps the recurrence itself is used.  Beyond them (sqrt m)^t is below e^-4, so that
 * 1 - r is not small unless the roots lie apart. */
static double first_by_formula(double m)
{
    return 4 / (1 - sqrt(m));
}

/* The roots of the recurrence at one s: real ones by their sizes, which both have the sign of h. */
typedef struct roots {
    double m, x;
    double gap;      /* h^2 - m                                     */
    double d;        /* its root, or that of its negative           */
    double R, angle; /* real: the larger size, asinh(d / sqrt m)
                      * complex: sqrt m, the angle, from pi if h < 0 */
    bool negative;   /* h < 0 */
} roots;

static roots roots_at(double m, double x)
{
    const double root = sqrt(m), h = (1 + m - x) / 2;
    roots at = {.m = m, .x = x, .negative = h < 0};
    at.gap = ((1 - root) * (1 - root) - x) * ((1 + root) * (1 + root) - x) / 4;
    at.d = sqrt(fabs(at.gap));
    at.R = at.gap < 0 ? root : fabs(h) + at.d;
    at.angle = at.gap < 0 ? atan2(at.d, fabs(h)) : m > 0 ? asinh(at.d / root) : INFINITY;
    return at;
}

/* S_t without its sign, (-1)^t where h < 0. */
static double sum_of_powers(const roots *at, double t)
{
    if (at->d == 0)
        return (t + 1) * pow(at->R, t);
    if (at->gap < 0)
        return pow(at->R, t + 1) * sin((t + 1) * at->angle) / at->d;
    /* Near a double root d is known to few digits: R = sqrt(m) e^angle has the same error. */
    const double power =
        at->angle < 1 ? exp((t + 1) * (log(at->m) / 2 + at->angle)) : pow(at->R, t + 1);
    return -power * expm1(-2 * (t + 1) * at->angle) / (2 * at->d);
}

/* Real roots 1 - e and 1 - x/e: r_t = ((x/e) (1-e)^(t+1) - e (1-x/e)^(t+1)) / (x/e - e), where
 * nothing cancels while (t+1) (x/e - e) is above 1. */
static double one_minus_apart(double e, double far, double t, double *r)
{
    const double near_log = (t + 1) * log1p(-e), far_log = (t + 1) * log(fmax(1 - far, 0));
    *r = (far * exp(near_log) - e * exp(far_log)) / (far - e);
    return (e * expm1(far_log) - far * expm1(near_log)) / (far - e);
}

static double one_minus_r_at(const roots *at, double t, double *r)
{
    const double far = (1 - at->m + at->x) / 2 + at->d; /* 1 minus the smaller root */
    if (at->gap > 0 && !at->negative && 2 * (t + 1) * at->d > 1)
        return one_minus_apart(at->x / far, far, t, r);
    const double sign = at->negative && fmod(t, 2) != 0 ? -1 : 1, m = at->negative ? -at->m : at->m;
    *r = sign * (sum_of_powers(at, t) - m * sum_of_powers(at, t - 1));
    return 1 - *r;
}

static void eval(const sri_filter *self, double s, const double *t, int64_t count, double *g,
                 double *r)
{
    const double m = self->param[0], x = fmin(self->step * s, largest_step(self));
    const double first = first_by_formula(m);
    int64_t k = 0;
    while (k < count && t[k] <= first)
        k++;
    sri_iteration_eval(self, s, t, k, g, r);
    if (k == count)
        return;
    const roots at = roots_at(m, fmax(x, 0));
    for (; k < count; k++)
        if (x > 0) {
            g[k] = self->step * one_minus_r_at(&at, t[k], &r[k]) / x;
        } else { /* the derivative: sum of (1 - m^j) / (1 - m), j = 1 .. t */
            g[k] = self->step * (t[k] - m * (1 - pow(m, t[k])) / (1 - m)) / (1 - m);
            r[k] = 1;
        }
}

static bool has_formula(const sri_filter *self)
{
    (void)self;
    return true;
}

static const sri_iteration iteration = {
    .recurrence = recurrence,
    .steps_for = steps_for,
    .largest_step = largest_step,
    .has_formula = has_formula,
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
    .eval = eval,
    .iteration = &iteration,
    .smooth = true,
};
