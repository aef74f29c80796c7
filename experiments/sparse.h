/* Sparse rows with a class each, such as documents as counts of words. */
#ifndef SPARSE_H
#define SPARSE_H

#include "experiment.h"

typedef struct exp_sparse {
    int64_t rows, cols;
    int64_t *start; /* rows + 1: row i has the entries start[i] .. start[i + 1] - 1 */
    int32_t *index; /* columns from 0, ascending within a row                      */
    double *value;
    int *label; /* of each row */
} exp_sparse;

/* Adds the rows of a LIBSVM file, plain or .gz, whose labels are whole numbers, to `rows`, which
 * begins as {0}. */
int sparse_read(const char *path, exp_sparse *rows);
/* All documents of 20 Newsgroups, classes 1 to 20 in alphabetical order. */
enum { NEWS_CLASSES = 20 };
int sparse_read_news(const cli *c, exp_sparse *documents);
/* The rows with these numbers. */
exp_sparse sparse_select(const exp_sparse *from, const int64_t *list, int64_t count);
/* Counts become (1 + log count) log(N / number of documents of `basis` with the word), N documents
 * in `basis`; each row then gets length 1.  A word that no document of `basis` has becomes 0. */
void sparse_weigh(exp_sparse *rows, const double *log_share);
double *sparse_log_share(const exp_sparse *basis); /* log(N / ...) of each word; free() it */
/* A table, with the labels as texts where they are wanted. */
int sparse_table(cli *c, const exp_sparse *rows, bool labels, specreg_table **out);
/* The share of rows whose class a model gets wrong. */
int sparse_error(cli *c, const specreg_model *model, const exp_sparse *test, double *error);
void sparse_free(exp_sparse *rows);

#endif
