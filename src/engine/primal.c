/* Primal: a linear kernel, K = A A' with A n x p and fewer columns than rows.  One decomposition
 * of the small matrix A'A/n = V' S V (an eigenvector in each row of V) serves every filter,
 * parameter and output.  With b = V A'Y / n
 *     slopes    W = V' g(S) b,            so that K alpha = A W
 *     residual    = Y - A W
 *     alpha       = (1/n) [g(0) Y + A V' h(S) b],   h(s) = (g(s) - g(0)) / s
 *     1 - H_ii    = 1 - (1/n) sum_j (A V')_ij^2 g(s_j),   df = sum_j s_j g(s_j)
 * Folds: without the rows F it is A'A - A_F'A_F that is decomposed, and A'Y - A_F'Y_F that it
 * meets; primal_folds.c. With unpenalised terms S A stands for A: A'A - A'U'UA is
 * what is decomposed, Y is S Y already, and who called takes S of residuals and coefficients. */
#include <float.h>
#include <math.h>

#include "backend/blas.h"
#include "backend/eigen.h"
#include "engine/primal.h"

enum { GROUP_COLUMNS = 64, ROWS = 512 };

static const char *refuses(const sri_job *job)
{
    const sri_op *op = job->problem.op;
    if (!op->linear.points)
        return "it is for linear kernels";
    if (sri_job_differs(job))
        return "outputs that share a matrix are for eig, krylov and iterate";
    if (sri_filter_nonlinear(job->path.filter))
        return "conjugate gradients depend on y, not on the spectrum alone";
    if (op->projection && op->projection->pivots)
        return "it is for the minimiser, not for variant=paper";
    const double p = job->shape.columns;
    if (p < 1 || p > (double)job->shape.n)
        return "there are more columns than rows";
    if (p > SRI_EIG_MAX)
        return "LAPACK's decomposition ends at 32,766 columns";
    if (sri_job_needs(job, SRI_NEED_FOLDS) && job->path.filter->step_rule == SRI_STEP_NORM)
        return "each fold has a norm, and so a step, of its own";
    return NULL;
}

/* Whether coefficients, which nobody asks for, are left out. */
static bool scores_only(const sri_job *job)
{
    return sri_job_needs(job, SRI_NEED_FOLDS) &&
           (job->request.tolerance > 0 || job->request.scores_only);
}

/* A'A of all rows, and once more of the folds of every repeat; a decomposition as engine eig's for
 * each; then products with A, which run at the speed of memory or, sparse, slower. */
static sri_cost cost(const sri_job *job)
{
    enum { SLOW = 10, PAIR = 60 };
    const sri_shape *shape = &job->shape;
    const double n = (double)shape->n, p = shape->columns, T = (double)job->problem.T;
    const double folds = (double)sri_job_folds(job), count = (double)job->path.count;
    const double columns = T * count, wide = fmax(T, fmin(GROUP_COLUMNS, columns));
    const double entries = shape->sparse ? SLOW * shape->nonzeros : n * p;
    const double repeats = (double)sri_job_repeats(job);
    const double square = shape->sparse ? PAIR * shape->row_pairs : 1.5 * n * p * p;
    const bool leverages = sri_job_needs(job, SRI_NEED_LEVERAGE);
    const double path = (scores_only(job) ? 0 : 4) + 2 * repeats;
    const double t = sri_filter_eval_steps(job->path.filter, sri_job_last(job));
    return (sri_cost){.flops = square * (1 + repeats) +
                               (folds + 1) * (5 * p * p * p + 4 * p * p * columns) +
                               path * 2 * entries * columns +
                               (leverages ? 2 * n * p * (p + count) : 0) +
                               150 * t * p * (folds + 1),
                      .traffic = (folds + 1) * 4.0 / 3 * p * p * p,
                      .working_set = 8 * p * p,
                      .scalar = 4 * n * columns * (1 + repeats) + (folds + 1) * 8 * p * p,
                      .regions = 6 * p * (folds + 1),
                      .bytes = 8 * ((folds > 0 ? 6 : 4) * p * p + 2 * ROWS * p +
                                    n * (6 * T + 3 * wide + 4 + (leverages ? count : 0) +
                                         columns * repeats))};
}

