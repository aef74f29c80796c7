/* Trials: copies of the rows that train and of those that validate. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "select/rule.h"

static specreg_status gather_rows(specreg_context *ctx, const double *from, int64_t cols,
                                  const int64_t *rows, int64_t count, double **out)
{
    specreg_status st = SPECREG_OK;
    SRI_ALLOC(ctx, *out, count, cols);
    for (int64_t i = 0; i < count; i++)
        memcpy(*out + i * cols, from + rows[i] * cols, (size_t)cols * sizeof **out);
done:
    return st;
}

static specreg_status make_trial(specreg_context *ctx, const sri_task *task, const sri_split *split,
                                 sri_trial *trial)
{
    specreg_status st = SPECREG_OK;
    const int64_t m = split->n_validate;
    sri_sample *v = &trial->validate;
    v->n = m;
    SRI_TRY(sri_points_subset(ctx, task->points, split->train, split->n_train, &trial->own_train));
    trial->train = trial->own_train;
    SRI_TRY(gather_rows(ctx, task->Y, task->T, split->train, split->n_train, &trial->own_Y));
    trial->Y = trial->own_Y;
    SRI_TRY(gather_rows(ctx, task->points->x, task->points->p, split->validate, m, &v->X));
    SRI_TRY(gather_rows(ctx, task->Y, task->T, split->validate, m, &v->Y));
    if (task->classes) {
        SRI_ALLOC(ctx, v->classes, m, 1);
        for (int64_t i = 0; i < m; i++)
            v->classes[i] = task->classes[split->validate[i]];
    }
done:
    return st;
}

specreg_status sri_trials_from_splits(specreg_context *ctx, const sri_task *task,
                                      const sri_splits *splits, sri_trials *out)
{
    specreg_status st = SPECREG_OK;
    const sri_strata s = sri_task_strata(task);
    *out = (sri_trials){0};
    SRI_TRY(sri_splits_check(ctx, "select", &s, task->reader.target->label, splits));
    SRI_CALLOC(ctx, out->trial, splits->count, 1);
    for (int64_t i = 0; i < splits->count; i++) {
        out->count = i + 1;
        SRI_TRY(make_trial(ctx, task, &splits->split[i], &out->trial[i]));
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
        sri_sample_free(&t->validate);
        free(t->own_Y);
        sri_points_free(t->own_train);
    }
    free(trials->trial);
    *trials = (sri_trials){0};
}
