/* With K/n = V' S V for some pairs and 0 for the rest, every filter, parameter and output costs
 * O(nm):
 *     alpha    = (1/n) [V' g(S) VY + g(0) (Y - V'VY)]
 *     residual =        V' r(S) VY + r(0) (Y - V'VY)
 *     1 - H_ii = sum_j V_ji^2 r(s_j) + r(0) (1 - sum_j V_ji^2)
 * Points are done in groups, so that all three are matrix products. */
#include "engine/spectrum.h"

#include <float.h>
#include <math.h>

#include "backend/blas.h"
#include "core/arena.h"

enum { GROUP_COLUMNS = 64, SQUARE_ROWS = 128, PIECE = 256 };

void sri_spectrum_free(sri_spectrum *sp)
{
    double *const all[] = {sp->outside, sp->rest, sp->VY, sp->s, sp->V};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sri_free(all[i]);
    *sp = (sri_spectrum){0};
}

specreg_status sri_spectrum_project(specreg_context *ctx, const sri_job *job, sri_spectrum *sp)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = sp->n, m = sp->m, T = job->problem.T;
    SRI_ALLOC(ctx, sp->VY, m, T);
    sri_gemm(false, false, m, T, n, 1, sp->V, n, job->problem.Y, T, 0, sp->VY, T);
    if (m == n)
        goto done;
    SRI_ALLOC(ctx, sp->rest, n, T);
    SRI_ALLOC(ctx, sp->outside, n, 1);
    for (int64_t k = 0; k < n * T; k++)
        sp->rest[k] = job->problem.Y[k];
    sri_gemm(true, false, n, T, m, -1, sp->V, n, sp->VY, T, 1, sp->rest, T);
    for (int64_t i = 0; i < n; i++)
        sp->outside[i] = 1;
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = 0; i < n; i++)
            sp->outside[i] -= sp->V[j * n + i] * sp->V[j * n + i];
    for (int64_t i = 0; i < n; i++)
        sp->outside[i] = fmax(0, sp->outside[i]);
done:
    return st;
}

/* A cut-off divides by s, so eigenvalues that are rounding are never kept: thresholds stay
 * above the noise.  m components are a threshold just below the m-th eigenvalue, with those
 * equal to it. */
specreg_status sri_spectrum_params(specreg_context *ctx, const sri_job *job, const sri_spectrum *sp,
                                   double *param)
{
    for (int64_t i = 0; i < job->path.count; i++) {
        param[i] = job->path.param[i];
        if (!job->path.filter->ops->truncates)
            continue;
        if (job->path.filter->path == SRI_PATH_COMPONENTS) {
            if (param[i] > (double)sp->n)
                return sri_fail(ctx, SPECREG_E_ARG,
                                "param: components=%g, but there are only %lld training rows",
                                param[i], (long long)sp->n);
            const int64_t below = sp->m - (int64_t)param[i];
            param[i] = below < 0 ? 0 : sp->s[below] - sp->noise;
        }
        param[i] = param[i] > sp->noise ? param[i] : nextafter(sp->noise, INFINITY);
    }
    return SPECREG_OK;
}

bool sri_filter_amplifies(double g0, double noise)
{
    return fabs(g0) * noise > 1;
}

/* One run of an iteration from its first step serves many points of g(0). */
void sri_path_eval(const sri_path *path, double s, double noise, double *g, double *r)
{
    const sri_filter *filter = path->filter;
    double g0[PIECE], r0[PIECE];
    filter->ops->eval(filter, s, path->param, path->count, g, r);
    for (int64_t first = 0; s <= noise && first < path->count; first += PIECE) {
        const int64_t left = path->count - first, few = left < PIECE ? left : PIECE;
        filter->ops->eval(filter, 0, path->param + first, few, g0, r0);
        for (int64_t k = 0; k < few; k++)
            if (sri_filter_amplifies(g0[k], noise)) {
                g[first + k] = 0;
                r[first + k] = 1;
            }
    }
}

typedef struct group { /* some points of the path, and buffers for `width` of them */
    sri_arena scratch;
    const sri_job *job;
    const sri_spectrum *sp;
    int64_t first, count;
    const double *held_out;   /* of the whole path, or NULL                        */
    double *g, *r;            /* (m + 1) x width: filter values, last those at 0   */
    double *G;                /* m x (width T)                                     */
    double *alpha, *residual; /* n x (width T)                                     */
    double *one_minus_h;      /* n x width                                         */
    double *a1, *r1, *h1;     /* one point, contiguous                             */
} group;

static specreg_status group_new(specreg_context *ctx, int64_t width, group *w)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = w->sp->n, m = w->sp->m, T = w->job->problem.T;
    SRI_SCRATCH_EACH(ctx, &w->scratch, m + 1, width, &w->g, &w->r);
    SRI_SCRATCH(ctx, &w->scratch, w->G, m, width * T);
    SRI_SCRATCH_EACH(ctx, &w->scratch, n, width * T, &w->alpha, &w->residual);
    SRI_SCRATCH(ctx, &w->scratch, w->one_minus_h, n, width);
    SRI_SCRATCH_EACH(ctx, &w->scratch, n, T, &w->a1, &w->r1);
    SRI_SCRATCH(ctx, &w->scratch, w->h1, n, 1);
done:
    return st;
}

