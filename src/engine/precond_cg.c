/* Conjugate gradients with a preconditioner P (preconditioner.h) for A = K + mu I, from X = 0 and
 * R = Y:  with Z = P^-1 R and rho = <R, Z>,
 *     D = Z + (rho / rho before) D,   a = rho / <D, A D>,   X += a D,   R -= a A D.
 * There is a column for every lambda, output and fold (and for all rows).  A pass is one product
 * with K, whose values are computed once for all columns.
 *
 * Rows of a fold are masked: X and D are 0 there, sums go over the other rows, and the recurrence
 * for R goes on in the held-out rows, where it becomes y_i - f(x_i) of the predictor trained
 * without them.  With unpenalised terms R is what they leave of it, fitted to the other rows.
 *
 * A column whose residual is short takes part in the next pass with X in place of D: that is its
 * true residual, the certificate.  If it is short too, the column is done and leaves; else the
 * recurrence starts again from there. */
#include "engine/precond_cg.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "engine/preconditioner.h"

enum {
    MOST_PASSES = 1000,
    SERIAL = 50000, /* numbers that one thread changes before others wake up */
    SLAB = 2048,    /* rows that are summed together: the same for any number of threads */
    PER_COLUMN = 9  /* vectors of length n that live for each column, those of products included */
};
/* Rounding may keep residuals longer than the tolerance; one longer than ROUGHEST is no
 * solution. */
static const double ROUGHEST = 1e-3;

typedef enum state { DESCENDS, IS_CHECKED, IS_DONE } state;

typedef struct column {
    int64_t point, fold, t; /* fold -1: all rows */
    state state;
    double mu;
    double norm;     /* of y in the rows that train                          */
    double limit;    /* for the residual, as a share of it                   */
    double rho;      /* 0: the next direction is the first                   */
    double residual; /* the true one at the last check, as a share; infinite */
} column;

/* The columns that take part in a pass, side by side. */
typedef struct packed {
    int64_t count;
    int64_t *number, *part; /* among all, and of the preconditioner */
    double *mu, *sum, *step;
    double *in, *out; /* n x count     */
    double *partial;  /* slabs x count */
} packed;

typedef struct solver {
    const sri_job *job;
    sri_sink *sink;
    sri_report *report;
    sri_preconditioner preconditioner;
    sri_fold_projection *projections;
    double kappa2, tolerance;
    int64_t n, count; /* columns of a group of points */
    column *column;
    double *X, *R, *D; /* n x count                                          */
    packed a;
    double *terms; /* space for coefficients of unpenalised terms        */
    int64_t next;  /* the point that is put next                         */
} solver;

/* Whether coefficients are left out. */
static bool scores_only(const sri_job *job)
{
    return sri_job_needs(job, SRI_NEED_FOLDS) &&
           (job->request.scores_only || job->request.tolerance > 0);
}

static int64_t columns_of_point(const sri_job *job)
{
    return job->problem.T * (sri_job_folds(job) + !scores_only(job));
}

/* Sums over rows of products of `in` with another such matrix, into `sum`. */
static void dots(solver *s, const double *other)
{
    const int64_t a = s->a.count, slabs = (s->n + SLAB - 1) / SLAB;
#pragma omp parallel for schedule(static) if (s->n * s->a.count > SERIAL)
    for (int64_t b = 0; b < slabs; b++) {
        double *sum = s->a.partial + b * a;
        memset(sum, 0, (size_t)a * sizeof *sum);
        for (int64_t i = b * SLAB; i < (b + 1) * SLAB && i < s->n; i++)
#pragma omp simd
            for (int64_t c = 0; c < a; c++)
                sum[c] += s->a.in[i * a + c] * other[i * a + c];
    }
    memset(s->a.sum, 0, (size_t)a * sizeof *s->a.sum);
    for (int64_t b = 0; b < slabs; b++)
        for (int64_t c = 0; c < a; c++)
            s->a.sum[c] += s->a.partial[b * a + c];
}

