/* The preconditioner of conjugate gradients for K + mu I: with K ~ F F' by randomly pivoted
 * Cholesky, F n x r,
 *     (F F' + mu I)^-1 = (I - F (F'F + mu I)^-1 F') / mu,
 * where one decomposition F'F = V' diag(s) V serves every mu.
 *
 * Without the rows of a fold the matrix is that of the other rows T, and its preconditioner is made
 * of F_T: F_T'F_T = F'F - F_held'F_held has a decomposition of its own.  Restricting the inverse of
 * all rows to T would cost nothing, but where lambda is small it is no better than none: held-out
 * rows tell much of the others, and (P^-1)_TT is that of what they leave.
 *
 * Unpenalised terms: F is what the operator's projection leaves of it.  Without a fold its rows
 * satisfy F_T'(I - Q) F_T instead, Q the projection on the terms in the rows T; vectors are without
 * the terms before and made so after, by the caller. */
#ifndef SRI_ENGINE_PRECONDITIONER_H
#define SRI_ENGINE_PRECONDITIONER_H

#include "engine/engine.h"

typedef struct sri_preconditioner {
    int64_t n, rank;
    sri_low_rank factor; /* Lt is F'                                                       */
    int64_t n_parts;     /* folds, and at the end that of all rows                         */
    double **V, **s;     /* of each part: rank x rank, an eigenvector in each row; rank    */
} sri_preconditioner;

/* Columns that it is applied to, n x count: the part and mu of each. */
typedef struct sri_preconditioned {
    int64_t count;
    const int64_t *part;
    const double *mu;
} sri_preconditioned;

/* Whether products are those of a stored matrix: for one point without folds, if it fits. */
bool sri_preconditioner_stored(const sri_job *job);
/* The number of products with K that conjugate gradients are expected to take. */
double sri_preconditioned_passes(const sri_job *job);
/* The rank that is worth its time for the job and fits its memory; 0: none. */
int64_t sri_preconditioner_rank(const sri_job *job);
/* Bytes that live with such a rank, and flops of making it. */
double sri_preconditioner_bytes(const sri_job *job, double rank);
double sri_preconditioner_flops(const sri_job *job, double rank);

/* Of at most this rank: no more columns than the smallest lambda of the path has use for. */
specreg_status sri_preconditioner_new(specreg_context *ctx, const sri_job *job,
                                      const sri_fold_projection *projections, int64_t rank,
                                      sri_preconditioner *out);
/* Z = P^-1 R, n x count each; R is 0 in the rows that the column leaves out, Z is not. */
specreg_status sri_preconditioner_apply(specreg_context *ctx, const sri_preconditioner *p,
                                        const sri_preconditioned *columns, const double *R,
                                        double *Z);
void sri_preconditioner_free(sri_preconditioner *p);

#endif
