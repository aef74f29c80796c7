/* Rows with the labels of another file beside them. */
#ifndef SRI_DATA_IO_LABELLED_H
#define SRI_DATA_IO_LABELLED_H

#include "core/options.h"
#include "data/blocks.h"

/* Puts the labels that the options name beside the rows of blocks, which become part of the new
 * ones. */
specreg_status sri_blocks_with_labels(specreg_context *ctx, sri_blocks **rows,
                                      const specreg_options *options);

#endif
