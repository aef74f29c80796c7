/* With C = (K + mu I)^{-1}, mu = n_train lambda and alpha = C Y, the residuals on a fold F of the
 * machine that was trained without it are
 *     (C_FF)^{-1} alpha_F,
 * exactly, whatever the fold.  From the decomposition C = V' diag(d) V, d_j = 1 / (n s_j + mu):
 * C_FF = B B' with B = V_F' diag(sqrt d), one product and one small Cholesky per fold and lambda. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/blas.h"
#include "core/memory.h"
#include "engine/fold_residuals.h"

typedef struct fold_work {
    int64_t m, *row; /* the fold's rows                */
    double *VF;      /* m x n: column j is eigenvector j in the fold's rows */
    double *B;       /* m x n                          */
    double *C;       /* m x m                          */
    double *x;       /* m x T                          */
    double *d;       /* n                              */
    double *dVY;     /* n x T                          */
} fold_work;

static void work_free(fold_work *w)
{
    free(w->dVY);
    free(w->d);
    free(w->x);
    free(w->C);
    free(w->B);
    free(w->VF);
    free(w->row);
}

static specreg_status work_new(specreg_context *ctx, const sri_job *job, int32_t fold,
                               const double *V, fold_work *w)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = job->op->n;
    *w = (fold_work){0};
    SRI_ALLOC(ctx, w->row, n, 1);
    for (int64_t i = 0; i < n; i++)
        if (job->fold[i] == fold)
            w->row[w->m++] = i;
    SRI_ALLOC(ctx, w->VF, w->m, n);
    SRI_ALLOC(ctx, w->B, w->m, n);
    SRI_ALLOC(ctx, w->C, w->m, w->m);
    SRI_ALLOC(ctx, w->x, w->m, job->T);
    SRI_ALLOC(ctx, w->d, n, 1);
    SRI_ALLOC(ctx, w->dVY, n, job->T);
    for (int64_t j = 0; j < n; j++)
        for (int64_t r = 0; r < w->m; r++)
            w->VF[r * n + j] = V[j * n + w->row[r]];
done:
    return st;
}

/* The residuals of one fold at one lambda, into its rows of `out` (n x T). */
static specreg_status fold_point(specreg_context *ctx, const sri_job *job, const double *s,
                                 const double *VY, double lambda, fold_work *w, double *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = job->op->n, T = job->T;
    const double mu = (double)(n - w->m) * lambda;
    int64_t failed_at;
    for (int64_t j = 0; j < n; j++) {
        const double d = 1 / ((double)n * s[j] + mu);
        w->d[j] = sqrt(d);
        for (int64_t t = 0; t < T; t++)
            w->dVY[j * T + t] = d * VY[j * T + t];
    }
    for (int64_t r = 0; r < w->m; r++)
        for (int64_t j = 0; j < n; j++)
            w->B[r * n + j] = w->VF[r * n + j] * w->d[j];
    sri_syrk(w->m, n, w->B, w->C);
    sri_gemm(false, false, w->m, T, n, 1, w->VF, n, w->dVY, T, 0, w->x, T);
    SRI_TRY(sri_cholesky(ctx, w->m, w->C, &failed_at));
    if (!failed_at)
        SRI_TRY(sri_cholesky_solve(ctx, w->m, T, w->C, w->x));
    for (int64_t r = 0; r < w->m; r++)
        for (int64_t t = 0; t < T; t++)
            out[w->row[r] * T + t] = failed_at ? NAN : w->x[r * T + t];
done:
    return st;
}

specreg_status sri_fold_residuals(specreg_context *ctx, const sri_job *job, const double *V,
                                  const double *s, const double *VY, double *out)
{
    specreg_status st = SPECREG_OK;
    fold_work w = {0};
    for (int32_t f = 0; f < job->folds; f++) {
        SRI_TRY(work_new(ctx, job, f, V, &w));
        for (int64_t i = 0; i < job->count && w.m; i++)
            SRI_TRY(fold_point(ctx, job, s, VY, job->param[i], &w, out + i * job->op->n * job->T));
        SRI_TRY(sri_poll(ctx));
        work_free(&w);
        w = (fold_work){0};
    }
done:
    work_free(&w);
    return st;
}
