/* K between points with the same label, 0 between others: K o S, S_ij = 1 where the outputs or
 * tasks of points i and j are the same.  A block for each label, stored. */
#include <string.h>

#include "backend/blas.h"
#include "core/arena.h"
#include "op/op.h"

enum { MANY_LABELS = 8, SERIAL = 100000 };

typedef struct same_op {
    sri_op base;
    sri_arena memory;  /* of the arrays below */
    sri_kernel kernel; /* without a coupling  */
    const sri_points *points;
    int64_t labels;
    int64_t *begin; /* labels + 1: where a label's points begin ...         */
    int64_t *row;   /* ... among these, all points sorted by label          */
    double *block;  /* one after the other, each full; NULL: not yet        */
    int64_t *at;    /* labels + 1: where they begin                         */
} same_op;

static int64_t label_of(const sri_points *points, int64_t i)
{
    return sri_view_label(&points->rows, i);
}

static specreg_status fill_blocks(specreg_context *ctx, same_op *op)
{
    specreg_status st = SPECREG_OK;
    sri_points *own = NULL;
    const double start = sri_clock();
    SRI_SCRATCH(ctx, &op->memory, op->block, op->at[op->labels], 1);
    for (int64_t k = 0; k < op->labels; k++) {
        const int64_t size = op->begin[k + 1] - op->begin[k];
        if (!size)
            continue;
        SRI_TRY(sri_points_subset(ctx, op->points, op->row + op->begin[k], size, &own));
        SRI_TRY(sri_kernel_gram(ctx, &op->kernel, own, true, op->block + op->at[k], size));
        sri_points_free(own);
        own = NULL;
    }
    op->base.seconds += sri_clock() - start;
done:
    sri_points_free(own);
    return st;
}

typedef struct product { /* Y = K X with t columns, and space for a label's rows of each */
    int64_t t;
    const double *X;
    double *Y, *own_X, *own_Y;
} product;

/* The rows of one label, one after the other. */
static void gather(const same_op *op, int64_t k, const product *p, double *own)
{
    const size_t row = (size_t)p->t * sizeof *own;
    for (int64_t i = op->begin[k]; i < op->begin[k + 1]; i++)
        memcpy(own + (i - op->begin[k]) * p->t, p->X + op->row[i] * p->t, row);
}

/* Y in the rows of label k = its block times X there. */
static void small_block(const same_op *op, int64_t k, const product *p)
{
    const int64_t size = op->begin[k + 1] - op->begin[k], t = p->t;
    double *own = p->own_X + op->begin[k] * t;
    gather(op, k, p, own);
    for (int64_t i = 0; i < size; i++) {
        const double *K = op->block + op->at[k] + i * size;
        double *y = p->Y + op->row[op->begin[k] + i] * t;
        memset(y, 0, (size_t)t * sizeof *y);
        for (int64_t j = 0; j < size; j++)
#pragma omp simd
            for (int64_t c = 0; c < t; c++)
                y[c] += K[j] * own[j * t + c];
    }
}

static specreg_status large_block(specreg_context *ctx, const same_op *op, int64_t k,
                                  const product *p)
{
    const int64_t size = op->begin[k + 1] - op->begin[k], t = p->t;
    gather(op, k, p, p->own_X);
    const specreg_status st = sri_product(ctx, (sri_dense){size, size, op->block + op->at[k], size},
                                          t, p->own_X, p->own_Y);
    for (int64_t i = 0; i < size; i++)
        memcpy(p->Y + op->row[op->begin[k] + i] * t, p->own_Y + i * t, (size_t)t * sizeof *p->Y);
    return st;
}

