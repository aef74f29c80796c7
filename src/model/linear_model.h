/* Models of linear kernels: f(x) = sum_i alpha_i <x, z_i> = <x, sum_i alpha_i z_i>, so that the
 * slopes, a number for every column and output, say all.
 *
 * The training rows stay with the slopes where intervals may ask for them: in a regression of at
 * most SRI_LINEAR_KEEP rows. */
#ifndef SRI_MODEL_LINEAR_MODEL_H
#define SRI_MODEL_LINEAR_MODEL_H

#include "model/model.h"

enum { SRI_LINEAR_KEEP = 4096 };

/* Gives a model of a linear kernel its slopes, and lets go of centres and coefficients that are not
 * needed any more; others stay as they are. */
specreg_status sri_model_make_linear(specreg_context *ctx, const sri_kernel *kernel,
                                     specreg_model *model);

#endif
