/* Outputs with a coupling A = sum_j a_j u_j u_j', every row having all of them.  In the basis of
 * the u_j the problem with Gamma = k A falls apart into scalar ones with the kernels a_j k: an
 * engine gets Y U and the a_j, and what it finds is rotated back.  Coefficients are those of
 * Gamma, so that f = K alpha A. */
#include "backend/blas.h"
#include "engine/adapter.h"

struct sri_adapter {
    const sri_coupling *coupling;
    int64_t n, repeats, terms;                                 /* unpenalised terms */
    double *Y;                                                 /* n x T             */
    double *alpha, *residual, *loo_residual, *held_out, *beta; /* as in a point */
};

/* out = in U' for `rows` rows of T numbers in the basis of the u_j. */
static const double *rotate_back(const sri_adapter *a, int64_t rows, const double *in, double *out)
{
    const sri_coupling *c = a->coupling;
    if (!in)
        return NULL;
    sri_gemm(false, false, rows, c->T, c->T, 1, in, c->T, c->U, c->T, 0, out, c->T);
    return out;
}

static specreg_status enter(specreg_context *ctx, sri_job *job, sri_arena *memory,
                            sri_adapter **out)
{
    specreg_status st = SPECREG_OK;
    const sri_coupling *c = job->problem.coupling;
    const sri_op *op = job->problem.op;
    const int64_t n = op->n, T = job->problem.T;
    sri_adapter *a;
    if (!c)
        return st;
    SRI_SCRATCH(ctx, memory, a, 1, 1);
    *a = (sri_adapter){.coupling = c, .n = n, .terms = op->projection ? op->projection->l : 0};
    a->repeats = sri_job_repeats(job);
    SRI_SCRATCH_EACH(ctx, memory, n, T, &a->Y, &a->residual);
    SRI_SCRATCH(ctx, memory, a->alpha, op->centres.n, T);
    SRI_SCRATCH(ctx, memory, a->loo_residual, sri_job_needs(job, SRI_NEED_LEVERAGE) ? n : 0, T);
    SRI_SCRATCH(ctx, memory, a->held_out, a->repeats * n, T);
    SRI_SCRATCH(ctx, memory, a->beta, a->terms, T);
    sri_gemm(false, true, n, T, T, 1, job->problem.Y, T, c->U, T, 0, a->Y, T);
    job->problem.Y = a->Y;
    job->problem.coupling = NULL;
    job->problem.scale = c->a;
    *out = a;
done:
    return st;
}

static specreg_status leave(specreg_context *ctx, sri_adapter *a, sri_path_point *point)
{
    (void)ctx;
    point->slope = NULL; /* of another basis */
    point->alpha = rotate_back(a, point->n_centres, point->alpha, a->alpha);
    point->residual = rotate_back(a, a->n, point->residual, a->residual);
    point->beta = rotate_back(a, a->terms, point->beta, a->beta);
    point->loo_residual = rotate_back(a, a->n, point->loo_residual, a->loo_residual);
    point->fold_residual = rotate_back(a, a->n * a->repeats, point->fold_residual, a->held_out);
    return SPECREG_OK;
}

const sri_adapter_ops sri_adapter_coupling = {
    .enter = enter,
    .leave = leave,
};
