/* The band by LAPACK and BLAS alone: K = Q B Q', panel by panel. */
#include <cblas.h>
#include <limits.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/cpu/lapack.h"
#include "backend/cpu/reflectors.h"
#include "backend/threads.h"
#include "core/arena.h"

enum { COL = LAPACK_COL_MAJOR };

/* The reflectors that cleared `width` columns from column `at` on, I - U T U'. */
typedef struct panel {
    lapack_int rows, reflectors;
    double *U;  /* in the columns of V, without the ones and zeros that are implied */
    int64_t at; /* the first row that they change */
} panel;

static panel panel_at(const sri_band *band, int64_t at)
{
    const int64_t n = band->n, width = band->width, rows = n - at - width;
    return (panel){.rows = (lapack_int)rows,
                   .reflectors = (lapack_int)(rows < width ? rows : width),
                   .U = band->V + at * n + at + width,
                   .at = at + width};
}

static int64_t panel_count(const sri_band *band)
{
    return (band->n - 1) / band->width; /* columns 0 .. n - width - 1 */
}

typedef struct workspace { /* matrices of a panel's rows, by columns */
    double *U, *S, *X, *T, *M, *qr;
} workspace;

/* A (m x m, lower triangle, columns ld apart) becomes Q'A Q for Q = I - U T U':
 *     A - U W' - W U',    W = X - U M / 2,  X = A S,  S = U T,  M = S'X. */
static void apply_both_sides(int m, int k, const workspace *w, double *A, int ld)
{
    memcpy(w->S, w->U, (size_t)m * (size_t)k * sizeof *w->S);
    cblas_dtrmm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, m, k, 1, w->T, k,
                w->S, m);
    cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, m, k, 1, A, ld, w->S, m, 0, w->X, m);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, k, k, m, 1, w->S, m, w->X, m, 0, w->M, k);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, k, k, -0.5, w->U, m, w->M, k, 1, w->X,
                m);
    cblas_dsyr2k(CblasColMajor, CblasLower, CblasNoTrans, m, k, -1, w->U, m, w->X, m, 1, A, ld);
}

static specreg_status reduce_panel(specreg_context *ctx, sri_band *band, int64_t at,
                                   const workspace *w)
{
    const lapack_int n = (lapack_int)band->n, width = (lapack_int)band->width;
    const panel p = panel_at(band, at);
    SRI_CALL(sri_lapack_status(ctx, "dgeqrf",
                               LAPACKE_dgeqrf_work(COL, p.rows, width, p.U, n, band->tau + at,
                                                   w->qr, width * width)));
    sri_reflectors_unpack(p.rows, p.reflectors, p.U, n, w->U);
    LAPACKE_dlarft_work(COL, 'F', 'C', p.rows, p.reflectors, w->U, p.rows, band->tau + at, w->T,
                        p.reflectors);
    apply_both_sides(p.rows, p.reflectors, w, band->V + p.at * (band->n + 1), n);
    return sri_poll(ctx);
}

specreg_status sri_lapack_band_reduce(specreg_context *ctx, sri_band *band)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t n = band->n, width = band->width;
    workspace w = {0};
    if (n <= width + 1)
        return st;
    SRI_SCRATCH(ctx, &scratch, w.U, n, width);
    SRI_SCRATCH(ctx, &scratch, w.S, n, width);
    SRI_SCRATCH(ctx, &scratch, w.X, n, width);
    SRI_SCRATCH(ctx, &scratch, w.T, width, width);
    SRI_SCRATCH(ctx, &scratch, w.M, width, width);
    SRI_SCRATCH(ctx, &scratch, w.qr, width, width);
    for (int64_t at = 0; at + width < n; at += width)
        SRI_TRY(reduce_panel(ctx, band, at, &w));
done:
    sri_arena_free(&scratch);
    return st;
}

/* Reflector j lies in column j and belongs into column j + width of Q, from the row below that on:
 * the last one moves first. */
