/* Unpenalised terms (op/projection.h): an engine gets S Y and the operator S K S', with the
 * eigenvalue 0 for each term, and finds a with its residual S (Y - K S'a), which is that of the
 * problem itself.  From a come
 *     c    = S'a,
 *     beta = back D'(Y - K c)             the coefficients of the terms; K c = X w where the
 *                                         engine found slopes w, without the digits that sums of
 *                                         c_i x_i lose,
 *     1 - H_ii - (U D')_ii, df + l        leverages and degrees of freedom with the terms;
 *                                         r(s) of both where an engine gave them the eigenvalue s.
 * S'a is a again but for rounding where S is orthogonal; coefficients that P'c = 0 holds for are
 * what predictions rely on. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "engine/adapter.h"
#include "kernel/linear_map.h"

/* A row that the terms explain by itself, to rounding, cannot be left out. */
static const double ALONE = 1e-9;
static const double ROUNDING = 32 * DBL_EPSILON;

struct sri_adapter {
    sri_op *op;
    sri_arena *memory;
    const sri_projection *p;
    const sri_filter *filter;
    int64_t T;
    const double *scale;                    /* as in a problem                             */
    const double *KD;                       /* l x n; NULL: not known yet                  */
    double *XD;                             /* p x l: X'D of a linear kernel; likewise     */
    double *Y;                              /* n x T: S Y                                  */
    double *DY;                             /* l x T: D'Y                                  */
    double *alpha, *residual, *one_minus_h; /* as in a point                               */
    double *b, *beta;                       /* l x T                                       */
};

/* If the terms explain y to rounding, the rest becomes 0: with a small lambda it would be
 * fitted. */
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
    const sri_projection *p = job->problem.op->projection;
    for (int64_t i = 0; sri_job_needs(job, SRI_NEED_LEVERAGE) && i < p->n; i++)
        if (p->explained[i] > 1 - ALONE)
            return sri_fail(ctx, SPECREG_E_NUMERIC,
                            "features: without row %lld of those that train they depend on each "
                            "other: it cannot be left out (fewer features, or select kfold)",
                            (long long)i + 1);
    return SPECREG_OK;
}

static specreg_status enter(specreg_context *ctx, sri_job *job, sri_arena *memory,
                            sri_adapter **out)
{
    specreg_status st = SPECREG_OK;
    const sri_projection *p = job->problem.op->projection;
    const double *Y = job->problem.Y;
    const int64_t T = job->problem.T;
    sri_adapter *a;
    if (!p)
        return st;
    const int64_t n = p->n, l = p->l;
    SRI_TRY(check_rows(ctx, job));
    SRI_SCRATCH(ctx, memory, a, 1, 1);
    *a = (sri_adapter){.op = job->problem.op,
                       .memory = memory,
                       .p = p,
                       .filter = job->path.filter,
                       .T = T};
    a->scale = job->problem.scale;
    SRI_SCRATCH_EACH(ctx, memory, n, T, &a->Y, &a->alpha, &a->residual);
    SRI_SCRATCH_EACH(ctx, memory, l, T, &a->DY, &a->b, &a->beta);
    SRI_SCRATCH(ctx, memory, a->one_minus_h, n, 1);
    memcpy(a->Y, Y, (size_t)(n * T) * sizeof *Y);
    sri_gemm(false, false, l, T, n, 1, p->D, n, Y, T, 0, a->DY, T);
    SRI_TRY(sri_project(ctx, p, T, a->Y));
    for (int64_t t = 0; t < T; t++)
        drop_rounding(n, T, Y + t, a->Y + t);
    job->problem.Y = a->Y;
    *out = a;
done:
    return st;
}

/* b = D'K c from the coefficients c. */
static specreg_status explained_by_coefficients(specreg_context *ctx, sri_adapter *a)
{
    const int64_t n = a->p->n, l = a->p->l, T = a->T;
    if (!a->KD)
        SRI_CALL(sri_op_projected_rest(ctx, a->op, &a->KD));
    sri_gemm(false, false, l, T, n, 1, a->KD, n, a->alpha, T, 0, a->b, T);
    for (int64_t k = 0; a->scale && k < l * T; k++)
        a->b[k] *= a->scale[k % T];
    return SPECREG_OK;
}

static specreg_status find_products(specreg_context *ctx, sri_adapter *a)
{
    specreg_status st = SPECREG_OK;
    const sri_op *op = a->op;
    double *root = NULL; /* of the weights; NULL: all 1 */
    if (op->weight)
        SRI_ALLOC(ctx, root, op->n, 1);
    for (int64_t i = 0; root && i < op->n; i++)
        root[i] = sqrt(op->weight[i]);
    const sri_linear_map map = sri_linear_map_make(op->linear.points, 1, root);
    SRI_SCRATCH(ctx, a->memory, a->XD, map.p, a->p->l);
    SRI_TRY(sri_linear_back_rows(ctx, &map, a->p->l, a->p->D, a->XD));
done:
    sri_free(root);
    return st;
}

/* b = D'X w from the slopes w of a linear kernel. */
static specreg_status explained_by_slopes(specreg_context *ctx, sri_adapter *a,
                                          const sri_path_point *point)
{
    const int64_t l = a->p->l, T = a->T;
    if (!a->XD)
        SRI_CALL(find_products(ctx, a));
    sri_gemm(true, false, l, T, point->n_slopes, 1, a->XD, l, point->slope, T, 0, a->b, T);
    return SPECREG_OK;
}

static specreg_status find_beta(specreg_context *ctx, sri_adapter *a, const sri_path_point *point)
{
    const int64_t l = a->p->l, T = a->T;
    SRI_CALL(point->slope ? explained_by_slopes(ctx, a, point) : explained_by_coefficients(ctx, a));
    for (int64_t k = 0; k < l * T; k++)
        a->b[k] = a->DY[k] - a->b[k];
    sri_gemm(false, false, l, T, l, 1, a->p->back, l, a->b, T, 0, a->beta, T);
    return SPECREG_OK;
}

static specreg_status leave_coefficients(specreg_context *ctx, sri_adapter *a,
                                         sri_path_point *point)
{
    const size_t bytes = (size_t)(a->p->n * a->T) * sizeof *a->alpha;
    memcpy(a->alpha, point->alpha, bytes);
    memcpy(a->residual, point->residual, bytes);
    SRI_CALL(sri_project_back(ctx, a->p, a->T, a->alpha));
    SRI_CALL(sri_project(ctx, a->p, a->T, a->residual));
    SRI_CALL(find_beta(ctx, a, point));
    point->alpha = a->alpha;
    point->residual = a->residual;
    point->beta = a->beta;
    return SPECREG_OK;
}

static specreg_status leave(specreg_context *ctx, sri_adapter *a, sri_path_point *point)
{
    double g, r = 1; /* of the terms */
    if (point->alpha)
        SRI_CALL(leave_coefficients(ctx, a, point));
    if (point->raised > 0)
        a->filter->ops->eval(a->filter, point->raised, &point->param, 1, &g, &r);
    for (int64_t i = 0; point->one_minus_h && i < a->p->n; i++)
        a->one_minus_h[i] = point->one_minus_h[i] - r * a->p->explained[i];
    point->one_minus_h = point->one_minus_h ? a->one_minus_h : NULL;
    point->df += r * (double)a->p->l;
    return SPECREG_OK;
}

const sri_adapter_ops sri_adapter_projection = {
    .enter = enter,
    .leave = leave,
};
