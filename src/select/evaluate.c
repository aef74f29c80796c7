#include "select/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "engine/run.h"
#include "select/run.h"

/* How far past the minimum of the criterion a search goes along a path, as a share of it. */
static const double PAST_MINIMUM = 0.1;
/* Errors often stay where they are at first: how much of a path is seen in any case. */
static const double MOST_OF_IT = 0.4;

/* ------------------------------------------------------------------- candidates and outcomes */

specreg_status sri_candidate_prepare(specreg_context *ctx, const sri_setting *setting,
                                     const sri_values *path, sri_candidate *candidate, sri_op **op)
{
    specreg_status st = SPECREG_OK;
    sri_values *own = &candidate->path;
    candidate->filter = *setting->spec->filter;
    if (!*op)
        SRI_TRY(sri_problem_op(ctx, &setting->problem, &candidate->kernel, op));
    else
        sri_op_couple(*op, &candidate->kernel);
    SRI_TRY(sri_filter_prepare(ctx, &candidate->filter, *op));
    if (!path) {
        SRI_TRY(sri_search_path(ctx, setting->spec, *op, setting->smallest, own));
    } else {
        SRI_ALLOC(ctx, own->v, path->count, 1);
        memcpy(own->v, path->v, (size_t)path->count * sizeof *path->v);
        own->count = path->count;
    }
done:
    if (st != SPECREG_OK) {
        sri_candidate_free(candidate);
        sri_op_free(*op);
        *op = NULL;
    }
    return st;
}

void sri_candidate_free(sri_candidate *candidate)
{
    sri_values_free(&candidate->path);
}

void sri_fitted_free(sri_fitted *fitted)
{
    sri_free(fitted->held_out);
    sri_free(fitted->beta);
    sri_free(fitted->residual);
    sri_free(fitted->alpha);
    *fitted = (sri_fitted){.df = NAN};
}

void sri_outcome_free(sri_outcome *outcome)
{
    sri_fitted_free(&outcome->fitted);
    sri_free(outcome->score);
    *outcome = (sri_outcome){0};
}

static int64_t pick_best(const sri_score *score, int64_t count)
{
    int64_t best = 0;
    for (int64_t j = 1; j < count; j++)
        if (sri_score_better(&score[j], &score[best]))
            best = j;
    return best;
}

/* ------------------------------------------------------------------- running an engine */

unsigned sri_run_need(const sri_run *r)
{
    return sri_rule_need(r->setting->spec->rule, r->setting->spec->filter,
                         sri_kernel_grid_count(r->setting->spec->grid));
}

sri_job sri_run_job(const sri_run *r, unsigned need)
{
    const sri_candidate *c = r->candidate;
    const sri_path path = {.filter = &c->filter, .param = c->path.v, .count = c->path.count};
    return sri_setting_job(r->setting, &c->kernel, r->op, path, need);
}

specreg_status sri_run_engine(specreg_context *ctx, const sri_run *r, sri_job *job, sri_sink *sink,
                              const double *sink_seconds)
{
    specreg_status st = SPECREG_OK;
    sri_outcome *out = r->out;
    const double start = sri_clock(), gram = job->problem.op->seconds, taken = *sink_seconds;
    SRI_TRY(sri_engine_plan(ctx, r->setting->spec->engine, job, &out->engine, NULL));
    SRI_TRY(sri_engine_run(ctx, out->engine, job, sink, &out->report));
    const double in_gram = job->problem.op->seconds - gram, in_sink = *sink_seconds - taken;
    out->seconds_gram += in_gram;
    out->seconds_select += in_sink;
    out->seconds_solve += sri_clock() - start - in_gram - in_sink;
done:
    return st;
}

/* ------------------------------------------------------------------- keeping a point */

/* A point's held-out residuals, where it has some: the mean over the repeats. */
static void copy_held_out(const sri_problem *problem, const sri_path_point *point, double *held_out)
{
    const int64_t T = problem->T, size = problem->n * T;
    for (int64_t k = 0; k < size; k++) {
        if (!point->fold_residual) {
            held_out[k] = sri_point_loo_residual(point, T, k);
            continue;
        }
        held_out[k] = 0;
        for (int64_t r = 0; r < problem->folds.repeats; r++)
            held_out[k] += point->fold_residual[r * size + k] / (double)problem->folds.repeats;
    }
}

