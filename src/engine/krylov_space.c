#include "engine/krylov_space.h"

#include "core/memory.h"

static bool grows(const sri_lanczos *z, const bool *done, int64_t c)
{
    return !z[c].whole && !(done && done[c]);
}

specreg_status sri_krylov_step(specreg_context *ctx, sri_op *op, sri_lanczos *z, const bool *done,
                               int64_t columns, double *X, double *KX)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = op->n;
    int64_t active = 0, at = 0;
    for (int64_t c = 0; c < columns; c++)
        active += grows(z, done, c);
    for (int64_t c = 0; c < columns; c++) {
        if (!grows(z, done, c))
            continue;
        const double *v = sri_lanczos_last(&z[c]);
        for (int64_t i = 0; i < n; i++)
            X[i * active + at] = v[i];
        at++;
    }
    SRI_TRY(sri_op_apply(ctx, op, active, X, KX));
    at = 0;
    for (int64_t c = 0; c < columns; c++) {
        if (!grows(z, done, c))
            continue;
        for (int64_t i = 0; i < n; i++)
            X[i] = KX[i * active + at];
        at++;
        SRI_TRY(sri_lanczos_extend(ctx, &z[c], X));
    }
done:
    return st;
}

void sri_krylov_resolvent(const sri_lanczos *z, double lambda, int q, double *d, double *x)
{
    const int64_t k = z->k;
    for (int64_t j = 0; j < k; j++) {
        d[j] = z->a[j] + lambda - (j ? z->b[j - 1] * z->b[j - 1] / d[j - 1] : 0);
        x[j] = 0;
    }
    for (int pass = 0; pass < q; pass++) {
        for (int64_t j = 0; j < k; j++)
            x[j] = (j == 0) + lambda * x[j] - (j ? z->b[j - 1] / d[j - 1] * x[j - 1] : 0);
        x[k - 1] /= d[k - 1];
        for (int64_t j = k - 2; j >= 0; j--)
            x[j] = (x[j] - z->b[j] * x[j + 1]) / d[j];
    }
}
