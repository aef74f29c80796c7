/* Adapters: what engines do not know of a problem.  Each makes another problem of it, for an engine
 * to solve, and turns the points of that one into points of the problem itself.  The driver (run.c)
 * applies them. */
#ifndef SRI_ENGINE_ADAPTER_H
#define SRI_ENGINE_ADAPTER_H

#include "core/arena.h"
#include "engine/job.h"

typedef struct sri_adapter sri_adapter;

typedef struct sri_adapter_ops {
    /* Replaces Y, and what else the engine must not see, in the job's problem.  *out, which has the
     * new Y, is taken from `memory`; it stays as it is where there is nothing to adapt. */
    specreg_status (*enter)(specreg_context *ctx, sri_job *job, sri_arena *memory,
                            sri_adapter **out);
    /* Replaces the arrays of a point by its own. */
    specreg_status (*leave)(specreg_context *ctx, sri_adapter *self, sri_path_point *point);
} sri_adapter_ops;

extern const sri_adapter_ops sri_adapter_coupling, sri_adapter_weights, sri_adapter_projection;

#endif
