/* Folds: sets of rows that are left out together. */
#ifndef SRI_OP_FOLD_H
#define SRI_OP_FOLD_H

#include <stdbool.h>
#include <stdint.h>

/* One fold: the rows i with of_row[i] == number. */
typedef struct sri_fold {
    const int32_t *of_row; /* NULL: no row is left out */
    int32_t number;
} sri_fold;

static inline bool sri_fold_holds(sri_fold fold, int64_t i)
{
    return fold.of_row && fold.of_row[i] == fold.number;
}
/* How many of n rows it holds. */
static inline int64_t sri_fold_rows(sri_fold fold, int64_t n)
{
    int64_t rows = 0;
    for (int64_t i = 0; i < n; i++)
        rows += sri_fold_holds(fold, i);
    return rows;
}

/* Some deals of n rows into folds: the fold of each row, 0 .. per_repeat - 1, or -1 for a row that
 * is never left out. */
typedef struct sri_folds {
    const int32_t *of_row; /* repeats x n; NULL: there are none */
    int64_t n, per_repeat, repeats;
} sri_folds;

/* Fold f of repeat r has number r * per_repeat + f among all of them. */
static inline int64_t sri_folds_count(const sri_folds *folds)
{
    return folds->per_repeat * folds->repeats;
}
static inline sri_fold sri_folds_at(const sri_folds *folds, int64_t number)
{
    return (sri_fold){folds->of_row + number / folds->per_repeat * folds->n,
                      (int32_t)(number % folds->per_repeat)};
}

#endif
