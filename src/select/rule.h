/* A rule says how good a point of a path is. */
#ifndef SRI_SELECT_RULE_H
#define SRI_SELECT_RULE_H

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

typedef struct sri_rule sri_rule;

typedef struct sri_rule_ops {
    const char *name;
    /* Optional: reads its own keys; the default is to refuse any. */
    specreg_status (*configure)(specreg_context *ctx, sri_rule *self, const sri_spec *spec);
    /* A rule with trials, one with a score from a run over all rows, or neither (none).  One with
     * folds has all three: the search takes the score where an engine gives all folds in one run
     * for less than a run each. */
    specreg_status (*score)(specreg_context *ctx, const sri_rule *self, const sri_task *task,
                            const sri_path_point *point, sri_score *out);
    specreg_status (*trials)(specreg_context *ctx, const sri_rule *self, const sri_task *task,
                             sri_trials *out);
    specreg_status (*folds)(specreg_context *ctx, const sri_rule *self, const sri_task *task,
                            int32_t **fold, int64_t *count);
    unsigned need;         /* what score() asks of the engine           */
    const char *criterion; /* NULL: mse or error_rate, by the problem   */
    const char *key;       /* of its number, in the text and the record */
} sri_rule_ops;

struct sri_rule {
    const sri_rule_ops *ops;
    double number; /* k, fraction        */
    char *path;    /* validation file    */
};

/* Parses the text of --select; "auto" gives ops NULL. */
specreg_status sri_rule_parse(specreg_context *ctx, const char *text, sri_rule *out);
void sri_rule_free(sri_rule *rule);
const char *sri_rule_criterion(const sri_rule *rule, const sri_task *task);
/* Whether score() is exact for this filter (leave-one-out is, for Tikhonov). */
bool sri_rule_exact(const sri_rule *rule, const sri_filter *filter);

/* For rules with one number, `key=NUMBER`: into self->number; any other key is an error. */
specreg_status sri_rule_number(specreg_context *ctx, sri_rule *self, const sri_spec *spec);
/* How many folds kfold makes of n rows. */
int64_t sri_rule_folds(const sri_rule *rule, int64_t n);

/* Splits of n rows from a file: a line lists the training rows, 0-based; the others validate. */
specreg_status sri_splits_read(specreg_context *ctx, const char *path, int64_t n, sri_splits *out);
/* Trials from splits of the task's own rows. */
specreg_status sri_trials_from_splits(specreg_context *ctx, const sri_task *task,
                                      const sri_splits *splits, sri_trials *out);
void sri_trials_free(sri_trials *trials);

extern const sri_rule_ops sri_rule_loo, sri_rule_gcv, sri_rule_kfold, sri_rule_holdout,
    sri_rule_file, sri_rule_splits, sri_rule_none;

#endif
