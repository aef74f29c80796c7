/* Which rows of a table can be used. */
#ifndef SRI_DATA_ROWS_H
#define SRI_DATA_ROWS_H

#include "data/encode.h"
#include "data/roles.h"

/* The rows to train on: those with a positive weight (NULL: all), and, with SRI_MISSING_DROP,
 * without a gap in features or targets (where targets may be missing: with at least one of
 * them).  With SRI_MISSING_ERROR a gap is an error that names its place; with SRI_MISSING_MEAN
 * only one in the targets is. */
specreg_status sri_rows_train(specreg_context *ctx, const specreg_table *t, const sri_roles *roles,
                              const double *weight, sri_missing missing, int64_t **keep,
                              int64_t *n_keep);
/* The same of a later table: gaps in the columns that the encoder uses, and in `extra`, its targets
 * where they are asked for; with `some` a row needs only one of these. */
specreg_status sri_rows_usable(specreg_context *ctx, const specreg_table *t, const sri_encoder *enc,
                               const int64_t *extra, int64_t n_extra, bool some,
                               sri_missing missing, int64_t **keep, int64_t *n_keep);

#endif