/* The columns that are not done. */
static void find_active(solver *s)
{
    s->a.count = 0;
    for (int64_t c = 0; c < s->count; c++)
        if (s->column[c].state != IS_DONE) {
            const int64_t fold = s->column[c].fold, k = s->a.count++;
            s->a.number[k] = c;
            s->a.part[k] = fold < 0 ? s->preconditioner.n_parts - 1 : fold;
            s->a.mu[k] = s->column[c].mu;
        }
}

static sri_fold fold_of(const solver *s, int64_t k)
{
    return sri_job_fold(s->job, s->column[s->a.number[k]].fold);
}

/* Takes unpenalised terms, fitted to the rows that train, out of column k of v (n x count). */
static void clean(solver *s, int64_t k, double *v)
{
    const sri_fold_projection *p =
        sri_job_projection(s->job, s->projections, s->column[s->a.number[k]].fold);
    if (p)
        sri_fold_project(p, v + k, s->a.count, s->terms);
}

/* Makes the held-out rows of v (n x count) 0. */
static void mask(const solver *s, double *v)
{
    for (int64_t k = 0; k < s->a.count; k++) {
        const sri_fold fold = fold_of(s, k);
        for (int64_t i = 0; fold.of_row && i < s->n; i++)
            if (sri_fold_holds(fold, i))
                v[i * s->a.count + k] = 0;
    }
}

/* in = what the product takes of each column. */
static void gather(solver *s)
{
    const int64_t a = s->a.count;
#pragma omp parallel for schedule(static) if (s->n * s->a.count > SERIAL)
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = 0; k < a; k++) {
            const int64_t c = s->a.number[k];
            s->a.in[i * a + k] = (s->column[c].state == DESCENDS ? s->D : s->X)[i * s->count + c];
        }
}

/* out = (K + mu I) in, in the rows that train; in held-out rows K in. */
static specreg_status multiply(specreg_context *ctx, solver *s)
{
    const int64_t a = s->a.count;
    SRI_CALL(sri_op_apply(ctx, s->job->problem.op, a, s->a.in, s->a.out));
    for (int64_t k = 0; k < a; k++)
        clean(s, k, s->a.out);
#pragma omp parallel for schedule(static) if (s->n * s->a.count > SERIAL)
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = 0; k < a; k++)
            s->a.out[i * a + k] += s->a.mu[k] * s->a.in[i * a + k];
    return SPECREG_OK;
}

/* Lengths of steps; a direction without curvature, or nothing to go on with, ends the descent. */
static void find_steps(solver *s)
{
    dots(s, s->a.out);
    for (int64_t k = 0; k < s->a.count; k++) {
        column *c = &s->column[s->a.number[k]];
        s->a.step[k] = c->state == DESCENDS && s->a.sum[k] > 0 ? c->rho / s->a.sum[k] : 0;
    }
}

/* R = Y - out, without unpenalised terms, for a column that is checked. */
static void true_residual(solver *s, int64_t k)
{
    const int64_t c = s->a.number[k], T = s->job->problem.T, a = s->a.count;
    const double *y = s->job->problem.Y + s->column[c].t;
    for (int64_t i = 0; i < s->n; i++)
        s->a.out[i * a + k] = y[i * T] - s->a.out[i * a + k];
    clean(s, k, s->a.out);
    for (int64_t i = 0; i < s->n; i++)
        s->R[i * s->count + c] = s->a.out[i * a + k];
}

/* X += a D and R -= a A D, or the true residual; in = R in the rows that train. */
static void advance(solver *s)
{
    const int64_t a = s->a.count, m = s->count;
    for (int64_t k = 0; k < a; k++)
        if (s->column[s->a.number[k]].state == IS_CHECKED)
            true_residual(s, k);
#pragma omp parallel for schedule(static) if (s->n * s->a.count > SERIAL)
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = 0; k < a; k++) {
            const int64_t at = i * m + s->a.number[k];
            if (s->column[s->a.number[k]].state == DESCENDS) {
                s->X[at] += s->a.step[k] * s->a.in[i * a + k];
                s->R[at] -= s->a.step[k] * s->a.out[i * a + k];
            }
            s->a.in[i * a + k] = s->R[at];
        }
    mask(s, s->a.in);
}

