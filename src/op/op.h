/* A symmetric positive semi-definite operator K of order n; filters act on K/mass.  With sample
 * weights w it is W^(1/2) K W^(1/2) and its mass the sum of the weights; else the mass is the
 * number of points: n, but for vector fields, where n counts the components of each. */
#ifndef SRI_OP_OP_H
#define SRI_OP_OP_H

#include <stdbool.h>

#include "core/context.h"
#include "kernel/field.h"
#include "kernel/kernel.h"
#include "op/low_rank.h"
#include "op/projection.h"

typedef struct sri_op sri_op;

typedef struct sri_op_ops {
    const char *name;
    /* Y = K X; X and Y are n x t, row-major.  Required. */
    specreg_status (*apply)(specreg_context *ctx, sri_op *self, int64_t t, const double *X,
                            double *Y);
    /* The whole matrix into K (rows n apart): its lower triangle, or both.  Required. */
    specreg_status (*fill)(specreg_context *ctx, sri_op *self, bool full, double *K);
    /* The diagonal.  Required. */
    specreg_status (*diagonal)(specreg_context *ctx, sri_op *self, double *d);
    /* max_i |Gamma(x_i, x_i)|, where that is not the largest entry of the diagonal.  Optional. */
    specreg_status (*kappa2)(specreg_context *ctx, sri_op *self, double *kappa2);
    /* Takes the matrix for the outputs from another kernel.  Optional. */
    void (*outputs)(sri_op *self, const sri_kernel *kernel);
    /* Make products cheap, using at most `budget` bytes.  Optional. */
    specreg_status (*prepare)(specreg_context *ctx, sri_op *self, int64_t budget);
    /* The same in single precision, where that fits; false where it does not.  Optional. */
    specreg_status (*prepare_single)(specreg_context *ctx, sri_op *self, int64_t budget,
                                     const int64_t *order, bool *done);
    /* Where the kernel is known to be positive semi-definite: K ~ L L' of the kernel without
     * weights, as far as it has come, rank 0 at first.  Optional; *out NULL: it is not known to
     * be. */
    specreg_status (*factor)(specreg_context *ctx, sri_op *self, sri_low_rank **out);
    void (*destroy)(sri_op *self); /* optional */
} sri_op_ops;

/* What Cholesky with pivots has found out so far. */
typedef struct sri_revealed {
    const sri_low_rank *factor; /* of the kernel without weights; NULL: nothing was tried   */
    double trace, left;         /* of the operator, weights included, and what L L' leaves of it */
    double hopeless;            /* so little left was given up, ...                          */
    int64_t most;               /* ... with so many columns allowed                          */
} sri_revealed;

struct sri_op {
    const sri_op_ops *ops; /* first; implementations embed this */
    int64_t n;
    double mass;
    const double *weight; /* n, positive; NULL: all 1                     */
    const double *share;  /* n: what a row adds to the mass, beside its weight; NULL: 1 each */
    double gain; /* the largest eigenvalue of the outputs' matrix, which engines bring in; 0: 1 */
    bool rounds; /* it has a form in single precision: see sri_op_prepare_single */
    bool single; /* sri_op_prepare takes that form wherever there is room for it  */
    double value_flops;       /* of a kernel value, beside the function itself */
    const sri_points *linear; /* of a linear kernel, K = linear_scale X X': its points; else NULL */
    double linear_scale;
    double size;    /* what lambda is to be compared with: the mean of k(x_i, x_i), where that is
                           * not about 1; 0: not known */
    double entries; /* > 0: products go by X and X', with so many numbers, and K is not stored */
    double value_entries; /* of K that one value makes: T^2 of a field of T components; 0: 1 */
    double seconds;       /* spent on computing kernel values             */
    double rounding;      /* in single precision: how far K/mass is off, about */
    sri_revealed revealed;
    const sri_projection *projection; /* of unpenalised terms: K is S K S'; NULL: none */
    /* K/mass = V' diag(s) V, where an engine has left that for the next job; n x n and n, or
     * NULL. */
    double *V, *s;
};

/* A matrix of fewer rows is stored whole: it lies in a cache, where that is faster than to read one
 * triangle for both. */
enum { SRI_OP_WHOLE = 1200 };
/* What sri_op_prepare stores of a matrix. */
double sri_op_stored_bytes(const sri_op *op);

