/* Kernel values a piece at a time, for loops that use them where they were computed. */
#ifndef SRI_KERNEL_TILE_H
#define SRI_KERNEL_TILE_H

#include "core/arena.h"
#include "kernel/kernel.h"

enum { SRI_TILE = SRI_TILE_ROWS * SRI_PANEL };

/* What tiles are computed from. */
typedef struct sri_tile_source {
    const sri_kernel *kernel;
    const sri_vec *vec;
    const sri_rows_view *rows;
    const sri_points *centres;
    const struct sri_pairs
        *known; /* the pairs of all points, where the rows are these and have them
                                    * already (pairs.h); NULL: none */
} sri_tile_source;

/* tile[r * SRI_PANEL + c] = k(row first + r, centre c of a panel), at most SRI_TILE_ROWS rows.
 * `spare` is a second tile. */
void sri_kernel_tile(const sri_tile_source *from, int64_t first, int64_t rows, int64_t panel,
                     double *tile, double *spare);

/* n pair quantities become values of the term, in place, without its weight. */
static inline void sri_term_values(const sri_kernel_term *term, const sri_vec *vec, double *v,
                                   int64_t n)
{
    const sri_map map = sri_term_map(term);
    sri_map_apply(&map, vec, v, n);
}

/* Many columns: pairs come from matrix products instead.  Distances want rows and centres shifted
 * by the centres' mean, and their norms. */
bool sri_kernel_goes_wide(const sri_kernel *kernel, const sri_points *centres);

typedef struct sri_wide {
    double *mean, *z, *zq; /* column means, centred centres, their squared norms */
    double most;           /* the largest of these                               */
} sri_wide;

specreg_status sri_wide_init(specreg_context *ctx, sri_arena *memory, sri_wide *w,
                             const sri_kernel_term *term, const sri_points *centres);
/* Rows less the mean (out, rows x p) and their squared norms. */
void sri_wide_centre(const sri_wide *w, const double *x, int64_t rows, int64_t p, double *out,
                     double *norm);
/* In place: products of one centred row with the `cols` centres from `first` become values of the
 * term, without its weight. */
void sri_wide_values(const sri_wide *w, const sri_kernel_term *term, const sri_vec *vec,
                     const double *row, double norm, int64_t p, int64_t first, int64_t cols,
                     double *v);

/* Copies the lower triangle of K (n x n, rows ld apart) to the upper one. */
void sri_kernel_mirror(double *K, int64_t n, int64_t ld);

#endif
