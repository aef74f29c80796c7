/* Predictions of many machines at once. */
#include <stdlib.h>

#include "backend/blas.h"
#include "core/memory.h"
#include "kernel/linear_map.h"
#include "select/search.h"

enum {
    BLOCK_ROWS = 1024,
    FEW_COLUMNS = 32, /* up to here kernel values are used as they are computed ... */
    FEW_ROWS = 128    /* ... unless all threads are needed for a block              */
};

/* Fields at points that are all components of vectors. */
static specreg_status predict_field(specreg_context *ctx, const sri_kernel *kernel,
                                    const sri_matrix *x, const sri_points *centres, const double *A,
                                    int64_t width, double *F)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = centres->q - 1;
    const sri_field field = sri_kernel_field(kernel, T);
    double *X = NULL, *Z = NULL;
    SRI_TRY(sri_rows_vectors(ctx, x->x, x->n, T, &X));
    SRI_TRY(sri_rows_vectors(ctx, centres->z, centres->n, T, &Z));
    SRI_TRY(sri_field_product(ctx, &field, X, x->n / T, Z, centres->n / T, width, A, F));
done:
    free(Z);
    free(X);
    return st;
}

specreg_status sri_predict_rows(specreg_context *ctx, const sri_kernel *kernel, const sri_matrix *x,
                                const sri_points *centres, const double *A, int64_t width,
                                double *F)
{
    specreg_status st = SPECREG_OK;
    double *K = NULL, scale;
    const int64_t m = x->n;
    if (sri_kernel_is_field(kernel) && sri_points_are_vectors(centres) &&
        sri_rows_are_vectors(x->x, m, x->p - 1))
        return predict_field(ctx, kernel, x, centres, A, width, F);
    const bool linear = sri_kernel_is_linear(kernel, &scale) && !centres->labelled;
    if ((width <= FEW_COLUMNS && m >= FEW_ROWS) || linear)
        return sri_kernel_rows_product(ctx, kernel, x, centres, width, A, F);
    const int64_t block = m < BLOCK_ROWS ? m : BLOCK_ROWS;
    SRI_ALLOC(ctx, K, block, centres->n);
    for (int64_t i0 = 0; i0 < m; i0 += block) {
        const int64_t rows = m - i0 < block ? m - i0 : block;
        const sri_matrix part = sri_matrix_slice(x, i0, rows);
        SRI_TRY(sri_kernel_rows_block(ctx, kernel, &part, i0, centres, K, centres->n));
        sri_gemm(false, false, rows, width, centres->n, 1, K, centres->n, A, width, 0,
                 F + i0 * width, width);
        SRI_TRY(sri_poll(ctx));
    }
done:
    free(K);
    return st;
}
