/* Plain iteration: one product with K per step, the reference for the iterative filters.
 *     alpha_i = alpha_{i-1} + u_i (alpha_{i-1} - alpha_{i-2}) + (w_i / n) R,
 * R = y - K alpha at alpha_{i-1} or ahead of it (filter/filter.h),
 * and, for cg, the textbook recurrences of conjugate gradients (or conjugate residuals).
 * With folds, each has columns of its own in the same product; its rows are masked to zero after
 * every update, and what K alpha says in them are the predictions to validate. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "engine/engine.h"
#include "engine/folded.h"

static const char *refuses(const sri_job *job)
{
    if (!job->path.filter->ops->iteration && !sri_filter_nonlinear(job->path.filter))
        return "the filter is not an iteration";
    if (job->request.need & ~(unsigned)SRI_NEED_FOLDS)
        return "plain iteration knows neither leverages nor degrees of freedom";
    if (sri_job_differs(job) && sri_filter_nonlinear(job->path.filter))
        return "conjugate gradients see all outputs as one";
    if (job->request.need &&
        (sri_filter_nonlinear(job->path.filter) || job->path.filter->step_rule == SRI_STEP_NORM))
        return "folds share a product with a step common to all only";
    return NULL;
}

/* A product and an update for every step.  Textbook cg loses orthogonality, Lanczos keeps it: a
 * handicap leaves cg to the latter. */
static sri_cost cost(const sri_job *job)
{
    if (sri_folded_suits(job))
        return sri_folded_cost(job);
    const double n = (double)job->shape.n, columns = (double)sri_job_columns(job);
    const double steps = sri_job_last(job);
    const double stored = sri_job_stored_bytes(job);
    sri_cost c = {.values = stored > 0 ? n * n / 2 : 0,
                  .scalar = steps * n * columns,
                  .bytes = stored + 8 * (6 * n * columns + (stored > 0 ? 64 : 512) * n),
                  .handicap = sri_filter_nonlinear(job->path.filter) ? 10 : 1};
    sri_job_product_cost(job, stored > 0, columns, steps, &c);
    return c;
}

typedef struct state {
    const sri_job *job;
    sri_sink *sink;
    int64_t next;                     /* first point of the path not handed on yet   */
    int64_t columns;                  /* T, or T for every fold and T for all rows   */
    double *alpha, *residual;         /* n x columns                                 */
    double *a1, *r1;                  /* n x T: the predictor of all rows, with folds  */
    double *held_out;                 /* repeats x n x T: residuals of held-out rows */
    sri_fold_projection *projections; /* without each fold; NULL: there are none */
    double *b;                        /* space for their coefficients                */
} state;

/* Hands on the points of the path that lie at step i. */
static specreg_status put_step(specreg_context *ctx, state *s, int64_t i)
{
    const sri_job *job = s->job;
    const int64_t T = job->problem.T, C = s->columns;
    const bool folds = C > T;
    if (s->next == job->path.count || job->path.param[s->next] > (double)i)
        return SPECREG_OK;
    /* The last T columns hold no rows out. */
    for (int64_t row = 0; folds && row < job->problem.op->n; row++) {
        memcpy(s->a1 + row * T, s->alpha + row * C + C - T, (size_t)T * sizeof *s->a1);
        memcpy(s->r1 + row * T, s->residual + row * C + C - T, (size_t)T * sizeof *s->r1);
    }
    for (; s->next < job->path.count && job->path.param[s->next] <= (double)i; s->next++) {
        sri_path_point point = sri_job_point(job, s->next);
        point.alpha = folds ? s->a1 : s->alpha;
        point.residual = folds ? s->r1 : s->residual;
        point.fold_residual = folds ? s->held_out : NULL;
        SRI_CALL(s->sink->put(ctx, s->sink, &point));
    }
    return SPECREG_OK;
}

/* residual = Y - K alpha, without what unpenalised terms fitted to the training rows explain; in
 * held-out rows it moves to `held_out` and leaves 0.  K alpha comes in `residual`. */
