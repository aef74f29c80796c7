/* Errors of columns of numbers.  Where a target is missing (NaN), nothing is compared. */
#ifndef SRI_MEASURE_COLUMNS_H
#define SRI_MEASURE_COLUMNS_H

#include "measure/comparison.h"

typedef struct sri_column_errors {
    double mse, mae, r2; /* r2 = 1 - mse / variance of y; NaN when y is constant */
    double weight;       /* of the targets that there are                        */
    int64_t n;           /* how many there are                                   */
} sri_column_errors;

/* Of output t. */
sri_column_errors sri_errors_of_column(const sri_comparison *p, int64_t t);
/* Of all outputs as one column. */
sri_column_errors sri_errors_pooled(const sri_comparison *p);
/* Averaged: mse and mae over all targets, r2 over the outputs that are not constant. */
sri_column_errors sri_errors_averaged(const sri_comparison *p);

#endif
