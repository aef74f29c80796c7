/* K = Q B Q': B symmetric with a few diagonals, Q orthogonal, a product of reflectors.  Columns are
 * contiguous here: X of t columns is t arrays of length n, one after the other. */
#ifndef SRI_BACKEND_BAND_H
#define SRI_BACKEND_BAND_H

#include <stdbool.h>

#include "core/context.h"

/* A wider band is faster to reach and slower to solve with.  By leave-one-out with 50 lambdas 24
 * diagonals take 0.86 of the time of 48; by folds both take the same. */
enum { SRI_BAND_WIDTH = 24 };

typedef struct sri_band {
    int64_t n;
    int64_t width; /* diagonals below the main one: SRI_BAND_WIDTH, or n - 1 where that is less */
    double *V;     /* n x n, the caller's: the reflectors below the band, or the columns of Q   */
    double *tau;   /* n: the scalar factors of the reflectors                                   */
    bool formed;   /* V is Q                                                                    */
    double *B;     /* n columns of width + 1: B_jj, B_j+1,j, ...                                */
} sri_band;

/* Bytes that sri_band_reduce takes beside K, at its peak. */
double sri_band_bytes(int64_t n);
/* Reduces a symmetric K, of which the upper triangle is read, in place; K must outlive the band. */
specreg_status sri_band_reduce(specreg_context *ctx, int64_t n, double *K, sri_band *out);
void sri_band_free(sri_band *band);
/* Turns the reflectors into Q, in their place; sri_band_form_bytes: bytes at its peak. */
double sri_band_form_bytes(int64_t n);
specreg_status sri_band_form(specreg_context *ctx, sri_band *band);
/* X = Q X, or Q'X, for t columns. */
specreg_status sri_band_rotate(specreg_context *ctx, const sri_band *band, bool transposed,
                               int64_t t, double *X);

/* In the coordinates of the band; the threads of a region may call these, see sri_region_enter. */

/* r = b - B x, one column. */
void sri_band_residual(const sri_band *band, const double *b, const double *x, double *r);
/* B + shift I = L L', L with the shape of B; false when it is not positive definite. */
bool sri_band_cholesky(const sri_band *band, double shift, double *L);
/* Solves L L' X = X in place for t columns. */
void sri_band_solve(const sri_band *band, const double *L, int64_t t, double *X);
/* The trace of (L L')^{-1}; L becomes the part of the inverse that lies in the band. */
double sri_band_inverse_trace(const sri_band *band, double *L);

/* Leverages: with B + mu I = L L'
 *     1 - H_ii = mu ((K + mu I)^{-1})_ii = mu |L^{-1} Q'e_i|^2,
 * a substitution with n right sides for every lambda.  Columns of Q' are taken few at a time and
 * stay in the cache for all lambdas of a group; the columns are shared between threads. */

/* Lambdas in a group. */
enum { SRI_BAND_FACTORS = 16 };

/* The factors of a group, packed for substitution. */
typedef struct sri_band_factors {
    const struct sri_substitution *how; /* see backend.h                                    */
    int64_t n, width, size;             /* size: numbers in a packed factor                 */
    double *packed;                     /* `count` of them                                  */
    double *chunk;                      /* for each thread: columns of Q', and workspace    */
} sri_band_factors;

double sri_band_factors_bytes(int64_t n, int64_t count);
specreg_status sri_band_factors_new(specreg_context *ctx, const sri_band *band, int64_t count,
                                    sri_band_factors *out);
void sri_band_factors_free(sri_band_factors *factors);
/* Keeps a factor of sri_band_cholesky under a number; threads may do so at the same time. */
void sri_band_factors_set(const sri_band_factors *factors, int64_t k, const double *L);
/* one_minus_h (count x n) = 1 - H_ii for the factors of the shifts mu; the rows of those that
 * failed are left alone.  The band's Q must have been formed. */
void sri_band_leverages(const sri_band *band, const sri_band_factors *factors, int64_t count,
                        const double *mu, const bool *failed, double *one_minus_h);

#endif
