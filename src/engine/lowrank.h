/* Whether the matrix of a job has a low rank: to be asked before engines are. */
#ifndef SRI_ENGINE_LOWRANK_H
#define SRI_ENGINE_LOWRANK_H

#include "engine/engine.h"

/* Looks for it, as far as that is worth the time beside the other engines; `name` is the engine
 * asked for, or "auto".  What is found stays with the operator. */
specreg_status sri_lowrank_look(specreg_context *ctx, const char *name, const sri_job *job);

#endif
