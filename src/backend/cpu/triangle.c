#include "backend/triangle.h"

#include <math.h>
#include <string.h>

#include "backend/vec.h"
#include "core/arena.h"

struct sri_triangle {
    int64_t n, blocks; /* blocks of SRI_PANEL rows */
    bool single;
    /* Tiles (i, j), j <= i, one after the other, each by rows and padded with zeros: floats or
     * doubles. */
    void *tiles;
    /* The sum of squares of each tile, counted twice off the diagonal; NULL in double precision. */
    double *squares;
};

/* A product is summed up in PARTS runs of tiles, each with a Y of its own, so that the result does
 * not depend on the number of threads. */
enum { PARTS = 8, TILE = SRI_PANEL * SRI_PANEL };
/* Columns that one pass over the tiles takes. */
enum { MOST = 32 };
_Static_assert(MOST <= 32, "operands.busy has a bit for each");

static int64_t tile_number(int64_t i, int64_t j)
{
    return i * (i + 1) / 2 + j;
}

static int64_t tile_count(int64_t blocks)
{
    return tile_number(blocks, 0);
}

static size_t number_size(bool single)
{
    return single ? sizeof(float) : sizeof(double);
}

/* One tile more than there are: the loops prefetch the next one. */
double sri_triangle_bytes(int64_t n, bool single)
{
    return (double)(tile_count(sri_panel_count(n)) + 1) * TILE * (double)number_size(single);
}

specreg_status sri_triangle_new(specreg_context *ctx, int64_t n, bool single, sri_triangle **out)
{
    specreg_status st = SPECREG_OK;
    sri_triangle *s = NULL;
    *out = NULL;
    SRI_CALLOC(ctx, s, 1, 1);
    s->n = n;
    s->blocks = sri_panel_count(n);
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
    sri_free(s->squares);
    sri_free(s->tiles);
    sri_free(s);
}

const double *sri_triangle_tile(const sri_triangle *s, int64_t i, int64_t j)
{
    return (const double *)s->tiles + tile_number(i, j) * TILE;
}

