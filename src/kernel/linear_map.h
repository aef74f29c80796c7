/* The linear kernel as its factors: K = A A' with A = scale^(1/2) diag(root) X.  Products with A
 * and A' cost what X has entries, where K has n^2.  Of sparse rows A has only the columns that
 * occur.
 *
 * Each number of a result is a sum in one thread and in a fixed order, so that results do not
 * depend on the threads; A' of sparse rows goes through their columns. */
#ifndef SRI_KERNEL_LINEAR_MAP_H
#define SRI_KERNEL_LINEAR_MAP_H

#include "kernel/kernel.h"

typedef struct sri_linear_map {
    const sri_points *points;
    int64_t n, p; /* of A                                              */
    double scale;
    const double *root; /* n, or NULL: all 1; of sample weights, for example */
} sri_linear_map;

/* Whether a kernel is a multiple of <x, z>, and which. */
bool sri_kernel_is_linear(const sri_kernel *kernel, double *scale);
sri_linear_map sri_linear_map_make(const sri_points *points, double scale, const double *root);
/* F (n x t) = A W, W p x t. */
specreg_status sri_linear_forward(specreg_context *ctx, const sri_linear_map *map, int64_t t,
                                  const double *W, double *F);
/* W (p x t) = A' F, F n x t. */
specreg_status sri_linear_back(specreg_context *ctx, const sri_linear_map *map, int64_t t,
                               const double *F, double *W);
/* W (p x l) = A' F', F l x n: a vector in each row. */
specreg_status sri_linear_back_rows(specreg_context *ctx, const sri_linear_map *map, int64_t l,
                                    const double *F, double *W);

/* Y (n x t) = A A'X. */
specreg_status sri_linear_square(specreg_context *ctx, const sri_linear_map *map, int64_t t,
                                 const double *X, double *Y);

/* linear_gram.c: the lower triangle of C (p x p) = the sum of a_i a_i' over some rows of A. */
specreg_status sri_linear_gram(specreg_context *ctx, const sri_linear_map *map, const int64_t *rows,
                               int64_t count, double *C);
/* Some rows of A, dense (count x p). */
void sri_linear_rows(const sri_linear_map *map, const int64_t *rows, int64_t count, double *out);

/* F (rows->n x t) = X W for any rows.  Of sparse ones W has the columns that are used (those before
 * `used` where there is no list), and the others count as 0; dense ones take no columns. */
specreg_status sri_rows_times(specreg_context *ctx, const sri_matrix *rows,
                              const sri_columns *columns, int64_t t, const double *W, double *F);

#endif
