/* The predictors of a kernel's path, from its sums: trained on all rows, and without each judged
 * fold. */
#ifndef SRI_SUMS_TRAIN_H
#define SRI_SUMS_TRAIN_H

#include "sums/candidate.h"

/* Fills the paths of a candidate, its leverages where rows are left out one by one, and, where
 * `losses` (judged x count) is not NULL, the squared errors of each fold's rows. */
specreg_status sri_sums_train(specreg_context *ctx, const sri_sums_judging *s,
                              sri_sums_candidate *c, sri_losses *losses);

#endif
