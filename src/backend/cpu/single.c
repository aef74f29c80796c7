#include "backend/cpu/single.h"

#include <stdlib.h>
#include <string.h>

#include "backend/cpu/vec.h"
#include "core/memory.h"

static int64_t strip_count(int64_t rows)
{
    return (rows + SRI_STRIP - 1) / SRI_STRIP;
}

specreg_status sri_single_new(specreg_context *ctx, int64_t rows, int64_t n, sri_single **out)
{
    specreg_status st = SPECREG_OK;
    sri_single *s = NULL;
    *out = NULL;
    SRI_CALLOC(ctx, s, 1, 1);
    s->rows = rows;
    s->n = n;
    SRI_ALLOC(ctx, s->strips, strip_count(rows) * SRI_STRIP, n);
    *out = s;
    return SPECREG_OK;
done:
    free(s);
    return st;
}

void sri_single_free(sri_single *s)
{
    if (!s)
        return;
    free(s->strips);
    free(s);
}

void sri_single_set(sri_single *s, int64_t first, int64_t count, const double *K)
{
    const int64_t n = s->n;
#pragma omp parallel for schedule(static)
    for (int64_t r0 = 0; r0 < count; r0 += SRI_STRIP) {
        float *out = s->strips + (first + r0) * n;
        for (int64_t j = 0; j < n; j++)
            for (int64_t r = 0; r < SRI_STRIP; r++)
                out[j * SRI_STRIP + r] = r0 + r < count ? (float)K[(r0 + r) * n + j] : 0;
    }
}

specreg_status sri_single_product(specreg_context *ctx, const sri_single *s, int64_t t,
                                  const double *X, double *Y)
{
    specreg_status st = SPECREG_OK;
    const sri_vec *vec = sri_vec_best();
    const int64_t n = s->n, strips = strip_count(s->rows);
    float *x = NULL;
    SRI_ALLOC(ctx, x, n, SRI_THIN);
    for (int64_t c0 = 0; c0 < t; c0 += SRI_THIN) {
        const int64_t width = t - c0 < SRI_THIN ? t - c0 : SRI_THIN;
        for (int64_t j = 0; j < n; j++)
            for (int64_t c = 0; c < width; c++)
                x[j * SRI_THIN + c] = (float)X[j * t + c0 + c];
#pragma omp parallel for schedule(static)
        for (int64_t b = 0; b < strips; b++) {
            double out[SRI_STRIP * SRI_THIN];
            const int64_t first = b * SRI_STRIP, left = s->rows - first;
            vec->single(s->strips + first * n, n, (int)width, x, out);
            for (int64_t r = 0; r < SRI_STRIP && r < left; r++)
                memcpy(Y + (first + r) * t + c0, out + r * SRI_THIN, (size_t)width * sizeof *Y);
        }
    }
done:
    free(x);
    return st;
}
