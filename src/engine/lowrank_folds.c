/* K = B'B with B = (n S)^(1/2) V, m x n.  The matrix of the rows T that train is B_T'B_T, and
 * has the eigenvalues of the small matrix B_T B_T' = P' diag(n_T theta) P, m x m: the predictor
 * trained on them says of the others, F,
 *     f_F = K_FT (1/n_T) g(K_TT/n_T) Y_T = (P B_F)' (1/n_T) g(theta) P B_T Y_T.
 * One small decomposition per fold serves the whole path, whatever the filter.  Unpenalised
 * terms, fitted to the rows T, are taken out of the rows of B and of Y first. */
#include "engine/spectrum.h"

#include <float.h>
#include <math.h>

#include "backend/blas.h"
#include "backend/eigen.h"
#include "core/arena.h"

enum { GROUP_COLUMNS = 64 };

typedef struct predictor { /* without a fold */
    sri_arena scratch;
    const sri_job *job;
    const sri_spectrum *sp;
    double remaining; /* the trace of K less that of the pairs */
    double *out;      /* where the residuals of its repeat begin; points are `stride` apart */
    int64_t stride;
    int64_t n_train, n_held;
    int64_t *row;          /* n: those that train, then those that are held */
    double mass;           /* of those that train           */
    double *B;             /* m x n, columns in that order  */
    double *P, *theta;     /* m x m, m                      */
    double *PY;            /* m x T: P B_T Y_T              */
    double *PB;            /* m x n_held: P B_F             */
    double *param;         /* count                         */
    double *Y;             /* n x T in the order of the rows; then m x T */
    double *g, *r, *G, *F; /* a group of points        */
} predictor;

static specreg_status predictor_new(specreg_context *ctx, const sri_fold_projection *projection,
                                    int64_t number, predictor *p)
{
    const sri_job *job = p->job;
    const sri_spectrum *sp = p->sp;
    const int64_t n = sp->n, m = sp->m, T = job->problem.T;
    double *w, *b;
    SRI_ARENA_NEW(ctx, &p->scratch, p->row, n, 1);
    p->n_train = sri_job_divide(job, number, p->row);
    p->n_held = n - p->n_train;
    p->mass = sri_job_mass(job, number);
    SRI_ARENA_NEW(ctx, &p->scratch, p->B, m, n);
    SRI_ARENA_NEW(ctx, &p->scratch, p->P, m, m);
    SRI_ARENA_NEW(ctx, &p->scratch, p->theta, m, 1);
    SRI_ARENA_NEW(ctx, &p->scratch, p->PY, m, T);
    SRI_ARENA_NEW(ctx, &p->scratch, p->PB, m, p->n_held);
    SRI_ARENA_NEW(ctx, &p->scratch, p->param, job->path.count, 1);
    SRI_ARENA_NEW(ctx, &p->scratch, p->Y, n + m, T);
    SRI_ARENA_NEW(ctx, &p->scratch, w, n, 1);
    SRI_ARENA_NEW(ctx, &p->scratch, b, projection ? projection->p->l : 0, 1);
    for (int64_t j = 0; j < m; j++) {
        const double root = sqrt(job->problem.op->mass * sp->s[j]);
        for (int64_t i = 0; i < n; i++)
            w[i] = root * sp->V[j * n + i];
        if (projection)
            sri_fold_project(projection, w, 1, b);
        for (int64_t i = 0; i < n; i++)
            p->B[j * n + i] = w[p->row[i]];
    }
    for (int64_t t = 0; t < T; t++) {
        for (int64_t i = 0; i < n; i++)
            w[i] = job->problem.Y[i * T + t];
        if (projection)
            sri_fold_project(projection, w, 1, b);
        for (int64_t i = 0; i < n; i++)
            p->Y[i * T + t] = w[p->row[i]];
    }
    return SPECREG_OK;
}

