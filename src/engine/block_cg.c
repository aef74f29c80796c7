/* Block conjugate gradients in the form that keeps the residuals as R = Q S with orthonormal
 * columns Q (Dubrulle): for A = K + mu I, from X = 0, R = Y and P = Q,
 *     D = P'AP,  X += P D^-1 S,  Q z = Q - AP D^-1,  P = Q + P z',  S = z S.
 * The step of every output is the best in the space that all of them span, so that there are fewer
 * steps than each would take alone.  Columns of Q that depend on the others are left out: blocks
 * get narrower as combinations of outputs are solved.  What rounding, or a column left out,
 * keeps from the residuals is seen from a product with X: then it starts again from there. */
#include "engine/block_cg.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/factor.h"
#include "core/arena.h"
#include "engine/tall.h"

enum { STARTS = 8, PASSES = 4 };

typedef struct block {
    sri_arena scratch;
    const sri_job *job;
    double mu, tolerance;
    int64_t n, from, w; /* outputs from .. from + w - 1 */
    int64_t r;          /* columns of P and Q           */
    int64_t steps;
    sri_tall tall;
    double *norm;                      /* w: |y|, 1 where that is 0    */
    double *X;                         /* n x w, of outputs scaled to length 1 */
    double *P, *AP, *Q, *W;            /* n x w at most            */
    double *D, *E, *C, *G, *F, *Z, *S; /* w x w at most */
    double size;                       /* about |K + mu I|, from below */
} block;

/* The lengths of the outputs, without overflow; 1 for 0. */
static void find_norms(block *b)
{
    const int64_t T = b->job->problem.T, w = b->w;
    double most[SRI_TALL_MOST] = {0}, sum[SRI_TALL_MOST] = {0};
    for (int64_t i = 0; i < b->n; i++)
        for (int64_t t = 0; t < w; t++)
            most[t] = fmax(most[t], fabs(b->job->problem.Y[i * T + b->from + t]));
    for (int64_t i = 0; i < b->n; i++)
        for (int64_t t = 0; t < w; t++) {
            const double y = most[t] > 0 ? b->job->problem.Y[i * T + b->from + t] / most[t] : 0;
            sum[t] += y * y;
        }
    for (int64_t t = 0; t < w; t++)
        b->norm[t] = most[t] > 0 ? most[t] * sqrt(sum[t]) : 1;
}

static specreg_status block_new(specreg_context *ctx, const sri_job *job, int64_t from, int64_t w,
                                block *b)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = job->problem.op->n;
    *b = (block){.job = job,
                 .mu = job->path.param[0] * job->problem.op->mass,
                 .n = n,
                 .from = from,
                 .w = w};
    SRI_TRY(sri_tall_new(ctx, &b->scratch, n, w, &b->tall));
    SRI_SCRATCH(ctx, &b->scratch, b->norm, w, 1);
    SRI_SCRATCH_ZERO(ctx, &b->scratch, b->X, n, w);
    SRI_SCRATCH_EACH(ctx, &b->scratch, n, w, &b->P, &b->AP, &b->Q, &b->W);
    SRI_SCRATCH_EACH(ctx, &b->scratch, w, w, &b->D, &b->E, &b->C, &b->G, &b->F, &b->Z, &b->S);
    find_norms(b);
done:
    return st;
}

static void swap(double **a, double **b)
{
    double *const was = *a;
    *a = *b;
    *b = was;
}

/* The length of the longest residual, that of a column of S (r x w). */
static double longest(const block *b)
{
    double worst = 0;
    for (int64_t t = 0; t < b->w; t++) {
        double sum = 0;
        for (int64_t i = 0; i < b->r; i++)
            sum += b->S[i * b->w + t] * b->S[i * b->w + t];
        worst = sqrt(sum) <= worst ? worst : sqrt(sum); /* NaN stays */
    }
    return worst;
}

/* The columns of Q (n x from), whose Gram matrix is G, become orthonormal, r of them, all but
 * for the factor F of the last pass, which is left to the caller; Z (r x from) is the matrix
 * with Q = Q' Z. Returns how many columns Q has meanwhile. */
static int64_t orthonormalize(block *b, int64_t from)
{
    bool sound = false;
    int64_t columns = from;
    double *first = b->E; /* not needed any more */
    b->r = sri_tall_factor(columns, b->G, b->Z, b->F, &sound);
    for (int pass = 1; pass < PASSES && !sound && b->r; pass++) {
        const int64_t was = b->r;
        sri_tall_times(&b->tall, columns, was, b->Q, b->F, b->W);
        swap(&b->Q, &b->W);
        sri_tall_gram(&b->tall, was, b->Q, b->G);
        memcpy(first, b->Z, (size_t)(was * from) * sizeof *first);
        b->r = sri_tall_factor(was, b->G, b->D, b->F, &sound);
        sri_gemm(false, false, b->r, from, was, 1, b->D, was, first, from, 0, b->Z, from);
        columns = was;
    }
    return columns;
}

