/* Ways to divide rows into training and validation parts. */
#ifndef SRI_DATA_SPLIT_H
#define SRI_DATA_SPLIT_H

#include "core/context.h"
#include "core/rng.h"

typedef struct sri_split { /* two lists of rows, each ascending */
    int64_t *train, *validate;
    int64_t n_train, n_validate;
} sri_split;

typedef struct sri_splits {
    sri_split *split;
    int64_t count;
} sri_splits;

/* The rows to be dealt out, and what must be respected. */
typedef struct sri_strata {
    int64_t n;
    const int32_t *classes; /* n: each part gets its share of each class; NULL: not stratified */
    int64_t n_classes;
    const int32_t *group; /* n: rows of a group stay together; NULL: each row on its own       */
    int64_t n_groups;
    uint64_t seed;
} sri_strata;

/* How many things there are to deal out: groups, or rows. */
static inline int64_t sri_strata_units(const sri_strata *s)
{
    return s->group ? s->n_groups : s->n;
}

/* The fold of each row, k folds drawn for the `repeat`-th time.  Rows on their own: sizes equal to
 * one, also of each class.  Groups: large ones first, each where it does least harm. */
specreg_status sri_folds_deal(specreg_context *ctx, const sri_strata *s, int64_t k, int64_t repeat,
                              int32_t *fold);
/* The k * repeats splits of such folds, those of a repeat together. */
specreg_status sri_splits_kfold(specreg_context *ctx, const sri_strata *s, int64_t k,
                                int64_t repeats, sri_splits *out);
/* One split that holds out a random `fraction` of the rows, or of the groups as near to it as whole
 * groups come. */
specreg_status sri_splits_holdout(specreg_context *ctx, const sri_strata *s, double fraction,
                                  sri_splits *out);
/* Fails when a split trains without a class or divides a group.  `what` begins the message, `label`
 * names the classes. */
specreg_status sri_splits_check(specreg_context *ctx, const char *what, const sri_strata *s,
                                char *const *label, const sri_splits *splits);
void sri_splits_free(sri_splits *splits);

/* groups.c: the fold of each row, where rows of a group stay together. */
specreg_status sri_groups_deal(specreg_context *ctx, const sri_strata *s, int64_t k, sri_rng *rng,
                               int32_t *fold);
/* 0 for the rows held out, 1 for the others; both sides get a group. */
specreg_status sri_groups_hold(specreg_context *ctx, const sri_strata *s, double fraction,
                               sri_rng *rng, int32_t *part);

#endif
