/* Full decomposition K/n = Q S Q'.  Once it is there, every filter, parameter and output costs
 * O(n^2):
 *     alpha    = (1/n) Q g(S) Q'Y
 *     residual =       Q r(S) Q'Y
 *     1 - H_ii =       sum_j Q_ij^2 r(s_j)
 * Points are done in groups, so that all three are matrix products.  Folds of Tikhonov, plain or
 * iterated, come without refits too: see fold_residuals.c. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "backend/cpu/blas.h"
#include "core/memory.h"
#include "engine/engine.h"
#include "engine/fold_residuals.h"

enum { GROUP_COLUMNS = 64, SQUARE_ROWS = 128 };

typedef struct spectrum {
    int64_t n;
    double *V;    /* row j: eigenvector j; n x n      */
    double *s;    /* eigenvalues of K/n, ascending    */
    double noise; /* below this an eigenvalue is rounding */
    double *VY;   /* V Y, n x T                       */
} spectrum;

static const char *refuses(const sri_job *job)
{
    if (sri_filter_nonlinear(job->filter))
        return "conjugate gradients depend on y, not on the spectrum alone";
    if (job->op->n > SRI_EIG_MAX)
        return "LAPACK's decomposition ends at 32,766 rows";
    if (job->need & SRI_NEED_FOLDS && !job->filter->ops->resolvents)
        return "only folds of Tikhonov, plain or iterated, follow from the decomposition of all rows";
    return NULL;
}

/* The sum over the parts of the squares of their sizes. */
static double held_squares(const sri_job *job)
{
    double sum = 0;
    for (int64_t part = 0; part < sri_job_parts(job); part++) {
        double m = 0;
        for (int64_t i = 0; i < job->op->n; i++)
            m += sri_job_folds(job, part)[i] == sri_job_fold(job, part);
        sum += m * m;
    }
    return sum;
}

/* dsyevd: half of the reduction to tridiagonal form passes over what is left of K for every column,
 * the rest are products at a good part of full speed; a group of points is two products, and one more
 * with the squares of V for leverages.  Filters that are recursions take a step for each value. */
static sri_cost cost(const sri_job *job)
{
    const double n = (double)job->op->n, columns = (double)(job->T * job->count);
    double folds = 0;
    if (job->need & SRI_NEED_FOLDS) {
        const double parts = (double)sri_job_parts(job);
        const double more = job->filter->ops->resolvents(job->filter) - 1;
        folds = (double)job->count * (1.8 * n * held_squares(job) +
                                      parts * n * n * (10 + 20 * more * (double)job->T));
    }
    const bool steps = job->filter->ops == &sri_filter_nu;
    const double slack = job->need & SRI_NEED_SLACK ? 3 * (double)job->count : 0;
    return (sri_cost){.flops = 5 * n * n * n + n * n * (5 * columns + slack) + folds,
                      .traffic = 4.0 / 3 * n * n * n,
                      .block = 8 * n * n,
                      .values = n * n / 2,
                      .scalar = 8 * n * n + 2 * n * columns +
                                (steps ? 8 * n * job->param[job->count - 1] : 0),
                      .regions = 6 * n,
                      .bytes = 8 * (3 * n * n + 8 * n * (double)job->T)};
}

static void spectrum_free(spectrum *sp)
{
    free(sp->VY);
    free(sp->s);
    free(sp->V);
}

