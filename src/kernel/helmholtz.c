/* Kernels of vector fields as terms: curlfree, divfree, and helmholtz, (1 - gamma) of the one and
 * gamma of the other.  Their values are matrices, computed by field.h; as scalar kernels they have
 * none. */
#include <math.h>

#include "kernel/kernel.h"

static sri_pair pair(const sri_kernel_term *self)
{
    (void)self;
    return SRI_PAIR_EACH;
}

static double each(const sri_kernel_term *self, const double *x, const double *z, int64_t p)
{
    (void)self, (void)x, (void)z, (void)p;
    return NAN;
}

/* Values are of the size of 1 / sigma^2. */
static specreg_status check(specreg_context *ctx, const sri_kernel_term *self,
                            const sri_points *points)
{
    const double sigma = self->param[0], size = self->weight / sigma / sigma;
    if (!(size > 0) || !isfinite(size * (double)points->p))
        return sri_fail(ctx, SPECREG_E_NUMERIC, "kernel %s: sigma %g is too %s", self->ops->name,
                        sigma, size > 0 ? "small" : "large");
    if (self->ops == &sri_kernel_divfree && points->p == 1)
        return sri_fail(ctx, SPECREG_E_SHAPE,
                        "kernel divfree takes two feature columns or more, the data have 1");
    return SPECREG_OK;
}

static const sri_param params[] = {
    {.name = "sigma", .value = NAN, .least = 0, .open = true},
    {.name = "gamma", .value = NAN, .least = 0, .most = 1},
};

/* Columns scaled apart would make another field, whose curl and divergence are not 0. */
#define FIELD_KERNEL(text, equation, count) \
    {                                       \
        .name = text,                       \
        .formula = equation,                \
        .params = params,                   \
        .n_params = count,                  \
        .pair = pair,                       \
        .each = each,                       \
        .check = check,                     \
        .field = true,                      \
        .scale = "none",                    \
    }

const sri_kernel_ops sri_kernel_curlfree =
    FIELD_KERNEL("curlfree", "e/sigma^2 (I - u u'/sigma^2), u = x-z, e = rbf(x,z)", 1);
const sri_kernel_ops sri_kernel_divfree =
    FIELD_KERNEL("divfree", "e/sigma^2 (u u'/sigma^2 + (T - 1 - |u|^2/sigma^2) I)", 1);
const sri_kernel_ops sri_kernel_helmholtz =
    FIELD_KERNEL("helmholtz", "(1-gamma) curlfree + gamma divfree", 2);

bool sri_kernel_is_field(const sri_kernel *kernel)
{
    return kernel->n_terms > 0 && kernel->term[0].ops->field; /* they stand alone */
}

sri_field sri_kernel_field(const sri_kernel *kernel, int64_t T)
{
    const sri_kernel_term *term = &kernel->term[0];
    const double gamma = term->ops == &sri_kernel_helmholtz ? term->param[1]
                         : term->ops == &sri_kernel_divfree ? 1
                                                            : 0;
    return (sri_field){.sigma = term->param[0],
                       .curl = term->weight * (1 - gamma),
                       .div = term->weight * gamma,
                       .T = T};
}
