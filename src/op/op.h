/* A symmetric positive semi-definite operator of order n. */
#ifndef SRI_OP_OP_H
#define SRI_OP_OP_H

#include <stdbool.h>

#include "core/context.h"
#include "kernel/kernel.h"

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
    /* Make products cheap, using at most `budget` bytes.  Optional. */
    specreg_status (*prepare)(specreg_context *ctx, sri_op *self, int64_t budget);
    void (*destroy)(sri_op *self); /* optional */
} sri_op_ops;

struct sri_op {
    const sri_op_ops *ops; /* first; implementations embed this */
    int64_t n;
    double product_flops; /* of one product with one column, as it is now */
    double seconds;       /* spent on computing kernel values             */
};

specreg_status sri_op_apply(specreg_context *ctx, sri_op *op, int64_t t, const double *X,
                            double *Y);
specreg_status sri_op_fill(specreg_context *ctx, sri_op *op, bool full, double *K);
specreg_status sri_op_prepare(specreg_context *ctx, sri_op *op, int64_t budget);
/* max_i K_ii, the kappa^2 of the iterative filters. */
specreg_status sri_op_kappa2(specreg_context *ctx, sri_op *op, double *kappa2);
void sri_op_free(sri_op *op);

/* A kernel over points; both must outlive the operator. */
specreg_status sri_op_kernel(specreg_context *ctx, const sri_kernel *kernel,
                             const sri_points *points, sri_op **out);
/* A given full symmetric matrix, kept by reference. */
specreg_status sri_op_matrix(specreg_context *ctx, const double *K, int64_t n, sri_op **out);

#endif
