/* Predictions as a table. */
#ifndef SRI_MODEL_PREDICT_TABLE_H
#define SRI_MODEL_PREDICT_TABLE_H

#include <stdbool.h>

#include "model/model.h"

typedef struct sri_predictions {
    const specreg_model *model;
    int64_t m;
    const double *F;             /* m x T: outputs               */
    bool proba;                  /* probabilities as well        */
    const double *lower, *upper; /* m x T: intervals, or NULL    */
} sri_predictions;

/* The targets' own names, each with TARGET:lower and TARGET:upper where there are intervals; or
 * `label`, then score:CLASS each, then prob:CLASS each. */
specreg_status sri_predictions_table(specreg_context *ctx, const sri_predictions *p,
                                     specreg_table **out);

#endif