specreg_status sri_primal_decompose(specreg_context *ctx, sri_primal *s, double mass)
{
    const int64_t p = s->map.p, T = s->job->problem.T;
    SRI_CALL(sri_eigen(ctx, p, s->V, s->s, true));
    for (int64_t j = 0; j < p; j++)
        s->s[j] = fmax(0, s->s[j]) / mass;
    s->noise = (double)p * DBL_EPSILON * s->s[p - 1];
    sri_gemm(false, false, p, T, p, 1 / mass, s->V, p, s->AY, T, 0, s->b, T);
    return sri_poll(ctx);
}

static specreg_status start(specreg_context *ctx, const sri_job *job, sri_primal *s)
{
    specreg_status st = SPECREG_OK;
    const sri_op *op = job->problem.op;
    *s = (sri_primal){.job = job};
    if (op->weight)
        SRI_SCRATCH(ctx, &s->scratch, s->root, op->n, 1);
    for (int64_t i = 0; op->weight && i < op->n; i++)
        s->root[i] = sqrt(op->weight[i]);
    s->map = sri_linear_map_make(op->linear.points, op->linear.scale, s->root);
    const int64_t p = s->map.p;
    SRI_SCRATCH(ctx, &s->scratch, s->row, op->n, 1);
    SRI_SCRATCH_EACH(ctx, &s->scratch, p, p, &s->C, &s->V);
    SRI_SCRATCH(ctx, &s->scratch, s->s, p, 1);
    SRI_SCRATCH_EACH(ctx, &s->scratch, p, job->problem.T, &s->AY, &s->b);
    for (int64_t i = 0; i < op->n; i++)
        s->row[i] = i;
    SRI_TRY(sri_linear_gram(ctx, &s->map, s->row, op->n, s->C));
    SRI_TRY(sri_linear_back(ctx, &s->map, job->problem.T, job->problem.Y, s->AY));
    for (int64_t k = 0; k < p * p; k++)
        s->V[k] = s->C[k];
    if (op->projection) {
        const int64_t l = op->projection->l;
        SRI_SCRATCH(ctx, &s->scratch, s->UA, p, l);
        SRI_TRY(sri_linear_back_rows(ctx, &s->map, op->projection->l, op->projection->U, s->UA));
        sri_gemm(false, true, p, p, l, -1, s->UA, l, s->UA, l, 1, s->V, p);
    }
    SRI_TRY(sri_primal_decompose(ctx, s, op->mass));
done:
    return st;
}

specreg_status sri_primal_params(specreg_context *ctx, const sri_primal *s, double *param)
{
    const sri_spectrum sp = {.n = s->job->problem.op->n,
                             .m = s->map.p,
                             .s = s->s,
                             .noise = s->noise};
    return sri_spectrum_params(ctx, s->job, &sp, param);
}

void sri_primal_filter(const sri_primal *s, double value, const double *param, int64_t count,
                       double *g, double *r)
{
    sri_path_eval(&(sri_path){s->job->path.filter, param, count}, value, s->noise, g, r);
}

