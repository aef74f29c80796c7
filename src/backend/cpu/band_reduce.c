/* K = Q B Q', panel by panel: a QR factorization of the entries below the band, whose reflectors
 * I - U T U' are then applied to the rest A from both sides:
 *     A - U W' - W U',      W = A S + U M,  S = U T,  M = -1/2 S'A S.
 * This is LAPACK's dsytrd_sy2sb in another order.  Only the next panel of A is updated at once.
 * The rest is updated when S of that panel is known, by one product [U W][W U]', tile by tile,
 * and each tile is multiplied by S while it is in the cache: A is read once for a panel, not
 * twice.
 *
 * Threads share each panel, with BLAS of one thread and rows and columns of their own.  Sums
 * over threads are taken in a fixed order: the same number of threads gives the same bits. */
#include <cblas.h>
#include <string.h>

#include "backend/cpu/band_vec.h"
#include "backend/cpu/own.h"
#include "backend/cpu/panel_qr.h"
#include "backend/cpu/reflectors.h"
#include "backend/threads.h"
#include "backend/vec.h"
#include "core/arena.h"
#include "core/openmp.h"

enum { W = SRI_BAND_WIDTH, SIDE = 2 * W, TILE = SRI_BAND_VEC_TILE };
_Static_assert((int)W == (int)SRI_BAND_VEC_THIN, "a panel is what a symmetric product takes");

typedef struct panels {
    sri_arena scratch;
    int64_t n;
    double *V, *tau;
    int threads;
    double *side;   /* n x SIDE, padded: W, U                          */
    double *before; /* W, U of the previous panel                      */
    double *left;   /* -U, -W of that panel in blocks of W rows        */
    bool waiting;   /* the update by that panel is still to be done    */
    double *S;      /* n x W, padded; before that, the panel           */
    double *Y;      /* n x W, padded, for every thread: A S            */
    double *square; /* W x W for every thread: parts of U'U and of S'Y */
    sri_panel_qr qr;
} panels;

/* Rows are padded to whole blocks of W, which are whole strips. */
static int64_t padded(int64_t rows)
{
    return (rows + W - 1) / W * W;
}
_Static_assert(W % SRI_BAND_VEC_STRIP == 0, "a block is whole strips");

double sri_band_bytes(int64_t n)
{
    return 8.0 * W * (double)padded(n) * (1 + 2 + 2 + 2 + 1 + sri_region_threads());
}

typedef struct share {
    int thread, of;
    int64_t first, last; /* the thread's rows, of the m that are left */
} share;

static share share_of(int64_t m, int thread, int of)
{
    const int64_t blocks = padded(m) / W;
    const int64_t first = blocks * thread / of * W, last = blocks * (thread + 1) / of * W;
    return (share){thread, of, first < m ? first : m, last < m ? last : m};
}

/* Writes U, with its ones and zeros, beside W; and R and the reflectors into the panel. */
static void store_reflectors(panels *p, const sri_reflections *r, double *panel, share mine)
{
    for (int64_t i = mine.first; i < mine.last; i++)
        for (int j = 0; j < W; j++)
            p->side[i * SIDE + W + j] = r->factor[j] * p->S[i * W + j];
    sri_vec_best()->band->by_columns(mine.last - mine.first, p->side + mine.first * SIDE + W, SIDE,
                                     panel + mine.first, p->n);
    for (int64_t i = mine.first; i < mine.last && i < W; i++)
        for (int j = (int)i; j < W; j++) {
            p->side[i * SIDE + W + j] = i == j;
            panel[j * p->n + i] = r->R[i][j];
        }
}

/* out (W x W) = factor X'Z over the thread's rows. */
static void multiply_rows(const double *X, int64_t ldx, const double *Z, int64_t ldz, double factor,
                          share mine, double *out)
{
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, W, W, (int)(mine.last - mine.first),
                factor, X + mine.first * ldx, (int)ldx, Z + mine.first * ldz, (int)ldz, 0, out, W);
}

/* The sum of the parts of all threads. */
static void sum_squares(const panels *p, int of, double *out)
{
    memcpy(out, p->square, W * W * sizeof *out);
    for (int t = 1; t < of; t++)
        for (int i = 0; i < W * W; i++)
            out[i] += p->square[t * W * W + i];
}

