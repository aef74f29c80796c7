/* Evaluations that a checkpoint may know already. */
#ifndef SRI_SELECT_MEMOIZE_H
#define SRI_SELECT_MEMOIZE_H

#include "core/digest.h"
#include "select/checkpoint.h"
#include "select/evaluate.h"

/* Of the rows of a problem and of every option but the name of a checkpoint. */
sri_digest sri_problem_digest(const sri_problem *problem);
/* Opens the search's checkpoint, for the data and options at hand; NULL where none is asked for. */
specreg_status sri_memoize_open(specreg_context *ctx, const sri_search_spec *spec,
                                const sri_setting *setting, sri_checkpoint **out);
/* As sri_evaluate, or, where the checkpoint has it, its scores without any coefficients. */
specreg_status sri_memoize(specreg_context *ctx, const sri_run *run, sri_checkpoint *checkpoint);

#endif
