/* A symmetric positive semi-definite operator K of order n; filters act on K/mass.  With sample
 * weights w it is W^(1/2) K W^(1/2) and its mass the sum of the weights; else the mass is the
 * number of points: n, but for vector fields, where n counts the components of each.
 * An operator says what it costs: see cost.h for the sizes that this depends on. */
#ifndef SRI_OP_OP_H
#define SRI_OP_OP_H

#include <stdbool.h>

#include "core/context.h"
#include "kernel/field.h"
#include "kernel/kernel.h"
#include "op/cost.h"
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
    /* Takes the coupling from another kernel.  Optional. */
    void (*couple)(sri_op *self, const sri_kernel *kernel);
    /* Makes products cheap, using at most `budget` bytes.  Optional, as the next one: the operator
     * inside, where there is one. */
    specreg_status (*prepare)(specreg_context *ctx, sri_op *self, int64_t budget);
    /* The same in single precision, where that fits; false where it does not. */
    specreg_status (*prepare_single)(specreg_context *ctx, sri_op *self, int64_t budget,
                                     const int64_t *order, bool *done);
    /* How far K/mass is off where that of the operator inside is off by so much.  Optional: as
     * far. */
    double (*rounding)(const sri_op *self, double inside);
    /* Adds `times` products with `columns` columns to the cost, for an operator like this one of
     * the given shape; `stored`: prepare() has stored K.  Optional: as in cost.h. */
    void (*product_cost)(const sri_op *self, const sri_shape *shape, bool stored, double columns,
                         double times, sri_cost *cost);
    /* Bytes that prepare() stores for an operator of the given shape; 0: products need nothing
     * stored.  Optional: as in cost.h. */
    double (*stored_bytes)(const sri_op *self, const sri_shape *shape);
    void (*destroy)(sri_op *self); /* optional */
} sri_op_ops;

/* What Cholesky with pivots has found out so far. */
typedef struct sri_revealed {
    bool conditional;         /* K itself is positive semi-definite only where unpenalised terms are
                       * projected out */
    const sri_kernel *kernel; /* what is factored: the kernel without weights, where it is known to
                               * be positive semi-definite; NULL: it is not, or nothing may be  */
    const sri_points *points;
    sri_low_rank *factor; /* NULL: nothing was tried; owned by the operator inside all others  */
    double trace, left;   /* of the operator, weights included, and what L L' leaves of it */
    /* The last attempt that did not come down to this trace within this rank. */
    double failed_at_trace;
    int64_t failed_at_rank;
} sri_revealed;

/* A linear kernel: K = scale X X'. */
typedef struct sri_linear {
    const sri_points *points; /* X; NULL: the kernel is another one */
    double scale;
} sri_linear;

/* K/mass = V' diag(s) V. */
typedef struct sri_eigenpairs {
    double *V, *s; /* n x n, an eigenvector in each row, and n; NULL: not known */
} sri_eigenpairs;

/* The points z of the expansion f(x) = sum_i alpha_i k(x, z_i): those of all rows, unless an
 * operator has fewer.  They outlive the operator. */
typedef struct sri_centres {
    const sri_points *points; /* NULL: not known      */
    int64_t n;                /* as alpha has rows    */
} sri_centres;

struct sri_op {
    const sri_op_ops *ops; /* first; implementations embed this */
    sri_op
        *inner; /* what this one wraps and owns: it answers for slots that are left out; or NULL */
    int64_t n;
    sri_centres centres;
    double mass;
    const double *weight; /* n, positive; NULL: all 1                                        */
    const double *share;  /* n: what a row adds to the mass, beside its weight; NULL: 1 each */
    double coupling_norm; /* largest eigenvalue of the coupling that engines bring in; 0: 1  */
    bool single;     /* sri_op_prepare stores single precision wherever it fits the memory      */
    sri_shape shape; /* but for n, single and rank, which may change: see sri_op_shape       */
    sri_linear linear;
    double seconds;  /* spent on computing kernel values               */
    double rounding; /* in single precision: how far K/mass is off, about */
    sri_revealed revealed;
    const sri_projection *projection; /* of unpenalised terms: K is S K S'; NULL: none    */
    sri_eigenpairs pairs;             /* where an engine has left them for the next job   */
};

/* The sizes of the operator as it is now. */
sri_shape sri_op_shape(const sri_op *op);
/* See sri_op_ops. */
void sri_op_product_cost(const sri_op *op, const sri_shape *shape, bool stored, double columns,
                         double times, sri_cost *cost);
double sri_op_stored_bytes(const sri_op *op, const sri_shape *shape);

/* After a call of the operator inside: what `op` tells about itself follows that one; returns
 * `st`. */
specreg_status sri_op_follow(sri_op *op, specreg_status st);

specreg_status sri_op_apply(specreg_context *ctx, sri_op *op, int64_t t, const double *X,
                            double *Y);
specreg_status sri_op_fill(specreg_context *ctx, sri_op *op, bool full, double *K);
specreg_status sri_op_prepare(specreg_context *ctx, sri_op *op, int64_t budget);
/* Products from kernel values in single precision until sri_op_prepare is called; `done` is false
 * where the operator has no such thing, or too little memory.  `order`, n rows or NULL: those next
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
/* Gives the operator of a kernel another coupling; all else is as it was. */
void sri_op_couple(sri_op *op, const sri_kernel *kernel);
/* The same with sample weights (kept by reference; NULL: none). */
specreg_status sri_op_kernel_weighted(specreg_context *ctx, const sri_kernel *kernel,
                                      const sri_points *points, const double *weight, sri_op **out);
/* K between points with the same label, of `labels` many, and what it stores; the kernel is
 * copied, and its couplings do not count. */
specreg_status sri_op_same(specreg_context *ctx, const sri_kernel *kernel, const sri_points *points,
                           int64_t labels, sri_op **out);
double sri_op_same_bytes(const sri_points *points, int64_t labels);
/* W^(1/2) K W^(1/2) of another operator, which it owns from here on, also when this fails. */
specreg_status sri_op_weighted(specreg_context *ctx, sri_op *base, const double *weight,
                               sri_op **out);
/* S K S' of another operator; it owns both from here on, also when this fails. */
specreg_status sri_op_projected(specreg_context *ctx, sri_op *base, sri_projection *projection,
                                sri_op **out);
/* Adds to the lower triangle of K, as filled, what gives unpenalised terms, whose eigenvalue is 0,
 * the eigenvalue `factor` times the trace, which is returned.  Nothing and 0 where there are none,
 * and for a projection that is not orthogonal. */
specreg_status sri_op_raise(specreg_context *ctx, const sri_op *op, double factor, double *K,
                            double *raised);
/* K D' (l x n), of the operator inside: what coefficients of unpenalised terms are made of. */
specreg_status sri_op_projected_rest(specreg_context *ctx, sri_op *op, const double **KD);
/* A vector-field kernel over points that are all components of vectors. */
specreg_status sri_op_field_points(specreg_context *ctx, const sri_kernel *kernel,
                                   const sri_points *points, sri_op **out);
/* A vector-field kernel, which is copied, over n points X (n x T), kept by reference. */
specreg_status sri_op_field(specreg_context *ctx, const sri_field *field, const double *X,
                            int64_t n, sri_op **out);

#endif