specreg_status sri_lapack_band_form(specreg_context *ctx, sri_band *band)
{
    enum { BLOCK = 64 };
    specreg_status st = SPECREG_OK;
    const int64_t n = band->n, width = band->width, all = n <= width + 1 ? 0 : n - width;
    const lapack_int order = (lapack_int)all;
    double *work = NULL;
    SRI_ALLOC(ctx, work, all, BLOCK);
    for (int64_t j = all - 1; j >= 0; j--)
        memcpy(band->V + (j + width) * n + j + width + 1, band->V + j * n + j + width + 1,
               (size_t)(all - j - 1) * sizeof *band->V);
    if (all)
        SRI_TRY(sri_lapack_status(ctx, "dorgqr",
                                  LAPACKE_dorgqr_work(COL, order, order, order,
                                                      band->V + width * (n + 1), (lapack_int)n,
                                                      band->tau, work,
                                                      order < INT_MAX / BLOCK ? order * BLOCK
                                                                              : order)));
    sri_band_add_border(band, n - all);
done:
    sri_free(work);
    return st;
}

static specreg_status multiply(specreg_context *ctx, const sri_band *band, bool transposed,
                               int64_t t, double *X)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = band->n;
    double *copy = NULL;
    SRI_ALLOC(ctx, copy, t, n);
    memcpy(copy, X, (size_t)(t * n) * sizeof *X);
    sri_gemm(false, transposed, t, n, n, 1, copy, n, band->V, n, 0, X, n);
done:
    sri_free(copy);
    return st;
}

/* Q = P_1 P_2 ..., one factor for every panel; Q X begins with the last.  T has the triangles of
 * all panels. */
static void rotate_columns(const sri_band *band, const double *T, bool transposed, int64_t t,
                           double *X, double *work)
{
    const int64_t n = band->n, width = band->width, panels = panel_count(band);
    for (int64_t i = 0; i < panels; i++) {
        const int64_t k = transposed ? i : panels - 1 - i;
        const panel p = panel_at(band, k * width);
        LAPACKE_dlarfb_work(COL, 'L', transposed ? 'T' : 'N', 'F', 'C', p.rows, (lapack_int)t,
                            p.reflectors, p.U, (lapack_int)n, T + k * width * width,
                            (lapack_int)width, X + p.at, (lapack_int)n, work, (lapack_int)t);
    }
}

/* Each thread takes columns of its own through all panels. */
specreg_status sri_lapack_band_rotate(specreg_context *ctx, const sri_band *band, bool transposed,
                                      int64_t t, double *X)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    if (band->formed)
        return multiply(ctx, band, transposed, t, X);
    const int64_t n = band->n, width = band->width, most = sri_region_threads();
    const int64_t takers = t < most ? t : most;
    double *work, *T;
    if (n <= width + 1 || t == 0) /* K was a band already, Q = I */
        return st;
    SRI_TRY(sri_lapack_fits(ctx, t));
    SRI_SCRATCH(ctx, &scratch, T, panel_count(band) * width, width);
    SRI_SCRATCH(ctx, &scratch, work, t + takers, width);
    const sri_region region = sri_region_enter();
#pragma omp parallel num_threads((int)most)
    {
#pragma omp for schedule(dynamic, 1)
        for (int64_t k = 0; k < panel_count(band); k++) {
            const panel p = panel_at(band, k * width);
            LAPACKE_dlarft_work(COL, 'F', 'C', p.rows, p.reflectors, p.U, (lapack_int)n,
                                band->tau + k * width, T + k * width * width, (lapack_int)width);
        }
#pragma omp for schedule(static, 1)
        for (int64_t k = 0; k < takers; k++) {
            const int64_t first = t * k / takers, last = t * (k + 1) / takers;
            rotate_columns(band, T, transposed, last - first, X + first * n,
                           work + (first + k) * width);
        }
    }
    sri_region_leave(region);
done:
    sri_arena_free(&scratch);
    return st;
}

static int64_t packed_size(int64_t n, int64_t width)
{
    return n * (width + 1);
}

static int64_t work_size(int64_t n)
{
    return n;
}

static void pack(int64_t n, int64_t width, const double *L, double *packed)
{
    memcpy(packed, L, (size_t)packed_size(n, width) * sizeof *packed);
}

static void squares(int64_t n, int64_t width, const double *packed, const double *b, double *work,
                    double *out)
{
    for (int c = 0; c < SRI_SUBSTITUTION_COLUMNS; c++) {
        cblas_dcopy((int)n, b + c, SRI_SUBSTITUTION_COLUMNS, work, 1);
        cblas_dtbsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, (int)width,
                    packed, (int)width + 1, work, 1);
        out[c] = cblas_ddot((int)n, work, 1, work, 1);
    }
}

const sri_substitution *sri_lapack_substitution(void)
{
    static const sri_substitution table = {packed_size, work_size, pack, squares};
    return &table;
}
