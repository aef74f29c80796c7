/* Predictions as a table. */
#ifndef SRI_MODEL_PREDICT_TABLE_H
#define SRI_MODEL_PREDICT_TABLE_H

#include "model/model.h"

typedef struct sri_predictions {
    const specreg_model *model;
    int64_t m;
    double *F;                   /* m x T: outputs               */
    bool proba;                  /* probabilities as well        */
    double *lower, *upper;       /* m x T: intervals, or NULL    */
    double *part;                /* m x T for each part in turn, or NULL */
    const specreg_table *points; /* of a grid: their coordinates come first, and the table is one on
                                  * that grid; NULL: no such thing */
} sri_predictions;

void sri_predictions_free(sri_predictions *p);
/* The targets' own names, each with TARGET:lower and TARGET:upper where there are intervals and
 * TARGET:PART for each part; or `label`, then score:CLASS each, then prob:CLASS each. */
specreg_status sri_predictions_table(specreg_context *ctx, const sri_predictions *p,
                                     specreg_table **out);

#endif
