#include "engine/preconditioner.h"

#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/eigen.h"
#include "backend/threads.h"
#include "core/arena.h"

enum {
    SLAB = 1024,    /* rows of F that a thread works on,                                      */
    STRIP = 64,     /* or columns: the same for any number of threads                         */
    SERIAL = 50000, /* numbers that one thread reads before others wake up */
    ALWAYS = 64,    /* columns of F that are hardly felt */
    LEAST = 16      /* columns of F that are worth having                                     */
};

double sri_preconditioner_flops(const sri_job *job, double rank)
{
    const double n = (double)job->shape.n, parts = (double)(sri_job_folds(job) + 1);
    const double repeats = (double)sri_job_repeats(job);
    return (3 + repeats) * n * rank * rank + 2000 * n * rank + 12 * parts * rank * rank * rank;
}

double sri_preconditioner_bytes(const sri_job *job, double rank)
{
    const double n = (double)job->shape.n, parts = (double)(sri_job_folds(job) + 1);
    return 8 * (n * (rank + 70) + (parts + 4) * rank * rank + 4 * SLAB * rank);
}

bool sri_preconditioner_stored(const sri_job *job)
{
    return job->path.count == 1 && !job->request.need && !job->shape.single &&
           sri_job_stored_bytes(job) > 0;
}

/* Observed on rbf and laplace kernels of 4 to 20 coordinates; without a preconditioner there are
 * about 6 d^2 for lambda = 10^-d.  Where K is stored, residuals have twice as many digits. */
double sri_preconditioned_passes(const sri_job *job)
{
    const double size = job->shape.diagonal > 0 ? job->shape.diagonal : 1;
    const double lambda = sri_job_last(job) / size, d = fmax(1, -log10(lambda));
    return (sri_preconditioner_stored(job) ? 2 : 1) *
           fmin(4 + 0.1 / sqrt(lambda), 6 * d * d * (1 + d * d / 100));
}

/* As many columns as take about a tenth of the time of all products with K, or a seventh where K is
 * stored, and an entry of it takes as long as ten operations. */
static double worthwhile(const sri_job *job)
{
    const bool stored = sri_preconditioner_stored(job);
    const double n = (double)job->shape.n, entry = stored ? 10 : 60 + job->shape.value_flops;
    const double products = sri_preconditioned_passes(job) * entry * n * n;
    double rank = n / 4;
    while (rank > ALWAYS && sri_preconditioner_flops(job, rank) > (stored ? 0.15 : 0.1) * products)
        rank *= 0.95;
    return rank;
}

int64_t sri_preconditioner_rank(const sri_job *job)
{
    double rank = worthwhile(job);
    if (!job->problem.op->revealed.kernel)
        return 0;
    while (rank >= LEAST && sri_preconditioner_bytes(job, rank) > (double)job->request.memory / 2)
        rank *= 0.95;
    return rank >= LEAST ? (int64_t)rank : 0;
}

/* F' = F'W^(1/2), then F' - (F'D) U': as the operator has weights, and unpenalised terms. */
static specreg_status adapt(specreg_context *ctx, const sri_op *op, sri_low_rank *f)
{
    specreg_status st = SPECREG_OK;
    const sri_projection *p = op->projection;
    double *FD = NULL;
    for (int64_t i = 0; op->weight && i < f->n; i++) {
        const double root = sqrt(op->weight[i]);
        for (int64_t k = 0; k < f->rank; k++)
            f->Lt[k * f->n + i] *= root;
    }
    if (!p)
        return st;
    SRI_ALLOC(ctx, FD, f->rank, p->l);
    sri_gemm(false, true, f->rank, p->l, f->n, 1, f->Lt, f->n, p->D, f->n, 0, FD, p->l);
    sri_gemm(false, false, f->rank, f->n, p->l, -1, FD, p->l, p->U, f->n, 1, f->Lt, f->n);
done:
    sri_free(FD);
    return st;
}

/* The rows of a fold, `count` of them, as columns of `own` (rank x count). */
static void gather(const sri_low_rank *f, const int64_t *row, int64_t count, double *own)
{
#pragma omp parallel for if (f->rank * count > SERIAL)
    for (int64_t k = 0; k < f->rank; k++)
        for (int64_t i = 0; i < count; i++)
            own[k * count + i] = f->Lt[k * f->n + row[i]];
}

/* G (the lower triangle) += sign A A', A rank x count. */
static void add_gram(int64_t rank, int64_t count, double sign, const double *A, double *G)
{
    for (int64_t k = 0; k < rank; k += SLAB) {
        const int64_t rows = rank - k < SLAB ? rank - k : SLAB;
        sri_gemm(false, true, rows, k + rows, count, sign, A + k * count, count, A, count, 1,
                 G + k * rank, rank);
    }
}

