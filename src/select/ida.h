/* The protocol of the IDA benchmark, as a search of searches. */
#ifndef SRI_SELECT_IDA_H
#define SRI_SELECT_IDA_H

#include "select/search.h"

/* The medians of what 5-fold cross-validation chooses on the training rows of the first 5 splits;
 * trained on all rows.  The table has a row for each of these splits. */
specreg_status sri_search_ida(specreg_context *ctx, const sri_task *task, sri_search_spec *spec,
                              sri_search_result *out);

#endif
