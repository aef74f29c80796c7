/* What evaluations share, by scores of the fit itself, by a choice along the path and by trials. */
#ifndef SRI_SELECT_RUN_H
#define SRI_SELECT_RUN_H

#include "core/arena.h"
#include "select/batch.h"

/* What the rule asks for, and a path of the first candidate on all rows of the setting. */
unsigned sri_run_need(const sri_run *r);
sri_job sri_run_job(const sri_run *r, unsigned need);
/* Plans the job, runs an engine and books its time: kernel values, solving, and what sinks took to
 * judge.  `problem` is what the job was made of: the setting's, or that of a trial, whose points
 * need coefficients only.  to[m] gets the points of member m; `batch` has their operators where
 * there are several. */
specreg_status sri_run_engine(specreg_context *ctx, const sri_run *r, const sri_problem *problem,
                              sri_job *job, const sri_batch *batch, sri_sink *const *to);
/* own_rows.c: the same, where outputs train on rows of their own. */
specreg_status sri_run_own_rows(specreg_context *ctx, const sri_run *r, const sri_problem *problem,
                                const sri_job *job, sri_sink *to);
/* extended.c: the same, where there are rows without targets. */
specreg_status sri_run_extended(specreg_context *ctx, const sri_run *r, const sri_problem *problem,
                                const sri_job *job, sri_sink *to);
/* Keeps a point in the outcome of member m. */
specreg_status sri_run_keep(specreg_context *ctx, const sri_run *r, int64_t m,
                            const sri_path_point *point);

/* One each for rules with a score, with a choice along the path and with trials. */
specreg_status sri_evaluate_scores(specreg_context *ctx, const sri_run *r);
specreg_status sri_evaluate_choice(specreg_context *ctx, const sri_run *r);
specreg_status sri_evaluate_trials(specreg_context *ctx, const sri_run *r);

#endif
