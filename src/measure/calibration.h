/* Probabilities from scores, by one of two maps: the one with less log-loss on held-out rows.
 *
 * Outputs of the squared loss estimate conditional means, so that with some codings the scores are
 * posterior probabilities but for a known slope and shift.  The first map takes them as such: the
 * nearest distribution, mixed with the even one by the rule of succession (a floor of 1 / (n + k)),
 * since a row may always be one of a class that seemed impossible.
 *
 * The second: for the class c and the class w that wins the row,
 *
 *     p_c = exp(a_w s_c) / sum_d exp(a_w s_d),        a_w > 0:
 *
 * the winner is always the most probable class.  Two classes have a slope each, a_w, since a
 * machine is seldom as sure of the one as of the other; more classes share one. */
#ifndef SRI_MEASURE_CALIBRATION_H
#define SRI_MEASURE_CALIBRATION_H

#include "coding/coding.h"

enum { SRI_CALIBRATION_SLOPES = 2 };

typedef struct sri_calibration {
    int slopes; /* 0: none is known; 1, or 2 for two classes */
    double slope[SRI_CALIBRATION_SLOPES];
    /* Scores that are posteriors: p = posterior.slope s + posterior.shift.  Slope 0: the map by
     * slopes is in force. */
    sri_posterior posterior;
    double floor;     /* with it: the least probability           */
    char held_by[16]; /* how the scores were held out: "loo", "kfold" */
} sri_calibration;

/* Held-out scores of rows, and what the rows are. */
typedef struct sri_scored_rows {
    const double *scores; /* n x k */
    const int32_t *classes;
    const double *weight; /* n; NULL: all alike */
    int64_t n, k;
    sri_posterior posterior; /* of the coding; slope 0: its scores are no posteriors */
} sri_scored_rows;

/* Rows with a score that is not finite, a weight of 0 or no class are left out; when none remains,
 * slopes is 0. */
specreg_status sri_calibration_fit(specreg_context *ctx, const sri_scored_rows *rows,
                                   sri_calibration *out);
/* P (m x k) from scores (m x k): rows sum to 1, no entry is 0 or 1, and the first of the largest is
 * the first of the largest scores. */
void sri_calibration_apply(const sri_calibration *calibration, const double *scores, int64_t m,
                           int64_t k, double *P);

#endif
