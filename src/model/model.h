/* A trained model: f(x) = sum_i alpha_i k(x, z_i), with all that turns a table's row into x and
 * f(x) into an answer. */
#ifndef SRI_MODEL_MODEL_H
#define SRI_MODEL_MODEL_H

#include <jansson.h>

#include "coding/coding.h"
#include "data/encode.h"
#include "data/target.h"
#include "kernel/kernel.h"
#include "model/calibration.h"

struct specreg_model {
    sri_encoder *encoder;
    sri_target *target;
    sri_coding *coding; /* NULL for regression                                 */
    int64_t n, q, T;
    double *centres;    /* n x q                                               */
    double *alpha;      /* n x T                                               */
    double *weight;     /* of the rows, n; NULL: all alike                     */
    double *held;       /* n x T: residuals without the row, or its fold; NULL: unknown */
    sri_points *points; /* the centres, packed                                 */
    sri_calibration calibration; /* slopes 0: no probabilities                 */
    json_t *kernel;     /* resolved on the context of each call: it may be the user's */
    json_t *record;     /* what fit did; the same for the same input and seed  */
    json_t *volatile_;  /* times and memory: not part of the file; NULL: loaded */
};

/* F (m x T) of rows X (m x p), already encoded. */
specreg_status sri_model_outputs(specreg_context *ctx, const specreg_model *model, const double *X,
                                 int64_t m, double *F);
/* One score per class and the winning class, for m rows of outputs; scores m x n_classes. */
void sri_model_decode(const specreg_model *model, const double *F, int64_t m, double *scores,
                      int32_t *winner);

#endif
