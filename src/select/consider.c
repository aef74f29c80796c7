/* Candidates are evaluated one by one or as a batch, and the best of them leads. */
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "select/batch.h"
#include "select/state.h"

specreg_status sri_state_add(specreg_context *ctx, sri_search_state *s, const sri_kernel *kernel)
{
    sri_search_result *out = s->out;
    SRI_CALL(sri_grow(ctx, (void **)&out->candidate, &s->candidate_capacity, out->candidates + 1,
                      sizeof *out->candidate));
    out->candidate[out->candidates++] = *kernel;
    return SPECREG_OK;
}

static specreg_status add_rows(specreg_context *ctx, sri_search_state *s, const sri_candidate *c,
                               const sri_outcome *outcome)
{
    sri_search_result *out = s->out;
    SRI_CALL(sri_grow(ctx, (void **)&out->row, &s->row_capacity, out->rows + c->path.count,
                      sizeof *out->row));
    for (int64_t j = 0; j < c->path.count; j++)
        out->row[out->rows++] =
            (sri_search_row){.candidate = c->number,
                             .evaluation = s->evaluations,
                             .setting = c->setting,
                             .step = c->filter.step,
                             .param = c->path.v[j],
                             .left = outcome->abandoned && isnan(outcome->score[j].value),
                             .score = outcome->score[j]};
    s->evaluations++;
    return SPECREG_OK;
}

void sri_seconds_add(sri_seconds *sum, const sri_seconds *more)
{
    sum->gram += more->gram;
    sum->solve += more->solve;
    sum->select += more->select;
}

void sri_state_report(sri_search_result *out, const sri_outcome *o)
{
    sri_report *r = &out->report;
    r->steps = o->report.steps > r->steps ? o->report.steps : r->steps;
    r->bound = fmax(r->bound, o->report.bound);
    r->residual = fmax(r->residual, o->report.residual);
    r->fell_back += o->report.fell_back;
    sri_seconds_add(&out->seconds, &o->seconds);
}

void sri_state_take_rank(sri_search_result *out, const sri_outcome *o)
{
    out->report.rank = o->report.rank;
    out->report.left = o->report.left;
    out->report.rounding = o->report.rounding;
}

void sri_state_win(sri_search_result *out, int64_t row)
{
    out->winner = row;
    out->param = out->row[row].param;
    out->score = out->row[row].score;
}

/* Takes over the lead, the candidate and its coefficients. */
static void lead(sri_search_state *s, sri_candidate *c, sri_outcome *o, int64_t first_row)
{
    sri_candidate_free(&s->leader);
    sri_fitted_free(&s->out->fitted);
    s->out->fitted = o->fitted;
    s->out->fitted.learned = c->learned;
    s->out->fitted.ended = c->ended;
    c->learned = NULL;
    s->leader = *c;
    s->first_row = first_row;
    s->rank = o->rank;
    s->recalled = o->recalled;
    s->out->kernel = c->kernel;
    s->out->filter = c->filter;
    s->out->search_engine = o->engine;
    s->out->report.certain = o->report.certain;
    sri_state_take_rank(s->out, o);
    sri_state_win(s->out, first_row + o->best);
    if (o->fitted.each) { /* its row is that of the best one for all outputs */
        s->out->param = NAN;
        s->out->score = o->rank;
    }
    c->path = (sri_values){0};
    o->fitted = (sri_fitted){.df = NAN};
}

/* Ties go to the kernel that comes first: the smoother one. */
static bool leads(const sri_search_state *s, const sri_candidate *c, const sri_outcome *o)
{
    return s->leader.number < 0 || sri_score_better(&o->rank, &s->rank) ||
           (c->number < s->leader.number && o->rank.value == s->rank.value &&
            o->rank.tie == s->rank.tie);
}

static specreg_status note_effort(specreg_context *ctx, sri_search_state *s, int64_t number,
                                  int64_t effort)
{
    const int64_t had = s->effort_capacity;
    SRI_CALL(
        sri_grow(ctx, (void **)&s->effort, &s->effort_capacity, number + 1, sizeof *s->effort));
    memset(s->effort + had, 0, (size_t)(s->effort_capacity - had) * sizeof *s->effort);
    s->effort[number] = effort;
    return SPECREG_OK;
}

/* Neighbours are alike; 0: neither took a Krylov space. */
static int64_t effort_nearby(const sri_search_state *s, int64_t number)
{
    const int64_t before = number > 0 && number <= s->effort_capacity ? s->effort[number - 1] : 0;
    const int64_t after = number + 1 < s->effort_capacity ? s->effort[number + 1] : 0;
    return before > after ? before : after;
}

/* Books the outcome of a candidate, and lets it lead if it is the best so far. */
static specreg_status book(specreg_context *ctx, sri_search_state *s, sri_candidate *c,
                           sri_outcome *o)
{
    const int64_t first_row = s->out->rows;
    SRI_CALL(add_rows(ctx, s, c, o));
    sri_state_report(s->out, o);
    s->abandoned += o->abandoned;
    SRI_CALL(note_effort(ctx, s, c->number, o->report.effort));
    if (leads(s, c, o))
        lead(s, c, o, first_row);
    return SPECREG_OK;
}

/* The operator of the kernel before, where this one differs from it in the coupling of the outputs
 * alone, which engines bring in; NULL: another is needed. */
