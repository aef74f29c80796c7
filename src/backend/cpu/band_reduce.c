/* K = Q B Q': panel by panel a QR factorization of what lies below the band, whose reflectors
 * I - U T U' then act on the rest A from both sides:
 *     A - U W' - W U',      W = A S + U M,  S = U T,  M = -1/2 S'A S.
 * This is LAPACK's dsytrd_sy2sb with two steps that are faster: A S by tiles that are read where they
 * are, and one product [U W][W U]' instead of two.  U, W, U lie side by side for that, by rows. */
#include <cblas.h>
#include <lapacke.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/band.h"
#include "backend/cpu/band_vec.h"
#include "backend/cpu/blas.h"
#include "backend/cpu/reflectors.h"
#include "core/memory.h"

enum { W = SRI_BAND_WIDTH, SIDE = 3 * W, UPDATE = 256 };
_Static_assert((int)W == (int)SRI_BAND_VEC_THIN, "a panel is what a symmetric product takes");

typedef struct panels {
    int64_t n;
    double *V, *tau;
    int threads;
    double *side; /* n x SIDE: U, W, U                       */
    double *S;    /* n x W, filled up                        */
    double *Y;    /* the same for every thread: A S          */
    double T[W * W], M[W * W];
    double *work; /* LAPACK's */
    lapack_int work_size;
} panels;

static int64_t filled_up(int64_t rows)
{
    return (rows + SRI_BAND_VEC_STRIP - 1) / SRI_BAND_VEC_STRIP * SRI_BAND_VEC_STRIP;
}

double sri_band_bytes(int64_t n)
{
    return 8.0 * W * (double)(n + SRI_BAND_VEC_STRIP) * (1 + 3 + 1 + sri_region_threads() + 1);
}

/* U from the reflectors of a panel, with what is implied: 1 on the diagonal, 0 above it and in
 * columns that there are none for. */
static void take_reflectors(panels *p, const double *V, int64_t m, int64_t k)
{
    for (int64_t i = 0; i < m; i++)
        memset(p->side + i * SIDE, 0, SIDE * sizeof *p->side);
    for (int64_t j = 0; j < k; j++) {
        p->side[j * SIDE + j] = 1;
        for (int64_t i = j + 1; i < m; i++)
            p->side[i * SIDE + j] = V[j * p->n + i];
    }
}

/* S = U T, by rows; what fills it up is 0. */
static void make_S(panels *p, const double *tau, int64_t m, int64_t k)
{
    double factor[W] = {0};
    memcpy(factor, tau, (size_t)k * sizeof *tau);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, W, W, (int)m, 1, p->side, SIDE, p->side, SIDE,
                0, p->T, W);
    sri_reflectors_T(W, factor, p->T);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, W, (int)m, W, 1, p->T, W, p->side, SIDE, 0,
                p->S, W);
    memset(p->S + m * W, 0, (size_t)((filled_up(m) - m) * W) * sizeof *p->S);
}

/* Y = A S: each thread adds up tiles of its own, then rows are summed over the threads.  Tiles are
 * dealt out in turn, not to who comes first: the same threads must give the same bits. */
static void multiply_rest(panels *p, const double *A, int64_t m)
{
    const sri_band_vec *vec = sri_band_vec_best();
    const int64_t size = filled_up(m) * W;
    const int threads = sri_region_enter();
#pragma omp parallel num_threads(p->threads)
    {
        double *Y = p->Y + omp_get_thread_num() * size;
        memset(Y, 0, (size_t)size * sizeof *Y);
#pragma omp for schedule(static, 1)
        for (int64_t j = 0; j < m; j += SRI_BAND_VEC_TILE)
            vec->symmetric(m, j, A, p->n, p->S, Y);
#pragma omp for
        for (int64_t i = 0; i < size; i++)
            for (int t = 1; t < omp_get_num_threads(); t++)
                p->Y[i] += p->Y[t * size + i];
    }
    sri_region_leave(threads);
}

