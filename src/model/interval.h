/* Intervals that hold a target with a given probability, from residuals on unseen rows.
 *
 * Jackknife+ for Tikhonov: with C = (K + n lambda I)^{-1}, the machine without row i differs by
 *     f^{-i}(x) = f(x) - (k_x' C)_i R_i,        R_i = alpha_i / C_ii = y_i - f^{-i}(x_i),
 * and the interval goes from a quantile of f^{-i}(x) - |R_i| to one of f^{-i}(x) + |R_i|.
 * Otherwise the held-out residuals that fit has kept stand in for R_i, and f(x) for f^{-i}(x). */
#ifndef SRI_MODEL_INTERVAL_H
#define SRI_MODEL_INTERVAL_H

#include "model/model.h"

typedef struct sri_intervals {
    double level;          /* in (0, 1)                                 */
    int64_t memory;        /* bytes that may be taken                   */
    const sri_matrix *X;   /* encoded rows                              */
    const double *F;       /* X->n x T: the outputs about which they are */
    double *lower, *upper; /* X->n x T                                  */
} sri_intervals;

/* Fills lower and upper; infinite where the training rows are too few for the level. */
specreg_status sri_interval(specreg_context *ctx, const specreg_model *model,
                            const sri_intervals *wanted);

#endif