static specreg_status keep_coefficients(specreg_context *ctx, const sri_problem *problem,
                                        const sri_path_point *point, sri_fitted *f)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = problem->T, terms = problem->unpenalised.l;
    if (!f->alpha) {
        SRI_ALLOC(ctx, f->alpha, point->n_centres, T);
        SRI_ALLOC(ctx, f->residual, problem->n, T);
        SRI_ALLOC(ctx, f->beta, terms, T);
        f->n_centres = point->n_centres;
    }
    memcpy(f->alpha, point->alpha, (size_t)(f->n_centres * T) * sizeof *f->alpha);
    memcpy(f->residual, point->residual, (size_t)(problem->n * T) * sizeof *f->residual);
    if (point->beta)
        memcpy(f->beta, point->beta, (size_t)(terms * T) * sizeof *f->beta);
done:
    return st;
}

static specreg_status keep_point(specreg_context *ctx, const sri_run *r,
                                 const sri_path_point *point)
{
    specreg_status st = SPECREG_OK;
    const sri_problem *problem = &r->setting->problem;
    sri_fitted *f = &r->out->fitted;
    const bool holds_out = point->fold_residual ? sri_problem_partition(problem)
                                                : point->one_minus_h || point->loo_residual;
    if (point->alpha) {
        SRI_TRY(keep_coefficients(ctx, problem, point, f));
    } else { /* those of another point, which an engine may hand on for some and not for others */
        sri_free(f->beta);
        sri_free(f->residual);
        sri_free(f->alpha);
        f->alpha = f->residual = f->beta = NULL;
    }
    if (holds_out && !f->held_out)
        SRI_ALLOC(ctx, f->held_out, problem->n, problem->T);
    if (f->held_out)
        copy_held_out(problem, point, f->held_out);
    f->df = point->df;
done:
    return st;
}

/* ------------------------------------------------------------------- scores of the fit itself */

/* The best of points 0 .. last. */
static void best_until(const sri_outcome *out, int64_t last, double *value, double *tie)
{
    *value = *tie = INFINITY;
    for (int64_t j = 0; j <= last; j++) {
        *value = fmin(*value, out->score[j].value);
        *tie = fmin(*tie, out->score[j].tie);
    }
}

/* A kernel is abandoned when extrapolating its error to the end of the path (the slope of the last
 * decade of the parameter, times the optimism) stays above the best: both by the criterion and by
 * the squared error. */
static bool too_far_behind(const sri_score_sink *sink)
{
    const sri_run *r = sink->r;
    const sri_values *path = &r->candidate->path;
    const double now = path->v[sink->last], end = path->v[path->count - 1];
    int64_t before = sink->last;
    double value, tie, old_value, old_tie;
    if (!r->threshold || sri_criterion_of(&r->setting->problem)->info.larger_is_better ||
        (double)sink->last < MOST_OF_IT * (double)path->count)
        return false;
    while (before > 0 && fabs(log10(path->v[before] / now)) < 1)
        before--;
    const double decade = fabs(log10(path->v[before] / now)), left = fabs(log10(end / now));
    if (decade < 1)
        return false;
    best_until(r->out, sink->last, &value, &tie);
    best_until(r->out, before, &old_value, &old_tie);
    const double decades = r->threshold->optimism * left / decade;
    return sri_threshold_missed(r->threshold, value * pow(value / old_value, decades),
                                tie * pow(tie / old_tie, decades));
}

/* A search goes no rougher once the value, and the squared error with it, are past their minimum
 * by a clear margin. */
static bool score_enough(const sri_sink *self)
{
    const sri_score_sink *sink = (const sri_score_sink *)self;
    sri_outcome *out = sink->r->out;
    const sri_score *best = &out->score[out->best], *last = &out->score[sink->last];
    double value, least;
    best_until(out, sink->last, &value, &least);
    const double margin = fmax(PAST_MINIMUM * fabs(best->value), 2 * best->stderr_);
    const bool past = last->value > best->value + margin && last->tie > (1 + PAST_MINIMUM) * least;
    const bool enough = sink->last > sink->want && (past || too_far_behind(sink));
    out->left = enough && sink->last + 1 < out->count;
    return enough;
}

