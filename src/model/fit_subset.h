/* --approx subset: the exact fit of a table with the chosen rows. */
#ifndef SRI_MODEL_FIT_SUBSET_H
#define SRI_MODEL_FIT_SUBSET_H

#include "model/model.h"

/* Rows are chosen from those that were prepared; number[] is that of each in the data. */
specreg_status sri_fit_subset(specreg_context *ctx, const sri_prepared *p, const int64_t *number,
                              specreg_model **out);

#endif
