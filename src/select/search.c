#include "select/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/blas.h"
#include "core/memory.h"

enum { LOO_ROWS = 2000, PREDICT_ROWS = 1024, ONE_THREAD_ROWS = 600 };

void sri_search_threads(int64_t rows, int *restore)
{
    sri_threads_enter(rows < ONE_THREAD_ROWS ? 1 : 0, restore);
}

/* ------------------------------------------------------------------- rule and path */

const sri_rule_ops *sri_search_auto_rule(const sri_task *task, const sri_search_spec *spec)
{
    if (spec->path && spec->path->count == 1 && sri_kernel_grid_count(spec->grid) == 1)
        return &sri_rule_none;
    const bool leverages = strcmp(spec->engine, "krylov") != 0 &&
                           strcmp(spec->engine, "iterate") != 0;
    if (spec->filter->ops == &sri_filter_tikhonov && task->n <= LOO_ROWS && leverages)
        return &sri_rule_loo;
    return &sri_rule_kfold;
}

specreg_status sri_search_path(specreg_context *ctx, const sri_search_spec *spec, sri_op *op,
                               int64_t smallest, sri_values *out)
{
    specreg_status st = SPECREG_OK;
    double kappa2;
    *out = (sri_values){0};
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

/* ------------------------------------------------------------------- prediction */

specreg_status sri_predict_rows(specreg_context *ctx, const sri_kernel *kernel, const double *x,
                                int64_t m, int64_t p, const sri_points *centres, const double *A,
                                int64_t width, double *F)
{
    specreg_status st = SPECREG_OK;
    double *K = NULL;
    const int64_t block = m < PREDICT_ROWS ? m : PREDICT_ROWS;
    SRI_ALLOC(ctx, K, block, centres->n);
    for (int64_t i0 = 0; i0 < m; i0 += block) {
        const int64_t rows = m - i0 < block ? m - i0 : block;
        SRI_TRY(sri_kernel_block(ctx, kernel, x + i0 * p, rows, p, p, centres, K, centres->n));
        sri_gemm(false, false, rows, width, centres->n, 1, K, centres->n, A, width, 0,
                 F + i0 * width, width);
        SRI_TRY(sri_poll(ctx));
    }
done:
    free(K);
    return st;
}

/* ------------------------------------------------------------------- the search */

typedef struct search {
    const sri_task *task;
    sri_search_spec *spec;
    sri_search_result *out;
    sri_trials trials;
    int64_t row_capacity;
    int64_t candidate;  /* the kernel at hand */
    sri_kernel kernel;
    sri_filter filter;  /* prepared for it    */
    sri_values path;
    int64_t first_row;  /* its rows in the table begin here */
    int64_t step;
} search;

/* The residuals that the rule scored: without the row's fold, or without the row. */
static specreg_status keep_held(specreg_context *ctx, search *s, const sri_path_point *point)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = s->task->n, T = s->task->T;
    if (!point->fold_residual && !point->slack)
        return st;
    if (!s->out->held)
        SRI_ALLOC(ctx, s->out->held, n, T);
    for (int64_t k = 0; k < n * T; k++)
        s->out->held[k] = point->fold_residual ? point->fold_residual[k]
                                               : point->residual[k] / point->slack[k / T];
    s->out->held_by = s->spec->rule->ops->name;
done:
    return st;
}

/* Takes over the lead: the parameters, and the coefficients where they are those of all rows. */
static specreg_status lead(specreg_context *ctx, search *s, int64_t row, const sri_path_point *point)
{
    specreg_status st = SPECREG_OK;
    sri_search_result *out = s->out;
    const size_t bytes = (size_t)(s->task->n * s->task->T) * sizeof(double);
    out->winner = row;
    out->kernel = s->kernel;
    out->filter = s->filter;
    out->param = out->row[row].param;
    out->score = out->row[row].score;
    if (!point)
        return st;
    if (!out->alpha)
        SRI_ALLOC(ctx, out->alpha, s->task->n, s->task->T);
    if (!out->residual)
        SRI_ALLOC(ctx, out->residual, s->task->n, s->task->T);
    memcpy(out->alpha, point->alpha, bytes);
    memcpy(out->residual, point->residual, bytes);
    out->df = point->df;
    SRI_TRY(keep_held(ctx, s, point));
done:
    return st;
}