specreg_status sri_op_apply(specreg_context *ctx, sri_op *op, int64_t t, const double *X,
                            double *Y);
specreg_status sri_op_fill(specreg_context *ctx, sri_op *op, bool full, double *K);
specreg_status sri_op_prepare(specreg_context *ctx, sri_op *op, int64_t budget);
/* Products from kernel values in single precision until sri_op_prepare is called; `done` is false
 * where the operator has no such thing, or no room for it.  `order`, n rows or NULL: those next
 * to each other will have zeros in the same columns of X, which products may make use of. */
specreg_status sri_op_prepare_single(specreg_context *ctx, sri_op *op, int64_t budget,
                                     const int64_t *order, bool *done);
/* Adds columns to L until the trace left is at most `enough` or nothing but rounding is left; gives
 * up where that takes more than `most` columns, or, unless `stubborn`, seems to.  op->revealed has
 * what was found, and the next call goes on from there. */
specreg_status sri_op_reveal(specreg_context *ctx, sri_op *op, double enough, int64_t most,
                             bool stubborn);
/* Whether that is so: the trace left is at most `enough`, or rounding. */
bool sri_op_is_revealed(const sri_op *op, double enough);
/* max_i k(x_i, x_i), the kappa^2 of the iterative filters: of the kernel itself, whatever the
 * weights, since |W^(1/2) K W^(1/2)| <= sum_i w_i k(x_i, x_i) <= mass kappa^2. */
specreg_status sri_op_kappa2(specreg_context *ctx, sri_op *op, double *kappa2);
void sri_op_free(sri_op *op);
/* The sum of weight times share; NULL: all 1. */
double sri_mass(int64_t n, const double *weight, const double *share);

/* A kernel, which is copied, over points, which must outlive the operator. */
specreg_status sri_op_kernel(specreg_context *ctx, const sri_kernel *kernel,
                             const sri_points *points, sri_op **out);
/* Gives the operator of a kernel another matrix for the outputs; all else is as it was. */
void sri_op_outputs(sri_op *op, const sri_kernel *kernel);
/* The same with sample weights (kept by reference; NULL: none). */
specreg_status sri_op_kernel_weighted(specreg_context *ctx, const sri_kernel *kernel,
                                      const sri_points *points, const double *weight, sri_op **out);
/* K between points with the same label, of `labels` many, and what it stores; the kernel is
 * copied, and its outputs' matrices do not count. */
specreg_status sri_op_same(specreg_context *ctx, const sri_kernel *kernel, const sri_points *points,
                           int64_t labels, sri_op **out);
double sri_op_same_bytes(const sri_points *points, int64_t labels);
/* W^(1/2) K W^(1/2) of another operator, which it owns from here on, also when this fails. */
specreg_status sri_op_weighted(specreg_context *ctx, sri_op *base, const double *weight,
                               sri_op **out);
/* S K S' of another operator, which it owns from here on, as the projection, also when this
 * fails. */
specreg_status sri_op_projected(specreg_context *ctx, sri_op *base, sri_projection *projection,
                                sri_op **out);
/* Adds to the lower triangle of K, as filled, what gives the features, whose eigenvalue is 0, the
 * eigenvalue `factor` times the trace, which is returned.  Nothing and 0 where there are none,
 * and for a projection that is not orthogonal. */
specreg_status sri_op_raise(specreg_context *ctx, const sri_op *op, double factor, double *K,
                            double *raised);
/* K D' (l x n), of the operator inside: what coefficients of the features are made of. */
specreg_status sri_op_projected_rest(specreg_context *ctx, sri_op *op, const double **KD);
/* A vector-field kernel over points that are all components of vectors. */
specreg_status sri_op_field_points(specreg_context *ctx, const sri_kernel *kernel,
                                   const sri_points *points, sri_op **out);
/* A vector-field kernel, which is copied, over n points X (n x T), kept by reference. */
specreg_status sri_op_field(specreg_context *ctx, const sri_field *field, const double *X,
                            int64_t n, sri_op **out);
/* A given full symmetric matrix, kept by reference. */
specreg_status sri_op_matrix(specreg_context *ctx, const double *K, int64_t n, sri_op **out);

#endif
