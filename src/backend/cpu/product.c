/* Products of a large matrix with a few columns: the matrix is read once for SRI_THIN of them. */
#include <string.h>

#include "backend/blas.h"
#include "backend/cpu/own.h"
#include "backend/vec.h"
#include "core/memory.h"

enum {
    MOST = 4 * SRI_THIN, /* with more columns GEMM is faster                  */
    SERIAL = 100000      /* up to so many entries of K one thread is faster   */
};

/* `width` columns of Y, which has t, from X (n x SRI_THIN).  Blocks of SRI_THIN_ROWS rows; the last
 * one may overlap the one before. */
static void thin_product(sri_dense K, const double *X, int64_t width, int64_t t, double *Y)
{
    const sri_vec *vec = sri_vec_best();
    const int64_t blocks = (K.rows + SRI_THIN_ROWS - 1) / SRI_THIN_ROWS;
#pragma omp parallel for schedule(static) if (K.rows * K.columns > SERIAL)
    for (int64_t b = 0; b < blocks; b++) {
        double out[SRI_THIN_ROWS * SRI_THIN];
        const int64_t last = K.rows - SRI_THIN_ROWS;
        const int64_t first = b * SRI_THIN_ROWS;
        const int64_t from = first < last ? first : last;
        vec->thin(K.x + from * K.ld, K.ld, K.columns, X, out);
        for (int64_t i = first; i < from + SRI_THIN_ROWS; i++)
            memcpy(Y + i * t, out + (i - from) * SRI_THIN, (size_t)width * sizeof *Y);
    }
}

specreg_status sri_own_product(specreg_context *ctx, sri_dense K, int64_t t, const double *X,
                               double *Y)
{
    specreg_status st = SPECREG_OK;
    double *padded = NULL;
    if (t < 2 || t > MOST || K.rows < SRI_THIN_ROWS) {
        sri_gemm(false, false, K.rows, t, K.columns, 1, K.x, K.ld, X, t, 0, Y, t);
        return st;
    }
    SRI_CALLOC(ctx, padded, K.columns, SRI_THIN);
    for (int64_t c = 0; c < t; c += SRI_THIN) {
        const int64_t width = t - c < SRI_THIN ? t - c : SRI_THIN;
        for (int64_t j = 0; j < K.columns; j++)
            memcpy(padded + j * SRI_THIN, X + j * t + c, (size_t)width * sizeof *X);
        thin_product(K, padded, width, t, Y + c);
    }
done:
    sri_free(padded);
    return st;
}

/* Columns of C at a time, each block with the rows from its diagonal down: GEMM is faster than SYRK
 * for few rows. */
specreg_status sri_own_add_square(specreg_context *ctx, int64_t rows, int64_t p, const double *B,
                                  double *C)
{
    enum { COLUMNS = 256 };
    (void)ctx;
    for (int64_t j = 0; j < p; j += COLUMNS) {
        const int64_t width = p - j < COLUMNS ? p - j : COLUMNS;
        sri_gemm(true, false, p - j, width, rows, 1, B + j, p, B + j, p, 1, C + j * p + j, p);
    }
    return SPECREG_OK;
}
