/* K = Q B Q', B symmetric with a few diagonals, Q orthogonal as a product of reflectors.
 * Columns are contiguous here: X of t columns is t arrays of length n, one after the other. */
#ifndef SRI_BACKEND_CPU_BAND_H
#define SRI_BACKEND_CPU_BAND_H

#include <stdbool.h>

#include "core/context.h"

/* Wider is faster to reach, narrower is faster to solve with, and leverages are solves: 24
 * diagonals take 0.86 of the time of 48 by leave-one-out with 50 lambdas, and as long for folds. */
enum { SRI_BAND_WIDTH = 24 };

typedef struct sri_band {
    int64_t n;
    int64_t width; /* diagonals below the main one: SRI_BAND_WIDTH, or n - 1 where that is less */
    double *V;     /* n x n, the caller's: the reflectors below the band, or the columns of Q   */
    double *tau;   /* n: their factors                                                          */
    bool formed;   /* V is Q                                                                    */
    double *B;     /* n columns of width + 1: B_jj, B_j+1,j, ...                                */
} sri_band;

/* What sri_band_reduce takes beyond K, at its peak, in bytes. */
double sri_band_bytes(int64_t n);
/* Reduces a symmetric K, of which the upper triangle is read, in place; K must outlive the band. */
specreg_status sri_band_reduce(specreg_context *ctx, int64_t n, double *K, sri_band *out);
void sri_band_free(sri_band *band);

/* Turns the reflectors into Q, in their place; sri_band_form_bytes: what that takes at its peak. */
double sri_band_form_bytes(int64_t n);
specreg_status sri_band_form(specreg_context *ctx, sri_band *band);
/* X = Q X, or Q'X, for t columns. */
specreg_status sri_band_rotate(specreg_context *ctx, const sri_band *band, bool transposed,
                               int64_t t, double *X);
/* r = b - B x, one column. */
void sri_band_residual(const sri_band *band, const double *b, const double *x, double *r);

/* The ones below may be called by the threads of a region, see sri_region_enter.
 *
 * B + shift I = L L', L with the shape of B; false when it is not positive definite. */
bool sri_band_cholesky(const sri_band *band, double shift, double *L);
/* Solves L L' X = X in place for t columns. */
void sri_band_solve(const sri_band *band, const double *L, int64_t t, double *X);
/* The trace of (L L')^{-1}; L becomes the part of the inverse that lies in the band. */
double sri_band_inverse_trace(const sri_band *band, double *L);

#endif
