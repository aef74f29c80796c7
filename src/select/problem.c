#include "select/problem.h"

#include "core/memory.h"

/* Groups numbered anew, so that each number has a row. */
static specreg_status renumber(specreg_context *ctx, sri_problem *problem, int32_t *group)
{
    specreg_status st = SPECREG_OK;
    int32_t *number = NULL, next = 0;
    if (!group)
        return st;
    SRI_ALLOC(ctx, number, problem->rows.n_groups, 1);
    for (int64_t g = 0; g < problem->rows.n_groups; g++)
        number[g] = -1;
    for (int64_t i = 0; i < problem->n; i++) {
        int32_t *n = &number[group[i]];
        *n = *n < 0 ? next++ : *n;
        group[i] = *n;
    }
    problem->rows.n_groups = next;
done:
    sri_free(number);
    return st;
}

specreg_status sri_subproblem_rows(specreg_context *ctx, const int64_t *rows, int64_t count,
                                   sri_subproblem *out)
{
    sri_problem_rows *of = &out->problem.rows;
    SRI_CALL(sri_gather(ctx, of->weight, sizeof(double), rows, count, (void **)&out->weight));
    SRI_CALL(sri_gather(ctx, of->keep, sizeof(int64_t), rows, count, (void **)&out->keep));
    of->weight = out->weight;
    of->keep = out->keep;
    of->group = out->group;
    out->problem.n = count;
    out->problem.folds = (sri_folds){.n = count};
    return SPECREG_OK;
}

specreg_status sri_subproblem_make(specreg_context *ctx, const sri_problem *problem,
                                   const int64_t *rows, int64_t count, sri_subproblem *out)
{
    specreg_status st = SPECREG_OK;
    const size_t number = sizeof(double), code = sizeof(int32_t);
    const size_t T = (size_t)problem->T, l = (size_t)problem->unpenalised.l;
    *out = (sri_subproblem){.problem = *problem};
    SRI_TRY(sri_points_subset(ctx, problem->points, rows, count, &out->points));
    SRI_TRY(sri_gather(ctx, problem->Y, T * number, rows, count, (void **)&out->Y));
    SRI_TRY(sri_gather(ctx, problem->unpenalised.P, l * number, rows, count, (void **)&out->P));
    SRI_TRY(sri_gather(ctx, problem->classes, code, rows, count, (void **)&out->classes));
    SRI_TRY(sri_gather(ctx, problem->rows.group, code, rows, count, (void **)&out->group));
    SRI_TRY(sri_subproblem_rows(ctx, rows, count, out));
    out->problem.points = out->points;
    out->problem.Y = out->Y;
    out->problem.unpenalised.P = out->P;
    out->problem.classes = out->classes;
    SRI_TRY(renumber(ctx, &out->problem, out->group));
    if (problem->extension)
        SRI_TRY(
            sri_extension_make(ctx, problem->extension->unlabelled, out->points, &out->extension));
    out->problem.extension = out->extension;
done:
    if (st != SPECREG_OK)
        sri_subproblem_free(out);
    return st;
}

void sri_subproblem_free(sri_subproblem *sub)
{
    sri_extension_free(sub->extension);
    sri_free(sub->keep);
    sri_free(sub->group);
    sri_free(sub->classes);
    sri_free(sub->P);
    sri_free(sub->weight);
    sri_free(sub->Y);
    sri_points_free(sub->points);
    *sub = (sri_subproblem){0};
}

/* The operator on the rows themselves. */
static specreg_status rows_op(specreg_context *ctx, const sri_problem *problem,
                              const sri_kernel *kernel, sri_op **out)
{
    sri_projection *p = NULL;
    specreg_status st =
        sri_op_kernel_weighted(ctx, kernel, problem->points, problem->rows.weight, out);
    if (st == SPECREG_OK)
        (*out)->single = problem->resources.single && (*out)->shape.has_single;
    if (st != SPECREG_OK || !problem->unpenalised.l)
        return st;
    st = sri_projection_new(ctx, &problem->unpenalised, problem->n, problem->rows.weight, &p);
    if (st == SPECREG_OK)
        return sri_op_projected(ctx, *out, p, out);
    sri_op_free(*out);
    *out = NULL;
    return st;
}

specreg_status sri_problem_op(specreg_context *ctx, const sri_problem *problem,
                              const sri_kernel *kernel, sri_op **out)
{
    SRI_CALL(rows_op(ctx, problem, kernel, out));
    if (problem->extension) { /* see sri_run_extended */
        const sri_points *all = problem->extension->all;
        (*out)->centres = (sri_centres){all, all->n};
    }
    return SPECREG_OK;
}
