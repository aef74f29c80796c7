/* The products of blas.h in pieces, none of whose sizes exceeds `most`: INT_MAX for BLAS, less in
 * tests. */
#ifndef SRI_BACKEND_CPU_PIECES_H
#define SRI_BACKEND_CPU_PIECES_H

#include <stdbool.h>
#include <stdint.h>

/* The arguments of sri_gemm, in their order. */
typedef struct sri_gemm_call {
    bool trans_a, trans_b;
    int64_t m, n, k;
    double alpha;
    const double *A;
    int64_t lda;
    const double *B;
    int64_t ldb;
    double beta;
    double *C;
    int64_t ldc;
} sri_gemm_call;

void sri_gemm_pieces(const sri_gemm_call *call, int64_t most);
void sri_syrk_pieces(int64_t m, int64_t k, const double *A, double *C, int64_t most);
void sri_syr2k_subtract_pieces(int64_t m, int64_t k, const double *A, const double *B, double *C,
                               int64_t most);
double sri_dot_pieces(int64_t n, const double *x, const double *y, int64_t most);
double sri_norm_pieces(int64_t n, const double *x, int64_t most);

#endif
