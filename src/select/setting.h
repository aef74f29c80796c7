/* Where candidates are compared: the rows, and the folds or trials that the rule makes of them. */
#ifndef SRI_SELECT_SETTING_H
#define SRI_SELECT_SETTING_H

#include "kernel/pairs.h"
#include "select/learn.h"
#include "select/search.h"

typedef struct sri_setting {
    const sri_search_spec *spec; /* what is searched for                               */
    sri_problem problem;    /* with its folds, where the rule has them                        */
    bool together;          /* one run over all rows serves all folds                         */
    sri_trials trials;      /* none where the score comes from runs over all rows             */
    bool scores_only;       /* held-out residuals will do: the winner is trained afterwards   */
    double tolerance;       /* of held-out residuals, as a share of them; 0: to rounding      */
    int64_t smallest;       /* rows of the smallest training part                             */
    int64_t expected_steps; /* what a kernel like the next one took (sri_hint); 0: not known */
    int32_t *fold;
    double *class_cost;
    sri_points *points; /* the problem's, with what the kernels share; NULL: they share nothing */
    sri_pairs *pairs;
    sri_learner *learner; /* of each trial, then of all rows; NULL: nothing is kept */
} sri_setting;

/* The folds, and which way to go: all in one run, or a run for each.  No trials yet.  The spec is
 * kept by reference. */
specreg_status sri_setting_folds(specreg_context *ctx, const sri_search_spec *spec,
                                 const sri_problem *problem, sri_setting *out);
/* All of it. */
specreg_status sri_setting_make(specreg_context *ctx, const sri_search_spec *spec,
                                const sri_problem *problem, sri_setting *out);
/* What `rows` of the setting's rows are of those that a plan is for, and the bytes of all of
 * those. */
int64_t sri_planned_rows(const sri_setting *setting, int64_t rows);
double sri_planned_data(const sri_setting *setting);
/* The job of a kernel along a path on all rows of the setting; `need` as rules have it.  Every job
 * of a search is made here, and every one that only costs are asked for. */
sri_job sri_setting_job(const sri_setting *setting, const sri_kernel *kernel, sri_op *op,
                        sri_path path, unsigned need);
/* Beside the run of an engine (`job`): predicting so many rows at all its points, and judging. */
double sri_trial_seconds(const sri_job *job, int64_t rows);
/* What learning on the rows of trial f, or on all rows (-1), keeps; NULL: nothing. */
static inline sri_learner *sri_setting_learner(const sri_setting *setting, int64_t f)
{
    return setting->learner ? setting->learner + (f < 0 ? setting->trials.count : f) : NULL;
}
void sri_setting_free(sri_setting *setting);

#endif
