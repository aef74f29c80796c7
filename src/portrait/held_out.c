/* Rows with what was said of them: by predictors that did not train on them, where the rule of the
 * search has made such; else by the model itself. */
#include <math.h>
#include <string.h>

#include "portrait/parts.h"

enum { MOST_ROWS = 2000, FEWEST_ROWS = 50 };

/* The rows of a problem: where the numbers of each begin, and how many it has.  Where points are
 * for single outputs, a row is one whose outputs all have a point, one after the other. */
typedef struct row_list {
    bool by_points;
    int64_t T, count;
    int64_t *first; /* of its numbers in Y and in residuals */
} row_list;

/* The point that row k begins with. */
static int64_t point_of(const row_list *list, int64_t k)
{
    return list->by_points ? list->first[k] : list->first[k] / list->T;
}

/* Whether the points from i on are all outputs of one row. */
static bool is_whole(const sri_problem *problem, int64_t T, int64_t i)
{
    const sri_rows_view *view = &problem->points->rows;
    const int64_t *keep = problem->rows.keep;
    if (i + T > problem->n || !keep)
        return false;
    for (int64_t t = 0; t < T; t++)
        if (sri_view_label(view, i + t) != t || keep[i + t] != keep[i])
            return false;
    return true;
}

static bool are_known(const double *residual, const double *Y, int64_t count)
{
    for (int64_t t = 0; t < count; t++)
        if (!isfinite(residual[t]) || isnan(Y[t]))
            return false;
    return true;
}

static specreg_status list_rows(specreg_context *ctx, const sri_problem *problem,
                                const double *residual, row_list *out)
{
    const sri_layout *layout = &problem->reader.layout;
    *out = (row_list){.by_points = layout->kind == SRI_LAYOUT_OUTPUTS};
    out->T = out->by_points ? layout->T : problem->T;
    SRI_NEW(ctx, out->first, problem->n, 1);
    for (int64_t i = 0; i < problem->n; i++) {
        const int64_t first = out->by_points ? i : i * out->T;
        if ((!out->by_points || is_whole(problem, out->T, i)) &&
            are_known(residual + first, problem->Y + first, out->T))
            out->first[out->count++] = first;
    }
    return SPECREG_OK;
}

static specreg_status copy_rows(specreg_context *ctx, const sri_problem *problem,
                                const double *residual, const row_list *list, const int64_t *chosen,
                                sri_portrait *out)
{
    specreg_status st = SPECREG_OK;
    sri_portrait_rows *rows = &out->rows;
    const int64_t T = rows->T, *keep = problem->rows.keep;
    SRI_SCRATCH_EACH(ctx, &out->memory, rows->count, T, &rows->F, &rows->Y);
    SRI_SCRATCH(ctx, &out->memory, rows->row, rows->count, 1);
    if (problem->classes)
        SRI_SCRATCH(ctx, &out->memory, rows->classes, rows->count, 1);
    for (int64_t k = 0; k < rows->count; k++) {
        const int64_t first = list->first[chosen[k]], point = point_of(list, chosen[k]);
        rows->row[k] = keep ? keep[point] : point;
        for (int64_t t = 0; t < T; t++) {
            rows->Y[k * T + t] = problem->Y[first + t];
            rows->F[k * T + t] = problem->Y[first + t] - residual[first + t];
        }
        if (problem->classes)
            rows->classes[k] = problem->classes[point];
    }
done:
    return st;
}

static const double *residuals_of(const sri_portrait_of *of, sri_portrait *out, const char **by)
{
    const sri_fitted *f = &of->found->fitted;
    if (sri_has_own_rows(of->problem)) {
        sri_portrait_lacks(out, "Held-out rows are not kept where outputs train on the rows of "
                                "some classes.");
        return NULL;
    }
    *by = f->held_out ? f->held_by : "train";
    if (!f->held_out)
        sri_portrait_lacks(out, "No rows were held out one by one or in folds: rows are shown with "
                                "what the model says after training on them.");
    return f->held_out ? f->held_out : f->residual;
}

specreg_status sri_portrait_held_out(specreg_context *ctx, const sri_portrait_of *of,
                                     int64_t numbers, sri_portrait *out)
{
    specreg_status st = SPECREG_OK;
    const sri_problem *problem = of->problem;
    const char *by = NULL;
    const double *residual = residuals_of(of, out, &by);
    row_list list = {0};
    int64_t *chosen = NULL;
    if (!residual)
        return st;
    SRI_TRY(list_rows(ctx, problem, residual, &list));
    int64_t most = numbers / list.T;
    most = most < FEWEST_ROWS ? FEWEST_ROWS : most > MOST_ROWS ? MOST_ROWS : most;
    const int64_t count = list.count < most ? list.count : most;
    if (!count)
        goto done;
    SRI_ALLOC(ctx, chosen, count, 1);
    sri_portrait_choose(problem->resources.seed, list.count, count, chosen);
    out->rows = (sri_portrait_rows){.by = by, .all = list.count, .count = count, .T = list.T};
    SRI_TRY(copy_rows(ctx, problem, residual, &list, chosen, out));
done:
    sri_free(chosen);
    sri_free(list.first);
    return st;
}
