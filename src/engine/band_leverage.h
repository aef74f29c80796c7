/* Leverages from a band: with K = Q B Q' and B + mu I = L L'
 *     1 - H_ii = mu ((K + mu I)^{-1})_ii = mu |L^{-1} Q'e_i|^2,
 * a substitution with n right sides for every lambda.  Columns of Q' are taken few at a time, which
 * stay in the cache for all lambdas of a group; each thread takes some. */
#ifndef SRI_ENGINE_BAND_LEVERAGE_H
#define SRI_ENGINE_BAND_LEVERAGE_H

#include "backend/cpu/band.h"

typedef struct sri_band_factors {
    int64_t n, width, size; /* of a packed factor, in doubles          */
    double *packed;         /* space for `count` of them               */
    double *chunk;          /* for each thread: columns of Q', and the window of band_vec.h */
} sri_band_factors;

/* Lambdas in a group. */
enum { SRI_BAND_FACTORS = 16 };

/* Bytes for `count` lambdas at once. */
double sri_band_factors_bytes(int64_t n, int64_t count);
specreg_status sri_band_factors_new(specreg_context *ctx, const sri_band *band, int64_t count,
                                    sri_band_factors *out);
void sri_band_factors_free(sri_band_factors *factors);
/* Keeps a factor of sri_band_cholesky under a number; threads may do so at the same time. */
void sri_band_factors_set(const sri_band_factors *factors, int64_t k, const double *L);

/* one_minus_h (count x n) for the factors of the shifts mu; what failed is left as it is.  The
 * band's Q must have been formed. */
void sri_band_leverages(const sri_band *band, const sri_band_factors *factors, int64_t count,
                        const double *mu, const bool *failed, double *one_minus_h);

#endif
