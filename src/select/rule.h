/* A rule says how good a point of a path is. */
#ifndef SRI_SELECT_RULE_H
#define SRI_SELECT_RULE_H

#include "core/param.h"
#include "core/spec.h"
#include "data/split.h"
#include "engine/engine.h"
#include "select/task.h"

/* Train on some rows, look at others. */
typedef struct sri_trial {
    const sri_points *train;
    sri_points *own_train;   /* freed with the trial, when not the task's */
    double *own_Y;
    const double *Y;         /* training targets                          */
    sri_sample validate;
} sri_trial;

typedef struct sri_trials {
    sri_trial *trial;
    int64_t count;
} sri_trials;

/* A whole path trained on all rows, smooth to rough. */
typedef struct sri_trace {
    int64_t count;
    const double *param;    /* count                                        */
    const double *alpha;    /* count x n x T                                */
    const double *residual; /* count x n x T: Y - K alpha                   */
    const double *df;       /* count; NaN where the filter is not linear in y */
} sri_trace;

enum { SRI_RULE_PARAMS = 4 };

typedef struct sri_rule sri_rule;

typedef struct sri_rule_ops {
    const char *name;
    const sri_param *params; /* its numbers, key=NUMBER                     */
    int n_params;
    bool takes_path; /* name:FILE in place of numbers                       */
    /* Optional: numbers that do not go together. */
    specreg_status (*check)(specreg_context *ctx, const sri_rule *self);
    /* A rule with trials, one with a score from a run over all rows, one that chooses along a whole
     * path, or none of them (none).  One with folds has trials and a score: the search takes the
     * score where an engine gives all folds in one run for less than a run each. */
    specreg_status (*score)(specreg_context *ctx, const sri_rule *self, const sri_task *task,
                            const sri_path_point *point, sri_score *out);
    specreg_status (*trials)(specreg_context *ctx, const sri_rule *self, const sri_task *task,
                             sri_trials *out);
    /* Which point of a path to take, and each point's value for the table. */
    specreg_status (*choose)(specreg_context *ctx, const sri_rule *self, const sri_task *task,
                             const sri_trace *trace, sri_score *score, int64_t *chosen);
    /* The fold of each row, 0 .. folds - 1, for each repeat: fold is repeats x n, newly allocated.
     * trials() gives folds * repeats trials in that order. */
    specreg_status (*folds)(specreg_context *ctx, const sri_rule *self, const sri_task *task,
                            int32_t **fold, int64_t *folds, int64_t *repeats);
    unsigned need;         /* what score() or choose() asks of the engine */
    const char *criterion; /* NULL: mse or error_rate, by the problem     */
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
void sri_rule_free(sri_rule *rule);
const char *sri_rule_criterion(const sri_rule *rule, const sri_task *task);
/* Whether score() is exact for this filter (leave-one-out is, for Tikhonov). */
bool sri_rule_exact(const sri_rule *rule, const sri_filter *filter);

/* What splits of the task's rows must respect. */
static inline sri_strata sri_task_strata(const sri_task *task)
{
    return (sri_strata){.n = task->n,
                        .classes = task->classes,
                        .n_classes = task->n_classes,
                        .group = task->group,
                        .n_groups = task->n_groups,
                        .seed = task->seed};
}

/* How many folds kfold makes: 5 unless told, or as many as there are rows or groups. */
int64_t sri_rule_folds(const sri_rule *rule, const sri_strata *s);
/* The splits of kfold, folds * repeats. */
specreg_status sri_rule_kfold_splits(specreg_context *ctx, const sri_rule *rule,
                                     const sri_strata *s, sri_splits *out);

/* Splits from a file: a line lists the training rows of a table, 0-based; the others validate.
 * `keep` lists the n of its rows that are used: the splits are of those, numbered anew. */
specreg_status sri_splits_read(specreg_context *ctx, const char *path, int64_t table_rows,
                               const int64_t *keep, int64_t n, sri_splits *out);
/* Trials from splits of the task's own rows.  A split that trains without a class, or divides a
 * group, is an error. */
specreg_status sri_trials_from_splits(specreg_context *ctx, const sri_task *task,
                                      const sri_splits *splits, sri_trials *out);
void sri_trials_free(sri_trials *trials);

extern const sri_rule_ops sri_rule_loo, sri_rule_gcv, sri_rule_kfold, sri_rule_holdout,
    sri_rule_file, sri_rule_splits, sri_rule_none;

#endif
