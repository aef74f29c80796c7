/* How many steps engine krylov will take, how many it may, and what they cost. */
#ifndef SRI_ENGINE_KRYLOV_COST_H
#define SRI_ENGINE_KRYLOV_COST_H

#include "engine/engine.h"

/* Points that are handed on together, and steps that are always tried. */
enum { SRI_KRYLOV_CHUNK = 16, SRI_KRYLOV_LEAST = 64 };

/* Filters for which t steps are exact. */
bool sri_krylov_polynomial(const sri_filter *f);
/* Whether a job goes to a tolerance: krylov_search.c. */
bool sri_krylov_is_search(const sri_job *job);
/* Steps that memory has space for. */
int64_t sri_krylov_limit(const sri_job *job);
/* Steps of block conjugate gradients after which a basis, whose vectors stay orthogonal, is the
 * better way; where a basis does not fit, as many as it takes. */
int64_t sri_krylov_block_limit(const sri_job *job);
/* Whether conjugate gradients with a preconditioner take the job (precond_cg.h): the kernel matrix
 * is not stored, and by the counted work of a nominal computer they are faster. */
bool sri_krylov_preconditions(const sri_job *job);
/* What a job costs, and what it does if it takes k steps with a basis. */
sri_cost sri_krylov_cost(const sri_job *job);
sri_cost sri_krylov_cost_of_steps(const sri_job *job, double k);

#endif