/* Runs an engine and books its time: kernel values, solving, and what the sink took. */
static specreg_status run_engine(specreg_context *ctx, search *s, const sri_job *job,
                                 sri_sink *sink, const double *sink_seconds,
                                 const sri_engine **engine)
{
    specreg_status st = SPECREG_OK;
    SRI_TRY(sri_engine_choose(ctx, s->spec->engine, job, engine, s->out->why));
    const double start = sri_clock(), gram = job->op->seconds, taken = *sink_seconds;
    SRI_TRY((*engine)->run(ctx, job, sink, &s->out->report));
    const double in_gram = job->op->seconds - gram, in_sink = *sink_seconds - taken;
    s->out->seconds_gram += in_gram;
    s->out->seconds_select += in_sink;
    s->out->seconds_solve += sri_clock() - start - in_gram - in_sink;
done:
    return st;
}

/* --- rules that score the fit itself --- */

typedef struct score_sink {
    sri_sink base;
    search *s;
    double seconds;
} score_sink;

static specreg_status score_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    specreg_status st = SPECREG_OK;
    score_sink *sink = (score_sink *)self;
    search *s = sink->s;
    const double start = sri_clock();
    sri_score score = {.value = NAN, .tie = NAN, .stderr_ = NAN, .df = point->df};
    if (s->spec->rule->ops->score)
        SRI_TRY(s->spec->rule->ops->score(ctx, s->spec->rule, s->task, point, &score));
    const int64_t row = s->first_row + point->index;
    s->out->row[row].score = score;
    if (s->spec->watch)
        SRI_TRY(s->spec->watch(ctx, s->spec->payload, s->candidate, &s->kernel, point));
    if (!s->out->alpha || sri_score_better(&score, &s->out->score))
        SRI_TRY(lead(ctx, s, row, point));
    sink->seconds += sri_clock() - start;
done:
    return st;
}

static specreg_status score_candidate(specreg_context *ctx, search *s, sri_op *op)
{
    score_sink sink = {.base = {score_put}, .s = s};
    const sri_job job = {.op = op,
                         .Y = s->task->Y,
                         .T = s->task->T,
                         .filter = &s->filter,
                         .param = s->path.v,
                         .count = s->path.count,
                         .need = s->spec->rule->ops->need,
                         .fold = s->task->fold,
                         .folds = s->task->folds,
                         .memory = s->task->memory};
    const sri_engine *engine = NULL;
    const specreg_status st = run_engine(ctx, s, &job, &sink.base, &sink.seconds, &engine);
    s->out->engine = s->out->search_engine = engine;
    return st;
}

/* --- rules that train on some rows and look at others --- */

typedef struct collect_sink { /* keeps all coefficients: A is n_train x (count T) */
    sri_sink base;
    double *A;
    int64_t n, T, count;
} collect_sink;

static specreg_status collect_put(specreg_context *ctx, sri_sink *self,
                                  const sri_path_point *point)
{
    (void)ctx;
    collect_sink *c = (collect_sink *)self;
    for (int64_t i = 0; i < c->n; i++)
        memcpy(c->A + (i * c->count + point->index) * c->T, point->alpha + i * c->T,
               (size_t)c->T * sizeof *c->A);
    return SPECREG_OK;
}

/* The path as a trial can take it: no more components than training rows. */
static specreg_status trial_path(specreg_context *ctx, const search *s, int64_t n, double **out)
{
    specreg_status st = SPECREG_OK;
    SRI_ALLOC(ctx, *out, s->path.count, 1);
    for (int64_t j = 0; j < s->path.count; j++)
        (*out)[j] = s->filter.path == SRI_PATH_COMPONENTS ? fmin(s->path.v[j], (double)n)
                                                          : s->path.v[j];
done:
    return st;
}

