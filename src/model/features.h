/* Features that are not penalised: from the options to the columns of a problem, and to the
 * record. */
#ifndef SRI_MODEL_FEATURES_H
#define SRI_MODEL_FEATURES_H

#include <jansson.h>

#include "model/dataset.h"
#include "model/model.h"

/* Learns them from the rows of a data set, whose X is there, and makes its P.  Columns that
 * depend on those before them are an error, or left out where that is asked for. */
specreg_status sri_features_learn(specreg_context *ctx, const sri_recipe *recipe, sri_dataset *d);
/* The table at `path` ("": none), for features that need one; *out NULL where there is none. */
specreg_status sri_features_read(specreg_context *ctx, const sri_predefined *p, const char *path,
                                 specreg_table **out);
/* P of flat points: a column of each feature for every output. */
specreg_status sri_features_spread(specreg_context *ctx, sri_dataset *d);
/* Adds `features` to a record where there are some: what they are. */
void sri_features_describe(const sri_predefined *p, json_t **record);
/* The same, and their coefficients (l x T), as they stand in the table. */
specreg_status sri_features_record(specreg_context *ctx, const sri_predefined *p,
                                   const double *beta, int64_t T, json_t **record);

#endif
