/* How rows of a table become points.  Mostly a row is a point.  Where outputs differ in the rows
 * they have, or kernels are not the same matrix for all of them, a point is one output of one
 * row, and where rows belong to tasks, a row with the number of its task; both are labelled
 * points. */
#ifndef SRI_SELECT_LAYOUT_H
#define SRI_SELECT_LAYOUT_H

#include "kernel/outputs.h"

typedef enum sri_layout_kind {
    SRI_LAYOUT_ROWS,   /* all outputs of a row together      */
    SRI_LAYOUT_TASKS,  /* rows with the number of their task */
    SRI_LAYOUT_OUTPUTS /* a point for each output of a row   */
} sri_layout_kind;

typedef struct sri_layout {
    sri_layout_kind kind;
    int64_t T;                /* outputs of a row, or tasks                                     */
    const sri_coupling *seen; /* what outputs see of the features (sri_coupling_see); NULL: them */
} sri_layout;

/* Points made of rows: labelled, p + 1 columns. */
typedef struct sri_flat {
    int64_t n;
    int64_t *row;  /* n: the row that a point is of */
    double *X;     /* n x (p + 1)                   */
    double *Y;     /* n; NULL where none was given  */
    double *share; /* n: 1 / points of its row      */
} sri_flat;

/* A point for each output of each of m rows; those with a Y that is NaN are left out.  Y may be
 * NULL: then all outputs. */
specreg_status sri_layout_flatten(specreg_context *ctx, const sri_layout *layout, const double *X,
                                  int64_t m, int64_t p, const double *Y, sri_flat *out);
void sri_flat_free(sri_flat *flat);
/* Features that are not penalised, P (rows x l), for points: each output has coefficients of its
 * own. out is flat->n x (l T), newly allocated; points have p features. */
specreg_status sri_features_flatten(specreg_context *ctx, const double *P, int64_t l, int64_t T,
                                    const sri_flat *flat, int64_t p, double **out);
/* Rows with the numbers of their tasks as a last column: m x (p + 1), newly allocated. */
specreg_status sri_layout_label(specreg_context *ctx, const double *X, int64_t m, int64_t p,
                                const int32_t *task, double **out);

#endif
