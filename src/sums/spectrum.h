/* One decomposition of the sums, from which every linear filter and parameter follows.
 *
 * Unpenalised terms phi are made orthonormal over the rows, e = E'phi, and taken out of b: b~ =
 * b - (sum of b e') e.  Then (sum of b~ b~')/mass = V'diag(s)V has an eigenvector in each row of
 * V. */
#ifndef SRI_SUMS_SPECTRUM_H
#define SRI_SUMS_SPECTRUM_H

#include "sums/coupled.h"
#include "sums/solve.h"

typedef struct sri_sums_spectrum {
    sri_arena memory;
    sri_sums_layout at;
    double mass, noise; /* eigenvalues up to `noise` are rounding                    */
    double *E;          /* l x l                                                     */
    double *BE;         /* r x l: the sum of b e'                                    */
    double *V;          /* r x r; before it is decomposed this is the sum of b~ b~'  */
    double *s;          /* r, ascending, none is negative                            */
} sri_sums_spectrum;

/* E (l x l), the sum of phi phi' over rows, becomes C^-T of its Cholesky factor C. */
specreg_status sri_terms_orthonormal(specreg_context *ctx, int64_t l, double *E);
/* All but the decomposition, which comes second. */
specreg_status sri_sums_spectrum_make(specreg_context *ctx, const sri_sums_layout *at,
                                      const double *M, sri_sums_spectrum *out);
specreg_status sri_sums_spectrum_decompose(specreg_context *ctx, sri_sums_spectrum *sp);
void sri_sums_spectrum_free(sri_sums_spectrum *sp);
/* g and r of a path along the eigenvectors, for outputs with the kernel a k: those of a s_j, 0 and
 * 1 where that is rounding that the filter would amplify. */
typedef struct sri_sums_filter {
    sri_arena memory;
    const sri_sums_spectrum *sp;
    const sri_filter *filter; /* with its step                           */
    const sri_scales *scales;
    int64_t count;
    double *param;  /* for each scale: as the filter is to see them    */
    int64_t stride; /* from one scale to the next; 0: all have the same */
} sri_sums_filter;

specreg_status sri_sums_filter_make(specreg_context *ctx, const sri_sums_spectrum *sp,
                                    const sri_sums_question *q, const sri_filter *filter,
                                    const sri_scales *scales, sri_sums_filter *out);
void sri_sums_filter_free(sri_sums_filter *filter);
/* g and r (count) of eigenvalue j for outputs with factor number k. */
void sri_sums_filter_at(const sri_sums_filter *filter, int64_t j, int64_t k, double *g, double *r);

/* The predictors of a path, whose filter has its step, from sums M with outputs apart: W, df and
 * rank.  The second is for filter cg, and asks for no decomposition. */
specreg_status sri_sums_spectrum_path(specreg_context *ctx, const sri_sums_spectrum *sp,
                                      const sri_sums_question *q, const sri_scales *scales,
                                      const double *M, sri_sums_path *out);
specreg_status sri_sums_gradients_path(specreg_context *ctx, const sri_sums_spectrum *sp,
                                       const sri_sums_question *q, const sri_scales *scales,
                                       const double *M, sri_sums_path *out);
/* Coefficients of unpenalised terms: the last l rows of W from its first r. */
specreg_status sri_sums_terms(specreg_context *ctx, const sri_sums_spectrum *sp, const double *M,
                              sri_sums_path *out);

#endif
