#include "select/evaluate.h"

#include <math.h>
#include <string.h>

#include "engine/run.h"
#include "select/run.h"

specreg_status sri_candidate_learn(specreg_context *ctx, const sri_setting *setting,
                                   sri_candidate *candidate)
{
    return sri_learn(ctx, &setting->problem, sri_setting_learner(setting, -1), &candidate->kernel,
                     &candidate->ended, &candidate->learned);
}

specreg_status sri_candidate_prepare(specreg_context *ctx, const sri_setting *setting,
                                     const sri_values *path, sri_candidate *candidate, sri_op **op)
{
    specreg_status st = SPECREG_OK;
    sri_values *own = &candidate->path;
    candidate->filter = *sri_search_setting(setting->spec, candidate->setting);
    if (!setting->trials.count && !candidate->learned)
        SRI_TRY(sri_candidate_learn(ctx, setting, candidate));
    if (!*op)
        SRI_TRY(sri_problem_op(ctx, &setting->problem, &candidate->kernel, op));
    else
        sri_op_couple(*op, &candidate->kernel);
    SRI_TRY(sri_filter_prepare(ctx, &candidate->filter, *op));
    if (!path) {
        SRI_TRY(
            sri_search_path(ctx, setting->spec, &candidate->filter, *op, setting->smallest, own));
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
    sri_coupling_free(candidate->learned);
    candidate->learned = NULL;
}

void sri_outcome_free(sri_outcome *outcome)
{
    sri_fitted_free(&outcome->fitted);
    sri_free(outcome->score);
    *outcome = (sri_outcome){0};
}

unsigned sri_run_need(const sri_run *r)
{
    return sri_rule_need(r->setting->spec->rule, r->setting->spec->filter,
                         sri_search_candidates(r->setting->spec));
}

sri_job sri_run_job(const sri_run *r, unsigned need)
{
    const sri_candidate *c = r->candidate;
    const sri_path path = {.filter = &c->filter, .param = c->path.v, .count = c->path.count};
    return sri_setting_job(r->setting, &c->kernel, r->op, path, need);
}

static double seconds_in_sinks(const sri_run *r)
{
    double sum = 0;
    for (int64_t m = 0; m < r->members; m++)
        sum += r->out[m].seconds.select;
    return sum;
}

specreg_status sri_run_engine(specreg_context *ctx, const sri_run *r, const sri_problem *problem,
                              sri_job *job, const sri_batch *batch, sri_sink *const *to)
{
    specreg_status st = SPECREG_OK;
    sri_outcome *out = r->out;
    sri_fan fan = {0};
    const double start = sri_clock(), gram = job->problem.op->seconds, judged = seconds_in_sinks(r);
    if (sri_has_own_rows(problem) || problem->extension) {
        SRI_TRY(problem->extension ? sri_run_extended(ctx, r, problem, job, to[0])
                                   : sri_run_own_rows(ctx, r, problem, job, to[0]));
        out->seconds.solve += sri_clock() - start - (seconds_in_sinks(r) - judged);
        goto done;
    }
    if (r->members > 1) {
        sri_batch_job(batch, job);
        SRI_TRY(sri_fan_make(ctx, job, r->members, to, &fan));
    }
    SRI_TRY(sri_engine_plan(ctx, r->setting->spec->engine, job, &out->engine, NULL));
    SRI_TRY(
        sri_engine_run(ctx, out->engine, job, r->members > 1 ? &fan.base : to[0], &out->report));
    const double in_gram = job->problem.op->seconds - gram;
    out->seconds.gram += in_gram;
    out->seconds.solve += sri_clock() - start - in_gram - (seconds_in_sinks(r) - judged);
done:
    sri_arena_free(&fan.memory);
    return st;
}

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

static specreg_status keep_slopes(specreg_context *ctx, int64_t T, const sri_path_point *point,
                                  sri_fitted *f)
{
    const int64_t size = point->n_slopes * T;
    sri_free(f->slope);
    f->slope = NULL;
    if (!point->slope)
        return SPECREG_OK;
    SRI_NEW(ctx, f->slope, size, 1);
    memcpy(f->slope, point->slope, (size_t)size * sizeof *f->slope);
    f->n_slopes = point->n_slopes;
    return SPECREG_OK;
}

static specreg_status keep_coefficients(specreg_context *ctx, const sri_problem *problem,
                                        const sri_path_point *point, sri_fitted *f)
{
    const int64_t T = problem->T, terms = problem->unpenalised.l;
    if (!f->alpha) {
        SRI_NEW(ctx, f->alpha, point->n_centres, T);
        SRI_NEW(ctx, f->residual, problem->n, T);
        SRI_NEW(ctx, f->beta, terms, T);
        f->n_centres = point->n_centres;
    }
    memcpy(f->alpha, point->alpha, (size_t)(f->n_centres * T) * sizeof *f->alpha);
    memcpy(f->residual, point->residual, (size_t)(problem->n * T) * sizeof *f->residual);
    if (point->beta)
        memcpy(f->beta, point->beta, (size_t)(terms * T) * sizeof *f->beta);
    return keep_slopes(ctx, T, point, f);
}

specreg_status sri_run_keep(specreg_context *ctx, const sri_run *r, int64_t m,
                            const sri_path_point *point)
{
    const sri_problem *problem = &r->setting->problem;
    sri_fitted *f = &r->out[m].fitted;
    const bool holds_out = point->fold_residual ? sri_problem_partition(problem)
                                                : point->one_minus_h || point->loo_residual;
    if (point->alpha) {
        SRI_CALL(keep_coefficients(ctx, problem, point, f));
    } else { /* those of another point, which an engine may hand on for some and not for others */
        sri_free(f->slope);
        sri_free(f->beta);
        sri_free(f->residual);
        sri_free(f->alpha);
        f->alpha = f->residual = f->beta = f->slope = NULL;
    }
    if (holds_out && !f->held_out)
        SRI_NEW(ctx, f->held_out, problem->n, problem->T);
    if (f->held_out) {
        copy_held_out(problem, point, f->held_out);
        f->held_by = r->setting->spec->rule->ops->name;
    }
    f->df = point->df;
    return SPECREG_OK;
}

specreg_status sri_evaluate(specreg_context *ctx, const sri_run *r)
{
    specreg_status st = SPECREG_OK;
    const sri_rule_ops *rule = r->setting->spec->rule->ops;
    const sri_points *points = r->setting->problem.points;
    const int64_t count = r->candidate->path.count;
    for (int64_t m = 0; m < r->members; m++)
        r->out[m] = (sri_outcome){.count = count, .fitted = {.df = NAN}};
    SRI_REQUIRE(ctx, !points->centres || !(rule->choose || rule->bounds_errors), SPECREG_E_ARG,
                "select: %s is for models with a centre in every row", rule->name);
    for (int64_t m = 0; m < r->members; m++)
        SRI_CALLOC(ctx, r->out[m].score, count, 1);
    if (r->setting->trials.count)
        SRI_TRY(sri_evaluate_trials(ctx, r));
    else if (rule->choose)
        SRI_TRY(sri_evaluate_choice(ctx, r));
    else
        SRI_TRY(sri_evaluate_scores(ctx, r));
    for (int64_t m = 1; m < r->members; m++) { /* the first has the times */
        r->out[m].engine = r->out->engine;
        r->out[m].report = r->out->report;
    }
done:
    for (int64_t m = 0; st != SPECREG_OK && m < r->members; m++)
        sri_outcome_free(&r->out[m]);
    return st;
}

typedef struct keep_sink { /* keeps the one point there is */
    sri_sink base;
    const sri_run *r;
} keep_sink;

static specreg_status keep_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    return sri_run_keep(ctx, ((keep_sink *)self)->r, 0, point);
}

specreg_status sri_train(specreg_context *ctx, const sri_run *r, double param)
{
    keep_sink sink = {.base = {.put = keep_put}, .r = r};
    *r->out = (sri_outcome){.count = 0, .fitted = {.df = NAN}};
    sri_job job = sri_run_job(r, 0);
    job.path.param = &param;
    job.path.count = 1;
    const specreg_status st =
        sri_run_engine(ctx, r, &r->setting->problem, &job, NULL, (sri_sink *const[]){&sink.base});
    if (st != SPECREG_OK)
        sri_outcome_free(r->out);
    return st;
}
