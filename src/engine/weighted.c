/* Sample weights: with K~ = W^(1/2) K W^(1/2) and Y~ = W^(1/2) Y an engine finds alpha~ and its
 * residual; alpha = W^(1/2) alpha~ are the coefficients of f, and W^(-1/2) turns the residuals
 * (also those of held-out rows) back into those of Y. */
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "engine/engine.h"

typedef struct unweight {
    sri_sink base;
    sri_sink *to;
    int64_t n, T, repeats;
    double *root;                               /* n                 */
    double *alpha, *residual, *left_out, *held; /* as in a point */
} unweight;

/* out = in with each row of T multiplied by root, or divided by it. */
static void scale_rows(const unweight *u, const double *in, bool divide, double *out)
{
    for (int64_t i = 0; i < u->n; i++)
        for (int64_t t = 0; t < u->T; t++) {
            const int64_t k = i * u->T + t;
            out[k] = divide ? in[k] / u->root[i] : in[k] * u->root[i];
        }
}

static specreg_status unweight_put(specreg_context *ctx, sri_sink *self,
                                   const sri_path_point *point)
{
    unweight *u = (unweight *)self;
    const int64_t size = u->n * u->T;
    sri_path_point out = *point;
    if (point->alpha) {
        scale_rows(u, point->alpha, false, u->alpha);
        scale_rows(u, point->residual, true, u->residual);
        out.alpha = u->alpha;
        out.residual = u->residual;
    }
    if (point->left_out) {
        scale_rows(u, point->left_out, true, u->left_out);
        out.left_out = u->left_out;
    }
    for (int64_t r = 0; point->fold_residual && r < u->repeats; r++)
        scale_rows(u, point->fold_residual + r * size, true, u->held + r * size);
    out.fold_residual = point->fold_residual ? u->held : NULL;
    return u->to->put(ctx, u->to, &out);
}

static bool unweight_enough(const sri_sink *self)
{
    const sri_sink *to = ((const unweight *)self)->to;
    return to->enough && to->enough(to);
}

specreg_status sri_engine_run(specreg_context *ctx, const sri_engine *engine, const sri_job *job,
                              sri_sink *sink, sri_report *report)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = job->op->n, T = job->T;
    unweight u = {.base = {unweight_put, unweight_enough},
                  .to = sink,
                  .n = n,
                  .T = T,
                  .repeats = job->repeats};
    double *Y = NULL;
    sri_job scaled = *job;
    if (job->coupling)
        return sri_coupled_run(ctx, engine, job, sink, report);
    if (!job->op->weight)
        return sri_projected_run(ctx, engine, job, sink, report);
    SRI_ALLOC(ctx, u.root, n, 1);
    SRI_ALLOC(ctx, u.alpha, n, T);
    SRI_ALLOC(ctx, u.residual, n, T);
    SRI_ALLOC(ctx, u.left_out, job->scale ? n : 0, T);
    SRI_ALLOC(ctx, u.held, job->need & SRI_NEED_FOLDS ? job->repeats * n : 0, T);
    SRI_ALLOC(ctx, Y, n, T);
    for (int64_t i = 0; i < n; i++)
        u.root[i] = sqrt(job->op->weight[i]);
    scale_rows(&u, job->Y, false, Y);
    scaled.Y = Y;
    SRI_TRY(sri_projected_run(ctx, engine, &scaled, &u.base, report));
done:
    free(Y);
    free(u.held);
    free(u.left_out);
    free(u.residual);
    free(u.alpha);
    free(u.root);
    return st;
}
