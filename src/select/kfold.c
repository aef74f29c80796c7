/* k-fold cross-validation, stratified for classes, once or several times.  Exact either way: from
 * one run over all rows where an engine gives the residuals without a row's fold, else by a fit for
 * each fold. */
#include <math.h>

#include "core/arena.h"
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

sri_rule sri_rule_row_by_row(const sri_problem *problem)
{
    const sri_strata s = sri_problem_strata(problem);
    sri_rule rule = {0};
    sri_rule_defaults(&rule, &sri_rule_kfold);
    rule.param[K] = (double)sri_strata_units(&s);
    return rule;
}

static double number(const sri_rule *self, const sri_problem *problem, int i)
{
    const sri_strata s = sri_problem_strata(problem);
    return i == K ? (double)fold_count(self, &s) : self->param[i];
}

/* folds * repeats of them. */
static specreg_status splits(specreg_context *ctx, const sri_rule *self, const sri_problem *problem,
                             sri_splits *out)
{
    sri_strata s = sri_problem_strata(problem);
    if (self->param[STRATIFIED] == 0)
        s.classes = NULL;
    return sri_splits_kfold(ctx, &s, fold_count(self, &s), (int64_t)self->param[REPEATS], out);
}

static int64_t folds(const sri_rule *self, const sri_problem *problem)
{
    const sri_strata s = sri_problem_strata(problem);
    return fold_count(self, &s);
}

/* The losses of one repeat, fold by fold, so that the spread can be told. */
static specreg_status repeat_losses(specreg_context *ctx, const sri_problem *problem,
                                    const int32_t *fold, const double *residual, sri_losses *losses)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = problem->n;
    sri_arena scratch = {0};
    double *F;
    int64_t *rows;
    SRI_SCRATCH(ctx, &scratch, F, n, problem->T);
    SRI_SCRATCH(ctx, &scratch, rows, n, 1);
    sri_comparison p = sri_problem_compare(problem, F, sri_problem_truth(problem), 0);
    p.rows = rows;
    for (int64_t k = 0; k < n * problem->T; k++)
        F[k] = problem->Y[k] - residual[k];
    for (int64_t f = 0; f < problem->folds.per_repeat; f++) {
        p.n = 0;
        for (int64_t i = 0; i < n; i++)
            if (fold[i] == f)
                rows[p.n++] = i;
        SRI_TRY(sri_losses_add(ctx, problem, p, &losses[f]));
    }
done:
    sri_arena_free(&scratch);
    return st;
}

specreg_status sri_folds_score(specreg_context *ctx, const sri_rule *self,
                               const sri_problem *problem, const sri_path_point *point,
                               sri_score *out)
{
    (void)self;
    specreg_status st = SPECREG_OK;
    sri_losses *losses = NULL;
    SRI_CALLOC(ctx, losses, problem->folds.per_repeat, problem->folds.repeats);
    for (int64_t r = 0; r < problem->folds.repeats; r++)
        SRI_TRY(repeat_losses(ctx, problem, problem->folds.of_row + r * problem->n,
                              point->fold_residual + r * problem->n * problem->T,
                              losses + r * problem->folds.per_repeat));
    *out = sri_measure_pool(sri_criterion_of(problem), losses, 1, sri_folds_count(&problem->folds));
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
    .by_sums = SRI_SUMS_HELD_OUT,
};
