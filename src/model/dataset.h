/* A training table as the numbers of a problem. */
#ifndef SRI_MODEL_DATASET_H
#define SRI_MODEL_DATASET_H

#include "model/call.h"
#include "model/corpus.h"
#include "select/problem.h"

typedef struct sri_dataset {
    const specreg_table *table;
    const specreg_vocabulary *words; /* NULL: not documents; see corpus.h */
    sri_encoder *encoder;
    sri_target *target;
    sri_roles roles; /* what its columns are for */
    int64_t *keep;   /* rows used                */
    int64_t n, p, T;
    bool field;       /* the targets are the components of a vector at the features */
    sri_matrix X;     /* n x p, dense or sparse */
    double *Y;        /* n x T                  */
    int32_t *classes; /* NULL for regression    */
    int32_t *group;   /* NULL: each row on its own */
    int64_t n_groups;
    sri_layout layout;   /* how rows become points                */
    sri_target *tasks;   /* the column that names them, as labels; NULL: none */
    int32_t *task;       /* n                                     */
    sri_flat flat;       /* a point for each output of each row   */
    double *flat_weight; /* of these points                       */
    int32_t *flat_group;
    int64_t *flat_keep;
    double *weight;          /* n, positive; NULL: all 1              */
    double *class_weight;    /* its part by class; NULL: none is given */
    sri_coding *coding;      /* NULL for regression */
    sri_predefined features; /* that are not penalised; no terms: none */
    double *P;               /* n x l                                  */
    double *flat_P;          /* of points for one output, x (l T)      */
    char **feature_name;     /* of the columns of P, or flat_P; not owned one by one */
    sri_points *points;
} sri_dataset;

/* Targets, groups and weights of the rows that train; no inputs yet. */
specreg_status sri_dataset_rows(specreg_context *ctx, const sri_corpus *corpus,
                                const sri_recipe *recipe, sri_dataset *out);
/* All of it; the couplings of the kernels in `grid` are made, now that T is known. */
specreg_status sri_dataset_make(specreg_context *ctx, const sri_corpus *corpus,
                                const sri_recipe *recipe, sri_kernel_grid *grid, sri_dataset *out);
/* The inputs alone: no target, T = 0.  Columns that --target names, or one with a usual name,
 * are none of them: `roles` has them. */
specreg_status sri_dataset_features(specreg_context *ctx, const specreg_table *table,
                                    const sri_recipe *recipe, sri_kernel_grid *grid,
                                    sri_dataset *out);
void sri_dataset_free(sri_dataset *d);
sri_problem sri_dataset_problem(const sri_dataset *d, const sri_call *call);
/* The points of a model, which take over rows and labels: those of the problem, or the rows that
 * they were made of. */
specreg_status sri_dataset_centres(specreg_context *ctx, sri_dataset *d, sri_layout_kind kind,
                                   sri_points **out);
/* Regression, classification or field. */
sri_problem_kind sri_dataset_kind(const sri_dataset *d);
#endif
