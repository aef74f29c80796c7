/* Products of a kernel matrix with a few columns.  The matrix is never stored: its values are used
 * while they lie in the cache they were computed in. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/threads.h"
#include "kernel/tile.h"

enum {
    WIDE_ROWS = 256,    /* of a block that one thread multiplies out at most,   */
    WIDE_COLS = 512,    /* which stays in its second cache                      */
    BETWEEN = 20000000, /* kernel values per thread between two polls           */
    SERIAL = 100000     /* those that one thread computes before others wake up */
};

typedef struct product {
    const sri_kernel *kernel;
    const sri_rows_view *rows; /* m, dense */
    const sri_points *centres;
    int64_t t;
    const double *A; /* n x t                                                            */
    double *packed;  /* for t > 1: groups of SRI_THIN columns, each n x SRI_THIN, padded */
    double *F;       /* m x t                                                            */
} product;

static specreg_status pack(specreg_context *ctx, product *w)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = w->centres->n, groups = (w->t + SRI_THIN - 1) / SRI_THIN;
    if (w->t == 1)
        return st;
    SRI_CALLOC(ctx, w->packed, groups * SRI_THIN, n);
    for (int64_t j = 0; j < n; j++)
        for (int64_t c = 0; c < w->t; c++)
            w->packed[(c / SRI_THIN * n + j) * SRI_THIN + c % SRI_THIN] = w->A[j * w->t + c];
done:
    return st;
}

/* Rows between two polls. */
static int64_t stretch(const product *w, int threads)
{
    const int64_t share = BETWEEN / w->centres->n;
    return threads * (share > WIDE_ROWS ? share : WIDE_ROWS);
}

/* Four rows times one column: four sums that do not wait for each other. */
static void four_dots(const double *K, int64_t ldk, const double *a, int64_t n, double *out)
{
    const double *k0 = K, *k1 = K + ldk, *k2 = k1 + ldk, *k3 = k2 + ldk;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
    for (int64_t j = 0; j < n; j++) {
        s0 += k0[j] * a[j];
        s1 += k1[j] * a[j];
        s2 += k2[j] * a[j];
        s3 += k3[j] * a[j];
    }
    out[0] = s0;
    out[1] = s1;
    out[2] = s2;
    out[3] = s3;
}

/* Rows i0 .. of F += weight K A, K their values with `cols` centres from `first`, ldk apart.  The
 * memory of K has a multiple of SRI_THIN_ROWS rows. */
static void multiply(const product *w, const sri_vec *vec, const double *K, int64_t ldk, int64_t i0,
                     int64_t rows, int64_t first, int64_t cols, double weight)
{
    const int64_t n = w->centres->n, t = w->t;
    double *F = w->F + i0 * t;
    for (int64_t r = 0; t == 1 && r < rows; r += 4) {
        double sum[4];
        four_dots(K + r * ldk, ldk, w->A + first, cols, sum);
        for (int64_t i = 0; i < 4 && r + i < rows; i++)
            F[r + i] += weight * sum[i];
    }
    for (int64_t r = 0; t > 1 && r < rows; r += SRI_THIN_ROWS)
        for (int64_t c = 0; c < t; c += SRI_THIN) {
            const int64_t width = t - c < SRI_THIN ? t - c : SRI_THIN;
            double Y[SRI_THIN_ROWS * SRI_THIN];
            vec->thin(K + r * ldk, ldk, cols, w->packed + c * n + first * SRI_THIN, Y);
            for (int64_t i = 0; i < SRI_THIN_ROWS && r + i < rows; i++)
                for (int64_t k = 0; k < width; k++)
                    F[(r + i) * t + c + k] += weight * Y[i * SRI_THIN + k];
        }
}

static void direct_rows(const product *w, int64_t from, int64_t to)
{
    const sri_vec *vec = sri_vec_best();
    const sri_tile_source source = {.kernel = w->kernel,
                                    .vec = vec,
                                    .rows = w->rows,
                                    .centres = w->centres};
    const int64_t n = w->centres->n;
#pragma omp parallel for schedule(dynamic, 1) if ((to - from) * n > SERIAL)
    for (int64_t i0 = from; i0 < to; i0 += SRI_TILE_ROWS) {
        double tile[SRI_TILE] = {0}, spare[SRI_TILE];
        const int64_t rows = to - i0 < SRI_TILE_ROWS ? to - i0 : SRI_TILE_ROWS;
        for (int64_t j0 = 0; j0 < n; j0 += SRI_PANEL) {
            const int64_t cols = n - j0 < SRI_PANEL ? n - j0 : SRI_PANEL;
            sri_kernel_tile(&source, i0, rows, j0 / SRI_PANEL, tile, spare);
            multiply(w, vec, tile, SRI_PANEL, i0, rows, j0, cols, 1);
        }
    }
}

static specreg_status direct(specreg_context *ctx, const product *w)
{
    specreg_status st = SPECREG_OK;
    const int64_t m = w->rows->n, step = stretch(w, omp_get_max_threads());
    for (int64_t i0 = 0; i0 < m; i0 += step) {
        direct_rows(w, i0, m - i0 < step ? m : i0 + step);
        SRI_TRY(sri_poll(ctx));
    }
done:
    return st;
}

typedef struct block_workspace { /* of one thread */
    double *x, *xq;              /* WIDE_ROWS centred rows, their norms */
    double *K;                   /* WIDE_ROWS x WIDE_COLS               */
} block_workspace;

