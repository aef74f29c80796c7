/* Measures of error, for training, selection and evaluation alike. */
#ifndef SRI_SELECT_MEASURE_H
#define SRI_SELECT_MEASURE_H

#include "core/context.h"

typedef struct sri_regression_measure {
    double mse, mae, r2; /* r2 = 1 - mse / variance of y; NaN when y is constant */
    int64_t n;           /* values of y that there are                           */
} sri_regression_measure;

/* Of output `t` of n x T predictions F against Y; where Y is NaN, nothing is compared. */
sri_regression_measure sri_measure_output(const double *F, const double *Y, int64_t n, int64_t T,
                                          int64_t t);
/* Averaged: mse and mae over all entries of Y, r2 over the outputs that are not constant. */
sri_regression_measure sri_measure_outputs(const double *F, const double *Y, int64_t n, int64_t T);

/* Vector fields: the mean over n rows of the angle between (f, 1) and (y, 1), in degrees.  Rows
 * where a component of y is missing are left out; NaN without others. */
double sri_measure_angle(const double *F, const double *Y, int64_t n, int64_t T);

typedef struct sri_roc_point {
    double threshold, fpr, tpr;
} sri_roc_point;

/* Two classes: area under the ROC curve of scores for the class `positive`, ties counted half;
 * NaN when one of the classes is absent or a score is NaN.  Exact by sorting.  `weight` (n, or
 * NULL) counts a row that often.  Here and below rows of an unknown class (-1) are left out. */
specreg_status sri_measure_auc(specreg_context *ctx, const double *score, const int32_t *classes,
                               const double *weight, int32_t positive, int64_t n, double *auc);
/* The curve, one point per distinct score in falling order, after (0,0) with threshold infinity;
 * newly allocated; no points where the area is NaN. */
specreg_status sri_measure_roc(specreg_context *ctx, const double *score, const int32_t *classes,
                               int32_t positive, int64_t n, sri_roc_point **points, int64_t *count);

#endif
