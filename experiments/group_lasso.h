/* Linear functions of several tasks with few features in common, which are learned in two steps:
 * group lasso chooses features, least squares with a penalty fits those that are left. */
#ifndef GROUP_LASSO_H
#define GROUP_LASSO_H

#include "experiment.h"

enum { LASSO_TASKS = 2 };
/* n rows of p features for each task, row by row, and n targets for each. */
typedef struct lasso_data {
    int64_t n, p;
    const double *x[LASSO_TASKS], *y[LASSO_TASKS];
} lasso_data;

/* The values tau and lambda that did best on the validation rows. */
typedef struct lasso_choice {
    double tau, lambda, error;
    int64_t features;
} lasso_choice;

/* Both penalties from the list (largest first), by the squared error on `validate`; `w` takes p
 * weights of each task.  Minimises, with t the tasks and j the features,
 *     1/n sum_t |y_t - X_t w_t|^2 + tau sum_j |(w_1j, w_2j)|,
 * then 1/n |y_t - X_t w_t|^2 + lambda |w_t|^2 over the features with a weight.  Gives the exit code
 * of a stop. */
int lasso_fit(const lasso_data *train, const lasso_data *validate, const double *penalty,
              int penalties, double *w[LASSO_TASKS], lasso_choice *choice);

#endif
