/* Z'Z of tall matrices, added up exactly; in versions for several instruction sets.
 *
 * The columns of Z come in panels of `width`, padded with zeros.  Panel j begins at P + j stride
 * and has its rows one after the other, so both factors of a product are read as they lie in
 * memory. */
#ifndef SRI_BACKEND_SQUARE_H
#define SRI_BACKEND_SQUARE_H

#include <stdint.h>

/* Rows of Z'Z that are computed together; a multiple of `width`. */
enum { SRI_SQUARE_STRIP = 96 };

typedef struct sri_square_vec {
    int64_t width;
    /* Some rows of Z (rows x columns, ld apart), column c times scale[c]: to the panels, the first
     * one to P. */
    void (*pack)(int64_t rows, int64_t columns, const double *Z, int64_t ld, const double *scale,
                 double *P, int64_t stride);
    /* C (SRI_SQUARE_STRIP x columns, rows ldc apart): rows first .. first + SRI_SQUARE_STRIP - 1 of
     * Z'Z, as far as there are so many, up to the diagonal.  What lies above that may change. */
    void (*multiply)(int64_t rows, int64_t first, int64_t columns, const double *P, int64_t stride,
                     double *C, int64_t ldc);
    /* Adds numbers below 2^27 in magnitude, rounded to multiples of 2^-74, to n integers: high in
     * units of 2^-24, low in units of 2^-74. */
    void (*add)(int64_t n, const double *x, int64_t *high, int64_t *low);
} sri_square_vec;

/* Numbers in the columns of a matrix, padded to whole panels. */
static inline int64_t sri_square_padded(const sri_square_vec *vec, int64_t columns)
{
    return (columns + vec->width - 1) / vec->width * vec->width;
}

#endif
