/* The supervised problem as engines and selection rules see it. */
#ifndef SRI_SELECT_PROBLEM_H
#define SRI_SELECT_PROBLEM_H

#include "coding/coding.h"
#include "core/options.h"
#include "engine/machine.h"
#include "kernel/kernel.h"
#include "measure/measure.h"
#include "op/fold.h"
#include "op/op.h"
#include "select/extended.h"
#include "select/sample.h"

/* What belongs to the points of a problem. */
typedef struct sri_problem_rows {
    const double *weight; /* n, positive; NULL: all 1                                   */
    const int32_t *group; /* n: those of a group stay together; NULL: each on its own   */
    int64_t n_groups;
    const int64_t *keep; /* n: the rows of the table that they are of  */
    int64_t table_rows;  /* before any were dropped                    */
} sri_problem_rows;

/* How errors count. */
typedef struct sri_judging {
    const sri_measure *criterion; /* NULL: auto                              */
    const double *class_cost;     /* a factor on the weight of each class; NULL: 1 */
} sri_judging;

typedef struct sri_problem_resources {
    uint64_t seed;
    int64_t memory;             /* what the data leave of the budget              */
    double data;                /* bytes of points and targets, with their copies */
    bool single;                /* products read kernel values in single precision */
    const sri_machine *machine; /* NULL: built-in rates                            */
} sri_problem_resources;

typedef struct sri_problem {
    const sri_points *points;
    int64_t n, T;
    const double *Y;        /* n x T: targets, or coded classes     */
    const int32_t *classes; /* n class numbers; NULL for regression */
    int64_t n_classes;
    const sri_coding *coding;
    sri_problem_rows rows;
    sri_features unpenalised; /* l 0: nothing */
    sri_folds folds;          /* set by the search, for rules that have them */
    sri_judging judging;
    sri_problem_resources resources;
    sri_reader reader; /* for rules that bring data of their own, with the options */
    const specreg_options *options;
    const sri_extension *extension; /* rows without targets; NULL: none */
} sri_problem;

/* The matrix that an engine is to bring in: where points are for one output, kernel values have
 * it. */
static inline const sri_coupling *sri_problem_coupling(const sri_problem *problem,
                                                       const sri_kernel *kernel)
{
    return sri_points_labelled(problem->points) ? NULL : sri_kernel_coupling(kernel);
}

/* Whether outputs train on rows of their own, those of some classes: each has its own system. */
static inline bool sri_has_own_rows(const sri_problem *problem)
{
    return problem->coding && problem->coding->leaves_out;
}

/* The operator of a kernel on the problem's points, with their weights and features. */
specreg_status sri_problem_op(specreg_context *ctx, const sri_problem *problem,
                              const sri_kernel *kernel, sri_op **out);

/* Whether the folds hold out every row, as a partition does. */
static inline bool sri_problem_partition(const sri_problem *problem)
{
    return problem->folds.of_row && problem->folds.per_repeat > 1;
}

/* Some rows of a problem as a problem of its own; folds are left out. */
typedef struct sri_subproblem {
    sri_problem problem;
    sri_points *points;
    double *Y, *weight, *P;
    int32_t *classes, *group;
    int64_t *keep;
    sri_extension *extension;
} sri_subproblem;

specreg_status sri_subproblem_make(specreg_context *ctx, const sri_problem *problem,
                                   const int64_t *rows, int64_t count, sri_subproblem *out);
/* Weights and rows of the table of `out`, from those that its problem refers to; its own groups are
 * there. */
specreg_status sri_subproblem_rows(specreg_context *ctx, const int64_t *rows, int64_t count,
                                   sri_subproblem *out);
void sri_subproblem_free(sri_subproblem *sub);

#endif
