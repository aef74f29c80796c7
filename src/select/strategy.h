/* Ways to compare fewer kernels on all rows than the grid has. */
#ifndef SRI_SELECT_STRATEGY_H
#define SRI_SELECT_STRATEGY_H

#include "select/memoize.h"

/* The rows of a race's heats, and how many kernels stay; false: too few of either for a race. */
bool sri_race_size(int64_t n, const sri_kernel_grid *grid, int64_t *rows, int64_t *keep);
/* Racing: every kernel is judged on a part of the rows, how many; those that do best stay marked.
 * With too few rows or kernels nothing is done, and the number is that of all rows. */
specreg_status sri_race(specreg_context *ctx, const sri_setting *setting,
                        sri_checkpoint *checkpoint, sri_search_result *result, bool *marked,
                        int64_t *compared_on);

/* Coarse to fine: the first distance between neighbours, a power of two. */
int64_t sri_coarse_stride(const sri_kernel_grid *grid);
/* Marks what to look at: at first (best -1) all candidates `stride` apart along each list, then the
 * neighbours of the best at that distance, one list at a time. */
void sri_coarse_mark(const sri_kernel_grid *grid, int64_t stride, int64_t best, bool *marked);
/* About how many that will be. */
int64_t sri_coarse_count(const sri_kernel_grid *grid);
/* Whether c lies between a and b, or level with one of them, along every list, and is neither.
 * Numbers beyond the grid lie nowhere. */
bool sri_kernel_between(const sri_kernel_grid *grid, int64_t a, int64_t b, int64_t c);

#endif
