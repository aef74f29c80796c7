/* linear: k(x, z) = <x, z>. */
#include "kernel/kernel.h"

static sri_pair pair(const sri_kernel_term *self)
{
    (void)self;
    return SRI_PAIR_DOT;
}

static void map(const sri_kernel_term *self, const sri_vec *vec, double *v, int64_t n)
{
    (void)self, (void)vec, (void)v, (void)n; /* the product is the kernel */
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
