#include "op/op.h"

#include <math.h>

#include "core/memory.h"

sri_shape sri_op_shape(const sri_op *op)
{
    sri_shape shape = op->shape;
    shape.n = op->n;
    shape.single = op->single;
    shape.rank = op->revealed.factor ? op->revealed.factor->rank : 0;
    return shape;
}

void sri_op_product_cost(const sri_op *op, const sri_shape *shape, bool stored, double columns,
                         double times, sri_cost *cost)
{
    if (op->ops->product_cost)
        op->ops->product_cost(op, shape, stored, columns, times, cost);
    else if (op->inner)
        sri_op_product_cost(op->inner, shape, stored, columns, times, cost);
    else
        sri_matrix_product_cost(shape, stored, columns, times, cost);
}

double sri_op_stored_bytes(const sri_op *op, const sri_shape *shape)
{
    if (op->ops->stored_bytes)
        return op->ops->stored_bytes(op, shape);
    return op->inner ? sri_op_stored_bytes(op->inner, shape) : sri_matrix_stored_bytes(shape);
}

specreg_status sri_op_follow(sri_op *op, specreg_status st)
{
    const double off = op->inner->rounding;
    op->seconds = op->inner->seconds;
    op->rounding = op->ops->rounding ? op->ops->rounding(op, off) : off;
    return st;
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
    if (op->ops->prepare)
        return op->ops->prepare(ctx, op, budget);
    return op->inner ? sri_op_follow(op, sri_op_prepare(ctx, op->inner, budget)) : SPECREG_OK;
}

specreg_status sri_op_prepare_single(specreg_context *ctx, sri_op *op, int64_t budget,
                                     const int64_t *order, bool *done)
{
    *done = false;
    if (op->ops->prepare_single)
        return op->ops->prepare_single(ctx, op, budget, order, done);
    return op->inner ? sri_op_follow(op, sri_op_prepare_single(ctx, op->inner, budget, order, done))
                     : SPECREG_OK;
}

specreg_status sri_op_kappa2(specreg_context *ctx, sri_op *op, double *kappa2)
{
    specreg_status st = SPECREG_OK;
    double *d = NULL;
    *kappa2 = 0;
    /* A kernel that needs polynomials has S K S' in place of itself. */
    if (op->inner && !(op->projection && op->revealed.conditional))
        return sri_op_kappa2(ctx, op->inner, kappa2);
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
    sri_free(d);
    return st;
}

void sri_op_couple(sri_op *op, const sri_kernel *kernel)
{
    if (op->ops->couple)
        op->ops->couple(op, kernel);
    if (!op->inner)
        return;
    sri_op_couple(op->inner, kernel);
    op->coupling_norm = op->inner->coupling_norm;
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
    if (!op->inner && op->revealed.factor) {
        sri_low_rank_free(op->revealed.factor);
        sri_free(op->revealed.factor);
    }
    sri_op_free(op->inner);
    sri_free(op->pairs.s);
    sri_free(op->pairs.V);
    sri_free(op);
}
