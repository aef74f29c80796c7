/* Conditionally positive definite kernels of r = |x - z|:
 *     thinplate     r^2 log r
 *     polyharmonic  r^degree, or r^degree log r where the degree is even, with the right sign
 *     multiquadric  -sqrt(1 + r^2 / sigma^2)
 * Quadratic forms of their matrices are positive for coefficients that are orthogonal to
 * polynomials of some degree: with these among the unpenalised terms the problem is as with any
 * other kernel. */
#include <math.h>

#include "kernel/kernel.h"

static int degree_of(const sri_kernel_term *self)
{
    return self->ops->n_params ? (int)self->param[0] : 2;
}

/* (-1)^(degree / 2 + 1) r^degree log r of even degrees, (-1)^((degree + 1) / 2) r^degree of odd. */
static sri_map spline(const sri_kernel_term *self)
{
    const int degree = degree_of(self), half = degree / 2 + 1;
    return (sri_map){.kind = SRI_MAP_SPLINE, .c = half % 2 ? -1 : 1, .degree = degree};
}

static int spline_polynomial(const sri_kernel_term *self)
{
    return degree_of(self) / 2;
}

static sri_map multiquadric(const sri_kernel_term *self)
{
    return (sri_map){.kind = SRI_MAP_ROOT, .c = 1 / self->param[0] / self->param[0]};
}

static int constant(const sri_kernel_term *self)
{
    (void)self;
    return 0;
}

static const sri_param degrees[] = {
    {.name = "degree", .value = 3, .least = 1, .most = 9, .whole = true}};
static const sri_param width[] = {{.name = "sigma", .value = NAN, .least = 0, .open = true}};

const sri_kernel_ops sri_kernel_thinplate = {
    .name = "thinplate",
    .formula = "r^2 log r",
    .pair = SRI_PAIR_DIST2,
    .map = spline,
    .polynomial = spline_polynomial,
};

const sri_kernel_ops sri_kernel_polyharmonic = {
    .name = "polyharmonic",
    .formula = "+-r^degree, times log r where the degree is even",
    .params = degrees,
    .n_params = 1,
    .pair = SRI_PAIR_DIST2,
    .map = spline,
    .polynomial = spline_polynomial,
};

const sri_kernel_ops sri_kernel_multiquadric = {
    .name = "multiquadric",
    .formula = "-sqrt(1 + r^2/sigma^2)",
    .params = width,
    .n_params = 1,
    .pair = SRI_PAIR_DIST2,
    .map = multiquadric,
    .polynomial = constant,
};
