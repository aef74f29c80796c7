/* k-fold cross-validation by refits on k-1 folds each; stratified for classes. */
#include <math.h>

#include "core/text.h"
#include "select/rule.h"

static specreg_status configure(specreg_context *ctx, sri_rule *self, const sri_spec *spec)
{
    self->number = 0; /* 5, or as many as there are rows */
    for (int i = 0; i < spec->count; i++) {
        if (!spec->arg[i].key || spec->arg[i].key[0] != 'k' || spec->arg[i].key[1])
            return sri_fail(ctx, SPECREG_E_ARG, "select: kfold has k=NUMBER, not '%s'",
                            spec->arg[i].key ? spec->arg[i].key : spec->arg[i].value);
        const specreg_status st =
            sri_number_parse(ctx, "select: k", spec->arg[i].value, &self->number);
        if (st != SPECREG_OK)
            return st;
        if (self->number < 2 || self->number != floor(self->number))
            return sri_fail(ctx, SPECREG_E_ARG,
                            "select: k must be a whole number of at least 2, not %s",
                            spec->arg[i].value);
    }
    return SPECREG_OK;
}

static specreg_status trials(specreg_context *ctx, const sri_rule *self, const sri_task *task,
                             sri_trials *out)
{
    specreg_status st = SPECREG_OK;
    sri_splits splits = {0};
    const int64_t k = self->number > 0 ? (int64_t)self->number : task->n < 5 ? task->n : 5;
    SRI_REQUIRE(ctx, k <= task->n, SPECREG_E_ARG, "select: k=%lld folds, but only %lld rows",
                (long long)k, (long long)task->n);
    SRI_TRY(sri_splits_kfold(ctx, task->n, k, task->classes, task->n_classes, task->seed, &splits));
    SRI_TRY(sri_trials_from_splits(ctx, task, &splits, out));
done:
    sri_splits_free(&splits);
    return st;
}

const sri_rule_ops sri_rule_kfold = {
    .name = "kfold",
    .configure = configure,
    .trials = trials,
};
