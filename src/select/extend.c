#include "select/extend.h"

#include <math.h>

#include "core/memory.h"
#include "kernel/registry.h"

enum { FEWEST = 3, POINTS = 10 };
static const double LAMBDA_FACTOR = 100, T_FACTOR = 10; /* how far a path goes on */

/* The ratio between neighbours, for a list of positive numbers that has one; else 0. */
static double ratio_of(const sri_values *list)
{
    if (list->count < FEWEST)
        return 0;
    for (int64_t k = 0; k < list->count; k++)
        if (!(list->v[k] > 0) || list->v[k] == list->v[k ? k - 1 : 1])
            return 0;
    const double a = list->v[0], b = list->v[1];
    return a > b ? a / b : b / a;
}

bool sri_extend_kernel(specreg_context *ctx, const sri_search_spec *spec, const sri_points *points,
                       const sri_search_result *result, sri_kernel *next)
{
    const sri_kernel *won = &result->kernel;
    const sri_kernel_grid *grid = sri_kernel_family_of(spec->grid, won);
    for (int t = 0; t < won->n_terms; t++)
        for (int i = 0; i < sri_kernel_param_count(&won->term[t]); i++) {
            const bool may = spec->extend == SRI_EXTEND_YES || grid->is_auto[t][i];
            const double v = won->term[t].param[i], ratio = ratio_of(&grid->list[t][i]);
            const sri_param param = sri_kernel_param_at(&won->term[t], i);
            double least = v, most = v;
            if (!may || ratio == 0 || param.whole)
                continue;
            for (int64_t c = 0; c < result->candidates; c++) {
                if (!sri_kernel_same_family(&result->candidate[c], won))
                    continue;
                least = fmin(least, result->candidate[c].term[t].param[i]);
                most = fmax(most, result->candidate[c].term[t].param[i]);
            }
            if (v < most && v > least)
                continue;
            *next = *won;
            next->term[t].param[i] = v == most ? v * ratio : v / ratio;
            const sri_kernel_ops *ops = won->term[t].ops;
            if (param.most > 0 && next->term[t].param[i] > param.most)
                continue;
            if (!ops->check || ops->check(ctx, &next->term[t], points) == SPECREG_OK)
                return true; /* matern takes three values of nu only */
        }
    return false;
}

/* Whether a row is of the winner's kernel and setting of the filter. */
static bool is_winners(const sri_search_result *result, const sri_search_row *row)
{
    const sri_search_row *won = &result->row[result->winner];
    return row->candidate == won->candidate && row->setting == won->setting;
}

/* The range of the winner's path so far. */
static void path_range(const sri_search_result *result, double *least, double *most)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (int64_t i = 0; i < result->rows; i++)
        if (is_winners(result, &result->row[i])) {
            *least = fmin(*least, result->row[i].param);
            *most = fmax(*most, result->row[i].param);
        }
}

/* Whether the winner's kernel has had more than its first path. */
static bool extended_before(const sri_search_result *result)
{
    const sri_search_row *won = &result->row[result->winner];
    for (int64_t i = 0; i < result->rows; i++)
        if (is_winners(result, &result->row[i]) && result->row[i].evaluation != won->evaluation)
            return true;
    return false;
}

specreg_status sri_extend_path(specreg_context *ctx, const sri_search_spec *spec,
                               const sri_search_result *result, sri_values *next)
{
    const sri_path_kind kind = spec->filter->path;
    double least, most;
    *next = (sri_values){0};
    path_range(result, &least, &most);
    const bool may = spec->extend == SRI_EXTEND_YES || !spec->path;
    const double v = result->param;
    const bool low = v == least && kind == SRI_PATH_LAMBDA, high = v == most;
    if (!may || spec->per_output || least == most || !(low || high) ||
        kind == SRI_PATH_COMPONENTS || sri_filter_nonlinear(spec->filter) ||
        spec->rule->ops->choose || extended_before(result))
        return SPECREG_OK;
    const double factor = kind == SRI_PATH_LAMBDA ? LAMBDA_FACTOR : T_FACTOR;
    SRI_NEW(ctx, next->v, POINTS, 1);
    for (int k = 1; k <= POINTS; k++) {
        const int far = high && kind == SRI_PATH_LAMBDA ? POINTS + 1 - k : k;
        const double step = pow(factor, (double)far / POINTS);
        const double x = high ? v * step : v / step; /* smooth to rough: lambda falls, t rises */
        const double rounded = kind == SRI_PATH_LAMBDA ? x : floor(x + 0.5);
        if (next->count ? rounded != next->v[next->count - 1] : rounded != v)
            next->v[next->count++] = rounded;
    }
    return SPECREG_OK;
}
