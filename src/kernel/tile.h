/* Kernel values a piece at a time, for loops that use them where they were computed. */
#ifndef SRI_KERNEL_TILE_H
#define SRI_KERNEL_TILE_H

#include <string.h>

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
 * `spare` is a second tile.  The centres are packed (points.h). */
void sri_kernel_tile(const sri_block *b, int64_t first, int64_t rows, int64_t panel, double *tile,
                     double *spare);

/* n values of factor t: a product that goes on takes them in, one that ends is added to the sum, of
 * which the first one is stored. */
static inline void sri_factor_add(const sri_kernel *kernel, int t, const double *v, double *product,
                                  double *to, int64_t n)
{
    const bool begins = !kernel->term[t].times;
    const int first = sri_product_begin(kernel, t);
    const double weight = kernel->term[first].weight;
    if (!begins)
        for (int64_t i = 0; i < n; i++)
            product[i] *= v[i];
    if (!sri_product_ends(kernel, t)) {
        if (begins)
            memcpy(product, v, (size_t)n * sizeof *v);
        return;
    }
    const double *value = begins ? v : product;
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        to[i] = weight * value[i] + (first > 0 ? to[i] : 0);
}
/* Whether there is a product of several. */
static inline bool sri_kernel_multiplies(const sri_kernel *kernel)
{
    return sri_product_count(kernel) < kernel->n_terms;
}

/* n pair quantities become values of the term, in place, without its weight. */
static inline void sri_term_values(const sri_kernel_term *term, const sri_vec *vec, double *v,
                                   int64_t n)
{
    const sri_map map = sri_term_map(term);
    sri_map_apply(&map, vec, v, n);
}

/* diagonal.c: the value of a term for one pair of dense points of p coordinates, without its
 * weight. */
double sri_term_value(const sri_kernel_term *term, const sri_point *x, const sri_point *z,
                      int64_t p);

/* Many columns: pairs come from matrix products instead.  Distances want rows and centres shifted
 * by the centres' mean, and their norms. */
bool sri_kernel_goes_wide(const sri_kernel *kernel, const sri_points *centres);

/* The centres of such products, for a term: of those columns that it looks at. */
typedef struct sri_wide {
    int64_t p;
    const sri_picked *columns;
    double *mean, *z, *zq; /* column means, centred centres, their squared norms */
    double most;           /* the largest of these                               */
} sri_wide;

/* Rows for such products. */
typedef struct sri_wide_rows {
    double *x, *xq; /* rows x p, centred; their squared norms */
} sri_wide_rows;

/* One for each term; those with the same pair and columns share theirs. */
specreg_status sri_wide_init(specreg_context *ctx, sri_arena *memory, const sri_kernel *kernel,
                             const sri_points *centres, sri_wide wide[SRI_KERNEL_TERMS]);
/* Rows of ldx numbers each. */
void sri_wide_centre(const sri_wide *w, const double *x, int64_t ldx, int64_t rows,
                     const sri_wide_rows *out);
/* In place: products of a row, centred and with its squared norm, with the `cols` centres from
 * `first` become values of the term, without its weight. */
void sri_wide_values(const sri_wide *w, const sri_kernel_term *term, sri_wide_rows row,
                     int64_t first, int64_t cols, double *v);

/* Fails, with the place, where a sum of F (rows x t) is not finite because a kernel value is
 * not; huge coefficients are no error. */
specreg_status sri_kernel_check_product(specreg_context *ctx, const sri_kernel_matrix *K, int64_t t,
                                        const double *F);

#endif
