/* Band: K = Q B Q' with some 24 diagonals left.  Unlike the whole decomposition this is nearly all
 * matrix products, a quarter of its flops at many times its speed, and what a band costs after that
 * is small: see band_path.h.  Leverages take as much again: see band_slack.h.
 *
 * Folds: the same for the matrix of each part's training rows, cut out of the one that was filled;
 * its coefficients predict the rows that were held out.  Where rounding eats lambda in any of them,
 * the point goes to the decomposition. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/blas.h"
#include "core/memory.h"
#include "engine/band_path.h"
#include "engine/engine.h"
#include "engine/fall_back.h"
#include "kernel/tile.h"

enum { GROUP_COLUMNS = 128, HELD_ROWS = 128 };

static const char *refuses(const sri_job *job)
{
    if (sri_job_differs(job))
        return "outputs that share a matrix are for eig, krylov and iterate";
    const sri_filter *f = job->filter;
    if (sri_filter_nonlinear(f) || (!f->ops->resolvents && !f->ops->iteration))
        return "the filter is neither made of linear systems nor an iteration with fixed steps";
    if (job->need & (SRI_NEED_SLACK | SRI_NEED_DF) &&
        (!f->ops->resolvents || f->ops->resolvents(f) > 1))
        return "a band tells leverages and degrees of freedom of plain Tikhonov only";
    if (job->need & SRI_NEED_FOLDS && f->step_rule == SRI_STEP_NORM)
        return "each fold has a norm, and so a step, of its own";
    if (job->need & SRI_NEED_FOLDS && job->op->projection)
        return "with features that are not penalised each fold has a matrix of its own";
    return NULL;
}

/* ------------------------------------------------------------------- cost */

/* Points whose coefficients Q brings back together; leverages keep a factor for each. */
static int64_t group_width(const sri_job *job)
{
    int64_t width = GROUP_COLUMNS / job->T;
    if (job->need & SRI_NEED_SLACK && width > SRI_BAND_FACTORS)
        width = SRI_BAND_FACTORS;
    return width < 1 ? 1 : width < job->count ? width : job->count;
}

/* Whether the machine of all rows is asked for, too. */
static bool wants_whole(const sri_job *job)
{
    return job->need != SRI_NEED_FOLDS || !(job->held_alone || job->tolerance > 0);
}

static int64_t training_rows(const sri_job *job, int64_t part)
{
    int64_t rows = 0;
    for (int64_t i = 0; i < job->op->n; i++)
        rows += sri_job_folds(job, part)[i] != sri_job_fold(job, part);
    return rows;
}

/* The largest matrix that is cut out; 0 without folds. */
static int64_t most_rows(const sri_job *job)
{
    int64_t most = 0;
    for (int64_t part = 0; part < sri_job_parts(job); part++) {
        const int64_t rows = training_rows(job, part);
        most = rows > most ? rows : most;
    }
    return most;
}

/* Measured against a matrix product: the reduction runs at 0.9 of it, beside its panels, which
 * take as long as 6 n^2 w flops with w diagonals.  A banded Cholesky takes as long as 10 n w^2
 * flops, the trace of its inverse 6 n w^2, a solve 25 n w; Q 100 n^2 to make its blocks, then 3
 * n^2 for a column.  Leverages take Q as a matrix, at 0.9, and for each lambda 2 n^2 w as they
 * stand and 300 n w to pack its factor. */
static double machine_flops(const sri_job *job, double n, double columns_each)
{
    const double count = (double)job->count, T = (double)job->T, w = SRI_BAND_WIDTH;
    const double groups = ceil(count / (double)group_width(job));
    const bool slack = job->need & SRI_NEED_SLACK;
    double flops = 4.0 / 3 / 0.9 * n * n * n + 6 * n * n * w;
    flops += n * n * (100 * (slack ? 1 : 1 + groups) + 3 * count * T * columns_each);
    if (!job->filter->ops->resolvents)
        return flops;
    const double solves = job->filter->ops->resolvents(job->filter);
    const double trace = job->need & SRI_NEED_DF && !slack ? 6 : 0;
    if (slack)
        flops += 4.0 / 3 / 0.9 * n * n * n + count * w * (2 * n * n + 300 * n);
    return flops + count * n * w * ((10 + trace) * w + 25 * solves * T);
}

