/* The leading eigenvalues and eigenvectors of an operator. */
#ifndef SRI_OP_LEADING_H
#define SRI_OP_LEADING_H

#include "op/op.h"

/* The m <= n largest eigenvalues s of K/mass, falling, and in the rows of V (m x n) their
 * eigenvectors. Where fewer than m are above rounding the last ones are rounding or 0, and so
 * may be their vectors. A decomposition where that is cheap, of A'A for a linear kernel A A'
 * with fewer columns than rows; else products alone.
 *
 * Of S K S', with unpenalised terms, rounding is that of K: of the size of `level`
 * more than the largest eigenvalue, see below. */
typedef struct sri_leading_limits {
    int64_t memory; /* budget in bytes                */
    uint64_t seed;  /* for where products start from  */
} sri_leading_limits;

specreg_status sri_op_leading(specreg_context *ctx, sri_op *op, int64_t m,
                              sri_leading_limits limits, double *s, double *V);

/* The trace of what a projection takes away of K/mass; 0: there is none. */
specreg_status sri_op_leading_level(specreg_context *ctx, sri_op *op, double *level);

/* leading_krylov.c: by products, for m well below n; what that takes beside the operator. */
specreg_status sri_op_leading_krylov(specreg_context *ctx, sri_op *op, int64_t m, uint64_t seed,
                                     double *s, double *V);
double sri_op_leading_krylov_bytes(int64_t n, int64_t m);
/* Whether its basis fits into a space of this dimension. */
bool sri_op_leading_krylov_fits(int64_t order, int64_t m);

#endif
