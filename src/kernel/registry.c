#include "kernel/registry.h"

#include <string.h>

#include "core/text.h"

/* To add a kernel: one file, one line here, one line in kernel.h. */
static const sri_kernel_ops *const kernels[] = {
    &sri_kernel_rbf,
    &sri_kernel_linear,
    &sri_kernel_poly,
    &sri_kernel_laplace,
    &sri_kernel_matern,
    &sri_kernel_sobolev,
    &sri_kernel_precomputed,
    &sri_kernel_curlfree,
    &sri_kernel_divfree,
    &sri_kernel_helmholtz,
    &sri_kernel_rq,
    &sri_kernel_periodic,
    &sri_kernel_cosine,
    &sri_kernel_chi2,
    &sri_kernel_intersection,
    &sri_kernel_hamming,
    &sri_kernel_thinplate,
    &sri_kernel_polyharmonic,
    &sri_kernel_multiquadric,
    &sri_kernel_curlfree_matern,
    &sri_kernel_divfree_matern,
    &sri_kernel_helmholtz_matern,
    &sri_kernel_curlfree_imq,
    &sri_kernel_divfree_imq,
    &sri_kernel_helmholtz_imq,
};
enum { N_KERNELS = sizeof kernels / sizeof *kernels };

const sri_kernel_ops *sri_kernel_builtin(const char *name)
{
    for (int i = 0; i < N_KERNELS; i++)
        if (strcmp(kernels[i]->name, name) == 0)
            return kernels[i];
    return NULL;
}

static specreg_status unknown_kernel(specreg_context *ctx, const char *name)
{
    const char *known[64];
    int count = 0;
    for (int i = 0; i < N_KERNELS; i++)
        known[count++] = kernels[i]->name;
    for (const sri_registration *r = ctx->kernels; r && count < 64; r = r->next)
        known[count++] = r->name;
    return sri_fail_unknown(ctx, "kernel", name, known, count);
}

specreg_status sri_kernel_term_named(specreg_context *ctx, const char *name, sri_kernel_term *term)
{
    term->ops = sri_kernel_builtin(name);
    term->user = term->ops ? NULL : sri_registered(ctx->kernels, name);
    if (term->user)
        term->ops = &sri_kernel_user;
    if (!term->ops)
        return unknown_kernel(ctx, name);
    for (int i = 0; i < sri_kernel_param_count(term); i++)
        term->param[i] = sri_kernel_param_at(term, i).value;
    return SPECREG_OK;
}

int sri_kernel_param_count(const sri_kernel_term *term)
{
    return term->user ? term->user->n_params : term->ops->n_params;
}

sri_param sri_kernel_param_at(const sri_kernel_term *term, int index)
{
    return term->user ? sri_param_user(term->user, index) : term->ops->params[index];
}

const char *sri_kernel_term_name(const sri_kernel_term *term)
{
    return term->user ? term->user->name : term->ops->name;
}
