/* experiment ida: the errors on one set, and how they are printed. */
#ifndef IDA_H
#define IDA_H

#include "ida_data.h"

typedef struct ida_outcome {
    const ida_published *set;
    int64_t splits;
    bool original;     /* the benchmark's own splits, else random ones of the same sizes */
    double *error;     /* in percent, of each split               */
    double *sigma;     /* NaN where the kernel has none           */
    double *parameter; /* lambda, t or components                 */
    double mean, stddev, seconds;
} ida_outcome;

/* ida_svm.c: fills errors and parameters, C as the parameter. */
int ida_run_svm(cli *c, const ida_data *data, ida_outcome *o);

/* `column` is the method of Table 2, or IDA_SVM of Table 3, to compare with, or -1 when there is
 * none for the filter. */
void ida_print_heading(int column);
void ida_print_row(const ida_outcome *o, int column);
void ida_print_averages(const ida_outcome *o, int count, int column);
/* A second table, for all sets: the smallest published error of each. */
void ida_print_best(const ida_outcome *o, int count);
json_t *ida_record(const ida_outcome *o, int count, int column);

#endif
