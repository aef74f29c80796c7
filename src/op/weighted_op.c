/* W^(1/2) K W^(1/2): sample weights, for any operator. */
#include <math.h>

#include "core/memory.h"
#include "op/op.h"

typedef struct weighted_op {
    sri_op base;
    double *root;    /* square roots of the weights */
    double heaviest; /* the largest weight        */
} weighted_op;

/* What an operator tells about itself follows the one inside. */
static specreg_status follow(weighted_op *op, specreg_status st)
{
    op->base.seconds = op->base.inner->seconds;
    op->base.rounding =
        op->base.inner->rounding * op->base.inner->mass * op->heaviest / op->base.mass;
    return st;
}

static specreg_status apply(specreg_context *ctx, sri_op *self, int64_t t, const double *X,
                            double *Y)
{
    specreg_status st = SPECREG_OK;
    weighted_op *op = (weighted_op *)self;
    double *scaled = NULL;
    SRI_ALLOC(ctx, scaled, self->n, t);
    for (int64_t i = 0; i < self->n; i++)
        for (int64_t c = 0; c < t; c++)
            scaled[i * t + c] = op->root[i] * X[i * t + c];
    SRI_TRY(follow(op, sri_op_apply(ctx, op->base.inner, t, scaled, Y)));
    for (int64_t i = 0; i < self->n; i++)
        for (int64_t c = 0; c < t; c++)
            Y[i * t + c] *= op->root[i];
done:
    sri_free(scaled);
    return st;
}

static specreg_status fill(specreg_context *ctx, sri_op *self, bool full, double *K)
{
    weighted_op *op = (weighted_op *)self;
    const int64_t n = self->n;
    const specreg_status st = follow(op, sri_op_fill(ctx, op->base.inner, full, K));
    for (int64_t i = 0; st == SPECREG_OK && i < n; i++)
        for (int64_t j = 0; j < (full ? n : i + 1); j++)
            K[i * n + j] *= op->root[i] * op->root[j];
    return st;
}

static specreg_status diagonal(specreg_context *ctx, sri_op *self, double *d)
{
    weighted_op *op = (weighted_op *)self;
    const specreg_status st = follow(op, op->base.inner->ops->diagonal(ctx, op->base.inner, d));
    for (int64_t i = 0; st == SPECREG_OK && i < self->n; i++)
        d[i] *= self->weight[i];
    return st;
}

static specreg_status prepare(specreg_context *ctx, sri_op *self, int64_t budget)
{
    weighted_op *op = (weighted_op *)self;
    return follow(op, sri_op_prepare(ctx, op->base.inner, budget));
}

static specreg_status prepare_single(specreg_context *ctx, sri_op *self, int64_t budget,
                                     const int64_t *order, bool *done)
{
    weighted_op *op = (weighted_op *)self;
    return follow(op, sri_op_prepare_single(ctx, op->base.inner, budget, order, done));
}

static specreg_status factor(specreg_context *ctx, sri_op *self, sri_low_rank **out)
{
    sri_op *inner = self->inner;
    *out = NULL;
    return inner->ops->factor ? inner->ops->factor(ctx, inner, out) : SPECREG_OK;
}

static void destroy(sri_op *self)
{
    sri_free(((weighted_op *)self)->root);
}

static const sri_op_ops ops = {
    .name = "weighted",
    .apply = apply,
    .fill = fill,
    .diagonal = diagonal,
    .prepare = prepare,
    .prepare_single = prepare_single,
    .factor = factor,
    .destroy = destroy,
};

specreg_status sri_op_weighted(specreg_context *ctx, sri_op *inner, const double *weight,
                               sri_op **out)
{
    specreg_status st = SPECREG_OK;
    weighted_op *op = NULL;
    *out = NULL;
    SRI_CALLOC(ctx, op, 1, 1);
    SRI_ALLOC(ctx, op->root, inner->n, 1);
    op->base = *inner;
    op->base.ops = &ops;
    op->base.inner = inner;
    op->base.weight = weight;
    op->base.mass = sri_mass(inner->n, weight, inner->share);
    for (int64_t i = 0; i < inner->n; i++) {
        op->root[i] = sqrt(weight[i]);
        op->heaviest = fmax(op->heaviest, weight[i]);
    }
    *out = &op->base;
    return SPECREG_OK;
done:
    sri_free(op);
    sri_op_free(inner);
    return st;
}

specreg_status sri_op_kernel_weighted(specreg_context *ctx, const sri_kernel *kernel,
                                      const sri_points *points, const double *weight, sri_op **out)
{
    const specreg_status st = sri_op_kernel(ctx, kernel, points, out);
    return st == SPECREG_OK && weight ? sri_op_weighted(ctx, *out, weight, out) : st;
}
