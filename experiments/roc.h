/* How many positives are found at how many false positives. */
#ifndef ROC_H
#define ROC_H

#include "experiment.h"

/* Rates of false positives from 0.001 to 1, in equal steps of their logarithm. */
enum { ROC_POINTS = 61, ROC_MILLE = 0, ROC_PERCENT = 20, ROC_TENTH = 40 };
typedef struct exp_roc {
    double area;              /* under the curve                                       */
    double found[ROC_POINTS]; /* share of the positives with at most so many false ones */
} exp_roc;

double roc_rate(int point);
/* Positives are those with y > 0; equal scores count half in the area. */
exp_roc roc_of(const double *y, const double *score, int64_t n);
void roc_add(exp_roc *sum, const exp_roc *one, double weight);

#endif
