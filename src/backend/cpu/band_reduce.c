/* K = Q B Q': panel by panel a QR factorization of what lies below the band, whose reflectors
 * I - U T U' then act on the rest A from both sides:
 *     A - U W' - W U',      W = A S + U M,  S = U T,  M = -1/2 S'A S.
 * This is LAPACK's dsytrd_sy2sb in another order.  Of A only the next panel is updated at once; the
 * rest waits until S of that panel is known, and is then updated, by one product [U W][W U]', and
 * multiplied tile by tile while it is at hand: memory is read once for a panel, not twice.
 *
 * Threads go through a panel together, each with BLAS of one thread, rows and columns of its own.
 * What they add up they add in a fixed order: the same threads give the same bits. */
#include <cblas.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/band_vec.h"
#include "backend/cpu/own.h"
#include "backend/cpu/panel_qr.h"
#include "backend/cpu/reflectors.h"
#include "backend/threads.h"
#include "core/memory.h"

enum { W = SRI_BAND_WIDTH, SIDE = 2 * W, TILE = SRI_BAND_VEC_TILE };
_Static_assert((int)W == (int)SRI_BAND_VEC_THIN, "a panel is what a symmetric product takes");

typedef struct panels {
    int64_t n;
    double *V, *tau;
    int threads;
    double *side;   /* n x SIDE, filled up: W, U                       */
    double *before; /* the same of the panel before, if A waits for it */
    double *left;   /* -U, -W of that panel in blocks of W rows        */
    bool waiting;
    double *S;      /* n x W, filled up; before that, the panel        */
    double *Y;      /* the same for every thread: A S                  */
    double *square; /* W x W for every thread: parts of U'U and of S'Y */
    sri_panel_qr qr;
} panels;

/* Whole blocks of W rows, which are whole strips. */
static int64_t filled_up(int64_t rows)
{
    return (rows + W - 1) / W * W;
}
_Static_assert(W % SRI_BAND_VEC_STRIP == 0, "a block is whole strips");

double sri_band_bytes(int64_t n)
{
    return 8.0 * W * (double)filled_up(n) * (1 + 2 + 2 + 2 + 1 + sri_region_threads());
}

/* ------------------------------------------------------------------- by one of the threads */

typedef struct share {
    int thread, of;
    int64_t first, last; /* rows of its own, of the m of the rest */
} share;

static share share_of(int64_t m, int thread, int of)
{
    const int64_t blocks = filled_up(m) / W;
    const int64_t first = blocks * thread / of * W, last = blocks * (thread + 1) / of * W;
    return (share){thread, of, first < m ? first : m, last < m ? last : m};
}

/* U, with what is implied, 1 on the diagonal and 0 above it; the same to below the band, but R
 * there. */
static void take_reflectors(panels *p, const sri_reflections *r, double *panel, share mine)
{
    for (int64_t i = mine.first; i < mine.last; i++)
        for (int j = 0; j < W; j++)
            p->side[i * SIDE + W + j] = r->factor[j] * p->S[i * W + j];
    sri_band_vec_best()->by_columns(mine.last - mine.first, p->side + mine.first * SIDE + W, SIDE,
                                    panel + mine.first, p->n);
    for (int64_t i = mine.first; i < mine.last && i < W; i++)
        for (int j = (int)i; j < W; j++) {
            p->side[i * SIDE + W + j] = i == j;
            panel[j * p->n + i] = r->R[i][j];
        }
}

/* out (W x W) = factor X'Z over rows of its own. */
static void add_rows(const double *X, int64_t ldx, const double *Z, int64_t ldz, double factor,
                     share mine, double *out)
{
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, W, W, (int)(mine.last - mine.first),
                factor, X + mine.first * ldx, (int)ldx, Z + mine.first * ldz, (int)ldz, 0, out, W);
}

/* The parts of all threads together. */
static void sum_squares(const panels *p, int of, double *out)
{
    memcpy(out, p->square, W * W * sizeof *out);
    for (int t = 1; t < of; t++)
        for (int i = 0; i < W * W; i++)
            out[i] += p->square[t * W * W + i];
}

/* S = U T, by rows; what fills it up is 0. */
static void make_S(panels *p, const double *tau, int64_t m, share mine)
{
    double T[W * W];
    sum_squares(p, mine.of, T);
    sri_reflectors_T(W, tau, T);
    if (mine.last > mine.first)
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, W, (int)(mine.last - mine.first), W, 1,
                    T, W, p->side + mine.first * SIDE + W, SIDE, 0, p->S + mine.first * W, W);
    if (mine.thread == mine.of - 1)
        memset(p->S + m * W, 0, (size_t)((filled_up(m) - m) * W) * sizeof *p->S);
}

/* Row i of what waits is row i + skip of the panel before. */
static void update(const panels *p, int64_t skip, int64_t first, int64_t last, int64_t from,
                   int64_t to, double *A)
{
    if (p->waiting)
        sri_band_vec_best()->update(first, last, from, to, SIDE, p->left + skip * SIDE,
                                    p->before + skip * SIDE, A, p->n);
}

/* Own rows of the next panel, and the block on the diagonal above it. */
static void update_panel(const panels *p, int64_t at, share mine)
{
    double *A = p->V + at * (p->n + 1);
    if (mine.thread == 0)
        update(p, 0, 0, W, 0, W, A);
    update(p, 0, W + mine.first, W + mine.last, 0, W, A);
}

