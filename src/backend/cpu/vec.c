#include "backend/cpu/vec.h"

#include <stdlib.h>
#include <string.h>

const sri_vec *sri_vec_best(void)
{
#if defined(__x86_64__)
    const char *asked = getenv("SPECREG_CPU");
    if (asked && strcmp(asked, "plain") == 0)
        return &sri_vec_plain;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && !(asked && strcmp(asked, "avx2") == 0))
        return &sri_vec_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &sri_vec_avx2;
#endif
    return &sri_vec_plain;
}