static specreg_status score_put(specreg_context *ctx, sri_sink *self, const sri_path_point *given)
{
    specreg_status st = SPECREG_OK;
    sri_score_sink *sink = (sri_score_sink *)self;
    const sri_run *r = sink->r;
    const sri_rule *rule = r->setting->spec->rule;
    sri_outcome *out = r->out;
    sri_path_point point = *given;
    const double start = sri_clock();
    sri_score *score = &out->score[point.index];
    point.diagonal = sink->diagonal;
    *score = (sri_score){.value = NAN, .tie = NAN, .stderr_ = NAN, .df = point.df};
    if (rule->ops->score)
        SRI_TRY(rule->ops->score(ctx, rule, &r->setting->problem, &point, score));
    if (r->setting->spec->watch)
        SRI_TRY(r->setting->spec->watch(ctx, r->setting->spec->payload, r->candidate->number,
                                        &r->candidate->kernel, &point));
    sink->last = point.index;
    const bool better = point.index == 0 || sri_score_better(score, &out->score[out->best]);
    if (better)
        out->best = point.index;
    if (sink->want < 0 ? better : point.index == sink->want)
        SRI_TRY(keep_point(ctx, r, &point));
    sink->seconds += sri_clock() - start;
done:
    return st;
}

void sri_score_sink_make(const sri_run *r, int64_t want, sri_score_sink *out)
{
    *out = (sri_score_sink){.base = {score_put, score_enough}, .r = r, .want = want};
    for (int64_t j = 0; j < r->out->count; j++)
        r->out->score[j] = (sri_score){.value = NAN, .tie = NAN, .stderr_ = NAN, .df = NAN};
}

static specreg_status evaluate_scores(specreg_context *ctx, const sri_run *r, int64_t want)
{
    specreg_status st = SPECREG_OK;
    const sri_problem *problem = &r->setting->problem;
    const unsigned need = sri_run_need(r);
    sri_score_sink sink;
    sri_score_sink_make(r, want, &sink);
    double *diagonal = NULL;
    if (need & SRI_NEED_DIAGONAL) {
        SRI_ALLOC(ctx, diagonal, problem->n, 1);
        SRI_TRY(sri_kernel_diagonal(ctx, &r->candidate->kernel, problem->points, diagonal));
        sink.diagonal = diagonal;
    }
    sri_job job = sri_run_job(r, need);
    SRI_TRY(sri_run_engine(ctx, r, &job, &sink.base, &sink.seconds));
    r->out->rank = r->out->score[r->out->best];
done:
    sri_free(diagonal);
    return st;
}

/* ------------------------------------------------------------------- a choice along the path */

typedef struct trace_sink {
    sri_sink base;
    const sri_run *r;
    double *alpha, *residual, *df; /* as in a trace */
    double *beta;                  /* L x l x T     */
} trace_sink;

static specreg_status trace_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    trace_sink *sink = (trace_sink *)self;
    const sri_run *r = sink->r;
    const int64_t size = r->setting->problem.n * r->setting->problem.T;
    const int64_t coefficients = point->n_centres * r->setting->problem.T;
    memcpy(sink->alpha + point->index * coefficients, point->alpha,
           (size_t)coefficients * sizeof(double));
    memcpy(sink->residual + point->index * size, point->residual, (size_t)size * sizeof(double));
    const int64_t features = r->setting->problem.unpenalised.l * r->setting->problem.T;
    if (point->beta)
        memcpy(sink->beta + point->index * features, point->beta,
               (size_t)features * sizeof(double));
    sink->df[point->index] = point->df;
    return r->setting->spec->watch
               ? r->setting->spec->watch(ctx, r->setting->spec->payload, r->candidate->number,
                                         &r->candidate->kernel, point)
               : SPECREG_OK;
}

static specreg_status evaluate_choice(specreg_context *ctx, const sri_run *r, int64_t want)
{
    specreg_status st = SPECREG_OK;
    const sri_rule *rule = r->setting->spec->rule;
    const sri_problem *problem = &r->setting->problem;
    const int64_t L = r->candidate->path.count, size = problem->n * problem->T;
    const int64_t n_centres = r->op->centres.n, coefficients = n_centres * problem->T;
    const double none = 0;
    trace_sink sink = {.base = {.put = trace_put}, .r = r};
    SRI_REQUIRE(ctx, n_centres == problem->n, SPECREG_E_ARG,
                "select: %s is for models with a centre in every row", rule->ops->name);
    SRI_ALLOC(ctx, sink.alpha, L, coefficients);
    SRI_ALLOC(ctx, sink.residual, L, size);
    SRI_ALLOC(ctx, sink.df, L, 1);
    SRI_ALLOC(ctx, sink.beta, L * problem->unpenalised.l, problem->T);
    sri_job job = sri_run_job(r, sri_run_need(r));
    SRI_TRY(sri_run_engine(ctx, r, &job, &sink.base, &none));
    const sri_trace trace = {.count = L,
                             .param = r->candidate->path.v,
                             .n_centres = n_centres,
                             .alpha = sink.alpha,
                             .residual = sink.residual,
                             .df = sink.df};
    SRI_TRY(rule->ops->choose(ctx, rule, problem, &trace, r->out->score, &r->out->best));
    const int64_t kept = want < 0 ? r->out->best : want;
    SRI_TRY(
        keep_point(ctx, r,
                   &(sri_path_point){.n_centres = n_centres,
                                     .alpha = sink.alpha + kept * coefficients,
                                     .residual = sink.residual + kept * size,
                                     .beta = sink.beta + kept * problem->unpenalised.l * problem->T,
                                     .df = sink.df[kept]}));
    const double gcv = sri_trace_gcv(problem, &trace, r->out->best);
    r->out->rank = (sri_score){.value = gcv, .tie = gcv, .stderr_ = NAN, .df = NAN};
done:
    sri_free(sink.beta);
    sri_free(sink.df);
    sri_free(sink.residual);
    sri_free(sink.alpha);
    return st;
}

