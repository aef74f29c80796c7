#include "engine/band_leverage.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/blas.h"
#include "backend/cpu/band_vec.h"
#include "core/memory.h"

enum { C = SRI_BAND_VEC_COLUMNS };

/* Rows of a chunk, filled up, and of the window. */
static int64_t chunk_rows(int64_t n)
{
    return (n + SRI_BAND_VEC_ROWS - 1) / SRI_BAND_VEC_ROWS * SRI_BAND_VEC_ROWS;
}
static int64_t chunk_size(int64_t n)
{
    return (chunk_rows(n) + SRI_BAND_VEC_WINDOW) * C;
}

double sri_band_factors_bytes(int64_t n, int64_t count)
{
    return 8 * ((double)count * (double)sri_band_vec_best()->packed_size(n, SRI_BAND_WIDTH) +
                (double)sri_region_threads() * (double)chunk_size(n));
}

specreg_status sri_band_factors_new(specreg_context *ctx, const sri_band *band, int64_t count,
                                    sri_band_factors *out)
{
    specreg_status st = SPECREG_OK;
    *out = (sri_band_factors){.n = band->n, .width = band->width};
    out->size = sri_band_vec_best()->packed_size(band->n, band->width);
    SRI_ALLOC(ctx, out->packed, count, out->size);
    SRI_ALLOC(ctx, out->chunk, sri_region_threads(), chunk_size(band->n));
done:
    return st;
}

void sri_band_factors_free(sri_band_factors *factors)
{
    free(factors->chunk);
    free(factors->packed);
}

void sri_band_factors_set(const sri_band_factors *factors, int64_t k, const double *L)
{
    sri_band_vec_best()->pack(factors->n, factors->width, L, factors->packed + k * factors->size);
}

/* Columns first .. first + columns - 1 of Q', with zeros around them. */
static void take_chunk(const sri_band *band, int64_t first, int64_t columns, double *chunk)
{
    const int64_t n = band->n;
    memset(chunk, 0, (size_t)(chunk_rows(n) * C) * sizeof *chunk);
    for (int64_t j = 0; j < n; j++)
        memcpy(chunk + j * C, band->V + j * n + first, (size_t)columns * sizeof *chunk);
}

void sri_band_leverages(const sri_band *band, const sri_band_factors *factors, int64_t count,
                        const double *mu, const bool *failed, double *one_minus_h)
{
    const sri_band_vec *vec = sri_band_vec_best();
    const int64_t n = band->n;
    const int threads = sri_region_enter();
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int64_t first = 0; first < n; first += C) {
        const int64_t columns = n - first < C ? n - first : C;
        double *chunk = factors->chunk + omp_get_thread_num() * chunk_size(n), square[C];
        take_chunk(band, first, columns, chunk);
        for (int64_t k = 0; k < count; k++) {
            if (failed[k])
                continue;
            vec->squares(n, band->width, factors->packed + k * factors->size, chunk,
                         chunk + chunk_rows(n) * C, square);
            for (int64_t i = 0; i < columns; i++)
                one_minus_h[k * n + first + i] = mu[k] * square[i];
        }
    }
    sri_region_leave(threads);
}
