/* K ~ L L' by Cholesky with pivots.  What is left, K - L L', is positive semi-definite, so that its
 * trace bounds its norm: the approximation knows how good it is. */
#ifndef SRI_OP_LOW_RANK_H
#define SRI_OP_LOW_RANK_H

#include <float.h>

#include "core/context.h"
#include "core/rng.h"
#include "kernel/kernel.h"

/* Elimination leaves so much of a diagonal entry where it should leave nothing. */
#define SRI_LOW_RANK_ROUNDING (100 * DBL_EPSILON)

/* Pivots come in blocks: a row is taken while what is left of its diagonal entry is at least this
 * share of the largest. */
#define SRI_LOW_RANK_WORTH 0.25
enum { SRI_LOW_RANK_BLOCK = 32 };

typedef struct sri_low_rank {
    const sri_kernel *kernel;
    const sri_points *points;
    int64_t n, rank, capacity;
    double *Lt;       /* rank x n: the columns of L       */
    double *d;        /* n: the diagonal of K - L L'      */
    double trace;     /* of K                             */
    double left;      /* of K - L L'                      */
    double *diagonal; /* n: that of K                 */
    int64_t *pivot;   /* rank: the row that each column of L was made of                */
    double worth;     /* SRI_LOW_RANK_WORTH; 1: each pivot is the largest there is      */
    double known;     /* a bound on the rank, where the kernel has one; else infinite */
} sri_low_rank;

/* Rank 0; kernel and points are kept by reference. */
specreg_status sri_low_rank_new(specreg_context *ctx, const sri_kernel *kernel,
                                const sri_points *points, sri_low_rank *f);
/* Adds columns to L until the trace left is at most `share` of that of K, or there are `most`, or
 * nothing is left but rounding: SRI_LOW_RANK_ROUNDING of the diagonal, row by row. */
specreg_status sri_low_rank_extend(specreg_context *ctx, sri_low_rank *f, int64_t most,
                                   double share);
/* The same with rows drawn at random, with probabilities that follow what is left of the diagonal:
 * each column comes as if it were drawn after all before it (randomly pivoted Cholesky). */
specreg_status sri_low_rank_extend_random(specreg_context *ctx, sri_low_rank *f, int64_t most,
                                          double share, sri_rng *rng);
/* Adds the columns of these rows, at most SRI_LOW_RANK_BLOCK that differ, in their order; rows of
 * which nothing but rounding is left are left out. */
specreg_status sri_low_rank_take(specreg_context *ctx, sri_low_rank *f, const int64_t *row,
                                 int64_t count);
/* Makes room for so many columns in all. */
specreg_status sri_low_rank_reserve(specreg_context *ctx, sri_low_rank *f, int64_t columns);
void sri_low_rank_free(sri_low_rank *f);
/* L (n x rank), allocated. */
specreg_status sri_low_rank_rows(specreg_context *ctx, const sri_low_rank *f, double **L);

#endif
