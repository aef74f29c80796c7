/* A trained model: f(x) = sum_i alpha_i k(x, z_i), or, of a linear kernel, slope' x, and
 * beta'phi(x) of features that are not penalised, with all that turns a table's row into x and
 * f(x) into an answer. */
#ifndef SRI_MODEL_MODEL_H
#define SRI_MODEL_MODEL_H

#include <jansson.h>

#include "coding/coding.h"
#include "data/encode.h"
#include "data/predefined.h"
#include "data/target.h"
#include "kernel/kernel.h"
#include "select/layout.h"
#include "model/calibration.h"
#include "model/call.h"

struct specreg_model {
    sri_encoder *encoder;
    sri_target *target;
    specreg_vocabulary *words; /* NULL: not fitted to documents                */
    sri_coding *coding;        /* NULL for regression                                 */
    int64_t n, q, T;
    double *centres;   /* n x q                                               */
    sri_matrix sparse; /* the centres of sparse data, instead                 */
    double *alpha;     /* n x T; n x 1 where each centre is for one output    */
    double *slope;     /* linear kernels: slopes x T; then there may be no centres and no alpha */
    int64_t slopes;
    int32_t *slope_column;   /* sparse data: the columns that have a slope, ascending; NULL: all */
    sri_predefined features; /* that are not penalised; no terms: none         */
    double *beta;            /* features.l x T                                      */
    /* How rows are predicted: as they are; with the number of their task; a point for each output.
     * For the latter two centres are labelled. */
    sri_layout layout;
    sri_target *tasks; /* NULL: there are none                                */
    json_t *outputs;   /* NULL where layout is that of rows: their matrices are in alpha */
    sri_coupling *coupling[SRI_KERNEL_TERMS]; /* of the kernel's terms, likewise */
    double *weight;              /* of the rows, n; NULL: all alike                     */
    double *held;                /* n x T: residuals without the row, or its fold; NULL: unknown */
    sri_points *points;          /* the centres, packed                                 */
    sri_calibration calibration; /* slopes 0: no probabilities                 */
    json_t *kernel;              /* resolved on the context of each call: it may be the user's */
    json_t *record;              /* what fit did; the same for the same input and seed  */
    json_t *volatile_;           /* times and memory: not part of the file; NULL: loaded */
};

/* specreg_fit() with a recipe. */
specreg_status sri_fit(specreg_context *ctx, const sri_call *call, const specreg_table *train,
                       specreg_model **out);
/* specreg_evaluate() with a recipe. */
specreg_status sri_evaluate_record(specreg_context *ctx, const sri_call *call,
                                   const specreg_model *model, const specreg_table *data,
                                   json_t **out);
/* The outputs of a model of tasks that has no answer for a task which training did not have;
 * else NULL. */
const char *sri_model_known_only(const specreg_model *model);
/* Rows as a model takes them. */
typedef struct sri_model_rows {
    sri_matrix X;  /* encoded                                          */
    int32_t *task; /* NULL: there are none                             */
    double *P;     /* features that are not penalised; NULL: none      */
} sri_model_rows;
void sri_model_rows_free(sri_model_rows *rows);
/* F (rows->X.n x T) of rows, and its part that is the kernel's, without the features. */
specreg_status sri_model_outputs(specreg_context *ctx, const specreg_model *model,
                                 const sri_model_rows *rows, double *F);
specreg_status sri_model_kernel_outputs(specreg_context *ctx, const specreg_model *model,
                                        const sri_model_rows *rows, double *F);
/* The matrices of `outputs`, for the terms of the kernel. */
specreg_status sri_model_coupling(specreg_context *ctx, specreg_model *model);
/* The centres as rows, by reference; n = 0: the model has none. */
sri_matrix sri_model_centres(const specreg_model *model);
/* Whether the targets are the components of a vector at the features. */
bool sri_model_is_field(const specreg_model *model);
/* Centres as points, once all else is there. */
specreg_status sri_model_points(specreg_context *ctx, specreg_model *model);
/* One score per class and the winning class, for m rows of outputs; scores m x n_classes. */
void sri_model_decode(const specreg_model *model, const double *F, int64_t m, double *scores,
                      int32_t *winner);

#endif
