/* Engines that hand a part of the path to another one; for those that factor K + mu I, whether
 * rounding has eaten mu. */
#ifndef SRI_ENGINE_FALL_BACK_H
#define SRI_ENGINE_FALL_BACK_H

#include "engine/engine.h"

/* A pivot is at least the smallest eigenvalue, so at least mu: one that is clearly less shows that
 * rounding has eaten the regularization, although the factorization went through.  Diagonal entries
 * of the factor L lie `stride` apart. */
bool sri_pivots_are_sound(int64_t n, const double *L, int64_t stride, double mu);
/* The points first .. first + count - 1 of the path by another engine. */
specreg_status sri_hand_over(specreg_context *ctx, const sri_engine *to, const sri_job *job,
                             int64_t first, int64_t count, sri_sink *sink, sri_report *report);
/* The same by the decomposition, counted as a fall. */
specreg_status sri_fall_back(specreg_context *ctx, const sri_job *job, int64_t first, int64_t count,
                             sri_sink *sink, sri_report *report);

#endif
