/* Block conjugate gradients: all outputs of one system at once, without a basis. */
#ifndef SRI_ENGINE_BLOCK_CG_H
#define SRI_ENGINE_BLOCK_CG_H

#include "engine/engine.h"

/* Whether a job is one such system: a point of Tikhonov's path, and no folds. */
bool sri_block_cg_serves(const sri_job *job);
typedef struct sri_block_limits {
    double tolerance;
    int64_t steps; /* for each block of outputs */
} sri_block_limits;

/* Puts the solution of (K + mu I) alpha = Y, mu = mass lambda, when every output has
 *     |y - (K + mu I) alpha| <= (tolerance + eps |K| / mu) |y|,
 * found from a product with alpha itself.  `done` is false, and nothing was put, where that
 * takes more steps for some outputs, or where K + mu I shows an eigenvalue below zero. */
specreg_status sri_block_cg(specreg_context *ctx, const sri_job *job, sri_block_limits limits,
                            sri_sink *sink, sri_report *report, bool *done);
/* Numbers that live at a time, beside those of products. */
double sri_block_cg_numbers(const sri_job *job);

#endif
