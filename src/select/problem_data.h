/* From the rows of a table to the points of a problem, and back.
 *
 * Points refer to the arrays of the rows where a point is a row, and have their own where it is one
 * output of a row. */
#ifndef SRI_SELECT_PROBLEM_DATA_H
#define SRI_SELECT_PROBLEM_DATA_H

#include "select/search.h"

/* The rows, which own their arrays. */
typedef struct sri_row_data {
    int64_t n, T;
    sri_matrix X;     /* n x p, dense or sparse                                */
    double *Y;        /* n x T; NaN where a target is missing                  */
    int32_t *classes; /* NULL for regression                                   */
    int32_t *task;    /* n; NULL: there are no tasks                           */
    double *weight;   /* n, positive; NULL: all 1                              */
    int32_t *group;   /* NULL: each row on its own                             */
    int64_t n_groups;
    int64_t *keep; /* n: the rows of the table that these are               */
    double *P;     /* n x l: unpenalised terms                              */
    int64_t l;
    char **name; /* l: of these columns; the names themselves are not owned */
} sri_row_data;

void sri_row_data_free(sri_row_data *rows);

typedef struct sri_point_data {
    sri_layout layout;
    int64_t rows;        /* that the points were made of                             */
    sri_subproblem own;  /* its problem: points, Y, classes, rows and unpenalised terms, no more;
                          * arrays where a point is for one output                   */
    sri_flat flat;       /* n 0: a point is a row                                    */
    sri_points *centres; /* of the points, where these are others; else NULL        */
    char **name;         /* of unpenalised terms of points for one output            */
} sri_point_data;

/* Rows before they have inputs. */
sri_point_data sri_points_as_rows(const sri_row_data *rows);
/* The points of a layout: rows, those of a given kernel matrix (X), rows labelled by their task, or
 * a point for each output or component that a row has, at the inputs that the output sees
 * (layout.h); those of one row stay in one fold. */
specreg_status sri_point_data_make(specreg_context *ctx, const sri_row_data *rows,
                                   sri_layout layout, bool given_matrix, sri_point_data *out);
void sri_point_data_free(sri_point_data *data);

/* Values on the rows, newly allocated: the targets minus the residuals of points, 0 where a target
 * is missing. */
specreg_status sri_fitted_values(specreg_context *ctx, const sri_point_data *data,
                                 const double *residual, double **out);
/* The coefficients of a fit, in place, as those of a model's centres, and what these are.  Where
 * one coupling serves all outputs it goes into the coefficients, and centres are rows. */
specreg_status sri_coefficients_take(specreg_context *ctx, const sri_point_data *data,
                                     const sri_kernel *kernel, sri_fitted *fitted,
                                     sri_layout_kind *kind);
/* The centres of a model, which take over numbers and labels: those of the points where these are
 * others, else the points of the problem where `kind` is its layout, else the rows. */
specreg_status sri_centres_take(specreg_context *ctx, sri_row_data *rows, sri_point_data *data,
                                sri_layout_kind kind, sri_points **out);

#endif
