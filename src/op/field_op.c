/* The operator of a vector-field kernel over n points of T coordinates: order n T, mass n.  Its
 * matrix is stored when that fits the budget; else products compute it on the way. */
#include "backend/blas.h"
#include "core/memory.h"
#include "op/op.h"

typedef struct field_op {
    sri_op base;
    sri_field field;
    const double *X; /* n x T, by reference */
    int64_t points;
    double *stored;    /* n T x n T, or NULL */
    sri_kernel kernel; /* the same over points that are one component each, where there are such */
} field_op;

static specreg_status fill(specreg_context *ctx, sri_op *self, bool full, double *K)
{
    const field_op *op = (field_op *)self;
    const double start = sri_clock();
    const specreg_status st = sri_field_fill(ctx, &op->field, op->X, op->points, full, K);
    self->seconds += sri_clock() - start;
    return st;
}

static specreg_status apply(specreg_context *ctx, sri_op *self, int64_t t, const double *X,
                            double *Y)
{
    const field_op *op = (field_op *)self;
    if (op->stored) {
        SRI_CALL(sri_product(ctx, (sri_dense){self->n, self->n, op->stored, self->n}, t, X, Y));
        SRI_CALL(sri_poll(ctx));
    } else {
        const double start = sri_clock();
        SRI_CALL(
            sri_field_product(ctx,
                              &(sri_field_matrix){&op->field, op->X, op->points, op->X, op->points},
                              t, X, Y));
        self->seconds += sri_clock() - start;
    }
    return SPECREG_OK;
}

static specreg_status diagonal(specreg_context *ctx, sri_op *self, double *d)
{
    const field_op *op = (field_op *)self;
    if (op->field.others)
        return sri_kernel_diagonal(ctx, &op->kernel, self->centres.points, d);
    for (int64_t i = 0; i < self->n; i++)
        d[i] = sri_field_diagonal(&op->field);
    return SPECREG_OK;
}

static specreg_status prepare(specreg_context *ctx, sri_op *self, int64_t budget)
{
    specreg_status st = SPECREG_OK;
    field_op *op = (field_op *)self;
    const double order = (double)self->n;
    if (op->stored || order * order * sizeof(double) > (double)budget)
        return SPECREG_OK;
    SRI_ALLOC(ctx, op->stored, self->n, self->n);
    SRI_TRY(fill(ctx, self, true, op->stored));
done:
    if (st != SPECREG_OK) {
        sri_free(op->stored);
        op->stored = NULL;
    }
    return st;
}

static void destroy(sri_op *self)
{
    sri_free(((field_op *)self)->stored);
}

static const sri_op_ops ops = {
    .name = "field",
    .apply = apply,
    .fill = fill,
    .diagonal = diagonal,
    .prepare = prepare,
    .destroy = destroy,
};

specreg_status sri_op_field(specreg_context *ctx, const sri_field *field, const double *X,
                            int64_t n, sri_op **out)
{
    field_op *op = sri_calloc(ctx, 1, 1, sizeof *op);
    *out = op ? &op->base : NULL;
    if (!op)
        return SPECREG_E_NOMEM;
    const double T = (double)field->T;
    op->base = (sri_op){.ops = &ops,
                        .n = n * field->T,
                        .centres = {NULL, n * field->T},
                        .mass = (double)n,
                        /* a value is a distance, and T^2 entries are made of it */
                        .shape = {.value_flops = 3 * T + 3 * T * T, .value_entries = T * T}};
    op->field = *field;
    op->X = X;
    op->points = n;
    return SPECREG_OK;
}

static bool has_user(const sri_kernel *kernel)
{
    for (int t = 0; t < kernel->n_terms; t++)
        if (kernel->term[t].user)
            return true;
    return false;
}

specreg_status sri_op_field_points(specreg_context *ctx, const sri_kernel *kernel,
                                   const sri_points *points, sri_op **out)
{
    const sri_matrix *vectors = &points->rows.x;
    const sri_field field = sri_kernel_field(kernel, vectors->p);
    SRI_CALL(sri_op_field(ctx, &field, vectors->x, vectors->n, out));
    field_op *op = (field_op *)*out;
    op->kernel = *kernel;
    op->field.others = field.others ? &op->kernel : NULL;
    if (!has_user(kernel))                      /* whose values need not be positive definite */
        op->base.revealed.kernel = &op->kernel; /* entry by entry is fast enough for a few rows */
    op->base.revealed.points = points;
    (*out)->share = points->share;
    (*out)->centres.points = points;
    return SPECREG_OK;
}
