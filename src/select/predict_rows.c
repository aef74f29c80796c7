/* Predictions of many predictors at once. */
#include "backend/blas.h"
#include "core/memory.h"
#include "kernel/linear_map.h"
#include "select/search.h"

enum {
    BLOCK_ROWS = 1024,
    FEW_COLUMNS = 32, /* up to here kernel values are used as they are computed ... */
    FEW_ROWS = 128    /* ... unless all threads are needed for a block              */
};

/* Fields at points that are all components of vectors, as the centres are. */
static specreg_status predict_field(specreg_context *ctx, const sri_predictors *f,
                                    const sri_rows_view *rows, double *F)
{
    const sri_matrix *z = &f->centres->rows.x;
    const int64_t T = z->p;
    const sri_field field = sri_kernel_field(f->kernel, T);
    const sri_field_matrix K = {&field, sri_view_x(rows, 0), rows->n / T, z->x, z->n};
    return sri_field_product(ctx, &K, f->width, f->A, F);
}

specreg_status sri_predict_rows(specreg_context *ctx, const sri_predictors *f,
                                const sri_rows_view *rows, double *F)
{
    specreg_status st = SPECREG_OK;
    double *K = NULL, scale;
    const sri_points *z = f->centres;
    const int64_t m = rows->n, n = z->n, width = f->width;
    if (sri_kernel_is_field(f->kernel) && z->rows.components && rows->components)
        return predict_field(ctx, f, rows, F);
    const bool linear = sri_kernel_is_linear(f->kernel, &scale) && !sri_points_labelled(z);
    if ((width <= FEW_COLUMNS && m >= FEW_ROWS) || linear)
        return sri_kernel_rows_product(ctx, &(sri_kernel_matrix){f->kernel, rows, z}, width, f->A,
                                       F);
    const int64_t block = m < BLOCK_ROWS ? m : BLOCK_ROWS;
    SRI_ALLOC(ctx, K, block, n);
    for (int64_t i0 = 0; i0 < m; i0 += block) {
        const int64_t count = m - i0 < block ? m - i0 : block;
        const sri_rows_view part = sri_view_slice(rows, i0, count);
        SRI_TRY(sri_kernel_block(ctx, f->kernel, &part, z, K, n));
        sri_gemm(false, false, count, width, n, 1, K, n, f->A, width, 0, F + i0 * width, width);
        SRI_TRY(sri_poll(ctx));
    }
done:
    sri_free(K);
    return st;
}
