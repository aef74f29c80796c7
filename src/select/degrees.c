#include "select/degrees.h"

#include <math.h>

#include "core/arena.h"
#include "core/memory.h"
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

/* The job of a path's degrees of freedom: the trace itself, or residuals of random signs Z. */
static sri_job job_of(const sri_problem *problem, const sri_kernel *kernel, const sri_path *path,
                      sri_op *op, const double *Z, bool exact)
{
    const sri_engine_problem asked = {.op = op,
                                      .Y = exact ? problem->Y : Z,
                                      .T = exact ? problem->T : PROBES,
                                      .coupling = sri_problem_coupling(problem, kernel)};
    const sri_request request = {.need = exact ? SRI_NEED_DF : 0,
                                 .memory = problem->resources.memory,
                                 .machine = problem->resources.machine};
    return sri_job_make(&asked, path, &request, &(sri_hint){0});
}

/* Whether there are any, and a way to find them. */
static bool has_degrees(const sri_problem *problem, const sri_kernel *kernel,
                        const sri_filter *filter, bool exact)
{
    return !sri_filter_nonlinear(filter) && !problem->unpenalised.pivots &&
           (exact ||
            !(sri_problem_coupling(problem, kernel) || sri_points_labelled(problem->points)));
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
    const bool exact = problem->n <= exact_rows;
    for (int64_t i = 0; i < path->count; i++)
        out->df[i] = out->stderr_[i] = NAN;
    if (!has_degrees(problem, kernel, path->filter, exact))
        goto done;
    SRI_TRY(sri_problem_op(ctx, problem, kernel, &op));
    if (!exact) {
        sri_rng rng = sri_rng_make(problem->resources.seed, STREAM);
        double *Z;
        SRI_SCRATCH(ctx, &scratch, Z, problem->n, PROBES);
        for (int64_t k = 0; k < problem->n * PROBES; k++)
            Z[k] = sri_rng_next(&rng) >> 63 ? 1 : -1;
        sink.Z = Z;
    }
    sri_job job = job_of(problem, kernel, path, op, sink.Z, exact);
    /* many columns to a matrix that is computed anew for each product take longer than the path */
    if (!exact && !(sri_job_stored_bytes(&job) > 0) && !sri_shape_by_factors(&job.shape))
        goto done;
    SRI_TRY(sri_engine_plan(ctx, "auto", &job, &engine, NULL));
    SRI_TRY(sri_engine_run(ctx, engine, &job, &sink.base, &report));
done:
    sri_op_free(op);
    sri_arena_free(&scratch);
    return st;
}

typedef enum way { NOT_FOUND, BY_SIGNS, EXACTLY } way;

/* The way for the winner of a search, and what it takes of memory.  By built-in rates, so that the
 * same call gives the same record everywhere. */
static specreg_status choose(specreg_context *ctx, const sri_problem *problem,
                             const sri_kernel *kernel, const sri_path *path, way *chosen,
                             double *bytes)
{
    static const double WORTH = 0.5;
    specreg_status st = SPECREG_OK;
    sri_op *op = NULL;
    *chosen = NOT_FOUND;
    *bytes = 0;
    if (sri_has_own_rows(problem) || problem->extension || problem->points->centres)
        return SPECREG_OK;
    SRI_TRY(sri_problem_op(ctx, problem, kernel, &op));
    for (way w = EXACTLY; w > NOT_FOUND && !*chosen; w--) {
        const sri_engine *engine;
        sri_job job = job_of(problem, kernel, path, op, problem->Y, w == EXACTLY);
        job.request.machine = NULL;
        if (!has_degrees(problem, kernel, path->filter, w == EXACTLY) ||
            !(sri_engine_seconds("auto", &job) <= WORTH))
            continue;
        job.request.machine = problem->resources.machine;
        SRI_TRY(sri_engine_plan(ctx, "auto", &job, &engine, NULL));
        *chosen = w;
        *bytes = engine->cost(&job).bytes;
    }
done:
    sri_op_free(op);
    return st;
}

specreg_status sri_degrees_bytes(specreg_context *ctx, const sri_problem *problem,
                                 const sri_kernel *kernel, const sri_path *path, double *bytes)
{
    way unused;
    return choose(ctx, problem, kernel, path, &unused, bytes);
}

/* df of a point, or, where outputs have parameters of their own, the mean of theirs. */
static specreg_status find_for(specreg_context *ctx, const sri_problem *problem,
                               const sri_search_result *found, const sri_values *path, bool exact,
                               sri_fitted *f)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    sri_degrees each;
    double df = 0, error = 0;
    const int64_t T = f->each ? problem->T : 1;
    SRI_SCRATCH_EACH(ctx, &scratch, path->count, 1, &each.df, &each.stderr_);
    SRI_TRY(sri_degrees_find(ctx, problem, &found->kernel,
                             &(sri_path){&found->filter, path->v, path->count},
                             exact ? problem->n : 0, &each));
    for (int64_t i = 0; i < path->count; i++) {
        double share = 0; /* of the outputs that have this point */
        for (int64_t t = 0; t < T; t++)
            share += !f->each || f->each[t] == path->v[i] ? 1 / (double)T : 0;
        df += share * each.df[i];
        error += share * each.stderr_[i]; /* the points have the same signs: errors add up */
    }
    f->df = df;
    f->df_stderr = error;
done:
    sri_arena_free(&scratch);
    return st;
}

specreg_status sri_degrees_of_winner(specreg_context *ctx, const sri_problem *problem,
                                     sri_search_result *found)
{
    static const int64_t ROOM = 64 << 20; /* bytes, for buffers that costs do not count */
    specreg_status st = SPECREG_OK;
    sri_fitted *f = &found->fitted;
    sri_values path = {0};
    sri_threads threads;
    double bytes;
    way chosen;
    if (!isnan(f->df) || sri_memory_left(ctx) < ROOM)
        return SPECREG_OK;
    sri_search_threads(problem->n, &threads);
    const sri_values given = {f->each ? f->each : &found->param, f->each ? problem->T : 1};
    SRI_TRY(sri_values_copy(ctx, &given, &path));
    sri_path_sort(found->filter.path, &path);
    SRI_TRY(choose(ctx, problem, &found->kernel, &(sri_path){&found->filter, path.v, path.count},
                   &chosen, &bytes));
    if (chosen)
        SRI_TRY(find_for(ctx, problem, found, &path, chosen == EXACTLY, f));
done:
    sri_threads_leave(&threads);
    sri_values_free(&path);
    return st;
}
