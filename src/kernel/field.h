/* Kernels of vector fields, T x T matrices for points of T coordinates: with u = x - z and
 * e = exp(-|u|^2 / (2 sigma^2)),
 *
 *     Gamma(x, z) = curl CF + div DF,
 *     CF = e / sigma^2 (I - u u' / sigma^2)                                 fields without curl
 *     DF = e / sigma^2 (u u' / sigma^2 + (T - 1 - |u|^2 / sigma^2) I)       ... without divergence
 *
 * Columns have n T rows: row i T + t is component t at point i. */
#ifndef SRI_KERNEL_FIELD_H
#define SRI_KERNEL_FIELD_H

#include <stdbool.h>

#include "core/context.h"

typedef struct sri_field {
    double sigma;
    double curl, div; /* how much of CF and of DF */
    int64_t T;
} sri_field;

/* Gamma(X, Z) for X m x T and Z n x T, row-major. */
typedef struct sri_field_matrix {
    const sri_field *field;
    const double *X;
    int64_t m;
    const double *Z;
    int64_t n;
} sri_field_matrix;

/* F ((m T) x c) = Gamma C without storing Gamma, C (n T) x c.  The result does not depend on the
 * number of threads. */
specreg_status sri_field_product(specreg_context *ctx, const sri_field_matrix *G, int64_t c,
                                 const double *C, double *F);
/* Gamma(X, X) into G (n T rows, as many columns): the lower triangle, or, when `full`, both. */
specreg_status sri_field_fill(specreg_context *ctx, const sri_field *field, const double *X,
                              int64_t n, bool full, double *G);
/* Gamma(x, x) is this number times I, whatever x. */
double sri_field_diagonal(const sri_field *field);

#endif