/* By one thread: the steps. */
static double serial_operations(const sri_job *job, double n)
{
    if (job->filter->ops->resolvents)
        return 0;
    return 0.38 * job->param[job->count - 1] * n * SRI_BAND_WIDTH * (double)job->T;
}

static sri_cost cost(const sri_job *job)
{
    const int64_t n = job->op->n, most = most_rows(job), parts = sri_job_parts(job);
    const double rows = (double)n, columns = (double)(job->T * group_width(job));
    const double held = (double)(job->repeats * job->T * job->count) * (parts > 0);
    double flops = wants_whole(job) ? machine_flops(job, rows, 2) : 0;
    double serial = wants_whole(job) ? serial_operations(job, rows) : 0;
    for (int64_t part = 0; part < parts; part++) {
        const double train = (double)training_rows(job, part);
        flops += machine_flops(job, train, 1) +
                 2 * (rows - train) * rows * (double)(job->count * job->T);
        serial += serial_operations(job, train);
    }
    const double leverages = job->need & SRI_NEED_SLACK
                                 ? sri_band_factors_bytes(n, group_width(job)) +
                                       8 * rows * columns + sri_band_form_bytes(n)
                                 : 0;
    return (sri_cost){.flops = flops,
                      .values = rows * rows / 2,
                      .scalar = serial,
                      .regions = (double)(parts + wants_whole(job)) * rows,
                      .bytes = leverages + 8 * (rows * rows + (double)most * (double)most) +
                               sri_band_path_bytes(job, n) +
                               8 * rows * (4 * columns + held + 3 * (double)job->T + HELD_ROWS)};
}

/* ------------------------------------------------------------------- state */

typedef struct state {
    const sri_job *job;
    sri_sink *sink;
    sri_report *report;
    int64_t width;   /* points in a group                                             */
    double *K;       /* n x n                                                         */
    int64_t *row;    /* n: the rows that train, then those held out                   */
    double *X;       /* columns of a group: coefficients and residuals, see band_path.h */
    double raised;   /* the eigenvalue of features that are not penalised             */
    double *df;      /* count                                                         */
    bool *failed;    /* count: rounding has eaten this lambda                         */
    bool *now;       /* width: the same for one machine                               */
    double *slack;   /* width x n, or NULL                                            */
    double *a1, *r1; /* n x T: one point                                            */
    double *held;    /* count x (repeats x n x T)                                     */
} state;

static specreg_status state_new(specreg_context *ctx, state *s)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = s->job;
    const int64_t n = job->op->n, T = job->T;
    s->width = group_width(job);
    SRI_ALLOC(ctx, s->K, n, n);
    sri_large_pages(s->K, 8 * (double)n * (double)n); /* tiles of it reach over many columns */
    SRI_ALLOC(ctx, s->row, n, 1);
    SRI_ALLOC(ctx, s->X, 2 * s->width * T, n);
    SRI_ALLOC(ctx, s->df, job->count, 1);
    SRI_CALLOC(ctx, s->failed, job->count, 1);
    SRI_ALLOC(ctx, s->now, s->width, 1);
    if (job->need & SRI_NEED_SLACK)
        SRI_ALLOC(ctx, s->slack, s->width, n);
    SRI_ALLOC(ctx, s->a1, n, T);
    SRI_ALLOC(ctx, s->r1, n, T);
    SRI_CALLOC(ctx, s->held, job->need & SRI_NEED_FOLDS ? job->count * job->repeats : 0, n * T);
done:
    return st;
}

