/* Jobs for engines, as tests ask for them. */
#ifndef KIT_JOB_H
#define KIT_JOB_H

#include "engine/run.h"

/* All outputs along a path, with a gigabyte of memory. */
static inline sri_job kit_job(sri_op *op, const double *Y, int64_t T, const sri_filter *filter,
                              const double *param, int64_t count)
{
    return (sri_job){.problem = {.op = op, .Y = Y, .T = T},
                     .path = {.filter = filter, .param = param, .count = count},
                     .request = {.memory = INT64_C(1) << 30},
                     .shape = sri_op_shape(op)};
}

/* The same with held-out residuals of folds, 0 .. per_repeat - 1 in each repeat. */
static inline void kit_job_folds(sri_job *job, const int32_t *fold, int64_t per_repeat,
                                 int64_t repeats)
{
    job->request.need = SRI_NEED_FOLDS;
    job->problem.folds = (sri_folds){fold, job->problem.op->n, per_repeat, repeats};
}

#endif
