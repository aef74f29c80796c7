/* A symmetric matrix kept for products with some columns: one triangle of it, in double or in
 * single precision, half or a quarter of the memory of the whole.  Reading it is what a product
 * with few columns takes. */
#ifndef SRI_BACKEND_TRIANGLE_H
#define SRI_BACKEND_TRIANGLE_H

#include <stdbool.h>

#include "core/context.h"

typedef struct sri_triangle {
    int64_t n, blocks; /* blocks of SRI_PANEL rows                                              */
    bool single;
    /* Tiles (i, j), j <= i, of SRI_PANEL rows and columns one after the other, each by rows,
     * filled up with zeros; floats or doubles. */
    void *tiles;
    double *squares; /* of each tile's values, the sum; off the diagonal twice; NULL for doubles */
} sri_triangle;

specreg_status sri_triangle_new(specreg_context *ctx, int64_t n, bool single, sri_triangle **out);
void sri_triangle_free(sri_triangle *s);
double sri_triangle_bytes(int64_t n, bool single);
/* Tile (i, j) from values with rows SRI_PANEL apart; what lies beyond the matrix becomes 0. */
void sri_triangle_set(sri_triangle *s, int64_t i, int64_t j, double *values);
double sri_triangle_norm(const sri_triangle *s); /* Frobenius; in single precision only */
/* Y (n x t) = K X, X n x t; in single precision with X rounded, too, and sums in double.
 * Whatever the number of threads, the same bits. */
specreg_status sri_triangle_product(specreg_context *ctx, const sri_triangle *s, int64_t t,
                                    const double *X, double *Y);

#endif
