/* The discrepancy principle (Morozov): the smoothest point whose residuals are no larger than the
 * noise, in the root mean square; the roughest where none is.  No fit should say more than the data
 * do.  The fit takes df parts of the noise out of the residuals, so this errs towards smooth. */
#include <math.h>

#include "select/rule.h"

static const sri_param params[] = {
    {.name = "noise", .value = NAN, .least = 0, .open = true},
};

static specreg_status choose(specreg_context *ctx, const sri_rule *self, const sri_trace *trace,
                             sri_score *score, int64_t *chosen)
{
    double noise;
    int64_t roughest = -1;
    *chosen = -1;
    SRI_CALL(sri_trace_noise(ctx, self, trace, &noise));
    for (int64_t i = 0; i < trace->count; i++) {
        const double mse = sri_mean_square(trace->problem, sri_trace_residual(trace, i));
        score[i] = sri_trace_score(trace, i, mse);
        if (*chosen < 0 && mse <= noise * noise)
            *chosen = i;
        if (isfinite(mse))
            roughest = i;
    }
    if (*chosen < 0)
        *chosen = roughest;
    SRI_CHECK(ctx, *chosen >= 0, SPECREG_E_NUMERIC, "no point of the path has finite residuals");
    return SPECREG_OK;
}

const sri_rule_ops sri_rule_discrepancy = {
    .name = "discrepancy",
    .title = "the discrepancy principle",
    .params = params,
    .n_params = 1,
    .noise = true,
    .choose = choose,
    .criterion = "discrepancy",
    .criterion_title = "mean squared residual",
};
