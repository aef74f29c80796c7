/* The path on the sample of rows: its errors there, its degrees of freedom, and the functions. */
#include <math.h>

#include "engine/run.h"
#include "portrait/parts.h"
#include "select/criterion.h"

typedef struct watcher { /* sees the points */
    sri_sink base;
    sri_portrait_sample *s;
    const sri_measure *measure;
    sri_functions *functions; /* NULL: no curves */
    double *F;                /* n x T           */
} watcher;

/* A measure over the sample's rows, as people know it. */
static specreg_status judge(specreg_context *ctx, const watcher *w, const double *F, double *out)
{
    const sri_problem *problem = &w->s->sub.problem;
    sri_comparison p = sri_problem_compare(problem, F, sri_problem_truth(problem), problem->n);
    sri_losses losses = {0};
    p.class_cost = problem->judging.class_cost;
    const specreg_status st = sri_measure_add(ctx, w->measure, &p, &losses);
    sri_comparison_free(&p);
    if (st == SPECREG_OK)
        *out = sri_criterion_shown(w->measure, sri_measure_score(w->measure, &losses).value);
    return st;
}

static specreg_status put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    watcher *w = (watcher *)self;
    const sri_problem *problem = &w->s->sub.problem;
    sri_portrait_path *path = &w->s->out->path;
    if (point->index >= path->count || !point->residual || !point->alpha)
        return SPECREG_OK;
    if (path->df_of_sample)
        path->df[point->index] = point->df;
    for (int64_t k = 0; k < problem->n * problem->T; k++)
        w->F[k] = problem->Y[k] - point->residual[k];
    SRI_CALL(judge(ctx, w, w->F, &path->train[point->index]));
    return w->functions ? sri_functions_take(ctx, w->functions, point) : SPECREG_OK;
}

/* Known pairs serve every filter that is linear in y. */
static specreg_status run(specreg_context *ctx, const sri_portrait_sample *s, sri_sink *to)
{
    const sri_problem *problem = &s->sub.problem;
    const sri_engine *engine;
    sri_report report = {0};
    const bool linear = !sri_filter_nonlinear(&s->filter);
    const sri_engine_problem asked = {.op = s->op,
                                      .Y = problem->Y,
                                      .T = problem->T,
                                      .coupling =
                                          sri_problem_coupling(problem, &s->of->found->kernel)};
    const sri_path path = {&s->filter, s->param, s->out->path.count};
    const sri_request request = {.need = linear ? SRI_NEED_DF : 0,
                                 .memory = problem->resources.memory};
    sri_job job = sri_job_make(&asked, &path, &request, &(sri_hint){.operator_jobs = 2});
    SRI_CALL(sri_engine_choose(ctx, linear ? sri_engine_eig.name : "auto", &job, &engine, NULL));
    return sri_engine_run(ctx, engine, &job, to, &report);
}

/* The search's own measure, else the usual one. */
static const sri_measure *measure_of(const sri_portrait_of *of)
{
    const sri_problem *problem = of->problem;
    return sri_rule_by_criterion(of->rule) ? sri_criterion_of(problem)
                                           : sri_measure_auto(problem->n_classes > 0);
}

specreg_status sri_portrait_train(specreg_context *ctx, sri_portrait_sample *s)
{
    specreg_status st = SPECREG_OK;
    const sri_problem *problem = &s->sub.problem;
    watcher w = {.base = {.put = put}, .s = s, .measure = measure_of(s->of)};
    if (!s->out->path.count || sri_has_own_rows(problem)) {
        if (s->out->path.count)
            sri_portrait_lacks(s->out, "Each output trains on the rows of some classes: training "
                                       "errors along the path are not shown.");
        return st;
    }
    s->out->path.measure = w.measure->info.name;
    SRI_ALLOC(ctx, w.F, problem->n, problem->T);
    SRI_TRY(sri_functions_new(ctx, s, &w.functions));
    SRI_TRY(run(ctx, s, &w.base));
    if (w.functions)
        SRI_TRY(sri_functions_finish(ctx, w.functions));
done:
    sri_functions_free(w.functions);
    sri_free(w.F);
    return st;
}
