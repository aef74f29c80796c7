/* F = K A between rows, dense or sparse, and all centres. */
#include "backend/blas.h"
#include "kernel/linear_map.h"
#include "kernel/tile.h"

/* Kernel values that are kept at a time. */
static const double BLOCK = 4e6;

/* F = X (scale Z'A): two thin products instead of all kernel values. */
static specreg_status linear(specreg_context *ctx, const sri_kernel_matrix *of, double scale,
                             int64_t t, const double *A, double *F)
{
    specreg_status st = SPECREG_OK;
    const sri_matrix x = sri_view_matrix(of->rows);
    const sri_linear_map map = sri_linear_map_make(of->centres, 1, NULL);
    double *W = NULL;
    SRI_ALLOC(ctx, W, map.p, t);
    SRI_TRY(sri_linear_back(ctx, &map, t, A, W));
    for (int64_t k = 0; k < map.p * t; k++)
        W[k] *= scale;
    SRI_TRY(sri_rows_times(ctx, &x, of->centres->columns, t, W, F));
    SRI_TRY(sri_kernel_check_product(ctx, of, t, F));
done:
    sri_free(W);
    return st;
}

static specreg_status in_blocks(specreg_context *ctx, const sri_kernel_matrix *of, int64_t t,
                                const double *A, double *F)
{
    specreg_status st = SPECREG_OK;
    const int64_t m = of->rows->n, n = of->centres->n;
    const int64_t fit = (int64_t)(BLOCK / (double)n), some = fit > 16 ? fit : 16;
    const int64_t block = some < m ? some : m;
    double *K = NULL;
    SRI_ALLOC(ctx, K, block, n);
    for (int64_t i0 = 0; i0 < m; i0 += block) {
        const int64_t count = m - i0 < block ? m - i0 : block;
        const sri_rows_view part = sri_view_slice(of->rows, i0, count);
        SRI_TRY(sri_kernel_block(ctx, of->kernel, &part, of->centres, K, n));
        SRI_TRY(sri_product(ctx, (sri_dense){count, n, K, n}, t, A, F + i0 * t));
        SRI_TRY(sri_poll(ctx));
    }
done:
    sri_free(K);
    return st;
}

specreg_status sri_kernel_rows_product(specreg_context *ctx, const sri_kernel_matrix *K, int64_t t,
                                       const double *A, double *F)
{
    double scale;
    const bool sparse = K->centres->stored == SRI_STORED_SPARSE;
    const double m = (double)K->rows->n, n = (double)K->centres->n, p = (double)K->rows->x.p;
    const double two_products = (m + n) * p * (double)t, values = m * n * (p + (double)t);
    if (sri_kernel_is_linear(K->kernel, &scale) && !sri_points_labelled(K->centres) &&
        (sparse || two_products <= values))
        return linear(ctx, K, scale, t, A, F);
    return sparse ? in_blocks(ctx, K, t, A, F) : sri_kernel_product(ctx, K, t, A, F);
}
