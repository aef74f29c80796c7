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

/* 2 asinh sqrt(y): acosh(1 + 2y) without cancellation. */
static double angle(double y)
{
    return 2 * asinh(sqrt(fmax(0, y)));
}

/* x <= l: with cosh a_0 = (1+l)/(1-l), cosh a = (1+l-2x)/(1-l) and d = a_0 - a,
 *     r     = cosh(t a) / cosh(t a_0)
 *     1 - r = 2 sinh(t (a_0 + a)/2) sinh(t d/2) / cosh(t a_0),
 * powers of e taken out, so that nothing overflows.  d / 2 = asinh A - asinh B, which is
 * asinh((A^2 - B^2) / (A sqrt(1+B^2) + B sqrt(1+A^2))) with A^2 - B^2 = x/(1-l). */
static void below(double l, double x, double t, double *one_minus_r, double *r)
{
    const double A = sqrt(l / (1 - l)), B = sqrt(fmax(0, l - x) / (1 - l));
    const double d = 2 * asinh(x / (1 - l) / (A * sqrt(1 + B * B) + B * sqrt(1 + A * A)));
    const double a0 = angle(l / (1 - l)), a = 2 * asinh(B), rest = 1 + exp(-2 * t * a0);
    *one_minus_r = expm1(-t * (a0 + a)) * expm1(-t * d) / rest;
    *r = exp(-t * d) * (1 + exp(-2 * t * a)) / rest;
}

/* l < x <= 1: r = cos(t b) / cosh(t a_0) with cos b = (1+l-2x)/(1-l);
 * 1 - r = 2 (sinh^2(t a_0/2) + sin^2(t b/2)) / cosh(t a_0). */
static void between(double l, double x, double t, double *one_minus_r, double *r)
{
    const double a0 = angle(l / (1 - l)), b = 2 * asin(sqrt(fmin(1, (x - l) / (1 - l))));
    const double fall = exp(-t * a0), rest = 1 + fall * fall, half = sin(t * b / 2);
    const double grown = expm1(-t * a0); /* 2 sinh^2(w/2) = e^w (1 - e^-w)^2 / 2 */
    *one_minus_r = (grown * grown + 4 * fall * half * half) / rest;
    *r = 2 * fall * cos(t * b) / rest;
}

/* x > 1, where steps are long: r = (-1)^t cosh(t b) / cosh(t a_0), cosh b = -(1+l-2x)/(1-l). */
static void above(double l, double x, double t, double *one_minus_r, double *r)
{
    const double a0 = angle(l / (1 - l)), b = angle((x - 1) / (1 - l));
    const double size = exp(-t * (a0 - b)) * (1 + exp(-2 * t * b)) / (1 + exp(-2 * t * a0));
    *r = fmod(t, 2) != 0 ? -size : size;
    *one_minus_r = 1 - *r;
}

/* At 0 g is the derivative, tau t tanh(t a_0) / sqrt l. */
static void eval(const sri_filter *self, double s, const double *t, int64_t count, double *g,
                 double *r)
{
    const double l = self->param[0], x = fmin(self->step * s, 1 + l); /* above by rounding */
    for (int64_t k = 0; k < count; k++) {
        double one_minus_r;
        if (!(x > 0)) {
            g[k] = self->step * t[k] * tanh(t[k] * angle(l / (1 - l))) / sqrt(l);
            r[k] = 1;
            continue;
        }
        (x <= l ? below : x <= 1 ? between : above)(l, x, t[k], &one_minus_r, &r[k]);
        g[k] = self->step * one_minus_r / x;
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
    .eval = eval,
    .iteration = &iteration,
    .smooth = true,
};
