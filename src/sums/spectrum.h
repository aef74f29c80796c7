/* One decomposition of the sums, from which every linear filter and parameter follows.
 *
 * Unpenalised terms phi are made orthonormal over the rows, e = E'phi, and taken out of b: b~ =
 * b - (sum of b e') e.  Then (sum of b~ b~')/mass = V'diag(s)V has an eigenvector in each row of
 * V. */
#ifndef SRI_SUMS_SPECTRUM_H
#define SRI_SUMS_SPECTRUM_H

#include "sums/solve.h"

typedef struct sri_sums_spectrum {
    sri_arena memory;
    sri_sums_layout at;
    double mass, noise; /* eigenvalues up to `noise` are rounding      */
    double *E;          /* l x l                                      */
    double *BE;         /* r x l: the sum of b e'                     */
    double *V, *s;      /* r x r and r, ascending, none is negative   */
} sri_sums_spectrum;

/* E (l x l), the sum of phi phi' over rows, becomes C^-T of its Cholesky factor C. */
specreg_status sri_terms_orthonormal(specreg_context *ctx, int64_t l, double *E);
specreg_status sri_sums_spectrum_make(specreg_context *ctx, const sri_sums_layout *at,
                                      const double *M, sri_sums_spectrum *out);
void sri_sums_spectrum_free(sri_sums_spectrum *sp);
/* The parameters of a path as the filter is to see them. */
specreg_status sri_sums_spectrum_params(specreg_context *ctx, const sri_sums_spectrum *sp,
                                        const sri_filter *filter, const sri_values *path,
                                        double *param);
/* g and r (count) of eigenvalue j; 0 and 1 where it is rounding that the filter would amplify. */
void sri_sums_spectrum_filter(const sri_sums_spectrum *sp, const sri_filter *filter, int64_t j,
                              const sri_values *param, double *g, double *r);
/* The predictors of a path, whose filter has its step: W and df. */
specreg_status sri_sums_spectrum_path(specreg_context *ctx, const sri_sums_spectrum *sp,
                                      const sri_values *path, const double *M, sri_sums_path *out);

#endif
