/* Ways to divide rows into training and validation parts. */
#ifndef SRI_DATA_SPLIT_H
#define SRI_DATA_SPLIT_H

#include "core/context.h"

typedef struct sri_split { /* two lists of rows, each ascending */
    int64_t *train, *validate;
    int64_t n_train, n_validate;
} sri_split;

typedef struct sri_splits {
    sri_split *split;
    int64_t count;
} sri_splits;

/* k folds of random rows, sizes equal to one; `classes` (or NULL) stratifies them: each fold gets
 * its share of each class. */
specreg_status sri_splits_kfold(specreg_context *ctx, int64_t n, int64_t k, const int32_t *classes,
                                int64_t n_classes, uint64_t seed, sri_splits *out);
/* One split that holds out a random `fraction` of the rows, stratified likewise. */
specreg_status sri_splits_holdout(specreg_context *ctx, int64_t n, double fraction,
                                  const int32_t *classes, int64_t n_classes, uint64_t seed,
                                  sri_splits *out);
void sri_splits_free(sri_splits *splits);

#endif
