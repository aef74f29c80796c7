#include "kernel/pairs.h"

#include <string.h>

#include "core/memory.h"

/* Below these, computing the pairs again costs no more than reading them. */
enum { KERNELS = 3, COORDINATES = 32, ROWS = 500, TILE = SRI_PANEL * SRI_PANEL };

static int64_t tile_number(int64_t i, int64_t j)
{
    return i * (i + 1) / 2 + j;
}

static int64_t tile_count(int64_t n)
{
    return tile_number((n + SRI_PANEL - 1) / SRI_PANEL, 0);
}

double sri_pairs_bytes(int64_t n)
{
    return (double)tile_count(n) * TILE * sizeof(double);
}

static sri_pair pair_dist2(const sri_kernel_term *self)
{
    (void)self;
    return SRI_PAIR_DIST2;
}

static sri_pair pair_dist1(const sri_kernel_term *self)
{
    (void)self;
    return SRI_PAIR_DIST1;
}

static sri_pair pair_dot(const sri_kernel_term *self)
{
    (void)self;
    return SRI_PAIR_DOT;
}

static sri_map as_they_are(const sri_kernel_term *self)
{
    (void)self;
    return (sri_map){.kind = SRI_MAP_IDENTITY};
}

static const sri_kernel_ops identity[] = {
    [SRI_PAIR_DIST2] = {.name = "dist2", .pair = pair_dist2, .map = as_they_are},
    [SRI_PAIR_DIST1] = {.name = "dist1", .pair = pair_dist1, .map = as_they_are},
    [SRI_PAIR_DOT] = {.name = "dot", .pair = pair_dot, .map = as_they_are},
};

static void put_tile(void *payload, int64_t i, int64_t j, double *tile)
{
    const sri_pairs *pairs = payload;
    memcpy(pairs->tiles + tile_number(i, j) * TILE, tile, TILE * sizeof *tile);
}

specreg_status sri_pairs_new(specreg_context *ctx, const sri_points *points, sri_pair kind,
                             sri_pairs **out)
{
    specreg_status st = SPECREG_OK;
    sri_pairs *pairs = NULL;
    const sri_kernel kernel = {.n_terms = 1, .term = {{.ops = &identity[kind], .weight = 1}}};
    *out = NULL;
    SRI_CALLOC(ctx, pairs, 1, 1);
    pairs->kind = kind;
    SRI_ALLOC(ctx, pairs->tiles, tile_count(points->n), TILE);
    SRI_TRY(sri_kernel_tiles(ctx, &kernel, points, put_tile, pairs));
    *out = pairs;
    pairs = NULL;
done:
    sri_pairs_free(pairs);
    return st;
}

void sri_pairs_free(sri_pairs *pairs)
{
    if (!pairs)
        return;
    sri_free(pairs->tiles);
    sri_free(pairs);
}

static bool is_of(const sri_kernel *kernel, sri_pair kind)
{
    for (int t = 0; t < kernel->n_terms; t++)
        if (kernel->term[t].ops->pair(&kernel->term[t]) != kind)
            return false;
    return kind != SRI_PAIR_EACH;
}

const sri_pairs *sri_pairs_of(const sri_kernel *kernel, const sri_points *points)
{
    return points->pairs && is_of(kernel, points->pairs->kind) ? points->pairs : NULL;
}

const double *sri_pairs_at(const sri_pairs *pairs, int64_t row, int64_t panel)
{
    if (!pairs)
        return NULL;
    return pairs->tiles + tile_number(row / SRI_PANEL, panel) * TILE + row % SRI_PANEL * SRI_PANEL;
}

bool sri_pairs_worth(const sri_kernel_grid *grid, const sri_points *points, sri_pair *kind)
{
    const int64_t count = sri_kernel_grid_count(grid);
    if (count < KERNELS || sri_points_width(points) < COORDINATES || points->n < ROWS)
        return false;
    const sri_kernel first = sri_kernel_grid_at(grid, 0);
    *kind = first.term[0].ops->pair(&first.term[0]);
    for (int64_t c = 0; c < count; c++) {
        const sri_kernel kernel = sri_kernel_grid_at(grid, c);
        if (!is_of(&kernel, *kind))
            return false;
    }
    return true;
}
