/* LAPACK's routines as slots of a backend, and what their callers share.  LAPACK is always called
 * column-major, without copies: row-major lower is column-major upper. */
#ifndef SRI_BACKEND_CPU_LAPACK_H
#define SRI_BACKEND_CPU_LAPACK_H

#include <lapacke.h>

#include "backend/backend.h"

/* The status that LAPACK's `info` stands for: success, no memory, or a failure of the routine. */
specreg_status sri_lapack_status(specreg_context *ctx, const char *routine, lapack_int info);
/* SPECREG_E_SHAPE unless LAPACK's integers can count to `size`. */
specreg_status sri_lapack_fits(specreg_context *ctx, int64_t size);

/* Factors the lower triangle of A (row-major, rows ld apart).  Returns 0, or the 1-based order at
 * which A is not positive definite or not finite. */
int64_t sri_lapack_factor(int64_t n, double *A, int64_t ld);

specreg_status sri_lapack_cholesky_solve(specreg_context *ctx, int64_t n, int64_t t,
                                         const double *L, double *B);
specreg_status sri_lapack_cholesky_invert(specreg_context *ctx, int64_t n, double *L);
specreg_status sri_lapack_orthonormal(specreg_context *ctx, int64_t r, int64_t n, double *A,
                                      double *R);
specreg_status sri_lapack_solve(specreg_context *ctx, int64_t n, double *A, double *B);
specreg_status sri_lapack_eigen(specreg_context *ctx, int64_t n, double *K, double *s,
                                bool vectors);
specreg_status sri_lapack_tridiagonal(specreg_context *ctx, int64_t k, double *d, double *e,
                                      double *Z);

/* lapack_band.c */
specreg_status sri_lapack_band_reduce(specreg_context *ctx, sri_band *band);
specreg_status sri_lapack_band_form(specreg_context *ctx, sri_band *band);
specreg_status sri_lapack_band_rotate(specreg_context *ctx, const sri_band *band, bool transposed,
                                      int64_t t, double *X);
const sri_substitution *sri_lapack_substitution(void);
/* Q has `border` rows and columns of the identity before those that the reflectors change: writes
 * them, and says that V is Q now. */
void sri_band_add_border(sri_band *band, int64_t border);

#endif
