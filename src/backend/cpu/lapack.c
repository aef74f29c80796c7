/* Dense factorizations by LAPACK and BLAS alone, for computers on which the algorithms of own.c are
 * slower or wrong, and to compare these with. */
#include "backend/cpu/lapack.h"

#include <cblas.h>
#include <limits.h>
#include <string.h>

#include "backend/blas.h"
#include "core/memory.h"

enum { COL = LAPACK_COL_MAJOR };

specreg_status sri_lapack_status(specreg_context *ctx, const char *routine, lapack_int info)
{
    if (info == 0)
        return SPECREG_OK;
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
        return sri_fail(ctx, SPECREG_E_NOMEM, "out of memory in %s", routine);
    return sri_fail(ctx, SPECREG_E_NUMERIC, "%s failed (info %d)", routine, (int)info);
}

specreg_status sri_lapack_fits(specreg_context *ctx, int64_t size)
{
    if (size <= INT_MAX)
        return SPECREG_OK;
    return sri_fail(ctx, SPECREG_E_SHAPE, "LAPACK takes at most %d rows or columns, there are %lld",
                    INT_MAX, (long long)size);
}

/* LAPACK may let NaN pass. */
int64_t sri_lapack_factor(int64_t n, double *A, int64_t ld)
{
    const lapack_int info = LAPACKE_dpotrf_work(COL, 'U', (lapack_int)n, A, (lapack_int)ld);
    for (int64_t i = 0; i < (info ? info : n); i++)
        if (!(A[i * (ld + 1)] > 0))
            return i + 1;
    return info;
}

static specreg_status cholesky(specreg_context *ctx, int64_t n, double *K, int64_t *failed_at)
{
    const specreg_status st = sri_lapack_fits(ctx, n);
    *failed_at = st == SPECREG_OK && n ? sri_lapack_factor(n, K, n) : 0;
    return st;
}

/* One of the two substitutions of L L' X = B. */
static void substitute(CBLAS_TRANSPOSE how, int n, int t, const double *L, double *B)
{
    if (t == 1)
        cblas_dtrsv(CblasRowMajor, CblasLower, how, CblasNonUnit, n, L, n, B, 1);
    else
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, how, CblasNonUnit, n, t, 1, L, n, B, t);
}

/* As dpotrs does it, but for B by rows. */
specreg_status sri_lapack_cholesky_solve(specreg_context *ctx, int64_t n, int64_t t,
                                         const double *L, double *B)
{
    SRI_CALL(sri_lapack_fits(ctx, n));
    SRI_CALL(sri_lapack_fits(ctx, t));
    substitute(CblasNoTrans, (int)n, (int)t, L, B);
    substitute(CblasTrans, (int)n, (int)t, L, B);
    return SPECREG_OK;
}

/* (L L')^{-1}_ii = |L^{-1} e_i|^2, for some i at a time: all of the inverse, by dpotri, would
 * take a second matrix. */
static specreg_status inverse_diagonal(specreg_context *ctx, int64_t n, const double *L,
                                       double *out)
{
    enum { COLUMNS = 96 };
    specreg_status st = SPECREG_OK;
    double *X = NULL;
    SRI_TRY(sri_lapack_fits(ctx, n));
    SRI_ALLOC(ctx, X, n, COLUMNS);
    for (int64_t first = 0; first < n; first += COLUMNS) {
        const int64_t rows = n - first, columns = rows < COLUMNS ? rows : COLUMNS;
        memset(X, 0, (size_t)(rows * columns) * sizeof *X);
        for (int64_t j = 0; j < columns; j++)
            X[j * (columns + 1)] = 1;
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)rows,
                    (int)columns, 1, L + first * (n + 1), (int)n, X, (int)columns);
        memset(out + first, 0, (size_t)columns * sizeof *out);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++)
                out[first + j] += X[i * columns + j] * X[i * columns + j];
        SRI_TRY(sri_poll(ctx));
    }
done:
    sri_free(X);
    return st;
}

