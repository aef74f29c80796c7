/* A rule says how good a point of a path is. */
#ifndef SRI_SELECT_RULE_H
#define SRI_SELECT_RULE_H

#include "core/param.h"
#include "core/spec.h"
#include "data/split.h"
#include "engine/engine.h"
#include "select/criterion.h"

/* Train on some rows, look at others. */
typedef struct sri_trial {
    sri_subproblem own; /* freed with the trial, where the rows that train are its own */
    sri_problem train;
    sri_sample validate;
    int64_t *row; /* of each row that validates in the problem; NULL: it is from elsewhere */
} sri_trial;

typedef struct sri_trials {
    sri_trial *trial;
    int64_t count;
} sri_trials;

/* A whole path trained on all rows, smooth to rough. */
typedef struct sri_trace {
    const sri_problem *problem;
    int64_t count;
    const double *param;    /* count                                        */
    const double *alpha;    /* count x n x T: the centres are the rows      */
    const double *residual; /* count x n x T: Y - K alpha                   */
    const double *df;       /* count; NaN where the filter is not linear in y */
} sri_trace;

enum { SRI_RULE_PARAMS = 4 };

typedef struct sri_rule sri_rule;
struct sri_search_spec;
struct sri_search_result;

/* How a rule judges where rows are known by sums alone (src/sums): not at all; by parts that
 * are held out; by rows left out one by one, which takes a second look at them; by the training
 * error and df; or it has nothing to judge. */
typedef enum sri_by_sums {
    SRI_SUMS_NEVER,
    SRI_SUMS_HELD_OUT,
    SRI_SUMS_LEFT_OUT,
    SRI_SUMS_TRAINING,
    SRI_SUMS_NOTHING
} sri_by_sums;

typedef struct sri_rule_ops {
    const char *name;
    const char *title;       /* for people; NULL: the name                  */
    const sri_param *params; /* its numbers, key=NUMBER                     */
    int n_params;
    bool takes_path;    /* name:FILE in place of numbers                       */
    bool path_optional; /* the name alone will do                           */
    bool derives;       /* it takes derivatives along the path: not for filters that cut off */
    bool noise;         /* its first number is the noise; NaN: estimated, which takes df */
    /* Optional: numbers that do not go together. */
    specreg_status (*check)(specreg_context *ctx, const sri_rule *self);
    /* A rule with trials, one with a score from a run over all rows, one that chooses along a whole
     * path, or none of them (none).  One with folds has trials and a score: the search takes the
     * score where an engine gives all folds in one run for less than a run each.  One with a fixed
     * parameter has a path of one point; its score compares kernels only. */
    specreg_status (*score)(specreg_context *ctx, const sri_rule *self, const sri_problem *problem,
                            const sri_path_point *point, sri_score *out);
    specreg_status (*trials)(specreg_context *ctx, const sri_rule *self, const sri_problem *problem,
                             sri_trials *out);
    /* Optional: rows that train and validate, of rules whose trials divide the problem's own. */
    specreg_status (*splits)(specreg_context *ctx, const sri_rule *self, const sri_problem *problem,
                             sri_splits *out);
    /* Optional: a protocol of several searches in place of one. */
    specreg_status (*search)(specreg_context *ctx, const sri_problem *problem,
                             const struct sri_search_spec *spec, struct sri_search_result *out);
    /* Which point of a path to take, and each point's value for the table. */
    specreg_status (*choose)(specreg_context *ctx, const sri_rule *self, const sri_trace *trace,
                             sri_score *score, int64_t *chosen);
    /* The one parameter to take, from the number of rows and kappa^2; the filter is prepared. */
    double (*fixed)(const sri_rule *self, const sri_filter *filter, int64_t n, double kappa2);
    /* Optional: how many of its splits, one after the other, are the folds of a repeat. */
    int64_t (*folds)(const sri_rule *self, const sri_problem *problem);
    /* Optional: number i of params as it is in force for these rows; else rule->param[i]. */
    double (*number)(const sri_rule *self, const sri_problem *problem, int i);
    /* Optional: of n rows those that train; else all, or all but those of a fold. */
    int64_t (*trains)(const sri_rule *self, int64_t n);
    sri_by_sums by_sums;
    bool numbers_rows;           /* its file lists rows of the table by number  */
    bool bounds_errors;          /* it is the bound on leave-one-out errors     */
    unsigned need;               /* what score() or choose() asks of the engine */
    const char *criterion;       /* NULL: the problem's                            */
    const char *criterion_title; /* for people; NULL: the criterion's name     */
    bool negative;               /* its values are shown with the other sign    */
    bool leaves_rows_out;        /* one by one, so that groups cannot stay together           */
    bool exact_for_one_system;   /* score() is exact for filters with that, else about right */
} sri_rule_ops;

struct sri_rule {
    const sri_rule_ops *ops;
    double param[SRI_RULE_PARAMS]; /* NaN: to be found from the data */
    char *path;                    /* validation file, splits        */
};

