/* Products of Householder reflectors, H_1 ... H_k = I - U T U', U with a reflector in each
 * column. */
#ifndef SRI_BACKEND_CPU_REFLECTORS_H
#define SRI_BACKEND_CPU_REFLECTORS_H

#include "core/arena.h"

/* Reflectors in a product: enough for wide matrix products, and few enough that U'U, of which T is
 * made, costs little. */
enum { SRI_REFLECTORS = 256 };

typedef struct sri_reflectors {
    int64_t m, k;
    double *U, *T; /* m x k and k x k, by columns; T is 0 below its diagonal     */
    double *W;     /* workspace, n x k for a matrix of n columns                 */
} sri_reflectors;

/* Memory for up to SRI_REFLECTORS reflectors of m rows, to be applied to n columns. */
specreg_status sri_reflectors_new(specreg_context *ctx, sri_arena *memory, int64_t m, int64_t n,
                                  sri_reflectors *out);
/* U (m x k by columns) from reflectors as LAPACK stores them, in columns ldv apart: their ones
 * on the diagonal and the zeros above are implied. */
void sri_reflectors_unpack(int64_t m, int64_t k, const double *V, int64_t ldv, double *U);
/* T from the upper triangle of U'U, in its place, and the factors tau. */
void sri_reflectors_T(int64_t k, const double *tau, double *T);
/* As many of m rows as there is memory for, stored like that. */
void sri_reflectors_take(sri_reflectors *r, int64_t m, const double *V, int64_t ldv,
                         const double *tau);
/* C (m x n, columns ldc apart) -= U T U'C, each thread some columns. */
void sri_reflectors_apply(const sri_reflectors *r, int64_t n, double *C, int64_t ldc);
/* The same where W is C'U already; W is destroyed. */
void sri_reflectors_subtract(const sri_reflectors *r, int64_t n, double *C, int64_t ldc);

#endif
