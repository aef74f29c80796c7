/* What an engine is asked, a job: a problem, a path, a request of what is wanted at each point of
 * it, and a hint from earlier jobs.  And what it hands back: the points of the path, and a report.
 *
 * With sample weights n stands for the operator's mass in all formulas. */
#ifndef SRI_ENGINE_JOB_H
#define SRI_ENGINE_JOB_H

#include <math.h>

#include "engine/machine.h"
#include "filter/filter.h"
#include "op/fold.h"
#include "op/op.h"

/* Outputs whose operators lie on a line between two: share[t] op + (1 - share[t]) other. */
typedef struct sri_blend {
    sri_op *other;
    const double *share; /* T */
} sri_blend;

typedef struct sri_engine_problem {
    sri_op *op;
    const double *Y; /* n x T, row-major */
    int64_t T;
    sri_folds folds;              /* for SRI_NEED_FOLDS                                        */
    const sri_coupling *coupling; /* of outputs that every row has; NULL: they are independent */
    /* Where outputs have operators of their own; NULL: it is `op` for all of them. */
    const double *scale; /* T: that of output t is scale[t] K.  The driver makes it of a
                             * coupling (run.h)                                                */
    const sri_blend *blend;
} sri_engine_problem;

typedef struct sri_path {
    const sri_filter *filter;
    const double *param; /* smooth to rough */
    int64_t count;
} sri_path;

enum {
    SRI_NEED_LEVERAGE = 1, /* 1 - H_ii for every row, H = (K/n) g(K/n)                            */
    SRI_NEED_DF = 2,       /* tr H                                                                */
    SRI_NEED_FOLDS = 4,    /* held-out residuals: of predictors trained without a row's fold      */
    SRI_NEED_DIAGONAL = 8  /* k(x_i, x_i): the search adds it to the points, engines ignore it    */
};
/* The part of a need that is an engine's affair. */
enum { SRI_NEED_OF_ENGINE = SRI_NEED_LEVERAGE | SRI_NEED_DF | SRI_NEED_FOLDS };

typedef struct sri_request {
    unsigned need; /* beside coefficients and residuals */
    /* For folds in a search: > 0 lets an engine hand on held-out residuals alone, without alpha,
     * with an error of at most this share of their root mean square; 0: all to rounding. */
    double tolerance;
    /* For folds: the caller trains the winner by itself, so that an engine may leave alpha out
     * where it costs extra.  Held-out residuals stay exact. */
    bool scores_only;
    int64_t memory;             /* budget in bytes        */
    const sri_machine *machine; /* NULL: built-in rates   */
} sri_request;

/* What earlier jobs of a search took.  It may change the time, never the result. */
typedef struct sri_hint {
    int64_t expected_steps; /* effort of a Krylov search for a kernel like this one (report.effort);
                             * 0: not known                                                       */
    int64_t n_candidates;   /* kernels that the search looks at; 0: not known                     */
    double fallback_seconds; /* what the job takes by the engine that points are handed over to, as
                              * the driver knows it; 0: there is none                            */
    double look_seconds;     /* a low rank is of use only if the job takes less than this by it; 0:
                              * in any case */
    int64_t operator_jobs;   /* how many jobs will have this operator: with more than one it keeps
                             * what took long to compute; 0: not known                            */
} sri_hint;

typedef struct sri_job {
    sri_engine_problem problem;
    sri_path path;
    sri_request request;
    sri_hint hint;
    /* The sizes that costs are asked for: the operator's, or those of fewer rows. */
    sri_shape shape;
} sri_job;

/* The job with the operator's own shape. */
sri_job sri_job_make(const sri_engine_problem *problem, const sri_path *path,
                     const sri_request *request, const sri_hint *hint);

