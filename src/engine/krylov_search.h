/* Folds of a path by masked Lanczos, no deeper than a search needs. */
#ifndef SRI_ENGINE_KRYLOV_SEARCH_H
#define SRI_ENGINE_KRYLOV_SEARCH_H

#include "engine/engine.h"

/* For jobs with folds, a tolerance and a linear filter.  Points come in their order as soon as they
 * are certain enough, without coefficients; those that the sink has no need of do not come.  After
 * `limit` steps, or `again` of them in double precision, the rest goes to `other`, or, where
 * that is NULL, comes as it is. */
specreg_status sri_krylov_search(specreg_context *ctx, const sri_job *job, int64_t limit,
                                 int64_t again, const sri_engine *other, sri_sink *sink,
                                 sri_report *report);

#endif
