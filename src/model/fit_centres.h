/* The stories of fit where rows in memory decide: --approx subset and nystrom. */
#ifndef SRI_MODEL_FIT_CENTRES_H
#define SRI_MODEL_FIT_CENTRES_H

#include "data/blocks.h"
#include "model/model.h"

/* Whether a kind of --approx is one of these. */
bool sri_fits_in_memory(sri_approx_kind kind);
specreg_status sri_fit_centres(specreg_context *ctx, const sri_call *call, sri_blocks *blocks,
                               specreg_model **out);

#endif
