/* Outputs with operators scale_t K from one decomposition of K: those with the same scale are a
 * problem of their own, with the eigenvalues scale_t s_j.  Their points are put together again,
 * a few at a time.  Eigenpairs of unpenalised terms are left out, so that leverages need no
 * correction. */
#include <string.h>

#include "core/arena.h"
#include "engine/fold_residuals.h"
#include "engine/spectrum.h"

enum { CHUNK = 16 };

typedef struct gather { /* points of some outputs into those of all */
    sri_sink base;
    const sri_job *job;                             /* of all outputs                    */
    const int64_t *output;                          /* which ones these are           */
    int64_t T;                                      /* how many                       */
    int64_t first;                                  /* the first point of the chunk   */
    double *alpha, *residual, *loo_residual, *held; /* of a chunk, of all outputs */
    double *df;                                     /* their sum over the outputs     */
} gather;

static void scatter(const gather *g, int64_t rows, const double *from, double *to)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t t = 0; t < g->T; t++)
            to[i * g->job->problem.T + g->output[t]] = from[i * g->T + t];
}

static specreg_status gather_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    gather *g = (gather *)self;
    const sri_job *job = g->job;
    const int64_t n = job->problem.op->n, size = n * job->problem.T, k = point->index;
    scatter(g, n, point->alpha, g->alpha + k * size);
    scatter(g, n, point->residual, g->residual + k * size);
    for (int64_t i = 0; point->one_minus_h && i < n; i++)
        for (int64_t t = 0; t < g->T; t++)
            g->loo_residual[k * size + i * job->problem.T + g->output[t]] =
                point->residual[i * g->T + t] / point->one_minus_h[i];
    if (point->fold_residual)
        scatter(g, n * job->problem.folds.repeats, point->fold_residual,
                g->held + k * size * job->problem.folds.repeats);
    g->df[k] += point->df * (double)g->T;
    return SPECREG_OK;
}

/* The outputs with the scale `a` along `count` points. */
static specreg_status run_scale(specreg_context *ctx, const sri_spectrum *sp, double a,
                                int64_t count, gather *g)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const sri_job *job = g->job;
    const int64_t n = sp->n, m = sp->m, T = g->T;
    sri_spectrum own = {.n = n, .m = m, .V = sp->V, .noise = a * sp->noise};
    double *Y, *held = NULL;
    sri_job some = *job;
    SRI_SCRATCH(ctx, &scratch, Y, n, T);
    SRI_SCRATCH(ctx, &scratch, own.s, m, 1);
    SRI_SCRATCH(ctx, &scratch, own.VY, m, T);
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < T; t++)
            Y[i * T + t] = job->problem.Y[i * job->problem.T + g->output[t]];
    for (int64_t j = 0; j < m; j++) {
        own.s[j] = a * sp->s[j];
        for (int64_t t = 0; t < T; t++)
            own.VY[j * T + t] = sp->VY[j * job->problem.T + g->output[t]];
    }
    some.problem.Y = Y;
    some.problem.T = T;
    some.problem.scale = NULL;
    some.path.param = job->path.param + g->first;
    some.path.count = count;
    some.request.tolerance = 0;
    if (sri_job_needs(job, SRI_NEED_FOLDS)) {
        SRI_SCRATCH_ZERO(ctx, &scratch, held, count * n, T * job->problem.folds.repeats);
        SRI_TRY(sri_fold_residuals(ctx, &some, &own, held));
    }
    SRI_TRY(sri_spectrum_path(ctx, &some, &own, held, &g->base));
done:
    sri_arena_free(&scratch);
    return st;
}

/* The outputs not done before that have the scale of output t. */
static int64_t alike(const sri_job *job, int64_t t, int64_t *output)
{
    int64_t count = 0;
    for (int64_t k = 0; k < job->problem.T; k++)
        if (job->problem.scale[k] == job->problem.scale[t]) {
            if (k < t)
                return 0;
            output[count++] = k;
        }
    return count;
}

static specreg_status put_chunk(specreg_context *ctx, const gather *g, int64_t count,
                                sri_sink *sink)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = g->job;
    const int64_t size = job->problem.op->n * job->problem.T;
    for (int64_t k = 0; k < count; k++)
        SRI_TRY(
            sink->put(ctx, sink,
                      &(sri_path_point){.index = g->first + k,
                                        .param = job->path.param[g->first + k],
                                        .alpha = g->alpha + k * size,
                                        .residual = g->residual + k * size,
                                        .loo_residual = sri_job_needs(job, SRI_NEED_LEVERAGE)
                                                            ? g->loo_residual + k * size
                                                            : NULL,
                                        .df = g->df[k] / (double)job->problem.T,
                                        .fold_residual =
                                            sri_job_needs(job, SRI_NEED_FOLDS)
                                                ? g->held + k * size * job->problem.folds.repeats
                                                : NULL}));
done:
    return st;
}

specreg_status sri_spectrum_scaled(specreg_context *ctx, const sri_job *job, const sri_spectrum *sp,
                                   sri_sink *sink)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t width = job->path.count < CHUNK ? job->path.count : CHUNK,
                  size = job->problem.op->n * job->problem.T;
    const int64_t repeats = sri_job_needs(job, SRI_NEED_FOLDS) ? job->problem.folds.repeats : 0;
    int64_t *output;
    gather g = {.base = {.put = gather_put}, .job = job};
    SRI_SCRATCH(ctx, &scratch, output, job->problem.T, 1);
    SRI_SCRATCH(ctx, &scratch, g.alpha, width, size);
    SRI_SCRATCH(ctx, &scratch, g.residual, width, size);
    SRI_SCRATCH(ctx, &scratch, g.loo_residual, sri_job_needs(job, SRI_NEED_LEVERAGE) ? width : 0,
                size);
    SRI_SCRATCH(ctx, &scratch, g.held, width * repeats, size);
    SRI_SCRATCH(ctx, &scratch, g.df, width, 1);
    g.output = output;
    for (g.first = 0; g.first < job->path.count; g.first += width) {
        const int64_t left = job->path.count - g.first, count = left < width ? left : width;
        memset(g.df, 0, (size_t)width * sizeof *g.df);
        for (int64_t t = 0; t < job->problem.T; t++) {
            g.T = alike(job, t, output);
            if (g.T)
                SRI_TRY(run_scale(ctx, sp, job->problem.scale[t], count, &g));
        }
        SRI_TRY(put_chunk(ctx, &g, count, sink));
    }
done:
    sri_arena_free(&scratch);
    return st;
}
