/* Inner loops of the band, in versions for several instruction sets.  They take the place of BLAS
 * where that copies a whole matrix for a product with few columns, or computes a square where a
 * triangle would do. */
#ifndef SRI_BACKEND_CPU_BAND_VEC_H
#define SRI_BACKEND_CPU_BAND_VEC_H

#include "backend/backend.h"

/* Products with a symmetric matrix go by square tiles and take SRI_BAND_VEC_THIN columns, whose
 * rows are padded with zeros to a multiple of SRI_BAND_VEC_STRIP. */
enum { SRI_BAND_VEC_TILE = 120, SRI_BAND_VEC_THIN = 24, SRI_BAND_VEC_STRIP = 8 };

typedef struct sri_band_vec {
    /* L comes as LAPACK stores it, n columns of width + 1: L_jj, L_j+1,j, ... */
    sri_substitution substitution;
    /* Y += A X of the tile from row i and column j on, i >= j, of a symmetric A (m x m, columns lda
     * apart, of which the lower triangle is read), and of the same tile above the diagonal. */
    void (*symmetric)(int64_t m, int64_t i, int64_t j, const double *A, int64_t lda,
                      const double *X, double *Y);
    /* A_ij += sum_k left_ik right_jk, k < depth, for rows first .. last - 1, `first` a multiple of
     * SRI_BAND_VEC_THIN, and columns from .. to - 1; entries above the diagonal may be skipped.
     * `right` is by rows of `depth`, and SRI_BAND_VEC_STRIP rows more can be read; `left` is in
     * blocks of SRI_BAND_VEC_THIN rows, each by columns, beginning with row 0 of A. */
    void (*update)(int64_t first, int64_t last, int64_t from, int64_t to, int64_t depth,
                   const double *left, const double *right, double *A, int64_t lda);
    /* The largest |A_ij| of SRI_BAND_VEC_THIN columns, lda apart. */
    double (*largest)(int64_t rows, const double *A, int64_t lda);
    /* From columns, lda apart, to rows of SRI_BAND_VEC_THIN, times a factor; and from such rows,
     * lda apart, to columns, ldo apart. */
    void (*by_rows)(int64_t rows, const double *A, int64_t lda, double factor, double *out);
    void (*by_columns)(int64_t rows, const double *A, int64_t lda, double *out, int64_t ldo);
    /* A_ic -= A_ij w_c, then sums_c = sum_i A_i,next A_ic, A by rows of SRI_BAND_VEC_THIN; w_c is 0
     * for c < next, and only sums_c for c >= next are defined. */
    void (*reflect)(int64_t rows, int64_t j, int64_t next, const double *w, double *A,
                    double *sums);
} sri_band_vec;

#endif
