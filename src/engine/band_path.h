/* A path in the coordinates of the band, K = Q B Q'.  With z = Q'alpha and b = Q'Y
 *     (B + mu I) z_i = b + mu z_{i-1}                          Tikhonov, plain and iterated
 *     z_i = z_{i-1} + u (z_{i-1} - z_{i-2}) + (w/mass) (b - B z_{i-1})    iterative filters
 * so a lambda costs a banded Cholesky, a step a banded product.  Residuals come for nothing there,
 * mu (z_q - z_{q-1}) and b - B z; Q brings a group of points back at once. */
#ifndef SRI_ENGINE_BAND_PATH_H
#define SRI_ENGINE_BAND_PATH_H

#include "backend/band.h"
#include "engine/engine.h"

typedef struct sri_band_path {
    const sri_job *job;
    double mass; /* of the rows that train                                         */
    sri_band band;
    double *b; /* T columns: Q'Y                                                   */
    double *L; /* a factor for every thread                                        */
    bool leverages;
    sri_band_factors factors;  /* of a group of lambdas, where leverages are wanted */
    int64_t step;              /* of the recurrence: how many there were, and ...  */
    double *z, *before, *left; /* ... z_i, z_{i-1}, b - B z_i, T columns each      */
} sri_band_path;

/* Bytes at the peak for a machine of n rows, without its matrix. */
double sri_band_path_bytes(const sri_job *job, int64_t n);

/* Reduces K (n x n), the matrix of the n rows of `row`, in place; K must outlive the path. */
specreg_status sri_band_path_start(specreg_context *ctx, sri_band_path *p, const sri_job *job,
                                   double mass, int64_t n, const int64_t *row, double *K);
/* Leverages will be asked for, of at most `width` points at once: makes Q of the reflectors. */
specreg_status sri_band_path_leverages(specreg_context *ctx, sri_band_path *p, int64_t width);
void sri_band_path_end(sri_band_path *p);

/* The next c points, from `first` on: X gets c T columns of coefficients (output t of point k is
 * number k T + t), then as many of residuals, which stay in the coordinates of the band unless
 * asked for.  failed[k]: rounding has eaten lambda.  df[k]: the degrees of freedom, where the job
 * needs them.  one_minus_h (or NULL): c x n, 1 - H_ii, after sri_band_path_leverages. */
specreg_status sri_band_path_next(specreg_context *ctx, sri_band_path *p, int64_t first, int64_t c,
                                  bool residuals, double *X, bool *failed, double *df,
                                  double *one_minus_h);

#endif