static specreg_status apply(specreg_context *ctx, sri_op *self, int64_t t, const double *X,
                            double *Y)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    same_op *op = (same_op *)self;
    product p = {.t = t, .X = X, .Y = Y};
    if (!op->block)
        SRI_TRY(fill_blocks(ctx, op));
    SRI_SCRATCH(ctx, &scratch, p.own_X, self->n, t);
    SRI_SCRATCH(ctx, &scratch, p.own_Y, op->labels < MANY_LABELS ? self->n : 0, t);
    if (op->labels < MANY_LABELS) {
        for (int64_t k = 0; k < op->labels; k++)
            SRI_TRY(large_block(ctx, op, k, &p));
        goto done;
    }
#pragma omp parallel for schedule(dynamic, 1) if (op->at[op->labels] * t > SERIAL)
    for (int64_t k = 0; k < op->labels; k++)
        small_block(op, k, &p);
done:
    sri_arena_free(&scratch);
    return st;
}

static specreg_status fill(specreg_context *ctx, sri_op *self, bool full, double *K)
{
    const same_op *op = (same_op *)self;
    const int64_t n = self->n;
    const specreg_status st = sri_kernel_gram(ctx, &op->kernel, op->points, full, K, n);
    for (int64_t i = 0; st == SPECREG_OK && i < n; i++)
        for (int64_t j = 0; j < (full ? n : i + 1); j++)
            K[i * n + j] *= label_of(op->points, i) == label_of(op->points, j);
    return st;
}

static specreg_status diagonal(specreg_context *ctx, sri_op *self, double *d)
{
    const same_op *op = (same_op *)self;
    return sri_kernel_diagonal(ctx, &op->kernel, op->points, d);
}

static void destroy(sri_op *self)
{
    sri_arena_free(&((same_op *)self)->memory);
}

static const sri_op_ops ops = {
    .name = "same",
    .apply = apply,
    .fill = fill,
    .diagonal = diagonal,
    .destroy = destroy,
};

double sri_op_same_bytes(const sri_points *points, int64_t labels)
{
    double *count = sri_calloc(NULL, labels, 1, sizeof *count), sum = 0;
    for (int64_t i = 0; count && i < points->n; i++) {
        const int64_t k = label_of(points, i);
        sum += 2 * count[k] + 1; /* (c + 1)^2 - c^2 */
        count[k]++;
    }
    sri_free(count);
    return count ? 8 * sum : 8 * (double)points->n * (double)points->n;
}

specreg_status sri_op_same(specreg_context *ctx, const sri_kernel *kernel, const sri_points *points,
                           int64_t labels, sri_op **out)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = points->n;
    int64_t *next = NULL;
    same_op *op = NULL;
    *out = NULL;
    SRI_CALLOC(ctx, op, 1, 1);
    op->base = (sri_op){.ops = &ops,
                        .n = n,
                        .centres = {points, n},
                        .mass = sri_mass(n, NULL, points->share),
                        .share = points->share,
                        .coupling_norm = 1,
                        .shape = {.value_flops = 3.0 * (double)sri_points_width(points)}};
    op->kernel = *kernel;
    for (int t = 0; t < kernel->n_terms; t++)
        op->kernel.term[t].coupling = NULL;
    op->points = points;
    op->labels = labels;
    SRI_SCRATCH_ZERO(ctx, &op->memory, op->begin, labels + 1, 1);
    SRI_SCRATCH_ZERO(ctx, &op->memory, op->at, labels + 1, 1);
    SRI_SCRATCH(ctx, &op->memory, op->row, n, 1);
    SRI_ALLOC(ctx, next, labels, 1);
    for (int64_t i = 0; i < n; i++)
        op->begin[label_of(points, i) + 1]++;
    for (int64_t k = 0; k < labels; k++) {
        op->at[k + 1] = op->at[k] + op->begin[k + 1] * op->begin[k + 1];
        op->begin[k + 1] += op->begin[k];
        next[k] = op->begin[k];
    }
    for (int64_t i = 0; i < n; i++)
        op->row[next[label_of(points, i)]++] = i;
    *out = &op->base;
    op = NULL;
done:
    sri_free(next);
    if (op)
        sri_op_free(&op->base);
    return st;
}
