/* The scores of a kernel along its path, from its sums and, where these do not tell, a second look
 * at the rows. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "select/memoize.h"
#include "sums/candidate.h"
#include "sums/conjugate.h"
#include "sums/train.h"

static bool by_products(const sri_sums_judging *s)
{
    return s->spec->approx->solver == SRI_SOLVER_CG;
}

/* Whether the scores of held-out rows follow from sums. */
static bool squares_tell(const sri_sums_judging *s)
{
    const sri_problem *problem = s->spec->problem;
    return sri_criterion_of(problem)->mean_square && !problem->judging.class_cost &&
           !by_products(s);
}

/* Passes over the rows for each setting of the filter, as shares of the work on a kernel: 0, or 1
 * where sums do not tell the scores. */
static int64_t second_passes(const sri_sums_judging *s)
{
    const sri_by_sums how = s->spec->search->rule->ops->by_sums;
    return how == SRI_SUMS_LEFT_OUT || (how == SRI_SUMS_HELD_OUT && !squares_tell(s));
}

/* Of the work on a kernel: the first pass, and one for each setting. */
static int64_t passes_of(const sri_sums_judging *s)
{
    return 1 + second_passes(s) * sri_search_settings(s->spec->search);
}

/* Whether rows are left out one by one. */
static bool is_left_out(const sri_sums_judging *s)
{
    return s->spec->search->rule->ops->by_sums == SRI_SUMS_LEFT_OUT;
}

/* A path over components: there can be as many as training rows, all outputs together where they
 * are coupled, and no more than there are coordinates, so that an automatic path ends there. */
static specreg_status make_components(specreg_context *ctx, const sri_values *asked, int64_t rows,
                                      sri_sums_candidate *c)
{
    const sri_sums_question *q = &c->question;
    const int64_t T = q->coupling ? c->source.at.T : 1, r = c->source.at.r;
    if (!asked)
        return sri_path_auto(ctx, &q->filter, T * (rows < r ? rows : r), q->kappa2,
                             &c->question.path);
    SRI_CHECK(ctx, asked->v[asked->count - 1] <= (double)(T * rows), SPECREG_E_ARG,
              "param: components=%g, but there are only %lld training rows%s",
              asked->v[asked->count - 1], (long long)rows,
              q->coupling ? ", a component for each output" : "");
    return sri_values_copy(ctx, asked, &c->question.path);
}

static specreg_status make_path(specreg_context *ctx, const sri_sums_judging *s, int64_t rows,
                                sri_sums_candidate *c)
{
    const sri_search_spec *spec = s->spec->search;
    const sri_rule *rule = spec->rule;
    sri_filter filter = c->question.filter;
    if (rule->ops->fixed) {
        SRI_CALL(sri_search_check_fixed(ctx, spec));
        filter.step = 1 / c->question.kappa2;
        SRI_NEW(ctx, c->question.path.v, 1, 1);
        c->question.path.count = 1;
        c->question.path.v[0] = rule->ops->fixed(rule, &filter, rows, c->question.kappa2);
        return SPECREG_OK;
    }
    if (filter.path == SRI_PATH_COMPONENTS)
        return make_components(ctx, spec->path, rows, c);
    return spec->path ? sri_values_copy(ctx, spec->path, &c->question.path)
                      : sri_path_auto(ctx, &filter, rows, c->question.kappa2, &c->question.path);
}

/* Passes over the rows, with the one that was made: for progress. */
static int64_t expected_passes(const sri_conjugate_size *size, const sri_conjugate_question *q)
{
    const sri_values *path = &q->sums->path;
    return sri_goes_by_steps(&q->sums->filter)
               ? 1 + (int64_t)path->v[path->count - 1]
               : 1 + (int64_t)sri_conjugate_passes(size, (double)q->sample_rows);
}

/* All that the sums of a kernel depend on, but for rows that were not looked at. */
static sri_digest fingerprint(const sri_sums_judging *s, const sri_sums_candidate *c)
{
    sri_digest d = sri_problem_digest(s->spec->problem);
    sri_digest_add(&d, &c->number, sizeof c->number);
    sri_digest_add(&d, c->whitening.row, (size_t)c->source.at.r * sizeof *c->whitening.row);
    const int64_t parts = sri_parting_parts(&s->parting);
    sri_digest_add(&d, &parts, sizeof parts);
    return d;
}

/* Kernels after the first, and with conjugate gradients settings of the filter, have files of their
 * own: NAME.2, NAME.3. */
static specreg_status checkpoint_name(specreg_context *ctx, const sri_sums_judging *s,
                                      const sri_sums_candidate *c, sri_buffer *out)
{
    const char *name = s->spec->search->checkpoint;
    const int64_t settings = by_products(s) ? sri_search_settings(s->spec->search) : 1;
    const int64_t number = c->number * settings + (by_products(s) ? c->setting : 0);
    return number ? sri_buffer_print(ctx, out, "%s.%lld", name, (long long)number + 1)
                  : sri_buffer_print(ctx, out, "%s", name);
}