static void state_free(state *s)
{
    void *const all[] = {s->held,   s->r1, s->a1, s->slack, s->now,
                         s->failed, s->df, s->X,  s->row,   s->K};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static specreg_status next_group(specreg_context *ctx, state *s, sri_band_path *path, int64_t first,
                                 int64_t c, bool whole)
{
    specreg_status st = SPECREG_OK;
    SRI_TRY(sri_band_path_next(ctx, path, first, c, whole, s->X, s->now, s->df + first,
                               whole ? s->slack : NULL));
    for (int64_t k = 0; k < c; k++)
        s->failed[first + k] = s->failed[first + k] || s->now[k];
    SRI_TRY(sri_poll(ctx));
done:
    return st;
}

/* ------------------------------------------------------------------- folds */

/* s->row: the rows that train without a part, which are counted, then the part itself. */
static int64_t sort_rows(state *s, int64_t part)
{
    const sri_job *job = s->job;
    const int64_t train = training_rows(job, part);
    int64_t in = 0, out = train;
    for (int64_t i = 0; i < job->op->n; i++)
        s->row[sri_job_folds(job, part)[i] != sri_job_fold(job, part) ? in++ : out++] = i;
    return train;
}

/* The upper triangle of the matrix of the rows that train. */
static void cut_out(const state *s, int64_t train, double *A)
{
    const int64_t n = s->job->op->n;
#pragma omp parallel for schedule(dynamic, 16)
    for (int64_t i = 0; i < train; i++) {
        const double *from = s->K + s->row[i] * n;
        for (int64_t j = i; j < train; j++)
            A[i * train + j] = from[s->row[j]];
    }
}

/* Held-out residuals of `rows` rows from the at-th of the part on, at c points: y - K alpha, alpha
 * spread over all n rows with 0 where none is. */
static void predict_block(state *s, int64_t part, int64_t first, int64_t c, const int64_t *row,
                          int64_t rows, const double *spread, double *block, double *F)
{
    const sri_job *job = s->job;
    const int64_t n = job->op->n, T = job->T, C = c * T;
    double *out = s->held + part / job->folds * n * T;
    for (int64_t i = 0; i < rows; i++)
        memcpy(block + i * n, s->K + row[i] * n, (size_t)n * sizeof *block);
    sri_gemm(false, true, rows, C, n, 1, block, n, spread, n, 0, F, C);
    for (int64_t k = 0; k < c; k++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t t = 0; t < T; t++)
                out[((first + k) * job->repeats * n + row[i]) * T + t] =
                    job->Y[row[i] * T + t] - F[i * C + k * T + t];
}

static specreg_status predict(specreg_context *ctx, state *s, int64_t part, int64_t train,
                              int64_t first, int64_t c)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = s->job->op->n, C = c * s->job->T;
    double *spread = NULL, *block = NULL, *F = NULL;
    SRI_CALLOC(ctx, spread, C, n);
    SRI_ALLOC(ctx, block, HELD_ROWS, n);
    SRI_ALLOC(ctx, F, HELD_ROWS, C);
    for (int64_t k = 0; k < C; k++)
        for (int64_t i = 0; i < train; i++)
            spread[k * n + s->row[i]] = s->X[k * train + i];
    for (int64_t at = train; at < n; at += HELD_ROWS)
        predict_block(s, part, first, c, s->row + at, n - at < HELD_ROWS ? n - at : HELD_ROWS,
                      spread, block, F);
done:
    free(F);
    free(block);
    free(spread);
    return st;
}

/* The whole path without a part; A has room for the largest matrix. */
static specreg_status run_part(specreg_context *ctx, state *s, int64_t part, double *A)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = s->job;
    const int64_t train = sort_rows(s, part);
    sri_band_path path = {0};
    if (train == job->op->n) /* an empty fold */
        return st;
    if (train > 0) {
        cut_out(s, train, A);
        SRI_TRY(sri_band_path_start(ctx, &path, job, sri_job_mass(job, part), train, s->row, A));
    }
    for (int64_t first = 0; first < job->count; first += s->width) {
        const int64_t left = job->count - first, c = left < s->width ? left : s->width;
        if (train > 0)
            SRI_TRY(next_group(ctx, s, &path, first, c, false));
        SRI_TRY(predict(ctx, s, part, train, first, c));
    }
