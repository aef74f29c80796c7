/* Points: what kernels are evaluated at.
 *
 * A view refers to points that stand on the left of a kernel: rows to be predicted, or a block of
 * training rows.  sri_points can stand on both sides: they are also centres, prepared for the inner
 * loops according to how they are stored. */
#ifndef SRI_KERNEL_POINTS_H
#define SRI_KERNEL_POINTS_H

#include <stdbool.h>

#include "core/matrix.h"
#include "kernel/picked.h"

/* Points first .. first + n - 1 of those that the arrays describe.  Errors name points by their
 * number among all of them.  A view shares its arrays: whoever made them frees them.
 *
 * Points of a field are components of vectors, which are stored once.  Only kernels of fields take
 * such points. */
typedef struct sri_rows_view {
    int64_t first, n;
    sri_matrix x; /* coordinates: a row for each point, or for each vector of a field       */
    const int32_t *label;  /* the output or task of each point, -1 where it is not known; NULL:
                            * points have no label, or are components                           */
    const int64_t *vector; /* points of a field: the row of x that each is a component of; NULL: a
                            * row of x is a point, or points are components                     */
    int64_t components;    /* T > 0: the points are all T components of one vector after the other:
                            * point i has the label i % T and the coordinates of row i / T of x */
} sri_rows_view;

/* A point for kernels that are evaluated pair by pair. */
typedef struct sri_point {
    const double *x; /* coordinates, or a row of a given kernel matrix         */
    int64_t index;   /* of a centre: the number of its row in the given matrix */
    int32_t label;
} sri_point;

typedef enum sri_storage {
    SRI_STORED_DENSE,
    SRI_STORED_SPARSE,
    SRI_STORED_INDEX /* rows of a given kernel matrix; a centre is the number of such a row */
} sri_storage;

typedef struct sri_points {
    sri_storage stored;
    int64_t n;              /* points                                                          */
    int64_t p;              /* coordinates of a point, or columns of the given matrix          */
    sri_rows_view rows;     /* all points; x without numbers where they are row numbers alone  */
    const int64_t *index;   /* n: the row numbers; NULL: 0, 1, ...                             */
    const double *share;    /* n: what a point adds to the number of rows; NULL: 1 each.  Points
                            * for several outputs of one row share it                         */
    bool owns;              /* the arrays above are freed with the points                      */
    double *_Atomic panels; /* dense: ceil(n / SRI_PANEL) panels of p x SRI_PANEL numbers; NULL
                             * before sri_points_pack                                         */
    sri_columns *columns;   /* sparse: the entries by columns                                  */
    double *norm1, *norm2;  /* n, sparse: sums of magnitudes and of squares                    */
    const struct sri_pairs *pairs; /* what several kernels share, see pairs.h; NULL, or not owned */
    const struct sri_points *centres; /* fewer points that functions on these are expanded in; NULL:
                                       * in these.  Not owned                                     */
} sri_points;

sri_rows_view sri_view_dense(const double *x, int64_t n, int64_t p);
/* Components of vectors x, dense: point i is component label[i] of row vector[i]. */
sri_rows_view sri_view_field(const sri_matrix *x, const int64_t *vector, const int32_t *label,
                             int64_t n);
/* Points first .. first + count - 1 of a view. */
sri_rows_view sri_view_slice(const sri_rows_view *view, int64_t first, int64_t count);
/* Copies of some points; sri_view_free() frees them. */
specreg_status sri_view_gather(specreg_context *ctx, const sri_rows_view *view,
                               const int64_t *points, int64_t count, sri_rows_view *out);
void sri_view_free(sri_rows_view *view);
/* The rows of x as a matrix; not for points of fields. */
static inline sri_matrix sri_view_matrix(const sri_rows_view *view)
{
    return sri_matrix_slice(&view->x, view->first, view->n);
}
static inline bool sri_view_labelled(const sri_rows_view *view)
{
    return view->label || view->components;
}
/* 0 where points have no label. */
static inline int32_t sri_view_label(const sri_rows_view *view, int64_t i)
{
    i += view->first;
    return view->components ? (int32_t)(i % view->components) : view->label ? view->label[i] : 0;
}
/* The row of x that has a point's coordinates, and these, NULL of a sparse one. */
static inline int64_t sri_view_row(const sri_rows_view *view, int64_t i)
{
    i += view->first;
    return view->components ? i / view->components : view->vector ? view->vector[i] : i;
}
static inline const double *sri_view_x(const sri_rows_view *view, int64_t i)
{
    return view->x.x ? view->x.x + sri_view_row(view, i) * view->x.p : NULL;
}

/* Rows x by reference; `indexed`: they are those of a given kernel matrix. */
specreg_status sri_points_new(specreg_context *ctx, const double *x, int64_t n, int64_t p,
                              bool indexed, sri_points **out);
/* The same for rows that may be sparse; `indexed` is for dense ones. */
specreg_status sri_points_of(specreg_context *ctx, const sri_matrix *rows, bool indexed,
                             sri_points **out);
/* All points of a view, which begins with point 0, by reference. */
specreg_status sri_points_of_view(specreg_context *ctx, const sri_rows_view *view,
                                  sri_points **out);
/* Centres that are the numbers of rows of a matrix with p columns; `index`, which may be NULL, is
 * theirs from here on, also when this fails. */
specreg_status sri_points_of_index(specreg_context *ctx, int64_t *index, int64_t n, int64_t p,
                                   sri_points **out);
/* Copies of some points, with the same centres where these are others. */
specreg_status sri_points_subset(specreg_context *ctx, const sri_points *all, const int64_t *rows,
                                 int64_t count, sri_points **out);
void sri_points_free(sri_points *points);
/* Packs dense centres in panels, once; loops over tiles need them, matrix products do not.  Several
 * threads may ask at once. */
specreg_status sri_points_pack(specreg_context *ctx, const sri_points *points);

static inline sri_rows_view sri_points_rows(const sri_points *points, int64_t first, int64_t count)
{
    return sri_view_slice(&points->rows, first, count);
}
static inline bool sri_points_labelled(const sri_points *points)
{
    return sri_view_labelled(&points->rows);
}
/* The points that functions on these are expanded in. */
static inline const sri_points *sri_points_centres(const sri_points *points)
{
    return points->centres ? points->centres : points;
}
/* Point number i as the right argument of a kernel. */
static inline sri_point sri_points_centre(const sri_points *points, int64_t i)
{
    return (sri_point){.x = sri_view_x(&points->rows, i),
                       .index = points->index ? points->index[i] : i,
                       .label = sri_view_label(&points->rows, i)};
}
/* How many numbers costs count for a point: a label counts as much as a coordinate. */
static inline int64_t sri_points_width(const sri_points *points)
{
    return points->p + sri_points_labelled(points);
}

/* The median distance (1-norm when `norm1`) over the pairs of a random sample of points, in the
 * columns that are picked (NULL: all); 1 when all are alike. */
specreg_status sri_points_median(specreg_context *ctx, const sri_points *points,
                                 const sri_picked *columns, bool norm1, uint64_t seed,
                                 double *median);

#endif
