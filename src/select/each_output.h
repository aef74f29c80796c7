/* A parameter for each output (--param per-output): along a path every output takes the point where
 * its own held-out squared error is least; all of them together are then judged as one model. */
#ifndef SRI_SELECT_EACH_OUTPUT_H
#define SRI_SELECT_EACH_OUTPUT_H

#include "core/arena.h"
#include "select/evaluate.h"

/* What does not go with it is an error. */
specreg_status sri_each_check(specreg_context *ctx, const sri_problem *problem,
                              const sri_search_spec *spec);

/* The outputs along one path so far. */
typedef struct sri_each {
    double *least; /* T: the least squared error of an output ...                   */
    double *param; /* T: ... and where that was                                     */
    double *held;  /* repeats x n x T: the held-out residuals there                 */
    bool folds;    /* of folds, not of single rows                                  */
} sri_each;

specreg_status sri_each_new(specreg_context *ctx, const sri_setting *setting, sri_arena *memory,
                            sri_each *out);
void sri_each_see(const sri_problem *problem, const sri_path_point *point, sri_each *each);
/* The rank of all outputs together, their parameters and held-out residuals into an outcome. */
specreg_status sri_each_finish(specreg_context *ctx, const sri_setting *setting,
                               const sri_each *each, sri_outcome *out);
/* Trains every output on all rows with its own parameter. */
specreg_status sri_each_train(specreg_context *ctx, const sri_run *run, const double *param);

#endif
