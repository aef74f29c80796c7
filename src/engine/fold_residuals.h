/* Leave-a-fold-out residuals of Tikhonov, plain or iterated, from one decomposition of all rows. */
#ifndef SRI_ENGINE_FOLD_RESIDUALS_H
#define SRI_ENGINE_FOLD_RESIDUALS_H

#include "engine/spectrum.h"

/* From all pairs of the operator but those of unpenalised terms; VY is known.  `out` gets
 * job->path.count times repeats x n x T; NaN where a fold's system is singular to rounding. */
specreg_status sri_fold_residuals(specreg_context *ctx, const sri_job *job, const sri_spectrum *sp,
                                  double *out);

#endif