/* one_minus_h (n x count) = 1 - (1/n) (A V' o A V') g, a block of rows at a time. */
static specreg_status find_one_minus_h(specreg_context *ctx, const sri_primal *s,
                                       const double *param, double *one_minus_h)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const sri_job *job = s->job;
    const sri_projection *terms = job->problem.op->projection;
    const int64_t n = job->problem.op->n, p = s->map.p, L = job->path.count;
    double *A, *B, *g, *r;
    SRI_SCRATCH_EACH(ctx, &scratch, ROWS, p, &A, &B);
    SRI_SCRATCH(ctx, &scratch, g, p, L);
    SRI_SCRATCH(ctx, &scratch, r, L, 1);
    for (int64_t j = 0; j < p; j++)
        sri_primal_filter(s, s->s[j], param, L, g + j * L, r);
    for (int64_t i = 0; i < n; i += ROWS) {
        const int64_t few = n - i < ROWS ? n - i : ROWS;
        sri_linear_rows(&s->map, s->row + i, few, A);
        if (terms)
            sri_gemm(true, true, few, p, terms->l, -1, terms->U + i, n, s->UA, terms->l, 1, A, p);
        sri_gemm(false, true, few, p, p, 1, A, p, s->V, p, 0, B, p);
        for (int64_t k = 0; k < few * p; k++)
            B[k] *= B[k];
        for (int64_t k = 0; k < few * L; k++)
            one_minus_h[i * L + k] = 1;
        sri_gemm(false, false, few, L, p, -1 / job->problem.op->mass, B, p, g, L, 1,
                 one_minus_h + i * L, L);
        SRI_TRY(sri_poll(ctx));
    }
done:
    sri_arena_free(&scratch);
    return st;
}

typedef struct group { /* some points of the path, and buffers for `width` of them */
    sri_arena scratch;
    int64_t first, count;
    const double *one_minus_h, *held_out; /* of the whole path, or NULL    */
    double *g, *r;                        /* width                         */
    double *g0;                           /* width: g(0)                   */
    double *df;                           /* width                         */
    double *G, *H;                        /* p x (width T)                 */
    double *W;                            /* p x (width T)                 */
    double *F, *E;                        /* n x (width T): A W, and A V'h b */
    double *alpha, *residual, *h1;        /* one point                     */
    double *slope;                        /* p x T: of one point           */
} group;

static specreg_status group_new(specreg_context *ctx, const sri_primal *s, int64_t width, group *w)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = s->job->problem.op->n, p = s->map.p, T = s->job->problem.T;
    const int64_t wide = scores_only(s->job) ? 0 : width * T;
    SRI_SCRATCH_EACH(ctx, &w->scratch, width, 1, &w->g, &w->r, &w->g0, &w->df);
    SRI_SCRATCH_EACH(ctx, &w->scratch, p, wide, &w->G, &w->H, &w->W);
    SRI_SCRATCH_EACH(ctx, &w->scratch, n, wide, &w->F, &w->E);
    SRI_SCRATCH_EACH(ctx, &w->scratch, n, T, &w->alpha, &w->residual);
    SRI_SCRATCH(ctx, &w->scratch, w->slope, p, T);
    SRI_SCRATCH(ctx, &w->scratch, w->h1, n, 1);
done:
    return st;
}

/* g, h and df at c points; eigenvalues that are rounding count as 0 in h. */
static void filter_group(const sri_primal *s, const double *param, int64_t c, group *w)
{
    const sri_job *job = s->job;
    const int64_t p = s->map.p, T = job->problem.T;
    sri_primal_filter(s, 0, param, c, w->g0, w->r);
    for (int64_t k = 0; k < c; k++)
        w->df[k] = 0;
    for (int64_t j = 0; j < p; j++) {
        sri_primal_filter(s, s->s[j], param, c, w->g, w->r);
        for (int64_t k = 0; k < c; k++) {
            const double h = s->s[j] > s->noise ? (w->g[k] - w->g0[k]) / s->s[j] : 0;
            w->df[k] += 1 - w->r[k];
            for (int64_t t = 0; t < T && !scores_only(job); t++) {
                w->G[(j * c + k) * T + t] = w->g[k] * s->b[j * T + t];
                w->H[(j * c + k) * T + t] = h * s->b[j * T + t];
            }
        }
    }
}

/* to = A W, W = V' from */
static specreg_status expand(specreg_context *ctx, const sri_primal *s, int64_t columns,
                             const double *from, double *W, double *to)
{
    const int64_t p = s->map.p;
    sri_gemm(true, false, p, columns, p, 1, s->V, p, from, columns, 0, W, columns);
    return sri_linear_forward(ctx, &s->map, columns, W, to);
}

