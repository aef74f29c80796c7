/* periodic: k(x, z) = exp(-2 sum_k sin^2(pi (x_k - z_k) / period) / sigma^2): an rbf kernel of the
 * points (cos, sin)(2 pi x_k / period) on circles. */
#include <math.h>

#include "kernel/kernel.h"

static const double PI = 3.14159265358979323846;

static double each(const sri_kernel_term *self, const sri_point *x, const sri_point *z, int64_t p)
{
    const double period = self->param[0], sigma = self->param[1];
    double sum = 0;
    for (int64_t k = 0; k < p; k++) {
        const double s = sin(PI * fmod(x->x[k] - z->x[k], period) / period);
        sum += s * s;
    }
    return exp(-2 * sum / sigma / sigma);
}

static const sri_param params[] = {
    {.name = "period", .value = 1, .least = 0, .open = true},
    {.name = "sigma", .value = 1, .least = 0, .open = true},
};

const sri_kernel_ops sri_kernel_periodic = {
    .name = "periodic",
    .formula = "exp(-2 sum_k sin^2(pi (x_k-z_k)/period) / sigma^2)",
    .params = params,
    .n_params = 2,
    .pair = SRI_PAIR_EACH,
    .each = each,
    .scale = "none",
};
