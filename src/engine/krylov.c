/* Krylov: Lanczos on K/n from each output y, the outputs' products taken together;
 *     g(K/n) y ~ |y| V_k g(T_k) e_1.
 * One run serves the whole path.  With c = |y| g(T_k) e_1 and alpha = V_k c / n,
 *     y - K alpha = V_k (|y| e_1 - T_k c) - b_k c_k v_{k+1}:
 * b_k |c_k| is the part of the residual that the space does not see (for Tikhonov the exact
 * residual of its linear system).  The run stops when it is below TOLERANCE |y| for every point,
 * or below what rounding lets it reach; polynomial filters of degree t are exact after t steps.
 * Folds are further columns of the same products, each with its fold's rows held out. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/blas.h"
#include "backend/cpu/vec.h"
#include "core/memory.h"
#include "engine/block_cg.h"
#include "engine/engine.h"
#include "engine/krylov_search.h"
#include "engine/krylov_space.h"
#include "engine/tall.h"
#include "op/rounded.h"

static const double TOLERANCE = 1e-12;
enum { FIRST_CHECK = 12, CHUNK = 16, SEARCH_STEPS = 110, LEAST_STEPS = 64 };

static bool is_polynomial(const sri_filter *f)
{
    return f->ops->recurrence || sri_filter_nonlinear(f);
}

static bool is_search(const sri_job *job)
{
    return job->tolerance > 0 && job->need & SRI_NEED_FOLDS && !sri_filter_nonlinear(job->filter);
}

/* A Krylov space is whole after as many steps: of a linear kernel the columns, and one. */
static double rank_bound(const sri_op *op)
{
    const double n = (double)op->n;
    if (!op->linear)
        return n;
    return fmin(n, 1 + (double)(op->linear->columns ? op->linear->columns->used : op->linear->p));
}

/* Observed on rbf, matern and laplace kernels of various widths: lambda = 10^-d takes 20, 70, 170
 * and 60 to 950 steps for d = 2, 4, 6, 8, and mostly no more than 0.6 n.  Iterations see less of
 * the spectrum: t = 10^d steps of Landweber take 4 d^2, of the nu-method 10 d^2.  A
 * search goes to a tolerance, and most of the time ends before the last point: with lambda it took 130
 * to 220 steps for a kernel on average, in 2, 8 and 20 dimensions. */
static double expected_steps(const sri_job *job)
{
    const double n = (double)job->op->n, last = job->param[job->count - 1];
    if (sri_filter_nonlinear(job->filter))
        return fmin(n, last);
    const double size = job->op->size > 0 && !is_polynomial(job->filter) ? job->op->size : 1;
    const double d = fmax(1, fabs(log10(last / size))), early = is_search(job) ? 0.6 : 1;
    if (is_polynomial(job->filter))
        return fmin(fmin(n, last), (job->filter->ops == &sri_filter_nu ? 10 : 4) * d * d * early);
    const double rank = rank_bound(job->op);
    if (is_search(job)) /* it ends long before the last point, and neighbours are alike */
        return fmin(rank, job->steps ? (double)job->steps : SEARCH_STEPS);
    return fmin(rank, fmin(0.6 * n, 6 * d * d * (1 + d * d / 100)));
}

/* Of block conjugate gradients, observed on the same kernels and on sparse rows: several outputs take six
 * tenths of the steps, and without a basis there are more of them the smaller lambda is. */
static double block_steps(const sri_job *job)
{
    const double n = (double)job->op->n, size = job->op->size > 0 ? job->op->size : 1;
    const double d = fmax(1, fabs(log10(job->param[0] / size)));
    const double alone = fmin(0.6 * n, 6 * d * d * (1 + d * d / 100));
    return (job->T > 1 ? 0.6 : 1) * alone * (1 + pow(d / 6, 4));
}

static double stored_bytes(const sri_job *job)
{
    const double n = (double)job->op->n;
    return job->op->entries == 0 && 8 * n * n <= (double)job->memory / 2 ? 8 * n * n : 0;
}

/* A basis grows by half; while it is copied, 2.5 k vectors of length n live. */
static double bytes_per_step(const sri_job *job)
{
    return 8 * 2.5 * (double)job->op->n * (double)sri_job_columns(job);
}

