#include "select/strategy.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "data/split.h"
#include "select/threshold.h"

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
    sri_checkpoint *checkpoint;
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

/* The rank of candidate c in the race, whose best rank so far it has to reach. */
static specreg_status run_heat(specreg_context *ctx, const heat *h, int64_t c,
                               const sri_score *best, sri_search_result *result, sri_score *rank)
{
    const sri_threshold threshold = {.rank = *best, .optimism = SRI_OPTIMISM};
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
                         .threshold = isnan(best->value) ? NULL : &threshold,
                         .want = -1,
                         .out = &o};
    SRI_TRY(sri_memoize(ctx, &run, h->checkpoint));
    *rank = o.rank;
    sri_seconds_add(&result->seconds, &o.seconds);
done:
    sri_outcome_free(&o);
    sri_candidate_free(&candidate);
    sri_op_free(op);
    return st;
}

bool sri_race_size(int64_t n, const sri_kernel_grid *grid, int64_t *rows, int64_t *keep)
{
    const int64_t quarter = n / SHARE;
    const int64_t share = (sri_kernel_family_count(grid) + SHORT_LIST - 1) / SHORT_LIST;
    *rows = quarter < FEWEST_ROWS ? FEWEST_ROWS : quarter;
    *keep = (share < FEWEST_KEPT ? FEWEST_KEPT : share) + (grid->next != NULL);
    return 2 * *rows <= n && *keep < sri_kernel_grid_count(grid);
}

static sri_score best_of(const sri_score *rank, int64_t count)
{
    sri_score best = rank[0];
    for (int64_t c = 1; c < count; c++)
        if (isnan(best.value) || sri_score_better(&rank[c], &best))
            best = rank[c];
    return best;
}

static int64_t count_ranks(const sri_score *rank, int64_t count)
{
    int64_t known = 0;
    for (int64_t c = 0; c < count; c++)
        known += !isnan(rank[c].value);
    return known;
}

/* The ranks of marked candidates that have none yet. */
static specreg_status run_heats(specreg_context *ctx, const heat *h, const bool *marked,
                                sri_search_result *result, sri_score *rank)
{
    for (int64_t c = 0; c < result->candidates; c++)
        if (marked[c] && isnan(rank[c].value)) {
            const sri_score best = best_of(rank, result->candidates);
            SRI_CALL(run_heat(ctx, h, c, &best, result, &rank[c]));
            SRI_CALL(sri_progress(ctx, count_ranks(rank, result->candidates)));
        }
    return SPECREG_OK;
}

/* Marks the families that are not clearly behind the best rank. */
static void mark_hopeful(const sri_kernel_grid *grid, const sri_score *rank, int64_t count,
                         bool *marked)
{
    const sri_threshold best = {.rank = best_of(rank, count)};
    for (int64_t first = 0; grid; grid = grid->next) {
        const int64_t last = first + sri_kernel_family_count(grid);
        double value = INFINITY, tie = INFINITY;
        for (int64_t c = first; c < last; c++) {
            value = fmin(value, rank[c].value);
            tie = fmin(tie, rank[c].tie);
        }
        for (const bool behind = sri_threshold_missed(&best, value, tie); first < last; first++)
            marked[first] = !behind;
    }
}

/* All candidates; of several families some of each first, and no more of those that are behind. */
static specreg_status race_all(specreg_context *ctx, const heat *h, bool *marked,
                               sri_search_result *result, sri_score *rank)
{
    const sri_kernel_grid *grid = h->spec.grid;
    const int64_t count = result->candidates;
    SRI_CALL(sri_stage(ctx, "race", count));
    for (int64_t c = 0; c < count; c++) {
        rank[c] = (sri_score){.value = NAN, .tie = NAN, .stderr_ = NAN};
        marked[c] = true;
    }
    if (grid->next) {
        sri_coarse_mark(grid, sri_coarse_stride(grid), -1, marked);
        SRI_CALL(run_heats(ctx, h, marked, result, rank));
        mark_hopeful(grid, rank, count, marked);
    }
    SRI_CALL(run_heats(ctx, h, marked, result, rank));
    return sri_progress(ctx, count);
}

specreg_status sri_race(specreg_context *ctx, const sri_setting *setting,
                        sri_checkpoint *checkpoint, sri_search_result *result, bool *marked,
                        int64_t *compared_on)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = setting->problem.n, count = result->candidates;
    int64_t rows, keep;
    heat h = {0};
    sri_score *rank = NULL;
    *compared_on = n;
    if (!sri_race_size(n, setting->spec->grid, &rows, &keep)) {
        sri_search_note(result, "race: too few rows or kernels, all were compared on all rows");
        return st;
    }
    SRI_CALLOC(ctx, rank, count, 1);
    SRI_TRY(heat_make(ctx, setting, rows, &h));
    h.checkpoint = checkpoint;
    if (h.possible)
        SRI_TRY(race_all(ctx, &h, marked, result, rank));
    if (!h.possible || count_ranks(rank, count) == 0) {
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
    for (; grid; grid = grid->next)
        for (int k = 0; list_length(grid, k); k++)
            longest = list_length(grid, k) > longest ? list_length(grid, k) : longest;
    while (4 * stride < longest)
        stride *= 2;
    return stride;
}

/* Whether a lies on the coarse grid; the middle of each list does. */
static bool on_grid(const sri_kernel_grid *grid, int64_t stride, int64_t a)
{
    grid = sri_kernel_family_at(grid, &a);
    for (int k = 0; list_length(grid, k); k++) {
        const int64_t length = list_length(grid, k), middle = length / 2;
        if ((a % length - middle) % stride != 0)
            return false;
        a /= length;
    }
    return true;
}

/* Numbers of two candidates of one family within it; NULL: they are of two, or beyond the grid. */
static const sri_kernel_grid *common_family(const sri_kernel_grid *grid, int64_t *a, int64_t *b)
{
    const sri_kernel_grid *family = sri_kernel_family_at(grid, a);
    return family && family == sri_kernel_family_at(grid, b) ? family : NULL;
}

/* Whether a and b are `stride` apart along one list and equal along the others. */
static bool neighbours(const sri_kernel_grid *grid, int64_t stride, int64_t a, int64_t b)
{
    int apart = 0;
    grid = common_family(grid, &a, &b);
    if (!grid)
        return false;
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
    int64_t a_again = a;
    if (c == a || c == b)
        return false;
    const sri_kernel_grid *family = common_family(grid, &a, &b);
    if (!family || common_family(grid, &a_again, &c) != family)
        return false;
    grid = family;
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
