#include "backend/cpu/reflectors.h"

#include <cblas.h>
#include <string.h>

#include "backend/threads.h"
#include "core/openmp.h"

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

specreg_status sri_reflectors_new(specreg_context *ctx, sri_arena *memory, int64_t m, int64_t n,
                                  sri_reflectors *out)
{
    const int64_t k = m < SRI_REFLECTORS ? m : SRI_REFLECTORS;
    *out = (sri_reflectors){.m = m, .k = k};
    SRI_ARENA_NEW(ctx, memory, out->U, m, k);
    SRI_ARENA_NEW(ctx, memory, out->T, k, k);
    SRI_ARENA_NEW(ctx, memory, out->W, n, k);
    return SPECREG_OK;
}

void sri_reflectors_take(sri_reflectors *r, int64_t m, const double *V, int64_t ldv,
                         const double *tau)
{
    r->m = m;
    r->k = m < SRI_REFLECTORS ? m : SRI_REFLECTORS;
    sri_reflectors_unpack(m, r->k, V, ldv, r->U);
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, (int)r->k, (int)m, 1, r->U, (int)m, 0, r->T,
                (int)r->k);
    sri_reflectors_T(r->k, tau, r->T);
}

void sri_reflectors_subtract(const sri_reflectors *r, int64_t n, double *C, int64_t ldc)
{
    const int rows = (int)r->m, few = (int)r->k, columns = (int)n;
    cblas_dtrmm(CblasColMajor, CblasRight, CblasUpper, CblasTrans, CblasNonUnit, columns, few, 1,
                r->T, few, r->W, columns);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, rows, columns, few, -1, r->U, rows, r->W,
                columns, 1, C, (int)ldc);
}

/* C'U instead of U'C: BLAS is faster when the long side is that of the rows. */
static void apply(const sri_reflectors *r, int64_t n, double *C, int64_t ldc)
{
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)n, (int)r->k, (int)r->m, 1, C,
                (int)ldc, r->U, (int)r->m, 0, r->W, (int)n);
    sri_reflectors_subtract(r, n, C, ldc);
}

void sri_reflectors_apply(const sri_reflectors *r, int64_t n, double *C, int64_t ldc)
{
    const sri_region region = sri_region_enter();
#pragma omp parallel num_threads(region.threads)
    {
        const int64_t thread = omp_get_thread_num(), of = omp_get_num_threads();
        const int64_t first = n * thread / of, last = n * (thread + 1) / of;
        sri_reflectors mine = *r;
        mine.W += first * r->k;
        if (last > first)
            apply(&mine, last - first, C + first * ldc, ldc);
    }
    sri_region_leave(region);
}
