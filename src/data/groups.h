/* Dealing out whole groups of rows. */
#ifndef SRI_DATA_GROUPS_H
#define SRI_DATA_GROUPS_H

#include "core/rng.h"
#include "data/split.h"

/* The fold of each row. */
specreg_status sri_groups_deal(specreg_context *ctx, const sri_strata *s, int64_t k, sri_rng *rng,
                               int32_t *fold);
/* 0 for the rows held out, 1 for the others; both sides get a group. */
specreg_status sri_groups_hold(specreg_context *ctx, const sri_strata *s, double fraction,
                               sri_rng *rng, int32_t *part);

#endif
