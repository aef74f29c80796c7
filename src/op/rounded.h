/* K = L L' + R: R, what a few pivots leave, in single precision, and L in double.  Where K has
 * large eigenvalues, L takes them, and the rounding of R is small beside the small ones. */
#ifndef SRI_OP_ROUNDED_H
#define SRI_OP_ROUNDED_H

#include "backend/panels.h"
#include "backend/triangle.h"
#include "kernel/kernel.h"

typedef struct sri_rounded {
    sri_triangle *rest;
    sri_panels panels; /* of L, which has none where it would take little away */
    double error;      /* the norm of what rounding does to K, about           */
    int64_t *order;    /* n: stored row k is row order[k] of K; NULL: the identity  */
} sri_rounded;

/* `order`, where it is not NULL, has rows next to each other in which the same columns of X will
 * be 0: products leave such blocks out. */
specreg_status sri_rounded_new(specreg_context *ctx, const sri_kernel *kernel,
                               const sri_points *points, const int64_t *order, sri_rounded **out);
void sri_rounded_free(sri_rounded *r);
double sri_rounded_bytes(int64_t n);
/* Y (n x t) = K X; X is rounded to single precision for its product with R. */
specreg_status sri_rounded_product(specreg_context *ctx, const sri_rounded *r, int64_t t,
                                   const double *X, double *Y);

#endif
