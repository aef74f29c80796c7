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
    const int64_t p = sri_picked_count(self->columns, points->p);
    if (p != 1)
        return sri_fail(ctx, SPECREG_E_SHAPE, "kernel sobolev takes one feature column, %s %lld",
                        self->columns ? "its columns are" : "the data have", (long long)p);
    for (int64_t i = 0; i < points->n; i++) {
        const double x = *sri_picked_see(self->columns, sri_view_x(&points->rows, i), NULL);
        if (x < 0 || x > 1)
            return sri_fail(ctx, SPECREG_E_NUMERIC,
                            "kernel sobolev needs values in [0,1], row %lld has %g (use --scale "
                            "inner or minmax)",
                            (long long)i + 1, x);
    }
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
