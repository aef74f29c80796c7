/* A user's kernel: a function registered on the context. */
#include "kernel/kernel.h"
#include "kernel/registry.h"

typedef double kernel_fn(const double *, const double *, int64_t, const double *, void *);

static double each(const sri_kernel_term *self, const sri_point *x, const sri_point *z, int64_t p)
{
    return ((kernel_fn *)self->user->function)(x->x, z->x, p, self->param, self->user->payload);
}

const sri_kernel_ops sri_kernel_user = {
    .name = "user",
    .formula = "registered through the C API",
    .pair = SRI_PAIR_EACH,
    .each = each,
};

specreg_status specreg_register_kernel(specreg_context *ctx, const specreg_kernel_def *def)
{
    if (!def || def->struct_size < sizeof *def || !def->eval)
        return sri_fail(ctx, SPECREG_E_ARG, "kernel definition without struct_size or eval");
    if (def->name && sri_kernel_builtin(def->name))
        return sri_fail(ctx, SPECREG_E_ARG, "kernel '%s' is built in", def->name);
    return sri_register(ctx, &ctx->kernels, "kernel",
                        &(sri_registration){.name = def->name,
                                            .params = def->params,
                                            .n_params = def->n_params,
                                            .payload = def->payload,
                                            .function = (void (*)(void))def->eval});
}