void sri_triangle_set(void *triangle, int64_t i, int64_t j, double *values)
{
    sri_triangle *s = triangle;
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

/* Products: `width` columns of X and Y lie in blocks of SRI_PANEL rows, each column by column. */

/* A product under way.  A column that is 0 in a whole block of rows is skipped there: the
 * columns of a fold are 0 in the rows that it holds out. */
typedef struct operands {
    const sri_triangle *s;
    int64_t t, width; /* columns of X and Y in all; those of this pass */
    void *x;          /* floats or doubles */
    uint32_t *busy;   /* for each block, a bit for each column of x that is not 0 there */
    double *y;        /* for each part */
} operands;

/* The operands of one tile: columns of x in blocks i and j, and the columns of y that they add
 * to. */
typedef struct tile_columns {
    int count;
    const void *xi[MOST], *xj[MOST];
    double *yi[MOST], *yj[MOST];
} tile_columns;

static const void *column_of(const operands *o, int64_t block, int c)
{
    return (const char *)o->x +
           (size_t)((block * o->width + c) * SRI_PANEL) * number_size(o->s->single);
}

/* Y_i += K X_j needs the columns that are busy in block j, Y_j += K'X_i those of block i.  One of
 * these is paired with one of those; a column without a partner is paired with itself and adds
 * zeros. */
static void choose_columns(const operands *o, int64_t i, int64_t j, double *y, tile_columns *out)
{
    const int64_t block = SRI_PANEL * o->width;
    uint32_t in_i = o->busy[i], in_j = o->busy[j];
    out->count = 0;
    for (; in_i | in_j; out->count++) {
        const uint32_t both = in_i & in_j;
        const int down = __builtin_ctz(both ? both : in_i ? in_i : in_j);
        const int across = __builtin_ctz(both ? both : in_j ? in_j : in_i);
        in_i &= ~(1u << down);
        in_j &= ~(1u << across);
        out->xi[out->count] = column_of(o, i, down);
        out->yj[out->count] = y + j * block + down * SRI_PANEL;
        out->xj[out->count] = column_of(o, j, across);
        out->yi[out->count] = y + i * block + across * SRI_PANEL;
    }
}

/* Part number `part` of the tiles times x into y. */
static void product_part(const operands *o, int part, double *y)
{
    const sri_triangle *s = o->s;
    const sri_vec *vec = sri_vec_best();
    const int64_t count = tile_count(s->blocks);
    const int64_t first = count * part / PARTS, last = count * (part + 1) / PARTS;
    tile_columns c;
    int64_t i = 0;
    memset(y, 0, (size_t)(s->blocks * SRI_PANEL * o->width) * sizeof *y);
    while (tile_number(i + 1, 0) <= first)
        i++;
    for (int64_t k = first, j = first - tile_number(i, 0); k < last; k++, j++) {
        if (j > i) {
            i++;
            j = 0;
        }
        choose_columns(o, i, j, y, &c);
        if (s->single)
            vec->tile_single((const float *)s->tiles + k * TILE, c.count,
                             (const float *const *)c.xi, (const float *const *)c.xj, c.yi,
                             i == j ? NULL : c.yj);
        else
            vec->tile_double((const double *)s->tiles + k * TILE, c.count,
                             (const double *const *)c.xi, (const double *const *)c.xj, c.yi,
                             i == j ? NULL : c.yj);
    }
}

/* The columns of block b of X; 0 beyond the matrix.  Returns which are not 0. */
#define TAKE_FUNCTION(name, real)                                                  \
    static uint32_t name(const operands *o, int64_t b, const double *X)            \
    {                                                                              \
        const int64_t first = b * SRI_PANEL, rows = sri_panel_rows(o->s->n, b);    \
        uint32_t busy = 0;                                                         \
        for (int64_t c = 0; c < o->width; c++) {                                   \
            real *column = (real *)o->x + (b * o->width + c) * SRI_PANEL;          \
            bool any = false;                                                      \
            for (int64_t r = 0; r < rows; r++) {                                   \
                column[r] = (real)X[(first + r) * o->t + c];                       \
                any = any | (column[r] != 0);                                      \
            }                                                                      \
            memset(column + rows, 0, (size_t)(SRI_PANEL - rows) * sizeof *column); \
            busy |= (uint32_t)any << c;                                            \
        }                                                                          \
        return busy;                                                               \
    }
TAKE_FUNCTION(take_single, float)
TAKE_FUNCTION(take_double, double)

/* Block b of Y as the sum of the parts; y of the first part is overwritten. */
static void add_parts(const operands *o, int64_t b, double *Y)
{
    const int64_t size = o->s->blocks * SRI_PANEL * o->width, first = b * SRI_PANEL;
    double *sum = o->y + first * o->width;
    for (int part = 1; part < PARTS; part++)
        for (int64_t k = 0; k < SRI_PANEL * o->width; k++)
            sum[k] += sum[part * size + k];
    for (int64_t c = 0; c < o->width; c++)
        for (int64_t r = 0; r < sri_panel_rows(o->s->n, b); r++)
            Y[(first + r) * o->t + c] = sum[c * SRI_PANEL + r];
}

static void product_columns(const operands *o, const double *X, double *Y)
{
    const int64_t blocks = o->s->blocks, size = blocks * SRI_PANEL * o->width;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int64_t b = 0; b < blocks; b++)
            o->busy[b] = o->s->single ? take_single(o, b, X) : take_double(o, b, X);
#pragma omp for schedule(dynamic, 1)
        for (int part = 0; part < PARTS; part++)
            product_part(o, part, o->y + part * size);
#pragma omp for schedule(static)
        for (int64_t b = 0; b < blocks; b++)
            add_parts(o, b, Y);
    }
}

specreg_status sri_triangle_product(specreg_context *ctx, const sri_triangle *s, int64_t t,
                                    const double *X, double *Y)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t padded = s->blocks * SRI_PANEL, most = t < MOST ? t : MOST;
    double *x; /* single precision uses only half of it */
    operands o = {.s = s, .t = t};
    SRI_SCRATCH(ctx, &scratch, o.busy, s->blocks, 1);
    SRI_SCRATCH(ctx, &scratch, x, padded, most);
    SRI_SCRATCH(ctx, &scratch, o.y, PARTS * padded, most);
    o.x = x;
    for (int64_t c = 0; c < t; c += MOST) {
        o.width = t - c < MOST ? t - c : MOST;
        product_columns(&o, X + c, Y + c);
    }
done:
    sri_arena_free(&scratch);
    return st;
}
