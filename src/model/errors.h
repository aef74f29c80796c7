/* Errors of predictions, as JSON. */
#ifndef SRI_MODEL_ERRORS_H
#define SRI_MODEL_ERRORS_H

#include "core/json.h"
#include "model/prepare.h"

/* Errors of predictions F (n x T): mse, mae, r2, and error_rate for classes. */
specreg_status sri_record_errors(specreg_context *ctx, const sri_task *task, const double *F,
                                 const double *Y, const int32_t *classes, int64_t n, json_t **out);
/* On the training rows. */
specreg_status sri_training_errors(specreg_context *ctx, const sri_prepared *p,
                                   const sri_search_result *result, json_t **out);
void sri_training_errors_free(json_t *errors);

#endif