/* Trains along the path on a trial's rows; F (m x L T) gets the outputs of its validation rows. */
static specreg_status trial_outputs(specreg_context *ctx, search *s, const sri_trial *trial,
                                    double *F)
{
    specreg_status st = SPECREG_OK;
    const sri_task *task = s->task;
    const int64_t n = trial->train->n, m = trial->validate.n, L = s->path.count, T = task->T;
    const double none = 0;
    sri_op *op = NULL;
    sri_filter filter = s->filter;
    double *param = NULL, *A = NULL;
    SRI_TRY(trial_path(ctx, s, n, &param));
    SRI_ALLOC(ctx, A, n, L * T);
    SRI_TRY(sri_op_kernel(ctx, &s->kernel, trial->train, &op));
    if (filter.step_rule == SRI_STEP_NORM)
        SRI_TRY(sri_filter_prepare(ctx, &filter, op));
    collect_sink sink = {.base = {collect_put}, .A = A, .n = n, .T = T, .count = L};
    const sri_job job = {.op = op,
                         .Y = trial->Y,
                         .T = T,
                         .filter = &filter,
                         .param = param,
                         .count = L,
                         .memory = task->memory};
    SRI_TRY(run_engine(ctx, s, &job, &sink.base, &none, &s->out->search_engine));
    sri_op_free(op);
    op = NULL;
    const double start = sri_clock();
    SRI_TRY(sri_predict_rows(ctx, &s->kernel, trial->validate.X, m, trial->train->p, trial->train,
                             A, L * T, F));
    s->out->seconds_select += sri_clock() - start;
done:
    sri_op_free(op);
    free(A);
    free(param);
    return st;
}

/* losses[j] grows by what the validation rows say of the point j of the path. */
static specreg_status run_trial(specreg_context *ctx, search *s, const sri_trial *trial,
                                sri_losses *losses)
{
    specreg_status st = SPECREG_OK;
    const int64_t m = trial->validate.n, L = s->path.count, T = s->task->T;
    double *F = NULL;
    SRI_ALLOC(ctx, F, m, L * T);
    SRI_TRY(trial_outputs(ctx, s, trial, F));
    const double start = sri_clock();
    for (int64_t j = 0; j < L; j++)
        SRI_TRY(sri_losses_add(ctx, s->task, F + j * T, L * T, trial->validate.Y,
                               trial->validate.classes, m, &losses[j]));
    s->out->seconds_select += sri_clock() - start;
done:
    free(F);
    return st;
}

/* The residuals of a fold's rows, which come in the order that they have in the task. */
static specreg_status hold_out_fold(specreg_context *ctx, search *s, int64_t fold)
{
    specreg_status st = SPECREG_OK;
    const sri_trial *trial = &s->trials.trial[fold];
    const int64_t T = s->task->T;
    double *F = NULL;
    int64_t row = 0;
    SRI_ALLOC(ctx, F, trial->validate.n, T);
    SRI_TRY(trial_outputs(ctx, s, trial, F));
    for (int64_t i = 0; i < s->task->n; i++) {
        if (s->task->fold[i] != fold)
            continue;
        for (int64_t t = 0; t < T; t++)
            s->out->held[i * T + t] = trial->validate.Y[row * T + t] - F[row * T + t];
        row++;
    }
done:
    free(F);
    return st;
}

/* The held-out residuals of the winner, where the folds were fitted one by one: once more, with its
 * parameter alone, which is cheap beside the search. */
static specreg_status hold_out(specreg_context *ctx, search *s)
{
    specreg_status st = SPECREG_OK;
    const sri_engine *engine = s->out->search_engine;
    if (!s->task->fold)
        return st;
    s->kernel = s->out->kernel;
    s->filter = s->out->filter;
    s->path = (sri_values){.v = &s->out->param, .count = 1};
    SRI_ALLOC(ctx, s->out->held, s->task->n, s->task->T);
    for (int64_t f = 0; f < s->trials.count; f++)
        SRI_TRY(hold_out_fold(ctx, s, f));
    s->out->held_by = s->spec->rule->ops->name;
done:
    s->path = (sri_values){0};
    s->out->search_engine = engine;
    return st;
}

