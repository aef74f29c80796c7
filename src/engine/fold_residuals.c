/* With C = (K + mu I)^{-1}, mu = n_train lambda, the predictor trained without a fold F on any
 * right side b (its rows F do not matter) has the coefficients
 *     a = C b - C_.F z,   z = (C_FF)^{-1} (C b)_F,
 * which are 0 in F, and b_F - z is what it says there.  So with b = Y the residuals on F are z,
 * exactly, whatever the fold; iterated Tikhonov goes on with b = Y + mu a outside F, b_F = Y_F.
 *
 * From the decomposition C = V' diag(d) V, d_j = 1 / (n s_j + mu): C_FF = B B' with
 * B = V_F' diag(sqrt d), one product and one small Cholesky per fold and lambda.  In the basis of
 * the eigenvectors b is Vb, C_.F z is d o (V_F z); only iterating leaves it, and does so for a
 * group of lambdas at once.
 *
 * With unpenalised terms C is the corner of the inverse of [K + mu I, P; P', 0],
 * which has only the pairs outside these terms, and all of this holds. */
#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/factor.h"
#include "core/arena.h"
#include "engine/spectrum.h"

enum { GROUP = 8 };

typedef struct fold_work {
    sri_arena scratch;
    const sri_job *job;
    const double *V, *s, *VY;
    int64_t pairs;   /* rows of V                                                 */
    int64_t width;   /* lambdas in a group                                        */
    int64_t m, *row; /* the fold's rows                                           */
    double mass;     /* of the rows that train                                    */
    double *VF;      /* m x pairs: column j is eigenvector j in the fold's rows   */
    double *B;       /* m x pairs                                                 */
    double *C;       /* width of m x m: Cholesky factors of C_FF                  */
    bool *failed;    /* width: C_FF is singular to rounding                       */
    double *d;       /* width x pairs                                             */
    double *Vb;      /* pairs x (width T)                                         */
    double *G;       /* pairs x (width T): d o (Vb - V_F z)                       */
    double *a;       /* n x (width T): the coefficients                           */
    double *z;       /* m x T                                                     */
    double *db;      /* pairs x T                                                 */
} fold_work;

static specreg_status work_new(specreg_context *ctx, const sri_job *job, int64_t fold,
                               const sri_spectrum *sp, fold_work *w)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = sp->n, q = sp->m, T = job->problem.T;
    const bool iterated = !sri_filter_is_plain(job->path.filter);
    *w = (fold_work){.job = job,
                     .V = sp->V,
                     .s = sp->s,
                     .VY = sp->VY,
                     .pairs = q,
                     .width = iterated ? GROUP : 1};
    w->mass = sri_job_mass(job, fold);
    SRI_SCRATCH(ctx, &w->scratch, w->row, n, 1);
    for (int64_t i = 0; i < n; i++)
        if (sri_fold_holds(sri_job_fold(job, fold), i))
            w->row[w->m++] = i;
    SRI_SCRATCH_EACH(ctx, &w->scratch, w->m, q, &w->VF, &w->B);
    SRI_SCRATCH(ctx, &w->scratch, w->C, w->width * w->m, w->m);
    SRI_SCRATCH(ctx, &w->scratch, w->failed, w->width, 1);
    SRI_SCRATCH(ctx, &w->scratch, w->d, w->width, q);
    SRI_SCRATCH(ctx, &w->scratch, w->Vb, q, w->width * T);
    SRI_SCRATCH(ctx, &w->scratch, w->G, q, iterated ? w->width * T : 0);
    SRI_SCRATCH(ctx, &w->scratch, w->a, n, iterated ? w->width * T : 0);
    SRI_SCRATCH(ctx, &w->scratch, w->z, w->m, T);
    SRI_SCRATCH(ctx, &w->scratch, w->db, q, T);
    for (int64_t j = 0; j < q; j++)
        for (int64_t r = 0; r < w->m; r++)
            w->VF[r * q + j] = sp->V[j * n + w->row[r]];
done:
    return st;
}

/* d and the factor of C_FF for lambda number k of the group. */
static specreg_status factor(specreg_context *ctx, fold_work *w, int64_t k, double mu)
{
    const sri_op *op = w->job->problem.op;
    const int64_t q = w->pairs, m = w->m;
    double *d = w->d + k * q, *C = w->C + k * m * m;
    int64_t failed_at;
    for (int64_t j = 0; j < q; j++)
        d[j] = 1 / (op->mass * w->s[j] + mu);
    for (int64_t r = 0; r < m; r++)
        for (int64_t j = 0; j < q; j++)
            w->B[r * q + j] = w->VF[r * q + j] * sqrt(d[j]);
    sri_syrk(m, q, w->B, C);
    SRI_CALL(sri_cholesky(ctx, m, C, &failed_at));
    w->failed[k] = failed_at != 0;
    return SPECREG_OK;
}

