/* Folds of a path by masked Lanczos, no deeper than a search needs. */
#ifndef SRI_ENGINE_KRYLOV_SEARCH_H
#define SRI_ENGINE_KRYLOV_SEARCH_H

#include "engine/engine.h"

typedef struct sri_krylov_patience {
    int64_t limit; /* steps                                                         */
    int64_t again; /* steps where it begins again in double precision               */
    bool gives_up; /* then the rest is left to the fallback, else it comes as it is */
} sri_krylov_patience;

/* For jobs with folds, a tolerance and a linear filter.  Points come in their order as soon as they
 * are certain enough, without coefficients; those that the sink has no need of do not come. */
specreg_status sri_krylov_search(specreg_context *ctx, const sri_job *job,
                                 sri_krylov_patience patience, sri_sink *sink, sri_report *report);

#endif
