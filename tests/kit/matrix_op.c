/* A given symmetric matrix as an operator. */
#include "kit/kit.h"

#include "backend/blas.h"
#include "core/memory.h"
#include "op/op.h"

typedef struct matrix_op {
    sri_op base;
    const double *K;
} matrix_op;

static specreg_status apply(specreg_context *ctx, sri_op *self, int64_t t, const double *X,
                            double *Y)
{
    return sri_product(ctx, (sri_dense){self->n, self->n, ((matrix_op *)self)->K, self->n}, t, X,
                       Y);
}

static specreg_status fill(specreg_context *ctx, sri_op *self, bool full, double *K)
{
    (void)ctx, (void)full;
    memcpy(K, ((matrix_op *)self)->K, (size_t)(self->n * self->n) * sizeof *K);
    return SPECREG_OK;
}

static specreg_status diagonal(specreg_context *ctx, sri_op *self, double *d)
{
    (void)ctx;
    for (int64_t i = 0; i < self->n; i++)
        d[i] = ((matrix_op *)self)->K[i * self->n + i];
    return SPECREG_OK;
}

static const sri_op_ops ops = {
    .name = "matrix",
    .apply = apply,
    .fill = fill,
    .diagonal = diagonal,
};

specreg_status kit_op_matrix(specreg_context *ctx, const double *K, int64_t n, sri_op **out)
{
    matrix_op *op = sri_calloc(ctx, 1, 1, sizeof *op);
    *out = op ? &op->base : NULL;
    if (!op)
        return SPECREG_E_NOMEM;
    op->base = (sri_op){.ops = &ops, .n = n, .centres = {NULL, n}, .mass = (double)n};
    op->K = K;
    return SPECREG_OK;
}
