/* The measure that decides between parameters, and scores of a problem by it. */
#ifndef SRI_SELECT_CRITERION_H
#define SRI_SELECT_CRITERION_H

#include "measure/losses.h"
#include "select/problem.h"

/* The problem's measure, `auto` resolved. */
const sri_measure *sri_criterion_of(const sri_problem *problem);
/* A score's value as people know it: a measure that is made large is minimised as its negative. */
double sri_criterion_shown(const sri_measure *measure, double value);

static inline sri_truth sri_problem_truth(const sri_problem *problem)
{
    return (
        sri_truth){.Y = problem->Y, .classes = problem->classes, .weight = problem->rows.weight};
}

/* Losses by the problem's measure of predictions F (rows ldf apart), of the rows listed (NULL: 0 ..
 * n-1). */
specreg_status sri_losses_add(specreg_context *ctx, const sri_problem *problem, const double *F,
                              int64_t ldf, const sri_truth *truth, const int64_t *rows, int64_t n,
                              sri_losses *losses);
sri_score sri_losses_score(const sri_problem *problem, const sri_losses *losses);
/* Of several folds together, losses[f * stride] each. */
sri_score sri_losses_pool(const sri_problem *problem, const sri_losses *losses, int64_t stride,
                          int64_t folds);

#endif
