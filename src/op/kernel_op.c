/* The operator of a kernel over points.  Its matrix is stored when that fits the budget, a large
 * one as one triangle; else each product computes it again, a block of rows at a time.  A linear
 * kernel multiplies by X' and then by X instead, where these are smaller. */
#include <math.h>

#include "backend/blas.h"
#include "core/memory.h"
#include "kernel/linear_map.h"
#include "op/op.h"
#include "op/rounded.h"

typedef struct kernel_op {
    sri_op base;
    sri_kernel kernel;
    const sri_points *points;
    double *whole;        /* its matrix, n x n, or NULL            */
    sri_triangle *stored; /* or one triangle of it, or NULL        */
    sri_rounded *single;  /* the same in single precision, or NULL */
} kernel_op;

static specreg_status fill(specreg_context *ctx, sri_op *self, bool full, double *K)
{
    const kernel_op *op = (kernel_op *)self;
    const double start = sri_clock();
    const specreg_status st = sri_kernel_gram(ctx, &op->kernel, op->points, full, K, self->n);
    self->seconds += sri_clock() - start;
    return st;
}

/* Products of a matrix that is not stored: nearly all of it goes into kernel values. */
static specreg_status apply_blocks(specreg_context *ctx, kernel_op *op, int64_t t, const double *X,
                                   double *Y)
{
    const sri_points *pts = op->points;
    const sri_kernel_matrix K = {&op->kernel, &pts->rows, pts};
    const double start = sri_clock();
    const specreg_status st = pts->stored == SRI_STORED_SPARSE
                                  ? sri_kernel_rows_product(ctx, &K, t, X, Y)
                                  : sri_kernel_square_product(ctx, &op->kernel, pts, t, X, Y);
    op->base.seconds += sri_clock() - start;
    return st;
}

/* Y = scale A (A'X). */
static specreg_status apply_factors(specreg_context *ctx, sri_op *self, int64_t t, const double *X,
                                    double *Y)
{
    const sri_linear_map map = sri_linear_map_make(self->linear.points, self->linear.scale, NULL);
    const specreg_status st = sri_linear_square(ctx, &map, t, X, Y);
    return st == SPECREG_OK ? sri_poll(ctx) : st;
}

static specreg_status apply(specreg_context *ctx, sri_op *self, int64_t t, const double *X,
                            double *Y)
{
    kernel_op *op = (kernel_op *)self;
    if (sri_shape_by_factors(&self->shape))
        return apply_factors(ctx, self, t, X, Y);
    if (!op->whole && !op->stored && !op->single)
        return apply_blocks(ctx, op, t, X, Y);
    const sri_dense whole = {self->n, self->n, op->whole, self->n};
    const specreg_status st = op->single  ? sri_rounded_product(ctx, op->single, t, X, Y)
                              : op->whole ? sri_product(ctx, whole, t, X, Y)
                                          : sri_triangle_product(ctx, op->stored, t, X, Y);
    return st == SPECREG_OK ? sri_poll(ctx) : st;
}

static specreg_status diagonal(specreg_context *ctx, sri_op *self, double *d)
{
    const kernel_op *op = (kernel_op *)self;
    return sri_kernel_diagonal(ctx, &op->kernel, op->points, d);
}

/* max_i |Gamma(x_i, x_i)|: of points that are all outputs of their row together, k(x_i, x_i)
 * times the largest eigenvalue of A.  Of a user's matrices a bound: the outputs of a row times the
 * largest value on the diagonal. */
