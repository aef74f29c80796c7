/* k-fold cross-validation, stratified for classes, once or several times.  Exact either way: from
 * one run over all rows where an engine gives the residuals without a row's fold, else by a fit for
 * each fold. */
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "select/rule.h"

enum { K, REPEATS, STRATIFIED };
static const sri_param params[] = {
    [K] = {.name = "k", .value = NAN, .least = 2, .whole = true},
    [REPEATS] = {.name = "repeats", .value = 1, .least = 1, .whole = true},
    [STRATIFIED] = {.name = "stratified", .value = 1, .least = 0, .whole = true},
};

static specreg_status check(specreg_context *ctx, const sri_rule *self)
{
    const double stratified = self->param[STRATIFIED];
    return stratified <= 1
               ? SPECREG_OK
               : sri_fail(ctx, SPECREG_E_ARG, "select: kfold: stratified must be 0 or 1, not %g",
                          stratified);
}

/* How many folds: 5 unless told, or as many as there are rows or groups. */
static int64_t fold_count(const sri_rule *rule, const sri_strata *s)
{
    const int64_t units = sri_strata_units(s);
    return isnan(rule->param[K]) ? (units < 5 ? units : 5) : (int64_t)rule->param[K];
}

static double number(const sri_rule *self, const sri_task *task, int i)
{
    const sri_strata s = sri_task_strata(task);
    return i == K ? (double)fold_count(self, &s) : self->param[i];
}

/* folds * repeats of them. */
static specreg_status splits(specreg_context *ctx, const sri_rule *self, const sri_task *task,
                             sri_splits *out)
{
    sri_strata s = sri_task_strata(task);
    if (self->param[STRATIFIED] == 0)
        s.classes = NULL;
    return sri_splits_kfold(ctx, &s, fold_count(self, &s), (int64_t)self->param[REPEATS], out);
}

/* The fold of each row, drawn by the seed, once for each repeat. */
static specreg_status folds(specreg_context *ctx, const sri_rule *self, const sri_task *task,
                            int32_t **fold, int64_t *folds, int64_t *repeats)
{
    specreg_status st = SPECREG_OK;
    sri_splits all = {0};
    const sri_strata s = sri_task_strata(task);
    const int64_t k = fold_count(self, &s);
    SRI_TRY(splits(ctx, self, task, &all));
    SRI_TRY(sri_splits_check(ctx, "select", &s, task->reader.target->label, &all));
    SRI_ALLOC(ctx, *fold, all.count / k, task->n);
    for (int64_t j = 0; j < all.count; j++)
        for (int64_t i = 0; i < all.split[j].n_validate; i++)
            (*fold)[j / k * task->n + all.split[j].validate[i]] = (int32_t)(j % k);
    *folds = k;
    *repeats = all.count / k;
done:
    sri_splits_free(&all);
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
    sri_free(rows);
    sri_free(F);
    return st;
}

specreg_status sri_folds_score(specreg_context *ctx, const sri_rule *self, const sri_task *task,
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
    sri_free(losses);
    return st;
}

const sri_rule_ops sri_rule_kfold = {
    .name = "kfold",
    .title = "k-fold cross-validation",
    .params = params,
    .n_params = 3,
    .check = check,
    .score = sri_folds_score,
    .trials = sri_rule_trials,
    .splits = splits,
    .number = number,
    .folds = folds,
    .need = SRI_NEED_FOLDS,
};