/* The columns of one tile, updated and multiplied into Y. */
static void pass_columns(const panels *p, double *A, int64_t m, int64_t j, double *Y)
{
    for (int64_t i = j; i < m; i += TILE) {
        update(p, W, i, i + TILE < m ? i + TILE : m, j, j + TILE < m ? j + TILE : m, A);
        sri_band_vec_best()->symmetric(m, i, j, A, p->n, p->S, Y);
    }
}

/* Column tiles are dealt out to and fro, as they become shorter. */
static void pass(const panels *p, double *A, int64_t m, share mine)
{
    double *Y = p->Y + mine.thread * filled_up(m) * W;
    memset(Y, 0, (size_t)(filled_up(m) * W) * sizeof *Y);
    for (int64_t j = 0, tile = 0; j < m; j += TILE, tile++) {
        const int64_t turn = tile % (2 * mine.of);
        if ((turn < mine.of ? turn : 2 * mine.of - 1 - turn) == mine.thread)
            pass_columns(p, A, m, j, Y);
    }
}

/* Y of all threads together, in rows of its own. */
static void sum_Y(panels *p, int64_t m, share mine)
{
    for (int t = 1; t < mine.of; t++) {
        const double *other = p->Y + t * filled_up(m) * W;
        for (int64_t i = mine.first * W; i < mine.last * W; i++)
            p->Y[i] += other[i];
    }
}

/* W = Y + U M beside U, and both as the update takes them from the left. */
static void make_W(panels *p, share mine)
{
    double M[W * W];
    const int rows = (int)(mine.last - mine.first);
    sum_squares(p, mine.of, M);
    if (rows > 0)
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, W, rows, W, 1, M, W,
                    p->side + mine.first * SIDE + W, SIDE, 1, p->Y + mine.first * W, W);
    for (int64_t i = mine.first; i < mine.last; i++) {
        double *row = p->side + i * SIDE, *left = p->left + i / W * W * SIDE + i % W;
        memcpy(row, p->Y + i * W, W * sizeof *row);
        for (int k = 0; k < W; k++) {
            left[k * W] = -row[W + k];
            left[(W + k) * W] = -row[k];
        }
    }
}

/* ------------------------------------------------------------------- by all of them */

static specreg_status take_panel(specreg_context *ctx, panels *p, int64_t at)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = p->n, m = n - at - W;
    double *below = p->V + at * n + at + W, *rest = p->V + (at + W) * (n + 1);
    const sri_region region = sri_region_enter();
#pragma omp parallel num_threads(p->threads)
    {
        const int thread = omp_get_thread_num(), of = omp_get_num_threads();
        const share mine = share_of(m, thread, of);
        double *square = p->square + thread * W * W;
        sri_reflections r;
        update_panel(p, at, mine);
        sri_panel_qr_begin(&p->qr, thread, mine.first, mine.last, below, n);
#pragma omp barrier
        sri_panel_qr_finish(&p->qr, thread, of, below, n, &r);
        take_reflectors(p, &r, below, mine);
        if (thread == 0)
            memcpy(p->tau + at, r.tau, (size_t)(m < W ? m : W) * sizeof *p->tau);
        add_rows(p->side + W, SIDE, p->side + W, SIDE, 1, mine, square);
#pragma omp barrier
        make_S(p, r.tau, m, mine);
#pragma omp barrier
        pass(p, rest, m, mine);
#pragma omp barrier
        sum_Y(p, m, mine);
        add_rows(p->S, W, p->Y, W, -0.5, mine, square);
#pragma omp barrier
        make_W(p, mine);
    }
    sri_region_leave(region);
    double *const free_side = p->before;
    p->before = p->side;
    p->side = free_side;
    p->waiting = true;
    SRI_TRY(sri_poll(ctx));
done:
    return st;
}

static specreg_status panels_new(specreg_context *ctx, const sri_band *band, panels *p)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = band->n;
    *p = (panels){.n = n, .V = band->V, .tau = band->tau, .threads = sri_region_threads()};
    SRI_CALLOC(ctx, p->side, filled_up(n), SIDE);
    SRI_CALLOC(ctx, p->before, filled_up(n), SIDE);
    SRI_CALLOC(ctx, p->left, filled_up(n), SIDE);
    SRI_ALLOC(ctx, p->S, filled_up(n), W);
    SRI_ALLOC(ctx, p->Y, p->threads * filled_up(n), W);
    SRI_ALLOC(ctx, p->square, p->threads * W, W);
    SRI_TRY(sri_panel_qr_new(ctx, p->threads, p->S, &p->qr));
done:
    return st;
}

static void panels_free(panels *p)
{
    void *const all[] = {p->square, p->Y, p->S, p->left, p->before, p->side};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    sri_panel_qr_free(&p->qr);
}

specreg_status sri_own_band_reduce(specreg_context *ctx, sri_band *band)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = band->n;
    panels p = {0};
    if (n > W + 1)
        SRI_TRY(panels_new(ctx, band, &p));
    int64_t at = 0;
    for (; at + W + 1 < n; at += W)
        SRI_TRY(take_panel(ctx, &p, at));
    update(&p, 0, 0, n - at, 0, n - at, band->V + at * (n + 1));
done:
    panels_free(&p);
    return st;
}
