/* Krylov: Lanczos on K/n from each output y, the outputs' products taken together;
 *     g(K/n) y ~ |y| V_k g(T_k) e_1.
 * One run serves the whole path.  With c = |y| g(T_k) e_1 and alpha = V_k c / n,
 *     y - K alpha = V_k (|y| e_1 - T_k c) - b_k c_k v_{k+1}:
 * b_k |c_k| is the part of the residual that the space does not see (for Tikhonov the exact
 * residual of its linear system).  The run stops when it is below TOLERANCE |y| for every point,
 * or below what rounding lets it reach; polynomial filters of degree t are exact after t steps.
 * Folds are further columns of the same products, each with its fold's rows held out.
 * A single point of Tikhonov's path needs no basis: it goes to block conjugate gradients first. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "core/arena.h"
#include "engine/block_cg.h"
#include "engine/engine.h"
#include "engine/krylov_cost.h"
#include "engine/krylov_search.h"
#include "engine/krylov_space.h"
#include "engine/precond_cg.h"

static const double TOLERANCE = 1e-12;
enum { FIRST_CHECK = 12, CHUNK = SRI_KRYLOV_CHUNK, LEAST_STEPS = SRI_KRYLOV_LEAST };

static const char *refuses(const sri_job *job)
{
    if (!job->path.filter->ops->smooth)
        return "a cut-off is not smooth, Krylov spaces do not serve it";
    if (job->request.need & ~(unsigned)SRI_NEED_FOLDS)
        return "Krylov spaces know neither leverages nor degrees of freedom";
    if (sri_job_differs(job) && sri_filter_nonlinear(job->path.filter))
        return "conjugate gradients see all outputs as one";
    if (job->request.need && job->path.filter->step_rule == SRI_STEP_NORM)
        return "each fold has a norm, and so a step, of its own";
    /* cg has no answer from fewer steps than asked for */
    const int64_t limit = sri_krylov_limit(job);
    if (sri_filter_nonlinear(job->path.filter) && limit < job->problem.op->n &&
        (double)limit < sri_job_last(job))
        return "so many steps of conjugate gradients do not fit in memory";
    return NULL;
}

/* The steps of a search that take so long, at most `limit`. */
static int64_t steps_within(const sri_job *job, double seconds, int64_t limit)
{
    int64_t k = LEAST_STEPS;
    for (; k < limit; k += k / 8) {
        const sri_cost cost = sri_krylov_cost_of_steps(job, (double)k);
        if (sri_job_seconds(job, &cost) >= seconds)
            break;
    }
    return k < limit ? k : limit;
}

/* Where a search takes very many steps, for the sake of lambdas that turn out to be needed, the
 * fallback is cheaper: the rest is left to it once as much was spent as it would have cost, or
 * would be by beginning again in double precision, where a step takes twice as long.  So a search
 * costs two to three times the best. */
static specreg_status search(specreg_context *ctx, const sri_job *job, sri_sink *sink,
                             sri_report *report)
{
    const double most = job->hint.fallback_seconds;
    const int64_t limit = sri_krylov_limit(job);
    sri_krylov_patience patience = {.limit = limit, .again = limit, .gives_up = most > 0};
    if (patience.gives_up) {
        patience.again = steps_within(job, most / 2, limit);
        patience.limit = steps_within(job, most, limit);
    }
    return sri_krylov_search(ctx, job, patience, sink, report);
}

typedef struct run_state {
    sri_arena scratch;
    const sri_job *job;
    int64_t columns;
    sri_lanczos *z;                   /* one per column */
    sri_fold_projection *projections; /* without each fold */
    bool *done;
    double *defect;  /* of each column, the worst over the path */
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
    sri_arena scratch = {0};
    const sri_filter *filter = job->path.filter;
    double *d, *x;
    SRI_SCRATCH_EACH(ctx, &scratch, z->k, 1, &d, &x);
    for (int64_t i = 0; i < job->path.count; i++) {
        const sri_systems of = filter->ops->resolvents(filter, job->path.param[i]);
        sri_krylov_resolvent(z, of.lambda, of.order, d, x);
        judge(z, x[z->k - 1], of.order / of.lambda, worst, good);
    }
done:
    sri_arena_free(&scratch);
    return st;
}

