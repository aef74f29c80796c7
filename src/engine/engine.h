/* An engine computes the coefficients of a whole path,
 *
 *     alpha(param) = (1/n) g_param(K/n) Y,
 *
 * and hands them to a sink one by one, with what selection rules ask for.  With sample weights n
 * stands for the operator's mass throughout. */
#ifndef SRI_ENGINE_ENGINE_H
#define SRI_ENGINE_ENGINE_H

#include "engine/machine.h"
#include "filter/filter.h"
#include "op/op.h"

enum {
    SRI_NEED_SLACK = 1,   /* 1 - H_ii for every row, H = (K/n) g(K/n) */
    SRI_NEED_DF = 2,      /* tr H                                      */
    SRI_NEED_FOLDS = 4,   /* residuals of machines trained without a row's fold */
    SRI_NEED_DIAGONAL = 8 /* k(x_i, x_i): the search adds it to the points, engines ignore it */
};
/* The part of a need that is an engine's affair. */
enum { SRI_NEED_OF_ENGINE = SRI_NEED_SLACK | SRI_NEED_DF | SRI_NEED_FOLDS };

/* Outputs whose operators lie on a line between two: share[t] op + (1 - share[t]) other. */
typedef struct sri_blend {
    sri_op *other;
    const double *share; /* T */
} sri_blend;

typedef struct sri_job {
    sri_op *op;
    const double *Y; /* n x T, row-major */
    int64_t T;
    const sri_filter *filter;
    const double *param; /* smooth to rough */
    int64_t count;
    unsigned need;
    /* For SRI_NEED_FOLDS, repeats x n: the fold of each row, 0 .. folds-1, or -1: in none. */
    const int32_t *fold;
    int64_t folds, repeats;
    int64_t memory;             /* budget in bytes */
    const sri_machine *machine; /* NULL: built-in rates */
    /* For folds in a search: > 0 lets an engine hand on held-out residuals alone, without alpha,
     * with an error of at most this share of their root mean square; 0: all to rounding. */
    double tolerance;
    /* Effort of a Krylov search for a kernel like this one (report.effort); 0: unknown. */
    int64_t steps;
    int64_t kernels; /* that the search looks at; 0: not known */
    /* For folds: who asks trains the winner by itself, so that an engine whose coefficients cost a
     * machine of their own may leave alpha out.  The residuals are those to rounding all the
     * same. */
    bool held_alone;
    /* What the outputs have to do with each other, every row having all of them; NULL: nothing. */
    const sri_coupling *coupling;
    /* T: the operator of output t is scale[t] K.  From sri_engine_run, for jobs with a coupling. */
    const double *scale;
    bool again; /* other jobs with this operator will follow: what is dear may stay there */
    const sri_blend *blend; /* NULL: the operator is `op` for all outputs */
} sri_job;

/* One point of the path; the arrays belong to the engine and last until put() returns. */
typedef struct sri_path_point {
    int64_t index;
    double param;
    const double *alpha;    /* n x T; NULL: see job.tolerance and job.held_alone */
    const double *residual; /* n x T: Y - K alpha - P beta; likewise */
    const double *beta; /* l x T: coefficients of the operator's features, with alpha; engines leave
                             * it NULL */
    const double *diagonal; /* n: k(x_i, x_i), for rules that ask for it; engines leave it NULL */
    const double *slack;    /* n, or NULL when not asked for  */
    double raised; /* the eigenvalue of K/mass that the operator's features had in slack and df */
    /* n x T, in place of slack where outputs differ in it: residuals without the row,
     * (y_i - f(x_i)) / (1 - H_ii). */
    const double *left_out;
    double df; /* NaN when not asked for         */
    /* repeats x n x T: y_i - f(x_i) of the machine trained without the fold of row i, with the
     * same parameter and its own number of rows in place of n, 0 for rows in no fold; NULL when not
     * asked for. */
    const double *fold_residual;
} sri_path_point;

/* What a machine trained without its row says of entry k of Y, as a residual. */
static inline double sri_point_left_out(const sri_path_point *point, int64_t T, int64_t k)
{
    return point->left_out ? point->left_out[k] : point->residual[k] / point->slack[k / T];
}

typedef struct sri_sink sri_sink;
struct sri_sink {
    specreg_status (*put)(specreg_context *ctx, sri_sink *self, const sri_path_point *point);
    /* Optional, for jobs with a tolerance: points that are rougher are not wanted any more. */
    bool (*enough)(const sri_sink *self);
};

/* The sets of rows to leave out: fold f of repeat r is part r * folds + f. */
static inline int64_t sri_job_parts(const sri_job *job)
{
    return job->need & SRI_NEED_FOLDS ? job->folds * job->repeats : 0;
}
/* The folds of the repeat that a part belongs to, and its number there. */
static inline const int32_t *sri_job_folds(const sri_job *job, int64_t part)
{
    return job->fold + part / job->folds * job->op->n;
}
static inline int32_t sri_job_fold(const sri_job *job, int64_t part)
{
    return (int32_t)(part % job->folds);
}
/* The recursions that mask rows keep a column for every part and output, and T more for the machine
 * of all rows: column c is output c % T of the machine without part c / T. */
