/* Counter-based random numbers (Philox 4x32-10): the value at (seed, stream, counter) depends on
 * nothing else, so results do not depend on the number of threads or the order of calls. */
#ifndef SRI_CORE_RNG_H
#define SRI_CORE_RNG_H

#include <stdint.h>

typedef struct sri_rng {
    uint64_t seed, stream, counter;
    uint32_t block[4];
    int left; /* unused words of the block */
} sri_rng;

/* Streams keep uses apart: one number per purpose. */
enum {
    SRI_STREAM_FOLDS = 1,
    SRI_STREAM_HOLDOUT,
    SRI_STREAM_DISTANCES,
    SRI_STREAM_TEST,
    SRI_STREAM_START,
    SRI_STREAM_PRECONDITIONER,
    SRI_STREAM_CODEWORDS,
    SRI_STREAM_PERMUTATIONS,
    SRI_STREAM_TOPICS = 16,
    SRI_STREAM_TOPICS_HELD,
    SRI_STREAM_SAMPLE = 32,
    SRI_STREAM_CENTRES,
    SRI_STREAM_PORTRAIT
};

sri_rng sri_rng_make(uint64_t seed, uint64_t stream);
uint64_t sri_rng_next(sri_rng *r);
double sri_rng_uniform(sri_rng *r);               /* [0, 1) */
double sri_rng_normal(sri_rng *r);                /* N(0, 1) */
int64_t sri_rng_below(sri_rng *r, int64_t bound); /* 0 .. bound-1, unbiased */
void sri_rng_shuffle(sri_rng *r, int64_t *v, int64_t n);

#endif