/* one_minus_h (n x c) = (V o V)' R + r(0) outside, a band of rows of V at a time. */
static specreg_status find_one_minus_h(specreg_context *ctx, const group *w)
{
    specreg_status st = SPECREG_OK;
    const sri_spectrum *sp = w->sp;
    const int64_t n = sp->n, m = sp->m, c = w->count;
    const double *R = w->r;
    double *square = NULL, *out = w->one_minus_h;
    SRI_ALLOC(ctx, square, SQUARE_ROWS, n);
    for (int64_t i = 0; sp->outside && i < n; i++)
        for (int64_t k = 0; k < c; k++)
            out[i * c + k] = R[m * c + k] * sp->outside[i];
    for (int64_t j0 = 0; j0 < m; j0 += SQUARE_ROWS) {
        const int64_t rows = m - j0 < SQUARE_ROWS ? m - j0 : SQUARE_ROWS;
        const double *v = sp->V + j0 * n;
        for (int64_t i = 0; i < rows * n; i++)
            square[i] = v[i] * v[i];
        sri_gemm(true, false, n, c, rows, 1, square, n, R + j0 * c, c, j0 > 0 || sp->outside, out,
                 c);
    }
done:
    sri_free(square);
    return st;
}

/* out (n x cT) = scale [V' diag(f_.,k) VY + f_k(0) rest] for every point k of the group. */
static void rotate_back(const group *w, const double *f, double scale, double *out)
{
    const sri_spectrum *sp = w->sp;
    const int64_t n = sp->n, m = sp->m, c = w->count, T = w->job->problem.T;
    for (int64_t j = 0; j < m; j++)
        for (int64_t k = 0; k < c; k++)
            for (int64_t t = 0; t < T; t++)
                w->G[(j * c + k) * T + t] = scale * f[j * c + k] * sp->VY[j * T + t];
    for (int64_t i = 0; sp->rest && i < n; i++)
        for (int64_t k = 0; k < c; k++)
            for (int64_t t = 0; t < T; t++)
                out[(i * c + k) * T + t] = scale * f[m * c + k] * sp->rest[i * T + t];
    sri_gemm(true, false, n, c * T, m, 1, sp->V, n, w->G, c * T, sp->rest != NULL, out, c * T);
}

static specreg_status put_point(specreg_context *ctx, const group *w, int64_t k, sri_sink *sink)
{
    const sri_job *job = w->job;
    const sri_spectrum *sp = w->sp;
    const int64_t n = sp->n, T = job->problem.T, c = w->count, at = w->first + k;
    const bool leverages = sri_job_needs(job, SRI_NEED_LEVERAGE);
    double trace = sp->m < n ? (double)(n - sp->m) * (1 - w->r[sp->m * c + k]) : 0;
    for (int64_t j = 0; j < sp->m; j++)
        trace += 1 - w->r[j * c + k];
    for (int64_t i = 0; i < n; i++) {
        for (int64_t t = 0; t < T; t++) {
            w->a1[i * T + t] = w->alpha[(i * c + k) * T + t];
            w->r1[i * T + t] = w->residual[(i * c + k) * T + t];
        }
        if (leverages)
            w->h1[i] = w->one_minus_h[i * c + k];
    }
    /* A rank that is good enough for a search is not for its winner. */
    const bool rough = job->request.tolerance > 0 && sp->rough;
    sri_path_point point = sri_job_point(job, at);
    point.alpha = rough ? NULL : w->a1;
    point.residual = rough ? NULL : w->r1;
    point.one_minus_h = leverages ? w->h1 : NULL;
    point.df = trace;
    point.fold_residual = sri_job_held_out_at(job, w->held_out, at);
    return sink->put(ctx, sink, &point);
}

/* Leaves out the eigenvalues that are rounding, at the points that would amplify them. */
static void drop_noise(const group *w)
{
    const sri_spectrum *sp = w->sp;
    const int64_t m = sp->m, c = w->count;
    const double noise = m ? (double)sp->n * DBL_EPSILON * sp->s[m - 1] : 0;
    for (int64_t k = 0; k < c; k++) {
        const bool drop = sri_filter_amplifies(w->g[m * c + k], noise);
        for (int64_t j = 0; drop && j <= m; j++)
            if (j == m || sp->s[j] <= noise) {
                w->g[j * c + k] = 0;
                w->r[j * c + k] = 1;
            }
    }
}

/* The points of a group; `param` are the parameters of the whole path as the filter sees them. */
static specreg_status run_group(specreg_context *ctx, const group *w, const double *param,
                                sri_sink *sink)
{
    const sri_spectrum *sp = w->sp;
    const sri_filter *filter = w->job->path.filter;
    const int64_t c = w->count;
    for (int64_t j = 0; j <= sp->m; j++)
        filter->ops->eval(filter, j < sp->m ? sp->s[j] : 0, param + w->first, c, w->g + j * c,
                          w->r + j * c);
    drop_noise(w);
    rotate_back(w, w->g, 1 / w->job->problem.op->mass, w->alpha);
    rotate_back(w, w->r, 1, w->residual);
    if (sri_job_needs(w->job, SRI_NEED_LEVERAGE))
        SRI_CALL(find_one_minus_h(ctx, w));
    for (int64_t k = 0; k < c; k++)
        SRI_CALL(put_point(ctx, w, k, sink));
    return SPECREG_OK;
}

specreg_status sri_spectrum_path(specreg_context *ctx, const sri_job *job, const sri_spectrum *sp,
                                 const double *held_out, sri_sink *sink)
{
    specreg_status st = SPECREG_OK;
    group w = {.job = job, .sp = sp, .held_out = held_out};
    double *param;
    const int64_t width = sri_job_group(job, GROUP_COLUMNS);
    SRI_SCRATCH(ctx, &w.scratch, param, job->path.count, 1);
    SRI_TRY(sri_spectrum_params(ctx, job, sp, param));
    SRI_TRY(group_new(ctx, width, &w));
    for (; w.first < job->path.count; w.first += width) {
        w.count = sri_job_points(job, w.first, width);
        SRI_TRY(run_group(ctx, &w, param, sink));
        SRI_TRY(sri_poll(ctx));
    }
done:
    sri_arena_free(&w.scratch);
    return st;
}
