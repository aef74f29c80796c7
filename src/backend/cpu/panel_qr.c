/* Householder's QR, column by column.  Reflector j needs row j and the inner products of column j,
 * below that row, with the columns after it.  Each part adds these up while it applies reflector
 * j - 1: one pass over the panel for each column, after which every thread computes the same
 * reflector by itself.
 *
 * Each thread has a part, but a thread that is late finds its part done by another one: to wait in
 * every column for a thread that sleeps would take longer than the work.  It makes no difference to
 * the result who does a part: the same number of parts gives the same bits. */
#include "backend/cpu/panel_qr.h"

#include <float.h>
#include <math.h>
#include <sched.h>
#include <string.h>

enum { W = SRI_PANEL_WIDTH };

/* A column whose squares add up to less than this counts as zero (the largest entry of the panel is
 * about 1): the sum would have too few digits for an orthogonal reflector. */
static const double NEGLIGIBLE = DBL_MIN / DBL_EPSILON;

specreg_status sri_panel_qr_new(specreg_context *ctx, sri_arena *memory, int threads, double *A,
                                sri_panel_qr *out)
{
    *out = (sri_panel_qr){.vec = sri_vec_best()->band, .A = A};
    SRI_ARENA_NEW_ZERO(ctx, memory, out->part, threads, 1);
    return SPECREG_OK;
}

/* A power of 2 that makes the largest entry about 1, so that squares neither overflow nor
 * underflow. */
static double scale_of(const sri_panel_qr *qr, int of)
{
    double most = 0;
    int exponent = 0;
    for (int t = 0; t < of; t++)
        most = qr->part[t].largest > most ? qr->part[t].largest : most;
    if (isfinite(most))
        frexp(most, &exponent);
    return ldexp(1, exponent < -1000 ? 1000 : exponent > 1000 ? -1000 : -exponent);
}

static bool take(sri_panel_part *part, int column)
{
    int begun = column;
    return atomic_load(&part->begun) == column &&
           atomic_compare_exchange_strong(&part->begun, &begun, column + 1);
}

static void wait_for(sri_panel_part *part, int column)
{
    enum { SPINS = 200 };
    for (int spins = 0; atomic_load(&part->finished) <= column; spins++) {
        if (spins >= SPINS)
            sched_yield();
#if defined(__x86_64__)
        else
            __builtin_ia32_pause();
#endif
    }
}

/* Applies reflector j to the rows of a part from row `next` on, and adds up their sums for the next
 * reflector; row `next` itself is not summed, but copied to `top` for all threads. */
static void reflect(sri_panel_qr *qr, sri_panel_part *part, int j, int next, const double *w)
{
    double ignored[W];
    int64_t from = part->first;
    if (from <= next && next < part->last) {
        double *row = qr->A + next * W;
        qr->vec->reflect(1, j, next, w, row, ignored);
        memcpy(qr->top[next], row, sizeof qr->top[next]);
        from = next + 1;
    }
    qr->vec->reflect(part->last - from, j, next, w, qr->A + from * W, part->sums[next]);
}

/* Reflector j and row j of R.  To apply the reflector to a row a is to subtract a_j w. */
static void find_reflector(const sri_panel_qr *qr, int j, int of, sri_reflections *out, double *w)
{
    double sum[W] = {0}, *row = out->R[j];
    for (int t = 0; t < of; t++)
        for (int c = j; c < W; c++)
            sum[c] += qr->part[t].sums[j][c];
    memset(w, 0, W * sizeof *w);
    memcpy(row, qr->top[j], sizeof qr->top[j]);
    out->tau[j] = out->factor[j] = 0;
    if (sum[j] <= NEGLIGIBLE)
        return;
    const double alpha = row[j], beta = -copysign(sqrt(alpha * alpha + sum[j]), alpha);
    const double tau = (beta - alpha) / beta, factor = 1 / (alpha - beta);
    out->tau[j] = tau;
    out->factor[j] = factor;
    row[j] = beta;
    for (int c = j + 1; c < W; c++) {
        const double inner = tau * (row[c] + factor * sum[c]);
        row[c] -= inner;
        w[c] = factor * inner;
    }
}

void sri_panel_qr_begin(sri_panel_qr *qr, int thread, int64_t first, int64_t last,
                        const double *panel, int64_t lda)
{
    sri_panel_part *part = qr->part + thread;
    part->begun = part->finished = 0;
    part->first = first;
    part->last = last;
    part->largest = qr->vec->largest(last - first, panel + first, lda);
}

/* No reflector comes before the first column: w is 0 there, and A is copied from the panel. */
static void do_part(sri_panel_qr *qr, sri_panel_part *part, int column, const double *panel,
                    int64_t lda, double scale, const double *w)
{
    if (column == 0)
        qr->vec->by_rows(part->last - part->first, panel + part->first, lda, scale,
                         qr->A + part->first * W);
    reflect(qr, part, column == 0 ? 0 : column - 1, column, w);
}

void sri_panel_qr_finish(sri_panel_qr *qr, int thread, int of, const double *panel, int64_t lda,
                         sri_reflections *out)
{
    const double scale = scale_of(qr, of);
    const int64_t m = qr->part[of - 1].last;
    double w[W] = {0};
    memset(out, 0, sizeof *out);
    for (int j = 0; j < W && j < m; j++) {
        for (int i = 0; i < of; i++) {
            sri_panel_part *part = qr->part + (thread + i) % of;
            if (!take(part, j))
                continue;
            do_part(qr, part, j, panel, lda, scale, w);
            atomic_store(&part->finished, j + 1);
        }
        for (int t = 0; t < of; t++)
            wait_for(qr->part + t, j);
        find_reflector(qr, j, of, out, w);
    }
    for (int i = 0; i < W; i++)
        for (int j = i; j < W; j++)
            out->R[i][j] /= scale;
}
