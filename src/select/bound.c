/* The bound on the number of leave-one-out errors [P3]: the rows that f would get wrong without
 * their own part of it,
 *     form=1   #{ y_i f(x_i) <= k_ii / (k_ii + n lambda) }          Tikhonov only
 *     form=2   #{ y_i (f(x_i) - alpha_i k_ii) <= 0 }                any filter
 * For Tikhonov n lambda alpha_i = y_i - f(x_i), which turns the second into the first; with weights
 * it is (sum w) lambda / w_i in place of n lambda.  So both are one test of
 * v_i = f(x_i) - alpha_i k_ii, and form=1 takes alpha_i from the residual.
 *
 * Why a bound, with many classes too: y_i - v_i = alpha_i (k_ii + n lambda).  The leave-one-out
 * residual is alpha_i / C_ii with C = (K + n lambda I)^-1, and 1/C_ii <= k_ii + n lambda (a Schur
 * complement).  So v_i lies beyond the leave-one-out outputs on the line that comes from y_i, by
 * one factor c >= 1 for all outputs.  The outputs that decode to the class of y_i are a convex set
 * with y_i in it: where the line has left it at the leave-one-out outputs, it is outside at v_i. */
#include <math.h>

#include "core/arena.h"
#include "select/rule.h"

static const sri_param params[] = {
    {.name = "form", .value = 2, .least = 1, .whole = true},
};

static specreg_status check(specreg_context *ctx, const sri_rule *self)
{
    return self->param[0] <= 2
               ? SPECREG_OK
               : sri_fail(ctx, SPECREG_E_ARG, "select: bound: form must be 1 or 2, not %g",
                          self->param[0]);
}

/* Scores that are equal are an error, as in "<= 0". */
static bool wrong(const sri_problem *problem, const double *outputs, int32_t class, double *scores)
{
    sri_coding_scores(problem->coding, outputs, scores);
    for (int32_t c = 0; c < problem->n_classes; c++)
        if (c != class && !(scores[class] > scores[c]))
            return true;
    return false;
}

/* v_i into `outputs`; the mean of its squared errors. */
static double without_own_part(const sri_rule *self, const sri_problem *problem,
                               const sri_path_point *point, double total, int64_t i,
                               double *outputs)
{
    double squared = 0;
    for (int64_t t = 0; t < problem->T; t++) {
        const int64_t k = i * problem->T + t;
        const double alpha =
            self->param[0] == 1
                ? point->residual[k] * sri_problem_weight(problem, i) / (total * point->param)
                : point->alpha[k];
        const double error = point->residual[k] + alpha * point->diagonal[i];
        outputs[t] = problem->Y[k] - error;
        squared += error * error;
    }
    return squared / (double)problem->T;
}

static specreg_status score(specreg_context *ctx, const sri_rule *self, const sri_problem *problem,
                            const sri_path_point *point, sri_score *out)
{
    specreg_status st = SPECREG_OK;
    const double total = sri_problem_total_weight(problem);
    sri_arena scratch = {0};
    double *outputs, *scores, count = 0, squared = 0;
    SRI_SCRATCH(ctx, &scratch, outputs, problem->T, 1);
    SRI_SCRATCH(ctx, &scratch, scores, problem->n_classes, 1);
    for (int64_t i = 0; i < problem->n; i++) {
        const double w = sri_problem_weight(problem, i);
        squared += w * without_own_part(self, problem, point, total, i, outputs);
        count += wrong(problem, outputs, problem->classes[i], scores) ? w : 0;
    }
    *out = (sri_score){.value = count, .tie = squared / total, .stderr_ = NAN, .df = point->df};
    if (isnan(squared))
        out->value = NAN;
done:
    sri_arena_free(&scratch);
    return st;
}

const sri_rule_ops sri_rule_bound = {
    .name = "bound",
    .title = "bound on leave-one-out errors",
    .bounds_errors = true,
    .params = params,
    .n_params = 1,
    .check = check,
    .score = score,
    .need = SRI_NEED_DIAGONAL,
    .criterion = "bound",
    .criterion_title = "count",
    .exact_for_one_system = true,
};
