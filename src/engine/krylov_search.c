/* Masked Lanczos for a search: one column for every fold and output, all in one product a step.
 *
 * A point of the path is certain when the residual r of its linear system is so small that what the
 * machine says of its held rows F cannot be off by more than the tolerance: with T the rows that
 * train and mu = n_T lambda,
 *     |K_FT (K_TT + mu I)^{-1} r|^2 <= |K_FF| min(|r|^2 / mu, r'K_TT r / mu^2),
 * since K is positive semi-definite.  r is a multiple of v_{k+1}, so r'K_TT r is known from the
 * next entry of T: the space is used without its last step.  |K_FF| is taken as n times the largest
 * value of T_k.  For filters other than Tikhonov's, 1 / g(0) stands for lambda and |r| is an
 * indicator.  The error is compared with the least root mean square of the held residuals so far.
 *
 * Kernel values in single precision are enough while lambda is far above their rounding; the points
 * beyond begin again with double ones.
 *
 * The path goes from smooth to rough, and rough points take more steps: once the sink has seen
 * enough of them, the rest is left. */
#include "engine/krylov_search.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/blas.h"
#include "core/memory.h"
#include "engine/krylov_space.h"

enum { FIRST_CHECK = 16 };
/* The error that kernel values of single precision make at lambda is about this times the largest
 * eigenvalue over lambda (observed; half of FLT_EPSILON is 6e-8). */
static const double SINGLE_ERROR = 2e-8;

typedef struct state {
    const sri_job *job;
    int64_t columns; /* parts x T */
    sri_lanczos *z;
    int64_t next;    /* first point not handed on */
    double least;    /* mean square of the held residuals, the least so far */
    double *held;    /* repeats x n x T */
    double *x, *d;   /* room for k numbers, or n */
    bool single;     /* kernel values in single precision */
    bool too_rough;  /* the next point is not for them    */
} state;

static bool is_polynomial(const sri_filter *f)
{
    return f->ops->recurrence != NULL;
}

/* ------------------------------------------------------------------- coefficients */

/* g(T_k) e_1 for one point into s->x. */
static specreg_status solution(specreg_context *ctx, state *s, const sri_lanczos *z, double param)
{
    specreg_status st = SPECREG_OK;
    const sri_filter *f = s->job->filter;
    const int64_t k = z->k;
    double *values = NULL, *Z = NULL, g, r;
    if (f->ops->resolvents) {
        sri_krylov_resolvent(z, param, f->ops->resolvents(f), s->d, s->x);
        return st;
    }
    SRI_TRY(sri_lanczos_spectrum(ctx, z, &values, &Z));
    for (int64_t j = 0; j < k; j++) {
        f->ops->eval(f, values[j], &param, 1, &g, &r);
        s->d[j] = g * Z[j * k];
    }
    sri_gemm(true, false, k, 1, k, 1, Z, k, s->d, 1, 0, s->x, 1);
done:
    free(Z);
    free(values);
    return st;
}

/* ------------------------------------------------------------------- certainty */

/* The largest eigenvalue of T_k, from above. */
static double top(const sri_lanczos *z)
{
    double most = 0;
    for (int64_t j = 0; j < z->k; j++)
        most = fmax(most, z->a[j] + (j ? z->b[j - 1] : 0) + (j + 1 < z->k ? z->b[j] : 0));
    return most;
}

/* The space of column c as it is used: without its last step, unless that made it whole. */
static sri_lanczos used_space(const state *s, int64_t c)
{
    sri_lanczos z = s->z[c];
    z.k -= !z.whole && z.k > 1;
    return z;
}

/* Whether column c says enough of a point; its coefficients are then in s->x. */
static specreg_status certain(specreg_context *ctx, state *s, int64_t c, double param, bool *yes,
                              double *defect)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = s->job;
    const sri_lanczos z = used_space(s, c);
    double g0, r0;
    *yes = true;
    *defect = 0;
    if (z.k == 0) /* nothing to fit */
        return st;
    job->filter->ops->eval(job->filter, 0, &param, 1, &g0, &r0);
    if (s->single && g0 * top(&z) * SINGLE_ERROR > job->tolerance) {
        s->too_rough = true;
        *yes = false;
        return st;
    }
    SRI_TRY(solution(ctx, s, &z, param));
    if (z.whole || (is_polynomial(job->filter) && (double)z.k >= param))
        return st;
    const double b = z.b[z.k - 1], along = s->z[c].k > z.k ? fmax(0, z.a[z.k]) : INFINITY;
    const double gain = g0 * fmin(1, along * g0) * top(&z) * job->op->mass / z.mass;
    *defect = b * fabs(s->x[z.k - 1]);
    *yes = sqrt(gain) * *defect * z.norm <=
               job->tolerance * sqrt(s->least * (double)z.n_held) ||
           *defect <= 4 * DBL_EPSILON * b * g0; /* as good as rounding lets it be */
done:
    return st;
}

