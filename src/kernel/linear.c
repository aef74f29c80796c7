/* linear: k(x, z) = <x, z>. */
#include "kernel/kernel.h"

static double rank(const sri_kernel_term *self, int64_t p)
{
    (void)self;
    return (double)p;
}

const sri_kernel_ops sri_kernel_linear = {
    .name = "linear",
    .formula = "<x,z>",
    .pair = SRI_PAIR_DOT,
    .rank = rank,
    .linear = true,
};
