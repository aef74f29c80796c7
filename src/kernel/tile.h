/* Kernel values a piece at a time, for loops that use them where they were computed. */
#ifndef SRI_KERNEL_TILE_H
#define SRI_KERNEL_TILE_H

#include "core/arena.h"
#include "kernel/kernel.h"

enum { SRI_TILE = SRI_TILE_ROWS * SRI_PANEL };

/* Kernel values of rows with the first `cols` centres, or, when `lower`, of row i with the first
 * cols + i; where they are stored, in K with rows ld apart. */
typedef struct sri_block {
    sri_kernel_matrix of;
    const struct sri_pairs *known; /* the pairs of all points, where the rows are these and have
                                    * them already (pairs.h); NULL: none */
    int64_t cols;
    bool lower;
    double *K;
    int64_t ld;
} sri_block;

static inline int64_t sri_block_cols(const sri_block *b, int64_t i)
{
    return b->lower ? b->cols + i : b->cols;
}

/* tile[r * SRI_PANEL + c] = k(row first + r, centre c of a panel), at most SRI_TILE_ROWS rows.
 * `spare` is a second tile. */
void sri_kernel_tile(const sri_block *b, int64_t first, int64_t rows, int64_t panel, double *tile,
                     double *spare);

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

/* The centres of such products, of terms with the same pair. */
typedef struct sri_wide {
    int64_t p;
    double *mean, *z, *zq; /* column means, centred centres, their squared norms */
    double most;           /* the largest of these                               */
} sri_wide;

/* Rows for such products. */
typedef struct sri_wide_rows {
    double *x, *xq; /* rows x p, centred; their squared norms */
} sri_wide_rows;

/* wide[pair], for the pairs that the terms of a kernel have. */
specreg_status sri_wide_init(specreg_context *ctx, sri_arena *memory, const sri_kernel *kernel,
                             const sri_points *centres, sri_wide wide[SRI_PAIR_EACH]);
void sri_wide_centre(const sri_wide *w, const double *x, int64_t rows, const sri_wide_rows *out);
/* In place: products of a row, centred and with its squared norm, with the `cols` centres from
 * `first` become values of the term, without its weight. */
void sri_wide_values(const sri_wide *w, const sri_kernel_term *term, sri_wide_rows row,
                     int64_t first, int64_t cols, double *v);

/* Fails, with the place, where a sum of F (rows x t) is not finite because a kernel value is
 * not; huge coefficients are no error. */
specreg_status sri_kernel_check_product(specreg_context *ctx, const sri_kernel_matrix *K, int64_t t,
                                        const double *F);

#endif
