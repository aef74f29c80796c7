/* Rows of numbers with a class of -1 or 1 each, as plain arrays for the comparators. */
#ifndef ROWS_H
#define ROWS_H

#include "experiment.h"

typedef struct exp_rows {
    int64_t n, d;
    double *x; /* row by row */
    double *y; /* -1 or 1    */
} exp_rows;

/* All columns but `y`, which is 1 where it equals `one` in the table, else -1. */
int rows_of_table(cli *c, const specreg_table *table, double one, exp_rows *out);
/* A table x1, ..., xd, y. */
int rows_to_table(cli *c, const exp_rows *rows, specreg_table **out);
exp_rows rows_select(const exp_rows *from, const int64_t *list, int64_t count);
void rows_free(exp_rows *rows);
/* The table of a file in a folder of the data folder, such as "cbcl/train.csv.gz". */
int rows_read(cli *c, const char *file, specreg_table **out);
/* The share of rows in per cent whose score has another sign than y. */
double rows_error(const double *y, const double *score, int64_t n);

#endif
