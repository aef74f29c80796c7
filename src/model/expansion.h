/* Centres and coefficients of a model from a search, whatever the layout of its points. */
#ifndef SRI_MODEL_EXPANSION_H
#define SRI_MODEL_EXPANSION_H

#include "model/model.h"

/* Packs centres for the loops over tiles that predictions need, while the model's context is there:
 * those of later calls may go before the model does. */
specreg_status sri_model_pack(specreg_context *ctx, const sri_kernel *kernel,
                              const specreg_model *m);
/* Where one coupling serves all outputs it goes into the coefficients, and the model is one of
 * rows; else centres stay points for one output or of one task.  The model takes them over, and
 * what it needs to apply them. */
specreg_status sri_expansion_take(specreg_context *ctx, sri_dataset *data,
                                  sri_search_result *result, specreg_model *m);
/* Gives a model of a linear kernel its slopes, a number for every column and output:
 * f(x) = sum_i alpha_i <x, z_i> = <x, sum_i alpha_i z_i>.  Centres and coefficients stay only in a
 * regression of few rows, where intervals may ask for them.  Other models stay as they are. */
specreg_status sri_model_make_linear(specreg_context *ctx, const sri_kernel *kernel,
                                     specreg_model *model);

#endif
