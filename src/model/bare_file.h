/* Files that options name: numbers or labels as CSV without a header. */
#ifndef SRI_MODEL_BARE_FILE_H
#define SRI_MODEL_BARE_FILE_H

#include "data/table.h"

specreg_status sri_bare_read(specreg_context *ctx, const char *path, specreg_table **out);
/* All of it as numbers (rows x columns), newly allocated. */
specreg_status sri_bare_numbers(specreg_context *ctx, const char *path, const specreg_table *table,
                                double **out);

#endif
