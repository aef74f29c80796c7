/* Leave-a-fold-out residuals of every linear filter, from a few eigenpairs of all rows. */
#ifndef SRI_ENGINE_LOWRANK_FOLDS_H
#define SRI_ENGINE_LOWRANK_FOLDS_H

#include "engine/spectrum.h"

/* `out` gets job->path.count times repeats x n x T; `left` is the trace that the pairs leave of
 * K. */
specreg_status sri_lowrank_folds(specreg_context *ctx, const sri_job *job, const sri_spectrum *sp,
                                 double left, double *out);

#endif
