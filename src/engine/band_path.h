/* A path in the coordinates of the band, K = Q B Q'.  With z = Q'alpha and b = Q'Y
 *     (B + mu I) z_i = b + mu z_{i-1}                          Tikhonov, plain and iterated
 *     z_i = z_{i-1} + u (z_{i-1} - z_{i-2}) + (w/mass) (b - B z_{i-1})    iterative filters
 * so a lambda costs a banded Cholesky, a step a banded product.  Residuals come for nothing there,
 * mu (z_q - z_{q-1}) and b - B z; Q brings a group of points back at once. */
#ifndef SRI_ENGINE_BAND_PATH_H
#define SRI_ENGINE_BAND_PATH_H

#include "backend/band.h"
#include "core/arena.h"
#include "engine/engine.h"

typedef struct sri_band_path {
    sri_arena scratch;
    const sri_job *job;
    double mass; /* of the rows that train                                         */
    sri_band band;
    double noise; /* below this an eigenvalue of K is rounding: n eps |K|, about */
    double *b;    /* T columns: Q'Y                                                   */
    double *L;    /* a factor for every thread                                        */
    bool leverages;
    sri_band_factors factors;      /* of a group of lambdas, where leverages are wanted */
    int64_t step;                  /* of the recurrence: how many there were, and ...  */
    double *z, *before, *residual; /* ... z_i, z_{i-1}, b - B z_i, T columns each      */
    double *r_before;              /* ... b - B z_{i-1}, of iterations that look ahead   */
} sri_band_path;

/* Bytes at the peak for a predictor of n rows, without its matrix. */
double sri_band_path_bytes(const sri_job *job, int64_t n);

/* The rows that train a predictor. */
typedef struct sri_band_rows {
    int64_t n;
    const int64_t *row; /* n                      */
    double mass;        /* what K is divided by   */
} sri_band_rows;

/* Reduces K (n x n), the matrix of these rows, in place; K must outlive the path. */
specreg_status sri_band_path_start(specreg_context *ctx, sri_band_path *p, const sri_job *job,
                                   sri_band_rows rows, double *K);
/* Leverages will be asked for, of at most `width` points at once: makes Q of the reflectors. */
specreg_status sri_band_path_leverages(specreg_context *ctx, sri_band_path *p, int64_t width);
void sri_band_path_end(sri_band_path *p);

/* The next points of a path, `count` of them. */
typedef struct sri_band_group {
    int64_t first, count;
    /* count T columns of coefficients (output t of point k is number k T + t), then as many of
     * residuals, which stay in the coordinates of the band unless asked for. */
    double *X;
    bool residuals;
    bool *failed;        /* count: rounding has eaten lambda                                 */
    double *df;          /* count: degrees of freedom, where the job needs them              */
    double *one_minus_h; /* count x n, after sri_band_path_leverages; NULL: not wanted       */
} sri_band_group;

specreg_status sri_band_path_next(specreg_context *ctx, sri_band_path *p,
                                  const sri_band_group *group);

#endif