/* Q holds the residuals (n x w): Q S = Q, P = Q. */
static void start(block *b)
{
    sri_tall_gram(&b->tall, b->w, b->Q, b->G);
    const int64_t columns = orthonormalize(b, b->w);
    sri_tall_times(&b->tall, columns, b->r, b->Q, b->F, b->W);
    swap(&b->Q, &b->W);
    memcpy(b->P, b->Q, (size_t)(b->n * b->r) * sizeof *b->P);
    memcpy(b->S, b->Z, (size_t)(b->r * b->w) * sizeof *b->S);
}

/* E = D^-1 and C = D^-1 S; false where D is not positive definite. */
static specreg_status solve_small(specreg_context *ctx, block *b, bool *definite)
{
    const int64_t r = b->r;
    int64_t failed = 0;
    for (int64_t j = 0; j < r; j++)
        for (int64_t i = 0; i < r; i++)
            b->E[j * r + i] = i == j;
    memcpy(b->C, b->S, (size_t)(r * b->w) * sizeof *b->C);
    SRI_CALL(sri_cholesky(ctx, r, b->D, &failed));
    *definite = failed == 0;
    if (failed)
        return SPECREG_OK;
    SRI_CALL(sri_cholesky_solve(ctx, r, r, b->D, b->E));
    return sri_cholesky_solve(ctx, r, b->w, b->D, b->C);
}

static specreg_status step(specreg_context *ctx, block *b, bool first, bool *definite)
{
    const int64_t was = b->r, w = b->w;
    SRI_CALL(sri_op_apply(ctx, b->job->problem.op, was, b->P, b->AP));
    sri_tall_shift(&b->tall, was, b->mu, b->P, b->AP, b->D);
    for (int64_t j = 0; first && j < was; j++)
        b->size = fmax(b->size, b->D[j * was + j]);
    SRI_CALL(solve_small(ctx, b, definite));
    if (!*definite)
        return SPECREG_OK;
    sri_tall_advance(&b->tall, was, w,
                     &(sri_tall_step){.P = b->P,
                                      .C = b->C,
                                      .AP = b->AP,
                                      .E = b->E,
                                      .X = b->X,
                                      .Q = b->Q,
                                      .G = b->G});
    const int64_t columns = orthonormalize(b, was);
    sri_tall_redirect(&b->tall, columns, b->r,
                      &(sri_tall_directions){.m = was,
                                             .W = b->Q,
                                             .F = b->F,
                                             .P = b->P,
                                             .Z = b->Z,
                                             .Q = b->W,
                                             .N = b->AP});
    swap(&b->Q, &b->W);
    swap(&b->P, &b->AP);
    memcpy(b->C, b->S, (size_t)(was * w) * sizeof *b->C);
    sri_gemm(false, false, b->r, w, was, 1, b->Z, was, b->C, w, 0, b->S, w);
    b->steps++;
    return sri_poll(ctx);
}

/* AP = K X and Q = the residuals Y - (K + mu I) X, the worst of them returned. */
static specreg_status look(specreg_context *ctx, block *b, double *worst)
{
    const int64_t n = b->n, w = b->w, T = b->job->problem.T;
    double sum[SRI_TALL_MOST] = {0};
    *worst = 0;
    SRI_CALL(sri_op_apply(ctx, b->job->problem.op, w, b->X, b->AP));
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < w; t++) {
            const int64_t k = i * w + t;
            const double y = b->job->problem.Y[i * T + b->from + t] / b->norm[t];
            b->Q[k] = y - b->AP[k] - b->mu * b->X[k];
            sum[t] += b->Q[k] * b->Q[k];
        }
    for (int64_t t = 0; t < w; t++)
        *worst = sqrt(sum[t]) <= *worst ? *worst : sqrt(sum[t]); /* NaN stays */
    return SPECREG_OK;
}

/* What rounding of products with X, as long as 1 / mu, leaves of residuals. */
static double rounding(const block *b)
{
    return DBL_EPSILON * b->size / b->mu;
}

/* Whether the recurrence has residuals short enough for what a product will show. */
static bool is_short(const block *b)
{
    return longest(b) <= b->tolerance / 2 + rounding(b) / 8;
}

