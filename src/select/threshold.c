#include "select/threshold.h"

#include <math.h>

#include "select/strategy.h"

/* Errors as a rule have one minimum along a list of kernels: beyond one that is clearly worse than
 * the best, an error is not expected to fall faster than it does. */
static const double OPTIMISM_BEYOND = 1;
/* A squared error is larger when it is by this share. */
static const double LARGER = 0.1;

bool sri_threshold_missed(const sri_threshold *threshold, double value, double tie)
{
    const sri_score *rank = &threshold->rank;
    return value > rank->value + 2 * fmax(0, rank->stderr_) && tie > (1 + LARGER) * rank->tie;
}

void sri_least_of(const sri_search_result *considered, int64_t candidate, double *value,
                  double *tie)
{
    *value = *tie = INFINITY;
    for (int64_t k = 0; k < considered->rows; k++) {
        const sri_search_row *row = &considered->row[k];
        if (row->candidate == candidate) {
            *value = fmin(*value, row->score.value);
            *tie = fmin(*tie, row->score.tie);
        }
    }
}

sri_threshold sri_threshold_make(const sri_kernel_grid *grid, const sri_search_result *considered,
                                 int64_t leader, const sri_score *rank, int64_t number)
{
    sri_threshold threshold = {.rank = *rank, .optimism = SRI_OPTIMISM, .only_best = true};
    double value, tie;
    for (int64_t c = 0; c < sri_kernel_grid_count(grid); c++) {
        if (!sri_kernel_between(grid, leader, number, c))
            continue;
        sri_least_of(considered, c, &value, &tie);
        if (isfinite(value) && sri_threshold_missed(&threshold, value, tie))
            threshold.optimism = OPTIMISM_BEYOND;
    }
    return threshold;
}
