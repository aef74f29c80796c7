/* The rows of files that a model is applied to, part by part. */
#ifndef SRI_MODEL_ROW_PARTS_H
#define SRI_MODEL_ROW_PARTS_H

#include "data/blocks.h"
#include "model/model.h"

typedef struct sri_row_parts sri_row_parts;

/* Opens files as sri_blocks_open() does, for one reading.  Documents, and rows that belong to those
 * of a --features-file, are read as a whole. */
specreg_status sri_row_parts_open(specreg_context *ctx, const specreg_model *model,
                                  const char *const *paths, int64_t count,
                                  const specreg_options *options, sri_row_parts **out);
/* The next rows as a table of the caller's, and how many came before; *out NULL: there are no more.
 * Parts are never so small that a matrix product takes another way for them than for all rows at
 * once, unless there are no more rows than that. */
specreg_status sri_row_parts_next(specreg_context *ctx, sri_row_parts *p, int64_t *before,
                                  specreg_table **out);
/* Begins a stage of the progress, which goes on with the parts. */
specreg_status sri_row_parts_stage(specreg_context *ctx, sri_row_parts *p, const char *stage);
/* What the rows are called in messages, and how long reading took so far. */
const char *sri_row_parts_name(const sri_row_parts *p);
double sri_row_parts_seconds(const sri_row_parts *p);
void sri_row_parts_free(sri_row_parts *p); /* accepts NULL */

#endif
