/* sobolev: k(x, z) = min(x, z) (1 - max(x, z)) on [0, 1]: functions with a square-integrable
 * derivative that vanish at both ends.  Outside [0, 1] the functions are 0, and so is k. */
#include "kernel/kernel.h"

static double each(const sri_kernel_term *self, const sri_point *x, const sri_point *z, int64_t p)
{
    (void)self, (void)p;
    const double low = *x->x < *z->x ? *x->x : *z->x, high = *x->x < *z->x ? *z->x : *x->x;
    return low < 0 || high > 1 ? 0 : low * (1 - high);
}

static specreg_status check(specreg_context *ctx, const sri_kernel_term *self,
                            const sri_points *points)
{
    (void)self;
    if (points->p != 1)
        return sri_fail(ctx, SPECREG_E_SHAPE,
                        "kernel sobolev takes one feature column, the data have %lld",
                        (long long)points->p);
    const double *x = points->rows.x.x;
    for (int64_t i = 0; i < points->n; i++)
        if (x[i] < 0 || x[i] > 1)
            return sri_fail(ctx, SPECREG_E_NUMERIC,
                            "kernel sobolev needs values in [0,1], row %lld has %g (use --scale "
                            "inner or minmax)",
                            (long long)i + 1, x[i]);
    return SPECREG_OK;
}

const sri_kernel_ops sri_kernel_sobolev = {
    .name = "sobolev",
    .formula = "min(x,z) (1 - max(x,z)) on [0,1]",
    .pair = SRI_PAIR_EACH,
    .each = each,
    .check = check,
    .scale = "inner", /* at 0 and 1 all its functions are 0 */
};
