/* Random numbers of the experiments: counter-based, the same on every computer. */
#include <math.h>

#include "experiment.h"

/* The finalizer of SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);

exp_random exp_random_for(uint64_t seed, int64_t a, int64_t b, int64_t c, int64_t d)
{
    const int64_t part[] = {a, b, c, d};
    uint64_t key = mix(seed + odd);
    for (int i = 0; i < 4; i++)
        key = mix(key + odd * (uint64_t)(part[i] + 1));
    return (exp_random){.key = key};
}

static uint64_t next(exp_random *r)
{
    return mix(r->key + odd * ++r->count);
}

double exp_uniform(exp_random *r)
{
    return ((double)(next(r) >> 11) + 0.5) * 0x1p-53;
}

double exp_normal(exp_random *r)
{
    const double radius = sqrt(-2.0 * log(exp_uniform(r)));
    return radius * cos(2.0 * 3.14159265358979323846 * exp_uniform(r));
}

/* Fisher and Yates. */
void exp_shuffle(exp_random *r, int64_t *list, int64_t count)
{
    for (int64_t i = count - 1; i > 0; i--) {
        const int64_t k = (int64_t)(exp_uniform(r) * (double)(i + 1)), kept = list[i];
        list[i] = list[k];
        list[k] = kept;
    }
}
