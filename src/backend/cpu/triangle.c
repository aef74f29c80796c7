#include "backend/cpu/triangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/vec.h"
#include "core/memory.h"

/* A product is summed up in so many parts, each a run of tiles with a Y of its own, whatever the
 * number of threads: so is the result. */
enum { PARTS = 8, TILE = SRI_PANEL * SRI_PANEL };
/* Columns that one pass over the tiles takes. */
enum { MOST = 32 };

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

static size_t number_size(bool single)
{
    return single ? sizeof(float) : sizeof(double);
}

/* With one tile more: loops look ahead for the next one. */
double sri_triangle_bytes(int64_t n, bool single)
{
    return (double)(tile_count(block_count(n)) + 1) * TILE * (double)number_size(single);
}

specreg_status sri_triangle_new(specreg_context *ctx, int64_t n, bool single, sri_triangle **out)
{
    specreg_status st = SPECREG_OK;
    sri_triangle *s = NULL;
    *out = NULL;
    SRI_CALLOC(ctx, s, 1, 1);
    s->n = n;
    s->blocks = block_count(n);
    s->single = single;
    s->tiles = sri_alloc(ctx, tile_count(s->blocks) + 1, TILE, number_size(single));
    if (!s->tiles) {
        st = SPECREG_E_NOMEM;
        goto done;
    }
    sri_large_pages(s->tiles, sri_triangle_bytes(n, single));
    if (single)
        SRI_ALLOC(ctx, s->squares, tile_count(s->blocks), 1);
    *out = s;
    s = NULL;
done:
    sri_triangle_free(s);
    return st;
}

void sri_triangle_free(sri_triangle *s)
{
    if (!s)
        return;
    free(s->squares);
    free(s->tiles);
    free(s);
}

void sri_triangle_set(sri_triangle *s, int64_t i, int64_t j, double *values)
{
    const int64_t rows = s->n - i * SRI_PANEL, cols = s->n - j * SRI_PANEL;
    const int64_t tile = tile_number(i, j);
    for (int64_t r = 0; r < SRI_PANEL && (rows < SRI_PANEL || cols < SRI_PANEL); r++)
        for (int64_t c = r < rows ? cols : 0; c < SRI_PANEL; c++)
            values[r * SRI_PANEL + c] = 0;
    if (!s->single) {
        memcpy((double *)s->tiles + tile * TILE, values, TILE * sizeof *values);
        return;
    }
    const double sum = sri_vec_best()->round_tile(values, (float *)s->tiles + tile * TILE);
    s->squares[tile] = i == j ? sum : 2 * sum;
}

double sri_triangle_norm(const sri_triangle *s)
{
    double sum = 0;
    for (int64_t k = 0; k < tile_count(s->blocks); k++)
        sum += s->squares[k];
    return sqrt(sum);
}

/* ------------------------------------------------------------------- products
 * `width` columns of X and Y lie in blocks of SRI_PANEL rows, each column by column. */

/* Part number `part` of the tiles times x into y. */
static void product_part(const sri_triangle *s, int part, int64_t width, const void *x, double *y)
{
    const sri_vec *vec = sri_vec_best();
    const int64_t count = tile_count(s->blocks), block = SRI_PANEL * width;
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
        double *yi = y + i * block, *yj = i == j ? NULL : y + j * block;
        if (s->single)
            vec->tile_single((const float *)s->tiles + k * TILE, (int)width,
                             (const float *)x + i * block, (const float *)x + j * block, yi, yj);
        else
            vec->tile_double((const double *)s->tiles + k * TILE, (int)width,
                             (const double *)x + i * block, (const double *)x + j * block, yi, yj);
    }
}

/* `width` columns of block b of X, which has t; 0 beyond the matrix. */
#define TAKE_FUNCTION(name, real)                                                           \
    static void name(const sri_triangle *s, int64_t b, int64_t width, int64_t t,            \
                     const double *X, real *x)                                              \
    {                                                                                       \
        const int64_t first = b * SRI_PANEL, left = s->n - first;                           \
        const int64_t rows = left < SRI_PANEL ? left : SRI_PANEL;                           \
        for (int64_t c = 0; c < width; c++) {                                               \
            real *column = x + (b * width + c) * SRI_PANEL;                                 \
            for (int64_t r = 0; r < rows; r++)                                              \
                column[r] = (real)X[(first + r) * t + c];                                   \
            memset(column + rows, 0, (size_t)(SRI_PANEL - rows) * sizeof *column);          \
        }                                                                                   \
    }
TAKE_FUNCTION(take_single, float)
TAKE_FUNCTION(take_double, double)

/* Block b of Y, which has t columns, from the parts; y of the first one gets the sums. */
static void add_parts(const sri_triangle *s, int64_t b, int64_t width, int64_t t, double *y, double *Y)
{
    const int64_t size = s->blocks * SRI_PANEL * width, first = b * SRI_PANEL;
    const int64_t rows = s->n - first < SRI_PANEL ? s->n - first : SRI_PANEL;
    double *sum = y + first * width;
    for (int part = 1; part < PARTS; part++)
        for (int64_t k = 0; k < SRI_PANEL * width; k++)
            sum[k] += sum[part * size + k];
    for (int64_t c = 0; c < width; c++)
        for (int64_t r = 0; r < rows; r++)
            Y[(first + r) * t + c] = sum[c * SRI_PANEL + r];
}

/* `width` columns of X and Y, which have t. */
static void product_columns(const sri_triangle *s, int64_t width, int64_t t, const double *X, void *x,
                            double *y, double *Y)
{
    const int64_t size = s->blocks * SRI_PANEL * width;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int64_t b = 0; b < s->blocks; b++)
            if (s->single)
                take_single(s, b, width, t, X, x);
            else
                take_double(s, b, width, t, X, x);
#pragma omp for schedule(dynamic, 1)
        for (int part = 0; part < PARTS; part++)
            product_part(s, part, width, x, y + part * size);
#pragma omp for schedule(static)
        for (int64_t b = 0; b < s->blocks; b++)
            add_parts(s, b, width, t, y, Y);
    }
}

specreg_status sri_triangle_product(specreg_context *ctx, const sri_triangle *s, int64_t t,
                                    const double *X, double *Y)
{
    specreg_status st = SPECREG_OK;
    const int64_t padded = s->blocks * SRI_PANEL, most = t < MOST ? t : MOST;
    double *x = NULL, *y = NULL; /* in single precision half of x is for nothing */
    SRI_ALLOC(ctx, x, padded, most);
    SRI_ALLOC(ctx, y, PARTS * padded, most);
    for (int64_t c = 0; c < t; c += MOST) {
        const int64_t width = t - c < MOST ? t - c : MOST;
        product_columns(s, width, t, X + c, x, y, Y + c);
    }
done:
    free(y);
    free(x);
    return st;
}