static specreg_status try_candidate(specreg_context *ctx, search *s)
{
    specreg_status st = SPECREG_OK;
    const int64_t L = s->path.count, folds = s->trials.count;
    sri_losses *losses = NULL; /* folds x L */
    SRI_CALLOC(ctx, losses, folds, L);
    for (int64_t f = 0; f < folds; f++) {
        SRI_TRY(run_trial(ctx, s, &s->trials.trial[f], losses + f * L));
        SRI_TRY(sri_progress(ctx, ++s->step));
    }
    for (int64_t j = 0; j < L; j++) {
        const sri_score score = sri_losses_pool(s->task, losses + j, L, folds);
        s->out->row[s->first_row + j].score = score;
        if (sri_score_better(&score, &s->out->score))
            SRI_TRY(lead(ctx, s, s->first_row + j, NULL));
    }
done:
    free(losses);
    return st;
}

/* --- one kernel --- */

static specreg_status add_rows(specreg_context *ctx, search *s)
{
    sri_search_result *out = s->out;
    s->first_row = out->rows;
    const specreg_status st = sri_grow(ctx, (void **)&out->row, &s->row_capacity,
                                       out->rows + s->path.count, sizeof *out->row);
    if (st != SPECREG_OK)
        return st;
    for (int64_t j = 0; j < s->path.count; j++)
        out->row[out->rows++] =
            (sri_search_row){.candidate = s->candidate, .param = s->path.v[j]};
    return SPECREG_OK;
}

static specreg_status run_candidate(specreg_context *ctx, search *s, int64_t candidate)
{
    specreg_status st = SPECREG_OK;
    sri_op *op = NULL;
    s->candidate = candidate;
    s->kernel = sri_kernel_grid_at(s->spec->grid, candidate);
    s->filter = *s->spec->filter;
    SRI_TRY(sri_op_kernel(ctx, &s->kernel, s->task->points, &op));
    SRI_TRY(sri_filter_prepare(ctx, &s->filter, op));
    SRI_TRY(sri_search_path(ctx, s->spec, op, s->out->smallest, &s->path));
    SRI_TRY(add_rows(ctx, s));
    if (s->trials.count) {
        SRI_TRY(try_candidate(ctx, s));
    } else {
        SRI_TRY(score_candidate(ctx, s, op));
        SRI_TRY(sri_progress(ctx, ++s->step));
    }
done:
    sri_values_free(&s->path);
    sri_op_free(op);
    return st;
}

typedef struct keep_sink { /* keeps the one point there is */
    sri_sink base;
    search *s;
} keep_sink;

static specreg_status keep_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    search *s = ((keep_sink *)self)->s;
    return lead(ctx, s, s->out->winner, point);
}

/* Trains the winner of the trials, or the smoother one in its place, on all rows. */
static specreg_status refit(specreg_context *ctx, search *s)
{
    specreg_status st = SPECREG_OK;
    sri_op *op = NULL;
    const double param = s->out->param, none = 0;
    s->kernel = s->out->kernel;
    s->filter = s->out->filter;
    keep_sink sink = {.base = {keep_put}, .s = s};
    SRI_TRY(sri_op_kernel(ctx, &s->kernel, s->task->points, &op));
    const sri_job job = {.op = op,
                         .Y = s->task->Y,
                         .T = s->task->T,
                         .filter = &s->filter,
                         .param = &param,
                         .count = 1,
                         .need = s->trials.count ? 0 : s->spec->rule->ops->need,
                         .fold = s->task->fold,
                         .folds = s->task->folds,
                         .memory = s->task->memory};
    SRI_TRY(run_engine(ctx, s, &job, &sink.base, &none, &s->out->engine));
done:
    sri_op_free(op);
    return st;
}