static int64_t step_limit(const sri_job *job)
{
    const double room = ((double)job->memory - stored_bytes(job)) / bytes_per_step(job);
    return (int64_t)fmin((double)job->op->n, fmax(50, room));
}

static const char *refuses(const sri_job *job)
{
    if (!job->filter->ops->smooth)
        return "a cut-off is not smooth, Krylov spaces do not serve it";
    if (job->need & ~(unsigned)SRI_NEED_FOLDS)
        return "Krylov spaces know neither leverages nor degrees of freedom";
    if (sri_job_differs(job) && sri_filter_nonlinear(job->filter))
        return "conjugate gradients see all outputs as one";
    if (job->need && job->filter->step_rule == SRI_STEP_NORM)
        return "each fold has a norm, and so a step, of its own";
    const int64_t limit = step_limit(job); /* cg has no answer from fewer steps than asked for */
    if (sri_filter_nonlinear(job->filter) && limit < job->op->n &&
        (double)limit < job->param[job->count - 1])
        return "so many steps of conjugate gradients do not fit in memory";
    return NULL;
}

/* Checks and coefficients need the spectrum of T_k, and g there: for the nu-method, whose g is a
 * recursion of t steps at every eigenvalue, that can be most of the work. */
static double small_flops(const sri_job *job, double k)
{
    const double spectrum = (job->filter->ops->resolvents ? 10 : 60) * k * k * k;
    const double t = job->filter->ops == &sri_filter_nu ? job->param[job->count - 1] : 0;
    return (spectrum + 2400 * k * t) * (double)sri_job_columns(job);
}

/* What the search keeps: one triangle of K in single precision and a few columns of it in double, and
 * bases that are mostly in single precision too.  Where that is not exact enough it begins again with all
 * of K, if there is room. */
static sri_cost search_cost(const sri_job *job, double k)
{
    const double n = (double)job->op->n;
    const double columns = (double)(sri_job_parts(job) * job->T), passes = k * ceil(columns / 8);
    const double held = 8 * (double)(job->repeats * job->T) * n;
    return (sri_cost){
        .flops = 160 * n * n + small_flops(job, k),
        .traffic = passes * 2 * n * n + 2 * n * k * k * columns,
        .block = 2 * n * n,
        .along = passes * 16 * n * n,
        .values = n * n / 2,
        .scalar = 2 * n * k * columns,
        .regions = k * 4,
        .bytes = sri_rounded_bytes(job->op->n) + bytes_per_step(job) / 2 * k + 8 * held};
}

/* A product and six of tall matrices with small ones for every step, these at half the speed of large ones. */
static sri_cost block_cost(const sri_job *job)
{
    const double n = (double)job->op->n, T = (double)job->T, k = block_steps(job) + 1;
    const double stored = stored_bytes(job), width = fmin(T, SRI_TALL_MOST);
    const double packed = job->op->linear ? SRI_GATHER * (n + rank_bound(job->op)) : 64 * n;
    sri_cost c = {.flops = 24 * n * T * width * k,
                  .values = stored > 0 ? n * n / 2 : 0,
                  .scalar = 8 * n * T + 40 * k * width * width * width,
                  .regions = 4 * k * ceil(T / SRI_TALL_MOST),
                  .bytes = stored + 8 * (sri_block_cg_numbers(job) + packed)};
    sri_cost_products(&c, job, stored > 0, T, k);
    return c;
}

/* The large terms run at the speed of memory: a pass over K for eight columns, and over each basis four for
 * every step, or, in a search, which takes rows of it a strip at a time, one. */
static sri_cost cost_of_steps(const sri_job *job, double k)
{
    if (is_search(job) && job->op->rounds && job->op->entries == 0 &&
        sri_rounded_bytes(job->op->n) <= (double)job->memory / 2)
        return search_cost(job, k);
    const double n = (double)job->op->n;
    const double columns = (double)sri_job_columns(job), T = (double)job->T;
    const double stored = stored_bytes(job);
    sri_cost c = {.flops = small_flops(job, k),
                  .traffic = (is_search(job) ? 4 : 16) * n * k * k * columns,
                  .block = 8 * n * k,
                  .values = stored > 0 ? n * n / 2 : 0,
                  .scalar = (is_search(job) ? 4 : 2) * n * k * columns,
                  .regions = 4 * k * columns,
                  .bytes = stored + bytes_per_step(job) * k + 8 * (3 * CHUNK * n * T + 512 * n)};
    sri_cost_products(&c, job, stored > 0, columns, k);
    return c;
}

