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

struct specreg_model {
    sri_encoder *encoder;
    sri_target *target;
    specreg_vocabulary *words; /* NULL: not fitted to documents                */
    sri_coding *coding;        /* NULL for regression                                 */
    int64_t n, T;
    sri_points *points; /* the centres, labelled where layout is not that of rows; NULL: none */
    double *alpha;      /* n x T; n x 1 where each centre is for one output   */
    double *slope;      /* linear kernels: slopes x T; then there may be no centres and no alpha */
    int64_t slopes;
    int32_t *slope_column;   /* sparse data: the columns that have a slope, ascending; NULL: all */
    sri_predefined features; /* that are not penalised; no terms: none         */
    double *beta;            /* features.l x T                                      */
    /* How rows are predicted: as they are; with their task as label; a point for each output. */
    sri_layout layout;
    sri_target *tasks; /* NULL: there are none                                */
    json_t *outputs;   /* NULL where layout is that of rows: their matrices are in alpha */
    sri_coupling *coupling[SRI_KERNEL_TERMS]; /* of the kernel's terms, likewise */
    double *weight;              /* of the rows, n; NULL: all alike                     */
    double *held;                /* n x T: residuals without the row, or its fold; NULL: unknown */
    sri_calibration calibration; /* slopes 0: no probabilities                 */
    json_t *kernel;              /* resolved on the context of each call: it may be the user's */
    json_t *record;              /* what fit did; the same for the same input and seed  */
    json_t *volatile_;           /* times and memory: not part of the file; NULL: loaded */
};

/* specreg_fit() on a part of a larger table, which names all tasks; NULL: those of `train`. */
specreg_status sri_fit(specreg_context *ctx, const specreg_table *train,
                       const specreg_options *options, const sri_target *tasks,
                       specreg_model **out);
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
/* Whether the targets are the components of a vector at the features. */
bool sri_model_is_field(const specreg_model *model);
/* One score per class and the winning class, for m rows of outputs; scores m x n_classes. */
void sri_model_decode(const specreg_model *model, const double *F, int64_t m, double *scores,
                      int32_t *winner);

#endif
