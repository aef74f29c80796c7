/* Cholesky: K + n lambda I = L L', one factorization per lambda, for filters that are iterated
 * resolvents:  (K + n lambda I) alpha_i = y + n lambda alpha_{i-1}, alpha_0 = 0, q times.
 * Subtracting K alpha_q from that equation gives the residual for free:
 *     y - K alpha_q = n lambda (alpha_q - alpha_{q-1}),
 * and 1 - H_ii = n lambda ((K + n lambda I)^{-1})_ii for q = 1.
 * Unpenalised terms get the mean eigenvalue: with 0 and a small lambda their 1/(n lambda) would be
 * all that rounding leaves of the inverse.  When rounding makes the matrix indefinite, or as good
 * as that, the point is left to the decomposition. */
#include <math.h>
#include <string.h>

#include "backend/factor.h"
#include "core/arena.h"
#include "engine/engine.h"
#include "engine/pivots.h"

static const char *refuses(const sri_job *job)
{
    if (sri_job_differs(job))
        return "outputs that share a matrix are for eig, krylov and iterate";
    const sri_filter *f = job->path.filter;
    if (!f->ops->resolvents)
        return "the filter is not made of linear systems with K + n lambda I";
    if (sri_job_needs(job, SRI_NEED_FOLDS))
        return "one factorization serves one fold and one lambda";
    if (sri_job_needs(job, SRI_NEED_LEVERAGE | SRI_NEED_DF) && !sri_filter_is_plain(f))
        return "leave-one-out of iterated Tikhonov needs the decomposition";
    return NULL;
}

/* The factor, n^3/3, at 0.95 of full speed and the diagonal of the inverse, as much, at 0.8;
 * with few rows less. */
static sri_cost cost(const sri_job *job)
{
    const sri_filter *f = job->path.filter;
    const bool one_factor = f->path == SRI_PATH_ORDER; /* one lambda, and solves that go on */
    const double n = (double)job->shape.n, q = f->ops->resolvents(f, sri_job_last(job)).order;
    const double count = one_factor ? 1 : (double)job->path.count;
    const double inverse = job->request.need ? 1 : 0;
    return (sri_cost){.flops = count * n * n * n * (0.35 + 0.42 * inverse),
                      .traffic = count * 8 * n * n * q * (double)job->problem.T,
                      .working_set = 8 * n * n,
                      .values = count * n * n / 2,
                      .scalar = count * n * n / 2,
                      .regions = count * (8 + n / 60),
                      .bytes = sri_lower_bytes(job->shape.n) + 32 * n * (double)job->problem.T +
                               sri_cholesky_bytes(job->shape.n)};
}

typedef struct work {
    double *L;
    double *alpha, *before; /* alpha_i and alpha_{i-1} */
    double *residual, *one_minus_h;
    double noise;       /* below this an eigenvalue of K is rounding: n eps |K|, about */
    sri_systems solved; /* what L and alpha are of; order 0: of nothing yet      */
    double raised;      /* by sri_op_raise, in L                                 */
} work;

/* Goes on to alpha_q from what is solved with the same factor. */
static specreg_status solve(specreg_context *ctx, const sri_job *job, int q, double n_lambda,
                            work *w)
{
    const int64_t n = job->problem.op->n, T = job->problem.T;
    if (!w->solved.order)
        memset(w->alpha, 0, (size_t)(n * T) * sizeof *w->alpha);
    for (; w->solved.order < q; w->solved.order++) {
        double *swap = w->before;
        w->before = w->alpha;
        w->alpha = swap;
        for (int64_t k = 0; k < n * T; k++)
            w->alpha[k] = job->problem.Y[k] + n_lambda * w->before[k];
        SRI_CALL(sri_cholesky_solve(ctx, n, T, w->L, w->alpha));
    }
    for (int64_t k = 0; k < n * T; k++)
        w->residual[k] = n_lambda * (w->alpha[k] - w->before[k]);
    return SPECREG_OK;
}

/* The factor of K + n lambda I; false where rounding makes that indefinite. */
static specreg_status factor(specreg_context *ctx, const sri_job *job, int64_t index, double lambda,
                             work *w, bool *sound)
{
    const int64_t n = job->problem.op->n;
    const double n_lambda = job->problem.op->mass * lambda;
    int64_t failed_at;
    SRI_CALL(sri_op_fill(ctx, job->problem.op, false, w->L));
    SRI_CALL(sri_op_raise(ctx, job->problem.op, 1 / (double)n, w->L, &w->raised));
    for (int64_t i = 0; i < n && index == 0; i++)
        w->noise = fmax(w->noise, (double)n * DBL_EPSILON * sri_magnitude(i + 1, w->L + i * n));
    for (int64_t i = 0; i < n; i++)
        w->L[i * n + i] += n_lambda;
    SRI_CALL(sri_poll(ctx));
    SRI_CALL(sri_cholesky(ctx, n, w->L, &failed_at));
    *sound = !failed_at && sri_pivots_are_sound(n, w->L, n + 1, n_lambda, w->noise);
    w->solved = (sri_systems){.lambda = *sound ? lambda : NAN};
    return SPECREG_OK;
}

static specreg_status run_point(specreg_context *ctx, const sri_job *job, int64_t index, work *w,
                                sri_sink *sink, sri_report *report)
{
    const sri_filter *filter = job->path.filter;
    const sri_systems of = filter->ops->resolvents(filter, job->path.param[index]);
    const int64_t n = job->problem.op->n;
    const double n_lambda = job->problem.op->mass * of.lambda;
    sri_path_point point = sri_job_point(job, index);
    bool sound = true;
    if (w->solved.lambda != of.lambda || w->solved.order > of.order)
        SRI_CALL(factor(ctx, job, index, of.lambda, w, &sound));
    if (!sound) {
        report->fell_back++;
        return sink->put(ctx, sink, &(sri_path_point){.index = index, .to_fallback = 1});
    }
    SRI_CALL(solve(ctx, job, of.order, n_lambda, w));
    if (job->request.need) {
        SRI_CALL(sri_cholesky_inverse_diagonal(ctx, n, w->L, w->one_minus_h));
        point.df = (double)n;
        for (int64_t i = 0; i < n; i++) {
            w->one_minus_h[i] *= n_lambda;
            point.df -= w->one_minus_h[i];
        }
    }
    point.alpha = w->alpha;
    point.residual = w->residual;
    point.one_minus_h = sri_job_needs(job, SRI_NEED_LEVERAGE) ? w->one_minus_h : NULL;
    point.raised = w->raised / job->problem.op->mass;
    return sink->put(ctx, sink, &point);
}

static specreg_status run(specreg_context *ctx, const sri_job *job, sri_sink *sink,
                          sri_report *report)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t n = job->problem.op->n;
    work w = {0};
    SRI_TAKEN(w.L, sri_alloc_lower(ctx, n));
    SRI_SCRATCH_EACH(ctx, &scratch, n, job->problem.T, &w.alpha, &w.before, &w.residual);
    SRI_SCRATCH(ctx, &scratch, w.one_minus_h, n, 1);
    for (int64_t i = 0; i < job->path.count; i++) {
        SRI_TRY(run_point(ctx, job, i, &w, sink, report));
        SRI_TRY(sri_poll(ctx));
    }
done:
    sri_arena_free(&scratch);
    sri_free(w.L);
    return st;
}

const sri_engine sri_engine_cholesky = {
    .name = "cholesky",
    .refuses = refuses,
    .cost = cost,
    .run = run,
    .fallback = &sri_engine_eig,
};
