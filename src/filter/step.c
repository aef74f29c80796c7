/* The step of the iterative filters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/blas.h"
#include "core/memory.h"
#include "filter/filter.h"

enum { STEPS = 240, CHECK_EVERY = 20 };

/* The largest eigenvalue from above: the Ritz value of T_k (diagonal d, off-diagonal e) plus the
 * residual of its vector. */
static specreg_status ritz_value(specreg_context *ctx, int64_t k, const double *d, const double *e,
                                 double *Z, double *value, double *residual)
{
    double s[STEPS], off[STEPS];
    memcpy(s, d, (size_t)k * sizeof *s);
    memcpy(off, e, (size_t)k * sizeof *off);
    const specreg_status st = sri_tridiagonal(ctx, k, s, off, Z);
    *residual = e[k - 1] * fabs(Z[(k - 1) * k + k - 1]);
    *value = s[k - 1] + *residual;
    return st;
}

/* Lanczos on K/n from a fixed start, reorthogonalized, until the residual is below 1e-7 of the
 * value; few steps are enough but for points on a regular grid. */
static specreg_status largest_eigenvalue(specreg_context *ctx, sri_op *op, double *s_max)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = op->n, steps = n < STEPS ? n : STEPS;
    double *V = NULL, *w = NULL, *Z = NULL, d[STEPS], e[STEPS], residual = INFINITY;
    SRI_ALLOC(ctx, V, steps, n);
    SRI_ALLOC(ctx, w, n, 1);
    SRI_ALLOC(ctx, Z, steps, steps);
    for (int64_t i = 0; i < n; i++) /* no structure that a kernel could be orthogonal to */
        V[i] = 1 + 0.5 * sin((double)i * 12.9898);
    double beta = sri_norm(n, V);
    bool enough = false;
    for (int64_t k = 1; !enough; k++) {
        double *v = V + (k - 1) * n;
        for (int64_t i = 0; i < n; i++)
            v[i] /= beta;
        SRI_TRY(sri_op_apply(ctx, op, 1, v, w));
        for (int64_t i = 0; i < n; i++)
            w[i] /= (double)n;
        d[k - 1] = sri_dot(n, v, w);
        for (int pass = 0; pass < 2; pass++)
            for (int64_t j = 0; j < k; j++) {
                const double h = sri_dot(n, V + j * n, w);
                for (int64_t i = 0; i < n; i++)
                    w[i] -= h * V[j * n + i];
            }
        beta = e[k - 1] = sri_norm(n, w);
        enough = k == steps || beta <= 1e-15 * d[0];
        if (enough || k % CHECK_EVERY == 0)
            SRI_TRY(ritz_value(ctx, k, d, e, Z, s_max, &residual));
        enough = enough || residual <= 1e-7 * *s_max;
        if (!enough)
            memcpy(V + k * n, w, (size_t)n * sizeof *V);
    }
done:
    free(Z);
    free(w);
    free(V);
    return st;
}

specreg_status sri_filter_prepare(specreg_context *ctx, sri_filter *filter, sri_op *op)
{
    specreg_status st = SPECREG_OK;
    double kappa2 = 1, s_max = 0;
    if (!filter->ops->takes_step)
        return SPECREG_OK;
    SRI_TRY(sri_op_kappa2(ctx, op, &kappa2));
    if (filter->step_rule == SRI_STEP_AUTO) {
        filter->step = 1 / kappa2;
    } else if (filter->step_rule == SRI_STEP_NORM) {
        SRI_TRY(largest_eigenvalue(ctx, op, &s_max));
        filter->step = 1 / s_max;
    } else if (filter->step * kappa2 > 1) { /* maybe too long: the norm decides */
        SRI_TRY(largest_eigenvalue(ctx, op, &s_max));
        const double most = (filter->ops == &sri_filter_nu ? 1 : 2) / s_max;
        SRI_REQUIRE(ctx, filter->step <= most, SPECREG_E_NUMERIC,
                    "filter %s: step=%g is too long, the iteration diverges; at most %g here",
                    filter->ops->name, filter->step, most);
    }
done:
    return st;
}
