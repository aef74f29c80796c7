/* A path from eigenvalues and eigenvectors: what the engines that have them share. */
#ifndef SRI_ENGINE_SPECTRUM_H
#define SRI_ENGINE_SPECTRUM_H

#include "engine/engine.h"

/* m pairs of K/mass; its other n - m eigenvalues are 0. */
typedef struct sri_spectrum {
    int64_t n, m;
    double *V;       /* m x n: row j is eigenvector j            */
    double *s;       /* m eigenvalues, ascending                 */
    double noise;    /* below this an eigenvalue is rounding     */
    double *VY;      /* V Y, m x T                               */
    double *rest;    /* n x T: Y - V'V Y; NULL where m = n       */
    double *outside; /* n: 1 - sum_j V_ji^2; NULL where m = n    */
    bool rough;      /* the pairs are good enough for a search, not for its winner */
} sri_spectrum;

void sri_spectrum_free(sri_spectrum *sp);
/* Takes V and s for given and makes VY, rest and outside. */
specreg_status sri_spectrum_project(specreg_context *ctx, const sri_job *job, sri_spectrum *sp);
/* The parameters as the filter is to see them, `count` of them: cut-offs are thresholds above the
 * noise. */
specreg_status sri_spectrum_params(specreg_context *ctx, const sri_job *job, const sri_spectrum *sp,
                                   double *param);
/* Whether a filter would multiply eigenvalues that are rounding by more than 1 / noise, and their
 * coefficients could not cancel in K alpha.  Then they are left out, as if g were 0 there. */
bool sri_filter_amplifies(double g0, double noise);
/* g and r of the path's points at the eigenvalue s; 0 and 1 where s is rounding that the filter
 * would amplify. */
void sri_path_eval(const sri_path *path, double s, double noise, double *g, double *r);
/* Every point of the path to the sink; `held_out` as in sri_fold_residuals, or NULL. */
specreg_status sri_spectrum_path(specreg_context *ctx, const sri_job *job, const sri_spectrum *sp,
                                 const double *held_out, sri_sink *sink);

/* The same for outputs with operators of their own (job->problem.scale), folds of Tikhonov
 * included; and not rough. */
specreg_status sri_spectrum_scaled(specreg_context *ctx, const sri_job *job, const sri_spectrum *sp,
                                   sri_sink *sink);

/* Leave-a-fold-out residuals: `out` gets job->path.count times repeats x n x T.
 * fold_residuals.c: of Tikhonov, plain or iterated, from all pairs but those of unpenalised terms,
 * VY being known; NaN where a fold's system is singular to rounding.
 * lowrank_folds.c: of every linear filter, from a few pairs, which leave `remaining` of the
 * trace. */
specreg_status sri_fold_residuals(specreg_context *ctx, const sri_job *job, const sri_spectrum *sp,
                                  double *out);
specreg_status sri_lowrank_folds(specreg_context *ctx, const sri_job *job, const sri_spectrum *sp,
                                 double remaining, double *out);

#endif
