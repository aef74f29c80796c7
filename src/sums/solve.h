/* From sums to solutions: the predictors of a whole path.
 *
 * One decomposition gives them for filters that are linear (spectrum.h), a Krylov space those of
 * filter cg (gradients.c).  Coupled outputs become ones that are not (coupled.h). */
#ifndef SRI_SUMS_SOLVE_H
#define SRI_SUMS_SOLVE_H

#include "select/problem.h"
#include "filter/filter.h"
#include "measure/losses.h"
#include "sums/sums.h"

struct sri_leverages; /* accumulate.h */

/* What is asked of the sums of a kernel. */
typedef struct sri_sums_question {
    sri_filter filter;
    sri_values path;              /* smooth to rough                                    */
    double kappa2;                /* of the kernel itself: the filter's step depends on it */
    const sri_coupling *coupling; /* of outputs; NULL: independent                      */
    sri_problem_resources resources;
} sri_sums_question;

/* The predictors f(x) = W'(b(x), phi(x)) of a path. */
typedef struct sri_sums_path {
    int64_t count, width, T; /* points; coordinates r + l; outputs                  */
    double *W;               /* width x (count T): column k T + t is output t of point k; a
                              * coupling of outputs has gone in                           */
    bool of_centres;         /* b(x) is k_m(x) here: W has the coefficients of the centres */
    double *df;              /* count; NaN: not known                               */
    sri_filter filter;       /* its step in force                                   */
    const struct sri_engine *engine;
    int64_t rank; /* eigenvalues above rounding, as far as the engine tells */
} sri_sums_path;

/* Trains on the rows whose sums are M.  `leverages`, NULL where it is not wanted, gets what rows
 * say of their own predictions, for linear filters. */
specreg_status sri_sums_solve(specreg_context *ctx, const sri_sums_question *question,
                              const sri_sums_layout *at, const double *M, sri_sums_path *out,
                              struct sri_leverages *leverages);
void sri_sums_path_free(sri_sums_path *path);
/* Squared errors of a path's predictors on the rows whose sums are M: error (count T), their
 * sums over the rows by weight. */
specreg_status sri_sums_errors(specreg_context *ctx, const sri_sums_path *path,
                               const sri_sums_layout *at, const double *M, double *error);

#endif
