/* F = K A between rows, dense or sparse, and all centres. */
#include "backend/blas.h"
#include "core/memory.h"
#include "kernel/linear_map.h"
#include "kernel/sparse.h"

/* Kernel values that are kept at a time. */
static const double BLOCK = 4e6;

/* Sums that are not finite come from kernel values that are not, or from huge coefficients: the
 * former is an error, with its place. */
static specreg_status check(specreg_context *ctx, const sri_kernel *kernel,
                            const sri_rows_view *rows, const sri_points *centres, int64_t t,
                            const double *F)
{
    specreg_status st = SPECREG_OK;
    double *K = NULL;
    for (int64_t i = 0; i < rows->n; i++) {
        double zero = 0;
        for (int64_t c = 0; c < t; c++)
            zero += F[i * t + c] * 0.0;
        if (zero == 0)
            continue;
        if (!K)
            SRI_ALLOC(ctx, K, 1, centres->n);
        const sri_rows_view row = sri_view_slice(rows, i, 1);
        SRI_TRY(sri_kernel_block(ctx, kernel, &row, centres, K, centres->n));
    }
done:
    sri_free(K);
    return st;
}

/* F = X (scale Z'A): two thin products instead of all kernel values. */
static specreg_status linear(specreg_context *ctx, const sri_rows_view *rows,
                             const sri_points *centres, double scale, int64_t t, const double *A,
                             double *F)
{
    specreg_status st = SPECREG_OK;
    const sri_matrix x = sri_view_matrix(rows);
    const sri_columns *c = centres->columns;
    const int64_t p = c ? c->used : centres->p;
    double *W = NULL;
    SRI_ALLOC(ctx, W, p, t);
    if (c) {
        const sri_linear_map map = sri_linear_map_make(centres, 1, NULL);
        SRI_TRY(sri_linear_back(ctx, &map, t, A, W));
    } else {
        sri_gemm(true, false, p, t, centres->n, 1, centres->rows.x.x, p, A, t, 0, W, t);
    }
    for (int64_t k = 0; k < p * t; k++)
        W[k] *= scale;
    SRI_TRY(sri_rows_times(ctx, &x, c ? c->column : NULL, p, t, W, F));
done:
    sri_free(W);
    return st;
}

static specreg_status in_blocks(specreg_context *ctx, const sri_kernel *kernel,
                                const sri_rows_view *rows, const sri_points *centres, int64_t t,
                                const double *A, double *F)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = centres->n, fit = (int64_t)(BLOCK / (double)n), some = fit > 16 ? fit : 16;
    const int64_t block = some < rows->n ? some : rows->n;
    double *K = NULL;
    SRI_ALLOC(ctx, K, block, n);
    for (int64_t i0 = 0; i0 < rows->n; i0 += block) {
        const int64_t count = rows->n - i0 < block ? rows->n - i0 : block;
        const sri_rows_view part = sri_view_slice(rows, i0, count);
        SRI_TRY(sri_kernel_block(ctx, kernel, &part, centres, K, n));
        SRI_TRY(sri_product(ctx, count, n, K, n, t, A, F + i0 * t));
        SRI_TRY(sri_poll(ctx));
    }
done:
    sri_free(K);
    return st;
}

specreg_status sri_kernel_rows_product(specreg_context *ctx, const sri_kernel *kernel,
                                       const sri_rows_view *rows, const sri_points *centres,
                                       int64_t t, const double *A, double *F)
{
    double scale;
    const bool sparse = centres->stored == SRI_STORED_SPARSE;
    const double m = (double)rows->n, n = (double)centres->n, p = (double)rows->x.p;
    const double two_products = (m + n) * p * (double)t, values = m * n * (p + (double)t);
    if (sri_kernel_is_linear(kernel, &scale) && !sri_points_labelled(centres) &&
        (sparse || two_products <= values)) {
        const specreg_status st = linear(ctx, rows, centres, scale, t, A, F);
        return st == SPECREG_OK ? check(ctx, kernel, rows, centres, t, F) : st;
    }
    return sparse ? in_blocks(ctx, kernel, rows, centres, t, A, F)
                  : sri_kernel_product(ctx, kernel, rows, centres, t, A, F);
}
