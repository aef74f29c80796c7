/* One random part of the rows is held out. */
#include "select/rule.h"

static const sri_param params[] = {
    {.name = "fraction", .value = 0.3, .least = 0, .open = true},
};

static specreg_status check(specreg_context *ctx, const sri_rule *self)
{
    return self->param[0] < 1
               ? SPECREG_OK
               : sri_fail(ctx, SPECREG_E_ARG, "select: fraction must lie between 0 and 1, not %g",
                          self->param[0]);
}

static specreg_status trials(specreg_context *ctx, const sri_rule *self, const sri_task *task,
                             sri_trials *out)
{
    specreg_status st = SPECREG_OK;
    sri_splits splits = {0};
    const sri_strata s = sri_task_strata(task);
    SRI_TRY(sri_splits_holdout(ctx, &s, self->param[0], &splits));
    SRI_TRY(sri_trials_from_splits(ctx, task, &splits, out));
done:
    sri_splits_free(&splits);
    return st;
}

const sri_rule_ops sri_rule_holdout = {
    .name = "holdout",
    .title = "held-out rows",
    .params = params,
    .n_params = 1,
    .check = check,
    .trials = trials,
};
