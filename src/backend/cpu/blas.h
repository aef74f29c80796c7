/* CBLAS and LAPACKE for int64_t sizes.  Matrices are row-major unless a name says otherwise; a
 * symmetric matrix is the same either way.  Never call these inside an OpenMP region, but for one
 * between sri_region_enter and sri_region_leave. */
#ifndef SRI_BACKEND_CPU_BLAS_H
#define SRI_BACKEND_CPU_BLAS_H

#include <stdbool.h>

#include "core/context.h"

/* Sets BLAS and OpenMP to `threads` (0: all) for the calls that follow and returns the number;
 * `restore` gets what to hand to sri_threads_leave. */
int sri_threads_enter(int threads, int *restore);
void sri_threads_leave(int restore);
/* Around a region whose threads call BLAS each for itself: enter takes BLAS to one thread and
 * returns how many the region may have, leave takes both back to that.  (1 where BLAS cannot be
 * told.) */
int sri_region_enter(void);
void sri_region_leave(int threads);
/* What sri_region_enter would return. */
int sri_region_threads(void);
/* Which BLAS this is, as far as it tells: the processor that its loops are for. */
const char *sri_blas_name(void);

/* What a LAPACK routine said by `info`: nothing, no memory, or a failure with its name. */
specreg_status sri_lapack_status(specreg_context *ctx, const char *routine, int info);

/* C (m x n) = alpha op(A) op(B) + beta C; op is the transpose when the flag is set. */
void sri_gemm(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, double alpha,
              const double *A, int64_t lda, const double *B, int64_t ldb, double beta, double *C,
              int64_t ldc);
/* Y (rows x t) = K X, K rows x n with rows ldk apart, X n x t: at the speed of memory for few
 * columns, where GEMM is not. */
specreg_status sri_product(specreg_context *ctx, int64_t rows, int64_t n, const double *K,
                           int64_t ldk, int64_t t, const double *X, double *Y);

/* The lower triangle of C (m x m) = A A', A m x k. */
void sri_syrk(int64_t m, int64_t k, const double *A, double *C);

/* The lower triangle of C (m x m) -= A'B + B'A, A and B k x m. */
void sri_syr2k_less(int64_t m, int64_t k, const double *A, const double *B, double *C);

double sri_dot(int64_t n, const double *x, const double *y);
double sri_norm(int64_t n, const double *x);

/* The largest n the LAPACK below can take. */
enum { SRI_EIG_MAX = 32766, SRI_CHOLESKY_MAX = 2147483647 };

/* Cholesky K = L L' of the lower triangle, in place; what lies above it is not touched.
 * *failed_at: 0, or the 1-based order at which K stopped being positive definite, or a number.
 * Whatever the number of threads, the same bits. */
specreg_status sri_cholesky(specreg_context *ctx, int64_t n, double *K, int64_t *failed_at);
/* The memory that this, or the diagonal of an inverse, takes beside the matrix. */
double sri_cholesky_bytes(int64_t n);
/* Solves L L' X = B in place, B n x t row-major. */
specreg_status sri_cholesky_solve(specreg_context *ctx, int64_t n, int64_t t, const double *L,
                                  double *B);
/* The diagonal of the inverse of L L', at half the work of all of it. */
specreg_status sri_cholesky_inverse_diagonal(specreg_context *ctx, int64_t n, const double *L,
                                             double *out);
/* Replaces the lower triangle of L by that of the inverse of L L'. */
specreg_status sri_cholesky_invert(specreg_context *ctx, int64_t n, double *L);
/* A' = Q R, A r x n with r <= n: the rows of A become those of Q', orthonormal; R is r x r,
 * upper. */
specreg_status sri_orthonormal(specreg_context *ctx, int64_t r, int64_t n, double *A, double *R);
/* Solves A x = b for n vectors b, the rows of B (n x n), in place; A is destroyed. */
specreg_status sri_solve(specreg_context *ctx, int64_t n, double *A, double *B);
/* Eigenvalues ascending in s; the rows of K become the eigenvectors.  vectors false: only s, K is
 * destroyed.  Reads the lower triangle. */
specreg_status sri_eigen(specreg_context *ctx, int64_t n, double *K, double *s, bool vectors);
/* Eigen-decomposition of a symmetric tridiagonal matrix: d (k) becomes the eigenvalues ascending,
 * e (k - 1) is destroyed, Z (k x k) gets an eigenvector in each row. */
specreg_status sri_tridiagonal(specreg_context *ctx, int64_t k, double *d, double *e, double *Z);

#endif
