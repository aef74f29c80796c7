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

void sri_single_set(sri_single *s, int64_t i, int64_t j, const double *values)
{
    const int64_t rows = s->n - i * SRI_PANEL, cols = s->n - j * SRI_PANEL;
    float *tile = s->tiles + tile_number(i, j) * TILE;
    double sum = 0;
    for (int64_t r = 0; r < SRI_PANEL; r += SRI_SINGLE_ROWS)
        for (int64_t c = 0; c < SRI_PANEL; c++)
            for (int64_t g = 0; g < SRI_SINGLE_ROWS; g++) {
                const double v = r + g < rows && c < cols ? values[(r + g) * SRI_PANEL + c] : 0;
                tile[r * SRI_PANEL + c * SRI_SINGLE_ROWS + g] = (float)v;
                sum += v * v;
            }
    s->squares[tile_number(i, j)] = i == j ? sum : 2 * sum;
}

double sri_single_norm(const sri_single *s)
{
    double sum = 0;
    for (int64_t k = 0; k < tile_count(s->blocks); k++)
        sum += s->squares[k];
    return sqrt(sum);
}

/* Part number `part` of the tiles times x (blocks SRI_PANEL x SRI_THIN) into y, of the same size. */
static void product_part(const sri_single *s, int part, const float *x, double *y)
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
        vec->single(s->tiles + k * TILE, x + i * block, x + j * block, y + i * block,
                    i == j ? NULL : y + j * block);
    }
}

/* `width` columns of X and Y, which have t. */
static void product_columns(const sri_single *s, int64_t width, int64_t t, const double *X,
                            float *x, double *y, double *Y)
{
    const int64_t padded = s->blocks * SRI_PANEL;
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t c = 0; c < width; c++)
            x[i * SRI_THIN + c] = (float)X[i * t + c];
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 1)
        for (int part = 0; part < PARTS; part++)
            product_part(s, part, x, y + part * padded * SRI_THIN);
#pragma omp for schedule(static)
        for (int64_t i = 0; i < s->n; i++) {
            double sum[SRI_THIN] = {0};
            for (int part = 0; part < PARTS; part++)
                for (int64_t c = 0; c < SRI_THIN; c++)
                    sum[c] += y[(part * padded + i) * SRI_THIN + c];
            memcpy(Y + i * t, sum, (size_t)width * sizeof *Y);
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
        if (width < SRI_THIN) /* the columns beyond are those of before */
            memset(x, 0, (size_t)(padded * SRI_THIN) * sizeof *x);
        product_columns(s, width, t, X + c, x, y, Y + c);
    }
done:
    free(y);
    free(x);
    return st;
}