/* z = (C_FF)^{-1} (C b)_F for lambda number k of a group of c. */
static specreg_status solve_fold(specreg_context *ctx, fold_work *w, int64_t k, int64_t c)
{
    const int64_t q = w->pairs, T = w->job->problem.T, m = w->m;
    for (int64_t j = 0; j < q; j++)
        for (int64_t t = 0; t < T; t++)
            w->db[j * T + t] = w->d[k * q + j] * w->Vb[(j * c + k) * T + t];
    sri_gemm(false, false, m, T, q, 1, w->VF, q, w->db, T, 0, w->z, T);
    if (!w->failed[k])
        SRI_CALL(sri_cholesky_solve(ctx, m, T, w->C + k * m * m, w->z));
    return SPECREG_OK;
}

/* Column block k of G = d o (Vb - V_F z). */
static void step_back(fold_work *w, int64_t k, int64_t c)
{
    const int64_t q = w->pairs, T = w->job->problem.T;
    sri_gemm(true, false, q, T, w->m, 1, w->VF, q, w->z, T, 0, w->db, T);
    for (int64_t j = 0; j < q; j++)
        for (int64_t t = 0; t < T; t++)
            w->G[(j * c + k) * T + t] =
                w->d[k * q + j] * (w->Vb[(j * c + k) * T + t] - w->db[j * T + t]);
}

/* The next right sides: Vb = V (Y + mu a), a = V'G outside the fold. */
static void next_right_side(fold_work *w, const sri_systems *of, int64_t c)
{
    const int64_t n = w->job->problem.op->n, q = w->pairs, T = w->job->problem.T, columns = c * T;
    sri_gemm(true, false, n, columns, q, 1, w->V, n, w->G, columns, 0, w->a, columns);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < columns; k++)
            w->a[i * columns + k] *= w->mass * of[k / T].lambda;
    for (int64_t r = 0; r < w->m; r++)
        memset(w->a + w->row[r] * columns, 0, (size_t)columns * sizeof *w->a);
    for (int64_t j = 0; j < q; j++)
        for (int64_t k = 0; k < columns; k++)
            w->Vb[j * columns + k] = w->VY[j * T + k % T];
    sri_gemm(false, false, q, columns, n, 1, w->V, n, w->a, columns, 1, w->Vb, columns);
}

/* Residuals of the fold at c points; those of point k go to out + k * stride, in the fold's rows
 * of n x T. */
static specreg_status run_group(specreg_context *ctx, fold_work *w, const double *param, int64_t c,
                                double *out, int64_t stride)
{
    const int64_t T = w->job->problem.T;
    const sri_filter *filter = w->job->path.filter;
    sri_systems of[GROUP];
    int most = 0;
    for (int64_t k = 0; k < c; k++) {
        of[k] = filter->ops->resolvents(filter, param[k]);
        most = of[k].order > most ? of[k].order : most;
        SRI_CALL(factor(ctx, w, k, w->mass * of[k].lambda));
        for (int64_t j = 0; j < w->pairs; j++)
            memcpy(w->Vb + (j * c + k) * T, w->VY + j * T, (size_t)T * sizeof *w->Vb);
    }
    for (int i = 1; i <= most; i++) {
        for (int64_t k = 0; k < c; k++) {
            SRI_CALL(solve_fold(ctx, w, k, c));
            if (i < most)
                step_back(w, k, c);
            for (int64_t r = 0; i == of[k].order && r < w->m; r++)
                for (int64_t t = 0; t < T; t++)
                    out[k * stride + w->row[r] * T + t] = w->failed[k] ? NAN : w->z[r * T + t];
        }
        if (i < most)
            next_right_side(w, of, c);
    }
    return SPECREG_OK;
}

specreg_status sri_fold_residuals(specreg_context *ctx, const sri_job *job, const sri_spectrum *sp,
                                  double *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t size = job->problem.op->n * job->problem.T,
                  stride = size * job->problem.folds.repeats;
    fold_work w = {0};
    for (int64_t fold = 0; fold < sri_job_folds(job); fold++) {
        double *to = out + fold / job->problem.folds.per_repeat * size;
        SRI_TRY(work_new(ctx, job, fold, sp, &w));
        for (int64_t first = 0; first < job->path.count && w.m; first += w.width) {
            const int64_t c = sri_job_points(job, first, w.width);
            SRI_TRY(run_group(ctx, &w, job->path.param + first, c, to + first * stride, stride));
        }
        SRI_TRY(sri_poll(ctx));
        sri_arena_free(&w.scratch);
    }
done:
    sri_arena_free(&w.scratch);
    return st;
}
