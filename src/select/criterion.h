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

/* Predictions F of n rows (n x T) beside their truth. */
static inline sri_comparison sri_problem_compare(const sri_problem *problem, const double *F,
                                                 sri_truth truth, int64_t n)
{
    return sri_compare(F, truth, n, problem->T, problem->coding);
}
/* Adds the losses by the problem's measure of some predictions. */
specreg_status sri_losses_add(specreg_context *ctx, const sri_problem *problem, sri_comparison p,
                              sri_losses *losses);

#endif
