/* What the Krylov engines do with several Lanczos spaces at once. */
#ifndef SRI_ENGINE_KRYLOV_SPACE_H
#define SRI_ENGINE_KRYLOV_SPACE_H

#include "engine/engine.h"
#include "op/lanczos.h"

/* Extends all spaces by one step, with one product; those that are whole, or done, stay as
 * they are.  `work` has space for 2 n x columns. */
specreg_status sri_krylov_step(specreg_context *ctx, const sri_job *job, sri_lanczos *z,
                               const bool *done, int64_t columns, double *work);
/* Column t of Y without a fold (negative: with all rows), as a space starts from it. */
sri_lanczos_source sri_krylov_source(const sri_job *job, const sri_fold_projection *projections,
                                     int64_t t, int64_t fold);
/* x (k) = x_q with (T_k + lambda I) x_i = e_1 + lambda x_{i-1}, by elimination: O(k), where the
 * spectrum of T_k takes O(k^3).  d has space for k. */
void sri_krylov_resolvent(const sri_lanczos *z, double lambda, int q, double *d, double *x);

#endif
