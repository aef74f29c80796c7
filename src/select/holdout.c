/* One random part of the rows is held out. */
#include "select/rule.h"

static specreg_status configure(specreg_context *ctx, sri_rule *self, const sri_spec *spec)
{
    self->number = 0.3;
    const specreg_status st = sri_rule_number(ctx, self, spec);
    if (st == SPECREG_OK && !(self->number > 0 && self->number < 1))
        return sri_fail(ctx, SPECREG_E_ARG, "select: fraction must lie between 0 and 1, not %g",
                        self->number);
    return st;
}

static specreg_status trials(specreg_context *ctx, const sri_rule *self, const sri_task *task,
                             sri_trials *out)
{
    specreg_status st = SPECREG_OK;
    sri_splits splits = {0};
    SRI_TRY(sri_splits_holdout(ctx, task->n, self->number, task->classes, task->n_classes,
                               task->seed, &splits));
    SRI_TRY(sri_trials_from_splits(ctx, task, &splits, out));
done:
    sri_splits_free(&splits);
    return st;
}

const sri_rule_ops sri_rule_holdout = {
    .name = "holdout",
    .configure = configure,
    .trials = trials,
    .key = "fraction",
};