static specreg_status kappa2(specreg_context *ctx, sri_op *self, double *value)
{
    specreg_status st = SPECREG_OK;
    const kernel_op *op = (kernel_op *)self;
    const bool matrix = sri_kernel_is_matrix(&op->kernel);
    const bool alone = matrix || (sri_points_labelled(op->points) && !op->points->share);
    sri_kernel kernel = op->kernel;
    double *d = NULL;
    *value = 0;
    SRI_ALLOC(ctx, d, self->n, 1);
    for (int t = 0; t < kernel.n_terms && !alone; t++) {
        const sri_coupling *c = kernel.term[t].coupling;
        kernel.term[t].weight *= c ? c->a[c->T - 1] : 1;
        kernel.term[t].coupling = NULL;
    }
    SRI_TRY(sri_kernel_diagonal(ctx, &kernel, op->points, d));
    for (int64_t i = 0; matrix && op->points->share && i < self->n; i++)
        d[i] /= op->points->share[i];
    for (int64_t i = 0; i < self->n; i++)
        *value = d[i] > *value ? d[i] : *value;
done:
    sri_free(d);
    return st;
}

/* The coupling of outputs that every row has is left to the engine. */
static double coupling_norm(const sri_kernel *kernel, const sri_points *points)
{
    const sri_coupling *c = sri_points_labelled(points) ? NULL : sri_kernel_coupling(kernel);
    return c ? c->a[c->T - 1] : 1;
}

static void couple(sri_op *self, const sri_kernel *kernel)
{
    kernel_op *op = (kernel_op *)self;
    for (int t = 0; t < kernel->n_terms; t++)
        op->kernel.term[t].coupling = kernel->term[t].coupling;
    self->coupling_norm = coupling_norm(kernel, op->points);
}

static specreg_status prepare(specreg_context *ctx, sri_op *self, int64_t budget)
{
    specreg_status st = SPECREG_OK;
    kernel_op *op = (kernel_op *)self;
    sri_triangle *K = NULL;
    double *whole = NULL;
    sri_rounded_free(op->single);
    op->single = NULL;
    const sri_shape shape = sri_op_shape(self);
    if (op->whole || op->stored || sri_shape_by_factors(&shape) ||
        sri_matrix_stored_bytes(&shape) > (double)budget)
        return SPECREG_OK;
    if (self->n < SRI_OP_WHOLE) {
        SRI_ALLOC(ctx, whole, self->n, self->n);
        SRI_TRY(fill(ctx, self, true, whole));
    } else {
        const double start = sri_clock();
        SRI_TRY(sri_triangle_new(ctx, self->n, false, &K));
        SRI_TRY(sri_kernel_tiles(ctx, &op->kernel, op->points, sri_triangle_set, K));
        self->seconds += sri_clock() - start;
    }
    op->whole = whole;
    op->stored = K;
    whole = NULL;
    K = NULL;
done:
    sri_triangle_free(K);
    sri_free(whole);
    return st;
}

static specreg_status prepare_single(specreg_context *ctx, sri_op *self, int64_t budget,
                                     const int64_t *order, bool *done)
{
    kernel_op *op = (kernel_op *)self;
    *done = !op->whole && !op->stored && !sri_shape_by_factors(&self->shape) &&
            sri_rounded_bytes(self->n) <= (double)budget;
    if (!*done || op->single)
        return SPECREG_OK;
    const double start = sri_clock();
    SRI_CALL(sri_rounded_new(ctx, &op->kernel, op->points, order, &op->single));
    self->seconds += sri_clock() - start;
    self->rounding = op->single->error / self->mass;
    return SPECREG_OK;
}

/* The library's own kernels of features are positive semi-definite; a user's, or a given matrix,
 * need not be, and then what a factor leaves bounds nothing. */
static bool is_definite(const sri_kernel *kernel)
{
    for (int t = 0; t < kernel->n_terms; t++)
        if (kernel->term[t].user || kernel->term[t].ops->indexed)
            return false;
    return sri_kernel_polynomial(kernel) < 0;
}

static void destroy(sri_op *self)
{
    kernel_op *op = (kernel_op *)self;
    sri_rounded_free(op->single);
    sri_triangle_free(op->stored);
    sri_free(op->whole);
}

static const sri_op_ops ops = {
    .name = "kernel",
    .apply = apply,
    .fill = fill,
    .diagonal = diagonal,
    .kappa2 = kappa2,
    .couple = couple,
    .prepare = prepare,
    .prepare_single = prepare_single,
    .destroy = destroy,
};

