/* How good a classifier is on labelled rows, for the record of eval. */
#ifndef SRI_MODEL_CLASS_REPORT_H
#define SRI_MODEL_CLASS_REPORT_H

#include "core/json.h"
#include "model/model.h"

/* Adds to `test`: balanced_error, confusion, classes, macro, micro, auc, roc, and where there is
 * something to say top_k and log_loss.  F (n x T) are outputs; `top` is that of top_k, 0: 5 where
 * there are more classes than that. */
specreg_status sri_class_report(specreg_context *ctx, const specreg_model *model, const double *F,
                                const int32_t *truth, int64_t n, int64_t top, json_t **test);

#endif
