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

specreg_status sri_losses_add(specreg_context *ctx, const sri_problem *problem, const double *F,
                              int64_t ldf, const sri_truth *truth, const int64_t *rows, int64_t n,
                              sri_losses *losses)
{
    sri_comparison p = sri_compare(F, *truth, n, problem->T, problem->coding);
    p.ldf = ldf;
    p.rows = rows;
    p.class_cost = problem->judging.class_cost;
    const specreg_status st = sri_measure_add(ctx, sri_criterion_of(problem), &p, losses);
    sri_comparison_free(&p);
    return st;
}

sri_score sri_losses_score(const sri_problem *problem, const sri_losses *losses)
{
    return sri_measure_score(sri_criterion_of(problem), losses);
}

sri_score sri_losses_pool(const sri_problem *problem, const sri_losses *losses, int64_t stride,
                          int64_t folds)
{
    return sri_measure_pool(sri_criterion_of(problem), losses, stride, folds);
}
