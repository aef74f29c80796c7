/* The step of the iterative filters. */
#include <math.h>

#include "filter/filter.h"
#include "op/lanczos.h"

enum { STEPS = 240, CHECK_EVERY = 20 };

/* The largest Ritz value and the residual of its vector. */
static specreg_status ritz_value(specreg_context *ctx, const sri_lanczos *z, double *value,
                                 double *residual)
{
    sri_arena scratch = {0};
    double *s, *Z;
    const int64_t k = z->k;
    const specreg_status st = sri_lanczos_spectrum(ctx, z, &scratch, &s, &Z);
    if (st == SPECREG_OK) {
        *value = s[k - 1];
        *residual = z->b[k - 1] * fabs(Z[(k - 1) * k + k - 1]);
    }
    sri_arena_free(&scratch);
    return st;
}

/* The largest eigenvalue of K/mass, times that of the coupling, from above: Lanczos from
 * a fixed start until the residual is below 1e-7 of the value; few steps are enough but for
 * points on a regular grid. */
static specreg_status largest_eigenvalue(specreg_context *ctx, sri_op *op, double *s_max)
{
    specreg_status st = SPECREG_OK;
    sri_lanczos z = {0};
    double *w = NULL, value = 0, residual = INFINITY;
    const int64_t n = op->n;
    SRI_ALLOC(ctx, w, n, 1);
    for (int64_t i = 0; i < n; i++) /* no structure that a kernel could be orthogonal to */
        w[i] = 1 + 0.5 * sin((double)i * 12.9898);
    SRI_TRY(
        sri_lanczos_start(ctx, &z,
                          &(sri_lanczos_source){.y = w, .n = n, .stride = 1, .mass = op->mass}));
    while (z.k < STEPS && !z.whole && residual > 1e-7 * value) {
        SRI_TRY(sri_op_apply(ctx, op, 1, sri_lanczos_last(&z), w));
        SRI_TRY(sri_lanczos_extend(ctx, &z, w));
        if (z.whole || z.k == STEPS || z.k % CHECK_EVERY == 0)
            SRI_TRY(ritz_value(ctx, &z, &value, &residual));
    }
    *s_max = (value + residual) * (op->coupling_norm > 0 ? op->coupling_norm : 1);
done:
    sri_lanczos_free(&z);
    sri_free(w);
    return st;
}

/* Whether the step depends on the largest eigenvalue of K/mass: one by the norm, or a given one
 * that may be too long. */
static bool asks_norm(const sri_filter *filter, double kappa2)
{
    return filter->ops->iteration &&
           (filter->step_rule == SRI_STEP_NORM ||
            (filter->step_rule == SRI_STEP_GIVEN && filter->step * kappa2 > 1));
}

specreg_status sri_filter_settle(specreg_context *ctx, sri_filter *filter, double kappa2,
                                 double s_max)
{
    if (!filter->ops->iteration)
        return SPECREG_OK;
    if (filter->step_rule == SRI_STEP_AUTO)
        filter->step = 1 / kappa2;
    if (!asks_norm(filter, kappa2))
        return SPECREG_OK;
    if (filter->step_rule == SRI_STEP_NORM) {
        filter->step = filter->norm_share / s_max;
        return SPECREG_OK;
    }
    const double most = filter->ops->iteration->largest_step(filter) / s_max;
    SRI_CHECK(ctx, filter->step <= most, SPECREG_E_NUMERIC,
              "filter %s: step=%g is too long, the iteration diverges; at most %g here",
              filter->ops->name, filter->step, most);
    return SPECREG_OK;
}

specreg_status sri_filter_prepare(specreg_context *ctx, sri_filter *filter, sri_op *op)
{
    double kappa2 = 1, s_max = 0;
    const sri_points *points = op->centres.points;
    const bool given = points && points->stored == SRI_STORED_INDEX;
    if (given && (filter->ops->iteration || sri_filter_nonlinear(filter)))
        SRI_CALL(largest_eigenvalue(ctx, op, &s_max)); /* refuses a matrix that is indefinite */
    if (!filter->ops->iteration)
        return SPECREG_OK;
    SRI_CALL(sri_op_kappa2(ctx, op, &kappa2));
    if (asks_norm(filter, kappa2))
        SRI_CALL(largest_eigenvalue(ctx, op, &s_max));
    return sri_filter_settle(ctx, filter, kappa2, s_max);
}
