/* Races: kernels are compared on some of the rows first, in one heat or two. */
#include <math.h>

#include "core/memory.h"
#include "data/split.h"
#include "select/strategy.h"
#include "select/threshold.h"

enum { FEWEST_ROWS = 400, SHARE = 4, SHORT_LIST = 6, FEWEST_KEPT = 2, FIRST_KEPT = 6 };

typedef struct race {
    const sri_setting *setting;
    sri_checkpoint *checkpoint;
    sri_search_result *result;
    bool *marked;    /* candidates that are still in it                   */
    sri_score *rank; /* of a candidate in this heat; not a number: none   */
    int64_t steps;   /* of the stage, that earlier heats took             */
    sri_race_result *out;
} race;

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

/* The rows of a heat. */
typedef struct part {
    sri_search_spec spec;
    sri_subproblem rows;
    sri_setting setting; /* the rule's folds or trials of these rows             */
    sri_values path;     /* none: it is made for each kernel                     */
    bool possible;       /* the rows can be divided as all rows can              */
} part;

static void part_free(part *h)
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
static specreg_status part_make(specreg_context *ctx, const sri_setting *all, int64_t rows, part *h)
{
    *h = (part){.spec = *all->spec};
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
static specreg_status run_one(specreg_context *ctx, const race *r, const part *h, int64_t c,
                              const sri_score *best)
{
    const sri_threshold threshold = {.rank = *best, .optimism = SRI_OPTIMISM};
    specreg_status st = SPECREG_OK;
    sri_candidate candidate = {.number = c, .kernel = r->result->candidate[c]};
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
    SRI_TRY(sri_memoize(ctx, &run, r->checkpoint));
    r->rank[c] = o.rank;
    sri_seconds_add(&r->result->seconds, &o.seconds);
done:
    sri_outcome_free(&o);
    sri_candidate_free(&candidate);
    sri_op_free(op);
    return st;
}

int sri_race_heats(int64_t n, const sri_kernel_grid *grid, sri_heat out[SRI_HEATS])
{
    int heats = 0;
    const int64_t count = sri_kernel_grid_count(grid), quarter = n / SHARE;
    const int64_t list = (sri_kernel_family_count(grid) + SHORT_LIST - 1) / SHORT_LIST;
    const int64_t kept = list < FEWEST_KEPT ? FEWEST_KEPT : list;
    const sri_heat last = {.rows = quarter < FEWEST_ROWS ? FEWEST_ROWS : quarter,
                           .keep = kept + (grid->next != NULL)};
    const int64_t sixth = (count + SHORT_LIST - 1) / SHORT_LIST;
    const sri_heat first = {.rows = quarter / SHARE,
                            .keep = sixth < FIRST_KEPT ? FIRST_KEPT : sixth};
    if (2 * last.rows > n || last.keep >= count)
        return 0;
    if (first.rows >= FEWEST_ROWS && first.keep > last.keep && first.keep < count)
        out[heats++] = first;
    out[heats++] = last;
    return heats;
}

static int64_t best_of(const sri_score *rank, int64_t count)
{
    int64_t best = 0;
    for (int64_t c = 1; c < count; c++)
        if (isnan(rank[best].value) || sri_score_better(&rank[c], &rank[best]))
            best = c;
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
static specreg_status run_marked(specreg_context *ctx, const race *r, const part *h)
{
    const int64_t count = r->result->candidates;
    for (int64_t c = 0; c < count; c++)
        if (r->marked[c] && isnan(r->rank[c].value)) {
            const sri_score best = r->rank[best_of(r->rank, count)];
            SRI_CALL(run_one(ctx, r, h, c, &best));
            SRI_CALL(sri_progress(ctx, r->steps + count_ranks(r->rank, count)));
        }
    return SPECREG_OK;
}

/* Marks the families that are not clearly behind the best rank. */
static void mark_hopeful(const sri_kernel_grid *grid, const sri_score *rank, int64_t count,
                         bool *marked)
{
    const sri_threshold best = {.rank = rank[best_of(rank, count)]};
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

/* In the first heat of several families some of each run first, and no more of families that are
 * behind. */
static specreg_status run_heat(specreg_context *ctx, const race *r, const part *h)
{
    const sri_kernel_grid *grid = h->spec.grid;
    const int64_t count = r->result->candidates;
    for (int64_t c = 0; c < count; c++)
        r->rank[c] = (sri_score){.value = NAN, .tie = NAN, .stderr_ = NAN};
    if (grid->next && !r->out->heats) {
        sri_coarse_mark(grid, sri_coarse_stride(grid), -1, r->marked);
        SRI_CALL(run_marked(ctx, r, h));
        mark_hopeful(grid, r->rank, count, r->marked);
    }
    return run_marked(ctx, r, h);
}

/* Takes out what was behind in the last heat by more than a standard error and more than a
 * twentieth of the squared error: the other rows will hardly turn that round. */
static void unmark_losers(const race *r)
{
    static const double LARGER = 0.05;
    const sri_score *best = &r->rank[r->out->favourite];
    for (int64_t c = 0; c < r->result->candidates; c++)
        if (r->rank[c].value > best->value + fmax(0, best->stderr_) &&
            r->rank[c].tie > (1 + LARGER) * best->tie)
            r->marked[c] = false;
}

/* The best of a heat stay marked; all do where its rows are too few to judge by.  It takes so many
 * steps of the stage. */
static specreg_status decide(specreg_context *ctx, race *r, sri_heat heat, int64_t steps)
{
    specreg_status st = SPECREG_OK;
    part h = {0};
    SRI_TRY(part_make(ctx, r->setting, heat.rows, &h));
    if (h.possible)
        SRI_TRY(run_heat(ctx, r, &h));
    if (h.possible && count_ranks(r->rank, r->result->candidates)) {
        mark_best(r->rank, r->result->candidates, heat.keep, r->marked);
        r->out->heat[r->out->heats++] = heat;
        r->out->favourite = best_of(r->rank, r->result->candidates);
    }
    r->steps += steps;
    SRI_TRY(sri_progress(ctx, r->steps));
done:
    part_free(&h);
    return st;
}

specreg_status sri_race(specreg_context *ctx, const sri_setting *setting,
                        sri_checkpoint *checkpoint, sri_search_result *result, bool *marked,
                        sri_race_result *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t count = result->candidates;
    sri_heat heat[SRI_HEATS];
    const int heats = sri_race_heats(setting->problem.n, setting->spec->grid, heat);
    race r = {.setting = setting,
              .checkpoint = checkpoint,
              .result = result,
              .marked = marked,
              .out = out};
    *out = (sri_race_result){0};
    if (!heats) {
        sri_search_note(result, "race: too few rows or kernels, all were compared on all rows");
        return st;
    }
    SRI_NEW(ctx, r.rank, count, 1);
    for (int64_t c = 0; c < count; c++)
        marked[c] = true;
    SRI_TRY(sri_stage(ctx, "race", count + (heats > 1 ? heat[0].keep : 0)));
    for (int i = 0; i < heats; i++)
        SRI_TRY(decide(ctx, &r, heat[i], i ? heat[i - 1].keep : count));
    if (out->heats)
        unmark_losers(&r);
    else
        sri_search_note(result, "race: a part of the rows has too few of a group or class to judge "
                                "by, all kernels were compared on all rows");
done:
    sri_free(r.rank);
    return st;
}
