#include "op/op.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "op/rounded.h"

double sri_op_stored_bytes(const sri_op *op)
{
    if (op->single)
        return sri_rounded_bytes(op->n);
    return op->n < SRI_OP_WHOLE ? 8.0 * (double)op->n * (double)op->n
                                : sri_triangle_bytes(op->n, false);
}

specreg_status sri_op_apply(specreg_context *ctx, sri_op *op, int64_t t, const double *X, double *Y)
{
    return op->ops->apply(ctx, op, t, X, Y);
}

specreg_status sri_op_fill(specreg_context *ctx, sri_op *op, bool full, double *K)
{
    return op->ops->fill(ctx, op, full, K);
}

specreg_status sri_op_prepare(specreg_context *ctx, sri_op *op, int64_t budget)
{
    bool done = false;
    const specreg_status st =
        op->single ? sri_op_prepare_single(ctx, op, budget, NULL, &done) : SPECREG_OK;
    if (st != SPECREG_OK || done)
        return st;
    return op->ops->prepare ? op->ops->prepare(ctx, op, budget) : SPECREG_OK;
}

specreg_status sri_op_prepare_single(specreg_context *ctx, sri_op *op, int64_t budget,
                                     const int64_t *order, bool *done)
{
    *done = false;
    return op->ops->prepare_single ? op->ops->prepare_single(ctx, op, budget, order, done)
                                   : SPECREG_OK;
}

specreg_status sri_op_kappa2(specreg_context *ctx, sri_op *op, double *kappa2)
{
    specreg_status st = SPECREG_OK;
    double *d = NULL;
    *kappa2 = 0;
    if (op->ops->kappa2) {
        SRI_TRY(op->ops->kappa2(ctx, op, kappa2));
        goto check;
    }
    SRI_ALLOC(ctx, d, op->n, 1);
    SRI_TRY(op->ops->diagonal(ctx, op, d));
    for (int64_t i = 0; i < op->n; i++)
        *kappa2 = fmax(*kappa2, op->weight ? d[i] / op->weight[i] : d[i]);
check:
    SRI_REQUIRE(ctx, *kappa2 > 0, SPECREG_E_NUMERIC,
                "the kernel is zero on every row: there is nothing to learn from");
done:
    free(d);
    return st;
}

void sri_op_outputs(sri_op *op, const sri_kernel *kernel)
{
    if (op->ops->outputs)
        op->ops->outputs(op, kernel);
}

double sri_mass(int64_t n, const double *weight, const double *share)
{
    double mass = 0;
    for (int64_t i = 0; i < n; i++)
        mass += (weight ? weight[i] : 1) * (share ? share[i] : 1);
    return mass;
}

void sri_op_free(sri_op *op)
{
    if (!op)
        return;
    if (op->ops->destroy)
        op->ops->destroy(op);
    free(op->s);
    free(op->V);
    free(op);
}