/* For all filters, from the spectrum of T_k. */
static specreg_status spectral_defect(specreg_context *ctx, const sri_job *job,
                                      const sri_lanczos *z, double *worst, bool *good)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    double *s, *Z, *g, *last, *size;
    const int64_t k = z->k;
    SRI_SCRATCH(ctx, &scratch, g, 2 * job->path.count, 1);
    SRI_SCRATCH_ZERO(ctx, &scratch, last, job->path.count, 1);
    SRI_SCRATCH_ZERO(ctx, &scratch, size, job->path.count, 1);
    SRI_TRY(sri_lanczos_spectrum(ctx, z, &scratch, &s, &Z));
    for (int64_t j = 0; j < k; j++) { /* row j of Z is an eigenvector */
        const double both = Z[j * k] * Z[j * k + k - 1];
        job->path.filter->ops->eval(job->path.filter, s[j], job->path.param, job->path.count, g,
                                    g + job->path.count);
        for (int64_t i = 0; i < job->path.count; i++) {
            last[i] += both * g[i];
            size[i] = fmax(size[i], fabs(g[i]));
        }
    }
    for (int64_t i = 0; i < job->path.count; i++)
        judge(z, last[i], size[i], worst, good);
done:
    sri_arena_free(&scratch);
    return st;
}

/* The largest b_k |c_k| / |y| over the path, and whether every point is as good as it can be. */
static specreg_status path_defect(specreg_context *ctx, const sri_job *job, const sri_lanczos *z,
                                  double *worst, bool *good)
{
    *worst = 0;
    *good = true;
    return job->path.filter->ops->resolvents ? resolvent_defect(ctx, job, z, worst, good)
                                             : spectral_defect(ctx, job, z, worst, good);
}

