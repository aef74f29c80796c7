/* Into which parts the rows are divided that have sums of their own, and which parts train which
 * outputs.
 *
 * Parts are folds.  Where outputs train on some classes only, as those of one against one do, they
 * are the classes within each fold: part fold * classes + class. */
#ifndef SRI_SUMS_PARTS_H
#define SRI_SUMS_PARTS_H

#include "coding/groups.h"
#include "select/problem.h"
#include "sums/sums.h"

typedef struct sri_sums_parts {
    sri_arena memory;
    int64_t folds;
    int64_t classes; /* with parts of their own in each fold; 1: all classes together */
    int64_t groups;  /* of outputs that train on the same classes; 1: all outputs     */
    sri_output_group *group;
    int64_t *outputs_of; /* classes: how many outputs each trains */
} sri_sums_parts;

specreg_status sri_parts_make(specreg_context *ctx, const sri_problem *problem, int64_t folds,
                              sri_sums_parts *out);
void sri_parts_free(sri_sums_parts *parts);
static inline int64_t sri_parts_count(const sri_sums_parts *parts)
{
    return parts->folds * parts->classes;
}
/* Rows of a fold. */
int64_t sri_parts_rows(const sri_sums_parts *parts, const sri_sums *sums, int64_t fold);
/* in[p] for every part: whether it trains a group without a fold; fold -1: without none. */
void sri_parts_training(const sri_sums_parts *parts, int64_t group, int64_t without, bool *in);
/* Whether the rows of a class, which is that of a part, train a group. */
static inline bool sri_parts_trains(const sri_sums_parts *parts, int64_t group, int64_t class)
{
    return parts->classes == 1 || parts->group[group].trains[class];
}
/* What is left of sums M, in place, and of their layout, without the targets of other groups. */
sri_sums_layout sri_parts_pick(const sri_sums_parts *parts, int64_t group,
                               const sri_sums_layout *at, double *M);

#endif
