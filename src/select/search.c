#include "select/search.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "backend/threads.h"
#include "core/arena.h"
#include "select/extend.h"
#include "select/batch.h"
#include "select/state.h"
#include "select/strategy.h"
#include "select/threshold.h"

const char *const sri_strategies[SRI_STRATEGIES] = {[SRI_SEARCH_AUTO] = "auto",
                                                    [SRI_SEARCH_GRID] = "grid",
                                                    [SRI_SEARCH_COARSE] = "coarse",
                                                    [SRI_SEARCH_RACE] = "race",
                                                    [SRI_SEARCH_EXHAUSTIVE] = "exhaustive"};

enum { ONE_THREAD_ROWS = 600, MOST_EXTENSIONS = 16 };

void sri_search_threads(int64_t rows, sri_threads *before)
{
    sri_threads_enter(rows < ONE_THREAD_ROWS ? 1 : SRI_THREADS_ALL, before);
}

void sri_search_note(sri_search_result *result, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct sri_search_notes *notes = &result->notes;
    if (notes->count < (int)(sizeof notes->text / sizeof *notes->text))
        vsnprintf(notes->text[notes->count++], sizeof *notes->text, format, args);
    va_end(args);
}

static specreg_status begin(specreg_context *ctx, sri_search_state *s, const char *stage,
                            int64_t steps)
{
    s->step = 0;
    return sri_stage(ctx, stage, steps);
}

/* The i-th of `count` numbers from the middle outwards: good kernels tend to come first, and those
 * that fall behind them can be left early. */
static int64_t middle_out(int64_t i, int64_t count)
{
    const int64_t middle = count / 2, away = (i + 1) / 2;
    return i % 2 ? middle - away : middle + away;
}

static specreg_status consider_marked(specreg_context *ctx, sri_search_state *s, const bool *marked)
{
    specreg_status st = SPECREG_OK;
    const int64_t count = s->out->candidates;
    bool *alone = NULL; /* to be considered one by one */
    int64_t size;
    SRI_ALLOC(ctx, alone, count, 1);
    memcpy(alone, marked, (size_t)count * sizeof *alone);
    for (int64_t c = 0; c < count; c += size) {
        size = 1;
        if (!marked[c])
            continue;
        SRI_TRY(
            sri_batch_size(ctx, &s->setting, s->out->candidate + c, marked + c, count - c, &size));
        if (size > 1) {
            memset(alone + c, 0, (size_t)size * sizeof *alone);
            SRI_TRY(sri_state_consider(ctx, s, c, size));
        }
    }
    for (int64_t i = 0; i < count; i++) {
        const int64_t c = s->setting.tolerance > 0 ? middle_out(i, count) : i;
        if (alone[c])
            SRI_TRY(sri_state_consider(ctx, s, c, 1));
    }
done:
    sri_free(alone);
    return st;
}

static int64_t count_marked(const bool *marked, int64_t count)
{
    int64_t sum = 0;
    for (int64_t c = 0; c < count; c++)
        sum += marked[c];
    return sum;
}

/* The same for those that have not been considered before; how many. */
static specreg_status consider_new(specreg_context *ctx, sri_search_state *s, bool *marked,
                                   bool *done_, int64_t *fresh)
{
    const int64_t count = s->out->candidates;
    for (int64_t c = 0; c < count; c++) {
        marked[c] = marked[c] && !done_[c];
        done_[c] = done_[c] || marked[c];
    }
    *fresh = count_marked(marked, count);
    if (s->step + *fresh > ctx->stage_steps) /* more than was expected */
        ctx->stage_steps = s->step + *fresh;
    return consider_marked(ctx, s, marked);
}

/* Every few kernels, then the neighbours of the best at half the distance, and so on. */
static specreg_status search_coarse(specreg_context *ctx, sri_search_state *s, bool *marked,
                                    bool *done_)
{
    const sri_kernel_grid *grid = s->setting.spec->grid;
    const int64_t count = s->out->candidates;
    int64_t fresh;
    SRI_CALL(begin(ctx, s, "search", sri_coarse_count(grid)));
    for (int64_t stride = sri_coarse_stride(grid); stride >= 1; stride /= 2) {
        sri_coarse_mark(grid, stride, s->leader.number, marked);
        SRI_CALL(consider_new(ctx, s, marked, done_, &fresh));
    }
    sri_search_note(s->out, "coarse search: %lld of %lld kernels were compared",
                    (long long)count_marked(done_, count), (long long)count);
    return SPECREG_OK;
}

