/* Products of matrices and vectors in host memory, by the BLAS library that was linked.  Matrices
 * are row-major unless a name says otherwise; a symmetric matrix is the same either way.  Sizes may
 * exceed BLAS's int: such products go in pieces.  Never call these inside an OpenMP region, but for
 * one between sri_region_enter and sri_region_leave (threads.h). */
#ifndef SRI_BACKEND_BLAS_H
#define SRI_BACKEND_BLAS_H

#include <stdbool.h>

#include "core/context.h"

/* A matrix with rows ld apart. */
typedef struct sri_dense {
    int64_t rows, columns;
    const double *x;
    int64_t ld;
} sri_dense;

/* C (m x n) = alpha op(A) op(B) + beta C; op is the transpose when the flag is set. */
void sri_gemm(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, double alpha,
              const double *A, int64_t lda, const double *B, int64_t ldb, double beta, double *C,
              int64_t ldc);
/* Y (K.rows x t) = K X: at the speed of memory for few columns, where GEMM is not.  A slot of the
 * backend. */
specreg_status sri_product(specreg_context *ctx, sri_dense K, int64_t t, const double *X,
                           double *Y);
/* The lower triangle of C (p x p) += B'B, B rows x p; what lies above it may change.  A slot of the
 * backend. */
specreg_status sri_add_square(specreg_context *ctx, int64_t rows, int64_t p, const double *B,
                              double *C);
/* The lower triangle of C (m x m) = A A', A m x k. */
void sri_syrk(int64_t m, int64_t k, const double *A, double *C);
/* The lower triangle of C (p x p, rows ldc apart) = B'B, B k x p with rows ldb apart. */
void sri_square_columns(int64_t p, int64_t k, const double *B, int64_t ldb, double *C, int64_t ldc);
/* The lower triangle of C (m x m) -= A'B + B'A, A and B k x m. */
void sri_syr2k_subtract(int64_t m, int64_t k, const double *A, const double *B, double *C);
/* Copies the lower triangle of K (n x n, rows ld apart) to the upper one. */
void sri_mirror(int64_t n, double *K, int64_t ld);
double sri_dot(int64_t n, const double *x, const double *y);
double sri_norm(int64_t n, const double *x);

#endif
