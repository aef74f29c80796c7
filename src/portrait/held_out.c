/* Rows with what was said of them: by predictors that did not train on them, where the rule of the
 * search has made such; else by the model itself. */
#include <math.h>
#include <string.h>

#include "portrait/parts.h"

enum { MOST_ROWS = 2000, FEWEST_ROWS = 50 };

/* Whether all its outputs have a residual. */
static bool is_known(const double *residual, const sri_problem *problem, int64_t i)
{
    for (int64_t t = 0; t < problem->T; t++)
        if (!isfinite(residual[i * problem->T + t]) || isnan(problem->Y[i * problem->T + t]))
            return false;
    return true;
}

static specreg_status copy_rows(specreg_context *ctx, const sri_problem *problem,
                                const double *residual, const int64_t *row, sri_portrait *out)
{
    specreg_status st = SPECREG_OK;
    sri_portrait_rows *rows = &out->rows;
    const int64_t T = rows->T, *keep = problem->rows.keep;
    SRI_SCRATCH_EACH(ctx, &out->memory, rows->count, T, &rows->F, &rows->Y);
    SRI_SCRATCH(ctx, &out->memory, rows->row, rows->count, 1);
    if (problem->classes)
        SRI_SCRATCH(ctx, &out->memory, rows->classes, rows->count, 1);
    for (int64_t k = 0; k < rows->count; k++) {
        const int64_t i = row[k];
        rows->row[k] = keep ? keep[i] : i;
        for (int64_t t = 0; t < T; t++) {
            rows->Y[k * T + t] = problem->Y[i * T + t];
            rows->F[k * T + t] = problem->Y[i * T + t] - residual[i * T + t];
        }
        if (problem->classes)
            rows->classes[k] = problem->classes[i];
    }
done:
    return st;
}

/* Points for single outputs are no rows. */
static const double *residuals_of(const sri_portrait_of *of, sri_portrait *out, const char **by)
{
    const sri_fitted *f = &of->found->fitted;
    if (of->problem->reader.layout.kind == SRI_LAYOUT_OUTPUTS || sri_has_own_rows(of->problem)) {
        sri_portrait_lacks(out, "Held-out rows are not kept where outputs differ in the rows they "
                                "train on.");
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
    int64_t *known = NULL, *chosen = NULL, all = 0;
    if (!residual)
        return st;
    SRI_ALLOC(ctx, known, problem->n, 1);
    SRI_ALLOC(ctx, chosen, problem->n, 1);
    for (int64_t i = 0; i < problem->n; i++)
        if (is_known(residual, problem, i))
            known[all++] = i;
    int64_t most = numbers / problem->T;
    most = most < FEWEST_ROWS ? FEWEST_ROWS : most > MOST_ROWS ? MOST_ROWS : most;
    const int64_t count = all < most ? all : most;
    sri_portrait_choose(problem->resources.seed, all, count, chosen);
    for (int64_t k = 0; k < count; k++)
        chosen[k] = known[chosen[k]];
    out->rows = (sri_portrait_rows){.by = by, .all = all, .count = count, .T = problem->T};
    SRI_TRY(copy_rows(ctx, problem, residual, chosen, out));
done:
    sri_free(chosen);
    sri_free(known);
    return st;
}