/* What follows from the length of a column's residual. */
static void judge(column *c, double length, double step)
{
    const double share = c->norm > 0 ? length / c->norm : length;
    if (c->state == DESCENDS) {
        if (!(share > 0.7 * c->limit) || !(step > 0))
            c->state = IS_CHECKED;
        return;
    }
    const bool falls = share < 0.5 * c->residual;
    c->residual = share;
    c->state = share > c->limit && falls ? DESCENDS : IS_DONE;
    c->rho = 0;
}

/* D = P^-1 R + (rho / rho before) D; `in` has R. */
static specreg_status turn(specreg_context *ctx, solver *s)
{
    const int64_t a = s->a.count;
    const sri_preconditioned columns = {a, s->a.part, s->a.mu};
    SRI_CALL(sri_preconditioner_apply(ctx, &s->preconditioner, &columns, s->a.in, s->a.out));
    mask(s, s->a.out);
    for (int64_t k = 0; k < a; k++)
        clean(s, k, s->a.out);
    mask(s, s->a.out);
    dots(s, s->a.out);
    for (int64_t k = 0; k < a; k++) {
        column *c = &s->column[s->a.number[k]];
        s->a.step[k] = c->rho > 0 ? s->a.sum[k] / c->rho : 0;
        c->rho = s->a.sum[k];
    }
#pragma omp parallel for schedule(static) if (s->n * s->a.count > SERIAL)
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = 0; k < a; k++) {
            double *d = &s->D[i * s->count + s->a.number[k]];
            *d = s->a.out[i * a + k] + s->a.step[k] * *d;
        }
    return SPECREG_OK;
}

static specreg_status pass(specreg_context *ctx, solver *s)
{
    find_active(s);
    gather(s);
    SRI_CALL(multiply(ctx, s));
    find_steps(s);
    advance(s);
    dots(s, s->a.in);
    for (int64_t k = 0; k < s->a.count; k++)
        judge(&s->column[s->a.number[k]], sqrt(s->a.sum[k]), s->a.step[k]);
    return turn(ctx, s);
}

/* A column of point `point`: output c % T without fold c / T, the last ones with all rows. */
static column column_make(const solver *s, int64_t point, int64_t c)
{
    const sri_job *job = s->job;
    const int64_t slot = c / job->problem.T, fold = slot < sri_job_folds(job) ? slot : -1;
    const double lambda = job->path.param[point];
    return (column){.point = point,
                    .fold = fold,
                    .t = c % job->problem.T,
                    .state = IS_CHECKED,
                    .mu = lambda * sri_job_mass(job, fold),
                    .limit = fmin(s->tolerance + 4 * DBL_EPSILON * s->kappa2 / lambda, ROUGHEST),
                    .residual = INFINITY};
}

/* The columns of the points that follow, with R = Y and the first direction. */
static specreg_status start(specreg_context *ctx, solver *s)
{
    const int64_t each = columns_of_point(s->job);
    for (int64_t c = 0; c < s->count; c++)
        s->column[c] = column_make(s, s->next + c / each, c % each);
    find_active(s);
    memset(s->X, 0, (size_t)(s->n * s->count) * sizeof *s->X);
    memset(s->D, 0, (size_t)(s->n * s->count) * sizeof *s->D);
    memset(s->a.out, 0, (size_t)(s->n * s->count) * sizeof *s->a.out);
    advance(s);
    dots(s, s->a.in);
    for (int64_t c = 0; c < s->count; c++) {
        s->column[c].norm = sqrt(s->a.sum[c]);
        s->column[c].state = s->a.sum[c] > 0 ? DESCENDS : IS_DONE;
        s->column[c].residual = s->a.sum[c] > 0 ? INFINITY : 0;
    }
    return turn(ctx, s);
}

