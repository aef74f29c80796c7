/* How good a model is on labelled data. */
#ifndef SRI_MODEL_EVALUATE_H
#define SRI_MODEL_EVALUATE_H

#include "measure/errors.h"
#include "model/model.h"
#include "model/row_parts.h"

typedef struct sri_evaluation {
    int64_t rows;    /* that were read                              */
    int64_t unknown; /* documents without a word of the vocabulary */
    sri_unseen unseen;
    sri_errors errors;
    struct sri_coverage { /* of intervals, where they are asked for */
        double level;     /* 0: they are not                        */
        bool local;
        double share, width; /* of targets inside; the mean width */
    } interval;
} sri_evaluation;

/* Labels, scores, and probabilities where the model has them; nothing without classes. */
specreg_status sri_decode_classes(specreg_context *ctx, const specreg_model *model,
                                  sri_comparison *p);

/* Predictions of rows beside the truth, gathered table by table.  It may be used again for the same
 * rows, or others, when n is set to 0. */
typedef struct sri_gathered {
    const specreg_model *model;
    int64_t n, F_room, Y_room, classes_room, task_room;
    double *F, *Y;           /* n x T                        */
    int32_t *classes, *task; /* n each; NULL: there are none */
    sri_evaluation *out;     /* its notes                    */
} sri_gathered;

specreg_status sri_gather_table(specreg_context *ctx, const sri_recipe *recipe,
                                const specreg_table *data, sri_rows_how how, sri_gathered *g);
/* One measure of all that was gathered. */
specreg_status sri_gathered_measure(specreg_context *ctx, const sri_gathered *g,
                                    const sri_measure *measure, double *value);
void sri_gathered_free(sri_gathered *g);

specreg_status sri_evaluate_model(specreg_context *ctx, const sri_call *call,
                                  const specreg_model *model, const specreg_table *data,
                                  sri_evaluation *out);
/* The same of rows that come in parts.  What measures need of each row is kept: its outputs, its
 * targets or class. */
specreg_status sri_evaluate_blocks(specreg_context *ctx, const sri_call *call,
                                   const specreg_model *model, sri_row_parts *rows,
                                   sri_evaluation *out);

#endif
