/* The parameter that theory prescribes before it has seen the targets [P4, theorem 1],
 *     lambda_n = 2 sqrt(2) kappa^2 log(4/eta) / sqrt(n),
 * for which the excess risk is of order log(4/eta)/sqrt(n) with probability 1 - eta, for filters
 * of qualification 1/2 or more.  Its constant covers every distribution and smooths far too much on
 * any one.  With r, the smoothness of the target (r = 1/2: it is in the space of the kernel),
 *     lambda_n = kappa^2 n^(-1/(2r+1)),
 * the choice of the optimal rate [P0, theorem 1].  Steps correspond to lambda as the iterations
 * have it: 1/(t tau) for Landweber, 1/(t^2 tau) for the nu-method. */
#include <math.h>

#include "select/rule.h"

static const sri_param params[] = {
    {.name = "eta", .value = 0.05, .least = 0, .open = true},
    {.name = "r", .value = NAN, .least = 0, .open = true},
};

static specreg_status check(specreg_context *ctx, const sri_rule *self)
{
    return self->param[0] < 1 ? SPECREG_OK
                              : sri_fail(ctx, SPECREG_E_ARG,
                                         "select: apriori: eta is a probability, between 0 and 1, "
                                         "not %g",
                                         self->param[0]);
}

static double fixed(const sri_rule *self, const sri_filter *filter, int64_t n, double kappa2)
{
    const double eta = self->param[0], r = self->param[1];
    const double lambda = isnan(r) ? 2 * sqrt(2) * kappa2 * log(4 / eta) / sqrt((double)n)
                                   : kappa2 * pow((double)n, -1 / (2 * r + 1));
    return filter->path == SRI_PATH_LAMBDA
               ? lambda
               : ceil(filter->ops->iteration->steps_for(filter, lambda));
}

const sri_rule_ops sri_rule_apriori = {
    .name = "apriori",
    .title = "the a priori choice",
    .params = params,
    .n_params = 2,
    .check = check,
    .fixed = fixed,
    .score = sri_gcv_score,
    .criterion = "gcv",
    .by_sums = SRI_SUMS_TRAINING,
};
