#include "backend/cpu/band_vec.h"

#include "backend/cpu/own.h"
#include "backend/vec.h"

_Static_assert((int)SRI_BAND_VEC_COLUMNS == (int)SRI_SUBSTITUTION_COLUMNS &&
                   (int)SRI_BAND_VEC_ROWS == (int)SRI_SUBSTITUTION_ROWS,
               "the loops take what the backend's callers give");

const sri_band_vec *sri_band_vec_best(void)
{
#if defined(__x86_64__)
    const sri_vec *vec = sri_vec_best(); /* identity: it names the instruction set */
    if (vec == &sri_vec_avx512)
        return &sri_band_vec_avx512;
    if (vec == &sri_vec_avx2)
        return &sri_band_vec_avx2;
#endif
    return &sri_band_vec_plain;
}

static int64_t packed_size(int64_t n, int64_t width)
{
    return sri_band_vec_best()->packed_size(n, width);
}

static int64_t work_size(int64_t n)
{
    (void)n;
    return SRI_BAND_VEC_WINDOW * SRI_BAND_VEC_COLUMNS;
}

static void pack(int64_t n, int64_t width, const double *L, double *packed)
{
    sri_band_vec_best()->pack(n, width, L, packed);
}

static void squares(int64_t n, int64_t width, const double *packed, const double *b, double *work,
                    double *out)
{
    sri_band_vec_best()->squares(n, width, packed, b, work, out);
}

const sri_substitution sri_own_substitution = {
    .packed_size = packed_size,
    .work_size = work_size,
    .pack = pack,
    .squares = squares,
};
