/* The rule that `auto` stands for, and the path that a kernel is followed along. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "select/search.h"

enum { LOO_ROWS = 2000, RACE_ROWS = 1000, WRITTEN_OUT = 200 };

int64_t sri_search_settings(const sri_search_spec *spec)
{
    return spec->filters ? spec->filters->count : 1;
}

const sri_filter *sri_search_setting(const sri_search_spec *spec, int64_t index)
{
    return spec->filters ? &spec->filters->at[index] : spec->filter;
}

int64_t sri_search_candidates(const sri_search_spec *spec)
{
    return sri_kernel_grid_count(spec->grid) * sri_search_settings(spec);
}

bool sri_search_may_leave_out(const sri_problem *problem, const sri_search_spec *spec)
{
    const bool leverages = !problem->extension && !sri_kernel_grid_learns(spec->grid) &&
                           strcmp(spec->engine, "krylov") != 0 &&
                           strcmp(spec->engine, "iterate") != 0;
    return spec->filter->ops->one_system && leverages && !problem->rows.group &&
           !problem->unpenalised.pivots;
}

static const sri_rule_ops *auto_rule(const sri_problem *problem, const sri_search_spec *spec)
{
    if (spec->path && spec->path->count == 1 && sri_search_candidates(spec) == 1)
        return &sri_rule_none;
    return problem->n <= LOO_ROWS && sri_search_may_leave_out(problem, spec) ? &sri_rule_loo
                                                                             : &sri_rule_kfold;
}

/* Part of the rows judge kernels as all do: not where a file numbers the rows, and not where rows
 * are points of several outputs or tasks. */
static bool may_race(const sri_problem *problem, const sri_rule *rule)
{
    return problem->n >= RACE_ROWS && rule->ops->score && sri_rule_by_criterion(rule) &&
           !rule->ops->numbers_rows && !sri_points_labelled(problem->points);
}

sri_strategy sri_search_strategy(sri_strategy strategy, const sri_problem *problem,
                                 const sri_search_spec *spec)
{
    if (strategy != SRI_SEARCH_AUTO)
        return strategy;
    const bool whole =
        !sri_kernel_grid_is_auto(spec->grid) && sri_kernel_grid_count(spec->grid) <= WRITTEN_OUT;
    return may_race(problem, spec->rule) && !whole ? SRI_SEARCH_RACE : SRI_SEARCH_GRID;
}

/* The one point of a rule that needs no search. */
static specreg_status fixed_path(specreg_context *ctx, const sri_search_spec *spec,
                                 const sri_filter *given, sri_op *op, sri_values *out)
{
    specreg_status st = SPECREG_OK;
    const sri_rule *rule = spec->rule;
    sri_filter filter = *given;
    double kappa2;
    SRI_TRY(sri_search_check_fixed(ctx, spec));
    SRI_TRY(sri_op_kappa2(ctx, op, &kappa2));
    SRI_TRY(sri_filter_prepare(ctx, &filter, op));
    SRI_ALLOC(ctx, out->v, 1, 1);
    out->count = 1;
    const int64_t rows = (int64_t)llround(sri_mass(op->n, NULL, op->share));
    out->v[0] = rule->ops->fixed(rule, &filter, rows, kappa2);
done:
    if (st != SPECREG_OK)
        sri_values_free(out);
    return st;
}

sri_rule sri_search_rule(const sri_rule *rule, const sri_problem *problem,
                         const sri_search_spec *spec)
{
    sri_rule out = *rule;
    if (!out.ops)
        sri_rule_defaults(&out, auto_rule(problem, spec));
    /* What is left out is a row with all its outputs, which are points of their own. */
    const double *share = problem->points->share;
    if (out.ops->leaves_rows_out && share && !sri_kernel_grid_learns(spec->grid) &&
        problem->rows.n_groups == llround(sri_mass(problem->n, NULL, share)))
        out = sri_rule_row_by_row(problem);
    return out;
}

specreg_status sri_search_path(specreg_context *ctx, const sri_search_spec *spec,
                               const sri_filter *filter, sri_op *op, int64_t smallest,
                               sri_values *out)
{
    specreg_status st = SPECREG_OK;
    double kappa2;
    *out = (sri_values){0};
    if (spec->rule->ops->fixed)
        return fixed_path(ctx, spec, filter, op, out);
    if (!spec->path) {
        SRI_TRY(sri_op_kappa2(ctx, op, &kappa2));
        return sri_path_auto(ctx, filter, smallest, kappa2, out);
    }
    SRI_ALLOC(ctx, out->v, spec->path->count, 1);
    memcpy(out->v, spec->path->v, (size_t)spec->path->count * sizeof *out->v);
    out->count = spec->path->count;
    const double last = out->v[out->count - 1];
    SRI_REQUIRE(ctx, spec->filter->path != SRI_PATH_COMPONENTS || last <= (double)op->n,
                SPECREG_E_ARG, "param: components=%g, but there are only %lld training rows", last,
                (long long)op->n);
done:
    if (st != SPECREG_OK)
        sri_values_free(out);
    return st;
}