done:
    sri_band_path_end(&path);
    return st;
}

static specreg_status run_parts(specreg_context *ctx, state *s)
{
    specreg_status st = SPECREG_OK;
    const int64_t most = most_rows(s->job);
    double *A = NULL;
    SRI_ALLOC(ctx, A, most, most);
    sri_large_pages(A, 8 * (double)most * (double)most);
    for (int64_t part = 0; part < sri_job_parts(s->job); part++) {
        SRI_TRY(run_part(ctx, s, part, A));
        SRI_TRY(sri_poll(ctx));
    }
done:
    free(A);
    return st;
}

/* ------------------------------------------------------------------- points */

/* Point k of a group of c whose columns are in s->X, or one with held-out residuals alone. */
static specreg_status put_point(specreg_context *ctx, state *s, int64_t first, int64_t c, int64_t k,
                                bool whole)
{
    const sri_job *job = s->job;
    const int64_t n = job->op->n, T = job->T, i = first + k;
    for (int64_t t = 0; whole && t < T; t++)
        for (int64_t row = 0; row < n; row++) {
            s->a1[row * T + t] = s->X[(k * T + t) * n + row];
            s->r1[row * T + t] = s->X[((c + k) * T + t) * n + row];
        }
    return s->sink->put(ctx, s->sink,
                        &(sri_path_point){.index = i,
                                          .param = job->param[i],
                                          .alpha = whole ? s->a1 : NULL,
                                          .residual = whole ? s->r1 : NULL,
                                          .slack = whole && s->slack ? s->slack + k * n : NULL,
                                          .raised = s->raised / job->op->mass,
                                          .df = job->need & SRI_NEED_DF ? s->df[i] : NAN,
                                          .fold_residual = job->need & SRI_NEED_FOLDS
                                                               ? s->held + i * job->repeats * n * T
                                                               : NULL});
}

/* Hands a group on.  Points that failed next to each other share a decomposition. */
static specreg_status put_group(specreg_context *ctx, state *s, int64_t first, int64_t c,
                                bool whole)
{
    specreg_status st = SPECREG_OK;
    for (int64_t k = 0, failed = 0; k < c; k += failed ? failed : 1) {
        for (failed = 0; k + failed < c && s->failed[first + k + failed];)
            failed++;
        if (failed)
            SRI_TRY(sri_fall_back(ctx, s->job, first + k, failed, s->sink, s->report));
        else
            SRI_TRY(put_point(ctx, s, first, c, k, whole));
    }
done:
    return st;
}

/* The machine of all rows, for which K is given up, where it is asked for. */
static specreg_status run_whole(specreg_context *ctx, state *s)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = s->job;
    const bool whole = wants_whole(job);
    sri_band_path path = {0};
    for (int64_t i = 0; i < job->op->n; i++)
        s->row[i] = i;
    if (whole)
        SRI_TRY(sri_band_path_start(ctx, &path, job, job->op->mass, job->op->n, s->row, s->K));
    if (whole && s->slack)
        SRI_TRY(sri_band_path_leverages(ctx, &path, s->width));
    for (int64_t first = 0; first < job->count; first += s->width) {
        const int64_t left = job->count - first, c = left < s->width ? left : s->width;
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
    SRI_TRY(sri_op_fill(ctx, job->op, true, s.K));
    SRI_TRY(
        sri_op_raise(ctx, job->op, 1 / (double)job->op->n, s.K, &s.raised)); /* as cholesky does */
    if (s.raised > 0)
        sri_kernel_mirror(s.K, job->op->n, job->op->n);
    SRI_TRY(sri_poll(ctx));
    if (job->need & SRI_NEED_FOLDS)
        SRI_TRY(run_parts(ctx, &s));
    SRI_TRY(run_whole(ctx, &s));
    if (job->filter->ops->iteration)
        report->steps = (int64_t)job->param[job->count - 1];
done:
    state_free(&s);
    return st;
}

const sri_engine sri_engine_band = {
    .name = "band",
    .refuses = refuses,
    .cost = cost,
    .run = run,
};
