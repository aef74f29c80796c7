/* Trials: copies of the rows that train and of those that validate. */
#include <string.h>

#include "core/memory.h"
#include "select/rule.h"

static specreg_status make_trial(specreg_context *ctx, const sri_problem *problem,
                                 const sri_split *split, sri_trial *trial)
{
    specreg_status st = SPECREG_OK;
    const int64_t m = split->n_validate;
    sri_sample *v = &trial->validate;
    sri_subproblem rest = {0};
    SRI_TRY(sri_subproblem_make(ctx, problem, split->train, split->n_train, &trial->own));
    trial->train = trial->own.problem;
    sri_problem alone = *problem; /* rows that validate take no others along */
    alone.extension = NULL;
    SRI_TRY(sri_subproblem_make(ctx, &alone, split->validate, m, &rest));
    SRI_TRY(sri_view_gather(ctx, &problem->points->rows, split->validate, m, &v->rows));
    SRI_ALLOC(ctx, trial->row, m, 1);
    memcpy(trial->row, split->validate, (size_t)m * sizeof *trial->row);
    v->n = m;
    v->Y = rest.Y;
    v->classes = rest.classes;
    v->weight = rest.weight;
    v->P = rest.P;
    rest.Y = rest.weight = rest.P = NULL;
    rest.classes = NULL;
done:
    sri_subproblem_free(&rest);
    return st;
}

specreg_status sri_trials_from_splits(specreg_context *ctx, const sri_problem *problem,
                                      const sri_splits *splits, sri_trials *out)
{
    specreg_status st = SPECREG_OK;
    const sri_strata s = sri_problem_strata(problem);
    *out = (sri_trials){0};
    SRI_TRY(sri_splits_check(ctx, "select", &s, problem->reader.target->label, splits));
    SRI_CALLOC(ctx, out->trial, splits->count, 1);
    for (int64_t i = 0; i < splits->count; i++) {
        out->count = i + 1;
        SRI_TRY(make_trial(ctx, problem, &splits->split[i], &out->trial[i]));
    }
done:
    if (st != SPECREG_OK)
        sri_trials_free(out);
    return st;
}

void sri_trials_free(sri_trials *trials)
{
    for (int64_t i = 0; trials->trial && i < trials->count; i++) {
        sri_trial *t = &trials->trial[i];
        sri_free(t->row);
        sri_sample_free(&t->validate);
        sri_subproblem_free(&t->own);
    }
    sri_free(trials->trial);
    *trials = (sri_trials){0};
}
