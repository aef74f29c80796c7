#include "select/search.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/threads.h"
#include "core/memory.h"
#include "select/extend.h"
#include "select/family.h"
#include "select/memoize.h"
#include "select/strategy.h"

const char *const sri_strategies[SRI_STRATEGIES] = {[SRI_SEARCH_GRID] = "grid",
                                                    [SRI_SEARCH_COARSE] = "coarse",
                                                    [SRI_SEARCH_RACE] = "race",
                                                    [SRI_SEARCH_EXHAUSTIVE] = "exhaustive"};

enum { LOO_ROWS = 2000, ONE_THREAD_ROWS = 600, MOST_EXTENSIONS = 16 };

void sri_search_threads(int64_t rows, sri_threads *before)
{
    sri_threads_enter(rows < ONE_THREAD_ROWS ? 1 : SRI_THREADS_ALL, before);
}

void sri_search_note(sri_search_result *result, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (result->notes < SRI_SEARCH_NOTES)
        vsnprintf(result->note[result->notes++], sizeof *result->note, format, args);
    va_end(args);
}

static const sri_rule_ops *auto_rule(const sri_problem *problem, const sri_search_spec *spec)
{
    if (spec->path && spec->path->count == 1 && sri_kernel_grid_count(spec->grid) == 1)
        return &sri_rule_none;
    const bool leverages =
        strcmp(spec->engine, "krylov") != 0 && strcmp(spec->engine, "iterate") != 0;
    if (spec->filter->ops->one_system && problem->n <= LOO_ROWS && leverages &&
        !problem->rows.group && !problem->unpenalised.pivots)
        return &sri_rule_loo;
    return &sri_rule_kfold;
}

/* The one point of a rule that needs no search. */
static specreg_status fixed_path(specreg_context *ctx, const sri_search_spec *spec, sri_op *op,
                                 sri_values *out)
{
    specreg_status st = SPECREG_OK;
    const sri_rule *rule = spec->rule;
    sri_filter filter = *spec->filter;
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
    return out;
}