static sri_cost cost(const sri_job *job)
{
    if (sri_block_cg_serves(job))
        return block_cost(job);
    return cost_of_steps(job, expected_steps(job));
}

/* Where a search takes very many steps, for the sake of lambdas that turn out to be needed, the band
 * is cheaper: it takes over once as much was spent as it would have cost.  So a search costs twice the
 * best, or three times where the steps began again in double precision. */
static const sri_engine *takes_over(const sri_job *job, int64_t *limit)
{
    const sri_engine *band = &sri_engine_band;
    if (band->refuses(job) || band->cost(job).bytes > (double)job->memory)
        return NULL;
    const sri_cost other = band->cost(job);
    const double most = sri_job_seconds(job, &other);
    int64_t k = LEAST_STEPS;
    for (; k < *limit; k += k / 8) {
        const sri_cost cost = cost_of_steps(job, (double)k);
        if (sri_job_seconds(job, &cost) >= most)
            break;
    }
    *limit = k < *limit ? k : *limit;
    return band;
}

static specreg_status search(specreg_context *ctx, const sri_job *job, sri_sink *sink,
                             sri_report *report)
{
    int64_t limit = step_limit(job);
    const sri_engine *other = takes_over(job, &limit);
    return sri_krylov_search(ctx, job, limit, other, sink, report);
}

typedef struct run_state {
    const sri_job *job;
    int64_t columns;
    sri_lanczos *z; /* one per column */
    bool *done;
    double *defect; /* of each column, the worst over the path */
    double **s, **Z; /* of each column, the spectrum of T_k at the end */
} run_state;

/* Takes b_k |c_k| / |y| of a point into account: the worst so far, and whether it is as small as it
 * should be, or as rounding lets it be where g is as large as `size`. */
static void judge(const sri_lanczos *z, double last, double size, double *worst, bool *good)
{
    const double b = z->b[z->k - 1], defect = b * fabs(last);
    *worst = fmax(*worst, defect);
    if (!(defect <= TOLERANCE + 4 * DBL_EPSILON * b * size))
        *good = false;
}

/* For iterated resolvents: c = |y| x_q. */
static specreg_status resolvent_defect(specreg_context *ctx, const sri_job *job,
                                       const sri_lanczos *z, double *worst, bool *good)
{
    specreg_status st = SPECREG_OK;
    const int q = job->filter->ops->resolvents(job->filter);
    double *d = NULL, *x = NULL;
    SRI_ALLOC(ctx, d, z->k, 1);
    SRI_ALLOC(ctx, x, z->k, 1);
    for (int64_t i = 0; i < job->count; i++) {
        sri_krylov_resolvent(z, job->param[i], q, d, x);
        judge(z, x[z->k - 1], q / job->param[i], worst, good);
    }
done:
    free(x);
    free(d);
    return st;
}

/* For all filters, from the spectrum of T_k. */
static specreg_status spectral_defect(specreg_context *ctx, const sri_job *job,
                                      const sri_lanczos *z, double *worst, bool *good)
{
    specreg_status st = SPECREG_OK;
    double *s = NULL, *Z = NULL, *g = NULL, *last = NULL, *size = NULL;
    const int64_t k = z->k;
    SRI_ALLOC(ctx, g, 2 * job->count, 1);
    SRI_CALLOC(ctx, last, job->count, 1);
    SRI_CALLOC(ctx, size, job->count, 1);
    SRI_TRY(sri_lanczos_spectrum(ctx, z, &s, &Z));
    for (int64_t j = 0; j < k; j++) { /* row j of Z is an eigenvector */
        const double both = Z[j * k] * Z[j * k + k - 1];
        job->filter->ops->eval(job->filter, s[j], job->param, job->count, g, g + job->count);
        for (int64_t i = 0; i < job->count; i++) {
            last[i] += both * g[i];
            size[i] = fmax(size[i], fabs(g[i]));
        }
    }
    for (int64_t i = 0; i < job->count; i++)
        judge(z, last[i], size[i], worst, good);
done:
    free(Z);
    free(s);
    free(size);
    free(last);
    free(g);
    return st;
}

