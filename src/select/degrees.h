/* Degrees of freedom of a path, tr H / T for T outputs, where its engine did not tell them. */
#ifndef SRI_SELECT_DEGREES_H
#define SRI_SELECT_DEGREES_H

#include "engine/job.h"
#include "select/search.h"

typedef struct sri_degrees {
    double *df;      /* count; NaN: not known                                  */
    double *stderr_; /* count; 0: exact, else the standard error of df         */
} sri_degrees;

/* A filter that is linear in y, prepared, along `count` points of its path.  Up to `exact_rows`
 * rows by a decomposition; else, where outputs are independent, by random signs z (Hutchinson):
 * E z'Hz = tr H; not where the kernel matrix is not stored. */
specreg_status sri_degrees_find(specreg_context *ctx, const sri_problem *problem,
                                const sri_kernel *kernel, const sri_path *path, int64_t exact_rows,
                                const sri_degrees *out);
/* Those of the winner of a search, where its engine did not tell them and finding them takes less
 * than about half a second by built-in rates; none in a budget that is nearly used up. */
specreg_status sri_degrees_of_winner(specreg_context *ctx, const sri_problem *problem,
                                     sri_search_result *found);
/* The memory that this takes; 0 where it is not done. */
specreg_status sri_degrees_bytes(specreg_context *ctx, const sri_problem *problem,
                                 const sri_kernel *kernel, const sri_path *path, double *bytes);

#endif
