/* precomputed: the feature columns are kernel values.  In training column j of row i is
 * k(x_i, x_j); a new row holds its kernel values against all training rows. */
#include <math.h>

#include "kernel/kernel.h"

static double each(const sri_kernel_term *self, const sri_point *x, const sri_point *z, int64_t p)
{
    (void)self, (void)p;
    return x->x[z->index];
}

static specreg_status check(specreg_context *ctx, const sri_kernel_term *self,
                            const sri_points *points)
{
    (void)self;
    const int64_t n = points->n, p = points->p;
    const double *K = points->rows.x.x;
    if (n != p)
        return sri_fail(ctx, SPECREG_E_SHAPE,
                        "kernel precomputed needs a square matrix: %lld rows, %lld feature columns",
                        (long long)n, (long long)p);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) {
            const double a = K[i * p + j], b = K[j * p + i];
            const double size = sqrt(fabs(K[i * p + i] * K[j * p + j]));
            if (fabs(a - b) > 1e-8 * (size + fabs(a)))
                return sri_fail(ctx, SPECREG_E_NUMERIC,
                                "kernel precomputed: the matrix is not symmetric: row %lld, column "
                                "%lld is %g, but row %lld, column %lld is %g",
                                (long long)i + 1, (long long)j + 1, a, (long long)j + 1,
                                (long long)i + 1, b);
        }
    return SPECREG_OK;
}

const sri_kernel_ops sri_kernel_precomputed = {
    .name = "precomputed",
    .formula = "the feature columns are kernel values",
    .pair = SRI_PAIR_EACH,
    .each = each,
    .check = check,
    .indexed = true,
    .scale = "none",
};
