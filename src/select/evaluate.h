/* One kernel along a path, judged in a setting. */
#ifndef SRI_SELECT_EVALUATE_H
#define SRI_SELECT_EVALUATE_H

#include "select/setting.h"
#include "select/threshold.h"

/* A candidate: a kernel with the filter prepared for it and its path. */
typedef struct sri_candidate {
    int64_t number;
    sri_kernel kernel;
    int64_t setting; /* of the filter */
    sri_filter filter;
    sri_values path;
    sri_coupling *learned; /* the kernel's, where it is learned; else NULL */
    bool ended;            /* its learning had come to an end              */
} sri_candidate;

/* For a candidate with its number, kernel and setting of the filter: the operator (unless *op is
 * one already, of the same scalar kernel), the filter's step and the path; `path` NULL: as the
 * search has it.  *op is freed and NULL where this fails. */
specreg_status sri_candidate_prepare(specreg_context *ctx, const sri_setting *setting,
                                     const sri_values *path, sri_candidate *candidate, sri_op **op);
/* Its coupling as all rows of the setting have it, where one is learned.  Done by
 * sri_candidate_prepare where no trials learn their own. */
specreg_status sri_candidate_learn(specreg_context *ctx, const sri_setting *setting,
                                   sri_candidate *candidate);
void sri_candidate_free(sri_candidate *candidate);
static inline sri_seen sri_candidate_seen(const sri_candidate *c)
{
    return (sri_seen){c->number, &c->kernel, c->setting, &c->filter};
}

typedef struct sri_outcome {
    sri_score *score; /* one for each point of the path */
    int64_t count;
    int64_t best;   /* the point to take              */
    sri_score rank; /* by which kernels are compared  */
    sri_fitted fitted;
    bool recalled;  /* known from a checkpoint, without coefficients */
    bool abandoned; /* the path was not followed to its end          */
    sri_report report;
    const sri_engine *engine;
    sri_seconds seconds;
} sri_outcome;

/* The evaluation of a candidate, or of several with the same path in one run, as sri_batch_size
 * found them to go together. */
typedef struct sri_run {
    const sri_setting *setting;
    const sri_candidate *candidate;
    int64_t members;                /* how many candidates                                        */
    sri_op *op;                     /* of the kernel of one on the setting's rows                 */
    const sri_threshold *threshold; /* of another kernel: one that falls too far behind it may be
                                     * abandoned; NULL: none                                      */
    /* The operators of trials, for several settings of the filter: made where there is none yet,
     * freed by the caller; NULL: each run makes its own. */
    sri_op **trial_op;
    double seen;      /* where the error was least on fewer rows; 0 or not a number: not known    */
    int64_t want;     /* the point to keep; -1: the best                            */
    sri_outcome *out; /* one for each member                                        */
} sri_run;

specreg_status sri_evaluate(specreg_context *ctx, const sri_run *run);
/* Trains one point on all rows, for rules that judge by trials. */
specreg_status sri_train(specreg_context *ctx, const sri_run *run, double param);
void sri_outcome_free(sri_outcome *outcome);

#endif