/* Trains on all rows and without each judged part, without sums: products take the place of
 * those. */
static specreg_status train_by_products(specreg_context *ctx, const sri_sums_judging *s,
                                        sri_sums_candidate *c)
{
    specreg_status st = SPECREG_OK;
    const sri_approx *approx = s->spec->approx;
    const sri_problem *problem = s->spec->problem;
    const int64_t rows = sri_sums_rows(s, &c->sums, -1);
    const bool kept = c->products.may_keep * SRI_BLOCK_ROWS >= rows;
    const sri_conjugate_size size = {.rows = (double)rows,
                                     .m = (double)c->source.at.r,
                                     .columns = (double)((s->judged + 1) * c->question.path.count *
                                                         problem->T),
                                     .value = kept ? SRI_VALUE_KEPT : SRI_VALUE_COMPUTED,
                                     .residual = approx->residual,
                                     .solves = 1};
    sri_conjugate_question question = {.sums = &c->question,
                                       .sample = {&c->whitening, problem, s->spec->number},
                                       .sample_rows = sri_conjugate_sample(&size, problem->n),
                                       .residual = approx->residual};
    sri_sums_path **path = NULL;
    sri_buffer name = {0};
    if (s->spec->search->checkpoint) {
        SRI_TRY(checkpoint_name(ctx, s, c, &name));
        question.checkpoint = name.data;
        question.fingerprint = fingerprint(s, c);
    }
    c->products.expected = expected_passes(&size, &question);
    SRI_ALLOC(ctx, path, s->judged + 1, 1);
    path[0] = &c->path;
    for (int64_t f = 0; f < s->judged; f++)
        path[f + 1] = &c->without[f];
    SRI_TRY(sri_conjugate_solve(ctx, &question, &c->products, path, &s->facts->conjugate));
done:
    sri_buffer_free(&name);
    sri_free(path);
    return st;
}

/* Trains on all rows and without each judged fold; `losses` NULL: sums do not tell them. */
static specreg_status train(specreg_context *ctx, const sri_sums_judging *s, sri_sums_candidate *c,
                            sri_losses *losses)
{
    for (int64_t f = 0; f < s->judged; f++)
        SRI_CHECK(ctx,
                  sri_parts_rows(&s->parts, &c->sums, f) > 0 && sri_sums_rows(s, &c->sums, f) > 0,
                  SPECREG_E_NUMERIC,
                  "fold %lld of %lld has no rows, or all of them: take fewer folds",
                  (long long)f + 1, (long long)s->parting.folds);
    SRI_NEW_ZERO(ctx, c->without, s->judged, 1);
    if (is_left_out(s))
        SRI_NEW_ZERO(ctx, c->leverages, s->parts.groups, 1);
    return by_products(s) ? train_by_products(ctx, s, c) : sri_sums_train(ctx, s, c, losses);
}

static specreg_status look_again(specreg_context *ctx, const sri_sums_judging *s,
                                 sri_sums_candidate *c, const sri_second_look *look,
                                 sri_losses *losses)
{
    specreg_status st = SPECREG_OK;
    const double start = sri_clock();
    sri_second_look own = *look;
    sri_collect all_rows = {.problem = NULL};
    int64_t *rows = NULL;
    SRI_TRY(sri_sums_expand(ctx, s, c));
    if (sri_collect_wanted(sri_criterion_of(look->problem))) {
        SRI_ALLOC(ctx, rows, look->judged, 1);
        for (int64_t f = 0; f < look->judged; f++)
            rows[f] = sri_parts_rows(&s->parts, &c->sums, f);
        SRI_TRY(
            sri_collect_new(ctx, look->problem, look->path->count, look->judged, rows, &all_rows));
        own.collect = &all_rows;
    }
    const sri_stage_round before = sri_stage_inner(ctx, 1 + c->setting, passes_of(s));
    st = sri_look_again(ctx, &c->source, &own, losses);
    sri_stage_outer(ctx, before);
    if (st == SPECREG_OK && own.collect)
        st = sri_collect_judge(ctx, &all_rows, losses);
    s->facts->seconds_second_pass += sri_clock() - start;
done:
    sri_free(rows);
    sri_collect_free(&all_rows);
    return st;
}

