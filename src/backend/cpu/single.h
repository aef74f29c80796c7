/* A symmetric matrix in single precision, packed for products with few columns: one triangle, a
 * quarter of the memory of the whole in double precision. */
#ifndef SRI_BACKEND_CPU_SINGLE_H
#define SRI_BACKEND_CPU_SINGLE_H

#include "core/context.h"

typedef struct sri_single {
    int64_t n, blocks; /* blocks of SRI_PANEL rows                                             */
    /* Tiles (i, j), j <= i, of SRI_PANEL rows and columns one after the other, filled up with
     * zeros; in each, groups of SRI_SINGLE_ROWS rows, column by column. */
    float *tiles;
    double *squares; /* of each tile's values, the sum; off the diagonal twice                 */
} sri_single;

specreg_status sri_single_new(specreg_context *ctx, int64_t n, sri_single **out);
void sri_single_free(sri_single *s);
double sri_single_bytes(int64_t n);
/* Tile (i, j) from values with rows SRI_PANEL apart; what lies beyond the matrix becomes 0. */
void sri_single_set(sri_single *s, int64_t i, int64_t j, double *values);
double sri_single_norm(const sri_single *s); /* Frobenius */
/* Y (n x t) = K X, X n x t: kernel values and X rounded to single precision, sums in double. */
specreg_status sri_single_product(specreg_context *ctx, const sri_single *s, int64_t t,
                                  const double *X, double *Y);

#endif
