/* S K S': what unpenalised terms leave of an operator. */
#include <string.h>

#include "backend/blas.h"
#include "core/arena.h"
#include "op/op.h"

typedef struct projected_op {
    sri_op base;
    sri_projection *p;
    double *KD;  /* l x n: K D; NULL: not known yet      */
    double *DKD; /* l x l                                */
    bool single; /* products are in single precision     */
} projected_op;

static void forget(projected_op *op)
{
    sri_free(op->DKD);
    sri_free(op->KD);
    op->KD = op->DKD = NULL;
}

static specreg_status apply(specreg_context *ctx, sri_op *self, int64_t t, const double *X,
                            double *Y)
{
    specreg_status st = SPECREG_OK;
    projected_op *op = (projected_op *)self;
    double *c = NULL;
    SRI_ALLOC(ctx, c, self->n, t);
    memcpy(c, X, (size_t)(self->n * t) * sizeof *c);
    SRI_TRY(sri_project_back(ctx, op->p, t, c));
    SRI_TRY(sri_op_follow(&op->base, sri_op_apply(ctx, op->base.inner, t, c, Y)));
    SRI_TRY(sri_project(ctx, op->p, t, Y));
done:
    sri_free(c);
    return st;
}

static specreg_status find_rest(specreg_context *ctx, projected_op *op)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t n = op->base.n, l = op->p->l;
    double *D, *KD;
    if (op->KD)
        return st;
    if (op->single)
        SRI_TRY(sri_op_prepare(ctx, &op->base, 0));
    SRI_SCRATCH(ctx, &scratch, D, n, l);
    SRI_SCRATCH(ctx, &scratch, KD, n, l);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < l; j++)
            D[i * l + j] = op->p->D[j * n + i];
    SRI_TRY(sri_op_follow(&op->base, sri_op_apply(ctx, op->base.inner, l, D, KD)));
    SRI_ALLOC(ctx, op->DKD, l, l);
    SRI_ALLOC(ctx, op->KD, l, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < l; j++)
            op->KD[j * n + i] = KD[i * l + j];
    sri_gemm(false, false, l, l, n, 1, op->p->D, n, KD, l, 0, op->DKD, l);
done:
    sri_arena_free(&scratch);
    if (st != SPECREG_OK)
        forget(op);
    return st;
}

/* S K S' = K - U'Z - Z'U with Z = KD - DKD U / 2, all of them l x n; *Z is newly allocated. */
static specreg_status find_less(specreg_context *ctx, projected_op *op, double **Z)
{
    const int64_t n = op->base.n, l = op->p->l;
    SRI_CALL(find_rest(ctx, op));
    SRI_NEW(ctx, *Z, l, n);
    memcpy(*Z, op->KD, (size_t)(l * n) * sizeof **Z);
    sri_gemm(false, false, l, n, l, -0.5, op->DKD, l, op->p->U, n, 1, *Z, n);
    return SPECREG_OK;
}

static specreg_status fill(specreg_context *ctx, sri_op *self, bool full, double *K)
{
    specreg_status st = SPECREG_OK;
    projected_op *op = (projected_op *)self;
    double *Z = NULL;
    SRI_TRY(find_less(ctx, op, &Z));
    SRI_TRY(sri_op_follow(&op->base, sri_op_fill(ctx, op->base.inner, false, K)));
    sri_syr2k_subtract(self->n, op->p->l, op->p->U, Z, K);
    if (full)
        sri_mirror(self->n, K, self->n);
done:
    sri_free(Z);
    return st;
}

static specreg_status diagonal(specreg_context *ctx, sri_op *self, double *d)
{
    specreg_status st = SPECREG_OK;
    projected_op *op = (projected_op *)self;
    const int64_t n = self->n, l = op->p->l;
    double *Z = NULL;
    SRI_TRY(find_less(ctx, op, &Z));
    SRI_TRY(sri_op_follow(&op->base, op->base.inner->ops->diagonal(ctx, op->base.inner, d)));
    for (int64_t a = 0; a < l; a++)
        for (int64_t i = 0; i < n; i++)
            d[i] -= 2 * op->p->U[a * n + i] * Z[a * n + i];
done:
    sri_free(Z);
    return st;
}

static void couple(sri_op *self, const sri_kernel *kernel)
{
    (void)kernel;
    forget((projected_op *)self);
}

static specreg_status prepare(specreg_context *ctx, sri_op *self, int64_t budget)
{
    projected_op *op = (projected_op *)self;
    op->single = false;
    return sri_op_follow(&op->base, sri_op_prepare(ctx, op->base.inner, budget));
}

static specreg_status prepare_single(specreg_context *ctx, sri_op *self, int64_t budget,
                                     const int64_t *order, bool *done)
{
    projected_op *op = (projected_op *)self;
    const specreg_status st = sri_op_prepare_single(ctx, op->base.inner, budget, order, done);
    op->single = *done;
    return sri_op_follow(&op->base, st);
}

static void destroy(sri_op *self)
{
    projected_op *op = (projected_op *)self;
    forget(op);
    sri_projection_free(op->p);
}

static const sri_op_ops ops = {
    .name = "projected",
    .apply = apply,
    .fill = fill,
    .diagonal = diagonal,
    .couple = couple,
    .prepare = prepare,
    .prepare_single = prepare_single,
    .destroy = destroy,
};

specreg_status sri_op_projected(specreg_context *ctx, sri_op *inner, sri_projection *projection,
                                sri_op **out)
{
    specreg_status st = SPECREG_OK;
    projected_op *op = NULL;
    *out = NULL;
    SRI_CALLOC(ctx, op, 1, 1);
    op->base = *inner;
    op->base.ops = &ops;
    op->base.inner = inner;
    op->base.projection = projection;
    if (projection->pivots) /* not orthogonal, it makes what a factor leaves larger */
        op->base.revealed.kernel = NULL;
    op->p = projection;
    *out = &op->base;
    return SPECREG_OK;
done:
    sri_projection_free(projection);
    sri_op_free(inner);
    return st;
}

specreg_status sri_op_raise(specreg_context *ctx, const sri_op *op, double factor, double *K,
                            double *raised)
{
    specreg_status st = SPECREG_OK;
    const sri_projection *p = op->projection;
    double *U = NULL;
    *raised = 0;
    if (!p || p->pivots)
        return st;
    SRI_ALLOC(ctx, U, p->l, p->n);
    for (int64_t i = 0; i < p->n; i++)
        *raised += factor * K[i * p->n + i];
    *raised = *raised > 0 ? *raised : 1;
    for (int64_t k = 0; k < p->l * p->n; k++)
        U[k] = -*raised / 2 * p->U[k];
    sri_syr2k_subtract(p->n, p->l, p->U, U, K); /* U'U twice, half each */
done:
    sri_free(U);
    return st;
}

specreg_status sri_op_projected_rest(specreg_context *ctx, sri_op *op, const double **KD)
{
    const specreg_status st = find_rest(ctx, (projected_op *)op);
    *KD = ((projected_op *)op)->KD;
    return st;
}