/* What is handed on of a point: n x T, n x T, repeats x n x T. */
typedef struct results {
    double *alpha, *residual, *held_out;
} results;

/* Copies a column of a point to its place. */
static void copy_out(const solver *s, int64_t c, const results *to)
{
    const column *own = &s->column[c];
    const int64_t T = s->job->problem.T, n = s->n;
    const sri_fold fold = sri_job_fold(s->job, own->fold);
    const int64_t repeat = own->fold < 0 ? 0 : own->fold / s->job->problem.folds.per_repeat;
    for (int64_t i = 0; i < n; i++) {
        const double x = s->X[i * s->count + c], r = s->R[i * s->count + c];
        if (own->fold < 0) {
            to->alpha[i * T + own->t] = x;
            to->residual[i * T + own->t] = r + own->mu * x;
        } else if (sri_fold_holds(fold, i)) {
            to->held_out[(repeat * n + i) * T + own->t] = r;
        }
    }
}

/* Whether all columns of a point are done. */
static bool is_done(const solver *s, int64_t point)
{
    for (int64_t c = 0; c < s->count; c++)
        if (s->column[c].point == point && s->column[c].state != IS_DONE)
            return false;
    return true;
}

static bool is_enough(const solver *s)
{
    return s->sink->enough && s->sink->enough(s->sink);
}

static specreg_status put(specreg_context *ctx, solver *s)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t T = s->job->problem.T;
    const bool alone = scores_only(s->job);
    results to;
    SRI_SCRATCH_EACH(ctx, &scratch, s->n, T, &to.alpha, &to.residual);
    SRI_SCRATCH_ZERO(ctx, &scratch, to.held_out, s->n * sri_job_repeats(s->job), T);
    for (int64_t c = 0; c < s->count; c++)
        if (s->column[c].point == s->next) {
            copy_out(s, c, &to);
            s->report->bound = fmax(s->report->bound, s->column[c].residual);
        }
    if (s->tolerance > SRI_PRECOND_CG_STORED_TOLERANCE)
        s->report->residual = s->report->bound;
    sri_path_point point = sri_job_point(s->job, s->next++);
    point.alpha = alone ? NULL : to.alpha;
    point.residual = alone ? NULL : to.residual;
    point.fold_residual = sri_job_repeats(s->job) ? to.held_out : NULL;
    SRI_TRY(s->sink->put(ctx, s->sink, &point));
done:
    sri_arena_free(&scratch);
    return st;
}

/* The points of a group, from the next one on. */
static specreg_status solve_group(specreg_context *ctx, solver *s, int64_t points)
{
    const int64_t end = s->next + points;
    s->count = points * columns_of_point(s->job);
    SRI_CALL(start(ctx, s));
    for (int64_t passes = 0;; passes++) {
        while (s->next < end && is_done(s, s->next) && !is_enough(s))
            SRI_CALL(put(ctx, s));
        s->report->steps = passes > s->report->steps ? passes : s->report->steps;
        if (s->next == end || is_enough(s))
            return SPECREG_OK;
        for (int64_t c = 0; passes >= MOST_PASSES && c < s->count; c++)
            if (s->column[c].state == DESCENDS)
                s->column[c].state = IS_CHECKED;
        SRI_CALL(pass(ctx, s));
    }
}

static double bytes_of_points(const sri_job *job, double points)
{
    const double width = points * (double)columns_of_point(job);
    const double put = (double)(job->problem.T * (sri_job_repeats(job) + 2));
    return 8 * (double)job->shape.n * (PER_COLUMN * width + put);
}

/* Points whose columns fit in a part of the memory. */
static int64_t group_points(const sri_job *job)
{
    const double fit = 0.4 * (double)job->request.memory / bytes_of_points(job, 1);
    return fit < 1 ? 1 : fit < (double)job->path.count ? (int64_t)fit : job->path.count;
}

