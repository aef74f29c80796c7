/* Cholesky with pivots, and substitution with its factor, by LAPACK and BLAS whatever the backend;
 * on one thread, so that bits never depend on how many there are. */
#include <cblas.h>

#include "backend/blas.h"
#include "backend/cpu/lapack.h"
#include "backend/factor.h"
#include "backend/threads.h"
#include "core/memory.h"

enum { COL = LAPACK_COL_MAJOR };

/* The lower triangle by rows is the upper one by columns, and K = U'U there. */
specreg_status sri_cholesky_pivoted(specreg_context *ctx, int64_t n, double *K, double tolerance,
                                    int64_t *pivot, int64_t *rank)
{
    specreg_status st = SPECREG_OK;
    lapack_int *from = NULL, found = 0;
    double *work = NULL;
    SRI_TRY(sri_lapack_fits(ctx, n));
    SRI_ALLOC(ctx, from, n, 1);
    SRI_ALLOC(ctx, work, n, 2);
    const sri_region region = sri_region_enter();
    const lapack_int info = LAPACKE_dpstrf_work(COL, 'U', (lapack_int)n, K, (lapack_int)n, from,
                                                &found, tolerance, work);
    sri_region_leave(region);
    SRI_TRY(sri_lapack_status(ctx, "dpstrf", info < 0 ? info : 0));
    for (int64_t i = 0; i < n; i++)
        pivot[i] = from[i] - 1;
    *rank = found;
done:
    sri_free(work);
    sri_free(from);
    return st;
}

void sri_lower_solve_transposed(int64_t n, int64_t t, const double *L, int64_t ld, double *B)
{
    const sri_region region = sri_region_enter();
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, (int)n, (int)t, 1,
                L, (int)ld, B, (int)t);
    sri_region_leave(region);
}

void sri_lower_solve_rows(int64_t n, int64_t t, const double *L, bool transposed, double *B,
                          int64_t ldb)
{
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, transposed ? CblasNoTrans : CblasTrans,
                CblasNonUnit, (int)t, (int)n, 1, L, (int)n, B, (int)ldb);
}

void sri_lower_invert(int64_t n, double *L, int64_t ld)
{
    const sri_region region = sri_region_enter();
    LAPACKE_dtrtri_work(COL, 'U', 'N', (lapack_int)n, L, (lapack_int)ld);
    sri_region_leave(region);
}

void sri_square_columns(int64_t p, int64_t k, const double *B, int64_t ldb, double *C, int64_t ldc)
{
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)p, (int)k, 1, B, (int)ldb, 0, C,
                (int)ldc);
}
