/* Inner loops of the Cholesky factorization, in versions for several instruction sets.  A panel of
 * the factor, the rows below a diagonal block of `width` columns, is packed in blocks of
 * SRI_FACTOR_ROWS rows, each by columns and the last one padded with zeros.  The update of the rest
 * of the matrix takes both of its factors in this form. */
#ifndef SRI_BACKEND_CPU_FACTOR_VEC_H
#define SRI_BACKEND_CPU_FACTOR_VEC_H

#include <stdint.h>

/* The width of a panel is a multiple of SRI_FACTOR_STRIP.  Columns of an inverse come
 * SRI_FACTOR_COLUMNS at a time. */
enum { SRI_FACTOR_ROWS = 24, SRI_FACTOR_STRIP = 8, SRI_FACTOR_COLUMNS = 96 };

typedef struct sri_factor_vec {
    /* Packs the lower triangle of L (width x width, rows ld apart) for `solve`; `packed` has
     * width^2 numbers. */
    void (*pack)(int64_t width, const double *L, int64_t ld, double *packed);
    /* X L' = A for `rows` rows of A, ld apart, in place; X is also packed into P. */
    void (*solve)(int64_t width, const double *packed, int64_t rows, double *A, int64_t ld,
                  double *P);
    /* A_ij -= sum_k P_ik P_jk in rows first .. last - 1, `first` a multiple of SRI_FACTOR_ROWS,
     * of the lower triangle of A, rows ld apart.  P is packed and begins with row 0 of A. */
    void (*update)(int64_t first, int64_t last, int64_t width, const double *P, double *A,
                   int64_t ld);
    /* out_c = |L^{-1} e_c|^2 for the first `count` columns, SRI_FACTOR_COLUMNS at most, of the
     * lower triangle L (n x n, rows ld apart); work has inverse_work(n) numbers. */
    int64_t (*inverse_work)(int64_t n);
    void (*inverse_squares)(int64_t n, int64_t count, const double *L, int64_t ld, double *work,
                            double *out);
} sri_factor_vec;

#endif
