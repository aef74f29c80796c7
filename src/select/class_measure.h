/* Measures of classifiers, from true classes, labels and scores. */
#ifndef SRI_SELECT_CLASS_MEASURE_H
#define SRI_SELECT_CLASS_MEASURE_H

#include "core/context.h"

/* counts (k x k): rows of true class a that got label b. */
void sri_measure_confusion(const int32_t *truth, const int32_t *said, int64_t n, int64_t k,
                           int64_t *counts);

/* One class against the others; NaN where there is nothing to divide by. */
typedef struct sri_class_measure {
    int64_t support, predicted, right; /* rows of the class, with its label, both */
    double precision;                  /* right / predicted                       */
    double recall;                     /* right / support                         */
    double f1;                         /* 2 right / (support + predicted)         */
} sri_class_measure;
sri_class_measure sri_measure_class(const int64_t *counts, int64_t k, int64_t c);

/* Means over the classes that have rows, a precision of a class that is never said being 0; NaN
 * when there are no rows. */
typedef struct sri_macro_measure {
    double precision, recall, f1;
} sri_macro_measure;
sri_macro_measure sri_measure_macro(const int64_t *counts, int64_t k);

/* The share of rows whose class is not among the `top` largest of its k scores; ties go to the
 * class that comes first, as for the label. */
double sri_measure_top(const double *scores, const int32_t *truth, int64_t n, int64_t k,
                       int64_t top);
/* -(1/n) sum_i log P_i,truth: P is n x k. */
double sri_measure_log_loss(const double *P, const int32_t *truth, int64_t n, int64_t k);

#endif
