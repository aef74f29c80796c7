/* Band: K = Q B Q' with some 24 diagonals left.  Unlike the whole decomposition this is nearly all
 * matrix products, a quarter of its flops at many times its speed, and what a band costs after that
 * is small: see band_path.h.  Leverages take as much again: see backend/band.h.
 *
 * Folds: the same for the matrix of each fold's training rows, cut out of the one that was filled;
 * its coefficients predict the rows that were held out.  Where rounding eats lambda in any of them,
 * the point is left to the decomposition. */
#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "core/arena.h"
#include "engine/band_path.h"
#include "engine/engine.h"

enum { GROUP_COLUMNS = 128, HELD_ROWS = 128 };

static const char *refuses(const sri_job *job)
{
    if (sri_job_differs(job))
        return "outputs that share a matrix are for eig, krylov and iterate";
    const sri_filter *f = job->path.filter;
    if (sri_filter_nonlinear(f) || (!f->ops->resolvents && !f->ops->iteration))
        return "the filter is neither made of linear systems nor an iteration with fixed steps";
    if (sri_job_needs(job, SRI_NEED_LEVERAGE | SRI_NEED_DF) && !sri_filter_is_plain(f))
        return "a band tells leverages and degrees of freedom of plain Tikhonov only";
    if (sri_job_needs(job, SRI_NEED_FOLDS) && f->step_rule == SRI_STEP_NORM)
        return "each fold has a norm, and so a step, of its own";
    if (sri_job_needs(job, SRI_NEED_FOLDS) && job->problem.op->projection)
        return "with features that are not penalised each fold has a matrix of its own";
    return NULL;
}

/* Points whose coefficients Q brings back together; leverages keep a factor for each. */
static int64_t group_width(const sri_job *job)
{
    const int64_t width = sri_job_group(job, GROUP_COLUMNS);
    const bool leverages = sri_job_needs(job, SRI_NEED_LEVERAGE);
    return leverages && width > SRI_BAND_FACTORS ? SRI_BAND_FACTORS : width;
}

/* Whether the predictor of all rows is asked for, too. */
static bool wants_whole(const sri_job *job)
{
    return job->request.need != SRI_NEED_FOLDS ||
           !(job->request.scores_only || job->request.tolerance > 0);
}

static int64_t training_rows(const sri_job *job, int64_t fold)
{
    return job->shape.n - sri_job_held_out(job, fold);
}

/* The largest matrix that is cut out; 0 without folds. */
static int64_t most_rows(const sri_job *job)
{
    int64_t most = 0;
    for (int64_t fold = 0; fold < sri_job_folds(job); fold++) {
        const int64_t rows = training_rows(job, fold);
        most = rows > most ? rows : most;
    }
    return most;
}

/* Measured against a matrix product: the reduction runs at 0.9 of it, beside its panels, which
 * take as long as 6 n^2 w flops with w diagonals.  A banded Cholesky takes as long as 10 n w^2
 * flops, the trace of its inverse 6 n w^2, a solve 25 n w; Q 100 n^2 to make its blocks, then 3
 * n^2 for a column.  Leverages take Q as a matrix, at 0.9, and for each lambda 2 n^2 w as they
 * stand and 300 n w to pack its factor. */
static double predictor_flops(const sri_job *job, double n, double columns_each)
{
    const double count = (double)job->path.count, T = (double)job->problem.T, w = SRI_BAND_WIDTH;
    const double groups = ceil(count / (double)group_width(job));
    const bool one_minus_h = sri_job_needs(job, SRI_NEED_LEVERAGE);
    double flops = 4.0 / 3 / 0.9 * n * n * n + 6 * n * n * w;
    flops += n * n * (100 * (one_minus_h ? 1 : 1 + groups) + 3 * count * T * columns_each);
    if (!job->path.filter->ops->resolvents)
        return flops;
    const sri_filter *filter = job->path.filter;
    const double solves = filter->ops->resolvents(filter, sri_job_last(job)).order;
    const double trace = sri_job_needs(job, SRI_NEED_DF) && !one_minus_h ? 6 : 0;
    if (one_minus_h)
        flops += 4.0 / 3 / 0.9 * n * n * n + count * w * (2 * n * n + 300 * n);
    return flops + count * n * w * ((10 + trace) * w + 25 * solves * T);
}

