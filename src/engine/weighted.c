/* Sample weights: with K~ = W^(1/2) K W^(1/2) and Y~ = W^(1/2) Y an engine finds alpha~ and its
 * residual; alpha = W^(1/2) alpha~ are the coefficients of f, and W^(-1/2) turns the residuals
 * (also the held-out ones) back into those of Y. */
#include <math.h>

#include "engine/adapter.h"

struct sri_adapter {
    int64_t n, T, repeats;
    double *root;                                       /* n     */
    double *Y;                                          /* n x T */
    double *alpha, *residual, *loo_residual, *held_out; /* as in a point */
};

/* out = in with each row of T multiplied by root, or divided by it. */
static const double *scale_rows(const sri_adapter *a, const double *in, bool divide, double *out)
{
    for (int64_t i = 0; in && i < a->n; i++)
        for (int64_t t = 0; t < a->T; t++) {
            const int64_t k = i * a->T + t;
            out[k] = divide ? in[k] / a->root[i] : in[k] * a->root[i];
        }
    return in ? out : NULL;
}

static specreg_status enter(specreg_context *ctx, sri_job *job, sri_arena *memory,
                            sri_adapter **out)
{
    specreg_status st = SPECREG_OK;
    const sri_op *op = job->problem.op;
    const int64_t n = op->n, T = job->problem.T;
    sri_adapter *a;
    if (!op->weight)
        return st;
    SRI_SCRATCH(ctx, memory, a, 1, 1);
    *a = (sri_adapter){.n = n, .T = T, .repeats = sri_job_repeats(job)};
    SRI_SCRATCH(ctx, memory, a->root, n, 1);
    SRI_SCRATCH_EACH(ctx, memory, n, T, &a->Y, &a->alpha, &a->residual);
    SRI_SCRATCH(ctx, memory, a->loo_residual, job->problem.scale ? n : 0, T);
    SRI_SCRATCH(ctx, memory, a->held_out, a->repeats * n, T);
    for (int64_t i = 0; i < n; i++)
        a->root[i] = sqrt(op->weight[i]);
    job->problem.Y = scale_rows(a, job->problem.Y, false, a->Y);
    *out = a;
done:
    return st;
}

static specreg_status leave(specreg_context *ctx, sri_adapter *a, sri_path_point *point)
{
    (void)ctx;
    const int64_t size = a->n * a->T;
    const double *held_out = point->fold_residual;
    point->alpha = scale_rows(a, point->alpha, false, a->alpha);
    point->residual = scale_rows(a, point->residual, true, a->residual);
    point->loo_residual = scale_rows(a, point->loo_residual, true, a->loo_residual);
    for (int64_t r = 0; held_out && r < a->repeats; r++)
        scale_rows(a, held_out + r * size, true, a->held_out + r * size);
    point->fold_residual = held_out ? a->held_out : NULL;
    return SPECREG_OK;
}

const sri_adapter_ops sri_adapter_weights = {
    .enter = enter,
    .leave = leave,
};
