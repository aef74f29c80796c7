/* matern, r = |x - z|:  nu = 1/2  exp(-r/sigma)
 *                       nu = 3/2  (1 + u) exp(-u),           u = sqrt(3) r / sigma
 *                       nu = 5/2  (1 + u + u^2/3) exp(-u),   u = sqrt(5) r / sigma */
#include <math.h>

#include "kernel/kernel.h"

static sri_map map(const sri_kernel_term *self)
{
    const double nu = self->param[0], sigma = self->param[1];
    if (nu == 0.5)
        return (sri_map){.kind = SRI_MAP_EXP_ROOT, .c = -1 / sigma};
    return nu == 1.5 ? (sri_map){.kind = SRI_MAP_MATERN32, .c = sqrt(3) / sigma}
                     : (sri_map){.kind = SRI_MAP_MATERN52, .c = sqrt(5) / sigma};
}

static specreg_status check(specreg_context *ctx, const sri_kernel_term *self,
                            const sri_points *points)
{
    (void)points;
    const double nu = self->param[0];
    if (nu != 0.5 && nu != 1.5 && nu != 2.5)
        return sri_fail(ctx, SPECREG_E_ARG, "kernel matern: nu must be 0.5, 1.5 or 2.5, not %g",
                        nu);
    return SPECREG_OK;
}

static const sri_param params[] = {
    {.name = "nu", .value = 1.5, .least = 0, .open = true},
    {.name = "sigma", .value = NAN, .least = 0, .open = true},
};

const sri_kernel_ops sri_kernel_matern = {
    .name = "matern",
    .formula = "nu=1/2: exp(-r/sigma); 3/2: (1+u)exp(-u), u=sqrt(3)r/sigma; "
               "5/2: (1+u+u^2/3)exp(-u), u=sqrt(5)r/sigma",
    .params = params,
    .n_params = 2,
    .pair = SRI_PAIR_DIST2,
    .map = map,
    .check = check,
};