/* Steps until all residuals are short, as the recurrence has them. */
static specreg_status descend(specreg_context *ctx, block *b, int64_t most, bool *definite)
{
    *definite = true;
    start(b);
    for (bool first = true; b->r && b->steps < most && !is_short(b); first = false) {
        SRI_CALL(step(ctx, b, first, definite));
        if (!*definite)
            break;
    }
    return SPECREG_OK;
}

static specreg_status solve(specreg_context *ctx, block *b, int64_t most, sri_report *report,
                            bool *done)
{
    double worst = 1, was = INFINITY;
    bool definite = true;
    *done = false;
    for (int64_t i = 0; i < b->n; i++)
        for (int64_t t = 0; t < b->w; t++)
            b->Q[i * b->w + t] =
                b->job->problem.Y[i * b->job->problem.T + b->from + t] / b->norm[t];
    for (int s = 0; s < STARTS && definite && b->steps < most && worst < 0.5 * was; s++) {
        was = worst;
        SRI_CALL(descend(ctx, b, most, &definite));
        SRI_CALL(look(ctx, b, &worst));
        *done = worst <= b->tolerance + rounding(b);
        if (*done)
            break;
    }
    report->bound = fmax(report->bound, worst);
    report->steps = b->steps > report->steps ? b->steps : report->steps;
    return SPECREG_OK;
}

typedef struct solution {
    double *alpha, *residual; /* n x T */
    sri_report report;
} solution;

static void copy_out(const block *b, solution *s)
{
    const int64_t T = b->job->problem.T;
    for (int64_t i = 0; i < b->n; i++)
        for (int64_t t = 0; t < b->w; t++) {
            const int64_t k = i * b->w + t, to = i * T + b->from + t;
            s->alpha[to] = b->norm[t] * b->X[k];
            s->residual[to] = b->job->problem.Y[to] - b->norm[t] * b->AP[k];
        }
}

/* The outputs in blocks of about the same width. */
static int64_t block_width(int64_t T)
{
    const int64_t blocks = (T + SRI_TALL_MOST - 1) / SRI_TALL_MOST;
    return (T + blocks - 1) / blocks;
}

double sri_block_cg_numbers(const sri_job *job)
{
    return (double)job->shape.n *
           (5 * (double)block_width(job->problem.T) + 2 * (double)job->problem.T);
}

/* With a stored matrix and few outputs a step is a pass over it, and a basis that is kept
 * orthogonal takes fewer of them: half as many for one output and lambda = 1e-6.  From FEW
 * outputs on the block makes up for that, and where products are cheap, going by factors,
 * nothing has to. */
bool sri_block_cg_serves(const sri_job *job)
{
    enum { FEW = 4 };
    const sri_filter *f = job->path.filter;
    if (!sri_shape_by_factors(&job->shape) && job->problem.T < FEW)
        return false;
    return sri_filter_is_plain(f) && job->path.count == 1 && !job->request.need &&
           !sri_job_differs(job);
}

/* All outputs, a block at a time, as long as that goes well. */
static specreg_status solve_all(specreg_context *ctx, const sri_job *job, sri_block_limits limits,
                                solution *s, bool *done)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = job->problem.T, width = block_width(T);
    block b = {0};
    *done = true;
    for (int64_t from = 0; from < T && *done; from += width) {
        const int64_t w = T - from < width ? T - from : width;
        SRI_TRY(block_new(ctx, job, from, w, &b));
        b.tolerance = limits.tolerance;
        SRI_TRY(solve(ctx, &b, limits.steps, &s->report, done));
        if (*done)
            copy_out(&b, s);
        sri_arena_free(&b.scratch);
    }
done:
    sri_arena_free(&b.scratch);
    return st;
}

specreg_status sri_block_cg(specreg_context *ctx, const sri_job *job, sri_block_limits limits,
                            sri_sink *sink, sri_report *report, bool *done)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t n = job->problem.op->n, T = job->problem.T;
    solution s = {0};
    SRI_SCRATCH_EACH(ctx, &scratch, n, T, &s.alpha, &s.residual);
    SRI_TRY(solve_all(ctx, job, limits, &s, done));
    if (!*done)
        goto done;
    report->steps = s.report.steps;
    report->bound = s.report.bound;
    sri_path_point point = sri_job_point(job, 0);
    point.alpha = s.alpha;
    point.residual = s.residual;
    SRI_TRY(sink->put(ctx, sink, &point));
done:
    sri_arena_free(&scratch);
    return st;
}
