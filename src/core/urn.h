/* Draws entries with probabilities that follow weights of 0 or more, one after the other. */
#ifndef SRI_CORE_URN_H
#define SRI_CORE_URN_H

#include "core/rng.h"

typedef struct sri_urn {
    double *sum; /* n: of the weights up to each entry */
    int64_t n;
    sri_rng rng;
} sri_urn;

/* Sets the weights; its `sum` has room for n numbers. */
void sri_urn_fill(sri_urn *urn, const double *weight);
/* -1: all weights are 0. */
int64_t sri_urn_draw(sri_urn *urn);

#endif