static specreg_status decompose(specreg_context *ctx, const sri_job *job, spectrum *sp)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = sp->n = job->op->n;
    SRI_ALLOC(ctx, sp->V, n, n);
    SRI_ALLOC(ctx, sp->s, n, 1);
    SRI_ALLOC(ctx, sp->VY, n, job->T);
    SRI_TRY(sri_op_fill(ctx, job->op, false, sp->V));
    SRI_TRY(sri_poll(ctx));
    SRI_TRY(sri_eigen(ctx, n, sp->V, sp->s, true));
    SRI_TRY(sri_poll(ctx));
    const double top = sp->s[n - 1], bottom = sp->s[0];
    SRI_REQUIRE(ctx, bottom >= -1e-8 * fabs(top) * sqrt((double)n), SPECREG_E_NUMERIC,
                "the kernel matrix is not positive semi-definite: its eigenvalues go from %g to %g",
                bottom, top);
    for (int64_t j = 0; j < n; j++)
        sp->s[j] = sp->s[j] > 0 ? sp->s[j] / job->op->mass : 0;
    sp->noise = (double)n * DBL_EPSILON * sp->s[n - 1];
    sri_gemm(false, false, n, job->T, n, 1, sp->V, n, job->Y, job->T, 0, sp->VY, job->T);
done:
    return st;
}

/* tsvd divides by s, so eigenvalues that are rounding are never kept: thresholds stay above the
 * noise.  m components are a threshold just below the m-th eigenvalue, with those equal to it. */
static specreg_status thresholds(specreg_context *ctx, const sri_job *job, const spectrum *sp,
                                 double *param)
{
    for (int64_t i = 0; i < job->count; i++) {
        param[i] = job->param[i];
        if (job->filter->ops != &sri_filter_tsvd)
            continue;
        if (job->filter->path == SRI_PATH_COMPONENTS) {
            if (param[i] > (double)sp->n)
                return sri_fail(ctx, SPECREG_E_ARG,
                                "param: components=%g, but there are only %lld training rows",
                                param[i], (long long)sp->n);
            param[i] = sp->s[sp->n - (int64_t)param[i]] - sp->noise;
        }
        param[i] = param[i] > sp->noise ? param[i] : nextafter(sp->noise, INFINITY);
    }
    return SPECREG_OK;
}

/* slack (n x c) = (V o V)' R, a band of rows of V at a time. */
static specreg_status slack_group(specreg_context *ctx, const spectrum *sp, const double *R,
                                  int64_t c, double *slack)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = sp->n;
    double *square = NULL;
    SRI_ALLOC(ctx, square, SQUARE_ROWS, n);
    for (int64_t j0 = 0; j0 < n; j0 += SQUARE_ROWS) {
        const int64_t rows = n - j0 < SQUARE_ROWS ? n - j0 : SQUARE_ROWS;
        const double *v = sp->V + j0 * n;
        for (int64_t i = 0; i < rows * n; i++)
            square[i] = v[i] * v[i];
        sri_gemm(true, false, n, c, rows, 1, square, n, R + j0 * c, c, j0 > 0, slack, c);
    }
done:
    free(square);
    return st;
}

typedef struct group { /* buffers for `width` points */
    double *g, *r;     /* n x width: filter values   */
    double *G;         /* n x (width T)              */
    double *alpha, *residual; /* n x (width T)       */
    double *slack;     /* n x width                  */
    double *a1, *r1, *s1; /* one point, contiguous   */
} group;

static void group_free(group *w)
{
    double *const all[] = {w->s1, w->r1, w->a1, w->slack, w->residual, w->alpha, w->G, w->r, w->g};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static specreg_status group_new(specreg_context *ctx, int64_t n, int64_t T, int64_t width,
                                group *w)
{
    specreg_status st = SPECREG_OK;
    SRI_ALLOC(ctx, w->g, n, width);
    SRI_ALLOC(ctx, w->r, n, width);
    SRI_ALLOC(ctx, w->G, n, width * T);
    SRI_ALLOC(ctx, w->alpha, n, width * T);
    SRI_ALLOC(ctx, w->residual, n, width * T);
    SRI_ALLOC(ctx, w->slack, n, width);
    SRI_ALLOC(ctx, w->a1, n, T);
    SRI_ALLOC(ctx, w->r1, n, T);
    SRI_ALLOC(ctx, w->s1, n, 1);
done:
    return st;
}

/* out (n x cT) = scale Q diag(f_.,k) Q'Y for every point k of the group. */
static void rotate_back(const spectrum *sp, int64_t T, int64_t c, const double *f, double scale,
                        double *G, double *out)
{
    const int64_t n = sp->n;
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = 0; k < c; k++)
            for (int64_t t = 0; t < T; t++)
                G[(j * c + k) * T + t] = scale * f[j * c + k] * sp->VY[j * T + t];
    sri_gemm(true, false, n, c * T, n, 1, sp->V, n, G, c * T, 0, out, c * T);
}

