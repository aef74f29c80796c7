#include "backend/cpu/single.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/vec.h"
#include "core/memory.h"

/* A product is summed up in so many parts, each a run of tiles with a Y of its own, whatever the
 * number of threads: so is the result. */
enum { PARTS = 8, TILE = SRI_PANEL * SRI_PANEL };

static int64_t tile_count(int64_t blocks)
{
    return blocks * (blocks + 1) / 2;
}

static int64_t tile_number(int64_t i, int64_t j)
{
    return i * (i + 1) / 2 + j;
}

static int64_t block_count(int64_t n)
{
    return (n + SRI_PANEL - 1) / SRI_PANEL;
}

double sri_single_bytes(int64_t n)
{
    return (double)tile_count(block_count(n)) * TILE * sizeof(float);
}

specreg_status sri_single_new(specreg_context *ctx, int64_t n, sri_single **out)
{
    specreg_status st = SPECREG_OK;
    sri_single *s = NULL;
    *out = NULL;
    SRI_CALLOC(ctx, s, 1, 1);
    s->n = n;
    s->blocks = block_count(n);
    SRI_ALLOC(ctx, s->tiles, tile_count(s->blocks), TILE);
    sri_large_pages(s->tiles, sri_single_bytes(n));
    SRI_ALLOC(ctx, s->squares, tile_count(s->blocks), 1);
    *out = s;
    s = NULL;
done:
    sri_single_free(s);
    return st;
}

void sri_single_free(sri_single *s)
{
    if (!s)
        return;
    free(s->squares);
    free(s->tiles);
    free(s);
}

void sri_single_set(sri_single *s, int64_t i, int64_t j, double *values)
{
    const int64_t rows = s->n - i * SRI_PANEL, cols = s->n - j * SRI_PANEL;
    for (int64_t r = 0; r < SRI_PANEL && (rows < SRI_PANEL || cols < SRI_PANEL); r++)
        for (int64_t c = r < rows ? cols : 0; c < SRI_PANEL; c++)
            values[r * SRI_PANEL + c] = 0;
    const double sum =
        sri_vec_best()->round_tile(values, s->tiles + tile_number(i, j) * TILE);
    s->squares[tile_number(i, j)] = i == j ? sum : 2 * sum;
}

double sri_single_norm(const sri_single *s)
{
    double sum = 0;
    for (int64_t k = 0; k < tile_count(s->blocks); k++)
        sum += s->squares[k];
    return sqrt(sum);
}

/* Part number `part` of the tiles times x, `width` columns in blocks of SRI_PANEL rows, each column by
 * column with room for SRI_THIN; into y, of the same form. */
static void product_part(const sri_single *s, int part, int width, const float *x, double *y)
{
    const sri_vec *vec = sri_vec_best();
    const int64_t count = tile_count(s->blocks), block = SRI_PANEL * SRI_THIN;
    const int64_t first = count * part / PARTS, last = count * (part + 1) / PARTS;
    int64_t i = 0;
    memset(y, 0, (size_t)(s->blocks * block) * sizeof *y);
    while (tile_number(i + 1, 0) <= first)
        i++;
    for (int64_t k = first, j = first - tile_number(i, 0); k < last; k++, j++) {
        if (j > i) {
            i++;
            j = 0;
        }
        vec->single(s->tiles + k * TILE, width, x + i * block, x + j * block, y + i * block,
                    i == j ? NULL : y + j * block);
    }
}

/* Where row i of column c lies in these. */
static int64_t at(int64_t i, int64_t c)
{
    return (i / SRI_PANEL * SRI_THIN + c) * SRI_PANEL + i % SRI_PANEL;
}

/* `width` columns of X and Y, which have t. */
static void product_columns(const sri_single *s, int64_t width, int64_t t, const double *X,
                            float *x, double *y, double *Y)
{
    const int64_t size = s->blocks * SRI_PANEL * SRI_THIN;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < s->n; i++)
            for (int64_t c = 0; c < width; c++)
                x[at(i, c)] = (float)X[i * t + c];
#pragma omp for schedule(dynamic, 1)
        for (int part = 0; part < PARTS; part++)
            product_part(s, part, (int)width, x, y + part * size);
#pragma omp for schedule(static)
        for (int64_t i = 0; i < s->n; i++)
            for (int64_t c = 0; c < width; c++) {
                double sum = 0;
                for (int part = 0; part < PARTS; part++)
                    sum += y[part * size + at(i, c)];
                Y[i * t + c] = sum;
            }
    }
}

specreg_status sri_single_product(specreg_context *ctx, const sri_single *s, int64_t t,
                                  const double *X, double *Y)
{
    specreg_status st = SPECREG_OK;
    const int64_t padded = s->blocks * SRI_PANEL;
    float *x = NULL;
    double *y = NULL;
    SRI_CALLOC(ctx, x, padded, SRI_THIN);
    SRI_ALLOC(ctx, y, PARTS * padded, SRI_THIN);
    for (int64_t c = 0; c < t; c += SRI_THIN) {
        const int64_t width = t - c < SRI_THIN ? t - c : SRI_THIN;
        product_columns(s, width, t, X + c, x, y, Y + c);
    }
done:
    free(y);
    free(x);
    return st;
}
