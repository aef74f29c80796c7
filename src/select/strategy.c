#include "select/strategy.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "data/split.h"

enum { FEWEST_ROWS = 400, SHARE = 4, SHORT_LIST = 6, FEWEST_KEPT = 2 };

/* A random part of the rows, with its share of every class. */
static specreg_status some_rows(specreg_context *ctx, const sri_problem *problem, int64_t rows,
                                sri_subproblem *out)
{
    specreg_status st = SPECREG_OK;
    sri_splits splits = {0};
    const sri_strata strata = sri_problem_strata(problem);
    SRI_TRY(sri_splits_holdout(ctx, &strata, (double)rows / (double)problem->n, &splits));
    SRI_TRY(sri_subproblem_make(ctx, problem, splits.split[0].validate, splits.split[0].n_validate,
                                out));
done:
    sri_splits_free(&splits);
    return st;
}

/* Marks the best `keep` of the ranks. */
static void mark_best(const sri_score *rank, int64_t count, int64_t keep, bool *marked)
{
    for (int64_t c = 0; c < count; c++) {
        int64_t ahead = 0;
        for (int64_t d = 0; d < count; d++)
            ahead += sri_score_better(&rank[d], &rank[c]) ||
                     (d < c && !sri_score_better(&rank[c], &rank[d]));
        marked[c] = ahead < keep;
    }
}

/* Every kernel on some of the rows. */
typedef struct heat {
    sri_search_spec spec;
    sri_subproblem rows;
    sri_setting setting; /* the rule's folds or trials of these rows             */
    sri_values path;     /* none: it is made for each kernel                     */
    bool possible;       /* the rows can be divided as all rows can              */
} heat;

static void heat_free(heat *h)
{
    sri_values_free(&h->path);
    sri_setting_free(&h->setting);
    sri_subproblem_free(&h->rows);
}

/* The user's path clipped to the subset's row count; empty if the path does not depend on it. */
static specreg_status clip_path(specreg_context *ctx, const sri_search_spec *spec, int64_t rows,
                                sri_values *out)
{
    if (!spec->path || spec->filter->path != SRI_PATH_COMPONENTS)
        return SPECREG_OK;
    SRI_NEW(ctx, out->v, spec->path->count, 1);
    for (int64_t j = 0; j < spec->path->count; j++) {
        const double m = fmin(spec->path->v[j], (double)rows);
        if (!out->count || m > out->v[out->count - 1])
            out->v[out->count++] = m;
    }
    return SPECREG_OK;
}

/* It is not possible where the subset has fewer groups than folds, or a rare class would only
 * validate. */
static specreg_status heat_make(specreg_context *ctx, const sri_setting *all, int64_t rows, heat *h)
{
    *h = (heat){.spec = *all->spec};
    h->spec.inexact_as_parent = all->tolerance > 0;
    specreg_status st = some_rows(ctx, &all->problem, rows, &h->rows);
    if (st == SPECREG_OK)
        st = sri_setting_make(ctx, &h->spec, &h->rows.problem, &h->setting);
    h->possible = st == SPECREG_OK;
    if (h->possible)
        return clip_path(ctx, &h->spec, h->rows.problem.n, &h->path);
    return st == SPECREG_E_SHAPE || st == SPECREG_E_FORMAT ? SPECREG_OK : st;
}

/* The rank of candidate c in the race. */
static specreg_status run_heat(specreg_context *ctx, const heat *h, sri_checkpoint *checkpoint,
                               int64_t c, sri_search_result *result, sri_score *rank)
{
    specreg_status st = SPECREG_OK;
    sri_candidate candidate = {.number = c, .kernel = result->candidate[c]};
    sri_outcome o = {0};
    sri_op *op = NULL;
    SRI_TRY(
        sri_candidate_prepare(ctx, &h->setting, h->path.count ? &h->path : NULL, &candidate, &op));
    const sri_run run = {.setting = &h->setting,
                         .candidate = &candidate,
                         .members = 1,
                         .op = op,
                         .want = -1,
                         .out = &o};
    SRI_TRY(sri_memoize(ctx, &run, checkpoint));
    *rank = o.rank;
    sri_seconds_add(&result->seconds, &o.seconds);
    SRI_TRY(sri_progress(ctx, c + 1));
done:
    sri_outcome_free(&o);
    sri_candidate_free(&candidate);
    sri_op_free(op);
    return st;
}

bool sri_race_size(int64_t n, int64_t count, int64_t *rows, int64_t *keep)
{
    const int64_t quarter = n / SHARE, share = (count + SHORT_LIST - 1) / SHORT_LIST;
    *rows = quarter < FEWEST_ROWS ? FEWEST_ROWS : quarter;
    *keep = share < FEWEST_KEPT ? FEWEST_KEPT : share;
    return 2 * *rows <= n && *keep < count;
}

