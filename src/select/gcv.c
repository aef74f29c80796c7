/* Generalized cross-validation: (1/n) |(I-H) y|^2 / ((1/n) tr(I-H))^2, over all outputs; with
 * weights the mean square is a weighted one. */
#include <math.h>

#include "select/rule.h"

static double gcv(const sri_task *task, const double *residual, double df)
{
    const double n = (double)task->n;
    double sum = 0, mass = 0;
    for (int64_t i = 0; i < task->n; i++) {
        const double w = task->weight ? task->weight[i] : 1;
        mass += w;
        for (int64_t t = 0; t < task->T; t++) {
            const double r = residual[i * task->T + t];
            sum += w * r * r;
        }
    }
    const double free_share = (n - df) / n;
    return free_share > 0 ? sum / (mass * (double)task->T) / (free_share * free_share) : NAN;
}

double sri_trace_gcv(const sri_task *task, const sri_trace *trace, int64_t i)
{
    return gcv(task, trace->residual + i * task->n * task->T, trace->df[i]);
}

static specreg_status score(specreg_context *ctx, const sri_rule *self, const sri_task *task,
                            const sri_path_point *point, sri_score *out)
{
    (void)ctx, (void)self;
    const double value = gcv(task, point->residual, point->df);
    *out = (sri_score){.value = value, .tie = value, .stderr_ = NAN, .df = point->df};
    return SPECREG_OK;
}

const sri_rule_ops sri_rule_gcv = {
    .name = "gcv",
    .score = score,
    .need = SRI_NEED_DF,
    .criterion = "gcv",
};
