/* k-fold cross-validation, stratified for classes.  Exact either way: from one run over all rows
 * where an engine gives the residuals without a row's fold, else by a fit for each fold. */
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "select/rule.h"

static const sri_param params[] = {
    {.name = "k", .value = NAN, .least = 2, .whole = true},
};

/* 5 folds unless told, or as many as there are rows. */
int64_t sri_rule_folds(const sri_rule *rule, int64_t n)
{
    return isnan(rule->param[0]) ? (n < 5 ? n : 5) : (int64_t)rule->param[0];
}

/* The fold of each row, drawn by the seed. */
static specreg_status folds(specreg_context *ctx, const sri_rule *self, const sri_task *task,
                            int32_t **fold, int64_t *count, int64_t *repeats)
{
    specreg_status st = SPECREG_OK;
    sri_splits splits = {0};
    const int64_t k = sri_rule_folds(self, task->n);
    SRI_REQUIRE(ctx, k <= task->n, SPECREG_E_ARG, "select: k=%lld folds, but only %lld rows",
                (long long)k, (long long)task->n);
    SRI_TRY(sri_splits_kfold(ctx, task->n, k, task->classes, task->n_classes, task->seed, &splits));
    SRI_ALLOC(ctx, *fold, task->n, 1);
    for (int32_t f = 0; f < k; f++)
        for (int64_t i = 0; i < splits.split[f].n_validate; i++)
            (*fold)[splits.split[f].validate[i]] = f;
    *count = k;
    *repeats = 1;
done:
    sri_splits_free(&splits);
    return st;
}

static specreg_status trials(specreg_context *ctx, const sri_rule *self, const sri_task *task,
                             sri_trials *out)
{
    specreg_status st = SPECREG_OK;
    sri_splits splits = {0};
    SRI_TRY(sri_splits_kfold(ctx, task->n, sri_rule_folds(self, task->n), task->classes,
                             task->n_classes, task->seed, &splits));
    SRI_TRY(sri_trials_from_splits(ctx, task, &splits, out));
done:
    sri_splits_free(&splits);
    return st;
}

/* The losses of one repeat, fold by fold, so that the spread can be told. */
static specreg_status repeat_losses(specreg_context *ctx, const sri_task *task, const int32_t *fold,
                                    const double *residual, sri_losses *losses)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = task->n;
    const sri_truth truth = sri_task_truth(task);
    double *F = NULL;
    int64_t *rows = NULL;
    SRI_ALLOC(ctx, F, n, task->T);
    SRI_ALLOC(ctx, rows, n, 1);
    for (int64_t k = 0; k < n * task->T; k++)
        F[k] = task->Y[k] - residual[k];
    for (int64_t f = 0; f < task->folds; f++) {
        int64_t m = 0;
        for (int64_t i = 0; i < n; i++)
            if (fold[i] == f)
                rows[m++] = i;
        SRI_TRY(sri_losses_add(ctx, task, F, task->T, &truth, rows, m, &losses[f]));
    }
done:
    free(rows);
    free(F);
    return st;
}

static specreg_status score(specreg_context *ctx, const sri_rule *self, const sri_task *task,
                            const sri_path_point *point, sri_score *out)
{
    (void)self;
    specreg_status st = SPECREG_OK;
    sri_losses *losses = NULL;
    SRI_CALLOC(ctx, losses, task->folds, task->repeats);
    for (int64_t r = 0; r < task->repeats; r++)
        SRI_TRY(repeat_losses(ctx, task, task->fold + r * task->n,
                              point->fold_residual + r * task->n * task->T,
                              losses + r * task->folds));
    *out = sri_losses_pool(task, losses, 1, task->folds * task->repeats);
    out->df = point->df;
done:
    free(losses);
    return st;
}

const sri_rule_ops sri_rule_kfold = {
    .name = "kfold",
    .params = params,
    .n_params = 1,
    .score = score,
    .trials = trials,
    .folds = folds,
    .need = SRI_NEED_FOLDS,
};
