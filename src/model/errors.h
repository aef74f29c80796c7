/* Errors on the rows that trained a model. */
#ifndef SRI_MODEL_ERRORS_H
#define SRI_MODEL_ERRORS_H

#include "measure/errors.h"
#include "model/prepare.h"

specreg_status sri_training_errors(specreg_context *ctx, const sri_prepared *p,
                                   const sri_search_result *result, sri_errors *out);

#endif
