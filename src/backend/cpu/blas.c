#include "backend/cpu/blas.h"

#include <cblas.h>
#include <lapacke.h>
#include <limits.h>
#include <omp.h>
#include <stdlib.h>

#include "core/memory.h"

#if SPECREG_HAVE_OPENBLAS_THREADS
void openblas_set_num_threads(int);
char *openblas_get_corename(void);
#endif

/* Row-major lower is column-major upper: LAPACK is always called column-major, without copies. */
enum { COL = LAPACK_COL_MAJOR };

int sri_threads_enter(int threads, int *restore)
{
    *restore = omp_get_max_threads();
    if (threads <= 0)
        threads = *restore;
    omp_set_num_threads(threads);
#if SPECREG_HAVE_OPENBLAS_THREADS
    openblas_set_num_threads(threads);
#endif
    return threads;
}

void sri_threads_leave(int restore)
{
    omp_set_num_threads(restore);
#if SPECREG_HAVE_OPENBLAS_THREADS
    openblas_set_num_threads(restore);
#endif
}

int sri_region_threads(void)
{
#if SPECREG_HAVE_OPENBLAS_THREADS
    return omp_get_max_threads();
#else
    return 1;
#endif
}

const char *sri_blas_name(void)
{
#if SPECREG_HAVE_OPENBLAS_THREADS
    return openblas_get_corename();
#else
    return "unknown";
#endif
}

/* OpenBLAS on OpenMP also sets the number of threads of OpenMP, hence num_threads() in regions. */
int sri_region_enter(void)
{
    const int threads = sri_region_threads();
#if SPECREG_HAVE_OPENBLAS_THREADS
    openblas_set_num_threads(1);
#endif
    return threads;
}

void sri_region_leave(int threads)
{
#if SPECREG_HAVE_OPENBLAS_THREADS
    sri_threads_leave(threads);
#else
    (void)threads;
#endif
}

static int narrow(int64_t v)
{
    return v > INT_MAX ? INT_MAX : (int)v;
}

void sri_gemm(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, double alpha,
              const double *A, int64_t lda, const double *B, int64_t ldb, double beta, double *C,
              int64_t ldc)
{
    if (m == 0 || n == 0)
        return;
    if (n == 1 && ldb == 1 && ldc == 1 && !trans_b) { /* GEMV is faster for one column */
        const CBLAS_TRANSPOSE t = trans_a ? CblasTrans : CblasNoTrans;
        cblas_dgemv(CblasRowMajor, t, narrow(trans_a ? k : m), narrow(trans_a ? m : k), alpha, A,
                    narrow(lda), B, 1, beta, C, 1);
        return;
    }
    cblas_dgemm(CblasRowMajor, trans_a ? CblasTrans : CblasNoTrans,
                trans_b ? CblasTrans : CblasNoTrans, narrow(m), narrow(n), narrow(k), alpha, A,
                narrow(lda), B, narrow(ldb), beta, C, narrow(ldc));
}

void sri_syrk(int64_t m, int64_t k, const double *A, double *C)
{
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, narrow(m), narrow(k), 1, A, narrow(k), 0,
                C, narrow(m));
}

void sri_syr2k_less(int64_t m, int64_t k, const double *A, const double *B, double *C)
{
    cblas_dsyr2k(CblasRowMajor, CblasLower, CblasTrans, narrow(m), narrow(k), -1, A, narrow(m), B,
                 narrow(m), 1, C, narrow(m));
}

double sri_dot(int64_t n, const double *x, const double *y)
{
    return cblas_ddot(narrow(n), x, 1, y, 1);
}

double sri_norm(int64_t n, const double *x)
{
    return cblas_dnrm2(narrow(n), x, 1);
}

specreg_status sri_lapack_status(specreg_context *ctx, const char *routine, int info)
{
    if (info == 0)
        return SPECREG_OK;
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
        return sri_fail(ctx, SPECREG_E_NOMEM, "out of memory in %s", routine);
    return sri_fail(ctx, SPECREG_E_NUMERIC, "%s failed (info %d)", routine, info);
}

specreg_status sri_cholesky_solve(specreg_context *ctx, int64_t n, int64_t t, const double *L,
                                  double *B)
{
    (void)ctx;
    if (t == 1) {
        cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, narrow(n), L, narrow(n),
                    B, 1);
        cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, narrow(n), L, narrow(n), B,
                    1);
        return SPECREG_OK;
    }
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, narrow(n),
                narrow(t), 1, L, narrow(n), B, narrow(t));
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, narrow(n),
                narrow(t), 1, L, narrow(n), B, narrow(t));
    return SPECREG_OK;
}

specreg_status sri_cholesky_invert(specreg_context *ctx, int64_t n, double *L)
{
    return sri_lapack_status(ctx, "dpotri",
                             LAPACKE_dpotri_work(COL, 'U', (lapack_int)n, L, (lapack_int)n));
}

specreg_status sri_orthonormal(specreg_context *ctx, int64_t r, int64_t n, double *A, double *R)
{
    specreg_status st = SPECREG_OK;
    const lapack_int rows = (lapack_int)n, columns = (lapack_int)r;
    double *tau = NULL;
    SRI_ALLOC(ctx, tau, r, 1);
    SRI_TRY(sri_lapack_status(ctx, "dgeqrf", LAPACKE_dgeqrf(COL, rows, columns, A, rows, tau)));
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < r; j++)
            R[i * r + j] = i <= j ? A[j * n + i] : 0;
    SRI_TRY(sri_lapack_status(ctx, "dorgqr",
                              LAPACKE_dorgqr(COL, rows, columns, columns, A, rows, tau)));
done:
    free(tau);
    return st;
}

specreg_status sri_solve(specreg_context *ctx, int64_t n, double *A, double *B)
{
    specreg_status st = SPECREG_OK;
    const lapack_int order = (lapack_int)n;
    lapack_int *pivot = NULL;
    SRI_ALLOC(ctx, pivot, n, 1);
    SRI_TRY(sri_lapack_status(ctx, "dgetrf", LAPACKE_dgetrf(COL, order, order, A, order, pivot)));
    SRI_TRY(sri_lapack_status(ctx, "dgetrs",
                              LAPACKE_dgetrs(COL, 'T', order, order, A, order, pivot, B, order)));
done:
    free(pivot);
    return st;
}

specreg_status sri_tridiagonal(specreg_context *ctx, int64_t k, double *d, double *e, double *Z)
{
    return sri_lapack_status(ctx, "dstevd",
                             LAPACKE_dstevd(COL, 'V', (lapack_int)k, d, e, Z, (lapack_int)k));
}