/* G -= the Gram matrix of the rows that the fold holds out. */
static specreg_status subtract_fold(specreg_context *ctx, const sri_low_rank *f, sri_fold fold,
                                    double *G)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    int64_t *row, count = 0;
    double *own;
    SRI_SCRATCH(ctx, &scratch, row, SLAB, 1);
    SRI_SCRATCH(ctx, &scratch, own, f->rank, SLAB);
    for (int64_t i = 0; i < f->n; i++) {
        if (sri_fold_holds(fold, i))
            row[count++] = i;
        if (count == SLAB || (count && i == f->n - 1)) {
            gather(f, row, count, own);
            add_gram(f->rank, count, -1, own, G);
            count = 0;
            SRI_TRY(sri_poll(ctx));
        }
    }
done:
    sri_arena_free(&scratch);
    return st;
}

/* G -= F_T'U_T (U_T'U_T)^-1 U_T'F_T: what the terms explain of F in the rows T. */
static specreg_status subtract_terms(specreg_context *ctx, const sri_low_rank *f,
                                     const sri_fold_projection *projection, double *G)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t n = f->n, l = projection->p->l, r = f->rank;
    double *U, *FU, *B;
    SRI_SCRATCH(ctx, &scratch, U, l, n);
    SRI_SCRATCH_EACH(ctx, &scratch, r, l, &FU, &B);
    for (int64_t a = 0; a < l; a++)
        for (int64_t i = 0; i < n; i++)
            U[a * n + i] = sri_fold_holds(projection->fold, i) ? 0 : projection->p->U[a * n + i];
    sri_gemm(false, true, r, l, n, 1, f->Lt, n, U, n, 0, FU, l);
    memcpy(B, FU, (size_t)(r * l) * sizeof *B);
    for (int64_t k = 0; k < r; k++)
        sri_fold_solve(projection, B + k * l);
    sri_gemm(false, true, r, r, l, -1, FU, l, B, l, 1, G, r);
done:
    sri_arena_free(&scratch);
    return st;
}

/* The part of a fold from the Gram matrix of all rows; for a negative number that one itself. */
static specreg_status decompose(specreg_context *ctx, const sri_job *job,
                                const sri_fold_projection *projections, int64_t fold,
                                sri_preconditioner *p)
{
    const int64_t part = fold < 0 ? p->n_parts - 1 : fold, r = p->rank;
    const sri_fold_projection *without = sri_job_projection(job, projections, fold);
    double *G = p->V[part];
    if (fold >= 0) {
        memcpy(G, p->V[p->n_parts - 1], (size_t)(r * r) * sizeof *G);
        SRI_CALL(subtract_fold(ctx, &p->factor, sri_job_fold(job, fold), G));
    }
    if (without)
        SRI_CALL(subtract_terms(ctx, &p->factor, without, G));
    SRI_CALL(sri_eigen(ctx, r, G, p->s[part], true));
    for (int64_t k = 0; k < r; k++)
        p->s[part][k] = fmax(p->s[part][k], 0);
    return sri_poll(ctx);
}

/* V and s of all parts; the Gram matrix of all rows waits in the place of the last. */
static specreg_status decompose_all(specreg_context *ctx, const sri_job *job,
                                    const sri_fold_projection *projections, sri_preconditioner *p)
{
    const int64_t r = p->rank;
    SRI_NEW_ZERO(ctx, p->V, p->n_parts, 1);
    SRI_NEW_ZERO(ctx, p->s, p->n_parts, 1);
    for (int64_t k = 0; k < p->n_parts; k++) {
        SRI_NEW_ZERO(ctx, p->V[k], r, r);
        SRI_NEW(ctx, p->s[k], r, 1);
    }
    add_gram(r, p->n, 1, p->factor.Lt, p->V[p->n_parts - 1]);
    for (int64_t fold = 0; fold < p->n_parts - 1; fold++)
        SRI_CALL(decompose(ctx, job, projections, fold, p));
    return decompose(ctx, job, projections, -1, p);
}

specreg_status sri_preconditioner_new(specreg_context *ctx, const sri_job *job,
                                      const sri_fold_projection *projections, int64_t rank,
                                      sri_preconditioner *out)
{
    specreg_status st = SPECREG_OK;
    const sri_op *op = job->problem.op;
    sri_rng rng = sri_rng_make(0, SRI_STREAM_PRECONDITIONER);
    *out = (sri_preconditioner){.n = op->n, .n_parts = sri_job_folds(job) + 1};
    if (!rank)
        return st;
    SRI_TRY(sri_low_rank_new(ctx, op->revealed.kernel, op->revealed.points, &out->factor));
    SRI_TRY(sri_low_rank_reserve(ctx, &out->factor, rank));
    SRI_TRY(sri_low_rank_extend_random(ctx, &out->factor, rank,
                                       sri_job_last(job) * op->mass / out->factor.trace, &rng));
    out->rank = out->factor.rank;
    SRI_TRY(adapt(ctx, op, &out->factor));
    SRI_TRY(decompose_all(ctx, job, projections, out));
done:
    if (st != SPECREG_OK)
        sri_preconditioner_free(out);
    return st;
}

