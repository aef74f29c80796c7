/* Coordinates in the span of some centres: with K_mm = L L' of the kernel between the centres,
 *
 *     b(x) = L^-1 k_m(x),    <b(x), b(z)> = k_m(x)' K_mm^-1 k_m(z),
 *
 * so that a function f(x) = sum_j c_j k(x, z_j) is w'b(x) with c = L^-T w, and its norm is |w|.
 * L has pivots and nothing is added to the diagonal: centres that depend on others, to
 * rounding, are left out. */
#ifndef SRI_SUMS_WHITEN_H
#define SRI_SUMS_WHITEN_H

#include "backend/slab.h"
#include "kernel/kernel.h"

typedef struct sri_whitening {
    const sri_kernel *kernel; /* not owned */
    sri_points *centres;      /* in the order of the pivots                              */
    int64_t *row;             /* of each centre among the points that they were taken of */
    int64_t asked;            /* centres before any were left out                        */
    double *L;                /* rank x rank, lower triangle, row-major                  */
    sri_lower_rows lower;     /* L for many rows                                         */
} sri_whitening;

/* The centres are some of the points, `count` rows that differ.  The kernel must outlive it. */
specreg_status sri_whitening_make(specreg_context *ctx, const sri_kernel *kernel,
                                  const sri_points *points, const int64_t *row, int64_t count,
                                  sri_whitening *out);
void sri_whitening_free(sri_whitening *w);
static inline int64_t sri_whitening_rank(const sri_whitening *w)
{
    return w->centres->n;
}
/* B (rows->n x rank, rows ld apart): b(x) of each row. */
specreg_status sri_whiten(specreg_context *ctx, const sri_whitening *w, const sri_rows_view *rows,
                          double *B, int64_t ld);
/* The share of the kernel's trace in the span of the centres, over up to SRI_WHITEN_ROWS points. */
enum { SRI_WHITEN_ROWS = 2048 };
specreg_status sri_whitening_captured(specreg_context *ctx, const sri_whitening *w,
                                      const sri_points *points, double *share);
/* W (rank x t) becomes the coefficients of the centres, L^-T W. */
void sri_whitening_coefficients(const sri_whitening *w, int64_t t, double *W);
/* |L^-1|, 2-norm, from below: rounding of k_m(x)'L^-T w is about this many times that of b(x)'w. */
specreg_status sri_whitening_amplification(specreg_context *ctx, const sri_whitening *w,
                                           double *out);

#endif