/* S = U T, by rows, padded with zeros. */
static void make_S(panels *p, const double *tau, int64_t m, share mine)
{
    double T[W * W];
    sum_squares(p, mine.of, T);
    sri_reflectors_T(W, tau, T);
    if (mine.last > mine.first)
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, W, (int)(mine.last - mine.first), W, 1,
                    T, W, p->side + mine.first * SIDE + W, SIDE, 0, p->S + mine.first * W, W);
    if (mine.thread == mine.of - 1)
        memset(p->S + m * W, 0, (size_t)((padded(m) - m) * W) * sizeof *p->S);
}

/* Applies the update by the previous panel, of which row `skip` belongs to row 0 of A. */
static void update(const panels *p, int64_t skip, int64_t first, int64_t last, int64_t from,
                   int64_t to, double *A)
{
    if (p->waiting)
        sri_vec_best()->band->update(first, last, from, to, SIDE, p->left + skip * SIDE,
                                     p->before + skip * SIDE, A, p->n);
}

/* The thread's rows of the next panel; the first thread also has the diagonal block above it. */
static void update_panel(const panels *p, int64_t at, share mine)
{
    double *A = p->V + at * (p->n + 1);
    if (mine.thread == 0)
        update(p, 0, 0, W, 0, W, A);
    update(p, 0, W + mine.first, W + mine.last, 0, W, A);
}

/* Updates one column of tiles and adds its product with S to Y. */
static void pass_columns(const panels *p, double *A, int64_t m, int64_t j, double *Y)
{
    for (int64_t i = j; i < m; i += TILE) {
        update(p, W, i, i + TILE < m ? i + TILE : m, j, j + TILE < m ? j + TILE : m, A);
        sri_vec_best()->band->symmetric(m, i, j, A, p->n, p->S, Y);
    }
}

/* Columns of tiles become shorter, so they are dealt out forwards and backwards in turn. */
static void pass(const panels *p, double *A, int64_t m, share mine)
{
    double *Y = p->Y + mine.thread * padded(m) * W;
    memset(Y, 0, (size_t)(padded(m) * W) * sizeof *Y);
    for (int64_t j = 0, tile = 0; j < m; j += TILE, tile++) {
        const int64_t k = tile % (2 * mine.of);
        if ((k < mine.of ? k : 2 * mine.of - 1 - k) == mine.thread)
            pass_columns(p, A, m, j, Y);
    }
}

/* Sums Y over the threads, in the thread's rows. */
static void sum_Y(panels *p, int64_t m, share mine)
{
    for (int t = 1; t < mine.of; t++) {
        const double *other = p->Y + t * padded(m) * W;
        for (int64_t i = mine.first * W; i < mine.last * W; i++)
            p->Y[i] += other[i];
    }
}

/* Writes W = Y + U M beside U, and -U, -W in the layout of the update's left factor. */
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

static specreg_status reduce_panel(specreg_context *ctx, panels *p, int64_t at)
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
        store_reflectors(p, &r, below, mine);
        if (thread == 0)
            memcpy(p->tau + at, r.tau, (size_t)(m < W ? m : W) * sizeof *p->tau);
        multiply_rows(p->side + W, SIDE, p->side + W, SIDE, 1, mine, square);
#pragma omp barrier
        make_S(p, r.tau, m, mine);
#pragma omp barrier
        pass(p, rest, m, mine);
#pragma omp barrier
        sum_Y(p, m, mine);
        multiply_rows(p->S, W, p->Y, W, -0.5, mine, square);
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
    const int64_t n = band->n;
    *p = (panels){.n = n, .V = band->V, .tau = band->tau, .threads = sri_region_threads()};
    SRI_ARENA_NEW_ZERO(ctx, &p->scratch, p->side, padded(n), SIDE);
    SRI_ARENA_NEW_ZERO(ctx, &p->scratch, p->before, padded(n), SIDE);
    SRI_ARENA_NEW_ZERO(ctx, &p->scratch, p->left, padded(n), SIDE);
    SRI_ARENA_NEW(ctx, &p->scratch, p->S, padded(n), W);
    SRI_ARENA_NEW(ctx, &p->scratch, p->Y, p->threads * padded(n), W);
    SRI_ARENA_NEW(ctx, &p->scratch, p->square, p->threads * W, W);
    return sri_panel_qr_new(ctx, &p->scratch, p->threads, p->S, &p->qr);
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
        SRI_TRY(reduce_panel(ctx, &p, at));
    update(&p, 0, 0, n - at, 0, n - at, band->V + at * (n + 1));
done:
    sri_arena_free(&p.scratch);
    return st;
}
