/* Outputs that share a matrix A = sum_j a_j u_j u_j', every row having all of them.  In the
 * basis of the u_j the problem with Gamma = k A falls apart into scalar ones with the kernels
 * a_j k: an engine gets Y U and the a_j, and what it finds is turned back.  Coefficients are
 * those of Gamma, so that f = K alpha A. */
#include <stdlib.h>

#include "backend/blas.h"
#include "core/memory.h"
#include "engine/engine.h"

typedef struct turn_back {
    sri_sink base;
    sri_sink *to;
    const sri_coupling *coupling;
    int64_t n, repeats;
    double *alpha, *residual, *left_out, *held, *beta;
    int64_t features;
} turn_back;

/* out = in U' for `rows` rows of T numbers in the basis of the u_j. */
static const double *back(const sri_coupling *c, int64_t rows, const double *in, double *out)
{
    if (!in)
        return NULL;
    sri_gemm(false, false, rows, c->T, c->T, 1, in, c->T, c->U, c->T, 0, out, c->T);
    return out;
}

static specreg_status turn_back_put(specreg_context *ctx, sri_sink *self,
                                    const sri_path_point *point)
{
    turn_back *t = (turn_back *)self;
    sri_path_point out = *point;
    out.alpha = back(t->coupling, t->n, point->alpha, t->alpha);
    out.residual = back(t->coupling, t->n, point->residual, t->residual);
    out.beta = back(t->coupling, t->features, point->beta, t->beta);
    out.left_out = back(t->coupling, t->n, point->left_out, t->left_out);
    out.fold_residual = back(t->coupling, t->n * t->repeats, point->fold_residual, t->held);
    return t->to->put(ctx, t->to, &out);
}

static bool turn_back_enough(const sri_sink *self)
{
    const sri_sink *to = ((const turn_back *)self)->to;
    return to->enough && to->enough(to);
}

specreg_status sri_coupled_run(specreg_context *ctx, const sri_engine *engine, const sri_job *job,
                               sri_sink *sink, sri_report *report)
{
    specreg_status st = SPECREG_OK;
    const sri_coupling *c = job->coupling;
    const int64_t n = job->op->n, T = job->T;
    turn_back t = {.base = {turn_back_put, turn_back_enough},
                   .to = sink,
                   .coupling = c,
                   .n = n,
                   .features = job->op->projection ? job->op->projection->l : 0,
                   .repeats = job->need & SRI_NEED_FOLDS ? job->repeats : 0};
    sri_job turned = *job;
    double *Y = NULL;
    SRI_ALLOC(ctx, t.alpha, n, T);
    SRI_ALLOC(ctx, t.residual, n, T);
    SRI_ALLOC(ctx, t.left_out, job->need & SRI_NEED_SLACK ? n : 0, T);
    SRI_ALLOC(ctx, t.held, t.repeats * n, T);
    SRI_ALLOC(ctx, t.beta, t.features, T);
    SRI_ALLOC(ctx, Y, n, T);
    sri_gemm(false, true, n, T, T, 1, job->Y, T, c->U, T, 0, Y, T);
    turned.Y = Y;
    turned.coupling = NULL;
    turned.scale = c->a;
    SRI_TRY(sri_engine_run(ctx, engine, &turned, &t.base, report));
done:
    free(Y);
    free(t.beta);
    free(t.held);
    free(t.left_out);
    free(t.residual);
    free(t.alpha);
    return st;
}