static void wide_block(const product *w, const sri_kernel_term *term, const sri_wide *z,
                       const block_workspace *work, int64_t i0, int64_t rows)
{
    const sri_vec *vec = sri_vec_best();
    const int64_t n = w->centres->n, p = w->centres->p;
    sri_wide_centre(z, sri_view_x(w->rows, i0), rows, p, work->x, work->xq);
    for (int64_t j0 = 0; j0 < n; j0 += WIDE_COLS) {
        const int64_t cols = n - j0 < WIDE_COLS ? n - j0 : WIDE_COLS;
        sri_gemm(false, true, rows, cols, p, 1, work->x, p, z->z + j0 * p, p, 0, work->K,
                 WIDE_COLS);
        for (int64_t r0 = 0; r0 < rows; r0 += SRI_THIN_ROWS) {
            const int64_t few = rows - r0 < SRI_THIN_ROWS ? rows - r0 : SRI_THIN_ROWS;
            double *K = work->K + r0 * WIDE_COLS;
            for (int64_t r = 0; r < few; r++)
                sri_wide_values(z, term, vec, work->x + (r0 + r) * p, work->xq[r0 + r], p, j0, cols,
                                K + r * WIDE_COLS);
            multiply(w, vec, K, WIDE_COLS, i0 + r0, few, j0, cols, term->weight);
        }
    }
}

/* Blocks small enough for every thread to have one. */
static void wide_rows(const product *w, const sri_kernel_term *term, const sri_wide *z,
                      const block_workspace *workspaces, int threads, int64_t from, int64_t to)
{
    const int64_t share = (to - from) / threads / SRI_THIN_ROWS * SRI_THIN_ROWS;
    const int64_t least = share > SRI_THIN_ROWS ? share : SRI_THIN_ROWS;
    const int64_t block = least < WIDE_ROWS ? least : WIDE_ROWS;
#pragma omp parallel for schedule(dynamic, 1) \
    num_threads(threads) if ((to - from) * w->centres->n > SERIAL)
    for (int64_t i0 = from; i0 < to; i0 += block)
        wide_block(w, term, z, &workspaces[omp_get_thread_num()], i0,
                   to - i0 < block ? to - i0 : block);
}

static specreg_status workspaces_new(specreg_context *ctx, sri_arena *memory, int threads,
                                     int64_t p, block_workspace **out)
{
    specreg_status st = SPECREG_OK;
    SRI_SCRATCH(ctx, memory, *out, threads, 1);
    for (int i = 0; i < threads; i++) {
        SRI_SCRATCH(ctx, memory, (*out)[i].x, WIDE_ROWS, p);
        SRI_SCRATCH(ctx, memory, (*out)[i].xq, WIDE_ROWS, 1);
        SRI_SCRATCH_ZERO(ctx, memory, (*out)[i].K, WIDE_ROWS, WIDE_COLS);
    }
done:
    return st;
}

/* The centres are prepared once for all rows.  Each thread multiplies out its own blocks. */
static specreg_status wide(specreg_context *ctx, const product *w)
{
    specreg_status st = SPECREG_OK;
    const sri_region region = sri_region_enter();
    const int threads = region.threads;
    const int64_t m = w->rows->n, step = stretch(w, threads);
    sri_arena scratch = {0}, of_term = {0};
    sri_wide z;
    block_workspace *workspaces;
    SRI_TRY(workspaces_new(ctx, &scratch, threads, w->centres->p, &workspaces));
    for (int t = 0; t < w->kernel->n_terms; t++) {
        const sri_kernel_term *term = &w->kernel->term[t];
        SRI_TRY(sri_wide_init(ctx, &of_term, &z, term, w->centres));
        for (int64_t i0 = 0; i0 < m; i0 += step) {
            wide_rows(w, term, &z, workspaces, threads, i0, m - i0 < step ? m : i0 + step);
            SRI_TRY(sri_poll(ctx));
        }
        sri_arena_free(&of_term);
    }
done:
    sri_arena_free(&of_term);
    sri_arena_free(&scratch);
    sri_region_leave(region);
    return st;
}

/* A value of the kernel that is not finite leaves its mark in the row's sum: such rows are looked
 * at again, for the place.  (Finite values may have an infinite sum; that is no error.) */
static specreg_status check_rows(specreg_context *ctx, const product *w)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = w->centres->n;
    double *K = NULL;
    for (int64_t i = 0; i < w->rows->n; i++) {
        bool finite = true;
        for (int64_t c = 0; c < w->t; c++)
            finite = finite && isfinite(w->F[i * w->t + c]);
        if (finite)
            continue;
        if (!K)
            SRI_ALLOC(ctx, K, 1, n);
        const sri_rows_view row = sri_view_slice(w->rows, i, 1);
        SRI_TRY(sri_kernel_block(ctx, w->kernel, &row, w->centres, K, n));
    }
done:
    sri_free(K);
    return st;
}

specreg_status sri_kernel_product(specreg_context *ctx, const sri_kernel *kernel,
                                  const sri_rows_view *rows, const sri_points *centres, int64_t t,
                                  const double *A, double *F)
{
    specreg_status st = SPECREG_OK;
    product w = {.kernel = kernel, .rows = rows, .centres = centres, .t = t, .A = A, .F = F};
    memset(F, 0, (size_t)(rows->n * t) * sizeof *F);
    SRI_TRY(pack(ctx, &w));
    SRI_TRY(sri_kernel_goes_wide(kernel, centres) ? wide(ctx, &w) : direct(ctx, &w));
    SRI_TRY(check_rows(ctx, &w));
done:
    sri_free(w.packed);
    return st;
}