static sri_op *recall_operator(sri_search_state *s, const sri_kernel *kernel)
{
    sri_op *op = s->kept;
    s->kept = NULL;
    if (op && sri_kernel_same_scalar(kernel, &s->out->candidate[s->kept_number]))
        return op;
    sri_op_free(op);
    return NULL;
}

static void keep_operator(sri_search_state *s, int64_t number, sri_op *op)
{
    const bool useful = !sri_points_labelled(s->setting.problem.points) &&
                        !s->setting.trials.count &&
                        sri_kernel_grid_matrices(s->setting.spec->grid) > 1;
    s->kept = useful ? op : NULL;
    s->kept_number = number;
    if (!useful)
        sri_op_free(op);
}

/* NULL: there is none yet; else *own. */
static const sri_threshold *threshold_for(const sri_search_state *s, int64_t number,
                                          sri_threshold *own)
{
    if (s->leader.number < 0)
        return NULL;
    *own = sri_threshold_make(s->setting.spec->grid, s->out, s->leader.number, &s->rank, number);
    return own;
}

/* Kernels that are considered, in one run for each setting of the filter. */
typedef struct group {
    int64_t first, members;
    const sri_values *path; /* NULL: their own                                              */
    sri_op *op;             /* of the first; NULL: not made yet, or several have their own   */
    sri_op **trial_op;      /* see sri_run                                                  */
} group;

/* Whether settings of the filter may share the operators of trials, within a part of the memory:
 * the matrix and its eigenvectors. */
static bool may_keep_trials(const sri_search_state *s, const group *g)
{
    const double n = (double)s->setting.problem.n, trials = (double)s->setting.trials.count;
    return sri_search_settings(s->setting.spec) > 1 && g->members == 1 && trials > 0 && !g->path &&
           16 * n * n * trials < (double)s->setting.problem.resources.memory / 4;
}

/* The candidates of the group with a setting of the filter, prepared. */
static specreg_status prepare(specreg_context *ctx, sri_search_state *s, group *g, int64_t setting,
                              sri_candidate *c)
{
    for (int64_t m = 0; m < g->members; m++) {
        c[m] = (sri_candidate){.number = g->first + m,
                               .kernel = s->out->candidate[g->first + m],
                               .setting = setting};
        SRI_CALL(sri_candidate_prepare(ctx, &s->setting, g->path, &c[m], &g->op));
        if (g->members > 1) { /* a batch has operators of its own */
            sri_op_free(g->op);
            g->op = NULL;
        }
    }
    return SPECREG_OK;
}

static specreg_status consider_setting(specreg_context *ctx, sri_search_state *s, group *g,
                                       int64_t setting)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    sri_candidate *c;
    sri_outcome *o = NULL;
    sri_threshold own;
    const bool seen = s->seen && g->members == 1 && sri_search_settings(s->setting.spec) == 1;
    SRI_SCRATCH_ZERO(ctx, &scratch, c, g->members, 1);
    SRI_SCRATCH_ZERO(ctx, &scratch, o, g->members, 1);
    SRI_TRY(prepare(ctx, s, g, setting, c));
    s->setting.expected_steps = effort_nearby(s, g->first);
    const sri_run run = {.setting = &s->setting,
                         .candidate = c,
                         .members = g->members,
                         .op = g->op,
                         .trial_op = g->trial_op,
                         .threshold = threshold_for(s, g->first, &own),
                         .seen = seen ? s->seen[g->first] : NAN,
                         .want = -1,
                         .out = o};
    SRI_TRY(sri_memoize(ctx, &run, s->checkpoint));
    for (int64_t m = 0; m < g->members; m++)
        SRI_TRY(book(ctx, s, &c[m], &o[m]));
done:
    for (int64_t m = 0; o && m < g->members; m++) {
        sri_outcome_free(&o[m]);
        sri_candidate_free(&c[m]);
    }
    sri_arena_free(&scratch);
    return st;
}

/* With settings first .. last - 1 of the filter. */
static specreg_status consider(specreg_context *ctx, sri_search_state *s, group *g, int64_t first,
                               int64_t last)
{
    specreg_status st = SPECREG_OK;
    const int64_t trials = s->setting.trials.count;
    g->op = recall_operator(s, &s->out->candidate[g->first]);
    if (may_keep_trials(s, g))
        SRI_CALLOC(ctx, g->trial_op, trials, 1);
    for (int64_t setting = first; setting < last; setting++)
        SRI_TRY(consider_setting(ctx, s, g, setting));
    s->step += g->members;
    SRI_TRY(sri_progress(ctx, s->step));
done:
    for (int64_t f = 0; g->trial_op && f < trials; f++)
        sri_op_free(g->trial_op[f]);
    sri_free(g->trial_op);
    keep_operator(s, g->first, g->op);
    return st;
}

specreg_status sri_state_consider(specreg_context *ctx, sri_search_state *s, int64_t first,
                                  int64_t members)
{
    group g = {.first = first, .members = members};
    return consider(ctx, s, &g, 0, sri_search_settings(s->setting.spec));
}

specreg_status sri_state_go_on(specreg_context *ctx, sri_search_state *s, const sri_values *path)
{
    group g = {.first = s->leader.number, .members = 1, .path = path};
    const int64_t setting = s->leader.setting;
    return consider(ctx, s, &g, setting, setting + 1);
}

void sri_state_free(sri_search_state *s)
{
    sri_op_free(s->kept);
    sri_free(s->effort);
    sri_candidate_free(&s->leader);
    sri_checkpoint_free(s->checkpoint);
    sri_setting_free(&s->setting);
}
