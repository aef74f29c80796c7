/* Ways to compare fewer kernels on all rows than the grid has. */
#ifndef SRI_SELECT_STRATEGY_H
#define SRI_SELECT_STRATEGY_H

#include "select/memoize.h"

/* A heat of a race: on so many rows, and how many kernels it compares, about. */
enum { SRI_HEATS = 3 };
typedef struct sri_heat {
    int64_t rows, kernels;
} sri_heat;

/* The heats of a race, how many, and how many kernels all rows compare after it, about; 0: too few
 * rows or kernels for a race. */
int sri_race_heats(int64_t n, const sri_kernel_grid *grid, sri_heat out[SRI_HEATS],
                   int64_t *on_all);
/* What a race found: the heats that could judge, and the best kernel of the last one. */
typedef struct sri_race_result {
    int heats;
    sri_heat heat[SRI_HEATS];
    int64_t favourite;
} sri_race_result;

/* What is known of each kernel of the grid. */
typedef struct sri_entrants {
    bool *marked; /* to be compared on all rows                                                  */
    bool *lost;   /* behind others so clearly that it is not                                     */
    double *seen; /* its best parameter on fewer rows, where errors were seen to rise beyond it;
                   * not a number: not known                                                     */
} sri_entrants;

/* Racing: every kernel is judged on a part of the rows; the best of each family goes on to a larger
 * part, where its neighbours are judged while they are better.  What does best stays marked.  With
 * too few rows or kernels nothing is done: no heats. */
specreg_status sri_race(specreg_context *ctx, const sri_setting *setting,
                        sri_checkpoint *checkpoint, sri_search_result *result,
                        const sri_entrants *entrants, sri_race_result *out);

/* The lists of parameters of the grid; of several families the most. */
int64_t sri_kernel_list_count(const sri_kernel_grid *grid);
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