/* Predictions of the held rows of column c at the point whose coefficients are in s->x. */
static void add_held(state *s, int64_t c)
{
    const sri_job *job = s->job;
    const sri_lanczos space = used_space(s, c), *z = &space;
    const int64_t n = job->op->n, T = job->T, t = c % T;
    double *out = s->held + c / T / job->folds * n * T;
    double *F = s->d; /* x is no longer needed in factors */
    for (int64_t i = 0; i < z->n_held; i++)
        F[i] = 0;
    if (z->k)
        sri_gemm(true, false, z->n_held, 1, z->k, z->norm / z->mass, z->H, z->n_held, s->x, 1, 0, F,
                 1);
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++)
        if (z->fold[i] == z->held)
            out[i * T + t] = job->Y[i * T + t] - F[at++];
}

/* Hands on the points that are certain, in order. */
static specreg_status put_certain(specreg_context *ctx, state *s, bool all, sri_sink *sink,
                                  sri_report *report, bool *enough)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = s->job;
    const int64_t size = job->repeats * job->op->n * job->T;
    for (; s->next < job->count && !*enough; s->next++) {
        for (int64_t c = 0; c < s->columns; c++) {
            bool yes;
            double defect;
            SRI_TRY(certain(ctx, s, c, job->param[s->next], &yes, &defect));
            if (!yes && (!all || s->too_rough))
                return st;
            report->bound = fmax(report->bound, yes ? 0 : defect);
            add_held(s, c);
        }
        double sum = 0;
        for (int64_t k = 0; k < size; k++)
            sum += s->held[k] * s->held[k];
        s->least = fmin(s->least, sum / (double)size);
        SRI_TRY(sink->put(ctx, sink,
                          &(sri_path_point){.index = s->next,
                                            .param = job->param[s->next],
                                            .df = NAN,
                                            .fold_residual = s->held}));
        *enough = sink->enough && sink->enough(sink);
    }
done:
    return st;
}

/* ------------------------------------------------------------------- steps */

static bool all_whole(const state *s)
{
    for (int64_t c = 0; c < s->columns; c++)
        if (!s->z[c].whole)
            return false;
    return true;
}

static specreg_status start(specreg_context *ctx, state *s)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = s->job;
    for (int64_t c = 0; c < s->columns; c++) {
        const int64_t part = c / job->T;
        SRI_TRY(sri_lanczos_start_without(ctx, &s->z[c], job->Y, job->op->n, job->T, c % job->T,
                                          sri_job_folds(job, part), sri_job_fold(job, part),
                                          sri_job_mass(job, part)));
    }
done:
    return st;
}

static void free_spaces(state *s)
{
    for (int64_t c = 0; s->z && c < s->columns; c++)
        sri_lanczos_free(&s->z[c]);
}

/* Step after step until all points are handed on, the sink has enough, or the rest is not for
 * single precision. */
static specreg_status follow_path(specreg_context *ctx, state *s, int64_t limit, double *X,
                                  double *KX, sri_sink *sink, sri_report *report, bool *enough)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = s->job;
    int64_t k = 0, next_check = FIRST_CHECK;
    SRI_TRY(start(ctx, s));
    for (;;) {
        const bool last = k == limit || all_whole(s);
        if (k == next_check || last) {
            SRI_TRY(put_certain(ctx, s, last, sink, report, enough));
            next_check = k + (k / 8 > 8 ? k / 8 : 8);
        }
        if (s->next == job->count || *enough || s->too_rough)
            break;
        SRI_TRY(sri_krylov_step(ctx, job->op, s->z, NULL, s->columns, X, KX));
        k++;
    }
    report->steps = k > report->steps ? k : report->steps;
done:
    free_spaces(s);
    return st;
}

specreg_status sri_krylov_search(specreg_context *ctx, const sri_job *job, int64_t limit,
                                 sri_sink *sink, sri_report *report)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = job->op->n, T = job->T, room = limit + 1 > n ? limit + 1 : n;
    state s = {.job = job, .columns = sri_job_parts(job) * T};
    double *X = NULL, *KX = NULL;
    bool enough = false;
    SRI_ALLOC(ctx, X, n, s.columns);
    SRI_ALLOC(ctx, KX, n, s.columns);
    SRI_CALLOC(ctx, s.z, s.columns, 1);
    SRI_CALLOC(ctx, s.held, job->repeats * n, T);
    SRI_ALLOC(ctx, s.x, room, 1);
    SRI_ALLOC(ctx, s.d, room, 1);
    for (int64_t k = 0; k < n * T; k++)
        s.least += job->Y[k] * job->Y[k] / (double)(n * T);
    SRI_TRY(sri_op_prepare_single(ctx, job->op, job->memory / 2, &s.single));
    if (s.single)
        SRI_TRY(follow_path(ctx, &s, limit, X, KX, sink, report, &enough));
    if (s.next < job->count && !enough) {
        s.single = s.too_rough = false;
        SRI_TRY(sri_op_prepare(ctx, job->op, job->memory / 2));
        SRI_TRY(follow_path(ctx, &s, limit, X, KX, sink, report, &enough));
    }
done:
    free_spaces(&s);
    free(s.d);
    free(s.x);
    free(s.held);
    free(s.z);
    free(KX);
    free(X);
    return st;
}
