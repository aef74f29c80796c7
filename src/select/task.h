/* The supervised problem as engines and selection rules see it. */
#ifndef SRI_SELECT_TASK_H
#define SRI_SELECT_TASK_H

#include "coding/coding.h"
#include "core/options.h"
#include "engine/machine.h"
#include "kernel/kernel.h"
#include "measure/measure.h"
#include "op/op.h"
#include "select/sample.h"

typedef struct sri_task {
    const sri_points *points;
    const double *Y; /* n x T: targets, or coded classes          */
    int64_t n, T;
    const int32_t *classes; /* n class numbers; NULL for regression      */
    int64_t n_classes;
    const sri_coding *coding;
    const double *weight; /* n, positive; NULL: all 1                  */
    const int32_t *group; /* n: rows of a group stay together; NULL: each on its own */
    int64_t n_groups;
    sri_features features;        /* what is not penalised; l 0: nothing       */
    const sri_measure *criterion; /* NULL: auto */
    /* Set by the search, for rules with folds: repeats x n, the fold of each row. */
    const int32_t *fold;
    int64_t folds, repeats;
    const double *class_cost; /* factor on the weight of each class when errors count; NULL: 1 */
    /* For rules that bring data of their own: */
    sri_reader reader;
    const specreg_options *options;
    const int64_t *keep; /* n: the rows of the table that these are */
    int64_t table_rows;  /* before any were dropped                 */
    uint64_t seed;
    int64_t memory;
    bool single;                /* products read kernel values in single precision */
    const sri_machine *machine; /* how fast it is; NULL: built-in rates */
} sri_task;

/* The matrix that an engine is to bring in: where points are for one output, kernel values have
 * it. */
static inline const sri_coupling *sri_task_coupling(const sri_task *task, const sri_kernel *kernel)
{
    return sri_points_labelled(task->points) ? NULL : sri_kernel_coupling(kernel);
}

/* The operator of a kernel on the task's points, with their weights and features. */
specreg_status sri_task_op(specreg_context *ctx, const sri_task *task, const sri_kernel *kernel,
                           sri_op **out);

/* Whether the folds hold out every row, as a partition does. */
static inline bool sri_task_partition(const sri_task *task)
{
    return task->fold && task->folds > 1;
}

/* Some rows of a task as a task of its own; folds are left out. */
typedef struct sri_subtask {
    sri_task task;
    sri_points *points;
    double *Y, *weight, *P;
    int32_t *classes, *group;
    int64_t *keep;
} sri_subtask;

specreg_status sri_subtask_make(specreg_context *ctx, const sri_task *task, const int64_t *rows,
                                int64_t count, sri_subtask *out);
void sri_subtask_free(sri_subtask *sub);

#endif
