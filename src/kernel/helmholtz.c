/* Kernels of vector fields as terms: curlfree, divfree, and helmholtz, (1 - gamma) of the one and
 * gamma of the other, of three radial functions.  Their values are matrices, computed by field.h;
 * as scalar kernels they are for points that are one component of a vector each. */
#include <math.h>

#include "kernel/kernel.h"

static bool has_share(const sri_kernel_term *term)
{
    return isnan(term->ops->divfree_share);
}

static double sigma_of(const sri_kernel_term *term)
{
    return term->param[term->ops->n_params - 1];
}

static sri_field field_of(const sri_kernel_term *term, int64_t T)
{
    const double gamma = has_share(term) ? term->param[0] : term->ops->divfree_share;
    return (sri_field){.sigma = sigma_of(term),
                       .curl = term->weight * (1 - gamma),
                       .div = term->weight * gamma,
                       .T = T,
                       .radial = term->ops->radial(term)};
}

static sri_radial gauss(const sri_kernel_term *self)
{
    (void)self;
    return SRI_RADIAL_GAUSS;
}

static sri_radial imq(const sri_kernel_term *self)
{
    (void)self;
    return SRI_RADIAL_IMQ;
}

static sri_radial matern(const sri_kernel_term *self)
{
    const double nu = self->param[self->ops->n_params - 2];
    return nu == 1.5 ? SRI_RADIAL_MATERN32 : nu == 2.5 ? SRI_RADIAL_MATERN52 : SRI_RADIAL_MATERN72;
}

/* The entry of Gamma(x, z) for points that are one component each, which their label names.  Where
 * all components are there field.h is far faster. */
static double each(const sri_kernel_term *self, const sri_point *one, const sri_point *other,
                   int64_t p)
{
    sri_kernel_term whole = *self;
    whole.weight = 1; /* who asks brings it in */
    const sri_field f = field_of(&whole, p);
    return sri_field_entry(&f, one->x, other->x, one->label, other->label);
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
                        "kernel %s takes two feature columns or more, the data have 1",
                        self->ops->name);
    return SPECREG_OK;
}

static specreg_status check_matern(specreg_context *ctx, const sri_kernel_term *self,
                                   const sri_points *points)
{
    const double nu = self->param[self->ops->n_params - 2];
    if (nu != 1.5 && nu != 2.5 && nu != 3.5)
        return sri_fail(ctx, SPECREG_E_ARG, "kernel %s: nu must be 1.5, 2.5 or 3.5, not %g",
                        self->ops->name, nu);
    return check(ctx, self, points);
}

static const sri_param width[] = {
    {.name = "sigma", .value = NAN, .least = 0, .open = true},
};
/* gamma first: candidates that differ in it alone follow each other, and share their products. */
static const sri_param share_and_width[] = {
    {.name = "gamma", .value = NAN, .least = 0, .most = 1},
    {.name = "sigma", .value = NAN, .least = 0, .open = true},
};

static const sri_param order_and_width[] = {
    {.name = "nu", .value = 2.5, .least = 0, .open = true},
    {.name = "sigma", .value = NAN, .least = 0, .open = true},
};
static const sri_param share_order_and_width[] = {
    {.name = "gamma", .value = NAN, .least = 0, .most = 1},
    {.name = "nu", .value = 2.5, .least = 0, .open = true},
    {.name = "sigma", .value = NAN, .least = 0, .open = true},
};

/* Columns scaled apart would make another field, whose curl and divergence are not 0. */
#define FIELD_KERNEL(text, equation, function, list, share, checks)                     \
    {                                                                                   \
        .name = text, .formula = equation, .params = list,                              \
        .n_params = sizeof(list) / sizeof *(list), .pair = SRI_PAIR_EACH, .each = each, \
        .check = checks, .field = true, .divfree_share = share, .radial = function,     \
        .scale = "none",                                                                \
    }
#define CURLFREE "-H, H the matrix of second derivatives of "
#define DIVFREE "H - tr(H) I, H the matrix of second derivatives of "

const sri_kernel_ops sri_kernel_curlfree =
    FIELD_KERNEL("curlfree", "e/sigma^2 (I - u u'/sigma^2), u = x-z, e = rbf(x,z)", gauss, width, 0,
                 check);
const sri_kernel_ops sri_kernel_divfree =
    FIELD_KERNEL("divfree", "e/sigma^2 (u u'/sigma^2 + (T - 1 - |u|^2/sigma^2) I)", gauss, width, 1,
                 check);
const sri_kernel_ops sri_kernel_helmholtz =
    FIELD_KERNEL("helmholtz", "(1-gamma) curlfree + gamma divfree", gauss, share_and_width, NAN,
                 check);
const sri_kernel_ops sri_kernel_curlfree_matern =
    FIELD_KERNEL("curlfree-matern", CURLFREE "matern", matern, order_and_width, 0, check_matern);
const sri_kernel_ops sri_kernel_divfree_matern =
    FIELD_KERNEL("divfree-matern", DIVFREE "matern", matern, order_and_width, 1, check_matern);
const sri_kernel_ops sri_kernel_helmholtz_matern =
    FIELD_KERNEL("helmholtz-matern", "(1-gamma) curlfree-matern + gamma divfree-matern", matern,
                 share_order_and_width, NAN, check_matern);
const sri_kernel_ops sri_kernel_curlfree_imq =
    FIELD_KERNEL("curlfree-imq", CURLFREE "(1 + r^2/sigma^2)^(-1/2)", imq, width, 0, check);
const sri_kernel_ops sri_kernel_divfree_imq =
    FIELD_KERNEL("divfree-imq", DIVFREE "(1 + r^2/sigma^2)^(-1/2)", imq, width, 1, check);
const sri_kernel_ops sri_kernel_helmholtz_imq =
    FIELD_KERNEL("helmholtz-imq", "(1-gamma) curlfree-imq + gamma divfree-imq", imq,
                 share_and_width, NAN, check);

bool sri_kernel_is_field(const sri_kernel *kernel)
{
    for (int t = 0; t < kernel->n_terms; t++)
        if (kernel->term[t].ops->field)
            return true;
    return false;
}

const double *sri_kernel_share(const sri_kernel *kernel)
{
    const sri_kernel_term *alone = kernel->n_terms == 1 ? &kernel->term[0] : NULL;
    return alone && alone->ops->field && has_share(alone) ? alone->param : NULL;
}

sri_kernel sri_kernel_scalars(const sri_kernel *kernel)
{
    sri_kernel scalars = {0};
    for (int t = 0; t < kernel->n_terms; t++)
        if (!kernel->term[t].ops->field)
            scalars.term[scalars.n_terms++] = kernel->term[t];
    return scalars;
}

sri_field sri_kernel_field(const sri_kernel *kernel, int64_t T)
{
    sri_field sum = {0};
    bool first = true, others = false;
    for (int t = 0; t < kernel->n_terms; t++) {
        others = others || !kernel->term[t].ops->field;
        if (!kernel->term[t].ops->field)
            continue;
        const sri_field one = field_of(&kernel->term[t], T);
        if (first)
            sum = one;
        else
            sum.more[sum.n_more++] = (sri_field_part){one.sigma, one.curl, one.div, one.radial};
        first = false;
    }
    sum.others = others ? kernel : NULL;
    return sum;
}
