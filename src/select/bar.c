#include "select/bar.h"

#include <math.h>

#include "select/strategy.h"

static const double HOPE = 2;
/* Errors as a rule have one minimum along a list of kernels: beyond one that is clearly behind
 * the best, nothing better is to be hoped for than what is seen. */
static const double HOPE_BEYOND = 1;
/* A squared error is larger when it is by this share. */
static const double LARGER = 0.1;

bool sri_bar_missed(const sri_bar *bar, double value, double tie)
{
    return value > bar->rank.value + 2 * fmax(0, bar->rank.stderr_) &&
           tie > (1 + LARGER) * bar->rank.tie;
}

/* The least values of a candidate; infinite where it has not been considered. */
static void least_of(const sri_search_result *considered, int64_t candidate, double *value,
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

sri_bar sri_bar_make(const sri_kernel_grid *grid, const sri_search_result *considered,
                     int64_t leader, const sri_score *rank, int64_t number)
{
    sri_bar bar = {.rank = *rank, .hope = HOPE};
    double value, tie;
    for (int64_t c = 0; c < sri_kernel_grid_count(grid); c++) {
        if (!sri_kernel_between(grid, leader, number, c))
            continue;
        least_of(considered, c, &value, &tie);
        if (isfinite(value) && sri_bar_missed(&bar, value, tie))
            bar.hope = HOPE_BEYOND;
    }
    return bar;
}
