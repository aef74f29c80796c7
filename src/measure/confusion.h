/* What follows from true classes, labels and scores, class by class. */
#ifndef SRI_MEASURE_CONFUSION_H
#define SRI_MEASURE_CONFUSION_H

#include "measure/comparison.h"

/* x (n): 1 where the label is not the row's class, else 0. */
void sri_losses_wrong(const sri_comparison *p, double *x);

/* counts (k x k): rows of true class a that got label b, by their weights. */
void sri_confusion(const sri_comparison *p, double *counts);

/* A function of these counts, as a measure has it. */
specreg_status sri_of_confusion(specreg_context *ctx, const sri_comparison *p,
                                double (*of_counts)(const double *counts, int64_t k), double *out);

/* One class against the others; NaN where there is nothing to divide by. */
typedef struct sri_class_measure {
    double support, predicted, right; /* rows of the class, with its label, both */
    double precision;                 /* right / predicted                       */
    double recall;                    /* right / support                         */
    double f1;                        /* 2 right / (support + predicted)         */
} sri_class_measure;
sri_class_measure sri_measure_class(const double *counts, int64_t k, int64_t c);

/* Means over the classes that have rows, where a class that is never predicted has precision 0; NaN
 * when there are no rows. */
typedef struct sri_macro_measure {
    double precision, recall, f1;
} sri_macro_measure;
sri_macro_measure sri_measure_macro(const double *counts, int64_t k);

/* The share of rows whose class is not among the `top` largest of its scores; ties go to the class
 * that comes first, as for the label. */
double sri_top_error(const sri_comparison *p, int64_t top);

#endif