/* By one thread: the steps. */
static double serial_operations(const sri_job *job, double n)
{
    if (job->path.filter->ops->resolvents)
        return 0;
    return 0.38 * sri_job_last(job) * n * SRI_BAND_WIDTH * (double)job->problem.T;
}

static sri_cost cost(const sri_job *job)
{
    const int64_t n = job->shape.n, most = most_rows(job), folds = sri_job_folds(job);
    const double rows = (double)n, columns = (double)(job->problem.T * group_width(job));
    const double held_out = (double)(sri_job_repeats(job) * job->problem.T * job->path.count);
    double flops = wants_whole(job) ? predictor_flops(job, rows, 2) : 0;
    double serial = wants_whole(job) ? serial_operations(job, rows) : 0;
    for (int64_t fold = 0; fold < folds; fold++) {
        const double train = (double)training_rows(job, fold);
        flops += predictor_flops(job, train, 1) +
                 2 * (rows - train) * rows * (double)(job->path.count * job->problem.T);
        serial += serial_operations(job, train);
    }
    const double leverages = sri_job_needs(job, SRI_NEED_LEVERAGE)
                                 ? sri_band_factors_bytes(n, group_width(job)) +
                                       8 * rows * columns + sri_band_form_bytes(n)
                                 : 0;
    return (sri_cost){.flops = flops,
                      .values = rows * rows / 2,
                      .scalar = serial,
                      .regions = (double)(folds + wants_whole(job)) * rows,
                      .bytes =
                          leverages + 8 * (rows * rows + (double)most * (double)most) +
                          sri_band_path_bytes(job, n) +
                          8 * rows *
                              (4 * columns + held_out + 3 * (double)job->problem.T + HELD_ROWS)};
}

typedef struct state {
    sri_arena scratch;
    const sri_job *job;
    sri_sink *sink;
    sri_report *report;
    int64_t width;       /* points in a group                                             */
    double *K;           /* n x n                                                         */
    int64_t *row;        /* n: the rows that train, then those held out                   */
    double *X;           /* columns of a group: coefficients and residuals, see band_path.h */
    double raised;       /* the eigenvalue of unpenalised terms             */
    double *df;          /* count                                                         */
    bool *failed;        /* count: rounding has eaten this lambda                         */
    bool *now;           /* width: the same for one predictor                             */
    double *one_minus_h; /* width x n, or NULL                                            */
    double *a1, *r1;     /* n x T: one point                                            */
    double *held_out;    /* count x (repeats x n x T)                                     */
} state;

static specreg_status state_new(specreg_context *ctx, state *s)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = s->job;
    const int64_t n = job->problem.op->n, T = job->problem.T;
    s->width = group_width(job);
    SRI_SCRATCH(ctx, &s->scratch, s->K, n, n);
    sri_large_pages(s->K, 8 * (double)n * (double)n); /* tiles of it reach over many columns */
    SRI_SCRATCH(ctx, &s->scratch, s->row, n, 1);
    SRI_SCRATCH(ctx, &s->scratch, s->X, 2 * s->width * T, n);
    SRI_SCRATCH(ctx, &s->scratch, s->df, job->path.count, 1);
    SRI_SCRATCH_ZERO(ctx, &s->scratch, s->failed, job->path.count, 1);
    SRI_SCRATCH(ctx, &s->scratch, s->now, s->width, 1);
    if (sri_job_needs(job, SRI_NEED_LEVERAGE))
        SRI_SCRATCH(ctx, &s->scratch, s->one_minus_h, s->width, n);
    SRI_SCRATCH_EACH(ctx, &s->scratch, n, T, &s->a1, &s->r1);
    SRI_SCRATCH_ZERO(ctx, &s->scratch, s->held_out, job->path.count * sri_job_repeats(job), n * T);
done:
    return st;
}

/* The next points of a path; those of the predictor of all rows with what the job needs. */
static specreg_status next_group(specreg_context *ctx, state *s, sri_band_path *path, int64_t first,
                                 int64_t c, bool whole)
{
    const sri_band_group group = {.first = first,
                                  .count = c,
                                  .X = s->X,
                                  .residuals = whole,
                                  .failed = s->now,
                                  .df = s->df + first,
                                  .one_minus_h = whole ? s->one_minus_h : NULL};
    SRI_CALL(sri_band_path_next(ctx, path, &group));
    for (int64_t k = 0; k < c; k++)
        s->failed[first + k] = s->failed[first + k] || s->now[k];
    return sri_poll(ctx);
}