/* Whether column c needs no more steps. */
static specreg_status check_column(specreg_context *ctx, run_state *r, int64_t c)
{
    const sri_job *job = r->job;
    const sri_lanczos *z = &r->z[c];
    if (z->whole ||
        (sri_krylov_polynomial(job->path.filter) && (double)z->k >= sri_job_last(job))) {
        r->done[c] = true;
        r->defect[c] = 0;
    } else if (!sri_filter_nonlinear(job->path.filter)) {
        SRI_CALL(path_defect(ctx, job, z, &r->defect[c], &r->done[c]));
    }
    return SPECREG_OK;
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
    const int64_t n = job->problem.op->n, limit = sri_krylov_limit(job);
    const double degree = sri_krylov_polynomial(job->path.filter) ? sri_job_last(job) : INFINITY;
    double *work = NULL;
    int64_t next_check = FIRST_CHECK < limit ? FIRST_CHECK : limit;
    SRI_ALLOC(ctx, work, 2 * n, r->columns);
    for (int64_t c = 0; c < r->columns; c++) {
        const sri_lanczos_source source =
            sri_krylov_source(job, r->projections, c % job->problem.T, sri_job_column_fold(job, c));
        SRI_TRY(sri_lanczos_start(ctx, &r->z[c], &source));
        r->done[c] = r->z[c].whole;
    }
    for (int64_t k = 1; k <= limit && !all_done(r); k++) {
        SRI_TRY(sri_krylov_step(ctx, job, r->z, r->done, r->columns, work));
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
    sri_free(work);
    return st;
}

/* Points of the path that are handed on together. */
typedef struct chunk {
    int64_t first, count;
    double *alpha, *residual; /* count x (n x T)             */
    double *held_out;         /* count x (repeats x n x T)   */
} chunk;

/* Coefficients |y| g(T_k) e_1 for the points, one a column of C (k x count). */
static specreg_status coefficients(specreg_context *ctx, const run_state *r, int64_t column,
                                   const chunk *p, double *C)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = r->job;
    const double *param = job->path.param + p->first;
    const int64_t c = p->count;
    const sri_lanczos *z = &r->z[column];
    const double *s = r->s[column], *Z = r->Z[column];
    const int64_t k = z->k;
    sri_arena scratch = {0};
    double *G, *rest;
    const sri_nonlinear kind = sri_filter_nonlinear(job->path.filter);
    SRI_SCRATCH_ZERO(ctx, &scratch, G, k, c);
    SRI_SCRATCH(ctx, &scratch, rest, c, 1);
    if (kind != SRI_LINEAR) {
        double *one = G; /* reused as a column */
        memset(C, 0, (size_t)(k * c) * sizeof *C);
        for (int64_t i = 0; i < c; i++) {
            const double asked = param[i];
            const int64_t t = asked < (double)k ? (int64_t)asked : k;
            SRI_TRY(sri_lanczos_cg(ctx, z, t, kind == SRI_CG_RESIDUAL, one));
            for (int64_t j = 0; j < t; j++)
                C[j * c + i] = one[j];
        }
        goto done;
    }
    for (int64_t j = 0; j < k; j++) {
        job->path.filter->ops->eval(job->path.filter, s[j], param, c, G + j * c, rest);
        for (int64_t i = 0; i < c; i++)
            G[j * c + i] *= z->norm * Z[j * k];
    }
    sri_gemm(true, false, k, c, k, 1, Z, k, G, c, 0, C, c);
done:
    sri_arena_free(&scratch);
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

/* Coefficients and residuals of the predictor of all rows, for one output. */
static specreg_status expand(specreg_context *ctx, const run_state *r, int64_t column,
                             const chunk *p)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const sri_lanczos *z = &r->z[column];
    const int64_t n = z->n, T = r->job->problem.T, t = column % T, c = p->count;
    const int64_t rows = z->whole ? z->k : z->k + 1;
    double *C, *R, *full;
    SRI_SCRATCH(ctx, &scratch, C, z->k, c);
    SRI_SCRATCH(ctx, &scratch, R, z->k + 1, c);
    SRI_SCRATCH_ZERO(ctx, &scratch, full, n, c);
    if (z->k) {
        SRI_TRY(coefficients(ctx, r, column, p, C));
        sri_gemm(true, false, n, c, z->k, 1 / z->mass, z->V, n, C, c, 0, full, c);
    }
    for (int64_t i = 0; i < c; i++)
        for (int64_t row = 0; row < n; row++)
            p->alpha[(i * n + row) * T + t] = full[row * c + i];
    if (z->k) {
        small_residual(z, c, C, R);
        sri_gemm(true, false, n, c, rows, 1, z->V, n, R, c, 0, full, c);
    }
    for (int64_t i = 0; i < c; i++)
        for (int64_t row = 0; row < n; row++)
            p->residual[(i * n + row) * T + t] = full[row * c + i];
done:
    sri_arena_free(&scratch);
    return st;
}

/* Residuals of the predictor without the column's fold, in the rows of the fold. */
static specreg_status expand_held_out(specreg_context *ctx, const run_state *r, int64_t column,
                                      const chunk *p)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const sri_folds *folds = &r->job->problem.folds;
    const sri_lanczos *z = &r->z[column];
    const int64_t n = z->n, T = r->job->problem.T, t = column % T, c = p->count;
    double *to = p->held_out + column / T / folds->per_repeat * n * T;
    double *C, *F;
    SRI_SCRATCH(ctx, &scratch, C, z->k, c);
    SRI_SCRATCH_ZERO(ctx, &scratch, F, z->n_held, c);
    if (z->k) {
        SRI_TRY(coefficients(ctx, r, column, p, C));
        sri_gemm(true, false, z->n_held, c, z->k, 1 / z->mass, z->H, z->n_held, C, c, 0, F, c);
    }
    int64_t at = 0;
    for (int64_t row = 0; row < n; row++) {
        if (!sri_fold_holds(z->fold, row))
            continue;
        for (int64_t i = 0; i < c; i++)
            to[(i * folds->repeats * n + row) * T + t] = z->held_y[at] - F[at * c + i];
        at++;
    }
done:
    sri_arena_free(&scratch);
    return st;
}

