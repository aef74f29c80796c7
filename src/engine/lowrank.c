/* Low rank: K ~ L L' with L of r columns, by Cholesky with pivots; from L = Q R and R R' = P S
 * P' the r eigenpairs U = Q P of L L', whose other eigenvalues are 0.  What engine eig does with
 * n pairs in O(n^3) takes O(n r^2) here: see spectrum.c and lowrank_folds.c.
 *
 * The error is certain.  tau, the trace of K - L L', bounds its norm, since it is positive
 * semi-definite.  For Tikhonov the coefficients change by C (K - L L') alpha, C = (K + n lambda
 * I)^-1: by at most tau/(n lambda) of themselves.  1/lambda is g(0); for the other smooth
 * filters, whose slope is at most g(0)^2, it is tau g(0)/n of |g(0) y / n|.  So tau need not be
 * smaller than TOLERANCE n / g(0), nor than rounding, which any decomposition commits. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/eigen.h"
#include "backend/factor.h"
#include "core/arena.h"
#include "engine/engine.h"
#include "engine/spectrum.h"

static const double TOLERANCE = 1e-10;
/* In a search: the part of what a job tolerates that goes to the rank. */
static const double SHARE = 0.1;
/* Looking must cost no more than this beside the engine it may replace. */
static const double LOOK = 0.02;
enum { LOOK_COLUMNS = 48, PIECE = 256 };
/* So much cheaper must a rank promise to be, for more columns to be tried: some promises fail. */
static const double GAIN = 1.5;

/* The largest g(0) of the path.  One run of an iteration from its first step serves many points. */
static double steepest(const sri_job *job)
{
    double most = 0, g[PIECE], r[PIECE];
    for (int64_t first = 0; first < job->path.count; first += PIECE) {
        const int64_t left = job->path.count - first, count = left < PIECE ? left : PIECE;
        job->path.filter->ops->eval(job->path.filter, 0, job->path.param + first, count, g, r);
        for (int64_t i = 0; i < count; i++)
            most = fabs(g[i]) <= most ? most : fabs(g[i]); /* not finite: stays so */
    }
    return most;
}

/* So large may the trace left be; a cut-off takes nothing but rounding. */
static double enough(const sri_job *job)
{
    if (!job->path.filter->ops->smooth)
        return 0;
    const double share = job->request.tolerance > 0 ? SHARE * job->request.tolerance : TOLERANCE;
    return share * job->problem.op->mass / steepest(job);
}

/* What does not depend on the rank. */
static const char *cannot(const sri_job *job)
{
    if (sri_filter_nonlinear(job->path.filter))
        return "conjugate gradients depend on y, not on the spectrum alone";
    if (sri_job_needs(job, SRI_NEED_FOLDS) && job->path.filter->step_rule == SRI_STEP_NORM)
        return "each fold has a norm, and so a step, of its own";
    if (!isfinite(steepest(job)))
        return "the filter has no value at 0";
    return NULL;
}

static const char *refuses(const sri_job *job)
{
    if (sri_job_differs(job))
        return "outputs that share a matrix are for eig, krylov and iterate";
    const char *why = cannot(job);
    if (why)
        return why;
    if (!job->problem.op->revealed.factor)
        return "no low rank was looked for: the job is too small, or the kernel is not known to be "
               "positive semi-definite";
    if (!sri_op_is_revealed(job->problem.op, enough(job)) ||
        !job->problem.op->revealed.factor->rank)
        return "the kernel matrix has no low rank, to the accuracy that the path needs";
    return NULL;
}

/* Measured: the factor takes 4 n r^2 + 2000 n r, the decomposition 8 n r^2 + 6 r^3.  Memory: three
 * matrices n x r while it is decomposed, then two and the columns of the path. */
static sri_cost cost_of_rank(const sri_job *job, double r)
{
    const double n = (double)job->shape.n, columns = (double)(job->problem.T * job->path.count);
    const double folds = (double)sri_job_folds(job);
    const double held_out = folds ? columns * (double)job->problem.folds.repeats : 0;
    const double decompose = 12 * n * r * r + 2000 * n * r + 6 * r * r * r;
    const double path = (4 * r + 100) * n * columns + 2 * r * n * (double)job->path.count;
    const double without = folds * (2 * n * r * r + 6 * r * r * r) + (2 * r + 50) * n * held_out;
    const double t = sri_filter_eval_steps(job->path.filter, sri_job_last(job));
    return (sri_cost){.flops = decompose + path + without + 150 * t * r * (folds + 1),
                      .bytes = 8 * (n * fmax(3 * r + 150, 2 * r + 300) + 4 * r * r +
                                    n * (8 * (double)job->problem.T + held_out))};
}

static sri_cost cost(const sri_job *job)
{
    return cost_of_rank(job, (double)job->shape.rank);
}

