/* One kernel along a path, judged in a setting. */
#ifndef SRI_SELECT_EVALUATE_H
#define SRI_SELECT_EVALUATE_H

#include "select/setting.h"
#include "select/threshold.h"

/* A candidate: a kernel with the filter prepared for it and its path. */
typedef struct sri_candidate {
    int64_t number;
    sri_kernel kernel;
    sri_filter filter;
    sri_values path;
} sri_candidate;

/* For a candidate with its number and kernel: the operator (unless *op is one already, of the same
 * scalar kernel), the filter's step and the path; `path` NULL: as the search has it.  *op is freed
 * and NULL where this fails. */
specreg_status sri_candidate_prepare(specreg_context *ctx, const sri_setting *setting,
                                     const sri_values *path, sri_candidate *candidate, sri_op **op);
void sri_candidate_free(sri_candidate *candidate);

/* One point, trained on all rows of the setting. */
typedef struct sri_fitted {
    int64_t n_centres;
    double *alpha; /* n_centres x T; NULL: it was judged by trials, none is trained on all rows */
    double *residual; /* n x T; likewise                                                     */
    double *beta;     /* l x T: with alpha, where there are unpenalised terms                 */
    double *held_out; /* n x T: residuals without the row, or its fold; NULL: none            */
    double df;
} sri_fitted;

void sri_fitted_free(sri_fitted *fitted);

typedef struct sri_outcome {
    sri_score *score; /* one for each point of the path */
    int64_t count;
    int64_t best;   /* the point to take              */
    sri_score rank; /* by which kernels are compared  */
    sri_fitted fitted;
    bool recalled; /* known from a checkpoint, without coefficients */
    bool left;     /* the path was not followed to its end */
    sri_report report;
    const sri_engine *engine;
    double seconds_gram, seconds_solve, seconds_select;
} sri_outcome;

/* The evaluation of one candidate. */
typedef struct sri_run {
    const sri_setting *setting;
    const sri_candidate *candidate;
    sri_op *op;                     /* of its kernel on the setting's rows                        */
    const sri_threshold *threshold; /* of another kernel: one that falls too far behind it may be
                                     * abandoned; NULL: none                                      */
    sri_outcome *out;
} sri_run;

/* `want` >= 0: keep that point, not the best one. */
specreg_status sri_evaluate(specreg_context *ctx, const sri_run *run, int64_t want);
/* Several candidates with the same path in one run, as sri_family_size found them to go
 * together; an outcome for each, to be freed also when this fails. */
specreg_status sri_evaluate_family(specreg_context *ctx, const sri_setting *setting,
                                   const sri_candidate *candidate, int64_t members,
                                   const sri_threshold *threshold, sri_outcome *out);
/* Trains one point on all rows, for rules that judge by trials. */
specreg_status sri_train(specreg_context *ctx, const sri_run *run, double param);
void sri_outcome_free(sri_outcome *outcome);

#endif
