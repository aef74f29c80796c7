/* Leave-one-out from one fit: y_i - f^{-i}(x_i) = (y_i - f(x_i)) / (1 - H_ii).  Exact for Tikhonov
 * (it is alpha_i / C_ii), an approximation for the other linear filters. */

#include "core/memory.h"
#include "select/rule.h"

static specreg_status score(specreg_context *ctx, const sri_rule *self, const sri_problem *problem,
                            const sri_path_point *point, sri_score *out)
{
    (void)self;
    specreg_status st = SPECREG_OK;
    sri_losses losses = {0};
    double *F = NULL;
    SRI_ALLOC(ctx, F, problem->n, problem->T);
    for (int64_t i = 0; i < problem->n; i++)
        for (int64_t t = 0; t < problem->T; t++) {
            const int64_t k = i * problem->T + t;
            F[k] = problem->Y[k] - sri_point_loo_residual(point, problem->T, k);
        }
    const sri_truth truth = sri_problem_truth(problem);
    SRI_TRY(
        sri_losses_add(ctx, problem, sri_problem_compare(problem, F, truth, problem->n), &losses));
    *out = sri_measure_score(sri_criterion_of(problem), &losses);
    out->df = point->df;
done:
    sri_free(F);
    return st;
}

const sri_rule_ops sri_rule_loo = {
    .name = "loo",
    .title = "leave-one-out",
    .score = score,
    .need = SRI_NEED_LEVERAGE | SRI_NEED_DF,
    .leaves_rows_out = true,
    .exact_for_one_system = true,
    .by_sums = SRI_SUMS_LEFT_OUT,
};