static inline int64_t sri_job_columns(const sri_job *job)
{
    return job->T * (sri_job_parts(job) + 1);
}
/* The part that column c leaves out, -1 for none. */
static inline int64_t sri_job_part(const sri_job *job, int64_t c)
{
    return c / job->T < sri_job_parts(job) ? c / job->T : -1;
}
/* The weight of the rows that train without a part; their number where there are no weights. */
double sri_job_mass(const sri_job *job, int64_t part);

/* What happened, for the record. */
typedef struct sri_report {
    int64_t steps;     /* iterations or Lanczos steps, the most over the outputs  */
    double bound;      /* krylov: largest defect of a point, relative to |y|      */
    double certain;    /* krylov in a search: bound on the error of the held residuals of the best
                      * point, as a share of their root mean square                 */
    int64_t fell_back; /* points where a Cholesky factor gave way to the decomposition */
    int64_t rank;      /* eig: eigenvalues above rounding; lowrank: columns of the factor */
    double left;       /* lowrank: the trace that the factor leaves, as a share of that of K */
    double rounding;   /* with op->single: how far K/mass was off, about          */
    /* For what comes next, not for the record.  krylov in a search: its steps, or how many in
     * single precision cost as much; INT64_MAX where another engine had to take over. */
    int64_t effort;
} sri_report;

typedef struct sri_engine {
    const char *name;
    bool reports_rank; /* it approximates K: its rank and what that leaves are worth telling */
    /* NULL when the engine can do the job, else why not, in words. */
    const char *(*refuses)(const sri_job *job);
    sri_cost (*cost)(const sri_job *job);
    specreg_status (*run)(specreg_context *ctx, const sri_job *job, sri_sink *sink,
                          sri_report *report);
} sri_engine;

extern const sri_engine sri_engine_eig, sri_engine_primal, sri_engine_lowrank, sri_engine_cholesky,
    sri_engine_band, sri_engine_krylov, sri_engine_iterate;

/* What a cost takes with the threads of now, and the part of it that is kernel values. */
double sri_job_seconds(const sri_job *job, const sri_cost *cost);
double sri_job_value_seconds(const sri_job *job, const sri_cost *cost);
/* What products keep of K within half of the budget; 0: they compute it again each time. */
double sri_job_stored_bytes(const sri_job *job);
/* Keeps it, for products that follow. */
specreg_status sri_job_prepare(specreg_context *ctx, const sri_job *job, sri_report *report);
/* A product of K with so many columns, so many times, from the stored matrix where `stored`, else
 * from kernel values computed each time. */
void sri_cost_products(sri_cost *cost, const sri_job *job, bool stored, double columns,
                       double times);

/* Why an engine cannot do a job, in words, or NULL: what it says itself, and what holds for all. */
const char *sri_engine_refuses(const sri_engine *engine, const sri_job *job);
/* The cheapest engine that can do the job within its memory, or the one asked for by name.
 * `why` (>= 200 bytes, may be NULL) gets the reason in words. */
specreg_status sri_engine_choose(specreg_context *ctx, const char *name, const sri_job *job,
                                 const sri_engine **out, char *why);
/* What the cheapest of them takes, or the one asked for; infinite where none can do it. */
double sri_engine_seconds(const char *name, const sri_job *job);
/* Runs it; where the operator has weights or features, on S W^(1/2) Y, and hands coefficients and
 * residuals on as those of the problem itself. */
specreg_status sri_engine_run(specreg_context *ctx, const sri_engine *engine, const sri_job *job,
                              sri_sink *sink, sri_report *report);
/* The same for a job with a coupling. */
specreg_status sri_coupled_run(specreg_context *ctx, const sri_engine *engine, const sri_job *job,
                               sri_sink *sink, sri_report *report);
/* Where the operator is S W^(1/2) K W^(1/2) S': Y is W^(1/2) Y.  Engines see K of order n, with
 * eigenvalue 0 for each feature, and S Y; projected.c makes coefficients of a, and leverages and
 * degrees of freedom of the whole. */
specreg_status sri_projected_run(specreg_context *ctx, const sri_engine *engine, const sri_job *job,
                                 sri_sink *sink, sri_report *report);
/* Whether outputs have operators of their own: for engines that know one. */
static inline bool sri_job_differs(const sri_job *job)
{
    return job->coupling || job->scale || job->blend;
}
/* The features of each part, newly allocated; NULL where the operator has none. */
specreg_status sri_job_features_make(specreg_context *ctx, const sri_job *job,
                                     sri_part_projection **out);
void sri_job_features_free(const sri_job *job, sri_part_projection *features);
/* Those of one part; NULL: none. */
static inline const sri_part_projection *
sri_job_features(const sri_job *job, const sri_part_projection *features, int64_t part)
{
    return features && part >= 0 && part < sri_job_parts(job) ? &features[part] : NULL;
}
/* KX = the operators of the outputs times X; column c is of output column[c] % T, or c % T where
 * `column` is NULL. */
specreg_status sri_job_apply(specreg_context *ctx, const sri_job *job, int64_t columns,
                             const int64_t *column, const double *X, double *KX);
const sri_engine *sri_engine_at(int index); /* the list; NULL at its end */
/* Checks the name alone ("auto" or an engine's). */
specreg_status sri_engine_name_check(specreg_context *ctx, const char *name);

#endif
