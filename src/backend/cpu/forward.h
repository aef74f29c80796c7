/* Substitution with a banded factor for many right sides, of which only norms are wanted:
 *     out_c = |L^{-1} b_c|^2,      L lower triangular with `width` diagonals below the main one.
 * BLAS would take triangles of the band as squares; here a row costs its `width` products. */
#ifndef SRI_BACKEND_CPU_FORWARD_H
#define SRI_BACKEND_CPU_FORWARD_H

#include <stdint.h>

/* So many right sides at once; rows of them come in multiples of SRI_FORWARD_ROWS, the last ones
 * filled up with zeros. */
enum { SRI_FORWARD_COLUMNS = 96, SRI_FORWARD_ROWS = 4, SRI_FORWARD_WINDOW = 512 };

typedef struct sri_forward {
    /* Doubles of a packed factor. */
    int64_t (*packed_size)(int64_t n, int64_t width);
    /* L as LAPACK has it: n columns of width + 1, L_jj, L_j+1,j, ... */
    void (*pack)(int64_t n, int64_t width, const double *L, double *packed);
    /* b: rows of SRI_FORWARD_COLUMNS.  width < SRI_FORWARD_WINDOW; work has as many rows as that. */
    void (*squares)(int64_t n, int64_t width, const double *packed, const double *b, double *work,
                    double *out);
} sri_forward;

extern const sri_forward sri_forward_plain;
#if defined(__x86_64__)
extern const sri_forward sri_forward_avx2, sri_forward_avx512;
#endif

/* The one for the instruction set of sri_vec_best. */
const sri_forward *sri_forward_best(void);

#endif