static specreg_status put_point(specreg_context *ctx, const sri_job *job, const spectrum *sp,
                                group *w, int64_t first, int64_t c, int64_t k,
                                const double *held, sri_sink *sink)
{
    const int64_t n = sp->n, T = job->T, held_size = n * T * job->repeats;
    double trace = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t t = 0; t < T; t++) {
            w->a1[i * T + t] = w->alpha[(i * c + k) * T + t];
            w->r1[i * T + t] = w->residual[(i * c + k) * T + t];
        }
        if (job->need & SRI_NEED_SLACK)
            w->s1[i] = w->slack[i * c + k];
        trace += 1 - w->r[i * c + k];
    }
    return sink->put(ctx, sink,
                     &(sri_path_point){.index = first + k,
                                       .param = job->param[first + k],
                                       .alpha = w->a1,
                                       .residual = w->r1,
                                       .slack = job->need & SRI_NEED_SLACK ? w->s1 : NULL,
                                       .df = trace,
                                       .fold_residual = held ? held + (first + k) * held_size : NULL});
}

static specreg_status run_group(specreg_context *ctx, const sri_job *job, const spectrum *sp,
                                const double *param, const double *held, int64_t first, int64_t c,
                                group *w, sri_sink *sink)
{
    specreg_status st = SPECREG_OK;
    for (int64_t j = 0; j < sp->n; j++)
        job->filter->ops->eval(job->filter, sp->s[j], param + first, c, w->g + j * c,
                               w->r + j * c);
    rotate_back(sp, job->T, c, w->g, 1 / job->op->mass, w->G, w->alpha);
    rotate_back(sp, job->T, c, w->r, 1, w->G, w->residual);
    if (job->need & SRI_NEED_SLACK)
        SRI_TRY(slack_group(ctx, sp, w->r, c, w->slack));
    for (int64_t k = 0; k < c; k++)
        SRI_TRY(put_point(ctx, job, sp, w, first, c, k, held, sink));
done:
    return st;
}

static specreg_status run(specreg_context *ctx, const sri_job *job, sri_sink *sink,
                          sri_report *report)
{
    specreg_status st = SPECREG_OK;
    spectrum sp = {0};
    group w = {0};
    double *param = NULL, *held = NULL;
    int64_t width = GROUP_COLUMNS / job->T;
    width = width < 1 ? 1 : width < job->count ? width : job->count;
    SRI_ALLOC(ctx, param, job->count, 1);
    SRI_TRY(decompose(ctx, job, &sp));
    for (int64_t j = 0; j < sp.n; j++)
        report->rank += sp.s[j] > sp.noise;
    SRI_TRY(thresholds(ctx, job, &sp, param));
    SRI_TRY(group_new(ctx, sp.n, job->T, width, &w));
    if (job->need & SRI_NEED_FOLDS) {
        SRI_CALLOC(ctx, held, job->count * sp.n, job->T * job->repeats);
        SRI_TRY(sri_fold_residuals(ctx, job, sp.V, sp.s, sp.VY, held));
    }
    for (int64_t first = 0; first < job->count; first += width) {
        const int64_t c = job->count - first < width ? job->count - first : width;
        SRI_TRY(run_group(ctx, job, &sp, param, held, first, c, &w, sink));
        SRI_TRY(sri_poll(ctx));
    }
done:
    group_free(&w);
    spectrum_free(&sp);
    free(held);
    free(param);
    return st;
}

const sri_engine sri_engine_eig = {
    .name = "eig",
    .refuses = refuses,
    .cost = cost,
    .run = run,
};
