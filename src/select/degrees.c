#include "select/degrees.h"

#include <math.h>

#include "core/arena.h"
#include "core/rng.h"
#include "engine/run.h"

enum { PROBES = 16, STREAM = 77 };

typedef struct df_sink {
    sri_sink base;
    const double *Z; /* n x PROBES; NULL: the engine tells df */
    int64_t n;
    const sri_degrees *out;
} df_sink;

/* The mean of z'Hz = z'(z - residual) over the probes, and its standard error. */
static specreg_status df_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    const df_sink *s = (df_sink *)self;
    double sum = 0, sum2 = 0;
    s->out->df[point->index] = point->df;
    s->out->stderr_[point->index] = 0;
    for (int64_t p = 0; s->Z && p < PROBES; p++) {
        double trace = 0;
        for (int64_t k = p; k < s->n * PROBES; k += PROBES)
            trace += s->Z[k] * (s->Z[k] - point->residual[k]);
        sum += trace;
        sum2 += trace * trace;
    }
    if (s->Z) {
        const double mean = sum / PROBES;
        s->out->df[point->index] = mean;
        s->out->stderr_[point->index] = sqrt(fmax(0, sum2 / PROBES - mean * mean) / (PROBES - 1));
    }
    return SPECREG_OK;
}

specreg_status sri_degrees_find(specreg_context *ctx, const sri_problem *problem,
                                const sri_kernel *kernel, const sri_path *path, int64_t exact_rows,
                                const sri_degrees *out)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    sri_op *op = NULL;
    const sri_engine *engine;
    sri_report report = {0};
    df_sink sink = {.base = {.put = df_put}, .n = problem->n, .out = out};
    sri_engine_problem asked = {.Y = problem->Y,
                                .T = problem->T,
                                .coupling = sri_problem_coupling(problem, kernel)};
    sri_request request = {.need = SRI_NEED_DF,
                           .memory = problem->resources.memory,
                           .machine = problem->resources.machine};
    const bool exact = problem->n <= exact_rows;
    for (int64_t i = 0; i < path->count; i++)
        out->df[i] = out->stderr_[i] = NAN;
    if (sri_filter_nonlinear(path->filter) || problem->unpenalised.pivots ||
        (!exact && (asked.coupling || sri_points_labelled(problem->points))))
        goto done;
    SRI_TRY(sri_problem_op(ctx, problem, kernel, &op));
    asked.op = op;
    if (!exact) {
        sri_rng rng = sri_rng_make(problem->resources.seed, STREAM);
        double *Z;
        SRI_SCRATCH(ctx, &scratch, Z, problem->n, PROBES);
        for (int64_t k = 0; k < problem->n * PROBES; k++)
            Z[k] = sri_rng_next(&rng) >> 63 ? 1 : -1;
        sink.Z = asked.Y = Z;
        asked.T = PROBES;
        request.need = 0;
    }
    sri_job job = sri_job_make(&asked, path, &request, &(sri_hint){0});
    SRI_TRY(sri_engine_plan(ctx, "auto", &job, &engine, NULL));
    SRI_TRY(sri_engine_run(ctx, engine, &job, &sink.base, &report));
done:
    sri_op_free(op);
    sri_arena_free(&scratch);
    return st;
}