static specreg_status put_point(specreg_context *ctx, const sri_primal *s, const group *w,
                                int64_t k, sri_sink *sink)
{
    const sri_job *job = s->job;
    const int64_t n = job->problem.op->n, T = job->problem.T, at = w->first + k;
    const bool whole = !scores_only(job);
    for (int64_t i = 0; i < n && whole; i++)
        for (int64_t t = 0; t < T; t++) {
            const int64_t from = (i * w->count + k) * T + t;
            const double y = job->problem.Y[i * T + t];
            w->residual[i * T + t] = y - w->F[from];
            w->alpha[i * T + t] = (w->g0[k] * y + w->E[from]) / job->problem.op->mass;
        }
    for (int64_t j = 0; j < s->map.p && whole; j++)
        for (int64_t t = 0; t < T; t++)
            w->slope[j * T + t] = sqrt(s->map.scale) * w->W[(j * w->count + k) * T + t];
    for (int64_t i = 0; i < n && w->one_minus_h; i++)
        w->h1[i] = w->one_minus_h[i * job->path.count + at];
    sri_path_point point = sri_job_point(job, at);
    point.alpha = whole ? w->alpha : NULL;
    point.residual = whole ? w->residual : NULL;
    point.slope = whole ? w->slope : NULL;
    point.n_slopes = s->map.p;
    point.one_minus_h = w->one_minus_h ? w->h1 : NULL;
    point.df = w->df[k];
    point.fold_residual = sri_job_held_out_at(job, w->held_out, at);
    return sink->put(ctx, sink, &point);
}

/* All points, `w` having what was found of them before. */
static specreg_status run_path(specreg_context *ctx, const sri_primal *s, const double *param,
                               group *w, sri_sink *sink)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = s->job;
    const int64_t width = sri_job_group(job, GROUP_COLUMNS);
    SRI_TRY(group_new(ctx, s, width, w));
    for (; w->first < job->path.count; w->first += width) {
        w->count = sri_job_points(job, w->first, width);
        filter_group(s, param + w->first, w->count, w);
        if (!scores_only(job)) {
            SRI_TRY(expand(ctx, s, w->count * job->problem.T, w->G, w->W, w->F));
            SRI_TRY(expand(ctx, s, w->count * job->problem.T, w->H, w->G, w->E));
        }
        for (int64_t k = 0; k < w->count; k++)
            SRI_TRY(put_point(ctx, s, w, k, sink));
        SRI_TRY(sri_poll(ctx));
    }
done:
    sri_arena_free(&w->scratch);
    return st;
}

static specreg_status run(specreg_context *ctx, const sri_job *job, sri_sink *sink,
                          sri_report *report)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t n = job->problem.op->n;
    sri_primal s = {0};
    double *param, *one_minus_h = NULL, *held_out = NULL;
    SRI_TRY(start(ctx, job, &s));
    for (int64_t j = 0; j < s.map.p; j++)
        report->rank += s.s[j] > s.noise;
    SRI_SCRATCH(ctx, &scratch, param, job->path.count, 1);
    SRI_TRY(sri_primal_params(ctx, &s, param));
    if (sri_job_needs(job, SRI_NEED_LEVERAGE)) {
        SRI_SCRATCH(ctx, &scratch, one_minus_h, n, job->path.count);
        SRI_TRY(find_one_minus_h(ctx, &s, param, one_minus_h));
    }
    if (sri_job_needs(job, SRI_NEED_FOLDS)) {
        SRI_SCRATCH_ZERO(ctx, &scratch, held_out, job->path.count * sri_job_repeats(job),
                         n * job->problem.T);
        SRI_TRY(sri_primal_folds(ctx, &s, held_out));
    }
    group w = {.one_minus_h = one_minus_h, .held_out = held_out};
    SRI_TRY(run_path(ctx, &s, param, &w, sink));
done:
    sri_arena_free(&scratch);
    sri_arena_free(&s.scratch);
    return st;
}

const sri_engine sri_engine_primal = {
    .name = "primal",
    .refuses = refuses,
    .cost = cost,
    .run = run,
};
