#include "select/task.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* Groups numbered anew, so that each number has a row. */
static specreg_status renumber(specreg_context *ctx, sri_task *t, int32_t *group)
{
    specreg_status st = SPECREG_OK;
    int32_t *number = NULL, next = 0;
    if (!group)
        return st;
    SRI_ALLOC(ctx, number, t->n_groups, 1);
    for (int64_t g = 0; g < t->n_groups; g++)
        number[g] = -1;
    for (int64_t i = 0; i < t->n; i++) {
        int32_t *n = &number[group[i]];
        *n = *n < 0 ? next++ : *n;
        group[i] = *n;
    }
    t->n_groups = next;
done:
    sri_free(number);
    return st;
}

specreg_status sri_subtask_make(specreg_context *ctx, const sri_task *task, const int64_t *rows,
                                int64_t count, sri_subtask *out)
{
    specreg_status st = SPECREG_OK;
    const size_t number = sizeof(double), code = sizeof(int32_t);
    *out = (sri_subtask){.task = *task};
    SRI_TRY(sri_points_subset(ctx, task->points, rows, count, &out->points));
    SRI_TRY(sri_gather(ctx, task->Y, number * (size_t)task->T, rows, count, (void **)&out->Y));
    SRI_TRY(sri_gather(ctx, task->weight, number, rows, count, (void **)&out->weight));
    SRI_TRY(sri_gather(ctx, task->features.P, number * (size_t)task->features.l, rows, count,
                       (void **)&out->P));
    SRI_TRY(sri_gather(ctx, task->classes, code, rows, count, (void **)&out->classes));
    SRI_TRY(sri_gather(ctx, task->group, code, rows, count, (void **)&out->group));
    SRI_TRY(sri_gather(ctx, task->keep, sizeof *task->keep, rows, count, (void **)&out->keep));
    sri_task *t = &out->task;
    t->points = out->points;
    t->Y = out->Y;
    t->weight = out->weight;
    t->features.P = out->P;
    t->classes = out->classes;
    t->group = out->group;
    t->keep = out->keep;
    t->n = count;
    t->fold = NULL;
    t->folds = t->repeats = 0;
    SRI_TRY(renumber(ctx, t, out->group));
done:
    if (st != SPECREG_OK)
        sri_subtask_free(out);
    return st;
}

void sri_subtask_free(sri_subtask *sub)
{
    sri_free(sub->keep);
    sri_free(sub->group);
    sri_free(sub->classes);
    sri_free(sub->P);
    sri_free(sub->weight);
    sri_free(sub->Y);
    sri_points_free(sub->points);
    *sub = (sri_subtask){0};
}

specreg_status sri_task_op(specreg_context *ctx, const sri_task *task, const sri_kernel *kernel,
                           sri_op **out)
{
    sri_projection *p = NULL;
    specreg_status st = sri_op_kernel_weighted(ctx, kernel, task->points, task->weight, out);
    if (st == SPECREG_OK)
        (*out)->single = task->single && (*out)->shape.has_single;
    if (st != SPECREG_OK || !task->features.l)
        return st;
    st = sri_projection_new(ctx, &task->features, task->n, task->weight, &p);
    if (st == SPECREG_OK)
        return sri_op_projected(ctx, *out, p, out);
    sri_op_free(*out);
    *out = NULL;
    return st;
}
