/* A set of points as kernels want them: rows x for the left argument, centres z for the right, the
 * centres also packed in panels for the inner loops.  z is x itself but for `precomputed`, where a
 * row x holds kernel values and a centre is the number of a training row.
 *
 * Sparse points have neither x nor z nor panels: their rows, and the same entries by columns. */
#ifndef SRI_KERNEL_POINTS_H
#define SRI_KERNEL_POINTS_H

#include <stdbool.h>

#include "core/matrix.h"

typedef struct sri_points {
    int64_t n;
    int64_t p;       /* columns of x */
    const double *x; /* n x p; owned when own_x */
    int64_t q;       /* columns of z */
    const double *z; /* n x q; x, or own_z */
    double *own_x, *own_z;
    bool labelled; /* the last column of x and z is no coordinate, but the number of the output or
                     * task that the point is for, -1 for one that is not known */
    const double *share; /* n: what a point adds to the number of rows; NULL: 1 each.  Points of
                          * several outputs of one row share it.  Owned when own_share */
    double *own_share;
    sri_matrix sparse;             /* the rows, by reference; start NULL: the points are dense */
    sri_matrix own_rows;           /* those of a subset                                        */
    sri_columns *columns;          /* the sparse entries by columns                            */
    double *norm1, *norm2;         /* n: sums of magnitudes and of squares, of sparse rows    */
    double *panels;                /* ceil(n / SRI_PANEL) panels of q x SRI_PANEL numbers */
    const struct sri_pairs *pairs; /* what several kernels share, see pairs.h; NULL, or not owned */
} sri_points;

/* `x` is kept, not copied; `indexed` makes centres of row numbers. */
specreg_status sri_points_new(specreg_context *ctx, const double *x, int64_t n, int64_t p,
                              bool indexed, sri_points **out);
/* The same for rows that may be sparse; `indexed` is for dense ones. */
specreg_status sri_points_of(specreg_context *ctx, const sri_matrix *rows, bool indexed,
                             sri_points **out);
/* Centres alone, as they come from a model file; `z` is kept, not copied. */
specreg_status sri_points_centres(specreg_context *ctx, const double *z, int64_t n, int64_t q,
                                  sri_points **out);
/* Coordinates of a point. */
static inline int64_t sri_points_features(const sri_points *points)
{
    return (points->z && !points->x ? points->q : points->p) - points->labelled;
}
/* Whether labelled points, or rows like them, come as all components of one vector after the
 * other: as many as there are coordinates, with the labels 0, 1, ... and the same coordinates. */
bool sri_rows_are_vectors(const double *x, int64_t n, int64_t p);
static inline bool sri_points_are_vectors(const sri_points *points)
{
    return points->labelled && sri_rows_are_vectors(points->z, points->n, points->q - 1);
}
/* Their coordinates, n / p x p, newly allocated. */
specreg_status sri_rows_vectors(specreg_context *ctx, const double *x, int64_t n, int64_t p,
                                double **out);
/* Copies of some rows. */
specreg_status sri_points_subset(specreg_context *ctx, const sri_points *all, const int64_t *rows,
                                 int64_t count, sri_points **out);
/* Rows first .. first + count - 1, by reference. */
sri_matrix sri_points_rows(const sri_points *points, int64_t first, int64_t count);
void sri_points_free(sri_points *points);

/* The median distance (1-norm when `norm1`) over the pairs of a random sample of rows; 1 when all
 * rows are alike. */
specreg_status sri_points_median(specreg_context *ctx, const sri_points *points, bool norm1,
                                 uint64_t seed, double *median);

#endif
