/* What evaluations of one candidate and of several at once share. */
#ifndef SRI_SELECT_RUN_H
#define SRI_SELECT_RUN_H

#include "select/evaluate.h"

/* What the rule asks for, and a path of the candidate on all rows of the setting. */
unsigned sri_run_need(const sri_run *r);
sri_job sri_run_job(const sri_run *r, unsigned need);
/* Plans the job, runs an engine and books its time: kernel values, solving, and what the sink
 * took. */
specreg_status sri_run_engine(specreg_context *ctx, const sri_run *r, sri_job *job, sri_sink *sink,
                              const double *sink_seconds);

/* Scores every point by the rule, and keeps the best. */
typedef struct sri_score_sink {
    sri_sink base;
    const sri_run *r;
    int64_t want;
    const double *diagonal; /* k(x_i, x_i), where the rule asks for it */
    int64_t last;           /* the point seen last                     */
    double seconds;
} sri_score_sink;

void sri_score_sink_make(const sri_run *r, int64_t want, sri_score_sink *out);

/* Keeps all coefficients: A is n_centres x (count T). */
typedef struct sri_collect_sink {
    sri_sink base;
    double *A;
    int64_t n_centres, T, count;
    double *B; /* l x (count T), where there are unpenalised terms */
    int64_t l;
} sri_collect_sink;

sri_collect_sink sri_collect_sink_make(double *A, int64_t n_centres, int64_t T, int64_t count);
/* The path as a trial can take it, newly allocated: no more components than training rows. */
specreg_status sri_trial_path(specreg_context *ctx, const sri_candidate *c, int64_t n,
                              double **out);
/* Losses at every point from predictions F (m x (L T)); `held_out` (L x n x T, or NULL) grows by
 * a share of the residuals. */
specreg_status sri_trial_judge(specreg_context *ctx, const sri_run *r, const sri_trial *trial,
                               const double *F, sri_losses *losses, double *held_out);
/* Scores, and the best of them, from the losses of all trials (each a path, one after the
 * other). */
specreg_status sri_trials_finish(specreg_context *ctx, const sri_run *r, const sri_losses *losses,
                                 const double *held_out, int64_t want);

#endif
