/* One random part of the rows is held out. */
#include <math.h>

#include "select/rule.h"

static const sri_param params[] = {
    {.name = "fraction", .value = 0.3, .least = 0, .open = true},
};

static specreg_status check(specreg_context *ctx, const sri_rule *self)
{
    return self->param[0] < 1
               ? SPECREG_OK
               : sri_fail(ctx, SPECREG_E_ARG, "select: fraction must lie between 0 and 1, not %g",
                          self->param[0]);
}

static specreg_status splits(specreg_context *ctx, const sri_rule *self, const sri_problem *problem,
                             sri_splits *out)
{
    const sri_strata s = sri_problem_strata(problem);
    return sri_splits_holdout(ctx, &s, self->param[0], out);
}

static int64_t trains(const sri_rule *self, int64_t n)
{
    return (int64_t)fmax(1, fmin((double)n - 1, (double)n - round((double)n * self->param[0])));
}

const sri_rule_ops sri_rule_holdout = {
    .name = "holdout",
    .title = "held-out rows",
    .params = params,
    .n_params = 1,
    .check = check,
    .trials = sri_rule_trials,
    .splits = splits,
    .trains = trains,
    .by_sums = SRI_SUMS_HELD_OUT,
};