/* The largest b_k |c_k| / |y| over the path, and whether every point is as good as it can be. */
static specreg_status path_defect(specreg_context *ctx, const sri_job *job, const sri_lanczos *z,
                                  double *worst, bool *good)
{
    *worst = 0;
    *good = true;
    return job->filter->ops->resolvents ? resolvent_defect(ctx, job, z, worst, good)
                                        : spectral_defect(ctx, job, z, worst, good);
}

/* Whether column c needs no more steps. */
static specreg_status check_column(specreg_context *ctx, run_state *r, int64_t c)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = r->job;
    const sri_lanczos *z = &r->z[c];
    if (z->whole || (is_polynomial(job->filter) && (double)z->k >= job->param[job->count - 1])) {
        r->done[c] = true;
        r->defect[c] = 0;
    } else if (!sri_filter_nonlinear(job->filter)) {
        SRI_TRY(path_defect(ctx, job, z, &r->defect[c], &r->done[c]));
    }
done:
    return st;
}

static bool all_done(const run_state *r)
{
    for (int64_t c = 0; c < r->columns; c++)
        if (!r->done[c])
            return false;
    return true;
}

static specreg_status build_spaces(specreg_context *ctx, run_state *r, sri_report *report)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = r->job;
    const int64_t n = job->op->n, limit = step_limit(job);
    const double degree = is_polynomial(job->filter) ? job->param[job->count - 1] : INFINITY;
    double *X = NULL, *KX = NULL;
    int64_t next_check = FIRST_CHECK < limit ? FIRST_CHECK : limit;
    SRI_ALLOC(ctx, X, n, r->columns);
    SRI_ALLOC(ctx, KX, n, r->columns);
    for (int64_t c = 0; c < r->columns; c++) {
        const int64_t part = sri_job_part(job, c);
        SRI_TRY(sri_lanczos_start_without(
            ctx, &r->z[c], job->Y, n, job->T, c % job->T, part < 0 ? NULL : sri_job_folds(job, part),
            part < 0 ? -1 : sri_job_fold(job, part), sri_job_mass(job, part)));
        r->done[c] = r->z[c].whole;
    }
    for (int64_t k = 1; k <= limit && !all_done(r); k++) {
        SRI_TRY(sri_krylov_step(ctx, job, r->z, r->done, r->columns, X, KX));
        const bool check = k == next_check || k == limit || (double)k >= degree;
        for (int64_t c = 0; c < r->columns; c++)
            if (!r->done[c] && (check || r->z[c].whole))
                SRI_TRY(check_column(ctx, r, c));
        if (check)
            next_check = k + (k / 4 > 8 ? k / 4 : 8);
    }
    for (int64_t c = 0; c < r->columns; c++) {
        report->steps = r->z[c].k > report->steps ? r->z[c].k : report->steps;
        report->bound = fmax(report->bound, r->defect[c]);
    }
done:
    free(KX);
    free(X);
    return st;
}

/* Coefficients |y| g(T_k) e_1 for `c` points from `first`, one a column of C (k x c). */
static specreg_status coefficients(specreg_context *ctx, const run_state *r, int64_t column,
                                   int64_t first, int64_t c, double *C)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = r->job;
    const sri_lanczos *z = &r->z[column];
    const double *s = r->s[column], *Z = r->Z[column];
    const int64_t k = z->k;
    double *G = NULL, *rest = NULL;
    const sri_nonlinear kind = sri_filter_nonlinear(job->filter);
    SRI_CALLOC(ctx, G, k, c);
    SRI_ALLOC(ctx, rest, c, 1);
    if (kind != SRI_LINEAR) {
        double *one = G; /* reused as a column */
        memset(C, 0, (size_t)(k * c) * sizeof *C);
        for (int64_t i = 0; i < c; i++) {
            const double asked = job->param[first + i];
            const int64_t t = asked < (double)k ? (int64_t)asked : k;
            SRI_TRY(sri_lanczos_cg(ctx, z, t, kind == SRI_CG_RESIDUAL, one));
            for (int64_t j = 0; j < t; j++)
                C[j * c + i] = one[j];
        }
        goto done;
    }
    for (int64_t j = 0; j < k; j++) {
        job->filter->ops->eval(job->filter, s[j], job->param + first, c, G + j * c, rest);
        for (int64_t i = 0; i < c; i++)
            G[j * c + i] *= z->norm * Z[j * k];
    }
    sri_gemm(true, false, k, c, k, 1, Z, k, G, c, 0, C, c);