/* ------------------------------------------------------------------- trials */

static specreg_status collect_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    sri_collect_sink *c = (sri_collect_sink *)self;
    for (int64_t i = 0; i < c->n_centres; i++)
        memcpy(c->A + (i * c->count + point->index) * c->T, point->alpha + i * c->T,
               (size_t)c->T * sizeof *c->A);
    for (int64_t j = 0; j < c->l; j++)
        memcpy(c->B + (j * c->count + point->index) * c->T, point->beta + j * c->T,
               (size_t)c->T * sizeof *c->B);
    return SPECREG_OK;
}

sri_collect_sink sri_collect_sink_make(double *A, int64_t n_centres, int64_t T, int64_t count)
{
    return (sri_collect_sink){.base = {.put = collect_put},
                              .A = A,
                              .n_centres = n_centres,
                              .T = T,
                              .count = count};
}

specreg_status sri_trial_path(specreg_context *ctx, const sri_candidate *c, int64_t n, double **out)
{
    specreg_status st = SPECREG_OK;
    SRI_ALLOC(ctx, *out, c->path.count, 1);
    for (int64_t j = 0; j < c->path.count; j++)
        (*out)[j] =
            c->filter.path == SRI_PATH_COMPONENTS ? fmin(c->path.v[j], (double)n) : c->path.v[j];
done:
    return st;
}

specreg_status sri_trial_judge(specreg_context *ctx, const sri_run *r, const sri_trial *trial,
                               const double *F, sri_losses *losses, double *held_out)
{
    specreg_status st = SPECREG_OK;
    const sri_problem *problem = &r->setting->problem;
    const sri_sample *v = &trial->validate;
    const int64_t L = r->candidate->path.count, T = problem->T;
    const sri_truth truth = {.Y = v->Y, .classes = v->classes, .weight = v->weight};
    for (int64_t j = 0; j < L; j++) {
        SRI_TRY(sri_losses_add(ctx, problem, F + j * T, L * T, &truth, NULL, v->n, &losses[j]));
        for (int64_t i = 0; held_out && i < v->n; i++)
            for (int64_t t = 0; t < T; t++)
                held_out[(j * problem->n + trial->row[i]) * T + t] +=
                    (v->Y[i * T + t] - F[(i * L + j) * T + t]) / (double)problem->folds.repeats;
    }
done:
    return st;
}

/* Trains along the path on a trial's rows and predicts those that validate. */
static specreg_status run_trial(specreg_context *ctx, const sri_run *r, const sri_trial *trial,
                                sri_losses *losses, double *held_out)
{
    specreg_status st = SPECREG_OK;
    const sri_problem *train = &trial->train;
    const int64_t m = trial->validate.n, L = r->candidate->path.count, T = train->T;
    const int64_t l = train->unpenalised.l;
    const double none = 0;
    sri_run inner = *r;
    sri_filter filter = r->candidate->filter;
    double *param = NULL, *A = NULL, *B = NULL, *F = NULL;
    inner.op = NULL;
    SRI_TRY(sri_trial_path(ctx, r->candidate, train->n, &param));
    SRI_TRY(sri_problem_op(ctx, train, &r->candidate->kernel, &inner.op));
    const sri_centres centres = inner.op->centres;
    SRI_ALLOC(ctx, A, centres.n, L * T);
    SRI_ALLOC(ctx, B, l, L * T);
    SRI_ALLOC(ctx, F, m, L * T);
    if (filter.step_rule == SRI_STEP_NORM)
        SRI_TRY(sri_filter_prepare(ctx, &filter, inner.op));
    sri_collect_sink sink = sri_collect_sink_make(A, centres.n, T, L);
    sink.B = B;
    sink.l = l;
    sri_job job = sri_run_job(&inner, 0);
    job.problem.Y = train->Y;
    job.path.filter = &filter;
    job.path.param = param;
    SRI_TRY(sri_run_engine(ctx, &inner, &job, &sink.base, &none));
    sri_op_free(inner.op);
    inner.op = NULL;
    const double start = sri_clock();
    SRI_TRY(sri_predict_rows(ctx, &r->candidate->kernel, &trial->validate.rows, centres.points, A,
                             L * T, F));
    SRI_TRY(sri_coupling_mix(ctx, job.problem.coupling, m * L, F));
    sri_features_add(trial->validate.P, m, l, B, L * T, F);
    SRI_TRY(sri_trial_judge(ctx, r, trial, F, losses, held_out));
    r->out->seconds_select += sri_clock() - start;
done:
    sri_op_free(inner.op);
    sri_free(F);
    sri_free(B);
    sri_free(A);
    sri_free(param);
    return st;
}

