#include <string.h>

#include "backend/backend.h"
#include "backend/threads.h"
#include "core/memory.h"
#include "core/openmp.h"

enum { C = SRI_SUBSTITUTION_COLUMNS, ROWS = SRI_SUBSTITUTION_ROWS };

/* A thread's chunk: C columns of Q' by rows, padded, and the workspace of the substitution. */
static int64_t padded(int64_t n)
{
    return (n + ROWS - 1) / ROWS * ROWS;
}

static int64_t chunk_size(const sri_substitution *how, int64_t n)
{
    return padded(n) * C + how->work_size(n);
}

/* Those of the default backend; others take no more. */
double sri_band_factors_bytes(int64_t n, int64_t count)
{
    const sri_substitution *how = sri_backend_own.substitution();
    return 8 * ((double)count * (double)how->packed_size(n, SRI_BAND_WIDTH) +
                (double)sri_region_threads() * (double)chunk_size(how, n));
}

specreg_status sri_band_factors_new(specreg_context *ctx, const sri_band *band, int64_t count,
                                    sri_band_factors *out)
{
    *out = (sri_band_factors){.how = sri_backend_of(ctx)->substitution(),
                              .n = band->n,
                              .width = band->width};
    out->size = out->how->packed_size(band->n, band->width);
    SRI_NEW(ctx, out->packed, count, out->size);
    SRI_NEW(ctx, out->chunk, sri_region_threads(), chunk_size(out->how, band->n));
    return SPECREG_OK;
}

void sri_band_factors_free(sri_band_factors *factors)
{
    sri_free(factors->chunk);
    sri_free(factors->packed);
}

void sri_band_factors_set(const sri_band_factors *factors, int64_t k, const double *L)
{
    factors->how->pack(factors->n, factors->width, L, factors->packed + k * factors->size);
}

/* Columns first .. first + columns - 1 of Q', zeros beside and below them. */
static void take_chunk(const sri_band *band, int64_t first, int64_t columns, double *chunk)
{
    const int64_t n = band->n;
    memset(chunk, 0, (size_t)(padded(n) * C) * sizeof *chunk);
    for (int64_t j = 0; j < n; j++)
        memcpy(chunk + j * C, band->V + j * n + first, (size_t)columns * sizeof *chunk);
}

void sri_band_leverages(const sri_band *band, const sri_band_factors *factors, int64_t count,
                        const double *mu, const bool *failed, double *one_minus_h)
{
    const int64_t n = band->n, size = chunk_size(factors->how, n);
    const sri_region region = sri_region_enter();
#pragma omp parallel for schedule(dynamic) num_threads(region.threads)
    for (int64_t first = 0; first < n; first += C) {
        const int64_t columns = n - first < C ? n - first : C;
        double *chunk = factors->chunk + omp_get_thread_num() * size, square[C];
        take_chunk(band, first, columns, chunk);
        for (int64_t k = 0; k < count; k++) {
            if (failed[k])
                continue;
            factors->how->squares(n, band->width, factors->packed + k * factors->size, chunk,
                                  chunk + padded(n) * C, square);
            for (int64_t i = 0; i < columns; i++)
                one_minus_h[k * n + first + i] = mu[k] * square[i];
        }
    }
    sri_region_leave(region);
}