static void note_race(sri_search_state *s, const sri_race_result *race)
{
    const long long n = s->setting.problem.n, count = s->out->candidates;
    char between[96] = "";
    for (int i = 1, at = 0; i < race->heats; i++)
        at += snprintf(between + at, sizeof between - (size_t)at, "%lld %son %lld, ",
                       (long long)race->heat[i].kernels, i == 1 ? "of them " : "",
                       (long long)race->heat[i].rows);
    if (race->heats)
        sri_search_note(s->out,
                        "race: %lld kernels were compared on %lld of %lld rows, %s%lld %son all",
                        count, (long long)race->heat[0].rows, n, between, (long long)s->step,
                        race->heats > 1 ? "" : "of them ");
}

/* The best of the heats, then neighbours of the best while they are better and have not lost in
 * the heats: fewer rows ask for other kernels, and the winner of a heat is often next to the one
 * that all rows would choose.  Where kernels that fall behind are left early the favourite goes
 * first. */
static specreg_status search_entrants(specreg_context *ctx, sri_search_state *s,
                                      const sri_entrants *of, bool *done_)
{
    const int64_t count = s->out->candidates;
    int64_t fresh;
    sri_race_result race;
    SRI_CALL(sri_race(ctx, &s->setting, s->checkpoint, s->out, of, &race));
    SRI_CALL(begin(ctx, s, "search", count_marked(of->marked, count)));
    s->seen = of->seen;
    if (race.heats && s->setting.tolerance > 0) {
        SRI_CALL(sri_state_consider(ctx, s, race.favourite, 1));
        done_[race.favourite] = true;
    }
    for (int64_t c = 0; c < count; c++)
        done_[c] = done_[c] || of->lost[c];
    SRI_CALL(consider_new(ctx, s, of->marked, done_, &fresh));
    do {
        sri_coarse_mark(s->setting.spec->grid, 1, s->leader.number, of->marked);
        SRI_CALL(consider_new(ctx, s, of->marked, done_, &fresh));
    } while (fresh);
    note_race(s, &race);
    return SPECREG_OK;
}

static specreg_status search_race(specreg_context *ctx, sri_search_state *s, bool *marked,
                                  bool *done_)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    sri_entrants of = {.marked = marked};
    SRI_SCRATCH_ZERO(ctx, &scratch, of.lost, s->out->candidates, 1);
    SRI_SCRATCH(ctx, &scratch, of.seen, s->out->candidates, 1);
    for (int64_t c = 0; c < s->out->candidates; c++)
        of.seen[c] = NAN;
    SRI_TRY(search_entrants(ctx, s, &of, done_));
done:
    s->seen = NULL;
    sri_arena_free(&scratch);
    return st;
}

/* Whether the best of candidates first .. last - 1 is clearly worse than the leader. */
static bool is_behind(const sri_search_state *s, int64_t first, int64_t last)
{
    const sri_threshold threshold = {.rank = s->rank};
    double value, tie, least = INFINITY, least_tie = INFINITY;
    for (int64_t c = first; c < last; c++) {
        sri_least_of(s->out, c, &value, &tie);
        least = fmin(least, value);
        least_tie = fmin(least_tie, tie);
    }
    return sri_threshold_missed(&threshold, least, least_tie);
}

/* Some kernels of every family, then all of those families that are not clearly behind. */
static specreg_status search_families(specreg_context *ctx, sri_search_state *s, bool *marked,
                                      bool *done_)
{
    const sri_kernel_grid *grid = s->setting.spec->grid;
    int64_t fresh, first = 0;
    SRI_CALL(begin(ctx, s, "search", s->out->candidates));
    sri_coarse_mark(grid, sri_coarse_stride(grid), -1, marked);
    SRI_CALL(consider_new(ctx, s, marked, done_, &fresh));
    for (const sri_kernel_grid *family = grid; family; family = family->next) {
        const int64_t count = sri_kernel_family_count(family);
        const bool behind = is_behind(s, first, first + count);
        for (int64_t c = first; c < first + count; c++) {
            marked[c] = !behind;
            s->step += behind && !done_[c];
        }
        first += count;
    }
    SRI_CALL(consider_new(ctx, s, marked, done_, &fresh));
    return SPECREG_OK;
}

static specreg_status search_grid(specreg_context *ctx, sri_search_state *s)
{
    specreg_status st = SPECREG_OK;
    const int64_t count = s->out->candidates;
    sri_arena scratch = {0};
    bool *marked, *done_;
    SRI_SCRATCH(ctx, &scratch, marked, count, 1);
    SRI_SCRATCH_ZERO(ctx, &scratch, done_, count, 1);
    for (int64_t c = 0; c < count; c++)
        marked[c] = true;
    if (s->setting.spec->strategy == SRI_SEARCH_COARSE && count > 2) {
        SRI_TRY(search_coarse(ctx, s, marked, done_));
    } else if (s->setting.spec->strategy == SRI_SEARCH_RACE) {
        SRI_TRY(search_race(ctx, s, marked, done_));
    } else if (s->setting.spec->strategy == SRI_SEARCH_GRID && s->setting.spec->grid->next) {
        SRI_TRY(search_families(ctx, s, marked, done_));
    } else {
        SRI_TRY(begin(ctx, s, "search", count));
        SRI_TRY(consider_marked(ctx, s, marked));
    }
    SRI_TRY(sri_progress(ctx, ctx->stage_steps)); /* what was left out is done too */
done:
    sri_arena_free(&scratch);
    return st;
}

