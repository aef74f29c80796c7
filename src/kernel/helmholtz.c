/* Kernels of vector fields as terms: curlfree, divfree, and helmholtz, (1 - gamma) of the one and
 * gamma of the other.  Their values are matrices, computed by field.h; as scalar kernels they
 * are for points that are one component of a vector each. */
#include <math.h>

#include "kernel/kernel.h"

static bool has_share(const sri_kernel_term *term)
{
    return isnan(term->ops->divfree_share);
}

static double sigma_of(const sri_kernel_term *term)
{
    return term->param[has_share(term)];
}

static sri_field field_of(const sri_kernel_term *term, int64_t T)
{
    const double gamma = has_share(term) ? term->param[0] : term->ops->divfree_share;
    return (sri_field){.sigma = sigma_of(term),
                       .curl = term->weight * (1 - gamma),
                       .div = term->weight * gamma,
                       .T = T};
}

/* The entry of Gamma(x, z) for points that are one component each, which their label names.  Where
 * all components are there field.h is far faster. */
static double each(const sri_kernel_term *self, const sri_point *one, const sri_point *other,
                   int64_t p)
{
    sri_kernel_term whole = *self;
    whole.weight = 1; /* who asks brings it in */
    const sri_field f = field_of(&whole, p);
    const double *x = one->x, *z = other->x;
    const int32_t s = one->label, t = other->label;
    const double s2 = f.sigma * f.sigma;
    double r2 = 0;
    for (int64_t k = 0; k < p; k++)
        r2 += (x[k] - z[k]) * (x[k] - z[k]);
    const double uu = (x[s] - z[s]) * (x[t] - z[t]) / s2;
    const double own = s == t ? f.curl + f.div * ((double)p - 1 - r2 / s2) : 0;
    return exp(-r2 / (2 * s2)) / s2 * (own + (f.div - f.curl) * uu);
}

/* Values are of the size of 1 / sigma^2. */
static specreg_status check(specreg_context *ctx, const sri_kernel_term *self,
                            const sri_points *points)
{
    const double sigma = sigma_of(self), size = self->weight / sigma / sigma;
    const int64_t p = points->p;
    if (!(size > 0) || !isfinite(size * (double)p))
        return sri_fail(ctx, SPECREG_E_NUMERIC, "kernel %s: sigma %g is too %s", self->ops->name,
                        sigma, size > 0 ? "small" : "large");
    if (self->ops->divfree_share == 1 && p == 1)
        return sri_fail(ctx, SPECREG_E_SHAPE,
                        "kernel divfree takes two feature columns or more, the data have 1");
    return SPECREG_OK;
}

static const sri_param width[] = {
    {.name = "sigma", .value = NAN, .least = 0, .open = true},
};
/* gamma first: candidates that differ in it alone follow each other, and share their products. */
static const sri_param share_and_width[] = {
    {.name = "gamma", .value = NAN, .least = 0, .most = 1},
    {.name = "sigma", .value = NAN, .least = 0, .open = true},
};

/* Columns scaled apart would make another field, whose curl and divergence are not 0. */
#define FIELD_KERNEL(text, equation, list, count, share)                      \
    {                                                                         \
        .name = text, .formula = equation, .params = list, .n_params = count, \
        .pair = SRI_PAIR_EACH, .each = each, .check = check, .field = true,   \
        .divfree_share = share, .scale = "none",                              \
    }

const sri_kernel_ops sri_kernel_curlfree =
    FIELD_KERNEL("curlfree", "e/sigma^2 (I - u u'/sigma^2), u = x-z, e = rbf(x,z)", width, 1, 0);
const sri_kernel_ops sri_kernel_divfree =
    FIELD_KERNEL("divfree", "e/sigma^2 (u u'/sigma^2 + (T - 1 - |u|^2/sigma^2) I)", width, 1, 1);
const sri_kernel_ops sri_kernel_helmholtz =
    FIELD_KERNEL("helmholtz", "(1-gamma) curlfree + gamma divfree", share_and_width, 2, NAN);

bool sri_kernel_is_field(const sri_kernel *kernel)
{
    return kernel->n_terms > 0 && kernel->term[0].ops->field; /* they stand alone */
}

const double *sri_kernel_share(const sri_kernel *kernel)
{
    return sri_kernel_is_field(kernel) && has_share(&kernel->term[0]) ? kernel->term[0].param
                                                                      : NULL;
}

sri_field sri_kernel_field(const sri_kernel *kernel, int64_t T)
{
    return field_of(&kernel->term[0], T);
}
