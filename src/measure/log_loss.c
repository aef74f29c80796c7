/* The mean of -log of the probability of the true class. */
#include <math.h>

#include "measure/measure.h"

static void losses(const sri_comparison *p, double *x)
{
    for (int64_t i = 0; i < p->n; i++)
        x[i] = -log(p->probability[i * p->n_classes + sri_row_class(p, i)]);
}

const sri_measure sri_measure_log_loss = {
    .info = {.name = "log_loss", .title = "log-loss", .unit = "", .line = 2},
    .uses = SRI_USES_PROBABILITIES,
    .suits = SRI_SUITS_CLASSES,
    .reports = SRI_IN_TEST | SRI_IN_FOLDS,
    .losses = losses,
};
