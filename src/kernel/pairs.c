#include "kernel/pairs.h"

#include "core/memory.h"

/* Below these, computing the pairs again costs no more than reading them. */
enum { KERNELS = 3, COORDINATES = 32, ROWS = 500 };

double sri_pairs_bytes(int64_t n)
{
    return sri_triangle_bytes(n, false);
}

specreg_status sri_pairs_new(specreg_context *ctx, const sri_points *points, sri_pair kind,
                             sri_pairs **out)
{
    specreg_status st = SPECREG_OK;
    sri_pairs *pairs = NULL;
    const sri_kernel_ops identity = {.name = "pairs", .pair = kind};
    const sri_kernel kernel = {.n_terms = 1, .term = {{.ops = &identity, .weight = 1}}};
    *out = NULL;
    SRI_CALLOC(ctx, pairs, 1, 1);
    pairs->kind = kind;
    SRI_TRY(sri_triangle_new(ctx, points->n, false, &pairs->values));
    SRI_TRY(sri_kernel_tiles(ctx, &kernel, points, sri_triangle_set, pairs->values));
    *out = pairs;
    pairs = NULL;
done:
    sri_pairs_free(pairs);
    return st;
}

void sri_pairs_free(sri_pairs *pairs)
{
    if (pairs)
        sri_triangle_free(pairs->values);
    sri_free(pairs);
}

static bool is_of(const sri_kernel *kernel, sri_pair kind)
{
    for (int t = 0; t < kernel->n_terms; t++)
        if (sri_term_pair(&kernel->term[t]) != kind || kernel->term[t].columns)
            return false;
    return kind != SRI_PAIR_EACH;
}

const sri_pairs *sri_pairs_of(const sri_kernel *kernel, const sri_points *points)
{
    return points->pairs && is_of(kernel, points->pairs->kind) ? points->pairs : NULL;
}

const double *sri_pairs_at(const sri_pairs *pairs, int64_t row, int64_t panel)
{
    return sri_triangle_tile(pairs->values, row / SRI_PANEL, panel) + row % SRI_PANEL * SRI_PANEL;
}

bool sri_pairs_worth(const sri_kernel_grid *grid, const sri_points *points, sri_pair *kind)
{
    const int64_t count = sri_kernel_grid_count(grid);
    if (count < KERNELS || sri_points_width(points) < COORDINATES || points->n < ROWS)
        return false;
    const sri_kernel first = sri_kernel_grid_at(grid, 0);
    *kind = sri_term_pair(&first.term[0]);
    for (int64_t c = 0; c < count; c++) {
        const sri_kernel kernel = sri_kernel_grid_at(grid, c);
        if (!is_of(&kernel, *kind))
            return false;
    }
    return true;
}
