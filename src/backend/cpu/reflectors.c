#include "backend/cpu/reflectors.h"

#include <cblas.h>
#include <omp.h>
#include <string.h>

#include "backend/threads.h"

void sri_reflectors_unpack(int64_t m, int64_t k, const double *V, int64_t ldv, double *U)
{
#pragma omp parallel for schedule(static)
    for (int64_t j = 0; j < k; j++) {
        memset(U + j * m, 0, (size_t)j * sizeof *U);
        U[j * m + j] = 1;
        memcpy(U + j * m + j + 1, V + j * ldv + j + 1, (size_t)(m - j - 1) * sizeof *U);
    }
}

/* Column by column: T_jj = tau_j, above it -tau_j T (U'u_j). */
static void few_columns(int64_t k, const double *tau, double *T, int64_t ldt)
{
    for (int64_t j = 0; j < k; j++) {
        double *column = T + j * ldt;
        cblas_dscal((int)j, -tau[j], column, 1);
        cblas_dtrmv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, (int)j, T, (int)ldt,
                    column, 1);
        column[j] = tau[j];
        memset(column + j + 1, 0, (size_t)(k - j - 1) * sizeof *T);
    }
}

/* Halves, and beside the first one -T_1 (U_1'U_2) T_2. */
static void make_T(int64_t k, const double *tau, double *T, int64_t ldt)
{
    enum { FEW = 32 };
    const int64_t half = k / 2, rest = k - half;
    double *second = T + half * (ldt + 1), *beside = T + half * ldt;
    if (k <= FEW) {
        few_columns(k, tau, T, ldt);
        return;
    }
    make_T(half, tau, T, ldt);
    make_T(rest, tau + half, second, ldt);
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, (int)half,
                (int)rest, -1, T, (int)ldt, beside, (int)ldt);
    cblas_dtrmm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, (int)half,
                (int)rest, 1, second, (int)ldt, beside, (int)ldt);
    for (int64_t j = 0; j < half; j++)
        memset(T + j * ldt + half, 0, (size_t)rest * sizeof *T);
}

void sri_reflectors_T(int64_t k, const double *tau, double *T)
{
    make_T(k, tau, T, k);
}

void sri_reflectors_make(int64_t m, int64_t k, const double *U, const double *tau, double *T)
{
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, (int)k, (int)m, 1, U, (int)m, 0, T, (int)k);
    sri_reflectors_T(k, tau, T);
}

void sri_reflectors_subtract(int64_t m, int64_t k, const double *U, const double *T, int64_t n,
                             double *C, int64_t ldc, double *W)
{
    const int rows = (int)m, few = (int)k, columns = (int)n;
    cblas_dtrmm(CblasColMajor, CblasRight, CblasUpper, CblasTrans, CblasNonUnit, columns, few, 1, T,
                few, W, columns);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, rows, columns, few, -1, U, rows, W,
                columns, 1, C, (int)ldc);
}

/* C'U instead of U'C: BLAS is faster when the long side is that of the rows. */
static void apply(int64_t m, int64_t k, const double *U, const double *T, int64_t n, double *C,
                  int64_t ldc, double *W)
{
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)n, (int)k, (int)m, 1, C, (int)ldc, U,
                (int)m, 0, W, (int)n);
    sri_reflectors_subtract(m, k, U, T, n, C, ldc, W);
}

void sri_reflectors_apply(int64_t m, int64_t k, const double *U, const double *T, int64_t n,
                          double *C, int64_t ldc, double *W)
{
    const sri_region region = sri_region_enter();
#pragma omp parallel num_threads(region.threads)
    {
        const int64_t thread = omp_get_thread_num(), of = omp_get_num_threads();
        const int64_t first = n * thread / of, last = n * (thread + 1) / of;
        if (last > first)
            apply(m, k, U, T, last - first, C + first * ldc, ldc, W + first * k);
    }
    sri_region_leave(region);
}