/* Whether outputs have operators of their own: for engines that know one. */
static inline bool sri_job_differs(const sri_job *job)
{
    return job->problem.coupling || job->problem.scale || job->problem.blend;
}
/* Whether some of these are asked for. */
static inline bool sri_job_needs(const sri_job *job, unsigned need)
{
    return job->request.need & need;
}
/* The filter's last parameter, at the rough end of the path. */
static inline double sri_job_last(const sri_job *job)
{
    return job->path.param[job->path.count - 1];
}
/* The folds of all repeats, 0 where they are not asked for. */
static inline int64_t sri_job_folds(const sri_job *job)
{
    return sri_job_needs(job, SRI_NEED_FOLDS) ? sri_folds_count(&job->problem.folds) : 0;
}
/* How often rows are dealt into folds, 0 where they are not asked for. */
static inline int64_t sri_job_repeats(const sri_job *job)
{
    return sri_job_needs(job, SRI_NEED_FOLDS) ? job->problem.folds.repeats : 0;
}
/* One of them; negative: that which holds no row out. */
static inline sri_fold sri_job_fold(const sri_job *job, int64_t number)
{
    if (number < 0)
        return (sri_fold){.number = -1};
    return sri_folds_at(&job->problem.folds, number);
}
/* The recursions that mask rows keep a column for every fold and output, and T more for the
 * predictor of all rows: column c is output c % T of the predictor without fold c / T. */
static inline int64_t sri_job_columns(const sri_job *job)
{
    return job->problem.T * (sri_job_folds(job) + 1);
}
/* The number of the fold that column c leaves out, -1 for none. */
static inline int64_t sri_job_column_fold(const sri_job *job, int64_t c)
{
    return c / job->problem.T < sri_job_folds(job) ? c / job->problem.T : -1;
}
/* How many points are computed together, so that their outputs make about so many columns. */
static inline int64_t sri_job_group(const sri_job *job, int64_t columns)
{
    const int64_t points = columns / job->problem.T, count = job->path.count;
    return points < 1 ? 1 : points < count ? points : count;
}
/* How many of `width` points there are from the first on. */
static inline int64_t sri_job_points(const sri_job *job, int64_t first, int64_t width)
{
    return job->path.count - first < width ? job->path.count - first : width;
}
/* The rows that train without a fold into `row` (n), which are counted, then those of the fold. */
int64_t sri_job_divide(const sri_job *job, int64_t fold, int64_t *row);
/* The mass of the rows that train without a fold; of all rows for a negative number. */
double sri_job_mass(const sri_job *job, int64_t fold);
/* How many rows a fold holds out in a problem of the job's shape. */
int64_t sri_job_held_out(const sri_job *job, int64_t fold);
/* The projections of unpenalised terms without each fold, newly allocated; NULL where the operator
 * has none. */
specreg_status sri_job_projections_make(specreg_context *ctx, const sri_job *job,
                                        sri_fold_projection **out);
void sri_job_projections_free(const sri_job *job, sri_fold_projection *projections);
/* That without one fold; NULL: none. */
static inline const sri_fold_projection *
sri_job_projection(const sri_job *job, const sri_fold_projection *projections, int64_t fold)
{
    return projections && fold >= 0 && fold < sri_job_folds(job) ? &projections[fold] : NULL;
}

/* KX = the operators of the outputs times X; column c is of output column[c] % T, or c % T where
 * `column` is NULL. */
specreg_status sri_job_apply(specreg_context *ctx, const sri_job *job, int64_t columns,
                             const int64_t *column, const double *X, double *KX);

/* What a cost takes with the threads of now. */
double sri_job_seconds(const sri_job *job, const sri_cost *cost);
/* What products keep of K within half of the budget; 0: they compute it again each time. */
double sri_job_stored_bytes(const sri_job *job);
/* Adds `times` products of K with `columns` columns to the cost, from the stored matrix where
 * `stored`, else from kernel values computed each time. */
void sri_job_product_cost(const sri_job *job, bool stored, double columns, double times,
                          sri_cost *cost);

