/* The score of the best kernel so far, which later ones have to reach or are abandoned. */
#ifndef SRI_SELECT_THRESHOLD_H
#define SRI_SELECT_THRESHOLD_H

#include "select/search.h"

#define SRI_OPTIMISM 2.0 /* as a rule */

typedef struct sri_threshold {
    sri_score rank;
    /* Assume the error keeps falling at this multiple of its rate over the path's last decade. */
    double optimism;
    /* Errors that do not reach the rank need not be known: no kernel is compared with them. */
    bool only_best;
} sri_threshold;

/* For candidate `number`, where `leader` has the best rank of those considered. */
sri_threshold sri_threshold_make(const sri_kernel_grid *grid, const sri_search_result *considered,
                                 int64_t leader, const sri_score *rank, int64_t number);
/* Whether a kernel with these values, the least along its path, is clearly worse. */
bool sri_threshold_missed(const sri_threshold *threshold, double value, double tie);
/* The least values of a candidate; infinite where it has not been considered. */
void sri_least_of(const sri_search_result *considered, int64_t candidate, double *value,
                  double *tie);

#endif