/* Scores by rows that were held out, part by part: their losses, or a second look at them. */
static specreg_status score_held_out(specreg_context *ctx, const sri_sums_judging *s,
                                     sri_sums_candidate *c, bool by_squares, sri_losses *losses)
{
    const sri_measure *measure = sri_criterion_of(s->spec->problem);
    const int64_t count = c->path.count;
    const sri_second_look look = {.problem = s->spec->problem,
                                  .parts = &s->parts,
                                  .path = c->without,
                                  .judged = s->judged};
    if (!by_squares)
        SRI_CALL(look_again(ctx, s, c, &look, losses));
    for (int64_t k = 0; k < count; k++) {
        c->score[k] = sri_measure_pool(measure, losses + k, count, s->judged);
        c->score[k].df = c->path.df[k];
    }
    return SPECREG_OK;
}

/* Scores by rows that are left out one by one. */
static specreg_status score_left_out(specreg_context *ctx, const sri_sums_judging *s,
                                     sri_sums_candidate *c)
{
    specreg_status st = SPECREG_OK;
    const sri_problem *problem = s->spec->problem;
    sri_losses *losses = NULL;
    const sri_second_look look = {.problem = problem,
                                  .parts = &s->parts,
                                  .path = &c->path,
                                  .judged = 1,
                                  .leverages = c->leverages};
    SRI_CALLOC(ctx, losses, c->path.count, 1);
    SRI_TRY(look_again(ctx, s, c, &look, losses));
    for (int64_t k = 0; k < c->path.count; k++) {
        c->score[k] = sri_measure_score(sri_criterion_of(problem), &losses[k]);
        c->score[k].df = c->path.df[k];
    }
done:
    sri_free(losses);
    return st;
}

/* Generalized cross-validation: the training error over (1 - df/n)^2. */
static specreg_status score_training(specreg_context *ctx, const sri_sums_judging *s,
                                     sri_sums_candidate *c)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = c->path.T, order = c->sums.order;
    const double n = (double)sri_sums_rows(s, &c->sums, -1);
    sri_arena scratch = {0};
    double *M, *error;
    bool *in;
    SRI_SCRATCH(ctx, &scratch, M, order, order);
    SRI_SCRATCH(ctx, &scratch, error, c->path.count, T);
    SRI_SCRATCH(ctx, &scratch, in, c->sums.parts, 1);
    sri_parts_training(&s->parts, 0, -1, in);
    SRI_TRY(sri_sums_join(ctx, &c->sums, in, M));
    SRI_TRY(sri_sums_errors(ctx, &c->path, &c->source.at, M, error));
    for (int64_t k = 0; k < c->path.count; k++) {
        const double left = 1 - c->path.df[k] / n;
        double squares = 0;
        for (int64_t t = 0; t < T; t++)
            squares += error[k * T + t] / (double)T;
        c->score[k].value = left > 0 ? squares / M[order * order - 1] / (left * left) : NAN;
        c->score[k].tie = c->score[k].value;
    }
done:
    sri_arena_free(&scratch);
    return st;
}

/* Scores of a candidate whose sums are there. */
static specreg_status judge(specreg_context *ctx, const sri_sums_judging *s, sri_sums_candidate *c)
{
    specreg_status st = SPECREG_OK;
    const bool by_squares = squares_tell(s);
    sri_losses *losses = NULL;
    SRI_CHECK(
        ctx, !is_left_out(s) || !sri_filter_nonlinear(&c->question.filter), SPECREG_E_ARG,
        "select: loo with fewer centres than rows is for filters that are linear: take kfold");
    SRI_TRY(make_path(ctx, s, sri_sums_smallest(s, &c->sums), c));
    const int64_t count = c->question.path.count;
    SRI_CALLOC(ctx, losses, s->judged, count);
    SRI_TRY(train(ctx, s, c, by_squares ? losses : NULL));
    SRI_ALLOC(ctx, c->score, count, 1);
    for (int64_t k = 0; k < count; k++)
        c->score[k] = (sri_score){NAN, NAN, NAN, c->path.df[k]};
    const sri_by_sums how = s->spec->search->rule->ops->by_sums;
    if (how == SRI_SUMS_HELD_OUT)
        SRI_TRY(score_held_out(ctx, s, c, by_squares, losses));
    else if (is_left_out(s))
        SRI_TRY(score_left_out(ctx, s, c));
    else if (how == SRI_SUMS_TRAINING)
        SRI_TRY(score_training(ctx, s, c));
done:
    sri_free(losses);
    return st;
}

/* Takes the sums that are given, if they are those of these coordinates. */
static specreg_status take_given(specreg_context *ctx, const sri_sums_judging *s,
                                 sri_sums_candidate *c)
{
    return sri_sums_take(&c->sums, &s->spec->given[c->number])
               ? SPECREG_OK
               : sri_fail(ctx, SPECREG_E_NUMERIC,
                          "the sums do not fit their basis: they come from another kind of "
                          "computer");
}

