/* Errors of predictions, for reports: by every measure that suits the problem, of all rows, of each
 * output, task and class.  Texts in them are those of the targets they were made with. */
#ifndef SRI_MEASURE_ERRORS_H
#define SRI_MEASURE_ERRORS_H

#include "data/target.h"
#include "measure/confusion.h"
#include "measure/curve.h"
#include "measure/measure.h"

/* The errors of some rows. */
typedef struct sri_error_list {
    const char *name; /* of an output or a task; NULL: of all, or of new tasks */
    int64_t n;        /* rows; of an output the targets that there are         */
    int count;
    struct sri_error {
        const sri_measure *measure;
        double value;
    } error[SRI_MEASURES];
} sri_error_list;

typedef struct sri_class_errors {
    int64_t k;
    char *const *label;
    double *counts;        /* k x k, see sri_confusion()        */
    sri_class_measure *of; /* k: each class against the others  */
    sri_macro_measure macro;
    double micro;     /* the share of right labels: the micro average of all three */
    int64_t top;      /* 0: not asked for                                          */
    double top_error; /* rows whose class is not among the `top` largest scores    */
    sri_curve *curve; /* k; the first of two has only an area, its curve mirrors the other */
} sri_class_errors;

typedef struct sri_errors {
    sri_error_list all;
    sri_error_list baseline; /* of the best constant: the mean, or the most frequent class */
    sri_error_list weighted; /* the same by the weights of the rows; count 0: there are none */
    struct sri_unpredicted { /* classes that have rows and that no row is decoded to */
        int64_t classes;
        const char *first; /* one of them */
        int64_t rows;      /* and its rows */
    } unpredicted;
    sri_error_list *output; /* of regressions with several */
    int64_t outputs;
    sri_error_list *task; /* those that have rows */
    int64_t tasks;
    sri_class_errors classes; /* k 0: not asked for */
} sri_errors;

/* What to report beyond the errors of all rows. */
typedef struct sri_errors_request {
    unsigned report; /* SRI_IN_TRAIN; or SRI_IN_TEST, with which errors of classes come */
    bool field;
    const sri_target *target, *tasks; /* tasks NULL: there are none                      */
    const int32_t *task;              /* of each row; -1: one that training did not have */
    const double *weight;             /* of each row, for the baseline; NULL: all alike  */
    int64_t top;                      /* of top-k; 0: 5 where there are more classes     */
} sri_errors_request;

/* Of predictions of rows 0 .. n-1; labels and scores that `p` lacks are made in it. */
specreg_status sri_errors_make(specreg_context *ctx, sri_comparison *p,
                               const sri_errors_request *request, sri_errors *out);
void sri_errors_free(sri_errors *errors);
/* A sentence about classes that are never predicted; false: there are none. */
bool sri_unpredicted_text(const sri_errors *errors, char *text, size_t size);
/* The mean and the standard deviation (n - 1; NaN for one fold) of a measure over n folds; false
 * where one of them has no value, such as an area where one class is absent. */
bool sri_errors_over_folds(const sri_error_list *fold, int64_t n, const sri_measure *measure,
                           double *mean, double *deviation);

/* Of classes, likewise (class_errors.c). */
specreg_status sri_class_errors_make(specreg_context *ctx, sri_comparison *p, char *const *label,
                                     int64_t top, sri_class_errors *out);
void sri_class_errors_free(sri_class_errors *errors);

#endif
