/* Features that are not penalised (op/projection.h): an engine gets S Y and the operator S K S',
 * and finds a with its residual S (Y - K S'a), which is that of the whole.  From a come
 *     c    = S'a,
 *     beta = back D'(Y - K c)             the coefficients of the features,
 *     1 - H_ii - (U D')_ii, df + l        leverages and degrees of freedom with the features;
 *                                         r(s) of both where an engine gave them the eigenvalue s.
 * S'a is a again but for rounding where S is orthogonal; coefficients that P'c = 0 holds for are
 * what predictions rely on. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/blas.h"
#include "core/memory.h"
#include "engine/engine.h"

/* A row that features explain by itself, to rounding, cannot be left out. */
static const double ALONE = 1e-9;
static const double ROUNDING = 32 * DBL_EPSILON;

typedef struct whole {
    sri_sink base;
    sri_sink *to;
    const sri_job *job; /* with Y as it was                    */
    const sri_projection *p;
    const double *KD;                 /* l x n                               */
    double *DY;                       /* l x T: D'Y                          */
    double *alpha, *residual, *slack; /* as in a point          */
    double *b, *beta;                 /* l x T                               */
} whole;

static void find_beta(whole *w)
{
    const int64_t n = w->p->n, l = w->p->l, T = w->job->T;
    sri_gemm(false, false, l, T, n, 1, w->KD, n, w->alpha, T, 0, w->b, T);
    for (int64_t k = 0; k < l * T; k++)
        w->b[k] = w->DY[k] - (w->job->scale ? w->job->scale[k % T] : 1) * w->b[k];
    sri_gemm(false, false, l, T, l, 1, w->p->back, l, w->b, T, 0, w->beta, T);
}

static specreg_status whole_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    specreg_status st = SPECREG_OK;
    whole *w = (whole *)self;
    const int64_t n = w->p->n, T = w->job->T;
    sri_path_point out = *point;
    double g, r = 1; /* of the features */
    if (point->alpha) {
        if (!w->KD)
            SRI_TRY(sri_op_projected_rest(ctx, w->job->op, &w->KD));
        memcpy(w->alpha, point->alpha, (size_t)(n * T) * sizeof *w->alpha);
        memcpy(w->residual, point->residual, (size_t)(n * T) * sizeof *w->residual);
        SRI_TRY(sri_project_back(ctx, w->p, T, w->alpha));
        SRI_TRY(sri_project(ctx, w->p, T, w->residual));
        find_beta(w);
        out.alpha = w->alpha;
        out.residual = w->residual;
        out.beta = w->beta;
    }
    if (point->raised > 0)
        w->job->filter->ops->eval(w->job->filter, point->raised, &point->param, 1, &g, &r);
    for (int64_t i = 0; point->slack && i < n; i++)
        w->slack[i] = point->slack[i] - r * w->p->explained[i];
    out.slack = point->slack ? w->slack : NULL;
    out.df += r * (double)w->p->l;
    st = w->to->put(ctx, w->to, &out);
done:
    return st;
}

static bool whole_enough(const sri_sink *self)
{
    const sri_sink *to = ((const whole *)self)->to;
    return to->enough && to->enough(to);
}

/* What the features explain to rounding leaves nothing: rounding is not to be learned, which a
 * small lambda would make much of. */
static void drop_rounding(int64_t n, int64_t T, const double *before, double *after)
{
    double was = 0, is = 0;
    for (int64_t k = 0; k < n * T; k += T) {
        was = hypot(was, before[k]);
        is = hypot(is, after[k]);
    }
    for (int64_t k = 0; is <= ROUNDING * was && k < n * T; k += T)
        after[k] = 0;
}

static specreg_status check_rows(specreg_context *ctx, const sri_job *job)
{
    const sri_projection *p = job->op->projection;
    for (int64_t i = 0; job->need & SRI_NEED_SLACK && i < p->n; i++)
        if (p->explained[i] > 1 - ALONE)
            return sri_fail(ctx, SPECREG_E_NUMERIC,
                            "features: without row %lld of those that train they depend on each "
                            "other: it cannot be left out (fewer features, or select kfold)",
                            (long long)i + 1);
    return SPECREG_OK;
}

specreg_status sri_projected_run(specreg_context *ctx, const sri_engine *engine, const sri_job *job,
                                 sri_sink *sink, sri_report *report)
{
    specreg_status st = SPECREG_OK;
    const sri_projection *p = job->op->projection;
    if (!p)
        return engine->run(ctx, job, sink, report);
    const int64_t n = p->n, l = p->l, T = job->T;
    whole w = {.base = {whole_put, whole_enough}, .to = sink, .job = job, .p = p};
    sri_job rest = *job;
    double *Y = NULL;
    SRI_TRY(check_rows(ctx, job));
    SRI_ALLOC(ctx, Y, n, T);
    SRI_ALLOC(ctx, w.DY, l, T);
    SRI_ALLOC(ctx, w.alpha, n, T);
    SRI_ALLOC(ctx, w.residual, n, T);
    SRI_ALLOC(ctx, w.slack, n, 1);
    SRI_ALLOC(ctx, w.b, l, T);
    SRI_ALLOC(ctx, w.beta, l, T);
    memcpy(Y, job->Y, (size_t)(n * T) * sizeof *Y);
    sri_gemm(false, false, l, T, n, 1, p->D, n, Y, T, 0, w.DY, T);
    SRI_TRY(sri_project(ctx, p, T, Y));
    for (int64_t t = 0; t < T; t++)
        drop_rounding(n, T, job->Y + t, Y + t);
    rest.Y = Y;
    SRI_TRY(engine->run(ctx, &rest, &w.base, report));
done:
    free(w.beta);
    free(w.b);
    free(w.slack);
    free(w.residual);
    free(w.alpha);
    free(w.DY);
    free(Y);
    return st;
}

/* ------------------------------------------------------------------- folds */

specreg_status sri_job_features_make(specreg_context *ctx, const sri_job *job,
                                     sri_part_projection **out)
{
    specreg_status st = SPECREG_OK;
    const sri_projection *p = job->op->projection;
    *out = NULL;
    if (!p)
        return st;
    SRI_CALLOC(ctx, *out, sri_job_parts(job), 1);
    for (int64_t part = 0; part < sri_job_parts(job); part++)
        SRI_TRY(sri_part_projection_make(ctx, p, sri_job_folds(job, part), sri_job_fold(job, part),
                                         &(*out)[part]));
done:
    if (st != SPECREG_OK) {
        sri_job_features_free(job, *out);
        *out = NULL;
    }
    return st;
}

void sri_job_features_free(const sri_job *job, sri_part_projection *features)
{
    for (int64_t part = 0; features && part < sri_job_parts(job); part++)
        sri_part_projection_free(&features[part]);
    free(features);
}
