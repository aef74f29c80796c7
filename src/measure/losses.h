/* Scores of path points: a measure over rows that were held out, and its standard error. */
#ifndef SRI_MEASURE_LOSSES_H
#define SRI_MEASURE_LOSSES_H

#include "measure/measure.h"

/* Smaller is better: of a measure that is made large `value` is the negative.  `tie`, the squared
 * error, decides between equal values. */
typedef struct sri_score {
    double value, tie;
    double stderr_; /* of value; NaN when unknown */
    double df;      /* NaN when unknown           */
} sri_score;

bool sri_score_better(const sri_score *a, const sri_score *b); /* a strictly better than b */

/* What a fold's rows say of one measure. */
typedef struct sri_losses {
    struct sri_loss {
        double v, vv, vx, vvx, vvxx; /* sums of v, v^2, v x, v^2 x, v^2 x^2: weights v, losses x */
    } squared, own;                  /* of the squared errors, and of the measure's own losses */
    double values;                   /* sum of the folds' values, where rows have no losses */
    int64_t folds;                   /* that have a value                                   */
} sri_losses;

/* The weighted mean. */
static inline double sri_loss_mean(const struct sri_loss *loss)
{
    return loss->vx / loss->v;
}

/* Adds the losses of rows of one fold; labels and scores that `p` lacks are made in it. */
specreg_status sri_measure_add(specreg_context *ctx, const sri_measure *measure, sri_comparison *p,
                               sri_losses *losses);
/* Adds those of other rows of the same fold. */
void sri_losses_join(sri_losses *all, const sri_losses *more);
sri_score sri_measure_score(const sri_measure *measure, const sri_losses *losses);
/* Of several folds together, losses[f * stride] each; the spread of their own values gives the
 * standard error. */
sri_score sri_measure_pool(const sri_measure *measure, const sri_losses *losses, int64_t stride,
                           int64_t folds);

#endif
