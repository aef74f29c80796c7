#include "backend/vec.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "backend/fill.h"

/* NULL until the first use. */
static _Atomic(const sri_vec *) in_use;

/* The best that this processor has, but no more than was asked for. */
static const sri_vec *find(const char *asked)
{
#if defined(__x86_64__)
    if (asked && strcmp(asked, "plain") == 0)
        return &sri_vec_plain;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && !(asked && strcmp(asked, "avx2") == 0))
        return &sri_vec_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &sri_vec_avx2;
#endif
    (void)asked;
    return &sri_vec_plain;
}

/* Threads that come first at the same time find the same table. */
const sri_vec *sri_vec_best(void)
{
    const sri_vec *vec = atomic_load_explicit(&in_use, memory_order_relaxed);
    if (!vec) {
        vec = find(getenv("SPECREG_CPU"));
        atomic_store_explicit(&in_use, vec, memory_order_relaxed);
    }
    return vec;
}

void sri_vec_use(const char *name)
{
    atomic_store_explicit(&in_use, find(name), memory_order_relaxed);
}

void sri_map_apply(const sri_map *map, const sri_vec *vec, double *v, int64_t n)
{
    switch (map->kind) {
    case SRI_MAP_IDENTITY:
        break;
    case SRI_MAP_EXP:
        vec->exp_linear(v, n, map->c);
        break;
    case SRI_MAP_EXP_ROOT:
        vec->exp_root(v, n, map->c);
        break;
    case SRI_MAP_MATERN32:
        vec->matern32(v, n, map->c);
        break;
    case SRI_MAP_MATERN52:
        vec->matern52(v, n, map->c);
        break;
    case SRI_MAP_INVERSE:
        vec->inverse(v, n, map->c, map->shift);
        break;
    case SRI_MAP_ROOT:
        vec->root(v, n, map->c);
        break;
    case SRI_MAP_SPLINE:
        vec->spline(v, n, map->c, map->degree);
        break;
    case SRI_MAP_POWER:
        vec->power(v, n, map->c, map->shift, map->degree);
        break;
    }
}
