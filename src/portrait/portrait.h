/* What a fit keeps for pictures of it: the path of the winner, the spectrum of its kernel matrix
 * and the filter on it, curves of one or two inputs, and rows with what the model says of them when
 * they do not train.  The matrix is that of a sample of rows, so that a fit takes hardly longer.
 * Predictions never depend on any of it. */
#ifndef SRI_PORTRAIT_PORTRAIT_H
#define SRI_PORTRAIT_PORTRAIT_H

#include "core/arena.h"
#include "select/search.h"

enum { SRI_PORTRAIT_POINTS = 40, SRI_PORTRAIT_FILTER = 64, SRI_PORTRAIT_MISSING = 8 };

/* How much is kept. */
typedef struct sri_portrait_size {
    int64_t rows;    /* whose kernel matrix is decomposed; 0: nothing is kept */
    int64_t numbers; /* of curves, and of rows, about                         */
} sri_portrait_size;

/* Points of a path, from smooth to rough.  NaN: not known. */
typedef struct sri_portrait_path {
    sri_path_kind kind;
    int64_t count, chosen; /* chosen -1: outputs have points of their own */
    double *at, *df, *train, *value, *stderr_;
    const char *measure; /* of `train`: a static text                   */
    bool df_of_sample;   /* else of all rows                            */
} sri_portrait_path;

/* Eigenvalues of K/n above rounding, the largest first, some of those far down. */
typedef struct sri_portrait_spectrum {
    double trace;
    int64_t rank, count;              /* all of them; those listed                         */
    double *index;                    /* from 1                                            */
    double *eigenvalue, *share, *sum; /* share of |y|^2 along each; of all up to it        */
} sri_portrait_spectrum;

/* s g(s), of every point of the path a row. */
typedef struct sri_portrait_filter {
    double *s, *kept; /* NULL: not known */
} sri_portrait_filter;

/* f over a grid of one or two inputs, at some points of the path. */
typedef struct sri_portrait_curve {
    int axes; /* 0: there is none */
    const char *input[2];
    int64_t count[2];
    double *axis[2];
    int64_t outputs, points;
    double *f;      /* points x outputs x cells; the first axis runs fastest     */
    int64_t *point; /* which points of the path                                  */
    int64_t rows;   /* training rows: their inputs, targets or class             */
    double *x[2], *y;
    int32_t *classes;
} sri_portrait_curve;

/* Rows and what was said of them. */
typedef struct sri_portrait_rows {
    const char *by; /* "loo", "kfold" or "train"; NULL: there are none */
    int64_t all, count, T;
    int64_t *row;     /* of the table, from 0 */
    double *F, *Y;    /* count x T            */
    int32_t *classes; /* NULL: regression     */
} sri_portrait_rows;

typedef struct sri_portrait {
    sri_arena memory;
    int64_t n, rows_used;
    sri_portrait_path path;
    sri_portrait_spectrum spectrum;
    sri_portrait_filter filter;
    sri_portrait_curve curve;
    sri_portrait_rows rows;
    const char *missing[SRI_PORTRAIT_MISSING]; /* sentences: what there is not, and why */
    int n_missing;
} sri_portrait;

/* What it is of: the winner of a search, before a model takes over what it needs. */
typedef struct sri_portrait_of {
    const sri_problem *problem;
    const sri_rule *rule;
    const sri_search_result *found;
} sri_portrait_of;

/* The usual size for `rows` rows (0: nothing, -1: so many that a fit takes hardly longer). */
sri_portrait_size sri_portrait_size_for(int64_t rows, const sri_problem *problem);
specreg_status sri_portrait_make(specreg_context *ctx, const sri_portrait_of *of,
                                 sri_portrait_size size, sri_portrait **out);
void sri_portrait_free(sri_portrait *portrait); /* accepts NULL */

#endif
