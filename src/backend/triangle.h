/* One triangle of a symmetric matrix, in double or single precision: half or a quarter of the
 * memory of the whole matrix, and as much less to read for a product with few columns. */
#ifndef SRI_BACKEND_TRIANGLE_H
#define SRI_BACKEND_TRIANGLE_H

#include <stdbool.h>

#include "core/context.h"

typedef struct sri_triangle sri_triangle;

specreg_status sri_triangle_new(specreg_context *ctx, int64_t n, bool single, sri_triangle **out);
void sri_triangle_free(sri_triangle *s);
double sri_triangle_bytes(int64_t n, bool single);
/* Sets tile (i, j), j <= i, of SRI_PANEL rows and columns, from values with rows SRI_PANEL apart;
 * values beyond the matrix become 0.  Threads may set different tiles at the same time.  The
 * triangle is a void pointer so that sri_kernel_tiles takes this function. */
void sri_triangle_set(void *triangle, int64_t i, int64_t j, double *values);
/* That tile, in double precision. */
const double *sri_triangle_tile(const sri_triangle *s, int64_t i, int64_t j);
/* The Frobenius norm of the values before rounding, of a matrix in single precision. */
double sri_triangle_norm(const sri_triangle *s);
/* Y (n x t) = K X, X n x t; in single precision X is rounded as well, sums are double.  Any
 * number of threads gives the same bits. */
specreg_status sri_triangle_product(specreg_context *ctx, const sri_triangle *s, int64_t t,
                                    const double *X, double *Y);

#endif
