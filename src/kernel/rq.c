/* rq, rational quadratic: k(x, z) = (1 + |x - z|^2 / (2 alpha sigma^2))^-alpha, a mixture of rbf
 * kernels of all widths. */
#include <math.h>

#include "kernel/kernel.h"

static sri_map map(const sri_kernel_term *self)
{
    const double alpha = self->param[0], sigma = self->param[1];
    return (sri_map){.kind = SRI_MAP_INVERSE, .c = 0.5 / alpha / sigma / sigma, .shift = alpha};
}

static const sri_param params[] = {
    {.name = "alpha", .value = 1, .least = 0, .open = true},
    {.name = "sigma", .value = NAN, .least = 0, .open = true},
};

const sri_kernel_ops sri_kernel_rq = {
    .name = "rq",
    .formula = "(1 + |x-z|^2 / (2 alpha sigma^2))^-alpha",
    .params = params,
    .n_params = 2,
    .pair = SRI_PAIR_DIST2,
    .map = map,
};