/* Parses the text of --select; "auto" gives ops NULL. */
specreg_status sri_rule_parse(specreg_context *ctx, const char *text, sri_rule *out);
/* The rule `ops` with the default numbers. */
void sri_rule_defaults(sri_rule *rule, const sri_rule_ops *ops);
/* kfold.c: a fold for each row. */
sri_rule sri_rule_row_by_row(const sri_problem *problem);
void sri_rule_free(sri_rule *rule);
const char *sri_rule_criterion(const sri_rule *rule, const sri_problem *problem);
/* Whether it judges parameters at all. */
bool sri_rule_judges(const sri_rule *rule);
/* Whether it goes by the problem's criterion, not by a measure of its own. */
bool sri_rule_by_criterion(const sri_rule *rule);
/* A score's value as people know it. */
double sri_rule_shown(const sri_rule *rule, const sri_problem *problem, double value);
/* Whether score() is exact for this filter (leave-one-out and its bound are, for Tikhonov). */
bool sri_rule_exact(const sri_rule *rule, const sri_filter *filter);
/* What a search over so many kernels needs.  Rules that look at one path each leave the choice of
 * the kernel to GCV, which needs df; where the filter has none, none is asked for. */
unsigned sri_rule_need(const sri_rule *rule, const sri_filter *filter, int64_t kernels);

/* What splits of the problem's rows must respect. */
static inline sri_strata sri_problem_strata(const sri_problem *problem)
{
    return (sri_strata){.n = problem->n,
                        .classes = problem->classes,
                        .n_classes = problem->n_classes,
                        .group = problem->rows.group,
                        .n_groups = problem->rows.n_groups,
                        .seed = problem->resources.seed};
}

/* The score of held-out residuals, all folds together. */
specreg_status sri_folds_score(specreg_context *ctx, const sri_rule *self,
                               const sri_problem *problem, const sri_path_point *point,
                               sri_score *out);
/* The trials of a rule that has splits. */
specreg_status sri_rule_trials(specreg_context *ctx, const sri_rule *self,
                               const sri_problem *problem, sri_trials *out);
/* The folds of a rule that has them, in the order of its trials: of_row, newly allocated, is -1 for
 * rows that no split of a repeat validates. */
specreg_status sri_rule_folds(specreg_context *ctx, const sri_rule *rule,
                              const sri_problem *problem, int32_t **of_row, sri_folds *out);
/* Number i of the rule's params as it is in force. */
double sri_rule_number(const sri_rule *rule, const sri_problem *problem, int i);
/* Splits from a file: a line lists the training rows of a table, 0-based; the others validate.
 * They are splits of the problem's rows, numbered anew. */
specreg_status sri_splits_read(specreg_context *ctx, const char *path, const sri_problem *problem,
                               sri_splits *out);
/* Trials from splits of the problem's own rows.  A split that trains without a class, or divides a
 * group, is an error. */
specreg_status sri_trials_from_splits(specreg_context *ctx, const sri_problem *problem,
                                      const sri_splits *splits, sri_trials *out);
void sri_trials_free(sri_trials *trials);

static inline double sri_problem_weight(const sri_problem *problem, int64_t i)
{
    return problem->rows.weight ? problem->rows.weight[i] : 1;
}
double sri_problem_total_weight(const sri_problem *problem);
/* The mean of the squares over all n T entries, rows by their weights. */
double sri_mean_square(const sri_problem *problem, const double *residual);
/* GCV of residuals with df degrees of freedom; NaN where none are left, or df is unknown. */
double sri_gcv(const sri_problem *problem, const double *residual, double df);
/* The same for point i; NaN also where df is more than n/2, as it says little there. */
double sri_trace_gcv(const sri_trace *trace, int64_t i);
/* The residuals of point i, n x T. */
static inline const double *sri_trace_residual(const sri_trace *trace, int64_t i)
{
    return trace->residual + i * trace->problem->n * trace->problem->T;
}
/* A row of the table for point i. */
sri_score sri_trace_score(const sri_trace *trace, int64_t i, double value);
/* The noise as the rule was told, or its standard deviation as the path shows it. */
specreg_status sri_trace_noise(specreg_context *ctx, const sri_rule *rule, const sri_trace *trace,
                               double *noise);
/* |f_i - f_j|^2 in the norm of the kernel's space; 0 where it is not above rounding. */
double sri_trace_distance2(const sri_trace *trace, int64_t i, int64_t j);
/* The points that are models of their own into `kept`: finite, not the one before to rounding, and
 * with df up to n/2, or any df where there are not `least` of those.  How many there are. */
int64_t sri_trace_distinct(const sri_trace *trace, int64_t least, int64_t *kept);
/* How far point i lies along the path: |log param_i - log param_0|. */
double sri_trace_position(const sri_trace *trace, int64_t i);

#define RULE(name) extern const sri_rule_ops sri_rule_##name;
#include "select/rules.def"
#undef RULE
/* gcv's own score, which apriori compares kernels by. */
specreg_status sri_gcv_score(specreg_context *ctx, const sri_rule *self, const sri_problem *problem,
                             const sri_path_point *point, sri_score *out);

#endif
