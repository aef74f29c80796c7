/* Leave-a-fold-out residuals of Tikhonov, plain or iterated, from one decomposition of all rows. */
#ifndef SRI_ENGINE_FOLD_RESIDUALS_H
#define SRI_ENGINE_FOLD_RESIDUALS_H

#include "engine/engine.h"

/* K/mass = V' diag(s) V with an eigenvector in each row of V, VY = V Y (n x T).  `out` gets
 * job->count times repeats x n x T; NaN where a fold's system is singular to rounding. */
specreg_status sri_fold_residuals(specreg_context *ctx, const sri_job *job, const double *V,
                                  const double *s, const double *VY, double *out);

#endif
