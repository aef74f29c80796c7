/* W^(1/2) K W^(1/2): sample weights, for any operator. */
#include <math.h>

#include "core/memory.h"
#include "op/op.h"

typedef struct weighted_op {
    sri_op base;
    double *root;    /* square roots of the weights */
    double heaviest; /* the largest weight        */
} weighted_op;

static double rounding(const sri_op *self, double inside)
{
    return inside * self->inner->mass * ((const weighted_op *)self)->heaviest / self->mass;
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
    SRI_TRY(sri_op_follow(self, sri_op_apply(ctx, self->inner, t, scaled, Y)));
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
    const specreg_status st = sri_op_follow(self, sri_op_fill(ctx, self->inner, full, K));
    for (int64_t i = 0; st == SPECREG_OK && i < n; i++)
        for (int64_t j = 0; j < (full ? n : i + 1); j++)
            K[i * n + j] *= op->root[i] * op->root[j];
    return st;
}

static specreg_status diagonal(specreg_context *ctx, sri_op *self, double *d)
{
    const specreg_status st = sri_op_follow(self, self->inner->ops->diagonal(ctx, self->inner, d));
    for (int64_t i = 0; st == SPECREG_OK && i < self->n; i++)
        d[i] *= self->weight[i];
    return st;
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
    .rounding = rounding,
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
