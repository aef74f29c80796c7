#include "backend/cpu/band.h"

#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* LAPACKE has no wrapper for it.  The last argument is the length of the text, which Fortran passes
 * by itself. */
void dsytrd_sy2sb_(const char *uplo, const lapack_int *n, const lapack_int *kd, double *a,
                   const lapack_int *lda, double *ab, const lapack_int *ldab, double *tau,
                   double *work, const lapack_int *lwork, lapack_int *info, size_t uplo_length);

enum { COL = LAPACK_COL_MAJOR };

static int64_t width_of(int64_t n)
{
    return n - 1 < SRI_BAND_WIDTH ? n - 1 : SRI_BAND_WIDTH;
}

/* Columns of B lie so far apart. */
static lapack_int stride(const sri_band *band)
{
    return (lapack_int)band->width + 1;
}

double sri_band_bytes(int64_t n)
{
    const double width = SRI_BAND_WIDTH; /* B, and two blocks of columns as LAPACK's workspace */
    return 8 * (3 * width * (double)n + 2 * width * width + 2 * (double)n);
}

/* Row-major upper is column-major lower.  A work size of -1 asks for it. */
static lapack_int reduce(sri_band *band, double *work, lapack_int size)
{
    const lapack_int n = (lapack_int)band->n, width = (lapack_int)band->width, ld = stride(band);
    lapack_int info = 0;
    dsytrd_sy2sb_("L", &n, &width, band->V, &n, band->B, &ld, band->tau, work, &size, &info, 1);
    return info;
}

specreg_status sri_band_reduce(specreg_context *ctx, int64_t n, double *K, sri_band *out)
{
    specreg_status st = SPECREG_OK;
    double *work = NULL, size = 1;
    *out = (sri_band){.n = n, .width = width_of(n), .V = K};
    SRI_REQUIRE(ctx, n <= INT32_MAX / (4 * SRI_BAND_WIDTH), SPECREG_E_UNAVAILABLE,
                "%lld rows are too many for LAPACK's reduction to a band", (long long)n);
    SRI_ALLOC(ctx, out->tau, n, 1);
    SRI_ALLOC(ctx, out->B, n, out->width + 1);
    reduce(out, &size, -1);
    SRI_ALLOC(ctx, work, (int64_t)size, 1);
    const lapack_int info = reduce(out, work, (lapack_int)size);
    SRI_REQUIRE(ctx, info == 0, SPECREG_E_NUMERIC, "dsytrd_sy2sb failed (info %d)", (int)info);
done:
    free(work);
    return st;
}

void sri_band_free(sri_band *band)
{
    free(band->B);
    free(band->tau);
    *band = (sri_band){0};
}

/* Multiplies with the reflectors that cleared `width` columns from column `at` on. */
static lapack_int rotate_panel(const sri_band *band, char trans, int64_t at, int64_t t, double *X,
                               double *work, int64_t size)
{
    const int64_t n = band->n, rows = n - at - band->width;
    const int64_t reflectors = rows < band->width ? rows : band->width;
    return LAPACKE_dormqr_work(COL, 'L', trans, (lapack_int)rows, (lapack_int)t,
                               (lapack_int)reflectors, band->V + at * n + at + band->width,
                               (lapack_int)n, band->tau + at, X + at + band->width, (lapack_int)n,
                               work, (lapack_int)size);
}

/* Q = P_1 P_2 ..., one factor for every `width` columns; Q X begins with the last. */
specreg_status sri_band_rotate(specreg_context *ctx, const sri_band *band, bool transposed,
                               int64_t t, double *X)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = band->n, width = band->width;
    const char trans = transposed ? 'T' : 'N';
    double *work = NULL, size = 1;
    if (n <= width + 1 || t == 0) /* K was a band already, Q = I */
        return st;
    const int64_t panels = (n - 1) / width; /* columns 0 .. n - width - 1 */
    rotate_panel(band, trans, 0, t, X, &size, -1);
    SRI_ALLOC(ctx, work, (int64_t)size, 1);
    for (int64_t i = 0; i < panels; i++) {
        const int64_t at = width * (transposed ? i : panels - 1 - i);
        const lapack_int info = rotate_panel(band, trans, at, t, X, work, (int64_t)size);
        SRI_REQUIRE(ctx, info == 0, SPECREG_E_NUMERIC, "dormqr failed (info %d)", (int)info);
    }
done:
    free(work);
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