/* The largest rank up to `most` that takes less than `seconds` and fits the memory. */
static int64_t worthwhile(const sri_job *job, double seconds, int64_t most)
{
    int64_t r = most;
    while (r > 0) {
        const sri_cost cost = cost_of_rank(job, (double)r);
        if (sri_job_seconds(job, &cost) < seconds && cost.bytes <= (double)job->request.memory)
            break;
        r -= r / 256 + 1;
    }
    return r;
}

static specreg_status look(specreg_context *ctx, const sri_job *job, double others, bool asked)
{
    if (cannot(job))
        return SPECREG_OK;
    if (job->hint.look_seconds > 0 && !asked)
        others = fmin(others, job->hint.look_seconds);
    const sri_cost first = {.flops = 1000.0 * LOOK_COLUMNS * (double)job->shape.n};
    if (sri_job_seconds(job, &first) > LOOK * others ||
        cost_of_rank(job, LOOK_COLUMNS).bytes > (double)job->request.memory)
        return SPECREG_OK;
    const int64_t n = job->problem.op->n < job->shape.n ? job->problem.op->n : job->shape.n;
    const int64_t most = worthwhile(job, others / GAIN, n / (asked ? 2 : 4));
    return sri_op_reveal(ctx, job->problem.op, enough(job), most, asked);
}

/* The rows of V: the columns of W^(1/2) L, without what unpenalised terms explain. */
static specreg_status copy_factor(specreg_context *ctx, const sri_op *op, double *V)
{
    specreg_status st = SPECREG_OK;
    const sri_projection *p = op->projection;
    double *along = NULL;
    const sri_low_rank *f = op->revealed.factor;
    const int64_t n = op->n;
    memcpy(V, f->Lt, (size_t)(f->rank * n) * sizeof *V);
    for (int64_t i = 0; op->weight && i < n; i++) {
        const double root = sqrt(op->weight[i]);
        for (int64_t j = 0; j < f->rank; j++)
            V[j * n + i] *= root;
    }
    if (p) {
        SRI_ALLOC(ctx, along, f->rank, p->l);
        sri_gemm(false, true, f->rank, p->l, n, 1, V, n, p->U, n, 0, along, p->l);
        sri_gemm(false, false, f->rank, n, p->l, -1, along, p->l, p->U, n, 1, V, n);
    }
done:
    sri_free(along);
    return st;
}

static specreg_status decompose(specreg_context *ctx, const sri_job *job, sri_spectrum *sp)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const sri_op *op = job->problem.op;
    const int64_t n = sp->n = op->n, m = sp->m = op->revealed.factor->rank;
    sp->rough = true;
    double *Q, *R, *P;
    SRI_SCRATCH(ctx, &scratch, Q, m, n);
    SRI_SCRATCH_EACH(ctx, &scratch, m, m, &R, &P);
    SRI_ALLOC(ctx, sp->V, m, n);
    SRI_ALLOC(ctx, sp->s, m, 1);
    SRI_TRY(copy_factor(ctx, op, Q));
    SRI_TRY(sri_orthonormal(ctx, m, n, Q, R));
    SRI_TRY(sri_poll(ctx));
    sri_syrk(m, m, R, P);
    SRI_TRY(sri_eigen(ctx, m, P, sp->s, true));
    sri_gemm(false, false, m, n, m, 1, P, m, Q, n, 0, sp->V, n);
    for (int64_t j = 0; j < m; j++)
        sp->s[j] = fmax(0, sp->s[j]) / op->mass;
    sp->noise = fmax((double)n * DBL_EPSILON * sp->s[m - 1], op->revealed.left / op->mass);
    SRI_TRY(sri_poll(ctx));
    SRI_TRY(sri_spectrum_project(ctx, job, sp));
done:
    sri_arena_free(&scratch);
    return st;
}

static specreg_status run(specreg_context *ctx, const sri_job *job, sri_sink *sink,
                          sri_report *report)
{
    specreg_status st = SPECREG_OK;
    const sri_revealed *revealed = &job->problem.op->revealed;
    sri_spectrum sp = {0};
    double *held_out = NULL;
    SRI_TRY(decompose(ctx, job, &sp));
    report->rank = sp.m;
    report->left = revealed->left / revealed->trace;
    if (sri_job_needs(job, SRI_NEED_FOLDS)) {
        SRI_CALLOC(ctx, held_out, job->path.count * sri_job_repeats(job), sp.n * job->problem.T);
        SRI_TRY(sri_lowrank_folds(ctx, job, &sp, revealed->left, held_out));
    }
    SRI_TRY(sri_spectrum_path(ctx, job, &sp, held_out, sink));
done:
    sri_spectrum_free(&sp);
    sri_free(held_out);
    return st;
}

const sri_engine sri_engine_lowrank = {
    .name = "lowrank",
    .reports_rank = true,
    .refuses = refuses,
    .look = look,
    .cost = cost,
    .run = run,
};