/* One for all points of a column; it takes less memory than its basis. */
static specreg_status decompose(specreg_context *ctx, run_state *r)
{
    for (int64_t c = 0; c < r->columns && !sri_filter_nonlinear(r->job->path.filter); c++)
        if (r->z[c].k)
            SRI_CALL(sri_lanczos_spectrum(ctx, &r->z[c], &r->scratch, &r->s[c], &r->Z[c]));
    return SPECREG_OK;
}

static specreg_status put_chunk(specreg_context *ctx, const run_state *r, const chunk *p,
                                sri_sink *sink)
{
    const sri_job *job = r->job;
    const int64_t size = job->problem.op->n * job->problem.T;
    for (int64_t k = 0; k < r->columns; k++)
        SRI_CALL(sri_job_column_fold(job, k) < 0 ? expand(ctx, r, k, p)
                                                 : expand_held_out(ctx, r, k, p));
    for (int64_t i = 0; i < p->count; i++) {
        sri_path_point point = sri_job_point(job, p->first + i);
        point.alpha = p->alpha + i * size;
        point.residual = p->residual + i * size;
        point.fold_residual = sri_job_held_out_at(job, p->held_out, i);
        SRI_CALL(sink->put(ctx, sink, &point));
    }
    return SPECREG_OK;
}

static specreg_status put_points(specreg_context *ctx, const run_state *r, sri_sink *sink)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const sri_job *job = r->job;
    const int64_t n = job->problem.op->n, T = job->problem.T, count = job->path.count;
    const int64_t repeats = sri_job_repeats(job);
    const int64_t width = count < CHUNK ? count : CHUNK;
    chunk p = {0};
    SRI_SCRATCH_EACH(ctx, &scratch, width * n, T, &p.alpha, &p.residual);
    SRI_SCRATCH_ZERO(ctx, &scratch, p.held_out, width * repeats * n, T);
    for (; p.first < count; p.first += CHUNK) {
        p.count = sri_job_points(job, p.first, CHUNK);
        SRI_TRY(put_chunk(ctx, r, &p, sink));
    }
done:
    sri_arena_free(&scratch);
    return st;
}

static specreg_status run(specreg_context *ctx, const sri_job *job, sri_sink *sink,
                          sri_report *report)
{
    specreg_status st = SPECREG_OK;
    run_state r = {.job = job, .columns = sri_job_columns(job)};
    if (sri_krylov_preconditions(job))
        return sri_precond_cg(ctx, job, sink, report);
    if (sri_krylov_is_search(job))
        return search(ctx, job, sink, report);
    SRI_TRY(sri_job_prepare(ctx, job, report));
    if (sri_block_cg_serves(job)) {
        bool done = false;
        SRI_TRY(sri_block_cg(ctx, job, (sri_block_limits){TOLERANCE, sri_krylov_block_limit(job)},
                             sink, report, &done));
        if (done)
            return st;
    }
    SRI_SCRATCH_ZERO(ctx, &r.scratch, r.z, r.columns, 1);
    SRI_SCRATCH_ZERO(ctx, &r.scratch, r.done, r.columns, 1);
    SRI_SCRATCH_ZERO(ctx, &r.scratch, r.defect, r.columns, 1);
    SRI_SCRATCH_ZERO(ctx, &r.scratch, r.s, r.columns, 1);
    SRI_SCRATCH_ZERO(ctx, &r.scratch, r.Z, r.columns, 1);
    SRI_TRY(sri_job_projections_make(ctx, job, &r.projections));
    SRI_TRY(build_spaces(ctx, &r, report));
    SRI_TRY(decompose(ctx, &r));
    SRI_TRY(put_points(ctx, &r, sink));
done:
    for (int64_t c = 0; r.z && c < r.columns; c++)
        sri_lanczos_free(&r.z[c]);
    sri_job_projections_free(job, r.projections);
    sri_arena_free(&r.scratch);
    return st;
}

const sri_engine sri_engine_krylov = {
    .name = "krylov",
    .refuses = refuses,
    .cost = sri_krylov_cost,
    .run = run,
    .fallback = &sri_engine_band,
};
