/* The winner of a search: the point that is taken, and its coefficients. */
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "select/each_output.h"
#include "select/state.h"

/* Whether a is smoother than b: larger lambda, fewer steps or components. */
static bool smoother(sri_path_kind kind, double a, double b)
{
    return kind == SRI_PATH_LAMBDA ? a > b : a < b;
}

/* Moves the choice to the smoothest point of the winner's kernel within a standard error of the
 * best; true when that is another one. */
static bool choose_smoother(sri_search_state *s)
{
    sri_search_result *out = s->out;
    const sri_search_row best = out->row[out->winner];
    int64_t choice = out->winner;
    for (int64_t i = 0; i < out->rows; i++) {
        const sri_search_row *r = &out->row[i];
        if (r->candidate == best.candidate && r->setting == best.setting &&
            r->score.value <= best.score.value + best.score.stderr_ &&
            smoother(s->setting.spec->filter->path, r->param, out->row[choice].param))
            choice = i;
    }
    const bool moved = choice != out->winner;
    sri_state_win(out, choice);
    return moved;
}

/* The path that the winner's row is from, in place of the leader's. */
static specreg_status winner_path(specreg_context *ctx, sri_search_state *s, sri_values *path)
{
    const sri_search_result *out = s->out;
    const int64_t evaluation = out->row[out->winner].evaluation;
    *path = (sri_values){0};
    SRI_NEW(ctx, path->v, out->rows, 1);
    for (int64_t i = out->rows - 1; i >= 0; i--)
        if (out->row[i].evaluation == evaluation)
            s->first_row = i;
    for (int64_t i = 0; i < out->rows; i++)
        if (out->row[i].evaluation == evaluation)
            path->v[path->count++] = out->row[i].param;
    return SPECREG_OK;
}

/* Coefficients that are not there: of a point known from a checkpoint or moved to afterwards, and
 * where trials have only trained on some of the rows. */
static specreg_status train_winner(specreg_context *ctx, sri_search_state *s, bool moved)
{
    specreg_status st = SPECREG_OK;
    const bool trials = s->setting.trials.count > 0;
    sri_search_result *out = s->out;
    sri_fitted *f = &out->fitted;
    sri_candidate c = {.number = s->leader.number,
                       .kernel = out->candidate[s->leader.number],
                       .setting = s->leader.setting};
    sri_outcome o = {0};
    sri_values path = {0};
    sri_op *op = NULL;
    SRI_TRY(winner_path(ctx, s, &path));
    SRI_TRY(sri_candidate_prepare(ctx, &s->setting, &path, &c, &op));
    sri_run run = {.setting = &s->setting,
                   .candidate = &c,
                   .members = 1,
                   .op = op,
                   .want = out->winner - s->first_row,
                   .out = &o};
    if ((moved || s->recalled) && (!trials || sri_problem_partition(&s->setting.problem))) {
        SRI_TRY(sri_evaluate(ctx, &run));
        sri_fitted_free(f);
        *f = o.fitted;
        if (f->each) {
            out->param = NAN;
            out->score = o.rank;
        }
        o.fitted = (sri_fitted){.df = NAN};
        out->engine = o.engine;
        sri_state_take_rank(out, &o);
        sri_outcome_free(&o);
    }
    if (!f->alpha) {
        if (trials && sri_kernel_learns(&c.kernel)) { /* each trial has learned its own */
            sri_op_free(op);
            run.op = op = NULL;
            sri_values_free(&c.path);
            SRI_TRY(sri_candidate_learn(ctx, &s->setting, &c));
            SRI_TRY(sri_candidate_prepare(ctx, &s->setting, &path, &c, &op));
            run.op = op;
        }
        SRI_TRY(f->each ? sri_each_train(ctx, &run, f->each) : sri_train(ctx, &run, out->param));
        o.fitted.held_out = f->held_out;
        o.fitted.held_by = f->held_by;
        o.fitted.learned = f->learned;
        o.fitted.each = f->each;
        *f = o.fitted;
        o.fitted = (sri_fitted){.df = NAN};
        out->engine = o.engine;
        sri_state_take_rank(out, &o);
        sri_state_report(out, &o);
    }
    if (c.learned) {
        sri_coupling_free(f->learned);
        f->learned = c.learned;
        f->ended = c.ended;
        out->kernel = c.kernel;
        c.learned = NULL;
    }
done:
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

/* A row for every kernel that was not compared on all rows. */
static specreg_status add_left(specreg_context *ctx, sri_search_state *s)
{
    specreg_status st = SPECREG_OK;
    sri_search_result *out = s->out;
    bool *seen = NULL;
    SRI_CALLOC(ctx, seen, out->candidates, 1);
    for (int64_t i = 0; i < out->rows; i++)
        seen[out->row[i].candidate] = true;
    SRI_TRY(sri_grow(ctx, (void **)&out->row, &s->row_capacity, out->rows + out->candidates,
                     sizeof *out->row));
    for (int64_t c = 0; c < out->candidates; c++)
        if (!seen[c])
            out->row[out->rows++] =
                (sri_search_row){.candidate = c,
                                 .evaluation = -1,
                                 .param = NAN,
                                 .left = true,
                                 .score = {.value = NAN, .tie = NAN, .stderr_ = NAN, .df = NAN}};
done:
    sri_free(seen);
    return st;
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

specreg_status sri_state_finish(specreg_context *ctx, sri_search_state *s)
{
    const sri_search_spec *spec = s->setting.spec;
    const sri_rule_ops *rule = spec->rule->ops;
    sri_search_result *out = s->out;
    const bool compared = rule->score || rule->trials || rule->choose;
    const bool one_path = rule->choose || rule->fixed;
    SRI_CHECK(ctx, !compared || one_path || !isnan(out->score.value), SPECREG_E_NUMERIC,
              "no parameter of the search gave a finite %s",
              sri_rule_criterion(spec->rule, &s->setting.problem));
    SRI_CHECK(ctx, !spec->one_se || !compared || !isnan(out->score.stderr_), SPECREG_E_ARG,
              "rule: 1se needs standard errors, which %s by %s does not have",
              sri_rule_criterion(spec->rule, &s->setting.problem), rule->name);
    const bool moved = spec->one_se && choose_smoother(s);
    out->engine = out->search_engine;
    if (moved || !out->fitted.alpha) {
        SRI_CALL(sri_stage(ctx, "train", 1));
        SRI_CALL(train_winner(ctx, s, moved));
    }
    if (out->fitted.learned && !out->fitted.ended)
        sri_search_note(out,
                        "outputs learn: the matrix was still changing after %g turns "
                        "(learn:iterations=)",
                        out->fitted.learned->param[SRI_LEARN_ITERATIONS]);
    if (s->abandoned)
        sri_search_note(out,
                        "%lld path%s left where the error was clearly past its minimum or too far "
                        "behind the best (--search exhaustive goes on)",
                        (long long)s->abandoned, s->abandoned == 1 ? " was" : "s were");
    SRI_CALL(add_left(ctx, s));
    sort_rows(out);
    return SPECREG_OK;
}