/* How much a value of sparse rows takes: an entry of a row meets all of its column, and is not
 * added at the speed of a matrix product. */
static double sparse_flops(const sri_points *points)
{
    enum { SLOW = 10 };
    const sri_columns *c = points->columns;
    double meetings = 0;
    for (int64_t j = 0; j < c->used; j++) {
        const double count = (double)(c->start[j + 1] - c->start[j]);
        meetings += count * count;
    }
    return SLOW * meetings / ((double)points->n * (double)points->n);
}

/* The mean of |x|^2 between the arithmetic and the geometric one.  A few long rows, such as those
 * of counts of words, raise the arithmetic mean a hundredfold; each is an eigenvalue of its own,
 * which takes a step or two of a Krylov space. */
static double typical_square(const sri_points *points)
{
    const sri_matrix *m = &points->rows.x;
    double sum = 0, logarithms = 0;
    int64_t used = 0;
    for (int64_t i = 0; i < m->n; i++) {
        const double *x = m->start ? m->value + m->start[i] : m->x + i * m->p;
        const int64_t count = m->start ? m->start[i + 1] - m->start[i] : m->p;
        double square = 0;
        for (int64_t k = 0; k < count; k++)
            square += x[k] * x[k];
        sum += square;
        logarithms += square > 0 ? log(square) : 0;
        used += square > 0;
    }
    return used ? sqrt(sum / (double)m->n * exp(logarithms / (double)used)) : 0;
}

/* Pairs of entries within a row: each is a product and a sum of A'A. */
static double row_pairs(const sri_matrix *m)
{
    double pairs = 0;
    for (int64_t i = 0; i < m->n; i++) {
        const double count = (double)(m->start[i + 1] - m->start[i]);
        pairs += count * (count + 1) / 2;
    }
    return pairs;
}

static sri_shape shape_of(const sri_kernel *kernel, const sri_points *points, sri_linear *linear)
{
    const bool sparse = points->stored == SRI_STORED_SPARSE;
    sri_shape s = {.n = points->n,
                   .has_single = true,
                   .value_flops =
                       sparse ? sparse_flops(points) : 3.0 * (double)sri_points_width(points)};
    if (!sri_kernel_is_linear(kernel, &linear->scale) || sri_points_labelled(points))
        return s;
    linear->points = points;
    s.linear = true;
    s.sparse = sparse;
    s.columns = (double)sri_linear_map_make(points, 1, NULL).p;
    s.nonzeros = sparse ? (double)sri_matrix_entries(&points->rows.x) : (double)s.n * s.columns;
    s.row_pairs = sparse ? row_pairs(&points->rows.x) : 0;
    s.diagonal = linear->scale * typical_square(points);
    return s;
}

specreg_status sri_op_kernel(specreg_context *ctx, const sri_kernel *kernel,
                             const sri_points *points, sri_op **out)
{
    if (sri_kernel_is_field(kernel) && points->rows.components)
        return sri_op_field_points(ctx, kernel, points, out);
    kernel_op *op = sri_calloc(ctx, 1, 1, sizeof *op);
    *out = op ? &op->base : NULL;
    if (!op)
        return SPECREG_E_NOMEM;
    op->base = (sri_op){.ops = &ops,
                        .n = points->n,
                        .centres = {points, points->n},
                        .mass = sri_mass(points->n, NULL, points->share),
                        .share = points->share,
                        .coupling_norm = coupling_norm(kernel, points)};
    op->base.shape = shape_of(kernel, points, &op->base.linear);
    op->kernel = *kernel;
    op->points = points;
    op->base.revealed.kernel = is_definite(kernel) ? &op->kernel : NULL;
    op->base.revealed.points = points;
    op->base.revealed.conditional = sri_kernel_polynomial(kernel) >= 0;
    return SPECREG_OK;
}
