/* Systems with a band matrix, by LAPACK. */
#include "backend/band.h"

#include <cblas.h>
#include <lapacke.h>
#include <limits.h>
#include <string.h>

enum { COL = LAPACK_COL_MAJOR };

/* From column to column of B. */
static lapack_int stride(const sri_band *band)
{
    return (lapack_int)band->width + 1;
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
    for (int64_t c = 0; c < t; c += INT_MAX)
        LAPACKE_dpbtrs_work(COL, 'L', (lapack_int)band->n, (lapack_int)band->width,
                            (lapack_int)(t - c < INT_MAX ? t - c : INT_MAX), L, stride(band),
                            X + c * band->n, (lapack_int)band->n);
}

/* L'Z = L^{-1} is lower triangular with 1/L_jj on its diagonal.  So for Z = (L L')^{-1} and the
 * rows R = j+1 .. j+width below the diagonal of column j
 *     Z_Rj = -Z_RR L_Rj / L_jj,      Z_jj = (1/L_jj - <L_Rj, Z_Rj>) / L_jj,
 * from the last column to the first: entries outside the band are never needed.  Z_RR is stored
 * as BLAS stores a lower triangle, with a leading dimension one less than that of the band. */
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
