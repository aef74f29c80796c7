/* Products of Householder reflectors, H_1 ... H_k = I - U T U', U with a reflector in each
 * column. */
#ifndef SRI_BACKEND_CPU_REFLECTORS_H
#define SRI_BACKEND_CPU_REFLECTORS_H

#include <stdint.h>

/* Reflectors in a product: enough for wide matrix products, and few enough that U'U, of which T is
 * made, costs little. */
enum { SRI_REFLECTORS = 256 };

/* U (m x k by columns) from reflectors as LAPACK stores them, in columns ldv apart: their ones
 * on the diagonal and the zeros above are implied. */
void sri_reflectors_unpack(int64_t m, int64_t k, const double *V, int64_t ldv, double *U);
/* T (k x k by columns, upper triangle, 0 below) from the upper triangle of U'U, in its place,
 * and the factors tau. */
void sri_reflectors_T(int64_t k, const double *tau, double *T);
/* The same from U (m x k by columns). */
void sri_reflectors_make(int64_t m, int64_t k, const double *U, const double *tau, double *T);
/* C (m x n, columns ldc apart) -= U T U'C, each thread some columns; W is a workspace of n x k. */
void sri_reflectors_apply(int64_t m, int64_t k, const double *U, const double *T, int64_t n,
                          double *C, int64_t ldc, double *W);
/* The same where W is C'U already; W is destroyed. */
void sri_reflectors_subtract(int64_t m, int64_t k, const double *U, const double *T, int64_t n,
                             double *C, int64_t ldc, double *W);

#endif