static specreg_status extend(specreg_context *ctx, sri_search_state *s)
{
    specreg_status st = SPECREG_OK;
    sri_values path = {0};
    sri_kernel kernel;
    int kernels = 0, paths = 0;
    for (int i = 0; i < MOST_EXTENSIONS; i++) {
        SRI_TRY(sri_extend_path(ctx, s->setting.spec, s->out, &path));
        if (path.count) {
            SRI_TRY(begin(ctx, s, "extend", 1));
            SRI_TRY(sri_state_go_on(ctx, s, &path));
            sri_values_free(&path);
            paths++;
        } else if (sri_extend_kernel(ctx, s->setting.spec, s->setting.problem.points, s->out,
                                     &kernel)) {
            SRI_TRY(sri_state_add(ctx, s, &kernel));
            SRI_TRY(begin(ctx, s, "extend", 1));
            SRI_TRY(sri_state_consider(ctx, s, s->out->candidates - 1, 1));
            kernels++;
        } else {
            break;
        }
    }
    if (kernels)
        sri_search_note(s->out,
                        "the best kernel lay at the edge of the grid, which was extended by %d",
                        kernels);
    if (paths)
        sri_search_note(s->out, "the best %s lay at the edge of its range, which was extended",
                        sri_path_name(s->setting.spec->filter->path));
done:
    sri_values_free(&path);
    return st;
}

static specreg_status add_grid(specreg_context *ctx, sri_search_state *s)
{
    for (int64_t c = 0; c < sri_kernel_grid_count(s->setting.spec->grid); c++) {
        const sri_kernel kernel = sri_kernel_grid_at(s->setting.spec->grid, c);
        SRI_CALL(sri_state_add(ctx, s, &kernel));
    }
    return SPECREG_OK;
}

specreg_status sri_search(specreg_context *ctx, const sri_problem *problem,
                          const sri_search_spec *spec, sri_search_result *out)
{
    specreg_status st = SPECREG_OK;
    sri_search_state s = {.out = out, .leader = {.number = -1}};
    sri_threads threads;
    SRI_CHECK(ctx, !spec->per_output || !spec->rule->ops->search, SPECREG_E_ARG,
              "param: per-output is for one search: --select loo or kfold, not %s",
              spec->rule->ops->name);
    if (spec->rule->ops->search)
        return spec->rule->ops->search(ctx, problem, spec, out);
    sri_search_threads(problem->n, &threads);
    *out = (sri_search_result){.score = {.value = NAN, .tie = NAN, .stderr_ = NAN},
                               .fitted = {.df = NAN}};
    SRI_TRY(sri_kernel_grid_check(ctx, spec->grid, problem->points));
    SRI_TRY(sri_search_check(ctx, problem, spec));
    SRI_TRY(sri_setting_make(ctx, spec, problem, &s.setting));
    SRI_TRY(sri_memoize_open(ctx, spec, &s.setting, &s.checkpoint));
    out->smallest = s.setting.smallest;
    SRI_TRY(add_grid(ctx, &s));
    SRI_TRY(search_grid(ctx, &s));
    if (spec->extend != SRI_EXTEND_NO && !spec->watch && !isnan(out->score.value))
        SRI_TRY(extend(ctx, &s));
    SRI_TRY(sri_state_finish(ctx, &s));
done:
    sri_threads_leave(&threads);
    sri_state_free(&s);
    if (st != SPECREG_OK)
        sri_search_result_free(out);
    return st;
}

void sri_fitted_free(sri_fitted *fitted)
{
    sri_coupling_free(fitted->learned);
    sri_free(fitted->held_out);
    sri_free(fitted->each);
    sri_free(fitted->beta);
    sri_free(fitted->slope);
    sri_free(fitted->residual);
    sri_free(fitted->alpha);
    *fitted = (sri_fitted){.df = NAN};
}

void sri_search_result_free(sri_search_result *result)
{
    sri_fitted_free(&result->fitted);
    sri_free(result->row);
    sri_free(result->candidate);
    sri_free(result->notes.choice);
    *result = (sri_search_result){0};
}