done:
    free(rest);
    free(G);
    return st;
}

/* R ((k+1) x c) = |y| e_1 - T_{k+1,k} C. */
static void small_residual(const sri_lanczos *z, int64_t c, const double *C, double *R)
{
    const int64_t k = z->k;
    for (int64_t j = 0; j <= k; j++)
        for (int64_t i = 0; i < c; i++) {
            double v = j == 0 ? z->norm : 0;
            if (j > 0)
                v -= z->b[j - 1] * C[(j - 1) * c + i];
            if (j < k)
                v -= z->a[j] * C[j * c + i];
            if (j + 1 < k)
                v -= z->b[j] * C[(j + 1) * c + i];
            R[j * c + i] = v;
        }
}

/* A chunk of points for output t into alpha and residual, each c x (n x T). */
static specreg_status expand(specreg_context *ctx, const run_state *r, int64_t column,
                             int64_t first, int64_t c, double *alpha, double *residual)
{
    specreg_status st = SPECREG_OK;
    const sri_lanczos *z = &r->z[column];
    const int64_t n = z->n, T = r->job->T, t = column % T, rows = z->whole ? z->k : z->k + 1;
    double *C = NULL, *R = NULL, *full = NULL;
    SRI_ALLOC(ctx, C, z->k, c);
    SRI_ALLOC(ctx, R, z->k + 1, c);
    SRI_CALLOC(ctx, full, n, c);
    if (z->k) {
        SRI_TRY(coefficients(ctx, r, column, first, c, C));
        sri_gemm(true, false, n, c, z->k, 1 / z->mass, z->V, n, C, c, 0, full, c);
    }
    for (int64_t i = 0; i < c; i++)
        for (int64_t row = 0; row < n; row++)
            alpha[(i * n + row) * T + t] = full[row * c + i];
    if (z->k) {
        small_residual(z, c, C, R);
        sri_gemm(true, false, n, c, rows, 1, z->V, n, R, c, 0, full, c);
    }
    for (int64_t i = 0; i < c; i++)
        for (int64_t row = 0; row < n; row++)
            residual[(i * n + row) * T + t] = full[row * c + i];
done:
    free(full);
    free(R);
    free(C);
    return st;
}

/* What a machine without a fold says of its held rows, for a chunk of points: into the rows of
 * column t of each residual (c of them, each repeats x n x T; the right repeat of the first). */
static specreg_status expand_held(specreg_context *ctx, const run_state *r, int64_t column,
                                  int64_t first, int64_t c, double *residual)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = r->job;
    const sri_lanczos *z = &r->z[column];
    const int64_t n = z->n, T = job->T, t = column % T;
    double *C = NULL, *F = NULL;
    SRI_ALLOC(ctx, C, z->k, c);
    SRI_CALLOC(ctx, F, z->n_held, c);
    if (z->k) {
        SRI_TRY(coefficients(ctx, r, column, first, c, C));
        sri_gemm(true, false, z->n_held, c, z->k, 1 / z->mass, z->H, z->n_held, C, c, 0, F, c);
    }
    int64_t held = 0;
    for (int64_t row = 0; row < n; row++) {
        if (z->fold[row] != z->held)
            continue;
        for (int64_t i = 0; i < c; i++)
            residual[(i * job->repeats * n + row) * T + t] =
                job->Y[row * T + t] - F[held * c + i];
        held++;
    }
done:
    free(F);
    free(C);
    return st;
}

