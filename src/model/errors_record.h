/* Errors as JSON, for the records of fit, eval and cv. */
#ifndef SRI_MODEL_ERRORS_RECORD_H
#define SRI_MODEL_ERRORS_RECORD_H

#include "core/json.h"
#include "measure/errors.h"

/* All that is in `errors`; NULL when out of memory. */
json_t *sri_errors_json(const sri_errors *errors);
/* Puts the errors by the measures that cv lists for its folds. */
void sri_errors_put_fold(const sri_error_list *errors, json_t **fold);
/* Puts `mean` and `stddev` (n - 1) over the folds, of each measure that all of them have. */
void sri_errors_put_summary(const sri_error_list *folds, int64_t n, json_t **record);

#endif