specreg_status sri_lapack_cholesky_invert(specreg_context *ctx, int64_t n, double *L)
{
    const specreg_status st = sri_lapack_fits(ctx, n);
    return st == SPECREG_OK
               ? sri_lapack_status(ctx, "dpotri",
                                   LAPACKE_dpotri_work(COL, 'U', (lapack_int)n, L, (lapack_int)n))
               : st;
}

specreg_status sri_lapack_orthonormal(specreg_context *ctx, int64_t r, int64_t n, double *A,
                                      double *R)
{
    specreg_status st = SPECREG_OK;
    const lapack_int rows = (lapack_int)n, columns = (lapack_int)r;
    double *tau = NULL;
    SRI_TRY(sri_lapack_fits(ctx, n));
    SRI_ALLOC(ctx, tau, r, 1);
    SRI_TRY(sri_lapack_status(ctx, "dgeqrf", LAPACKE_dgeqrf(COL, rows, columns, A, rows, tau)));
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < r; j++)
            R[i * r + j] = i <= j ? A[j * n + i] : 0;
    SRI_TRY(sri_lapack_status(ctx, "dorgqr",
                              LAPACKE_dorgqr(COL, rows, columns, columns, A, rows, tau)));
done:
    sri_free(tau);
    return st;
}

specreg_status sri_lapack_solve(specreg_context *ctx, int64_t n, double *A, double *B)
{
    specreg_status st = SPECREG_OK;
    const lapack_int order = (lapack_int)n;
    lapack_int *pivot = NULL;
    SRI_TRY(sri_lapack_fits(ctx, n));
    SRI_ALLOC(ctx, pivot, n, 1);
    SRI_TRY(sri_lapack_status(ctx, "dgetrf", LAPACKE_dgetrf(COL, order, order, A, order, pivot)));
    SRI_TRY(sri_lapack_status(ctx, "dgetrs",
                              LAPACKE_dgetrs(COL, 'T', order, order, A, order, pivot, B, order)));
done:
    sri_free(pivot);
    return st;
}

specreg_status sri_lapack_eigen(specreg_context *ctx, int64_t n, double *K, double *s, bool vectors)
{
    const lapack_int order = (lapack_int)n;
    return sri_lapack_status(ctx, "dsyevd",
                             LAPACKE_dsyevd(COL, vectors ? 'V' : 'N', 'U', order, K, order, s));
}

specreg_status sri_lapack_tridiagonal(specreg_context *ctx, int64_t k, double *d, double *e,
                                      double *Z)
{
    const lapack_int order = (lapack_int)k;
    const specreg_status st = sri_lapack_fits(ctx, k);
    return st == SPECREG_OK
               ? sri_lapack_status(ctx, "dstevd", LAPACKE_dstevd(COL, 'V', order, d, e, Z, order))
               : st;
}

static specreg_status product(specreg_context *ctx, sri_dense K, int64_t t, const double *X,
                              double *Y)
{
    (void)ctx;
    sri_gemm(false, false, K.rows, t, K.columns, 1, K.x, K.ld, X, t, 0, Y, t);
    return SPECREG_OK;
}

static specreg_status add_square(specreg_context *ctx, int64_t rows, int64_t p, const double *B,
                                 double *C)
{
    SRI_CALL(sri_lapack_fits(ctx, rows));
    SRI_CALL(sri_lapack_fits(ctx, p));
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)p, (int)rows, 1, B, (int)p, 1, C,
                (int)p);
    return SPECREG_OK;
}

const sri_backend sri_backend_lapack = {
    .name = "lapack",
    .product = product,
    .add_square = add_square,
    .cholesky = cholesky,
    .cholesky_solve = sri_lapack_cholesky_solve,
    .cholesky_inverse_diagonal = inverse_diagonal,
    .cholesky_invert = sri_lapack_cholesky_invert,
    .orthonormal = sri_lapack_orthonormal,
    .solve = sri_lapack_solve,
    .eigen = sri_lapack_eigen,
    .tridiagonal = sri_lapack_tridiagonal,
    .band_reduce = sri_lapack_band_reduce,
    .band_form = sri_lapack_band_form,
    .band_rotate = sri_lapack_band_rotate,
    .substitution = sri_lapack_substitution,
};
