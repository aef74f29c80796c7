/* A path judged as a whole: the rule chooses a point of it. */
#include <math.h>
#include <string.h>

#include "select/run.h"

typedef struct trace_sink {
    sri_sink base;
    const sri_run *r;
    double *alpha, *residual, *df; /* as in a trace */
    double *beta;                  /* L x l x T     */
} trace_sink;

/* Copies the numbers of a point to its place in those of a path; NULL: there are none. */
static void copy_to(double *path, int64_t index, const double *point, int64_t size)
{
    if (point)
        memcpy(path + index * size, point, (size_t)size * sizeof *path);
}

static specreg_status trace_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    trace_sink *sink = (trace_sink *)self;
    const sri_run *r = sink->r;
    const sri_search_spec *spec = r->setting->spec;
    const sri_problem *problem = &r->setting->problem;
    copy_to(sink->alpha, point->index, point->alpha, point->n_centres * problem->T);
    copy_to(sink->residual, point->index, point->residual, problem->n * problem->T);
    copy_to(sink->beta, point->index, point->beta, problem->unpenalised.l * problem->T);
    sink->df[point->index] = point->df;
    const sri_seen seen = sri_candidate_seen(r->candidate);
    return spec->watch ? spec->watch(ctx, spec->payload, &seen, point) : SPECREG_OK;
}

specreg_status sri_evaluate_choice(specreg_context *ctx, const sri_run *r)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const sri_rule *rule = r->setting->spec->rule;
    const sri_problem *problem = &r->setting->problem;
    const int64_t L = r->candidate->path.count, T = problem->T, n = problem->n;
    const int64_t l = problem->unpenalised.l;
    trace_sink sink = {.base = {.put = trace_put}, .r = r};
    SRI_SCRATCH_EACH(ctx, &scratch, L, n * T, &sink.alpha, &sink.residual);
    SRI_SCRATCH(ctx, &scratch, sink.df, L, 1);
    SRI_SCRATCH(ctx, &scratch, sink.beta, L * l, T);
    sri_job job = sri_run_job(r, sri_run_need(r));
    SRI_TRY(sri_run_engine(ctx, r, problem, &job, NULL, (sri_sink *const[]){&sink.base}));
    const sri_trace trace = {.problem = problem,
                             .count = L,
                             .param = r->candidate->path.v,
                             .alpha = sink.alpha,
                             .residual = sink.residual,
                             .df = sink.df};
    SRI_TRY(rule->ops->choose(ctx, rule, &trace, r->out->score, &r->out->best));
    const int64_t kept = r->want < 0 ? r->out->best : r->want;
    const sri_path_point point = {.n_centres = n,
                                  .alpha = sink.alpha + kept * n * T,
                                  .residual = sink.residual + kept * n * T,
                                  .beta = sink.beta + kept * l * T,
                                  .df = sink.df[kept]};
    SRI_TRY(sri_run_keep(ctx, r, 0, &point));
    const double gcv = sri_trace_gcv(&trace, r->out->best);
    r->out->rank = (sri_score){.value = gcv, .tie = gcv, .stderr_ = NAN, .df = NAN};
done:
    sri_arena_free(&scratch);
    return st;
}