void sri_preconditioner_free(sri_preconditioner *p)
{
    for (int64_t k = 0; p->V && k < p->n_parts; k++)
        sri_free(p->V[k]);
    for (int64_t k = 0; p->s && k < p->n_parts; k++)
        sri_free(p->s[k]);
    sri_free(p->V);
    sri_free(p->s);
    sri_low_rank_free(&p->factor);
    *p = (sri_preconditioner){0};
}

/* C (rank x t) = F'R, R n x t. */
static void times_transposed(const sri_preconditioner *p, int64_t t, const double *R, double *C)
{
    const sri_region region = sri_region_enter();
#pragma omp parallel for schedule(dynamic, 1) \
    num_threads(region.threads) if (p->n * p->rank > SERIAL)
    for (int64_t k = 0; k < p->rank; k += STRIP)
        sri_gemm(false, false, p->rank - k < STRIP ? p->rank - k : STRIP, t, p->n, 1,
                 p->factor.Lt + k * p->n, p->n, R, t, 0, C + k * t, t);
    sri_region_leave(region);
}

/* Z = (R - F C) / mu, column by column. */
static void finish(const sri_preconditioner *p, const sri_preconditioned *columns, const double *C,
                   const double *R, double *Z)
{
    const int64_t n = p->n, t = columns->count;
    const sri_region region = sri_region_enter();
#pragma omp parallel for schedule(dynamic, 1) \
    num_threads(region.threads) if (p->n * p->rank > SERIAL)
    for (int64_t i0 = 0; i0 < n; i0 += SLAB) {
        const int64_t rows = n - i0 < SLAB ? n - i0 : SLAB;
        double *z = Z + i0 * t;
        memcpy(z, R + i0 * t, (size_t)(rows * t) * sizeof *z);
        if (p->rank)
            sri_gemm(true, false, rows, t, p->rank, -1, p->factor.Lt + i0, n, C, t, 1, z, t);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t c = 0; c < t; c++)
                z[i * t + c] /= columns->mu[c];
    }
    sri_region_leave(region);
}

/* Small matrices of an application, rank x count at most, and the columns of a part. */
typedef struct small {
    double *C, *own, *turned;
    int64_t *member;
} small;

/* The columns of one part: C = V' (s + mu)^-1 V C. */
static void solve_part(const sri_preconditioner *p, const sri_preconditioned *columns, int64_t part,
                       const small *w)
{
    const int64_t r = p->rank, t = columns->count;
    int64_t count = 0;
    for (int64_t c = 0; c < t; c++)
        if (columns->part[c] == part)
            w->member[count++] = c;
    if (!count)
        return;
    for (int64_t k = 0; k < r; k++)
        for (int64_t c = 0; c < count; c++)
            w->own[k * count + c] = w->C[k * t + w->member[c]];
    sri_gemm(false, false, r, count, r, 1, p->V[part], r, w->own, count, 0, w->turned, count);
    for (int64_t k = 0; k < r; k++)
        for (int64_t c = 0; c < count; c++)
            w->turned[k * count + c] /= p->s[part][k] + columns->mu[w->member[c]];
    sri_gemm(true, false, r, count, r, 1, p->V[part], r, w->turned, count, 0, w->own, count);
    for (int64_t k = 0; k < r; k++)
        for (int64_t c = 0; c < count; c++)
            w->C[k * t + w->member[c]] = w->own[k * count + c];
}

specreg_status sri_preconditioner_apply(specreg_context *ctx, const sri_preconditioner *p,
                                        const sri_preconditioned *columns, const double *R,
                                        double *Z)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    small w = {0};
    SRI_SCRATCH_EACH(ctx, &scratch, p->rank, columns->count, &w.C, &w.own, &w.turned);
    SRI_SCRATCH(ctx, &scratch, w.member, columns->count, 1);
    if (p->rank) {
        times_transposed(p, columns->count, R, w.C);
        for (int64_t part = 0; part < p->n_parts; part++)
            solve_part(p, columns, part, &w);
    }
    finish(p, columns, w.C, R, Z);
    SRI_TRY(sri_poll(ctx));
done:
    sri_arena_free(&scratch);
    return st;
}
