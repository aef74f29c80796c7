#include "core/urn.h"

void sri_urn_fill(sri_urn *urn, const double *weight)
{
    double sum = 0;
    for (int64_t i = 0; i < urn->n; i++)
        urn->sum[i] = sum += weight[i];
}

/* The first entry whose sum is above a random share of all: one of weight 0 never is. */
int64_t sri_urn_draw(sri_urn *urn)
{
    const double all = urn->n ? urn->sum[urn->n - 1] : 0, at = sri_rng_uniform(&urn->rng) * all;
    int64_t low = 0, high = urn->n - 1;
    if (!(all > 0))
        return -1;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (urn->sum[middle] > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
