/* Decompositions of symmetric matrices.  Both are slots of the backend (backend.h). */
#ifndef SRI_BACKEND_EIGEN_H
#define SRI_BACKEND_EIGEN_H

#include <stdbool.h>

#include "core/context.h"

/* The largest n: LAPACK counts the 2 n^2 numbers of its workspace in an int. */
enum { SRI_EIG_MAX = 32766 };

/* Eigenvalues ascending in s; the rows of K become the eigenvectors.  vectors false: only s, K is
 * destroyed.  Reads the lower triangle. */
specreg_status sri_eigen(specreg_context *ctx, int64_t n, double *K, double *s, bool vectors);
/* The same for a symmetric tridiagonal matrix: d (k) becomes the eigenvalues ascending, e (k - 1)
 * is destroyed, Z (k x k) gets an eigenvector in each row. */
specreg_status sri_tridiagonal(specreg_context *ctx, int64_t k, double *d, double *e, double *Z);

#endif
