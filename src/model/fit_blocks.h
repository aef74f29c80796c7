/* The story of fit where rows come in blocks and fewer of them are centres. */
#ifndef SRI_MODEL_FIT_BLOCKS_H
#define SRI_MODEL_FIT_BLOCKS_H

#include "data/blocks.h"
#include "model/model.h"

/* The model of --approx rectangle, from all rows of `blocks`. */
specreg_status sri_fit_blocks(specreg_context *ctx, const sri_call *call, sri_blocks *blocks,
                              specreg_model **out);
/* The same of the rows of a table. */
specreg_status sri_fit_table_by_blocks(specreg_context *ctx, const sri_call *call,
                                       const specreg_table *train, specreg_model **out);

#endif
