/* linear: k(x, z) = <x, z>. */
#include "kernel/kernel.h"

static sri_pair pair(const sri_kernel_term *self)
{
    (void)self;
    return SRI_PAIR_DOT;
}

static sri_map map(const sri_kernel_term *self)
{
    (void)self;
    return (sri_map){.kind = SRI_MAP_IDENTITY};
}

static double rank(const sri_kernel_term *self, int64_t p)
{
    (void)self;
    return (double)p;
}

const sri_kernel_ops sri_kernel_linear = {
    .name = "linear",
    .formula = "<x,z>",
    .pair = pair,
    .map = map,
    .rank = rank,
    .linear = true,
};
