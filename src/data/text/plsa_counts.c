/* The counts that topics are learned from: whether they are counts, and which are held out. */
#include <math.h>

#include "core/memory.h"
#include "core/rng.h"
#include "data/text/plsa_sweep.h"

specreg_status sri_plsa_check(specreg_context *ctx, const sri_matrix *counts)
{
    const double most = 1e15; /* sums of products of such numbers are far from the largest */
    for (int64_t d = 0; d < counts->n; d++)
        for (int64_t i = counts->start[d]; i < counts->start[d + 1]; i++) {
            const double value = counts->value[i];
            if (!(value >= 0 && value <= most))
                return sri_fail(ctx, SPECREG_E_NUMERIC,
                                "row %lld, column %lld: %g is no count, which is from 0 to %g",
                                (long long)d + 1, (long long)counts->index[i] + 1, value, most);
        }
    return SPECREG_OK;
}

specreg_status sri_plsa_hold_out(specreg_context *ctx, const sri_matrix *counts, double share,
                                 uint64_t seed, double *train, double *held)
{
    specreg_status st = SPECREG_OK;
    const int64_t entries = counts->start[counts->n];
    sri_rng rng = sri_rng_make(seed, SRI_STREAM_TOPICS_HELD);
    double *left = NULL, sum = 0; /* left: of each word, for training */
    SRI_CALLOC(ctx, left, counts->p, 1);
    for (int64_t i = 0; i < entries; i++) {
        const double c = counts->value[i], unit = c < 1 ? c : 1;
        const double taken = unit * floor((c < 1 ? 1 : c) * share + sri_rng_uniform(&rng));
        held[i] = taken < c ? taken : c;
        train[i] = c - held[i];
        left[counts->index[i]] += train[i];
    }
    for (int64_t i = 0; i < entries; i++) {
        if (left[counts->index[i]] == 0) {
            train[i] = counts->value[i];
            held[i] = 0;
        }
        sum += held[i];
    }
    SRI_REQUIRE(ctx, sum > 0, SPECREG_E_NUMERIC,
                "held-out=%g takes none of so few counts: give a larger share, or 0", share);
done:
    sri_free(left);
    return st;
}
