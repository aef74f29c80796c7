#include "select/criterion.h"

const sri_measure *sri_criterion_of(const sri_problem *problem)
{
    return problem->judging.criterion ? problem->judging.criterion
                                      : sri_measure_auto(problem->n_classes > 0);
}

double sri_criterion_shown(const sri_measure *measure, double value)
{
    return measure->info.larger_is_better ? -value : value;
}

specreg_status sri_losses_add(specreg_context *ctx, const sri_problem *problem, sri_comparison p,
                              sri_losses *losses)
{
    p.class_cost = problem->judging.class_cost;
    const specreg_status st = sri_measure_add(ctx, sri_criterion_of(problem), &p, losses);
    sri_comparison_free(&p);
    return st;
}