/* One for all points of a column; it takes less room than its basis. */
static specreg_status decompose(specreg_context *ctx, run_state *r)
{
    specreg_status st = SPECREG_OK;
    for (int64_t c = 0; c < r->columns && !sri_filter_nonlinear(r->job->filter); c++)
        if (r->z[c].k)
            SRI_TRY(sri_lanczos_spectrum(ctx, &r->z[c], &r->s[c], &r->Z[c]));
done:
    return st;
}

static specreg_status put_points(specreg_context *ctx, const run_state *r, sri_sink *sink)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = r->job;
    const int64_t n = job->op->n, T = job->T;
    const bool folds = job->need & SRI_NEED_FOLDS;
    double *alpha = NULL, *residual = NULL, *held = NULL;
    const int64_t width = job->count < CHUNK ? job->count : CHUNK;
    SRI_ALLOC(ctx, alpha, width * n, T);
    SRI_ALLOC(ctx, residual, width * n, T);
    SRI_CALLOC(ctx, held, folds ? width * job->repeats * n : 0, T);
    for (int64_t first = 0; first < job->count; first += CHUNK) {
        const int64_t c = job->count - first < CHUNK ? job->count - first : CHUNK;
        for (int64_t k = 0; k < r->columns; k++) {
            const int64_t part = sri_job_part(job, k);
            if (part < 0)
                SRI_TRY(expand(ctx, r, k, first, c, alpha, residual));
            else
                SRI_TRY(expand_held(ctx, r, k, first, c, held + part / job->folds * n * T));
        }
        for (int64_t i = 0; i < c; i++)
            SRI_TRY(sink->put(ctx, sink,
                              &(sri_path_point){.index = first + i,
                                                .param = job->param[first + i],
                                                .alpha = alpha + i * n * T,
                                                .residual = residual + i * n * T,
                                                .df = NAN,
                                                .fold_residual = folds ? held + i * job->repeats * n * T
                                                                       : NULL}));
    }
done:
    free(held);
    free(residual);
    free(alpha);
    return st;
}

/* Steps of conjugate gradients after which a basis, whose vectors stay orthogonal, is the better way;
 * where a basis has no room, as many as it takes. */
static int64_t block_limit(const sri_job *job)
{
    const double patience = 2 * block_steps(job) + LEAST_STEPS, n = (double)job->op->n;
    const double room = (double)step_limit(job);
    return (int64_t)(room < n && room < patience ? 4 * n : patience);
}

static specreg_status run(specreg_context *ctx, const sri_job *job, sri_sink *sink,
                          sri_report *report)
{
    specreg_status st = SPECREG_OK;
    run_state r = {.job = job, .columns = sri_job_columns(job)};
    if (is_search(job))
        return search(ctx, job, sink, report);
    SRI_TRY(sri_op_prepare(ctx, job->op, job->memory / 2));
    if (sri_block_cg_serves(job)) {
        bool done = false;
        SRI_TRY(sri_block_cg(ctx, job, TOLERANCE, block_limit(job), sink, report, &done));
        if (done)
            return st;
    }
    SRI_CALLOC(ctx, r.z, r.columns, 1);
    SRI_CALLOC(ctx, r.done, r.columns, 1);
    SRI_CALLOC(ctx, r.defect, r.columns, 1);
    SRI_CALLOC(ctx, r.s, r.columns, 1);
    SRI_CALLOC(ctx, r.Z, r.columns, 1);
    SRI_TRY(build_spaces(ctx, &r, report));
    SRI_TRY(decompose(ctx, &r));
    SRI_TRY(put_points(ctx, &r, sink));
done:
    for (int64_t c = 0; r.Z && c < r.columns; c++) { /* all arrays are there */
        free(r.Z[c]);
        free(r.s[c]);
    }
    for (int64_t c = 0; r.z && c < r.columns; c++)
        sri_lanczos_free(&r.z[c]);
    free(r.Z);
    free(r.s);
    free(r.defect);
    free(r.done);
    free(r.z);
    return st;
}

const sri_engine sri_engine_krylov = {
    .name = "krylov",
    .refuses = refuses,
    .cost = cost,
    .run = run,
};
