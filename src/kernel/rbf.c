/* rbf: k(x, z) = exp(-|x - z|^2 / (2 sigma^2)).  `gamma` is another way to write it: exp(-gamma
 * |x - z|^2), gamma = 1 / (2 sigma^2); it is turned into sigma when the text is read. */
#include <math.h>

#include "kernel/kernel.h"

static sri_map map(const sri_kernel_term *self)
{
    const double sigma = self->param[0];
    return (sri_map){.kind = SRI_MAP_EXP, .c = -0.5 / sigma / sigma};
}

static const sri_param params[] = {
    {.name = "sigma", .value = NAN, .least = 0, .open = true},
};

const sri_kernel_ops sri_kernel_rbf = {
    .name = "rbf",
    .formula = "exp(-|x-z|^2 / (2 sigma^2))",
    .params = params,
    .n_params = 1,
    .pair = SRI_PAIR_DIST2,
    .map = map,
    .other_width = "gamma",
};
