/* Unpenalised terms: from the options to the columns of a problem. */
#ifndef SRI_MODEL_FEATURES_H
#define SRI_MODEL_FEATURES_H

#include "model/dataset.h"
#include "model/model.h"

/* Learns them from the rows of a data set, whose X is there, and makes its P.  Columns that
 * depend on those before them are an error, or left out where that is asked for. */
specreg_status sri_features_learn(specreg_context *ctx, const sri_recipe *recipe, sri_dataset *d);
/* The table at `path` ("": none), for features that need one; *out NULL where there is none. */
specreg_status sri_features_read(specreg_context *ctx, const sri_predefined *p, const char *path,
                                 specreg_table **out);
#endif
