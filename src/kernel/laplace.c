/* laplace: k(x, z) = exp(-|x - z| / sigma), with the 2-norm, or the 1-norm when norm=1. */
#include <math.h>

#include "kernel/kernel.h"

static sri_pair pair_of(const sri_kernel_term *self)
{
    return self->param[1] == 1 ? SRI_PAIR_DIST1 : SRI_PAIR_DIST2;
}

static sri_map map(const sri_kernel_term *self)
{
    return (sri_map){.kind = self->param[1] == 1 ? SRI_MAP_EXP : SRI_MAP_EXP_ROOT,
                     .c = -1 / self->param[0]};
}

static specreg_status check(specreg_context *ctx, const sri_kernel_term *self,
                            const sri_points *points)
{
    (void)points;
    if (self->param[1] != 1 && self->param[1] != 2)
        return sri_fail(ctx, SPECREG_E_ARG, "kernel laplace: norm must be 1 or 2, not %g",
                        self->param[1]);
    return SPECREG_OK;
}

static const sri_param params[] = {
    {.name = "sigma", .value = NAN, .least = 0, .open = true},
    {.name = "norm", .value = 2, .least = 1, .whole = true},
};

const sri_kernel_ops sri_kernel_laplace = {
    .name = "laplace",
    .formula = "exp(-|x-z| / sigma)",
    .params = params,
    .n_params = 2,
    .pair_of = pair_of,
    .map = map,
    .check = check,
};