specreg_status sri_search_path(specreg_context *ctx, const sri_search_spec *spec, sri_op *op,
                               int64_t smallest, sri_values *out)
{
    specreg_status st = SPECREG_OK;
    double kappa2;
    *out = (sri_values){0};
    if (spec->rule->ops->fixed)
        return fixed_path(ctx, spec, op, out);
    if (!spec->path) {
        SRI_TRY(sri_op_kappa2(ctx, op, &kappa2));
        return sri_path_auto(ctx, spec->filter, smallest, kappa2, out);
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

typedef struct search {
    const sri_search_spec *spec;
    sri_search_result *out;
    sri_setting setting;
    sri_checkpoint *checkpoint;
    int64_t row_capacity, candidate_capacity;
    int64_t evaluations;
    sri_candidate leader; /* the winner's path and filter; number -1: none yet */
    int64_t first_row;    /* of the leader's path                              */
    sri_score rank;       /* of the leader                                     */
    sri_fitted fitted;    /* the leader's coefficients, where they are known   */
    bool recalled;        /* the leader is known from a checkpoint             */
    sri_op *kept;         /* for the kernel after it, where that has the same scalar one */
    int64_t kept_number;
    int64_t left; /* paths that were not followed to their end         */
    int64_t step;
    int64_t *effort; /* of each candidate considered, by number; 0: not known */
    int64_t effort_capacity;
} search;

static specreg_status add_candidate(specreg_context *ctx, search *s, const sri_kernel *kernel)
{
    sri_search_result *out = s->out;
    const specreg_status st = sri_grow(ctx, (void **)&out->candidate, &s->candidate_capacity,
                                       out->candidates + 1, sizeof *out->candidate);
    if (st == SPECREG_OK)
        out->candidate[out->candidates++] = *kernel;
    return st;
}

static specreg_status add_rows(specreg_context *ctx, search *s, const sri_candidate *c,
                               const sri_outcome *outcome)
{
    sri_search_result *out = s->out;
    const specreg_status st = sri_grow(ctx, (void **)&out->row, &s->row_capacity,
                                       out->rows + c->path.count, sizeof *out->row);
    if (st != SPECREG_OK)
        return st;
    for (int64_t j = 0; j < c->path.count; j++)
        out->row[out->rows++] = (sri_search_row){.candidate = c->number,
                                                 .evaluation = s->evaluations,
                                                 .param = c->path.v[j],
                                                 .score = outcome->score[j]};
    s->evaluations++;
    return SPECREG_OK;
}

/* What happened, summed up over the evaluations. */
static void add_report(sri_search_result *out, const sri_outcome *o)
{
    sri_report *r = &out->report;
    r->steps = o->report.steps > r->steps ? o->report.steps : r->steps;
    r->bound = fmax(r->bound, o->report.bound);
    r->fell_back += o->report.fell_back;
    out->seconds_gram += o->seconds_gram;
    out->seconds_solve += o->seconds_solve;
    out->seconds_select += o->seconds_select;
}

/* The rank, and what it or rounding leaves, as the engine knows them that made the model. */
static void take_rank(sri_search_result *out, const sri_outcome *o)
{
    out->report.rank = o->report.rank;
    out->report.left = o->report.left;
    out->report.rounding = o->report.rounding;
}

/* The point at a row is the winner. */
static void win(sri_search_result *out, int64_t row)
{
    out->winner = row;
    out->param = out->row[row].param;
    out->score = out->row[row].score;
}

/* Takes over the lead, the candidate and its coefficients. */
static void lead(search *s, sri_candidate *c, sri_outcome *o, int64_t first_row)
{
    sri_candidate_free(&s->leader);
    sri_fitted_free(&s->fitted);
    s->leader = *c;
    s->fitted = o->fitted;
    s->first_row = first_row;
    s->rank = o->rank;
    s->recalled = o->recalled;
    s->out->kernel = c->kernel;
    s->out->filter = c->filter;
    s->out->search_engine = o->engine;
    s->out->report.certain = o->report.certain;
    take_rank(s->out, o);
    win(s->out, first_row + o->best);
    c->path = (sri_values){0};
    o->fitted = (sri_fitted){.df = NAN};
}

static specreg_status begin(specreg_context *ctx, search *s, const char *stage, int64_t steps)
{
    s->step = 0;
    return sri_stage(ctx, stage, steps);
}

/* Ties go to the kernel that comes first: the smoother one. */
static bool leads(const search *s, const sri_candidate *c, const sri_outcome *o)
{
    return s->leader.number < 0 || sri_score_better(&o->rank, &s->rank) ||
           (c->number < s->leader.number && o->rank.value == s->rank.value &&
            o->rank.tie == s->rank.tie);
}

static specreg_status note_effort(specreg_context *ctx, search *s, int64_t number, int64_t effort)
{
    const int64_t had = s->effort_capacity;
    const specreg_status st =
        sri_grow(ctx, (void **)&s->effort, &s->effort_capacity, number + 1, sizeof *s->effort);
    if (st != SPECREG_OK)
        return st;
    memset(s->effort + had, 0, (size_t)(s->effort_capacity - had) * sizeof *s->effort);
    s->effort[number] = effort;
    return SPECREG_OK;
}

/* Neighbours are alike; 0: neither took a Krylov space. */
static int64_t effort_nearby(const search *s, int64_t number)
{
    const int64_t before = number > 0 && number <= s->effort_capacity ? s->effort[number - 1] : 0;
    const int64_t after = number + 1 < s->effort_capacity ? s->effort[number + 1] : 0;
    return before > after ? before : after;
}

/* Books the outcome of a candidate, and lets it lead if it is the best so far. */
static specreg_status book(specreg_context *ctx, search *s, sri_candidate *c, sri_outcome *o)
{
    specreg_status st = SPECREG_OK;
    const int64_t first_row = s->out->rows;
    SRI_TRY(add_rows(ctx, s, c, o));
    add_report(s->out, o);
    s->left += o->left;
    SRI_TRY(note_effort(ctx, s, c->number, o->report.effort));
    if (leads(s, c, o))
        lead(s, c, o, first_row);
    SRI_TRY(sri_progress(ctx, ++s->step));
done:
    return st;
}

/* The operator of the kernel before, where this one differs from it in the outputs' matrix
 * alone, which engines bring in; NULL: another is needed. */
static sri_op *recall_operator(search *s, const sri_kernel *kernel)
{
    sri_op *op = s->kept;
    s->kept = NULL;
    if (op && sri_kernel_same_scalar(kernel, &s->out->candidate[s->kept_number]))
        return op;
    sri_op_free(op);
    return NULL;
}

static void keep_operator(search *s, int64_t number, sri_op *op)
{
    const bool useful = !sri_points_labelled(s->setting.problem.points) &&
                        !s->setting.trials.count && sri_kernel_grid_matrices(s->spec->grid) > 1;
    s->kept = useful ? op : NULL;
    s->kept_number = number;
    if (!useful)
        sri_op_free(op);
}

/* NULL: there is none yet; else *own. */
static const sri_threshold *threshold_for(const search *s, int64_t number, sri_threshold *own)
{
    if (s->leader.number < 0)
        return NULL;
    *own = sri_threshold_make(s->spec->grid, s->out, s->leader.number, &s->rank, number);
    return own;
}

/* Evaluates a kernel along its path, or along the one given. */
static specreg_status consider(specreg_context *ctx, search *s, int64_t number,
                               const sri_values *path)
{
    specreg_status st = SPECREG_OK;
    sri_candidate c = {.number = number, .kernel = s->out->candidate[number]};
    sri_outcome o = {0};
    sri_threshold own;
    sri_op *op = recall_operator(s, &s->out->candidate[number]);
    s->setting.expected_steps = effort_nearby(s, number);
    SRI_TRY(sri_candidate_prepare(ctx, &s->setting, path, &c, &op));
    const sri_run run = {.setting = &s->setting,
                         .candidate = &c,
                         .op = op,
                         .threshold = threshold_for(s, number, &own),
                         .out = &o};
    SRI_TRY(sri_memoize(ctx, &run, s->checkpoint));
    SRI_TRY(book(ctx, s, &c, &o));
done:
    sri_outcome_free(&o);
    sri_candidate_free(&c);
    keep_operator(s, number, op);
    return st;
}

/* Evaluates some that follow each other in one run. */
static specreg_status consider_family(specreg_context *ctx, search *s, int64_t first,
                                      int64_t members)
{
    specreg_status st = SPECREG_OK;
    sri_candidate *c = NULL;
    sri_outcome *o = NULL;
    sri_op *op = NULL;
    sri_threshold own;
    SRI_CALLOC(ctx, c, members, 1);
    SRI_CALLOC(ctx, o, members, 1);
    for (int64_t m = 0; m < members; m++) {
        c[m] = (sri_candidate){.number = first + m, .kernel = s->out->candidate[first + m]};
        SRI_TRY(sri_candidate_prepare(ctx, &s->setting, NULL, &c[m], &op));
        sri_op_free(op);
        op = NULL;
    }
    s->setting.expected_steps = effort_nearby(s, first);
    SRI_TRY(sri_evaluate_family(ctx, &s->setting, c, members, threshold_for(s, first, &own), o));
    for (int64_t m = 0; m < members; m++)
        SRI_TRY(book(ctx, s, &c[m], &o[m]));
done:
    for (int64_t m = 0; o && m < members; m++) {
        sri_outcome_free(&o[m]);
        sri_candidate_free(&c[m]);
    }
    sri_op_free(op);
    sri_free(o);
    sri_free(c);
    return st;
}

/* The i-th of `count` numbers from the middle outwards: good kernels tend to come first, and those
 * that fall behind them can be left early. */
static int64_t middle_out(int64_t i, int64_t count)
{
    const int64_t middle = count / 2, away = (i + 1) / 2;
    return i % 2 ? middle - away : middle + away;
}

static specreg_status consider_marked(specreg_context *ctx, search *s, const bool *marked)
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
            sri_family_size(ctx, &s->setting, s->out->candidate + c, marked + c, count - c, &size));
        if (size > 1) {
            memset(alone + c, 0, (size_t)size * sizeof *alone);
            SRI_TRY(consider_family(ctx, s, c, size));
        }
    }
    for (int64_t i = 0; i < count; i++) {
        const int64_t c = s->setting.tolerance > 0 ? middle_out(i, count) : i;
        if (alone[c])
            SRI_TRY(consider(ctx, s, c, NULL));
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
static specreg_status consider_new(specreg_context *ctx, search *s, bool *marked, bool *done_,
                                   int64_t *fresh)
{
    const int64_t count = s->out->candidates;
    for (int64_t c = 0; c < count; c++) {
        marked[c] = marked[c] && !done_[c];
        done_[c] = done_[c] || marked[c];
    }
    *fresh = count_marked(marked, count);
    return consider_marked(ctx, s, marked);
}

/* Every few kernels, then the neighbours of the best at half the distance, and so on. */
static specreg_status search_coarse(specreg_context *ctx, search *s, bool *marked, bool *done_)
{
    specreg_status st = SPECREG_OK;
    const sri_kernel_grid *grid = s->spec->grid;
    const int64_t count = s->out->candidates;
    int64_t fresh;
    SRI_TRY(begin(ctx, s, "search", sri_coarse_count(grid)));
    for (int64_t stride = sri_coarse_stride(grid); stride >= 1; stride /= 2) {
        sri_coarse_mark(grid, stride, s->leader.number, marked);
        SRI_TRY(consider_new(ctx, s, marked, done_, &fresh));
    }
    sri_search_note(s->out, "coarse search: %lld of %lld kernels were compared",
                    (long long)count_marked(done_, count), (long long)count);
done:
    return st;
}

/* The best of the heats, then neighbours of the best while they are better: fewer rows ask for
 * other kernels, and the winner of a heat is often next to the one that all rows would choose. */
static specreg_status search_race(specreg_context *ctx, search *s, bool *marked, bool *done_)
{
    specreg_status st = SPECREG_OK;
    const int64_t count = s->out->candidates;
    int64_t rows, fresh;
    SRI_TRY(sri_race(ctx, &s->setting, s->checkpoint, s->out, marked, &rows));
    SRI_TRY(begin(ctx, s, "search", count_marked(marked, count)));
    SRI_TRY(consider_new(ctx, s, marked, done_, &fresh));
    while (fresh) {
        sri_coarse_mark(s->spec->grid, 1, s->leader.number, marked);
        SRI_TRY(consider_new(ctx, s, marked, done_, &fresh));
    }
    if (rows < s->setting.problem.n)
        sri_search_note(s->out,
                        "race: %lld kernels were compared on %lld of %lld rows, %lld of "
                        "them on all",
                        (long long)count, (long long)rows, (long long)s->setting.problem.n,
                        (long long)count_marked(done_, count));
done:
    return st;
}

static specreg_status search_grid(specreg_context *ctx, search *s)
{
    specreg_status st = SPECREG_OK;
    const int64_t count = s->out->candidates;
    bool *marked = NULL, *done_ = NULL;
    SRI_ALLOC(ctx, marked, count, 1);
    SRI_CALLOC(ctx, done_, count, 1);
    for (int64_t c = 0; c < count; c++)
        marked[c] = true;
    if (s->spec->strategy == SRI_SEARCH_COARSE && count > 2) {
        SRI_TRY(search_coarse(ctx, s, marked, done_));
    } else if (s->spec->strategy == SRI_SEARCH_RACE) {
        SRI_TRY(search_race(ctx, s, marked, done_));
    } else {
        SRI_TRY(begin(ctx, s, "search", count));
        SRI_TRY(consider_marked(ctx, s, marked));
    }
done:
    sri_free(done_);
    sri_free(marked);
    return st;
}

static specreg_status extend(specreg_context *ctx, search *s)
{
    specreg_status st = SPECREG_OK;
    sri_values path = {0};
    sri_kernel kernel;
    int kernels = 0, paths = 0;
    for (int i = 0; i < MOST_EXTENSIONS; i++) {
        SRI_TRY(sri_extend_path(ctx, s->spec, s->out, &path));
        if (path.count) {
            const int64_t number = s->leader.number;
            SRI_TRY(begin(ctx, s, "extend", 1));
            SRI_TRY(consider(ctx, s, number, &path));
            sri_values_free(&path);
            paths++;
        } else if (sri_extend_kernel(ctx, s->spec, s->setting.problem.points, s->out, &kernel)) {
            SRI_TRY(add_candidate(ctx, s, &kernel));
            SRI_TRY(begin(ctx, s, "extend", 1));
            SRI_TRY(consider(ctx, s, s->out->candidates - 1, NULL));
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
                        sri_path_name(s->spec->filter->path));
done:
    sri_values_free(&path);
    return st;
}

/* Whether a is smoother than b: larger lambda, fewer steps or components. */
static bool smoother(sri_path_kind kind, double a, double b)
{
    return kind == SRI_PATH_LAMBDA ? a > b : a < b;
}

/* Moves the choice to the smoothest point of the winner's kernel within a standard error of the
 * best; true when that is another one. */
static bool choose_smoother(search *s)
{
    sri_search_result *out = s->out;
    const sri_search_row best = out->row[out->winner];
    int64_t choice = out->winner;
    for (int64_t i = 0; i < out->rows; i++) {
        const sri_search_row *r = &out->row[i];
        if (r->candidate == best.candidate &&
            r->score.value <= best.score.value + best.score.stderr_ &&
            smoother(s->spec->filter->path, r->param, out->row[choice].param))
            choice = i;
    }
    const bool moved = choice != out->winner;
    win(out, choice);
    return moved;
}

/* The path that the winner's row is from, in place of the leader's. */
static specreg_status winner_path(specreg_context *ctx, search *s, sri_values *path)
{
    specreg_status st = SPECREG_OK;
    const sri_search_result *out = s->out;
    const int64_t evaluation = out->row[out->winner].evaluation;
    *path = (sri_values){0};
    SRI_ALLOC(ctx, path->v, out->rows, 1);
    for (int64_t i = out->rows - 1; i >= 0; i--)
        if (out->row[i].evaluation == evaluation)
            s->first_row = i;
    for (int64_t i = 0; i < out->rows; i++)
        if (out->row[i].evaluation == evaluation)
            path->v[path->count++] = out->row[i].param;
done:
    return st;
}

/* Coefficients that are not there: of a point known from a checkpoint or moved to afterwards, and
 * where trials have only trained on some of the rows. */
static specreg_status train_winner(specreg_context *ctx, search *s, bool moved)
{
    specreg_status st = SPECREG_OK;
    const bool trials = s->setting.trials.count > 0;
    sri_candidate c = {.number = s->leader.number, .kernel = s->out->kernel};
    sri_outcome o = {0}, last = {0};
    sri_values path = {0};
    sri_op *op = NULL;
    SRI_TRY(winner_path(ctx, s, &path));
    SRI_TRY(sri_candidate_prepare(ctx, &s->setting, &path, &c, &op));
    sri_run run = {.setting = &s->setting, .candidate = &c, .op = op, .out = &o};
    if ((moved || s->recalled) && (!trials || sri_problem_partition(&s->setting.problem))) {
        SRI_TRY(sri_evaluate(ctx, &run, s->out->winner - s->first_row));
        sri_fitted_free(&s->fitted);
        s->fitted = o.fitted;
        o.fitted = (sri_fitted){.df = NAN};
        s->out->engine = o.engine;
        take_rank(s->out, &o);
    }
    if (!s->fitted.alpha) {
        run.out = &last;
        SRI_TRY(sri_train(ctx, &run, s->out->param));
        s->fitted.n_centres = last.fitted.n_centres;
        s->fitted.alpha = last.fitted.alpha;
        s->fitted.residual = last.fitted.residual;
        s->fitted.beta = last.fitted.beta;
        s->fitted.df = last.fitted.df;
        last.fitted = (sri_fitted){.df = NAN};
        s->out->engine = last.engine;
        take_rank(s->out, &last);
        add_report(s->out, &last);
    }
done:
    sri_outcome_free(&last);
    sri_outcome_free(&o);
    sri_values_free(&path);
    sri_candidate_free(&c);
    sri_op_free(op);
    return st;
}

static int by_candidate(const void *a, const void *b)
{
    const sri_search_row *x = a, *y = b;
    if (x->candidate != y->candidate)
        return x->candidate < y->candidate ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* The table in the order of the grid, however it was gone through. */
static void sort_rows(sri_search_result *out)
{
    for (int64_t i = 0; i < out->rows; i++)
        out->row[i].order = i;
    qsort(out->row, (size_t)out->rows, sizeof *out->row, by_candidate);
    int64_t winner = 0;
    while (out->row[winner].order != out->winner)
        winner++;
    out->winner = winner;
}

static specreg_status finish(specreg_context *ctx, search *s)
{
    specreg_status st = SPECREG_OK;
    const sri_rule *rule = s->spec->rule;
    sri_search_result *out = s->out;
    const bool compared = rule->ops->score || rule->ops->trials || rule->ops->choose;
    const bool one_path = rule->ops->choose || rule->ops->fixed;
    SRI_REQUIRE(ctx, !compared || one_path || !isnan(out->score.value), SPECREG_E_NUMERIC,
                "no parameter of the search gave a finite %s",
                sri_rule_criterion(rule, &s->setting.problem));
    SRI_REQUIRE(ctx, !s->spec->one_se || !compared || !isnan(out->score.stderr_), SPECREG_E_ARG,
                "rule: 1se needs standard errors, which %s by %s does not have",
                sri_rule_criterion(rule, &s->setting.problem), rule->ops->name);
    const bool moved = s->spec->one_se && choose_smoother(s);
    out->engine = out->search_engine;
    if (moved || !s->fitted.alpha) {
        SRI_TRY(sri_stage(ctx, "train", 1));
        SRI_TRY(train_winner(ctx, s, moved));
    }
    if (s->left)
        sri_search_note(out,
                        "%lld path%s left where the error was clearly past its minimum or too far "
                        "behind the best (--search exhaustive goes on)",
                        (long long)s->left, s->left == 1 ? " was" : "s were");
    sort_rows(out);
    out->n_centres = s->fitted.n_centres;
    out->alpha = s->fitted.alpha;
    out->residual = s->fitted.residual;
    out->beta = s->fitted.beta;
    out->held = s->fitted.held_out;
    out->held_by = out->held ? rule->ops->name : NULL;
    out->df = s->fitted.df;
    s->fitted = (sri_fitted){.df = NAN};
done:
    return st;
}

static specreg_status add_grid(specreg_context *ctx, search *s)
{
    specreg_status st = SPECREG_OK;
    for (int64_t c = 0; c < sri_kernel_grid_count(s->spec->grid); c++) {
        const sri_kernel kernel = sri_kernel_grid_at(s->spec->grid, c);
        SRI_TRY(add_candidate(ctx, s, &kernel));
    }
done:
    return st;
}

specreg_status sri_search(specreg_context *ctx, const sri_problem *problem,
                          const sri_search_spec *spec, sri_search_result *out)
{
    specreg_status st = SPECREG_OK;
    search s = {.spec = spec, .out = out, .leader = {.number = -1}, .fitted = {.df = NAN}};
    sri_threads threads;
    if (spec->rule->ops->search)
        return spec->rule->ops->search(ctx, problem, spec, out);
    sri_search_threads(problem->n, &threads);
    *out = (sri_search_result){.score = {.value = NAN, .tie = NAN, .stderr_ = NAN}, .df = NAN};
    SRI_TRY(sri_kernel_grid_check(ctx, spec->grid, problem->points));
    SRI_TRY(sri_search_check(ctx, problem, spec));
    SRI_TRY(sri_setting_make(ctx, spec, problem, &s.setting));
    SRI_TRY(sri_memoize_open(ctx, spec, &s.setting, &s.checkpoint));
    out->smallest = s.setting.smallest;
    SRI_TRY(add_grid(ctx, &s));
    SRI_TRY(search_grid(ctx, &s));
    if (spec->extend != SRI_EXTEND_NO && !spec->watch && !isnan(out->score.value))
        SRI_TRY(extend(ctx, &s));
    SRI_TRY(finish(ctx, &s));
done:
    sri_threads_leave(&threads);
    sri_op_free(s.kept);
    sri_free(s.effort);
    sri_candidate_free(&s.leader);
    sri_fitted_free(&s.fitted);
    sri_checkpoint_free(s.checkpoint);
    sri_setting_free(&s.setting);
    if (st != SPECREG_OK)
        sri_search_result_free(out);
    return st;
}

void sri_search_result_free(sri_search_result *result)
{
    sri_free(result->held);
    sri_free(result->beta);
    sri_free(result->residual);
    sri_free(result->alpha);
    sri_free(result->row);
    sri_free(result->candidate);
    *result = (sri_search_result){0};
}
