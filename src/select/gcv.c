/* Generalized cross-validation: (1/n) |(I-H) y|^2 / ((1/n) tr(I-H))^2, over all outputs. */
#include <math.h>

#include "select/rule.h"

static specreg_status score(specreg_context *ctx, const sri_rule *self, const sri_task *task,
                            const sri_path_point *point, sri_score *out)
{
    (void)ctx, (void)self;
    const double n = (double)task->n;
    double sum = 0;
    for (int64_t k = 0; k < task->n * task->T; k++)
        sum += point->residual[k] * point->residual[k];
    const double free_share = (n - point->df) / n;
    const double value = free_share > 0 ? sum / (n * (double)task->T) / (free_share * free_share)
                                        : NAN;
    *out = (sri_score){.value = value, .tie = value, .stderr_ = NAN, .df = point->df};
    return SPECREG_OK;
}

const sri_rule_ops sri_rule_gcv = {
    .name = "gcv",
    .score = score,
    .need = SRI_NEED_DF,
    .criterion = "gcv",
};
