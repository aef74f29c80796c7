/* The points of a regular grid as rows that an encoder takes. */
#ifndef SRI_MODEL_GRID_TABLE_H
#define SRI_MODEL_GRID_TABLE_H

#include "data/encode.h"

specreg_status sri_grid_table(specreg_context *ctx, const sri_encoder *encoder, bool tasks,
                              const char *grid, specreg_table **out);

#endif
