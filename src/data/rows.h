/* Which rows of a table can be used. */
#ifndef SRI_DATA_ROWS_H
#define SRI_DATA_ROWS_H

#include "data/encode.h"
#include "data/roles.h"
#include "data/target.h"

/* The rows to train on: those with a positive weight (NULL: all), and, with SRI_MISSING_DROP,
 * without a gap in features or targets (where targets may be missing: with at least one of
 * them).  With SRI_MISSING_ERROR a gap is an error that names its place; where gaps are filled in
 * only one in the targets is.  The caller frees out->row. */
specreg_status sri_rows_train(specreg_context *ctx, const specreg_table *t, const sri_roles *roles,
                              const double *weight, sri_missing missing, sri_rows *out);
/* The same of a later table: gaps in the columns that the encoder uses, and in the targets where
 * they are asked for (NULL: they are not).  It may be that none is usable. */
specreg_status sri_rows_usable(specreg_context *ctx, const specreg_table *t, const sri_encoder *enc,
                               const sri_target_list *targets, sri_missing missing, sri_rows *out);

/* Fails where a table has rows and none is among these. */
specreg_status sri_rows_any(specreg_context *ctx, const sri_rows *rows);

#endif
