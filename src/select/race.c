/* Races: kernels are compared on some of the rows first, in one heat or two. */
#include <math.h>

#include "core/arena.h"
#include "core/memory.h"
#include "data/split.h"
#include "select/strategy.h"
#include "select/threshold.h"

/* From MANY_ROWS on a heat on half of them decides: kernels that all rows would tell apart from its
 * best are as good as that, for several times the time. */
enum { FEWEST_ROWS = 400, SHARE = 4, SHORT_LIST = 6, FEWEST_KEPT = 2, MANY_ROWS = 10000 };

typedef struct race {
    const sri_setting *setting;
    sri_checkpoint *checkpoint;
    sri_search_result *result;
    sri_entrants of;   /* candidates that are marked run next               */
    sri_score *rank;   /* of a candidate in this heat; not a number: none   */
    sri_score *former; /* in the heat before                                */
    int64_t steps;     /* of the stage, that earlier heats took             */
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

/* The best parameter, where at least two points beyond it are worse; else what was known. */
static double seen_of(const sri_candidate *c, const sri_outcome *o, double before)
{
    int64_t last = o->count - 1;
    while (last > 0 && isnan(o->score[last].value))
        last--;
    return o->best + 2 <= last ? c->path.v[o->best] : before;
}

/* The rank of a kernel with a setting of the filter, if that is better than with those before. */
static specreg_status run_setting(specreg_context *ctx, const race *r, const part *h,
                                  const sri_threshold *threshold, sri_candidate *c, sri_op **op)
{
    const bool one = sri_search_settings(&h->spec) == 1;
    specreg_status st = SPECREG_OK;
    sri_outcome o = {0};
    SRI_TRY(sri_candidate_prepare(ctx, &h->setting, h->path.count ? &h->path : NULL, c, op));
    const sri_run run = {.setting = &h->setting,
                         .candidate = c,
                         .members = 1,
                         .op = *op,
                         .threshold = isnan(threshold->rank.value) ? NULL : threshold,
                         .seen = one ? r->of.seen[c->number] : NAN,
                         .want = -1,
                         .out = &o};
    SRI_TRY(sri_memoize(ctx, &run, r->checkpoint));
    if (c->setting == 0 || sri_score_better(&o.rank, &r->rank[c->number]))
        r->rank[c->number] = o.rank;
    r->of.seen[c->number] = seen_of(c, &o, r->of.seen[c->number]);
    sri_seconds_add(&r->result->seconds, &o.seconds);
done:
    sri_outcome_free(&o);
    sri_candidate_free(c);
    return st;
}

/* The rank of kernel c in the race, the best that a setting of the filter has; `best` is to be
 * reached. */
static specreg_status run_one(specreg_context *ctx, const race *r, const part *h, int64_t c,
                              const sri_score *best)
{
    const sri_threshold threshold = {.rank = *best, .optimism = SRI_OPTIMISM};
    specreg_status st = SPECREG_OK;
    sri_op *op = NULL;
    for (int64_t i = 0; i < sri_search_settings(&h->spec); i++) {
        sri_candidate candidate = {.number = c, .kernel = r->result->candidate[c], .setting = i};
        SRI_TRY(run_setting(ctx, r, h, &threshold, &candidate, &op));
    }
done:
    sri_op_free(op);
    return st;
}

/* How many of a heat that compared all go on to all rows. */
static int64_t kept_of(const sri_kernel_grid *grid)
{
    const int64_t list = (sri_kernel_family_count(grid) + SHORT_LIST - 1) / SHORT_LIST;
    return (list < FEWEST_KEPT ? FEWEST_KEPT : list) + (grid->next != NULL);
}

int sri_race_heats(int64_t n, const sri_kernel_grid *grid, sri_heat out[SRI_HEATS], int64_t *on_all)
{
    int heats = 0;
    const int64_t count = sri_kernel_grid_count(grid), quarter = n / SHARE;
    const int64_t first = quarter / SHARE < FEWEST_ROWS ? FEWEST_ROWS : quarter / SHARE;
    const int64_t second = quarter < FEWEST_ROWS ? FEWEST_ROWS : quarter;
    const int64_t around = 1 + 2 * sri_kernel_list_count(grid), others = 2 * (grid->next != NULL);
    *on_all = count;
    if (2 * second > n || kept_of(grid) >= count)
        return 0;
    *on_all = around < count ? around : count;
    if (2 * first <= second && around < count)
        out[heats++] = (sri_heat){.rows = first, .kernels = count};
    out[heats] = (sri_heat){.rows = second, .kernels = heats ? (1 + others) * *on_all : count};
    heats++;
    if (heats > 1 && n >= MANY_ROWS) {
        out[heats++] = (sri_heat){.rows = n / 2, .kernels = *on_all + others};
        *on_all = 1;
    }
    return heats;
}

/* The best of the ranks first .. last - 1. */
static int64_t best_between(const sri_score *rank, int64_t first, int64_t last)
{
    int64_t best = first;
    for (int64_t c = first + 1; c < last; c++)
        if (isnan(rank[best].value) || sri_score_better(&rank[c], &rank[best]))
            best = c;
    return best;
}

static int64_t best_of(const sri_score *rank, int64_t count)
{
    return best_between(rank, 0, count);
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
        if (r->of.marked[c] && isnan(r->rank[c].value)) {
            const sri_score best = r->rank[best_of(r->rank, count)];
            SRI_CALL(run_one(ctx, r, h, c, &best));
            const int64_t steps = r->steps + count_ranks(r->rank, count);
            if (steps > ctx->stage_steps) /* more than was expected */
                ctx->stage_steps = steps;
            SRI_CALL(sri_progress(ctx, steps));
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

/* All kernels; of several families some of each run first, and no more of families that are
 * behind. */
static specreg_status run_first(specreg_context *ctx, const race *r, const part *h)
{
    const sri_kernel_grid *grid = h->spec.grid;
    const int64_t count = r->result->candidates;
    for (int64_t c = 0; c < count; c++)
        r->of.marked[c] = true;
    if (grid->next) {
        sri_coarse_mark(grid, sri_coarse_stride(grid), -1, r->of.marked);
        SRI_CALL(run_marked(ctx, r, h));
        mark_hopeful(grid, r->rank, count, r->of.marked);
    }
    return run_marked(ctx, r, h);
}

/* Behind the best by more than a standard error and more than a twentieth of the squared error: the
 * other rows will hardly turn that round. */
static bool has_lost(const sri_score *rank, const sri_score *best)
{
    static const double LARGER = 0.05;
    return rank->value > best->value + fmax(0, best->stderr_) &&
           rank->tie > (1 + LARGER) * best->tie;
}

/* The neighbours of the best of a family, candidates first .. last - 1, while they are better by
 * more than errors on so many rows tell. */
static specreg_status climb(specreg_context *ctx, const race *r, const part *h, int64_t first,
                            int64_t last)
{
    static const double SAME = 0.005;
    int64_t best = best_between(r->rank, first, last), from;
    do {
        from = best;
        sri_coarse_mark(h->spec.grid, 1, from, r->of.marked);
        SRI_CALL(run_marked(ctx, r, h));
        best = best_between(r->rank, first, last);
    } while (best != from && !(r->rank[best].tie > (1 - SAME) * r->rank[from].tie));
    return SPECREG_OK;
}

/* The best of a family in the heat before, unless it had lost there; and from there on upwards,
 * unless it loses here, or, in the last of three heats, does not lead. */
static specreg_status run_family(specreg_context *ctx, const race *r, const part *h, int64_t first,
                                 int64_t last)
{
    const int64_t count = r->result->candidates, best = best_between(r->former, first, last);
    if (isnan(r->former[best].value) ||
        has_lost(&r->former[best], &r->former[best_of(r->former, count)]))
        return SPECREG_OK;
    for (int64_t c = 0; c < count; c++)
        r->of.marked[c] = c == best;
    SRI_CALL(run_marked(ctx, r, h));
    const int64_t leader = best_of(r->rank, count);
    if (r->out->heats + 1 == SRI_HEATS ? best != leader
                                       : has_lost(&r->rank[best], &r->rank[leader]))
        return SPECREG_OK;
    return climb(ctx, r, h, first, last);
}

/* The family that did best in the heat before goes first: others can be left early. */
static specreg_status run_families(specreg_context *ctx, const race *r, const part *h)
{
    const int64_t favourite = best_of(r->former, r->result->candidates);
    for (int others = 0; others < 2; others++) {
        int64_t first = 0;
        for (const sri_kernel_grid *grid = h->spec.grid; grid; grid = grid->next) {
            const int64_t last = first + sri_kernel_family_count(grid);
            const bool leads = first <= favourite && favourite < last;
            if (leads == !others)
                SRI_CALL(run_family(ctx, r, h, first, last));
            first = last;
        }
    }
    return SPECREG_OK;
}

/* A heat; where its rows are too few to judge by, what is known from the one before stays. */
static specreg_status run_heat(specreg_context *ctx, race *r, sri_heat heat)
{
    specreg_status st = SPECREG_OK;
    const int64_t count = r->result->candidates;
    part h = {0};
    SRI_TRY(part_make(ctx, r->setting, heat.rows, &h));
    if (h.possible) {
        for (int64_t c = 0; c < count; c++) {
            r->former[c] = r->rank[c];
            r->rank[c] = (sri_score){.value = NAN, .tie = NAN, .stderr_ = NAN};
        }
        SRI_TRY(r->out->heats ? run_families(ctx, r, &h) : run_first(ctx, r, &h));
        if (count_ranks(r->rank, count)) {
            heat.kernels = r->out->heats ? count_ranks(r->rank, count) : count;
            r->out->heat[r->out->heats++] = heat;
        }
    }
    r->steps += heat.kernels;
    SRI_TRY(sri_progress(ctx, r->steps < ctx->stage_steps ? r->steps : ctx->stage_steps));
done:
    part_free(&h);
    return st;
}

/* What all rows compare: after one heat the best of it, after two the best of each family, after
 * three the best of all; not those that have lost.  After one heat they may come back as neighbours
 * of the best. */
static void settle(const race *r)
{
    const sri_kernel_grid *grid = r->setting->spec->grid;
    const int64_t count = r->result->candidates, favourite = best_of(r->rank, count);
    r->out->favourite = favourite;
    if (r->out->heats == 1)
        mark_best(r->rank, count, kept_of(grid), r->of.marked);
    else
        for (int64_t first = 0; grid; grid = grid->next) {
            const int64_t last = first + sri_kernel_family_count(grid);
            const int64_t best = best_between(r->rank, first, last);
            for (int64_t c = first; c < last; c++)
                r->of.marked[c] = c == best && !isnan(r->rank[c].value);
            first = last;
        }
    for (int64_t c = 0; c < count; c++) {
        const bool lost = has_lost(&r->rank[c], &r->rank[favourite]);
        r->of.marked[c] = r->of.marked[c] && !lost;
        r->of.lost[c] =
            (lost && r->out->heats > 1) || (r->out->heats == SRI_HEATS && c != favourite);
    }
}

specreg_status sri_race(specreg_context *ctx, const sri_setting *setting,
                        sri_checkpoint *checkpoint, sri_search_result *result,
                        const sri_entrants *entrants, sri_race_result *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t count = result->candidates;
    int64_t steps = 0, on_all;
    sri_arena scratch = {0};
    sri_heat heat[SRI_HEATS];
    const int heats = sri_race_heats(setting->problem.n, setting->spec->grid, heat, &on_all);
    race r = {.setting = setting,
              .checkpoint = checkpoint,
              .result = result,
              .of = *entrants,
              .out = out};
    *out = (sri_race_result){0};
    if (!heats) {
        sri_search_note(result, "race: too few rows or kernels, all were compared on all rows");
        return st;
    }
    SRI_SCRATCH(ctx, &scratch, r.rank, count, 1);
    SRI_SCRATCH(ctx, &scratch, r.former, count, 1);
    for (int i = 0; i < heats; i++)
        steps += heat[i].kernels;
    SRI_TRY(sri_stage(ctx, "race", steps));
    for (int i = 0; i < heats; i++)
        SRI_TRY(run_heat(ctx, &r, heat[i]));
    if (out->heats) {
        settle(&r);
    } else {
        for (int64_t c = 0; c < count; c++)
            entrants->marked[c] = true;
        sri_search_note(result, "race: a part of the rows has too few of a group or class to judge "
                                "by, all kernels were compared on all rows");
    }
done:
    sri_arena_free(&scratch);
    return st;
}