/* The first pass, with a checkpoint where one is asked for. */
static specreg_status add_up(specreg_context *ctx, const sri_sums_judging *s, sri_sums_candidate *c)
{
    specreg_status st = SPECREG_OK;
    sri_buffer name = {0};
    sri_pass_checkpoint file = {0};
    if (!s->spec->search->checkpoint)
        return sri_accumulate(ctx, &c->source, &c->sums, NULL, NULL);
    SRI_TRY(checkpoint_name(ctx, s, c, &name));
    SRI_TRY(sri_pass_checkpoint_open(ctx, name.data, fingerprint(s, c), &c->sums, &file));
    SRI_TRY(sri_accumulate(ctx, &c->source, &c->sums, NULL, &file));
done:
    sri_pass_checkpoint_free(&file);
    sri_buffer_free(&name);
    return st;
}

/* The first pass of conjugate gradients. */
static specreg_status make_products(specreg_context *ctx, const sri_sums_judging *s,
                                    sri_sums_candidate *c)
{
    const double left = (double)sri_memory_left(ctx);
    const double keep = 0.6 * (left - sri_conjugate_bytes((double)c->source.at.r, 100));
    SRI_CALL(sri_products_make(ctx, &c->source, s->judged, keep, &c->products));
    SRI_CALL(sri_products_apart(ctx, c->question.coupling, &c->products));
    memcpy(c->sums.rows, c->products.rows, (size_t)c->sums.parts * sizeof *c->sums.rows);
    return SPECREG_OK;
}

/* The first pass over the rows, where no sums are given. */
static specreg_status pass_once(specreg_context *ctx, const sri_sums_judging *s,
                                sri_sums_candidate *c)
{
    if (s->spec->given)
        return take_given(ctx, s, c);
    const sri_stage_round before = sri_stage_inner(ctx, 0, passes_of(s));
    const specreg_status st = (by_products(s) ? make_products : add_up)(ctx, s, c);
    sri_stage_outer(ctx, before);
    return st;
}

/* Moves what depends on the setting of the filter. */
static void move_setting(sri_sums_candidate *from, sri_sums_candidate *to)
{
    to->question = from->question;
    to->path = from->path;
    to->without = from->without;
    to->leverages = from->leverages;
    to->score = from->score;
    to->setting = from->setting;
    to->first_row = from->first_row;
    from->question.path = (sri_values){0};
    from->path = (sri_sums_path){0};
    from->without = NULL;
    from->leverages = NULL;
    from->score = NULL;
}

/* One setting after the other; the best comes back into the candidate. */
static specreg_status judge_settings(specreg_context *ctx, const sri_sums_judging *s,
                                     sri_sums_candidate *c, sri_sums_each *each, void *payload)
{
    specreg_status st = SPECREG_OK;
    const int64_t settings = sri_search_settings(s->spec->search);
    sri_sums_candidate best = {.score = NULL};
    for (int64_t i = 0; i < settings; i++) {
        c->setting = i;
        c->question.filter = *sri_search_setting(s->spec->search, i);
        SRI_TRY(judge(ctx, s, c));
        if (each)
            SRI_TRY(each(ctx, payload, c));
        if (settings == 1)
            goto done;
        if (!best.score ||
            sri_score_better(&c->score[sri_sums_best(c)], &best.score[sri_sums_best(&best)])) {
            sri_sums_setting_free(s, &best);
            move_setting(c, &best);
        }
        sri_sums_setting_free(s, c);
    }
    move_setting(&best, c);
done:
    sri_sums_setting_free(s, &best);
    return st;
}

static specreg_status evaluate(specreg_context *ctx, const sri_sums_judging *s,
                               sri_sums_candidate *c, sri_sums_each *each, void *payload)
{
    SRI_CALL(sri_sums_candidate_prepare(ctx, s, c));
    const double start = sri_clock();
    SRI_CALL(pass_once(ctx, s, c));
    const double added = sri_clock(), second = s->facts->seconds_second_pass;
    s->facts->seconds_sums += added - start;
    SRI_CALL(judge_settings(ctx, s, c, each, payload));
    sri_products_free(&c->products);
    s->facts->seconds_solve += sri_clock() - added - (s->facts->seconds_second_pass - second);
    return SPECREG_OK;
}

specreg_status sri_sums_evaluate(specreg_context *ctx, const sri_sums_judging *s,
                                 sri_sums_candidate *c, sri_sums_each *each, void *payload)
{
    const sri_stage_round before = sri_stage_inner(ctx, s->turn, s->turns ? s->turns : 1);
    const specreg_status st = evaluate(ctx, s, c, each, payload);
    sri_stage_outer(ctx, before);
    return st;
}

int64_t sri_sums_best(const sri_sums_candidate *c)
{
    int64_t best = 0;
    for (int64_t k = 1; k < c->path.count; k++)
        if (sri_score_better(&c->score[k], &c->score[best]))
            best = k;
    return best;
}