static void masked_residual(state *s)
{
    const sri_job *job = s->job;
    const int64_t T = job->problem.T, C = s->columns;
    for (int64_t i = 0; i < job->problem.op->n; i++) {
        const double *y = job->problem.Y + i * T;
        double *r = s->residual + i * C;
        for (int64_t c = 0; c < C; c += T)
            for (int64_t t = 0; t < T; t++)
                r[c + t] = y[t] - r[c + t];
    }
    for (int64_t c = 0; s->projections && c < C - T; c++)
        sri_fold_project(&s->projections[sri_job_column_fold(job, c)], s->residual + c, C, s->b);
    for (int64_t i = 0; i < job->problem.op->n; i++) {
        double *r = s->residual + i * C;
        for (int64_t k = 0; C > T && k < job->problem.folds.repeats; k++) {
            const int64_t at = k * job->problem.op->n + i;
            if (job->problem.folds.of_row[at] < 0)
                continue;
            double *out = r + (k * job->problem.folds.per_repeat + job->problem.folds.of_row[at]) *
                                  T; /* columns without this row */
            memcpy(s->held_out + at * T, out, (size_t)T * sizeof *out);
            memset(out, 0, (size_t)T * sizeof *out);
        }
    }
}

static specreg_status run_recurrence(specreg_context *ctx, state *s)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const sri_job *job = s->job;
    const sri_filter *filter = job->path.filter;
    const int64_t n = job->problem.op->n, C = s->columns;
    double *before, *r_before = NULL, *share; /* 1 / the mass of the rows that train a column */
    SRI_SCRATCH_ZERO(ctx, &scratch, before, n, C);
    if (filter->ops->iteration->looks_ahead)
        SRI_SCRATCH_ZERO(ctx, &scratch, r_before, n, C);
    SRI_SCRATCH(ctx, &scratch, share, C, 1);
    for (int64_t c = 0; c < C; c++)
        share[c] = 1 / sri_job_mass(job, sri_job_column_fold(job, c));
    memset(s->residual, 0, (size_t)(n * C) * sizeof *s->residual);
    masked_residual(s);
    for (int64_t i = 1; s->next < job->path.count; i++) {
        const sri_step by = filter->ops->iteration->recurrence(filter, i);
        if (r_before)
            sri_look_ahead(n * C, by.v, s->residual, r_before);
        for (int64_t k = 0; k < n * C; k += C)
            for (int64_t c = 0; c < C; c++) {
                const double a = s->alpha[k + c];
                s->alpha[k + c] =
                    a + by.u * (a - before[k + c]) + by.w * share[c] * s->residual[k + c];
                before[k + c] = a;
            }
        SRI_TRY(sri_job_apply(ctx, job, C, NULL, s->alpha, s->residual));
        masked_residual(s);
        SRI_TRY(put_step(ctx, s, i));
    }
done:
    sri_arena_free(&scratch);
    return st;
}

/* Column t of an n x T matrix. */
static double column_dot(int64_t n, int64_t T, int64_t t, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i * T + t] * b[i * T + t];
    return sum;
}

typedef struct cg_output { /* the coefficients of one output */
    double rho;            /* <r,r>, or <r,Kr>                                        */
    double beta;           /* rho over the one before                                 */
    double pivot;          /* 1 / (n step): a pivot of Lanczos's T, see lanczos.c     */
    double top;            /* about |K/n|: the largest diagonal entry of T so far     */
    bool ended;            /* K is singular and no step is left that rounding permits */
} cg_output;

typedef struct cg { /* conjugate gradients, or conjugate residuals */
    bool residuals;
    cg_output *out; /* T                                             */
    double *d, *q;  /* n x T: directions, and K times these          */
    double *Kr;     /* n x T: K times the residuals, where it is asked for */
} cg;

/* The length of the next step, 0 when the output has ended: where T stops being positive definite
 * (cg), or where the residual lies in the null space of K (conjugate residuals). */
static double cg_step(const state *s, const cg *g, int64_t t)
{
    const int64_t n = s->job->problem.op->n, T = s->job->problem.T;
    cg_output *o = &g->out[t];
    const double curve = column_dot(n, T, t, g->residuals ? g->q : g->d, g->q);
    double pivot = curve / (o->rho * (double)n), level = pivot;
    if (g->residuals) {
        level = o->rho / column_dot(n, T, t, s->residual, s->residual) / (double)n;
        o->top = fmax(o->top, level);
    } else {
        o->top = fmax(o->top, pivot + o->beta * o->pivot);
    }
    o->pivot = pivot;
    o->ended = o->ended || !(curve > 0) || !(level > (double)n * DBL_EPSILON * o->top);
    return o->ended ? 0 : o->rho / curve;
}

