/* Candidates whose operators lie on a line: Gamma = omega K + (1 - omega) K o S for tasks that
 * are all alike to the degree omega, gamma DF + (1 - gamma) CF for fields.  A product with each
 * end of the line serves all of them as columns. */
#ifndef SRI_SELECT_BATCH_H
#define SRI_SELECT_BATCH_H

#include "core/arena.h"
#include "select/evaluate.h"

typedef struct sri_batch {
    sri_arena memory;
    int64_t members;
    sri_op *op, *other;
    double *share; /* members x T: see sri_blend */
    double *Y;     /* n x (members T)            */
    sri_blend blend;
} sri_batch;

/* How many of the `count` candidates, from the first on (`marked` and next to each other), can be
 * evaluated together, in less time than one by one; 1: no others. */
specreg_status sri_batch_size(specreg_context *ctx, const sri_setting *setting,
                              const sri_kernel *candidate, const bool *marked, int64_t count,
                              int64_t *size);
/* Their operators on the rows of a problem; of one member its own. */
specreg_status sri_batch_make(specreg_context *ctx, const sri_candidate *candidate, int64_t members,
                              const sri_problem *problem, sri_batch *out);
void sri_batch_free(sri_batch *batch);
/* The job of one candidate with the batch's operator as that of all of them. */
void sri_batch_job(const sri_batch *batch, sri_job *job);

/* Hands the points of all members on to a sink for each; its memory is freed by the caller. */
typedef struct sri_fan {
    sri_sink base;
    sri_arena memory;
    sri_sink *const *to;
    int64_t members, n, n_centres, T, repeats;
    double *alpha, *residual, *held_out; /* of one member */
} sri_fan;

specreg_status sri_fan_make(specreg_context *ctx, const sri_job *job, int64_t members,
                            sri_sink *const *to, sri_fan *out);

#endif
