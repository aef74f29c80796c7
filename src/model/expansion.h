/* Centres and coefficients of a model from a search, whatever the layout of its points. */
#ifndef SRI_MODEL_EXPANSION_H
#define SRI_MODEL_EXPANSION_H

#include "model/model.h"

/* Where one coupling serves all outputs it goes into the coefficients, and the model is one of
 * rows; else centres stay points for one output or of one task.  The model takes them over, and
 * what it needs to apply them. */
specreg_status sri_expansion_take(specreg_context *ctx, sri_dataset *data,
                                  sri_search_result *result, specreg_model *m);

#endif
