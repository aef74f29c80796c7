/* Factorizations of dense matrices, row-major.  All but those at the end are slots of the backend
 * (backend.h). */
#ifndef SRI_BACKEND_FACTOR_H
#define SRI_BACKEND_FACTOR_H

#include <stdbool.h>

#include "core/context.h"

/* Cholesky K = L L' of the lower triangle, in place; the upper one is neither read nor written.
 * *failed_at: 0, or the 1-based order at which K stopped being positive definite or finite. */
specreg_status sri_cholesky(specreg_context *ctx, int64_t n, double *K, int64_t *failed_at);
/* Bytes that this, or the diagonal of the inverse, takes beside the matrix. */
double sri_cholesky_bytes(int64_t n);
/* Solves L L' X = B in place, B n x t. */
specreg_status sri_cholesky_solve(specreg_context *ctx, int64_t n, int64_t t, const double *L,
                                  double *B);
/* The diagonal of the inverse of L L', at half the work of all of it. */
specreg_status sri_cholesky_inverse_diagonal(specreg_context *ctx, int64_t n, const double *L,
                                             double *out);
/* Replaces the lower triangle of L by that of the inverse of L L'. */
specreg_status sri_cholesky_invert(specreg_context *ctx, int64_t n, double *L);
/* A' = Q R, A r x n with r <= n: the rows of A become those of Q', orthonormal; R is r x r,
 * upper triangular. */
specreg_status sri_orthonormal(specreg_context *ctx, int64_t r, int64_t n, double *A, double *R);
/* Solves A x = b for n vectors b, the rows of B (n x n), in place; A is destroyed. */
specreg_status sri_solve(specreg_context *ctx, int64_t n, double *A, double *B);

/* Cholesky with pivots of a positive semi-definite matrix: row i of L is that of row pivot[i] of K.
 * The first *rank columns of the lower triangle are L; it ends where no diagonal entry of what is
 * left is above `tolerance`, and what lies beyond is not defined.  The upper triangle is neither
 * read nor written. */
specreg_status sri_cholesky_pivoted(specreg_context *ctx, int64_t n, double *K, double tolerance,
                                    int64_t *pivot, int64_t *rank);
/* Solves L'X = B in place, B n x t, L with rows ld apart. */
void sri_lower_solve_transposed(int64_t n, int64_t t, const double *L, int64_t ld, double *B);
/* Solves L x = b, or L'x = b, in place for every row b of B (t x n, rows ldb apart), L n x n.  For
 * the threads of a region (threads.h). */
void sri_lower_solve_rows(int64_t n, int64_t t, const double *L, bool transposed, double *B,
                          int64_t ldb);
/* Replaces a lower triangle, rows ld apart, by that of its inverse; its diagonal has no zero. */
void sri_lower_invert(int64_t n, double *L, int64_t ld);

#endif
