#include "select/strategy.h"

#include <stdlib.h>

/* The length of list number k of the grid; 0: there are no more.  A candidate's number is its place
 * along every list, the first list fastest. */
static int64_t list_length(const sri_kernel_grid *grid, int k)
{
    for (int t = 0; t < grid->n_outputs; t++)
        if (grid->outputs[t].count > 1 && k-- == 0)
            return grid->outputs[t].count;
    for (int t = 0; t < grid->base.n_terms; t++)
        for (int i = 0; i < SRI_KERNEL_PARAMS; i++)
            if (grid->list[t][i].count > 1 && k-- == 0)
                return grid->list[t][i].count;
    return 0;
}

int64_t sri_kernel_list_count(const sri_kernel_grid *grid)
{
    int64_t most = 0;
    for (; grid; grid = grid->next) {
        int64_t lists = 0;
        while (list_length(grid, (int)lists))
            lists++;
        most = lists > most ? lists : most;
    }
    return most;
}

int64_t sri_coarse_stride(const sri_kernel_grid *grid)
{
    int64_t longest = 1, stride = 1;
    for (; grid; grid = grid->next)
        for (int k = 0; list_length(grid, k); k++)
            longest = list_length(grid, k) > longest ? list_length(grid, k) : longest;
    while (4 * stride < longest)
        stride *= 2;
    return stride;
}

/* Whether a lies on the coarse grid; the middle of each list does. */
static bool on_grid(const sri_kernel_grid *grid, int64_t stride, int64_t a)
{
    grid = sri_kernel_family_at(grid, &a);
    for (int k = 0; list_length(grid, k); k++) {
        const int64_t length = list_length(grid, k), middle = length / 2;
        if ((a % length - middle) % stride != 0)
            return false;
        a /= length;
    }
    return true;
}

/* Numbers of two candidates of one family within it; NULL: they are of two, or beyond the grid. */
static const sri_kernel_grid *common_family(const sri_kernel_grid *grid, int64_t *a, int64_t *b)
{
    const sri_kernel_grid *family = sri_kernel_family_at(grid, a);
    return family && family == sri_kernel_family_at(grid, b) ? family : NULL;
}

/* Whether a and b are `stride` apart along one list and equal along the others. */
static bool neighbours(const sri_kernel_grid *grid, int64_t stride, int64_t a, int64_t b)
{
    int apart = 0;
    grid = common_family(grid, &a, &b);
    if (!grid)
        return false;
    for (int k = 0; list_length(grid, k); k++) {
        const int64_t length = list_length(grid, k);
        const int64_t distance = llabs(a % length - b % length);
        if (distance && distance != stride)
            return false;
        apart += distance == stride;
        a /= length;
        b /= length;
    }
    return apart == 1;
}

void sri_coarse_mark(const sri_kernel_grid *grid, int64_t stride, int64_t best, bool *marked)
{
    for (int64_t c = 0; c < sri_kernel_grid_count(grid); c++)
        marked[c] = best < 0 ? on_grid(grid, stride, c) : neighbours(grid, stride, best, c);
}

int64_t sri_coarse_count(const sri_kernel_grid *grid)
{
    int64_t count = 0;
    const int64_t stride = sri_coarse_stride(grid), lists = sri_kernel_list_count(grid);
    for (int64_t c = 0; c < sri_kernel_grid_count(grid); c++)
        count += on_grid(grid, stride, c);
    for (int64_t s = stride / 2; s >= 1; s /= 2)
        count += 2 * lists;
    return count;
}

bool sri_kernel_between(const sri_kernel_grid *grid, int64_t a, int64_t b, int64_t c)
{
    int64_t a_again = a;
    if (c == a || c == b)
        return false;
    const sri_kernel_grid *family = common_family(grid, &a, &b);
    if (!family || common_family(grid, &a_again, &c) != family)
        return false;
    grid = family;
    for (int k = 0; list_length(grid, k); k++) {
        const int64_t length = list_length(grid, k);
        if ((a % length - c % length) * (c % length - b % length) < 0)
            return false;
        a /= length;
        b /= length;
        c /= length;
    }
    return true;
}
