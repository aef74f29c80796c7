/* The best kernel so far, which those after it have to reach. */
#ifndef SRI_SELECT_BAR_H
#define SRI_SELECT_BAR_H

#include "select/search.h"

typedef struct sri_bar {
    sri_score rank;
    /* Assume the error keeps falling at this multiple of its rate over the path's last decade. */
    double hope;
} sri_bar;

/* The bar for candidate `number`, where `leader` has the best rank of those considered. */
sri_bar sri_bar_make(const sri_kernel_grid *grid, const sri_search_result *considered,
                     int64_t leader, const sri_score *rank, int64_t number);
/* Whether a kernel with these values, the least along its path, is clearly behind. */
bool sri_bar_missed(const sri_bar *bar, double value, double tie);

#endif
