/* The balancing principle (Lepskii; De Vito, Pereverzev and Rosasco 2008): the smoothest point i
 * that no rougher point j contradicts,
 *     |f_i - f_j|_n <= constant S_j  for all j > i,     S_j = noise sqrt(df_j / n).
 * S_j bounds the deviation of the noise's part of f_j in the empirical norm, noise
 * sqrt(tr H_j^2 / n), and that of f_i - f_j, because 0 <= H_j - H_i <= H_j <= I.  A larger
 * difference must be bias of f_i.  The theory's constant of 4 covers the worst case; 1 is what the
 * data ask for. */
#include <math.h>

#include "select/rule.h"

static const sri_param params[] = {
    {.name = "noise", .value = NAN, .least = 0, .open = true},
    {.name = "constant", .value = 1, .least = 0, .open = true},
};

/* |f_i - f_j| in the empirical norm: the residuals' difference. */
static double distance(const sri_trace *trace, int64_t i, int64_t j)
{
    const sri_problem *problem = trace->problem;
    const double *r = sri_trace_residual(trace, i), *q = sri_trace_residual(trace, j);
    double sum = 0;
    for (int64_t k = 0; k < problem->n * problem->T; k++)
        sum += sri_problem_weight(problem, k / problem->T) * (r[k] - q[k]) * (r[k] - q[k]);
    return sqrt(sum / (sri_problem_total_weight(problem) * (double)problem->T));
}

/* The largest |f_i - f_j| / S_j over the rougher j; 0 for the roughest, NaN where i is no fit. */
static double contradiction(const sri_trace *trace, double noise, int64_t i)
{
    const double n = (double)trace->problem->n;
    double worst = 0;
    if (isnan(distance(trace, i, i)))
        return NAN;
    for (int64_t j = i + 1; j < trace->count; j++) {
        const double d = distance(trace, i, j);
        if (d > 0)
            worst = fmax(worst, d / (noise * sqrt(fmax(trace->df[j], 0) / n)));
    }
    return worst;
}

static specreg_status choose(specreg_context *ctx, const sri_rule *self, const sri_trace *trace,
                             sri_score *score, int64_t *chosen)
{
    double noise;
    *chosen = -1;
    SRI_CALL(sri_trace_noise(ctx, self, trace, &noise));
    for (int64_t i = trace->count - 1; i >= 0; i--) {
        const double value = contradiction(trace, noise, i);
        score[i] = sri_trace_score(trace, i, value);
        if (value <= self->param[1])
            *chosen = i;
    }
    SRI_CHECK(ctx, *chosen >= 0, SPECREG_E_NUMERIC, "no point of the path has finite residuals");
    return SPECREG_OK;
}

const sri_rule_ops sri_rule_balancing = {
    .name = "balancing",
    .title = "the balancing principle",
    .params = params,
    .n_params = 2,
    .noise = true,
    .choose = choose,
    .need = SRI_NEED_DF,
    .criterion = "balancing",
    .criterion_title = "largest ratio",
};
