#include "backend/cpu/reflectors.h"

#include <cblas.h>
#include <string.h>

/* Column by column: T_jj = tau_j, above it -tau_j T (U'u_j). */
void sri_reflectors_T(int64_t k, const double *tau, double *T)
{
    for (int64_t j = 0; j < k; j++) {
        double *column = T + j * k;
        cblas_dscal((int)j, -tau[j], column, 1);
        cblas_dtrmv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, (int)j, T, (int)k, column,
                    1);
        column[j] = tau[j];
        memset(column + j + 1, 0, (size_t)(k - j - 1) * sizeof *T);
    }
}

void sri_reflectors_make(int64_t m, int64_t k, const double *U, const double *tau, double *T)
{
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, (int)k, (int)m, 1, U, (int)m, 0, T, (int)k);
    sri_reflectors_T(k, tau, T);
}

void sri_reflectors_subtract(int64_t m, int64_t k, const double *U, const double *T, int64_t n, double *C,
                             int64_t ldc, double *W)
{
    const int rows = (int)m, few = (int)k, columns = (int)n;
    cblas_dtrmm(CblasColMajor, CblasRight, CblasUpper, CblasTrans, CblasNonUnit, columns, few, 1, T, few,
                W, columns);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, rows, columns, few, -1, U, rows, W, columns, 1,
                C, (int)ldc);
}

/* C'U is taken, not U'C: BLAS is faster where the long side is the one of the rows. */
void sri_reflectors_apply(int64_t m, int64_t k, const double *U, const double *T, int64_t n, double *C,
                          int64_t ldc, double *W)
{
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)n, (int)k, (int)m, 1, C, (int)ldc, U, (int)m,
                0, W, (int)n);
    sri_reflectors_subtract(m, k, U, T, n, C, ldc, W);
}
