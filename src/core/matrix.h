/* Rows of numbers, dense or sparse. */
#ifndef SRI_CORE_MATRIX_H
#define SRI_CORE_MATRIX_H

#include "core/context.h"

/* One of x and start is not NULL.  A slice shares the arrays of its matrix: whoever made them frees
 * them. */
typedef struct sri_matrix {
    int64_t n, p;
    double *x;      /* dense: n x p                                               */
    int64_t *start; /* sparse: n + 1 places in index and value                    */
    int32_t *index; /* columns, 0-based, ascending within a row                   */
    double *value;
} sri_matrix;

void sri_matrix_free(sri_matrix *m);
/* Frees the struct as well; accepts NULL. */
void sri_matrix_delete(sri_matrix *m);
/* Entry j of row i. */
double sri_matrix_entry(const sri_matrix *m, int64_t i, int64_t j);
/* Rows first .. first + count - 1. */
sri_matrix sri_matrix_slice(const sri_matrix *m, int64_t first, int64_t count);
/* Copies of some rows. */
specreg_status sri_matrix_gather(specreg_context *ctx, const sri_matrix *m, const int64_t *rows,
                                 int64_t count, sri_matrix *out);
/* Room for n sparse rows of `entries` in all; `start` is zero. */
specreg_status sri_matrix_new_sparse(specreg_context *ctx, int64_t n, int64_t p, int64_t entries,
                                     sri_matrix *out);
/* Numbers that are stored. */
int64_t sri_matrix_entries(const sri_matrix *m);

/* A sparse matrix by columns: those that have an entry, however many there are in all. */
typedef struct sri_columns {
    int64_t used;
    int32_t *column; /* used: their numbers, ascending                            */
    int64_t *start;  /* used + 1                                                  */
    int32_t *row;    /* ascending within a column                                 */
    double *value;
    int32_t *place; /* of each entry of the rows: its column is column[place]    */
} sri_columns;

specreg_status sri_columns_new(specreg_context *ctx, const sri_matrix *m, sri_columns **out);
void sri_columns_free(sri_columns *c);
/* The first place at or after `from` whose column is `column` or more; `used` when there is
 * none. */
int64_t sri_columns_find(const sri_columns *c, int64_t from, int32_t column);

#endif
