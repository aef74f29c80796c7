/* The recurrences of all folds in one run, with the rows sorted by fold. */
#ifndef SRI_ENGINE_FOLDED_H
#define SRI_ENGINE_FOLDED_H

#include <stdbool.h>

#include "engine/engine.h"

/* Whether sorting pays for the job: folds of a filter with a recurrence, a matrix that stays in the
 * cache and fits the memory twice, and more than a few steps. */
bool sri_folded_suits(const sri_job *job);
/* What a job that it suits takes. */
sri_cost sri_folded_cost(const sri_job *job);
/* Runs the recurrence and hands on the points. */
specreg_status sri_folded_run(specreg_context *ctx, const sri_job *job, sri_sink *sink);

#endif
