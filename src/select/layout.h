/* How rows of a table become points.  Mostly a row is a point.  Where outputs differ in the rows
 * they have, or kernels are not the same matrix for all of them, a point is one output of one
 * row, and where rows belong to tasks, a row of its task: the number of the output or task is the
 * point's label. */
#ifndef SRI_SELECT_LAYOUT_H
#define SRI_SELECT_LAYOUT_H

#include "kernel/outputs.h"
#include "kernel/points.h"

typedef enum sri_layout_kind {
    SRI_LAYOUT_ROWS,   /* all outputs of a row together    */
    SRI_LAYOUT_TASKS,  /* rows labelled by their task      */
    SRI_LAYOUT_OUTPUTS /* a point for each output of a row */
} sri_layout_kind;

typedef struct sri_layout {
    sri_layout_kind kind;
    int64_t T;  /* outputs of a row, or tasks                                     */
    bool field; /* outputs are the components of a vector at the row: the kernel is one of fields */
    /* The filter looks at all coupled outputs of all rows at once: exact fits by it, and nothing
     * else here, make a point of each output. */
    bool joint;
    const sri_coupling *seen; /* what outputs see of the inputs (sri_coupling_see); NULL: them  */
} sri_layout;

/* A point for each output of some rows. */
typedef struct sri_flat {
    int64_t n;
    int64_t *row;   /* n: the row that a point is of                          */
    int32_t *label; /* n: its output                                          */
    int64_t p;      /* coordinates                                            */
    double *X;      /* n x p; NULL: of fields, whose points share their row   */
    double *Y;      /* n; NULL where none was given                           */
    double *share;  /* n: 1 / points of its row                               */
} sri_flat;

/* A point for each output of each row; those with a Y that is NaN are left out.  Y may be NULL:
 * then all outputs. */
specreg_status sri_layout_flatten(specreg_context *ctx, const sri_layout *layout,
                                  const sri_rows_view *rows, const double *Y, sri_flat *out);
/* Rows of tasks that see inputs of their own: these, in place of their inputs.  One of no task that
 * is known stays as it is. */
specreg_status sri_layout_see(specreg_context *ctx, const sri_layout *layout,
                              const sri_rows_view *rows);
void sri_flat_free(sri_flat *flat);
/* These points, by reference; X has the rows that they were made of. */
sri_rows_view sri_flat_view(const sri_flat *flat, const sri_matrix *X);
/* The rows of a view, labelled by their task where there are tasks, as the points of a layout: the
 * view stays, or becomes one of `flat`, which is filled, and freed by the caller. */
specreg_status sri_layout_points(specreg_context *ctx, const sri_layout *layout,
                                 sri_rows_view *rows, sri_flat *flat);
/* Where point k's number is among those of rows x T outputs. */
static inline int64_t sri_flat_place(const sri_flat *flat, int64_t T, int64_t k)
{
    return flat->n ? flat->row[k] * T + flat->label[k] : k;
}
/* Unpenalised terms P (rows x l) for points: each output has coefficients of its own.  out is
 * flat->n x (l T), newly allocated. */
specreg_status sri_features_flatten(specreg_context *ctx, const double *P, int64_t l, int64_t T,
                                    const sri_flat *flat, double **out);

#endif
