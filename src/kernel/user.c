/* A user's kernel: a function registered on the context, of a pair of points or of a block; or of a
 * pair of rows, with a matrix for its value. */
#include <math.h>

#include "kernel/kernel.h"
#include "kernel/registry.h"

typedef double kernel_fn(const double *, const double *, int64_t, const double *, void *);
typedef void block_fn(const specreg_kernel_block *, const double *, void *);

void sri_kernel_user_block(const sri_kernel_term *self, const specreg_kernel_block *block)
{
    ((block_fn *)self->user->block)(block, self->param, self->user->payload);
}

/* T is that of the outputs beside the term.  NaN without them: such a kernel is for labelled
 * points. */
void sri_kernel_user_matrix(const sri_kernel_term *self, const double *x, const double *z,
                            int64_t p, double *values)
{
    typedef void matrix_fn(const double *, const double *, int64_t, int64_t, const double *, void *,
                           double *);
    const int64_t T = sri_term_outputs(self);
    ((matrix_fn *)self->user->function)(x, z, p, T, self->param, self->user->payload, values);
}

static double matrix_entry(const sri_kernel_term *self, const sri_point *x, const sri_point *z,
                           int64_t p)
{
    double values[SRI_MATRIX_OUTPUTS * SRI_MATRIX_OUTPUTS];
    const int64_t T = sri_term_outputs(self);
    if (x->label < 0 || z->label < 0 || x->label >= T || z->label >= T)
        return NAN;
    sri_kernel_user_matrix(self, x->x, z->x, p, values);
    return values[x->label * T + z->label];
}

static double each(const sri_kernel_term *self, const sri_point *x, const sri_point *z, int64_t p)
{
    double value = 0;
    if (self->user->is_matrix)
        return matrix_entry(self, x, z, p);
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

specreg_status specreg_register_matrix_kernel(specreg_context *ctx,
                                              const specreg_matrix_kernel_def *def)
{
    SRI_ARGS(ctx, def);
    SRI_CHECK(ctx, def->struct_size >= sizeof *def && def->eval, SPECREG_E_ARG,
              "matrix kernel definition without struct_size, or without eval");
    SRI_CHECK(ctx, !def->name || !sri_kernel_builtin(def->name), SPECREG_E_ARG,
              "kernel '%s' is built in", def->name);
    SRI_CHECK(ctx, def->outputs >= 0 && def->outputs <= SRI_MATRIX_OUTPUTS, SPECREG_E_ARG,
              "kernel '%s': its matrices are for 1 to %d outputs, or 0 for any number, not %lld",
              def->name ? def->name : "", (int)SRI_MATRIX_OUTPUTS, (long long)def->outputs);
    return sri_register(ctx, &ctx->kernels, "kernel",
                        &(sri_registration){.name = def->name,
                                            .params = def->params,
                                            .n_params = def->n_params,
                                            .payload = def->payload,
                                            .function = (void (*)(void))def->eval,
                                            .is_matrix = true,
                                            .outputs = def->outputs});
}

bool sri_kernel_is_matrix(const sri_kernel *kernel)
{
    for (int t = 0; t < kernel->n_terms; t++)
        if (sri_term_is_matrix(&kernel->term[t]))
            return true;
    return false;
}

bool sri_product_is_matrix(const sri_kernel *kernel, int t)
{
    for (t = sri_product_begin(kernel, t); !sri_term_is_matrix(&kernel->term[t]); t++)
        if (sri_product_ends(kernel, t))
            return false;
    return true;
}

specreg_status sri_kernel_matrix_check(specreg_context *ctx, const sri_kernel *kernel, int64_t T)
{
    for (int t = 0; t < kernel->n_terms; t++) {
        const sri_kernel_term *term = &kernel->term[t];
        if (!sri_term_is_matrix(term))
            continue;
        SRI_CHECK(ctx, T <= SRI_MATRIX_OUTPUTS, SPECREG_E_SHAPE,
                  "kernel %s: matrix-valued kernels are for up to %d outputs, there are %lld",
                  term->user->name, (int)SRI_MATRIX_OUTPUTS, (long long)T);
        SRI_CHECK(ctx, !term->user->outputs || term->user->outputs == T, SPECREG_E_SHAPE,
                  "kernel %s is for %lld outputs, there are %lld", term->user->name,
                  (long long)term->user->outputs, (long long)T);
    }
    return SPECREG_OK;
}
