/* The winner's path: as the search has scored it, thinned where it has very many points. */
#include <math.h>
#include <stdlib.h>

#include "portrait/parts.h"

typedef struct scored { /* a point as it was scored, and its place along the path */
    double place;       /* rising from smooth to rough */
    const sri_search_row *row;
} scored;

static int rising(const void *a, const void *b)
{
    const double x = ((const scored *)a)->place, y = ((const scored *)b)->place;
    return (x > y) - (x < y);
}

/* The rows of the winner's kernel and setting of the filter, in order, each parameter once. */
static int64_t gather(const sri_search_result *found, scored *list)
{
    const sri_search_row *won = &found->row[found->winner];
    const bool falls = found->filter.path == SRI_PATH_LAMBDA;
    int64_t count = 0, kept = 0;
    for (int64_t i = 0; i < found->rows; i++) {
        const sri_search_row *row = &found->row[i];
        if (row->candidate == won->candidate && row->setting == won->setting && row->param > 0)
            list[count++] = (scored){falls ? -row->param : row->param, row};
    }
    qsort(list, (size_t)count, sizeof *list, rising);
    for (int64_t i = 0; i < count; i++)
        if (!kept || list[i].place != list[kept - 1].place)
            list[kept++] = list[i];
    return kept;
}

/* Of many points some, at about equal distances on a logarithmic scale, with both ends and the
 * chosen one. */
static int64_t thin(scored *list, int64_t count, double chosen)
{
    const int64_t most = SRI_PORTRAIT_POINTS - 1;
    int64_t kept = 0;
    double first, whole;
    if (count <= SRI_PORTRAIT_POINTS)
        return count;
    first = log(fabs(list[0].place));
    whole = log(fabs(list[count - 1].place)) - first;
    for (int64_t i = 0; i < count; i++) {
        const double at = (log(fabs(list[i].place)) - first) / whole * (double)(most - 1);
        if (at >= (double)kept - 1e-9 || list[i].row->param == chosen)
            list[kept++] = list[i];
        else if (i == count - 1)
            list[kept - 1] = list[i];
    }
    return kept < SRI_PORTRAIT_POINTS ? kept : SRI_PORTRAIT_POINTS;
}

specreg_status sri_portrait_points(specreg_context *ctx, const sri_portrait_of *of,
                                   sri_portrait *out)
{
    specreg_status st = SPECREG_OK;
    const sri_search_result *found = of->found;
    sri_portrait_path *path = &out->path;
    scored *list = NULL;
    bool all_df = true;
    SRI_ALLOC(ctx, list, found->rows, 1);
    const int64_t count = thin(list, gather(found, list), found->param);
    path->kind = found->filter.path;
    path->chosen = -1;
    SRI_SCRATCH_EACH(ctx, &out->memory, count, 1, &path->at, &path->df, &path->train, &path->value,
                     &path->stderr_);
    for (int64_t i = 0; i < count; i++) {
        const sri_score *score = &list[i].row->score;
        path->at[i] = list[i].row->param;
        path->value[i] = sri_rule_shown(of->rule, of->problem, score->value);
        path->stderr_[i] = score->stderr_;
        path->df[i] = score->df;
        path->train[i] = NAN;
        if (path->at[i] == found->param)
            path->chosen = i;
        all_df = all_df && isfinite(score->df);
    }
    path->df_of_sample = !all_df;
    path->count = count;
done:
    sri_free(list);
    return st;
}
