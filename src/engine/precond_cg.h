/* Conjugate gradients with a preconditioner, for Tikhonov: all lambdas, outputs and folds are
 * columns of one product with K.  For paths and folds where the kernel matrix is not stored, and
 * for one lambda without folds also where it is. */
#ifndef SRI_ENGINE_PRECOND_CG_H
#define SRI_ENGINE_PRECOND_CG_H

#include "engine/engine.h"

/* |y - (K + mu I) alpha| / |y|, where it ends: products with a matrix that is stored are cheap. */
#define SRI_PRECOND_CG_TOLERANCE 1e-6
#define SRI_PRECOND_CG_STORED_TOLERANCE 1e-12

/* Whether a job is one that it can do. */
bool sri_precond_cg_serves(const sri_job *job);
/* What it costs. */
sri_cost sri_precond_cg_cost(const sri_job *job);
/* Puts points in their order as soon as all columns of a point have residuals as short as they
 * should be, found from a product with alpha itself; where that takes too many steps they come as
 * they are.  report->residual has the longest, where K is not stored.  With folds and `scores_only`
 * or a tolerance points come without coefficients; points that the sink has no need of do not
 * come. */
specreg_status sri_precond_cg(specreg_context *ctx, const sri_job *job, sri_sink *sink,
                              sri_report *report);

#endif