specreg_status sri_race(specreg_context *ctx, const sri_setting *setting,
                        sri_checkpoint *checkpoint, sri_search_result *result, bool *marked,
                        int64_t *compared_on)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = setting->problem.n, count = result->candidates;
    int64_t rows, keep, judged = 0;
    heat h = {0};
    sri_score *rank = NULL;
    *compared_on = n;
    if (!sri_race_size(n, count, &rows, &keep)) {
        sri_search_note(result, "race: too few rows or kernels, all were compared on all rows");
        return st;
    }
    SRI_CALLOC(ctx, rank, count, 1);
    SRI_TRY(heat_make(ctx, setting, rows, &h));
    if (h.possible)
        SRI_TRY(sri_stage(ctx, "race", count));
    for (int64_t c = 0; h.possible && c < count; c++) {
        SRI_TRY(run_heat(ctx, &h, checkpoint, c, result, &rank[c]));
        judged += !isnan(rank[c].value);
    }
    if (judged == 0) {
        sri_search_note(result, "race: a part of the rows has too few of a group or class to judge "
                                "by, all kernels were compared on all rows");
        goto done;
    }
    mark_best(rank, count, keep, marked);
    *compared_on = h.rows.problem.n;
done:
    sri_free(rank);
    heat_free(&h);
    return st;
}

/* The length of list number k of the grid; 0: there are no more.  A candidate's number is its place
 * along every list, the first list fastest. */
static int64_t list_length(const sri_kernel_grid *grid, int k)
{
    for (int t = 0; t < grid->n_outputs; t++)
        if (grid->outputs[t].count > 1 && k-- == 0)
            return grid->outputs[t].count;
    for (int t = 0; t < grid->base.n_terms; t++)
        for (int i = 0; i < SRI_KERNEL_PARAMS; i++)
            if (grid->list[t][i].count > 1 && k-- == 0)
                return grid->list[t][i].count;
    return 0;
}

int64_t sri_coarse_stride(const sri_kernel_grid *grid)
{
    int64_t longest = 1, stride = 1;
    for (int k = 0; list_length(grid, k); k++)
        longest = list_length(grid, k) > longest ? list_length(grid, k) : longest;
    while (4 * stride < longest)
        stride *= 2;
    return stride;
}

/* Whether a lies on the coarse grid; the middle of each list does. */
static bool on_grid(const sri_kernel_grid *grid, int64_t stride, int64_t a)
{
    for (int k = 0; list_length(grid, k); k++) {
        const int64_t length = list_length(grid, k), middle = length / 2;
        if ((a % length - middle) % stride != 0)
            return false;
        a /= length;
    }
    return true;
}

/* Whether a and b are `stride` apart along one list and equal along the others. */
static bool neighbours(const sri_kernel_grid *grid, int64_t stride, int64_t a, int64_t b)
{
    int apart = 0;
    for (int k = 0; list_length(grid, k); k++) {
        const int64_t length = list_length(grid, k);
        const int64_t distance = llabs(a % length - b % length);
        if (distance && distance != stride)
            return false;
        apart += distance == stride;
        a /= length;
        b /= length;
    }
    return apart == 1;
}

void sri_coarse_mark(const sri_kernel_grid *grid, int64_t stride, int64_t best, bool *marked)
{
    for (int64_t c = 0; c < sri_kernel_grid_count(grid); c++)
        marked[c] = best < 0 ? on_grid(grid, stride, c) : neighbours(grid, stride, best, c);
}

int64_t sri_coarse_count(const sri_kernel_grid *grid)
{
    int64_t count = 0, lists = 0;
    const int64_t stride = sri_coarse_stride(grid);
    for (int64_t c = 0; c < sri_kernel_grid_count(grid); c++)
        count += on_grid(grid, stride, c);
    while (list_length(grid, (int)lists))
        lists++;
    for (int64_t s = stride / 2; s >= 1; s /= 2)
        count += 2 * lists;
    return count;
}

bool sri_kernel_between(const sri_kernel_grid *grid, int64_t a, int64_t b, int64_t c)
{
    const int64_t count = sri_kernel_grid_count(grid);
    if (a >= count || b >= count || c >= count || c == a || c == b)
        return false;
    for (int k = 0; list_length(grid, k); k++) {
        const int64_t length = list_length(grid, k);
        if ((a % length - c % length) * (c % length - b % length) < 0)
            return false;
        a /= length;
        b /= length;
        c /= length;
    }
    return true;
}
