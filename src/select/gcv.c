/* Generalized cross-validation: (1/n) |(I-H) y|^2 / ((1/n) tr(I-H))^2, over all outputs; with
 * weights the mean square is a weighted one. */
#include <math.h>

#include "select/rule.h"

double sri_gcv(const sri_problem *problem, const double *residual, double df)
{
    const double n = (double)problem->n, free_share = (n - df) / n;
    return free_share > 0 ? sri_mean_square(problem, residual) / (free_share * free_share) : NAN;
}

specreg_status sri_gcv_score(specreg_context *ctx, const sri_rule *self, const sri_problem *problem,
                             const sri_path_point *point, sri_score *out)
{
    (void)ctx, (void)self;
    const double value = sri_gcv(problem, point->residual, point->df);
    *out = (sri_score){.value = value, .tie = value, .stderr_ = NAN, .df = point->df};
    return SPECREG_OK;
}

const sri_rule_ops sri_rule_gcv = {
    .name = "gcv",
    .title = "generalized cross-validation",
    .score = sri_gcv_score,
    .need = SRI_NEED_DF,
    .criterion = "gcv",
    .by_sums = SRI_SUMS_TRAINING,
};
