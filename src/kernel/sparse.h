/* Kernel values of sparse rows.  What two rows have in common is found through the columns: row i
 * meets just those centres that share an entry with it, and for all others the pair follows from
 * the norms. */
#ifndef SRI_KERNEL_SPARSE_H
#define SRI_KERNEL_SPARSE_H

#include "kernel/tile.h"

/* The first row of a and that of b: the sum of |a_k - b_k|, or of its squares. */
double sri_sparse_distance(const sri_matrix *a, const sri_matrix *b, bool norm1);

/* What blocks take of the centres: for each term sums of magnitudes and of squares over the columns
 * that it looks at. */
typedef struct sri_sparse_norms {
    const double *norm1[SRI_KERNEL_TERMS], *norm2[SRI_KERNEL_TERMS];
} sri_sparse_norms;

specreg_status sri_sparse_prepare(specreg_context *ctx, sri_arena *memory, const sri_kernel *kernel,
                                  const sri_points *centres, sri_sparse_norms *out);
/* Stores a block of sparse rows and centres. */
specreg_status sri_sparse_block(specreg_context *ctx, const sri_block *b,
                                const sri_sparse_norms *norms);

#endif
