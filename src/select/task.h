/* The supervised problem as engines and selection rules see it. */
#ifndef SRI_SELECT_TASK_H
#define SRI_SELECT_TASK_H

#include "coding/coding.h"
#include "core/options.h"
#include "kernel/points.h"
#include "select/sample.h"

typedef struct sri_task {
    const sri_points *points;
    const double *Y;        /* n x T: targets, or coded classes          */
    int64_t n, T;
    const int32_t *classes; /* n class numbers; NULL for regression      */
    int64_t n_classes;
    const sri_coding *coding;
    const double *weight;   /* n, positive; NULL: all 1                  */
    const int32_t *group;   /* n: rows of a group stay together; NULL: each on its own */
    int64_t n_groups;
    const int32_t *fold; /* repeats x n: of each row, for rules with folds; set by the search */
    int64_t folds, repeats;
    /* For rules that bring data of their own: */
    sri_reader reader;
    const specreg_options *options;
    const int64_t *keep; /* n: the rows of the table that these are */
    int64_t table_rows;  /* before any were dropped                 */
    uint64_t seed;
    int64_t memory;
} sri_task;

/* Smaller is better; `tie` decides between equal values. */
typedef struct sri_score {
    double value, tie;
    double stderr_; /* of value; NaN when unknown */
    double df;      /* NaN when unknown           */
} sri_score;

/* Losses of predictions F (n x T, rows ldf apart) against Y or classes: sums over rows. */
typedef struct sri_losses {
    int64_t n;
    double squared, squared2; /* sum over rows of the row's mean squared error, and its square */
    double wrong;             /* rows decoded to another class */
} sri_losses;

specreg_status sri_losses_add(specreg_context *ctx, const sri_task *task, const double *F,
                              int64_t ldf, const double *Y, const int32_t *classes, int64_t n,
                              sri_losses *losses);
/* mse for regression; error rate with the mse breaking ties for classification. */
sri_score sri_losses_score(const sri_task *task, const sri_losses *losses);
/* Of several parts together, losses[f * stride] each; the spread of their own values gives the
 * standard error. */
sri_score sri_losses_pool(const sri_task *task, const sri_losses *losses, int64_t stride,
                          int64_t parts);
bool sri_score_better(const sri_score *a, const sri_score *b); /* a strictly better than b */

#endif