/* The upper triangle of the matrix of the rows that train. */
static void cut_out(const state *s, int64_t train, double *A)
{
    const int64_t n = s->job->problem.op->n;
#pragma omp parallel for schedule(dynamic, 16)
    for (int64_t i = 0; i < train; i++) {
        const double *from = s->K + s->row[i] * n;
        for (int64_t j = i; j < train; j++)
            A[i * train + j] = from[s->row[j]];
    }
}

/* Points of the path whose held-out residuals are found together. */
typedef struct prediction {
    int64_t fold, first, count;
    double *spread; /* count T columns: alpha spread over all n rows, with 0 where none is */
    double *block;  /* HELD_ROWS x n: rows of K                                            */
    double *F;      /* HELD_ROWS x (count T)                                               */
} prediction;

/* Held-out residuals y - K alpha of so many rows of the fold. */
static void predict_block(state *s, const prediction *p, const int64_t *row, int64_t rows)
{
    const sri_job *job = s->job;
    const int64_t n = job->problem.op->n, T = job->problem.T, C = p->count * T;
    const int64_t repeats = job->problem.folds.repeats;
    double *out = s->held_out + p->fold / job->problem.folds.per_repeat * n * T;
    for (int64_t i = 0; i < rows; i++)
        memcpy(p->block + i * n, s->K + row[i] * n, (size_t)n * sizeof *p->block);
    sri_gemm(false, true, rows, C, n, 1, p->block, n, p->spread, n, 0, p->F, C);
    for (int64_t k = 0; k < p->count; k++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t t = 0; t < T; t++)
                out[((p->first + k) * repeats * n + row[i]) * T + t] =
                    job->problem.Y[row[i] * T + t] - p->F[i * C + k * T + t];
}

/* From the coefficients of the `train` rows before the fold's own in s->row. */
static specreg_status predict(specreg_context *ctx, state *s, prediction p, int64_t train)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t n = s->job->problem.op->n, C = p.count * s->job->problem.T;
    SRI_SCRATCH_ZERO(ctx, &scratch, p.spread, C, n);
    SRI_SCRATCH(ctx, &scratch, p.block, HELD_ROWS, n);
    SRI_SCRATCH(ctx, &scratch, p.F, HELD_ROWS, C);
    for (int64_t k = 0; k < C; k++)
        for (int64_t i = 0; i < train; i++)
            p.spread[k * n + s->row[i]] = s->X[k * train + i];
    for (int64_t at = train; at < n; at += HELD_ROWS)
        predict_block(s, &p, s->row + at, n - at < HELD_ROWS ? n - at : HELD_ROWS);
done:
    sri_arena_free(&scratch);
    return st;
}

/* The whole path without a fold; A has space for the largest matrix. */
static specreg_status run_fold(specreg_context *ctx, state *s, int64_t fold, double *A)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = s->job;
    const int64_t train = sri_job_divide(job, fold, s->row);
    sri_band_path path = {0};
    if (train == job->problem.op->n) /* an empty fold */
        return st;
    if (train > 0) {
        cut_out(s, train, A);
        SRI_TRY(sri_band_path_start(ctx, &path, job,
                                    (sri_band_rows){train, s->row, sri_job_mass(job, fold)}, A));
    }
    for (int64_t first = 0; first < job->path.count; first += s->width) {
        const int64_t c = sri_job_points(job, first, s->width);
        if (train > 0)
            SRI_TRY(next_group(ctx, s, &path, first, c, false));
        SRI_TRY(predict(ctx, s, (prediction){.fold = fold, .first = first, .count = c}, train));
    }
done:
    sri_band_path_end(&path);
    return st;
}

static specreg_status run_folds(specreg_context *ctx, state *s)
{
    specreg_status st = SPECREG_OK;
    const int64_t most = most_rows(s->job);
    double *A = NULL;
    SRI_ALLOC(ctx, A, most, most);
    sri_large_pages(A, 8 * (double)most * (double)most);
    for (int64_t fold = 0; fold < sri_job_folds(s->job); fold++) {
        SRI_TRY(run_fold(ctx, s, fold, A));
        SRI_TRY(sri_poll(ctx));
    }
done:
    sri_free(A);
    return st;
}

