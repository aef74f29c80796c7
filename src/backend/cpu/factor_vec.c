#include "backend/cpu/factor_vec.h"

#include "backend/vec.h"

const sri_factor_vec *sri_factor_vec_best(void)
{
#if defined(__x86_64__)
    const sri_vec *vec = sri_vec_best(); /* identity: it names the instruction set */
    if (vec == &sri_vec_avx512)
        return &sri_factor_vec_avx512;
    if (vec == &sri_vec_avx2)
        return &sri_factor_vec_avx2;
#endif
    return &sri_factor_vec_plain;
}
