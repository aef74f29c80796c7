/* Kernels of vector fields, T x T matrices for points of T coordinates, made of the second
 * derivatives of a radial function phi: with w = (x - z) / sigma and G1, G2 of radial.h,
 *
 *     Gamma(x, z) = curl CF + div DF,
 *     CF = (G1 I - G2 w w') / sigma^2                              fields without curl
 *     DF = (G2 w w' + ((T - 1) G1 - |w|^2 G2) I) / sigma^2         ... without divergence
 *
 * Of the Gaussian G1 = G2 = exp(-|w|^2 / 2).
 *
 * Columns have n T rows: row i T + t is component t at point i. */
#ifndef SRI_KERNEL_FIELD_H
#define SRI_KERNEL_FIELD_H

#include <stdbool.h>

#include "core/context.h"
#include "kernel/radial.h"

struct sri_kernel;

enum { SRI_FIELD_MORE = 7 };

/* One of a sum, as the first is below. */
typedef struct sri_field_part {
    double sigma, curl, div;
    sri_radial radial;
} sri_field_part;

/* A sum of such kernels, and of scalar ones times I. */
typedef struct sri_field {
    double sigma;
    double curl, div; /* how much of CF and of DF */
    int64_t T;
    sri_radial radial; /* phi */
    int n_more;
    sri_field_part more[SRI_FIELD_MORE];
    const struct sri_kernel *others; /* the kernel whose terms that are no fields are added; NULL:
                                      * it has none.  Not owned                                  */
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
/* Entry (s, t) of Gamma(x, z), of the first of a sum. */
double sri_field_entry(const sri_field *field, const double *x, const double *z, int64_t s,
                       int64_t t);
/* Gamma(x, x) is this number times I, whatever x; scalar kernels are left out. */
double sri_field_diagonal(const sri_field *field);

#endif