/* Moves the choice to the smoothest point of the winner's path within a standard error of the best;
 * true when that is another one.  Rows of a path lie from smooth to rough. */
static bool choose_smoother(sri_search_result *out)
{
    const sri_search_row *best = &out->row[out->winner];
    for (int64_t i = 0; i < out->winner; i++) {
        const sri_search_row *r = &out->row[i];
        if (r->candidate == best->candidate &&
            r->score.value <= best->score.value + best->score.stderr_) {
            out->winner = i;
            out->param = r->param;
            out->score = r->score;
            return true;
        }
    }
    return false;
}

static int64_t smallest_part(const search *s)
{
    int64_t smallest = sri_search_smallest(s->task);
    for (int64_t f = 0; f < s->trials.count; f++)
        if (s->trials.trial[f].train->n < smallest)
            smallest = s->trials.trial[f].train->n;
    return smallest;
}

specreg_status sri_search(specreg_context *ctx, const sri_task *task, sri_search_spec *spec,
                          sri_search_result *out)
{
    specreg_status st = SPECREG_OK;
    search s = {.task = task, .spec = spec, .out = out};
    sri_task folded; /* the task with its folds, where the rule has them */
    int32_t *fold = NULL;
    bool together;
    int threads;
    sri_search_threads(task->n, &threads);
    *out = (sri_search_result){.score = {.value = NAN, .tie = NAN, .stderr_ = NAN}, .df = NAN};
    SRI_TRY(sri_kernel_grid_resolve(ctx, spec->grid, task->points, task->seed));
    if (!spec->rule->ops)
        spec->rule->ops = sri_search_auto_rule(task, spec);
    const int64_t candidates = sri_kernel_grid_count(spec->grid);
    SRI_REQUIRE(ctx,
                spec->rule->ops != &sri_rule_none || spec->watch ||
                    (candidates == 1 && spec->path && spec->path->count == 1),
                SPECREG_E_ARG,
                "select: with none every parameter must be a single value: give the kernel's, and "
                "--param %s=VALUE",
                sri_path_name(spec->filter->path));
    SRI_TRY(sri_search_folds(ctx, task, spec, &folded, &fold, &together));
    s.task = &folded;
    if (spec->rule->ops->trials && !together)
        SRI_TRY(spec->rule->ops->trials(ctx, spec->rule, task, &s.trials));
    out->smallest = spec->smallest ? spec->smallest : smallest_part(&s);
    SRI_TRY(sri_stage(ctx, "search", candidates * (s.trials.count ? s.trials.count : 1)));
    for (int64_t c = 0; c < candidates; c++)
        SRI_TRY(run_candidate(ctx, &s, c));
    SRI_REQUIRE(ctx, spec->rule->ops == &sri_rule_none || !isnan(out->score.value),
                SPECREG_E_NUMERIC, "no parameter of the search gave a finite %s",
                sri_rule_criterion(spec->rule, task));
    SRI_REQUIRE(ctx,
                !spec->one_se || spec->rule->ops == &sri_rule_none || !isnan(out->score.stderr_),
                SPECREG_E_ARG,
                "rule: 1se needs standard errors, which selection by %s does not have",
                spec->rule->ops->name);
    const bool moved = spec->one_se && choose_smoother(out);
    if (s.trials.count || moved) {
        SRI_TRY(sri_stage(ctx, "train", 1));
        if (s.trials.count)
            SRI_TRY(hold_out(ctx, &s));
        SRI_TRY(refit(ctx, &s));
    }
done:
    sri_threads_leave(threads);
    free(fold);
    sri_trials_free(&s.trials);
    if (st != SPECREG_OK)
        sri_search_result_free(out);
    return st;
}

void sri_search_result_free(sri_search_result *result)
{
    free(result->held);
    free(result->residual);
    free(result->alpha);
    free(result->row);
    *result = (sri_search_result){0};
}