/* One point of the path; the arrays belong to the engine and last until put() returns. */
typedef struct sri_path_point {
    int64_t index;
    double param;
    const double *alpha;    /* n_centres x T; NULL: see sri_request                              */
    int64_t n_centres;      /* of the operator; the driver tells                                 */
    const double *residual; /* n x T: Y - K alpha - P beta; likewise                             */
    /* p x T, of engines that find them: slopes of a linear kernel, f(x) = slope'x, which have lost
     * no digits in the sum of alpha_i x_i.  NULL: none. */
    const double *slope;
    int64_t n_slopes;
    const double *beta; /* l x T: coefficients of unpenalised terms, with alpha; engines leave it
                         * NULL                                                                  */
    const double *diagonal; /* n: k(x_i, x_i), for rules that ask for it; engines leave it NULL */
    const double *one_minus_h; /* n: 1 - H_ii, or NULL when not asked for                        */
    double raised; /* the eigenvalue of K/mass that unpenalised terms had in 1 - H_ii and df     */
    /* n x T, in place of 1 - H_ii where outputs differ in it: residuals without the row,
     * (y_i - f(x_i)) / (1 - H_ii). */
    const double *loo_residual;
    double df; /* NaN when not asked for */
    /* repeats x n x T: y_i - f(x_i) of the predictor trained without the fold of row i, with the
     * same parameter and its own number of rows in place of n, 0 for rows in no fold; NULL when not
     * asked for. */
    const double *fold_residual;
    /* > 0: this point and those after it, so many in all, are beyond what the engine can do, and
     * left to its fallback; nothing else is set.  The driver (run.c) sees to them, and other sinks
     * never get such a point. */
    int64_t to_fallback;
} sri_path_point;

/* A point of the path with nothing but its parameter. */
static inline sri_path_point sri_job_point(const sri_job *job, int64_t index)
{
    return (sri_path_point){.index = index, .param = job->path.param[index], .df = NAN};
}
/* The held-out residuals of point `index` in those of a path, repeats x n x T each; NULL of NULL,
 * and where they are not asked for. */
static inline const double *sri_job_held_out_at(const sri_job *job, const double *path,
                                                int64_t index)
{
    const int64_t size = sri_job_repeats(job) * job->problem.op->n * job->problem.T;
    return path && size ? path + index * size : NULL;
}
/* The residual of entry k of Y for the predictor trained without its row. */
static inline double sri_point_loo_residual(const sri_path_point *point, int64_t T, int64_t k)
{
    return point->loo_residual ? point->loo_residual[k]
                               : point->residual[k] / point->one_minus_h[k / T];
}

typedef struct sri_sink sri_sink;
struct sri_sink {
    specreg_status (*put)(specreg_context *ctx, sri_sink *self, const sri_path_point *point);
    /* Optional, for jobs with a tolerance: points that are rougher are not wanted any more. */
    bool (*enough)(const sri_sink *self);
};

/* What happened, for the record. */
typedef struct sri_report {
    int64_t steps;   /* iterations or Lanczos steps, the most over the outputs            */
    double bound;    /* krylov: largest defect of a point, relative to |y|                */
    double residual; /* krylov with a preconditioner: the longest y - (K + mu I) alpha, as a
                      * share of |y|, from a product with alpha; 0: none was found            */
    double certain;  /* krylov in a search: bound on the error of the held-out residuals of the best
                     * point, as a share of their root mean square                             */
    int64_t fell_back; /* points where a Cholesky factor gave way to the decomposition         */
    int64_t rank;      /* eig: eigenvalues above rounding; lowrank: columns of the factor      */
    double left;       /* lowrank: the trace that the factor leaves, as a share of that of K   */
    double rounding;   /* in single precision: how far K/mass was off, about                   */
    /* For the hints of later jobs, not for the record.  krylov in a search: its steps, or how many
     * in single precision cost as much; INT64_MAX where another engine had to take over. */
    int64_t effort;
} sri_report;

/* Stores K, for products that follow. */
specreg_status sri_job_prepare(specreg_context *ctx, const sri_job *job, sri_report *report);

#endif
