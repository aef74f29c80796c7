/* A rule with folds can go two ways: all folds in one run over all rows, or a run for each fold.
 * The cheaper one is taken, as far as the engines' costs tell. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "select/search.h"

int64_t sri_search_smallest(const sri_task *task)
{
    int64_t smallest = task->n;
    for (int64_t f = 0; task->fold && f < task->folds * task->repeats; f++) {
        const int32_t *fold = task->fold + f / task->folds * task->n;
        int64_t train = 0;
        for (int64_t i = 0; i < task->n; i++)
            train += fold[i] != f % task->folds;
        smallest = train < smallest ? train : smallest;
    }
    return smallest;
}

/* The cheapest engine for a job, in flops; infinite when there is none. */
static double cheapest(const sri_job *job, const char *name)
{
    double best = INFINITY;
    for (int i = 0; sri_engine_at(i); i++) {
        const sri_engine *e = sri_engine_at(i);
        if ((strcmp(name, "auto") != 0 && strcmp(name, e->name) != 0) || e->refuses(job))
            continue;
        const sri_cost cost = e->cost(job);
        if (cost.bytes <= (double)job->memory)
            best = fmin(best, cost.flops);
    }
    return best;
}

/* The first kernel speaks for all. */
static specreg_status compare_ways(specreg_context *ctx, const sri_task *task,
                                   const sri_search_spec *spec, bool *together)
{
    specreg_status st = SPECREG_OK;
    sri_op *op = NULL;
    sri_values path = {0};
    const sri_kernel kernel = sri_kernel_grid_at(spec->grid, 0);
    SRI_TRY(sri_op_kernel(ctx, &kernel, task->points, &op));
    SRI_TRY(sri_search_path(ctx, spec, op, sri_search_smallest(task), &path));
    sri_job job = {.op = op,
                   .Y = task->Y,
                   .T = task->T,
                   .filter = spec->filter,
                   .param = path.v,
                   .count = path.count,
                   .need = spec->rule->ops->need,
                   .fold = task->fold,
                   .folds = task->folds,
                   .memory = task->memory};
    const double one_run = cheapest(&job, spec->engine);
    job.need = 0;
    op->n = task->n - task->n / task->folds;
    const double runs = (double)task->folds * cheapest(&job, spec->engine);
    op->n = task->n;
    *together = one_run <= runs && isfinite(one_run);
done:
    sri_values_free(&path);
    sri_op_free(op);
    return st;
}

specreg_status sri_search_folds(specreg_context *ctx, const sri_task *task,
                                const sri_search_spec *spec, sri_task *folded, int32_t **fold,
                                bool *together)
{
    specreg_status st = SPECREG_OK;
    const sri_rule *rule = spec->rule;
    *folded = *task;
    *fold = NULL;
    *together = false;
    if (!rule->ops->folds)
        return SPECREG_OK;
    SRI_TRY(rule->ops->folds(ctx, rule, task, fold, &folded->folds, &folded->repeats));
    folded->fold = *fold;
    if (folded->repeats == 1) /* a run over all rows serves the folds of one repeat */
        SRI_TRY(compare_ways(ctx, folded, spec, together));
done:
    if (st != SPECREG_OK) {
        free(*fold);
        *fold = NULL;
    }
    return st;
}
