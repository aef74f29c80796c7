/* Errors of a model on labelled data, typed. */
#ifndef SRI_MODEL_EVALUATE_H
#define SRI_MODEL_EVALUATE_H

#include "measure/errors.h"
#include "model/model.h"

/* `unknown` is the number of documents without a word that the model knows. */
specreg_status sri_model_errors(specreg_context *ctx, const specreg_model *model,
                                const specreg_table *data, const specreg_options *options,
                                sri_errors *out, int64_t *unknown);

#endif
