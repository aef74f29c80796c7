/* The story of fit where rows come in blocks and fewer of them are centres. */
#ifndef SRI_MODEL_FIT_BLOCKS_H
#define SRI_MODEL_FIT_BLOCKS_H

#include "data/blocks.h"
#include "model/model.h"
#include "sums/store.h"

/* The model of --approx rectangle, subset or nystrom, from all rows of `blocks`. */
specreg_status sri_fit_blocks(specreg_context *ctx, const sri_call *call, sri_blocks *blocks,
                              specreg_model **out);
/* The same of the rows of a table. */
specreg_status sri_fit_table_by_blocks(specreg_context *ctx, const sri_call *call,
                                       const specreg_table *train, specreg_model **out);

/* The rows that are looked at first, as a table; *rows is the number of all. */
specreg_status sri_first_rows(specreg_context *ctx, const sri_call *call, sri_blocks *blocks,
                              int64_t *rows, specreg_table **out);
/* Whether --approx auto takes fewer centres for these rows; not where there are at most `few`. */
specreg_status sri_fewer_of_blocks(specreg_context *ctx, const sri_call *call, sri_blocks *blocks,
                                   int64_t few, bool *out);

/* What a search by sums needs of a problem that was prepared, with the numbers of its rows. */
sri_sums_spec sri_sums_spec_of(const sri_prepared *p, sri_blocks *blocks, const int64_t *number);

/* With a table that has the first rows in place of a look at the blocks: whether all that
 * follows from them is possible; the sums of blocks; the model from sums, which it takes over. */
specreg_status sri_sums_try_basis(specreg_context *ctx, const sri_call *call,
                                  const specreg_table *first);
specreg_status sri_sums_add_blocks(specreg_context *ctx, const sri_call *call,
                                   const specreg_table *first, sri_blocks *blocks,
                                   sri_stored_sums *out);
specreg_status sri_fit_stored(specreg_context *ctx, const sri_call *call,
                              const specreg_table *first, sri_stored_sums *stored,
                              specreg_model **out);

#endif
