/* What the kernels of a search share: the squared distances, 1-norms or products of all pairs of
 * points, computed once.  They take half of an n x n matrix. */
#ifndef SRI_KERNEL_PAIRS_H
#define SRI_KERNEL_PAIRS_H

#include "backend/triangle.h"
#include "kernel/kernel.h"

typedef struct sri_pairs {
    sri_pair kind;
    sri_triangle *values;
} sri_pairs;

specreg_status sri_pairs_new(specreg_context *ctx, const sri_points *points, sri_pair kind,
                             sri_pairs **out);
void sri_pairs_free(sri_pairs *pairs);
double sri_pairs_bytes(int64_t n);
/* Those that a kernel can use: the points', or NULL where they have none, or of another kind. */
const sri_pairs *sri_pairs_of(const sri_kernel *kernel, const sri_points *points);
/* The pairs of row `row` and on, within its tile, with panel number `panel`. */
const double *sri_pairs_at(const sri_pairs *pairs, int64_t row, int64_t panel);
/* Whether all kernels of a grid are functions of the same pairs, and of which; it is worth while to
 * keep them where there are several kernels and enough coordinates. */
bool sri_pairs_worth(const sri_kernel_grid *grid, const sri_points *points, sri_pair *kind);

#endif
