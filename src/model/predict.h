/* What predictions consist of, beside the outputs themselves: intervals, parts, tables. */
#ifndef SRI_MODEL_PREDICT_H
#define SRI_MODEL_PREDICT_H

#include "model/model.h"

typedef struct sri_intervals {
    double level;          /* in (0, 1)                                 */
    int64_t memory;        /* bytes that may be taken                   */
    const sri_matrix *X;   /* encoded rows                              */
    const double *F;       /* X->n x T: the outputs about which they are */
    double *lower, *upper; /* X->n x T                                  */
    bool local;            /* wider where held-out residuals nearby are larger */
} sri_intervals;

/* Fills lower and upper (interval.c); infinite where the training rows are too few for the
 * level. */
specreg_status sri_interval(specreg_context *ctx, const specreg_model *model,
                            const sri_intervals *wanted);

/* Those of a local width about F (interval_local.c), from residuals R (n x T) of the training rows
 * that were held out. */
specreg_status sri_interval_local(specreg_context *ctx, const specreg_model *model,
                                  const sri_kernel *kernel, const double *R,
                                  const sri_intervals *wanted);
/* The k-th smallest, from 1; v is put in another order. */
double sri_kth_smallest(double *v, int64_t n, int64_t k);
/* ceil(level (n + 1)): which of n held-out residuals, the smallest first, holds the level. */
int64_t sri_level_rank(double level, int64_t n);
/* What was asked for must be in the model: probabilities, intervals. */
specreg_status sri_check_asked(specreg_context *ctx, const specreg_model *model, bool proba,
                               bool interval);

/* F (rows->n x T): part `part` of the predictions of rows, of specreg_model_parts() (parts.c). */
specreg_status sri_model_part(specreg_context *ctx, const specreg_model *model, int64_t part,
                              const sri_sample *rows, double *F);
/* An error, which says who has parts, for a model that has none. */
specreg_status sri_model_check_parts(specreg_context *ctx, const specreg_model *model);

typedef struct sri_predictions {
    const specreg_model *model;
    int64_t m;
    double *F;                   /* m x T: outputs               */
    bool proba;                  /* probabilities as well        */
    double *lower, *upper;       /* m x T: intervals, or NULL    */
    double *part;                /* m x T for each part in turn, or NULL */
    const specreg_table *points; /* of a grid: their coordinates come first, and the table is one on
                                  * that grid; NULL: no such thing */
} sri_predictions;

void sri_predictions_free(sri_predictions *p);
/* The targets' own names, each with TARGET:lower and TARGET:upper where there are intervals and
 * TARGET:PART for each part; or `label`, then score:CLASS each, then prob:CLASS each. */
specreg_status sri_predictions_table(specreg_context *ctx, const sri_predictions *p,
                                     specreg_table **out);

/* What was noticed in one or several tables. */
typedef struct sri_predict_tally {
    bool is_part; /* of several: there may be no usable row in one */
    int64_t read, dropped;
    sri_unseen unseen;
    bool lacks_id; /* the column that identifies rows */
} sri_predict_tally;

/* Whether the model has what is asked for. */
specreg_status sri_predict_check(specreg_context *ctx, const specreg_model *model,
                                 const sri_recipe *recipe);
/* Predictions of a table, one of several perhaps; *out NULL where no row of a part is usable. */
specreg_status sri_predict_table(specreg_context *ctx, const specreg_model *model,
                                 const specreg_table *data, const sri_recipe *recipe,
                                 sri_predict_tally *tally, specreg_table **out);
/* Says what was noticed, after the last table. */
void sri_predict_notes(specreg_context *ctx, const specreg_model *model, const sri_recipe *recipe,
                       const char *source, const sri_predict_tally *tally);

#endif
