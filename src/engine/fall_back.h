/* For engines that factor K + mu I: whether rounding has eaten mu, and what to do then. */
#ifndef SRI_ENGINE_FALL_BACK_H
#define SRI_ENGINE_FALL_BACK_H

#include "engine/engine.h"

/* A pivot is at least the smallest eigenvalue, so at least mu: one that is clearly less shows that
 * rounding has eaten the regularization, although the factorization went through.  Diagonal entries
 * of the factor L lie `stride` apart. */
bool sri_pivots_are_sound(int64_t n, const double *L, int64_t stride, double mu);
/* The points first .. first + count - 1 of the path by the decomposition. */
specreg_status sri_fall_back(specreg_context *ctx, const sri_job *job, int64_t first, int64_t count,
                             sri_sink *sink, sri_report *report);

#endif