/* W = Y + U M into the middle, U once more to the right. */
static void make_W(panels *p, int64_t m)
{
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, W, W, (int)m, -0.5, p->S, W, p->Y, W, 0, p->M,
                W);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, W, (int)m, W, 1, p->M, W, p->side, SIDE, 1,
                p->Y, W);
    for (int64_t i = 0; i < m; i++) {
        double *row = p->side + i * SIDE;
        memcpy(row + W, p->Y + i * W, W * sizeof *row);
        memcpy(row + 2 * W, row, W * sizeof *row);
    }
}

/* The lower triangle of A, and what of the other lies in the blocks on the diagonal. */
static void update_rest(const panels *p, double *A, int64_t m)
{
    for (int64_t j = 0; j < m; j += UPDATE) {
        const int64_t columns = m - j < UPDATE ? m - j : UPDATE;
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)(m - j), (int)columns, 2 * W, -1,
                    p->side + j * SIDE, SIDE, p->side + j * SIDE + W, SIDE, 1, A + j * (p->n + 1),
                    (int)p->n);
    }
}

static specreg_status take_panel(specreg_context *ctx, panels *p, int64_t at)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = p->n, m = n - at - W, k = m < W ? m : W;
    double *below = p->V + at * n + at + W, *rest = p->V + (at + W) * (n + 1);
    const lapack_int info =
        LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, (lapack_int)m, W, below, (lapack_int)n, p->tau + at,
                            p->work, p->work_size);
    SRI_REQUIRE(ctx, info == 0, SPECREG_E_NUMERIC, "dgeqrf failed (info %d)", (int)info);
    take_reflectors(p, below, m, k);
    make_S(p, p->tau + at, m, k);
    multiply_rest(p, rest, m);
    make_W(p, m);
    update_rest(p, rest, m);
    SRI_TRY(sri_poll(ctx));
done:
    return st;
}

static specreg_status panels_new(specreg_context *ctx, const sri_band *band, panels *p)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = band->n;
    double size = 1;
    *p = (panels){.n = n, .V = band->V, .tau = band->tau, .threads = sri_region_threads()};
    SRI_ALLOC(ctx, p->side, n, SIDE);
    SRI_ALLOC(ctx, p->S, filled_up(n), W);
    SRI_ALLOC(ctx, p->Y, p->threads * filled_up(n), W);
    LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, (lapack_int)n, W, p->V, (lapack_int)n, p->tau, &size, -1);
    p->work_size = (lapack_int)size;
    SRI_ALLOC(ctx, p->work, p->work_size, 1);
done:
    return st;
}

static void panels_free(panels *p)
{
    free(p->work);
    free(p->Y);
    free(p->S);
    free(p->side);
}

specreg_status sri_band_reduce(specreg_context *ctx, int64_t n, double *K, sri_band *out)
{
    specreg_status st = SPECREG_OK;
    panels p = {0};
    *out = (sri_band){.n = n, .width = n - 1 < W ? n - 1 : W, .V = K};
    const int64_t width = out->width;
    SRI_REQUIRE(ctx, n <= INT32_MAX / SIDE, SPECREG_E_UNAVAILABLE,
                "%lld rows are too many for the reduction to a band", (long long)n);
    SRI_CALLOC(ctx, out->tau, n, 1);
    SRI_CALLOC(ctx, out->B, n, width + 1);
    if (n > W + 1)
        SRI_TRY(panels_new(ctx, out, &p));
    for (int64_t at = 0; at + W + 1 < n; at += W)
        SRI_TRY(take_panel(ctx, &p, at));
    for (int64_t j = 0; j < n; j++)
        memcpy(out->B + j * (width + 1), K + j * (n + 1),
               (size_t)(n - j < width + 1 ? n - j : width + 1) * sizeof *K);
done:
    panels_free(&p);
    return st;
}
