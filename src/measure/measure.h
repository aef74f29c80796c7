/* A measure says with one number how wrong predictions are.  Measures are a table: a choice of
 * parameters goes by one of them, reports list those that suit the problem. */
#ifndef SRI_MEASURE_MEASURE_H
#define SRI_MEASURE_MEASURE_H

#include "core/measures.h"
#include "measure/comparison.h"

/* Problems in whose reports a measure stands; a field is also a regression with several outputs. */
enum {
    SRI_SUITS_REGRESSION = 1,
    SRI_SUITS_OUTPUTS = 2, /* regressions with several outputs, or of tasks */
    SRI_SUITS_FIELDS = 4,
    SRI_SUITS_CLASSES = 8
};

/* The reports in which it stands. */
enum {
    SRI_IN_TRAIN = 1, /* errors on the training rows            */
    SRI_IN_TEST = 2,  /* errors on labelled data                */
    SRI_IN_FOLDS = 4, /* the folds of cv, and their mean        */
    SRI_IN_EACH = 8,  /* errors of each output and each task    */
    SRI_IN_ALL = 15
};

typedef struct sri_measure {
    specreg_measure_info info; /* name, title, unit ...: see the public header         */
    unsigned uses;             /* SRI_USES_...; 0: outputs and targets, which all have */
    unsigned suits;            /* SRI_SUITS_...                                        */
    unsigned reports;          /* SRI_IN_...                                           */
    bool mean_square;          /* it is the mean of squared errors, which sums of squares tell */
    bool balances_classes;     /* a choice gives all classes the same total weight     */
    /* Either a loss for each row, x (n): the measure is their mean by weight, over all folds
     * together, and their spread gives its standard error.  Small losses are good. */
    void (*losses)(const sri_comparison *p, double *x);
    /* Or one value of all rows together, by their weights; NaN where it is not defined.  Of
     * several folds it is the mean of those that have one. */
    specreg_status (*value)(specreg_context *ctx, const sri_comparison *p, double *value);
    /* Optional: the value in a report, where that is computed in another way, such as leaving out
     * what is missing. */
    specreg_status (*report)(specreg_context *ctx, const sri_comparison *p, double *value);
} sri_measure;

/* The value in a report. */
specreg_status sri_measure_report(specreg_context *ctx, const sri_measure *measure,
                                  const sri_comparison *p, double *value);

#define SRI_MEASURE_ONE(id, words) +1
enum { SRI_MEASURES = 0 SRI_MEASURE_LIST(SRI_MEASURE_ONE) };
#undef SRI_MEASURE_ONE
#define SRI_MEASURE_DECLARE(id, words) extern const sri_measure sri_measure_##id;
SRI_MEASURE_LIST(SRI_MEASURE_DECLARE)
#undef SRI_MEASURE_DECLARE

/* Measure 0 .. SRI_MEASURES - 1 in the order in which people read them: those that reports on
 * training rows have come first. */
const sri_measure *sri_measure_at(int index);
/* The measure that `auto` stands for. */
const sri_measure *sri_measure_auto(bool classes);

/* The measure that a text of --criterion names; NULL for auto. */
specreg_status sri_criterion_parse(specreg_context *ctx, const char *text, const sri_measure **out);

#endif
