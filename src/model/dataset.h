/* A training table as the numbers of a problem. */
#ifndef SRI_MODEL_DATASET_H
#define SRI_MODEL_DATASET_H

#include "model/call.h"
#include "model/corpus.h"
#include "select/problem_data.h"

typedef struct sri_dataset {
    const specreg_table *table;
    const specreg_vocabulary *vocabulary; /* NULL: not documents; see corpus.h */
    sri_encoder *encoder;
    sri_target *target;
    sri_roles roles;     /* what its columns are for */
    sri_row_data rows;   /* of the rows that are used                           */
    int64_t *unlabelled; /* rows of the table without targets that help; NULL: none */
    int64_t n_unlabelled;
    int64_t p;               /* columns of their X                                  */
    bool field;              /* the targets are the components of a vector at the inputs */
    sri_target *tasks;       /* the column that names them, as labels; NULL: none   */
    sri_target *id;          /* the column that identifies them; NULL: none         */
    double *class_weight;    /* the part of weights by class; NULL: none is given   */
    sri_coding *coding;      /* NULL for regression                                 */
    sri_predefined features; /* unpenalised terms; no terms: none                   */
    sri_point_data points;   /* what the rows became                                */
} sri_dataset;

/* Targets, groups and weights of the rows that train; no inputs yet.  A data set is freed also
 * after a failure. */
specreg_status sri_dataset_rows(specreg_context *ctx, const sri_corpus *corpus,
                                const sri_recipe *recipe, sri_dataset *out);
/* The rows alone: no target, T = 0.  Columns that --target names, or one with a usual name, are no
 * inputs: `roles` has them. */
specreg_status sri_dataset_unlabelled(specreg_context *ctx, const specreg_table *table,
                                      const sri_recipe *recipe, sri_dataset *out);
/* Adds the inputs and their points; the couplings of the kernels in `grid` are made, now that T is
 * known. */
specreg_status sri_dataset_inputs(specreg_context *ctx, const sri_recipe *recipe,
                                  sri_kernel_grid *grid, sri_dataset *d);
/* pick_columns.c: the columns that factors of the kernels look at, once there is an encoder. */
specreg_status sri_dataset_pick(specreg_context *ctx, const sri_dataset *d, sri_kernel_grid *grid);
void sri_dataset_free(sri_dataset *d);
static inline bool sri_has_unlabelled(const sri_dataset *d, const sri_choices *search)
{
    return search->semi.file || d->n_unlabelled;
}
/* The numbers of its rows among all rows of the data, newly allocated. */
specreg_status sri_dataset_numbers(specreg_context *ctx, const sri_dataset *d, int64_t **out);
/* Its budget of memory is what the data leave. */
sri_problem sri_dataset_problem(const sri_dataset *d, const sri_call *call);
/* Regression, classification or field. */
sri_problem_kind sri_dataset_kind(const sri_dataset *d);

/* outputs_file.c: reads the files of --outputs, for T outputs (or tasks: `what`) and p inputs, and
 * makes the matrices. */
specreg_status sri_outputs_load(specreg_context *ctx, sri_kernel_grid *grid, const char *what,
                                int64_t T, int64_t p);
/* coding_file.c: the coding of so many classes, with the words of its file where it has one. */
specreg_status sri_coding_load(specreg_context *ctx, const sri_coding_spec *spec, int64_t n_classes,
                               sri_coding **out);
/* features.c: learns unpenalised terms from the rows of a data set, whose X is there, and makes
 * its P.  Columns that depend on those before them are an error, or left out where that is asked
 * for. */
specreg_status sri_features_learn(specreg_context *ctx, const sri_recipe *recipe, sri_dataset *d);
/* With dependent=drop also leaves out terms that depend on those before them in the rows that train
 * of one of the rule's splits, where a fit would have no coefficient for them. */
specreg_status sri_features_in_parts(specreg_context *ctx, const sri_rule *rule, sri_dataset *d,
                                     sri_problem *problem);
/* The table at `path` ("": none), for terms that need one; *out NULL where there is none. */
specreg_status sri_features_read(specreg_context *ctx, const sri_predefined *p, const char *path,
                                 specreg_table **out);
#endif
