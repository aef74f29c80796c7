#include "backend/cpu/band.h"

#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/blas.h"
#include "backend/cpu/reflectors.h"
#include "core/memory.h"

enum { COL = LAPACK_COL_MAJOR, FORM = SRI_REFLECTORS };

/* Columns of B lie so far apart. */
static lapack_int stride(const sri_band *band)
{
    return (lapack_int)band->width + 1;
}

void sri_band_free(sri_band *band)
{
    free(band->B);
    free(band->tau);
    *band = (sri_band){0};
}

/* ------------------------------------------------------------------- Q as a matrix */

/* U (m x k) = k columns of reflectors, with what is implied: 1 on the diagonal and 0 above it. */
static void unpack_reflectors(const double *V, int64_t ldv, int64_t m, int64_t k, double *U)
{
    for (int64_t j = 0; j < k; j++) {
        memset(U + j * m, 0, (size_t)j * sizeof *U);
        U[j * m + j] = 1;
        memcpy(U + j * m + j + 1, V + j * ldv + j + 1, (size_t)(m - j - 1) * sizeof *U);
    }
}

/* From the product of the reflectors after these k, which is the identity but for rows and columns
 * from k on, to the product from these on; Q points to its m x m part, whose first k columns and
 * rows hold nothing yet.  W has room for m x k. */
static void prepend(int64_t m, int64_t k, const double *U, const double *T, double *Q, int64_t ldq,
                    double *W)
{
    const int rows = (int)m, ld = (int)ldq, few = (int)k, rest = (int)(m - k);
    double *right = Q + k * ldq;
    for (int64_t j = 0; j < m; j++)
        memset(Q + j * ldq, 0, (size_t)(j < k ? m : k) * sizeof *Q);
    for (int64_t j = 0; j < k; j++)
        Q[j * ldq + j] = 1;
    for (int64_t j = 0; j < k; j++) /* W = Q'U: where Q is the identity, rows of U */
        memcpy(W + j * m, U + j * m, (size_t)k * sizeof *W);
    if (rest)
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, rest, few, rest, 1, right + k, ld,
                    U + k, rows, 0, W + k, rows);
    sri_reflectors_subtract(m, k, U, T, m, Q, ldq, W);
}

/* Reflector j lies in column j and becomes column j + width of Q, so that blocks from the last to
 * the first find their own untouched. */
double sri_band_form_bytes(int64_t n)
{
    return 8.0 * FORM * (2 * (double)n + FORM);
}

specreg_status sri_band_form(specreg_context *ctx, sri_band *band)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = band->n, width = band->width, all = n <= width + 1 ? 0 : n - width;
    const int64_t most = all < FORM ? all : FORM, own = n - all;
    double *U = NULL, *T = NULL, *W = NULL;
    SRI_ALLOC(ctx, U, all, most);
    SRI_ALLOC(ctx, T, most, most);
    SRI_ALLOC(ctx, W, all, most);
    for (int64_t at = all ? (all - 1) / FORM * FORM : -1; at >= 0; at -= FORM) {
        const int64_t m = all - at, k = m < FORM ? m : FORM;
        unpack_reflectors(band->V + at * n + at + width, n, m, k, U);
        sri_reflectors_make(m, k, U, band->tau + at, T);
        prepend(m, k, U, T, band->V + (at + width) * (n + 1), n, W);
        SRI_TRY(sri_poll(ctx));
    }
    for (int64_t j = 0; j < n; j++)
        memset(band->V + j * n, 0, (size_t)(j < own ? n : own) * sizeof *band->V);
    for (int64_t j = 0; j < own; j++)
        band->V[j * (n + 1)] = 1;
    band->formed = true;
done:
    free(W);
    free(T);
    free(U);
    return st;
}

/* ------------------------------------------------------------------- products with Q */

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
    free(copy);
    return st;
}

/* The reflectors that cleared `width` columns from column `at` on, I - U T U'. */
typedef struct panel {
    lapack_int rows, reflectors;
    const double *U;
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

/* Q = P_1 P_2 ..., one factor for every panel; Q X begins with the last.  T has those of all
 * panels. */
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

/* Each thread takes columns of its own through all of it. */
specreg_status sri_band_rotate(specreg_context *ctx, const sri_band *band, bool transposed,
                               int64_t t, double *X)
{
    specreg_status st = SPECREG_OK;
    if (band->formed)
        return multiply(ctx, band, transposed, t, X);
    const int64_t n = band->n, width = band->width, most = sri_region_threads();
    const int64_t takers = t < most ? t : most;
    double *work = NULL, *T = NULL;
    if (n <= width + 1 || t == 0) /* K was a band already, Q = I */
        return st;
    SRI_ALLOC(ctx, T, panel_count(band) * width, width);
    SRI_ALLOC(ctx, work, t + takers, width);
    const int threads = sri_region_enter();
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
    sri_region_leave(threads);
done:
    free(work);
    free(T);
    return st;
}

void sri_band_residual(const sri_band *band, const double *b, const double *x, double *r)
{
    memcpy(r, b, (size_t)band->n * sizeof *r);
    cblas_dsbmv(CblasColMajor, CblasLower, (int)band->n, (int)band->width, -1, band->B,
                stride(band), x, 1, 1, r, 1);
}

bool sri_band_cholesky(const sri_band *band, double shift, double *L)
{
    const int64_t n = band->n, ld = stride(band);
    memcpy(L, band->B, (size_t)(n * ld) * sizeof *L);
    for (int64_t j = 0; j < n; j++)
        L[j * ld] += shift;
    return LAPACKE_dpbtrf_work(COL, 'L', (lapack_int)n, (lapack_int)band->width, L,
                               (lapack_int)ld) == 0;
}

void sri_band_solve(const sri_band *band, const double *L, int64_t t, double *X)
{
    LAPACKE_dpbtrs_work(COL, 'L', (lapack_int)band->n, (lapack_int)band->width, (lapack_int)t, L,
                        stride(band), X, (lapack_int)band->n);
}

/* L'Z = L^{-1} is lower triangular with 1/L_jj on its diagonal, so for Z = (L L')^{-1} and the rows
 * R = j+1 .. j+width below column j
 *     Z_Rj = -Z_RR L_Rj / L_jj,      Z_jj = (1/L_jj - <L_Rj, Z_Rj>) / L_jj,
 * from the last column to the first: entries outside the band are never needed.  A triangle inside
 * the band is an ordinary one whose columns lie one closer together. */
double sri_band_inverse_trace(const sri_band *band, double *L)
{
    const int64_t n = band->n, width = band->width, ld = stride(band);
    double below[SRI_BAND_WIDTH], trace = 0;
    for (int64_t j = n - 1; j >= 0; j--) {
        double *column = L + j * ld;
        const double inverse = 1 / column[0];
        const int rows = (int)(n - 1 - j < width ? n - 1 - j : width);
        memcpy(below, column + 1, (size_t)rows * sizeof *below);
        if (rows)
            cblas_dsymv(CblasColMajor, CblasLower, rows, -inverse, column + ld, (int)width, below,
                        1, 0, column + 1, 1);
        column[0] = inverse * (inverse - cblas_ddot(rows, below, 1, column + 1, 1));
        trace += column[0];
    }
    return trace;
}
