/* k-fold cross-validation by refits on k-1 folds each; stratified for classes. */
#include <math.h>

#include "select/rule.h"

static specreg_status configure(specreg_context *ctx, sri_rule *self, const sri_spec *spec)
{
    const specreg_status st = sri_rule_number(ctx, self, spec);
    if (st == SPECREG_OK && spec->count && (self->number < 2 || self->number != floor(self->number)))
        return sri_fail(ctx, SPECREG_E_ARG,
                        "select: k must be a whole number of at least 2, not %g", self->number);
    return st;
}

/* 5 folds unless told, or as many as there are rows. */
int64_t sri_rule_folds(const sri_rule *rule, int64_t n)
{
    return rule->number > 0 ? (int64_t)rule->number : n < 5 ? n : 5;
}

static specreg_status trials(specreg_context *ctx, const sri_rule *self, const sri_task *task,
                             sri_trials *out)
{
    specreg_status st = SPECREG_OK;
    sri_splits splits = {0};
    const int64_t k = sri_rule_folds(self, task->n);
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
    .key = "k",
};
