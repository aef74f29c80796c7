/* A trained model: f(x) = sum_i alpha_i k(x, z_i), or, of a linear kernel, slope' x, and
 * beta'phi(x) of features that are not penalised, with all that turns a table's row into x and
 * f(x) into an answer. */
#ifndef SRI_MODEL_MODEL_H
#define SRI_MODEL_MODEL_H

#include "coding/coding.h"
#include "data/encode.h"
#include "data/predefined.h"
#include "data/target.h"
#include "filter/filter.h"
#include "kernel/kept.h"
#include "measure/calibration.h"
#include "model/report.h"
#include "select/sample.h"

/* From a table's row to x and y, and from f(x) to an answer. */
typedef struct sri_encoding {
    sri_encoder *encoder;
    sri_target *target;
    specreg_vocabulary *vocabulary; /* NULL: not fitted to documents */
    sri_coding *coding;             /* NULL for regression           */
    sri_target *tasks;              /* NULL: there are none          */
    sri_target *id;                 /* carried into predictions; NULL: nothing is */
} sri_encoding;

/* Centres and coefficients. */
typedef struct sri_expansion {
    int64_t n;          /* centres                                                              */
    sri_points *points; /* the centres, labelled where layout is not that of rows; NULL: none   */
    double *alpha;      /* n x T; n x 1 where each centre is for one output                     */
    double *slope;      /* linear kernels: slopes x T; then there may be no centres and no alpha */
    int64_t slopes;
    int32_t *slope_column; /* sparse data: the columns that have a slope, ascending; NULL: all */
    /* How rows are predicted: as they are; with their task as label; a point for each output. */
    sri_layout layout;
    /* Of the kernel's terms; NULL where layout is that of rows: their matrices are in alpha. */
    sri_coupling *coupling[SRI_KERNEL_TERMS];
} sri_expansion;

/* Terms without penalty. */
typedef struct sri_unpenalised {
    sri_predefined terms; /* none: n_terms 0 */
    double *beta;         /* terms.l x T     */
} sri_unpenalised;

/* What training says of rows it has not seen. */
typedef struct sri_uncertainty {
    sri_calibration calibration; /* slopes 0: no probabilities                            */
    double *held_out;            /* n x T: residuals without the row, or its fold; NULL: unknown */
    double *weight;              /* n: of the rows; NULL: all alike                       */
    /* The centres are not the rows of an exact fit: what follows from their kernel matrix alone
     * does not hold. */
    bool approximate;
    double *sample; /* sampled x T: held-out residuals of rows that are not kept; NULL: unknown */
    int64_t sampled;
} sri_uncertainty;

typedef enum sri_model_kind {
    SRI_MODEL_PREDICTOR,
    SRI_MODEL_KPCA,    /* coordinates along principal components  */
    SRI_MODEL_NYSTROM, /* coordinates in the span of some centres */
    SRI_MODEL_KINDS
} sri_model_kind;

extern const char *const sri_model_kinds[SRI_MODEL_KINDS]; /* their names */

/* What made the model, for people: one of these, or none. */
typedef struct sri_model_report {
    sri_fit_report *fit;
    sri_kpca_report *kpca;
    sri_import_report *import;
    char *text;                 /* of a model that was loaded: the record */
    char *portrait, *held_rows; /* likewise, as the file has them; NULL: it has none */
} sri_model_report;

struct specreg_model {
    sri_model_kind kind;
    sri_problem_kind problem; /* regression, classification or field */
    int64_t T;
    sri_encoding encoding;
    sri_kept_kernel kernel;
    sri_expansion expansion;
    sri_unpenalised unpenalised;
    sri_kept_filter filter; /* of a predictor that was fitted here */
    sri_uncertainty uncertainty;
    sri_model_report report;
};

/* specreg_fit() with a recipe. */
specreg_status sri_fit(specreg_context *ctx, const sri_call *call, const specreg_table *train,
                       specreg_model **out);
/* The model takes over what it needs from the data and the search, and the report. */
specreg_status sri_model_make(specreg_context *ctx, sri_prepared *p, sri_search_result *result,
                              sri_fit_report *report, specreg_model **out);
/* The rows of a table along the coordinates of a model that is no predictor, after columns that are
 * carried along. */
specreg_status sri_kpca_table(specreg_context *ctx, const specreg_model *model,
                              const specreg_table *data, const specreg_options *options,
                              specreg_table **out);
/* What is done with missing values: as the recipe says, else as in training. */
sri_missing sri_model_missing(const specreg_model *model, const sri_recipe *recipe);
/* How the rows of a table are read. */
typedef struct sri_rows_how {
    bool labelled;  /* with their targets                                            */
    bool is_part;   /* of several tables: it may be that no row of this one is usable */
    int64_t before; /* rows of the tables before it                                   */
} sri_rows_how;
/* The rows of a table as a model takes them. */
specreg_status sri_model_read(specreg_context *ctx, const specreg_model *model,
                              const specreg_table *data, const sri_recipe *recipe, sri_rows_how how,
                              sri_sample *out);
/* F (rows->n x T) of rows, and its part that is the kernel's, without the features. */
specreg_status sri_model_outputs(specreg_context *ctx, const specreg_model *model,
                                 const sri_sample *rows, double *F);
specreg_status sri_model_kernel_outputs(specreg_context *ctx, const specreg_model *model,
                                        const sri_sample *rows, double *F);
/* One score per class and the winning class, for m rows of outputs; scores m x n_classes. */
void sri_model_decode(const specreg_model *model, const double *F, int64_t m, double *scores,
                      int32_t *winner);

#endif
