/* A user's kernel: a function registered on the context, of a pair of points or of a block. */
#include "kernel/kernel.h"
#include "kernel/registry.h"

typedef double kernel_fn(const double *, const double *, int64_t, const double *, void *);
typedef void block_fn(const specreg_kernel_block *, const double *, void *);

void sri_kernel_user_block(const sri_kernel_term *self, const specreg_kernel_block *block)
{
    ((block_fn *)self->user->block)(block, self->param, self->user->payload);
}

static double each(const sri_kernel_term *self, const sri_point *x, const sri_point *z, int64_t p)
{
    double value = 0;
    if (self->user->function)
        return ((kernel_fn *)self->user->function)(x->x, z->x, p, self->param, self->user->payload);
    sri_kernel_user_block(self, &(specreg_kernel_block){x->x, z->x, 1, 1, p, &value, 1});
    return value;
}

const sri_kernel_ops sri_kernel_user = {
    .name = "user",
    .formula = "registered through the C API",
    .pair = SRI_PAIR_EACH,
    .each = each,
};

specreg_status specreg_register_kernel(specreg_context *ctx, const specreg_kernel_def *def)
{
    SRI_ARGS(ctx, def);
    if (def->struct_size < sizeof *def || (!def->eval && !def->block))
        return sri_fail(ctx, SPECREG_E_ARG,
                        "kernel definition without struct_size, or without eval and block");
    if (def->name && sri_kernel_builtin(def->name))
        return sri_fail(ctx, SPECREG_E_ARG, "kernel '%s' is built in", def->name);
    return sri_register(ctx, &ctx->kernels, "kernel",
                        &(sri_registration){.name = def->name,
                                            .params = def->params,
                                            .n_params = def->n_params,
                                            .payload = def->payload,
                                            .function = (void (*)(void))def->eval,
                                            .block = (void (*)(void))def->block});
}
