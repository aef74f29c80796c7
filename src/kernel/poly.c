/* poly: k(x, z) = (gamma <x, z> + coef0)^degree. */
#include "kernel/kernel.h"

static sri_map map(const sri_kernel_term *self)
{
    return (sri_map){.kind = SRI_MAP_POWER,
                     .c = self->param[2],
                     .shift = self->param[1],
                     .degree = (int)self->param[0]};
}

static specreg_status check(specreg_context *ctx, const sri_kernel_term *self,
                            const sri_points *points)
{
    (void)points;
    if (self->param[0] > 1000)
        return sri_fail(ctx, SPECREG_E_ARG, "kernel poly: degree %g is too large (at most 1000)",
                        self->param[0]);
    return SPECREG_OK;
}

/* Polynomials of some degree in p variables are a space of so many dimensions. */
static double rank(const sri_kernel_term *self, int64_t p)
{
    double dimension = 1;
    for (int k = 1; k <= (int)self->param[0]; k++)
        dimension *= (double)(p + k) / k;
    return dimension;
}

static const sri_param params[] = {
    {.name = "degree", .value = 3, .least = 1, .whole = true},
    {.name = "coef0", .value = 1, .least = 0},
    {.name = "gamma", .value = 1, .least = 0, .open = true},
};

const sri_kernel_ops sri_kernel_poly = {
    .name = "poly",
    .formula = "(gamma <x,z> + coef0)^degree",
    .params = params,
    .n_params = 3,
    .pair = SRI_PAIR_DOT,
    .map = map,
    .check = check,
    .rank = rank,
    .constant = 2, /* coef0 */
    .most_columns = 10,
};
