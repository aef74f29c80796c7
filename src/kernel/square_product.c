/* Y = K X for the kernel matrix of all points with all, which is never stored.  K is symmetric: a
 * block of its values is computed once, and multiplied by X from both sides while it lies in the
 * cache.  Strips of rows follow one another; threads share the blocks of a strip, each of which
 * adds to rows of its own, and what they add to the rows of the strip is summed in their order: any
 * number of threads gives the same bits. */
#include <string.h>

#include "backend/blas.h"
#include "backend/threads.h"
#include "core/openmp.h"
#include "kernel/tile.h"

enum { SIDE = 256, SERIAL = 100000 };

typedef struct square {
    sri_block block; /* all points with all */
    int64_t n, t;
    const double *X;
    double *Y;
    double *part; /* for each block of a strip what it adds to the strip's rows, SIDE x t */
    bool goes_wide;
    sri_wide wide[SRI_KERNEL_TERMS];
    double *values; /* for each thread three blocks of SIDE x SIDE */
} square;

typedef struct place {
    int64_t i0, rows, j0, cols;
} place;

/* K (SIDE apart) a tile at a time. */
static void direct_values(const square *w, place at, double *K)
{
    double tile[SRI_TILE], spare[SRI_TILE];
    for (int64_t r0 = 0; r0 < at.rows; r0 += SRI_TILE_ROWS) {
        const int64_t rows = at.rows - r0 < SRI_TILE_ROWS ? at.rows - r0 : SRI_TILE_ROWS;
        for (int64_t c0 = 0; c0 < at.cols; c0 += SRI_PANEL) {
            const int64_t cols = at.cols - c0 < SRI_PANEL ? at.cols - c0 : SRI_PANEL;
            sri_kernel_tile(&w->block, at.i0 + r0, rows, (at.j0 + c0) / SRI_PANEL, tile, spare);
            for (int64_t r = 0; r < rows; r++)
                memcpy(K + (r0 + r) * SIDE + c0, tile + r * SRI_PANEL, (size_t)cols * sizeof *K);
        }
    }
}

/* The same from products of the rows; the rows are among the centres, and prepared as these. */
static void wide_values(const square *w, place at, double *K)
{
    const sri_kernel *kernel = w->block.of.kernel;
    double *pairs = K + SIDE * SIDE, *product = pairs + SIDE * SIDE;
    for (int t = 0; t < kernel->n_terms; t++) {
        const sri_kernel_term *term = &kernel->term[t];
        const sri_wide *z = &w->wide[t];
        const int64_t p = z->p;
        sri_gemm(false, true, at.rows, at.cols, p, 1, z->z + at.i0 * p, p, z->z + at.j0 * p, p, 0,
                 pairs, SIDE);
        for (int64_t r = 0; r < at.rows; r++) {
            const int64_t i = at.i0 + r;
            double *v = pairs + r * SIDE, *to = K + r * SIDE;
            sri_wide_values(z, term, (sri_wide_rows){z->z + i * p, z->zq + i}, at.j0, at.cols, v);
            sri_factor_add(kernel, t, v, product + r * SIDE, to, at.cols);
        }
    }
}

/* One block: what it adds to the strip's rows, and, below the diagonal, to those of its columns. */
static void multiply_block(const square *w, place at)
{
    const int64_t t = w->t;
    double *K = w->values + 3 * SIDE * SIDE * omp_get_thread_num();
    (w->goes_wide ? wide_values : direct_values)(w, at, K);
    sri_gemm(false, false, at.rows, t, at.cols, 1, K, SIDE, w->X + at.j0 * t, t, 0,
             w->part + at.j0 * t, t);
    if (at.j0 < at.i0)
        sri_gemm(true, false, at.cols, t, at.rows, 1, K, SIDE, w->X + at.i0 * t, t, 1,
                 w->Y + at.j0 * t, t);
}

/* The strip's rows of Y: what the blocks added, in order. */
static void sum_parts(const square *w, int64_t i0, int64_t rows)
{
    const int64_t size = rows * w->t;
    double *Y = w->Y + i0 * w->t;
    for (int64_t j0 = 0; j0 <= i0; j0 += SIDE)
        for (int64_t k = 0; k < size; k++)
            Y[k] += w->part[j0 * w->t + k];
}

static specreg_status multiply(specreg_context *ctx, const square *w, int threads)
{
    const int64_t n = w->n;
    for (int64_t i0 = 0; i0 < n; i0 += SIDE) {
        const int64_t rows = n - i0 < SIDE ? n - i0 : SIDE;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (rows * i0 > SERIAL)
        for (int64_t j0 = 0; j0 <= i0; j0 += SIDE)
            multiply_block(w, (place){i0, rows, j0, n - j0 < SIDE ? n - j0 : SIDE});
        sum_parts(w, i0, rows);
        SRI_CALL(sri_poll(ctx));
    }
    return SPECREG_OK;
}

specreg_status sri_kernel_square_product(specreg_context *ctx, const sri_kernel *kernel,
                                         const sri_points *points, int64_t t, const double *X,
                                         double *Y)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const sri_region region = sri_region_enter();
    const sri_kernel_matrix of = {kernel, &points->rows, points};
    const int64_t n = points->n, blocks = (n + SIDE - 1) / SIDE;
    square w = {.block = {.of = of, .cols = n},
                .n = n,
                .t = t,
                .X = X,
                .Y = Y,
                .goes_wide = sri_kernel_goes_wide(kernel, points)};
    memset(Y, 0, (size_t)(n * t) * sizeof *Y);
    SRI_SCRATCH(ctx, &scratch, w.part, blocks * SIDE, t);
    SRI_SCRATCH(ctx, &scratch, w.values, 3 * SIDE * SIDE, region.threads);
    SRI_TRY(w.goes_wide ? sri_wide_init(ctx, &scratch, kernel, points, w.wide)
                        : sri_points_pack(ctx, points));
    SRI_TRY(multiply(ctx, &w, region.threads));
    SRI_TRY(sri_kernel_check_product(ctx, &of, t, Y));
done:
    sri_region_leave(region);
    sri_arena_free(&scratch);
    return st;
}