static specreg_status solver_new(specreg_context *ctx, sri_arena *memory, solver *s)
{
    const sri_job *job = s->job;
    const int64_t count = group_points(job) * columns_of_point(job), n = job->problem.op->n;
    const sri_projection *terms = job->problem.op->projection;
    packed *a = &s->a;
    s->n = n;
    s->tolerance =
        sri_preconditioner_stored(job) ? SRI_PRECOND_CG_STORED_TOLERANCE : SRI_PRECOND_CG_TOLERANCE;
    SRI_ARENA_NEW(ctx, memory, s->column, count, 1);
    SRI_ARENA_NEW(ctx, memory, a->number, count, 1);
    SRI_ARENA_NEW(ctx, memory, a->part, count, 1);
    SRI_ARENA_NEW(ctx, memory, a->partial, (n + SLAB - 1) / SLAB, count);
    SRI_ARENA_NEW(ctx, memory, s->terms, terms ? terms->l : 0, 1);
    SRI_CALL(sri_arena_take_each(ctx, memory, count, 1,
                                 (double **const[]){&a->mu, &a->sum, &a->step, NULL}));
    SRI_CALL(sri_arena_take_each(ctx, memory, n, count,
                                 (double **const[]){&s->X, &s->R, &s->D, &a->in, &a->out, NULL}));
    SRI_CALL(sri_op_kappa2(ctx, job->problem.op, &s->kappa2));
    SRI_CALL(sri_job_projections_make(ctx, job, &s->projections));
    return sri_preconditioner_new(ctx, job, s->projections, sri_preconditioner_rank(job),
                                  &s->preconditioner);
}

specreg_status sri_precond_cg(specreg_context *ctx, const sri_job *job, sri_sink *sink,
                              sri_report *report)
{
    specreg_status st = SPECREG_OK;
    sri_arena memory = {0};
    solver s = {.job = job, .sink = sink, .report = report};
    if (sri_preconditioner_stored(job))
        SRI_TRY(sri_job_prepare(ctx, job, report));
    SRI_TRY(solver_new(ctx, &memory, &s));
    report->rank = s.preconditioner.rank;
    while (s.next < job->path.count && !is_enough(&s))
        SRI_TRY(solve_group(ctx, &s, sri_job_points(job, s.next, group_points(job))));
done:
    sri_preconditioner_free(&s.preconditioner);
    sri_job_projections_free(job, s.projections);
    sri_arena_free(&memory);
    return st;
}

bool sri_precond_cg_serves(const sri_job *job)
{
    const sri_filter *f = job->path.filter;
    return sri_filter_is_plain(f) && !sri_job_differs(job) && job->problem.op->revealed.kernel &&
           !sri_shape_by_factors(&job->shape) &&
           (sri_preconditioner_stored(job) || !(sri_job_stored_bytes(job) > 0));
}

sri_cost sri_precond_cg_cost(const sri_job *job)
{
    const double n = (double)job->shape.n, rank = (double)sri_preconditioner_rank(job);
    const double width = (double)columns_of_point(job), count = (double)job->path.count;
    const double points = (double)group_points(job), k = sri_preconditioned_passes(job);
    const double stored = sri_preconditioner_stored(job) ? sri_job_stored_bytes(job) : 0;
    sri_cost c = {.flops = sri_preconditioner_flops(job, rank) + 4 * k * n * rank * width * count,
                  .regions = 10 * k * ceil(count / points),
                  .random_bytes = stored > 0 ? 16 * k * n * rank : 0,
                  .random_working_set = 8 * n * rank,
                  .values = stored > 0 ? n * n / 2 : 0,
                  .bytes =
                      stored + sri_preconditioner_bytes(job, rank) + bytes_of_points(job, points)};
    sri_job_product_cost(job, stored > 0, width * points, k * ceil(count / points), &c);
    return c;
}