specreg_status sri_trials_finish(specreg_context *ctx, const sri_run *r, const sri_losses *losses,
                                 const double *held_out, int64_t want)
{
    specreg_status st = SPECREG_OK;
    const sri_problem *problem = &r->setting->problem;
    const int64_t L = r->candidate->path.count, size = problem->n * problem->T;
    for (int64_t j = 0; j < L; j++)
        r->out->score[j] = sri_losses_pool(problem, losses + j, L, r->setting->trials.count);
    r->out->best = pick_best(r->out->score, L);
    r->out->rank = r->out->score[r->out->best];
    if (held_out) {
        SRI_ALLOC(ctx, r->out->fitted.held_out, size, 1);
        memcpy(r->out->fitted.held_out, held_out + (want < 0 ? r->out->best : want) * size,
               (size_t)size * sizeof *held_out);
    }
done:
    return st;
}

static specreg_status evaluate_trials(specreg_context *ctx, const sri_run *r, int64_t want)
{
    specreg_status st = SPECREG_OK;
    const sri_problem *problem = &r->setting->problem;
    const sri_trials *trials = &r->setting->trials;
    const int64_t L = r->candidate->path.count, size = problem->n * problem->T;
    sri_losses *losses = NULL; /* trials x L */
    double *held_out = NULL;   /* L x n x T, where folds hold out every row */
    SRI_CALLOC(ctx, losses, trials->count, L);
    if (sri_problem_partition(problem))
        SRI_CALLOC(ctx, held_out, L, size);
    for (int64_t f = 0; f < trials->count; f++) {
        SRI_TRY(run_trial(ctx, r, &trials->trial[f], losses + f * L, held_out));
        SRI_TRY(sri_poll(ctx));
    }
    SRI_TRY(sri_trials_finish(ctx, r, losses, held_out, want));
done:
    sri_free(held_out);
    sri_free(losses);
    return st;
}

/* ------------------------------------------------------------------- all */

specreg_status sri_evaluate(specreg_context *ctx, const sri_run *r, int64_t want)
{
    specreg_status st = SPECREG_OK;
    sri_outcome *out = r->out;
    *out = (sri_outcome){.count = r->candidate->path.count, .fitted = {.df = NAN}};
    SRI_CALLOC(ctx, out->score, out->count, 1);
    if (r->setting->trials.count)
        SRI_TRY(evaluate_trials(ctx, r, want));
    else if (r->setting->spec->rule->ops->choose)
        SRI_TRY(evaluate_choice(ctx, r, want));
    else
        SRI_TRY(evaluate_scores(ctx, r, want));
done:
    if (st != SPECREG_OK)
        sri_outcome_free(out);
    return st;
}

typedef struct keep_sink { /* keeps the one point there is */
    sri_sink base;
    const sri_run *r;
} keep_sink;

static specreg_status keep_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    return keep_point(ctx, ((keep_sink *)self)->r, point);
}

specreg_status sri_train(specreg_context *ctx, const sri_run *r, double param)
{
    specreg_status st = SPECREG_OK;
    const double none = 0;
    keep_sink sink = {.base = {.put = keep_put}, .r = r};
    *r->out = (sri_outcome){.count = 0, .fitted = {.df = NAN}};
    sri_job job = sri_run_job(r, 0);
    job.path.param = &param;
    job.path.count = 1;
    SRI_TRY(sri_run_engine(ctx, r, &job, &sink.base, &none));
done:
    if (st != SPECREG_OK)
        sri_outcome_free(r->out);
    return st;
}
