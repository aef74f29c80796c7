/* The parts that a model's predictions are the sum of, where it has some. */
#ifndef SRI_MODEL_PARTS_H
#define SRI_MODEL_PARTS_H

#include "model/model.h"

/* F (rows->X.n x T): part `part` of the predictions of rows, of specreg_model_parts(). */
specreg_status sri_model_part(specreg_context *ctx, const specreg_model *model, int64_t part,
                              const sri_model_rows *rows, double *F);
/* An error, which says who has parts, for a model that has none. */
specreg_status sri_model_check_parts(specreg_context *ctx, const specreg_model *model);

#endif
