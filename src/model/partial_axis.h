/* The values that a column is given for partial dependence. */
#ifndef SRI_MODEL_PARTIAL_AXIS_H
#define SRI_MODEL_PARTIAL_AXIS_H

#include "model/altered.h"

typedef struct sri_partial_axis {
    specreg_partial_axis of; /* its arrays lie in the arena             */
    int64_t column;
    int64_t *row;     /* a row that has each value               */
    bool labelled;    /* values are texts                    */
    int64_t left_out; /* categories that are not among them      */
} sri_partial_axis;

/* At most `points` values of out->column, which stand in its rows: of numbers and dates all, or
 * quantiles from 5 % to 95 %; of categories the most frequent ones.  A column without a value is an
 * error. */
specreg_status sri_partial_axis_make(specreg_context *ctx, sri_arena *arena, const sri_altered *a,
                                     const specreg_model *model, int64_t points,
                                     sri_partial_axis *out);

#endif
