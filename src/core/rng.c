#include "core/rng.h"

#include <math.h>

sri_rng sri_rng_make(uint64_t seed, uint64_t stream)
{
    return (sri_rng){.seed = seed, .stream = stream};
}

/* Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (2011). */
static void philox(sri_rng *r)
{
    uint32_t c[4] = {(uint32_t)r->counter, (uint32_t)(r->counter >> 32), (uint32_t)r->stream,
                     (uint32_t)(r->stream >> 32)};
    uint32_t k0 = (uint32_t)r->seed, k1 = (uint32_t)(r->seed >> 32);
    for (int round = 0; round < 10; round++) {
        const uint64_t a = (uint64_t)0xD2511F53 * c[0], b = (uint64_t)0xCD9E8D57 * c[2];
        const uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k0, (uint32_t)b,
                                  (uint32_t)(a >> 32) ^ c[3] ^ k1, (uint32_t)a};
        for (int i = 0; i < 4; i++)
            c[i] = next[i];
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    for (int i = 0; i < 4; i++)
        r->block[i] = c[i];
    r->counter++;
    r->left = 4;
}

uint64_t sri_rng_next(sri_rng *r)
{
    if (r->left < 2)
        philox(r);
    r->left -= 2;
    return (uint64_t)r->block[r->left + 1] << 32 | r->block[r->left];
}

double sri_rng_uniform(sri_rng *r)
{
    return (double)(sri_rng_next(r) >> 11) * 0x1p-53;
}

double sri_rng_normal(sri_rng *r)
{
    const double radius = sqrt(-2 * log(1 - sri_rng_uniform(r)));
    return radius * cos(6.283185307179586 * sri_rng_uniform(r));
}

int64_t sri_rng_below(sri_rng *r, int64_t bound)
{
    const uint64_t b = (uint64_t)bound, limit = UINT64_MAX - UINT64_MAX % b;
    uint64_t v;
    do
        v = sri_rng_next(r);
    while (v >= limit);
    return (int64_t)(v % b);
}

void sri_rng_shuffle(sri_rng *r, int64_t *v, int64_t n)
{
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t j = sri_rng_below(r, i + 1), t = v[i];
        v[i] = v[j];
        v[j] = t;
    }
}