/* Point k of a group of c whose columns are in s->X, or one with held-out residuals alone. */
static specreg_status put_point(specreg_context *ctx, state *s, int64_t first, int64_t c, int64_t k,
                                bool whole)
{
    const sri_job *job = s->job;
    const int64_t n = job->problem.op->n, T = job->problem.T, i = first + k;
    for (int64_t t = 0; whole && t < T; t++)
        for (int64_t row = 0; row < n; row++) {
            s->a1[row * T + t] = s->X[(k * T + t) * n + row];
            s->r1[row * T + t] = s->X[((c + k) * T + t) * n + row];
        }
    sri_path_point point = sri_job_point(job, i);
    point.raised = s->raised / job->problem.op->mass;
    point.df = sri_job_needs(job, SRI_NEED_DF) ? s->df[i] : NAN;
    point.fold_residual = sri_job_held_out_at(job, s->held_out, i);
    if (whole) {
        point.alpha = s->a1;
        point.residual = s->r1;
        point.one_minus_h = s->one_minus_h ? s->one_minus_h + k * n : NULL;
    }
    return s->sink->put(ctx, s->sink, &point);
}

/* Hands a group on.  Points that failed next to each other share a fallback. */
static specreg_status put_group(specreg_context *ctx, state *s, int64_t first, int64_t c,
                                bool whole)
{
    for (int64_t k = 0, failed = 0; k < c; k += failed ? failed : 1) {
        for (failed = 0; k + failed < c && s->failed[first + k + failed];)
            failed++;
        s->report->fell_back += failed;
        SRI_CALL(failed ? s->sink->put(ctx, s->sink,
                                       &(sri_path_point){.index = first + k, .to_fallback = failed})
                        : put_point(ctx, s, first, c, k, whole));
    }
    return SPECREG_OK;
}

/* The predictor of all rows, for which K is given up, where it is asked for. */
static specreg_status run_whole(specreg_context *ctx, state *s)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = s->job;
    const bool whole = wants_whole(job);
    sri_band_path path = {0};
    for (int64_t i = 0; i < job->problem.op->n; i++)
        s->row[i] = i;
    if (whole)
        SRI_TRY(
            sri_band_path_start(ctx, &path, job,
                                (sri_band_rows){job->problem.op->n, s->row, job->problem.op->mass},
                                s->K));
    if (whole && s->one_minus_h)
        SRI_TRY(sri_band_path_leverages(ctx, &path, s->width));
    for (int64_t first = 0; first < job->path.count; first += s->width) {
        const int64_t c = sri_job_points(job, first, s->width);
        if (whole)
            SRI_TRY(next_group(ctx, s, &path, first, c, true));
        SRI_TRY(put_group(ctx, s, first, c, whole));
    }
done:
    sri_band_path_end(&path);
    return st;
}

static specreg_status run(specreg_context *ctx, const sri_job *job, sri_sink *sink,
                          sri_report *report)
{
    specreg_status st = SPECREG_OK;
    state s = {.job = job, .sink = sink, .report = report};
    SRI_TRY(state_new(ctx, &s));
    SRI_TRY(sri_op_fill(ctx, job->problem.op, true, s.K));
    SRI_TRY(sri_op_raise(ctx, job->problem.op, 1 / (double)job->problem.op->n, s.K,
                         &s.raised)); /* as cholesky does */
    if (s.raised > 0)
        sri_mirror(job->problem.op->n, s.K, job->problem.op->n);
    SRI_TRY(sri_poll(ctx));
    if (sri_job_needs(job, SRI_NEED_FOLDS))
        SRI_TRY(run_folds(ctx, &s));
    SRI_TRY(run_whole(ctx, &s));
    if (job->path.filter->ops->iteration)
        report->steps = (int64_t)sri_job_last(job);
done:
    sri_arena_free(&s.scratch);
    return st;
}

const sri_engine sri_engine_band = {
    .name = "band",
    .refuses = refuses,
    .cost = cost,
    .run = run,
    .fallback = &sri_engine_eig,
};