/* theta, P B_F and P B_T Y_T. */
static specreg_status decompose(specreg_context *ctx, predictor *p)
{
    const sri_spectrum *sp = p->sp;
    const int64_t n = sp->n, m = sp->m, T = p->job->problem.T;
    double *BY = p->Y + n * T;
    sri_gemm(false, true, m, m, p->n_train, 1, p->B, n, p->B, n, 0, p->P, m);
    SRI_CALL(sri_eigen(ctx, m, p->P, p->theta, true));
    for (int64_t j = 0; j < m; j++)
        p->theta[j] = fmax(0, p->theta[j]) / p->mass;
    sri_gemm(false, false, m, T, p->n_train, 1, p->B, n, p->Y, T, 0, BY, T);
    sri_gemm(false, false, m, T, m, 1, p->P, m, BY, T, 0, p->PY, T);
    sri_gemm(false, false, m, p->n_held, m, 1, p->P, m, p->B + p->n_train, n, 0, p->PB, p->n_held);
    const sri_spectrum own = {.n = sp->n,
                              .m = m,
                              .s = p->theta,
                              .noise = fmax((double)p->n_train * DBL_EPSILON * p->theta[m - 1],
                                            p->remaining / p->mass)};
    return sri_spectrum_params(ctx, p->job, &own, p->param);
}

/* Residuals at c points, in the held-out rows of n x T. */
static void run_group(predictor *p, int64_t first, int64_t c)
{
    const sri_filter *filter = p->job->path.filter;
    const int64_t m = p->sp->m, T = p->job->problem.T;
    double *out = p->out + first * p->stride;
    for (int64_t j = 0; j < m; j++) {
        filter->ops->eval(filter, p->theta[j], p->param + first, c, p->g, p->r);
        for (int64_t k = 0; k < c; k++)
            for (int64_t t = 0; t < T; t++)
                p->G[(j * c + k) * T + t] = p->g[k] / p->mass * p->PY[j * T + t];
    }
    sri_gemm(true, false, p->n_held, c * T, m, 1, p->PB, p->n_held, p->G, c * T, 0, p->F, c * T);
    for (int64_t i = 0; i < p->n_held; i++)
        for (int64_t k = 0; k < c; k++)
            for (int64_t t = 0; t < T; t++)
                out[k * p->stride + p->row[p->n_train + i] * T + t] =
                    p->Y[(p->n_train + i) * T + t] - p->F[(i * c + k) * T + t];
}

static specreg_status run_predictor(specreg_context *ctx, predictor *p)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = p->job->problem.T, count = p->job->path.count;
    const int64_t width = sri_job_group(p->job, GROUP_COLUMNS);
    SRI_SCRATCH_EACH(ctx, &p->scratch, width, 1, &p->g, &p->r);
    SRI_SCRATCH(ctx, &p->scratch, p->G, p->sp->m, width * T);
    SRI_SCRATCH(ctx, &p->scratch, p->F, p->n_held, width * T);
    SRI_TRY(decompose(ctx, p));
    for (int64_t first = 0; first < count; first += width)
        run_group(p, first, sri_job_points(p->job, first, width));
done:
    return st;
}

specreg_status sri_lowrank_folds(specreg_context *ctx, const sri_job *job, const sri_spectrum *sp,
                                 double remaining, double *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t size = sp->n * job->problem.T;
    const predictor none = {.job = job,
                            .sp = sp,
                            .remaining = remaining,
                            .stride = size * job->problem.folds.repeats};
    predictor p = none;
    sri_fold_projection *projections = NULL;
    SRI_TRY(sri_job_projections_make(ctx, job, &projections));
    for (int64_t number = 0; number < sri_job_folds(job); number++) {
        p.out = out + number / job->problem.folds.per_repeat * size;
        SRI_TRY(predictor_new(ctx, sri_job_projection(job, projections, number), number, &p));
        if (p.n_train && p.n_held)
            SRI_TRY(run_predictor(ctx, &p));
        SRI_TRY(sri_poll(ctx));
        sri_arena_free(&p.scratch);
        p = none;
    }
done:
    sri_job_projections_free(job, projections);
    sri_arena_free(&p.scratch);
    return st;
}