/* The next directions, d = r + beta d and q = K d.  cg takes that product; conjugate residuals need
 * K r, and q follows from it by the recurrence of d. */
static specreg_status cg_directions(specreg_context *ctx, const state *s, cg *g)
{
    const int64_t n = s->job->problem.op->n, T = s->job->problem.T;
    if (g->residuals)
        SRI_CALL(sri_op_apply(ctx, s->job->problem.op, T, s->residual, g->Kr));
    for (int64_t t = 0; t < T; t++) {
        const double now = column_dot(n, T, t, s->residual, g->residuals ? g->Kr : s->residual);
        const double beta = g->out[t].beta = g->out[t].rho > 0 ? now / g->out[t].rho : 0;
        g->out[t].rho = now;
        for (int64_t k = t; k < n * T; k += T) {
            g->d[k] = s->residual[k] + beta * g->d[k];
            g->q[k] = g->residuals ? g->Kr[k] + beta * g->q[k] : 0;
        }
    }
    if (!g->residuals)
        SRI_CALL(sri_op_apply(ctx, s->job->problem.op, T, g->d, g->q));
    return SPECREG_OK;
}

/* Conjugate gradients on all outputs at once, each with its own coefficients.  With d the
 * direction and q = K d:
 *     cg: step = <r,r>/<d,q>; conjugate residuals: step = <r,Kr>/<q,q>. */
static specreg_status run_cg(specreg_context *ctx, state *s, bool residuals)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const sri_job *job = s->job;
    const int64_t n = job->problem.op->n, T = job->problem.T;
    cg g = {.residuals = residuals};
    SRI_SCRATCH_ZERO(ctx, &scratch, g.d, n, T);
    SRI_SCRATCH_ZERO(ctx, &scratch, g.q, n, T);
    SRI_SCRATCH(ctx, &scratch, g.Kr, n, residuals ? T : 0);
    SRI_SCRATCH_ZERO(ctx, &scratch, g.out, T, 1);
    memcpy(s->residual, job->problem.Y, (size_t)(n * T) * sizeof *s->residual);
    for (int64_t i = 1; s->next < job->path.count; i++) {
        SRI_TRY(cg_directions(ctx, s, &g));
        for (int64_t t = 0; t < T; t++) {
            const double step = cg_step(s, &g, t);
            for (int64_t k = t; k < n * T; k += T) {
                s->alpha[k] += step * g.d[k];
                s->residual[k] -= step * g.q[k];
            }
        }
        SRI_TRY(put_step(ctx, s, i));
    }
done:
    sri_arena_free(&scratch);
    return st;
}

static specreg_status run(specreg_context *ctx, const sri_job *job, sri_sink *sink,
                          sri_report *report)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    state s = {.job = job, .sink = sink, .columns = sri_job_columns(job)};
    const sri_nonlinear kind = sri_filter_nonlinear(job->path.filter);
    report->steps = (int64_t)sri_job_last(job);
    if (sri_folded_suits(job))
        return sri_folded_run(ctx, job, sink);
    SRI_SCRATCH_ZERO(ctx, &scratch, s.alpha, job->problem.op->n, s.columns);
    SRI_SCRATCH(ctx, &scratch, s.residual, job->problem.op->n, s.columns);
    SRI_SCRATCH_EACH(ctx, &scratch, job->problem.op->n, job->problem.T, &s.a1, &s.r1);
    SRI_SCRATCH_ZERO(ctx, &scratch, s.held_out, job->problem.op->n,
                     job->problem.T *
                         (job->problem.folds.repeats ? job->problem.folds.repeats : 1));
    SRI_TRY(sri_job_projections_make(ctx, job, &s.projections));
    SRI_SCRATCH(ctx, &scratch, s.b, s.projections ? job->problem.op->projection->l : 0, 1);
    SRI_TRY(sri_job_prepare(ctx, job, report));
    if (kind == SRI_LINEAR)
        SRI_TRY(run_recurrence(ctx, &s));
    else
        SRI_TRY(run_cg(ctx, &s, kind == SRI_CG_RESIDUAL));
done:
    sri_arena_free(&scratch);
    sri_job_projections_free(job, s.projections);
    return st;
}

const sri_engine sri_engine_iterate = {
    .name = "iterate",
    .refuses = refuses,
    .cost = cost,
    .run = run,
};
