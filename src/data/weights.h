/* What each row, or each class, counts in training. */
#ifndef SRI_DATA_WEIGHTS_H
#define SRI_DATA_WEIGHTS_H

#include "data/target.h"

/* The weights in a column, one for each row of the table, newly allocated: finite, 0 or greater, at
 * least two of them positive; else an error that names the place. */
specreg_status sri_weights_read(specreg_context *ctx, const specreg_table *t, int64_t column,
                                double **weight);
/* The weight of each class from the text of --class-weight, newly allocated: `balanced`, all
 * classes the same in sum, or LABEL=W,LABEL=W, the others 1. */
specreg_status sri_class_weights(specreg_context *ctx, const char *text, const sri_target *target,
                                 double **weight);

#endif
