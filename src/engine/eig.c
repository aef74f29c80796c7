/* Full decomposition K/n = Q S Q'.  Once it is there, every filter, parameter and output costs
 * O(n^2): see spectrum.c.  Folds of Tikhonov, plain or iterated, come without refits too: see
 * fold_residuals.c. */
#include <float.h>
#include <math.h>

#include "backend/eigen.h"
#include "core/memory.h"
#include "engine/engine.h"
#include "engine/spectrum.h"

static const char *refuses(const sri_job *job)
{
    if (sri_filter_nonlinear(job->path.filter))
        return "conjugate gradients depend on y, not on the spectrum alone";
    if (job->problem.blend)
        return "outputs with operators of their own are for krylov and iterate";
    if (job->shape.n > SRI_EIG_MAX)
        return "LAPACK's decomposition ends at 32,766 rows";
    if (sri_job_needs(job, SRI_NEED_FOLDS) && !job->path.filter->ops->resolvents)
        return "only folds of Tikhonov, plain or iterated, follow from the decomposition of all "
               "rows";
    return NULL;
}

/* The sum over the folds of the squares of their sizes. */
static double fold_squares(const sri_job *job)
{
    double sum = 0;
    for (int64_t fold = 0; fold < sri_job_folds(job); fold++) {
        const double m = (double)sri_job_held_out(job, fold);
        sum += m * m;
    }
    return sum;
}

/* dsyevd: half of the reduction to tridiagonal form passes over what is left of K for every column,
 * the rest are products at a good part of full speed; a group of points is two products, and one
 * more with the squares of V for leverages.  Filters that are recursions take a step for each
 * value.  Jobs that have the operator in common share its decomposition. */
static sri_cost cost(const sri_job *job)
{
    const double n = (double)job->shape.n, columns = (double)(job->problem.T * job->path.count);
    double folds = 0;
    if (sri_job_needs(job, SRI_NEED_FOLDS)) {
        const double number = (double)sri_job_folds(job);
        const sri_filter *filter = job->path.filter;
        const double more = filter->ops->resolvents(filter, sri_job_last(job)).order - 1;
        folds =
            (double)job->path.count * (1.8 * n * fold_squares(job) +
                                       number * n * n * (10 + 20 * more * (double)job->problem.T));
    }
    const double once = 1 / fmax(1, (double)job->hint.operator_jobs);
    const double steps = sri_filter_eval_steps(job->path.filter, sri_job_last(job));
    const double one_minus_h =
        sri_job_needs(job, SRI_NEED_LEVERAGE) ? 3 * (double)job->path.count : 0;
    return (sri_cost){.flops = 5 * n * n * n * once + n * n * (5 * columns + one_minus_h) + folds,
                      .traffic = 4.0 / 3 * n * n * n * once,
                      .working_set = 8 * n * n,
                      .values = n * n / 2 * once,
                      .scalar = 8 * n * n * once + 2 * n * columns + 8 * n * steps,
                      .regions = 6 * n * once,
                      .bytes = 8 * (3 * n * n + 8 * n * (double)job->problem.T)};
}

/* Takes what an earlier job has left with the operator. */
static bool recall(const sri_op *op, sri_spectrum *sp)
{
    sp->V = op->pairs.V;
    sp->s = op->pairs.s;
    return op->pairs.V != NULL;
}

/* Leaves the pairs with the operator where other jobs will want them; else frees them. */
static void leave(const sri_job *job, sri_spectrum *sp)
{
    if (job->hint.operator_jobs > 1 && !job->problem.op->pairs.V && sp->VY) /* it is complete */
        job->problem.op->pairs = (sri_eigenpairs){sp->V, sp->s};
    if (sp->V == job->problem.op->pairs.V)
        sp->V = sp->s = NULL;
    sri_spectrum_free(sp);
}

/* Unpenalised terms have the eigenvalue 0, as other directions may have, and do not belong to the
 * spectrum.  Their eigenvalue is raised above all others, so that theirs are the last pairs, which
 * are left out. */
static specreg_status decompose(specreg_context *ctx, const sri_job *job, sri_spectrum *sp)
{
    const sri_projection *p = job->problem.op->projection;
    const int64_t n = sp->n = job->problem.op->n;
    double raised;
    sp->m = n - (p && !p->pivots ? p->l : 0);
    if (recall(job->problem.op, sp))
        goto known;
    SRI_NEW(ctx, sp->V, n, n);
    SRI_NEW(ctx, sp->s, n, 1);
    SRI_CALL(sri_op_fill(ctx, job->problem.op, false, sp->V));
    SRI_CALL(sri_op_raise(ctx, job->problem.op, 2, sp->V, &raised));
    SRI_CALL(sri_poll(ctx));
    SRI_CALL(sri_eigen(ctx, n, sp->V, sp->s, true));
    SRI_CALL(sri_poll(ctx));
    const double top = sp->s[sp->m - 1], bottom = sp->s[0];
    SRI_CHECK(ctx, bottom >= -1e-8 * fabs(top) * sqrt((double)n), SPECREG_E_NUMERIC,
              "the kernel matrix is not positive semi-definite: its eigenvalues go from %g to %g",
              bottom, top);
    for (int64_t j = 0; j < sp->m; j++)
        sp->s[j] = sp->s[j] > 0 ? sp->s[j] / job->problem.op->mass : 0;
known:
    sp->noise = (double)n * DBL_EPSILON * sp->s[sp->m - 1];
    return sri_spectrum_project(ctx, job, sp);
}

/* Where unpenalised terms depend on each other without a fold, its closed form would divide
 * rounding by rounding. */
static specreg_status check_folds(specreg_context *ctx, const sri_job *job)
{
    sri_fold_projection *projections = NULL;
    SRI_CALL(sri_job_projections_make(ctx, job, &projections));
    sri_job_projections_free(job, projections);
    return SPECREG_OK;
}

static specreg_status run(specreg_context *ctx, const sri_job *job, sri_sink *sink,
                          sri_report *report)
{
    specreg_status st = SPECREG_OK;
    sri_spectrum sp = {0};
    double *held_out = NULL;
    SRI_TRY(check_folds(ctx, job));
    SRI_TRY(decompose(ctx, job, &sp));
    for (int64_t j = 0; j < sp.m; j++)
        report->rank += sp.s[j] > sp.noise;
    if (job->problem.scale) {
        st = sri_spectrum_scaled(ctx, job, &sp, sink);
        goto done;
    }
    if (sri_job_needs(job, SRI_NEED_FOLDS)) {
        SRI_CALLOC(ctx, held_out, job->path.count * sri_job_repeats(job), sp.n * job->problem.T);
        SRI_TRY(sri_fold_residuals(ctx, job, &sp, held_out));
    }
    SRI_TRY(sri_spectrum_path(ctx, job, &sp, held_out, sink));
done:
    leave(job, &sp);
    sri_free(held_out);
    return st;
}

const sri_engine sri_engine_eig = {
    .name = "eig",
    .refuses = refuses,
    .cost = cost,
    .run = run,
};
