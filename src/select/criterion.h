/* How wrong predictions are, by the measure that decides between parameters. */
#ifndef SRI_SELECT_CRITERION_H
#define SRI_SELECT_CRITERION_H

#include "select/task.h"

/* Smaller is better; `tie` decides between equal values. */
typedef struct sri_score {
    double value, tie;
    double stderr_; /* of value; NaN when unknown */
    double df;      /* NaN when unknown           */
} sri_score;

bool sri_score_better(const sri_score *a, const sri_score *b); /* a strictly better than b */

specreg_status sri_criterion_parse(specreg_context *ctx, const char *text, sri_criterion *out);
/* The task's criterion, `auto` resolved; an error where it does not suit the problem. */
sri_criterion sri_criterion_of(const sri_task *task);
specreg_status sri_criterion_check(specreg_context *ctx, const sri_task *task);
const char *sri_criterion_name(sri_criterion criterion);
/* A score's value as people know it: an area under a curve is minimised as its negative. */
double sri_criterion_shown(sri_criterion criterion, double value);

/* Labelled rows. */
typedef struct sri_truth {
    const double *Y;        /* n x T                     */
    const int32_t *classes; /* NULL for regression       */
    const double *weight;   /* NULL: all 1               */
} sri_truth;

static inline sri_truth sri_task_truth(const sri_task *task)
{
    return (sri_truth){.Y = task->Y, .classes = task->classes, .weight = task->weight};
}

/* Sums over rows, each with its weight v (times its class's cost). */
typedef struct sri_losses {
    double v, vv; /* v, v^2 */
    struct sri_loss {
        double vx, vvx, vvxx; /* v x, v^2 x, v^2 x^2 */
    } squared, absolute,      /* x: the row's mean squared, mean absolute error         */
        wrong;                /* x: 1 when it is decoded to another class, else 0       */
    double auc;               /* sum of the parts' areas, where there is one            */
    int64_t auc_parts;
} sri_losses;

/* Losses of predictions F (rows ldf apart) of the rows listed (NULL: 0 .. n-1). */
specreg_status sri_losses_add(specreg_context *ctx, const sri_task *task, const double *F,
                              int64_t ldf, const sri_truth *truth, const int64_t *rows, int64_t n,
                              sri_losses *losses);
sri_score sri_losses_score(const sri_task *task, const sri_losses *losses);
/* Of several parts together, losses[f * stride] each; the spread of their own values gives the
 * standard error. */
sri_score sri_losses_pool(const sri_task *task, const sri_losses *losses, int64_t stride,
                          int64_t parts);

#endif
