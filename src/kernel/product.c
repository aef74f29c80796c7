/* Products of a kernel matrix with a few columns.  The matrix is never stored: its values are used
 * while they lie in the cache they were computed in. */
#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/threads.h"
#include "core/openmp.h"
#include "kernel/tile.h"

enum {
    WIDE_ROWS = 256,    /* of a block that one thread multiplies out at most,   */
    WIDE_COLS = 512,    /* which stays in its second cache                      */
    BETWEEN = 20000000, /* kernel values per thread between two polls           */
    SERIAL = 100000     /* those that one thread computes before others wake up */
};

typedef struct block_workspace { /* of one thread */
    sri_wide_rows rows;          /* WIDE_ROWS             */
    double *K, *product;         /* WIDE_ROWS x WIDE_COLS */
} block_workspace;

typedef struct product {
    sri_block block; /* of dense rows, not stored */
    int64_t t;
    const double *A; /* n x t                                                            */
    double *packed;  /* for t > 1: groups of SRI_THIN columns, each n x SRI_THIN, padded */
    double *F;       /* m x t                                                            */
    /* Where pairs come from matrix products: the centres, and memory of each thread. */
    sri_wide wide[SRI_KERNEL_TERMS];
    int threads;
    block_workspace *workspaces;
} product;

/* Values of rows i0 and on with centres `first` and on, ldk apart; the memory of K has a multiple
 * of SRI_THIN_ROWS rows. */
typedef struct piece {
    const double *K;
    int64_t ldk, i0, rows, first, cols;
} piece;

static specreg_status pack(specreg_context *ctx, sri_arena *memory, product *w)
{
    const int64_t n = w->block.of.centres->n, groups = (w->t + SRI_THIN - 1) / SRI_THIN;
    if (w->t == 1)
        return SPECREG_OK;
    SRI_ARENA_NEW_ZERO(ctx, memory, w->packed, groups * SRI_THIN, n);
    for (int64_t j = 0; j < n; j++)
        for (int64_t c = 0; c < w->t; c++)
            w->packed[(c / SRI_THIN * n + j) * SRI_THIN + c % SRI_THIN] = w->A[j * w->t + c];
    return SPECREG_OK;
}

/* Rows between two polls. */
static int64_t stretch(const product *w, int threads)
{
    const int64_t share = BETWEEN / w->block.of.centres->n;
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

/* F += weight K A in the rows of a piece. */
static void multiply(const product *w, const piece *k, double weight)
{
    const int64_t n = w->block.of.centres->n, t = w->t, rows = k->rows;
    double *F = w->F + k->i0 * t;
    for (int64_t r = 0; t == 1 && r < rows; r += 4) {
        double sum[4];
        four_dots(k->K + r * k->ldk, k->ldk, w->A + k->first, k->cols, sum);
        for (int64_t i = 0; i < 4 && r + i < rows; i++)
            F[r + i] += weight * sum[i];
    }
    for (int64_t r = 0; t > 1 && r < rows; r += SRI_THIN_ROWS)
        for (int64_t c = 0; c < t; c += SRI_THIN) {
            const int64_t width = t - c < SRI_THIN ? t - c : SRI_THIN;
            double Y[SRI_THIN_ROWS * SRI_THIN];
            sri_vec_best()->thin(k->K + r * k->ldk, k->ldk, k->cols,
                                 w->packed + c * n + k->first * SRI_THIN, Y);
            for (int64_t i = 0; i < SRI_THIN_ROWS && r + i < rows; i++)
                for (int64_t j = 0; j < width; j++)
                    F[(r + i) * t + c + j] += weight * Y[i * SRI_THIN + j];
        }
}

static void direct_rows(const product *w, int64_t from, int64_t to)
{
    const int64_t n = w->block.of.centres->n;
#pragma omp parallel for schedule(dynamic, 1) if ((to - from) * n > SERIAL)
    for (int64_t i0 = from; i0 < to; i0 += SRI_TILE_ROWS) {
        double tile[SRI_TILE] = {0}, spare[SRI_TILE];
        const int64_t rows = to - i0 < SRI_TILE_ROWS ? to - i0 : SRI_TILE_ROWS;
        for (int64_t j0 = 0; j0 < n; j0 += SRI_PANEL) {
            const int64_t cols = n - j0 < SRI_PANEL ? n - j0 : SRI_PANEL;
            sri_kernel_tile(&w->block, i0, rows, j0 / SRI_PANEL, tile, spare);
            multiply(w, &(piece){tile, SRI_PANEL, i0, rows, j0, cols}, 1);
        }
    }
}

static specreg_status direct(specreg_context *ctx, const product *w)
{
    const int64_t m = w->block.of.rows->n, step = stretch(w, omp_get_max_threads());
    SRI_CALL(sri_points_pack(ctx, w->block.of.centres));
    for (int64_t i0 = 0; i0 < m; i0 += step) {
        direct_rows(w, i0, m - i0 < step ? m : i0 + step);
        SRI_CALL(sri_poll(ctx));
    }
    return SPECREG_OK;
}

/* Values of term t in one row of a block whose products are in K, times those of the factors before
 * it. */
static void wide_values(const product *w, const block_workspace *work, int t, const piece *at,
                        int64_t r)
{
    const sri_wide *z = &w->wide[t];
    double *v = work->K + r * WIDE_COLS;
    const double *before = work->product + r * WIDE_COLS;
    sri_wide_values(z, &w->block.of.kernel->term[t],
                    (sri_wide_rows){work->rows.x + r * z->p, work->rows.xq + r}, at->first,
                    at->cols, v);
    for (int64_t c = 0; w->block.of.kernel->term[t].times && c < at->cols; c++)
        v[c] *= before[c];
}

/* Adds what term t, which ends its product, and the factors before it make. */
static void wide_multiply(const product *w, const block_workspace *work, int t, const piece *at)
{
    const sri_kernel *kernel = w->block.of.kernel;
    const double weight = kernel->term[sri_product_begin(kernel, t)].weight;
    for (int64_t r0 = 0; r0 < at->rows; r0 += SRI_THIN_ROWS) {
        const int64_t few = at->rows - r0 < SRI_THIN_ROWS ? at->rows - r0 : SRI_THIN_ROWS;
        const double *K = work->K + r0 * WIDE_COLS;
        for (int64_t r = r0; r < r0 + few; r++)
            wide_values(w, work, t, at, r);
        multiply(w, &(piece){K, WIDE_COLS, at->i0 + r0, few, at->first, at->cols}, weight);
    }
}

/* The product of the factors from `first` on. */
static void wide_block(const product *w, int first, int64_t i0, int64_t rows)
{
    const block_workspace *work = &w->workspaces[omp_get_thread_num()];
    const sri_kernel *kernel = w->block.of.kernel;
    const sri_rows_view *x = w->block.of.rows;
    const int64_t n = w->block.of.centres->n;
    const bool several = !sri_product_ends(kernel, first);
    for (int64_t j0 = 0; j0 < n; j0 += WIDE_COLS) {
        const int64_t cols = n - j0 < WIDE_COLS ? n - j0 : WIDE_COLS;
        const piece at = {work->K, WIDE_COLS, i0, rows, j0, cols};
        for (int t = first;; t++) {
            const sri_wide *z = &w->wide[t];
            if (several || j0 == 0)
                sri_wide_centre(z, sri_view_x(x, i0), x->x.p, rows, &work->rows);
            sri_gemm(false, true, rows, cols, z->p, 1, work->rows.x, z->p, z->z + j0 * z->p, z->p,
                     0, work->K, WIDE_COLS);
            if (sri_product_ends(kernel, t)) {
                wide_multiply(w, work, t, &at);
                break;
            }
            for (int64_t r = 0; r < rows; r++) {
                wide_values(w, work, t, &at, r);
                memcpy(work->product + r * WIDE_COLS, work->K + r * WIDE_COLS,
                       (size_t)cols * sizeof *work->K);
            }
        }
    }
}

/* Blocks small enough for every thread to have one. */
static void wide_rows(const product *w, int first, int64_t from, int64_t to)
{
    const int64_t share = (to - from) / w->threads / SRI_THIN_ROWS * SRI_THIN_ROWS;
    const int64_t least = share > SRI_THIN_ROWS ? share : SRI_THIN_ROWS;
    const int64_t block = least < WIDE_ROWS ? least : WIDE_ROWS;
#pragma omp parallel for schedule(dynamic, 1) \
    num_threads(w->threads) if ((to - from) * w->block.of.centres->n > SERIAL)
    for (int64_t i0 = from; i0 < to; i0 += block)
        wide_block(w, first, i0, to - i0 < block ? to - i0 : block);
}

static specreg_status workspaces_new(specreg_context *ctx, sri_arena *memory, product *w)
{
    SRI_ARENA_NEW(ctx, memory, w->workspaces, w->threads, 1);
    for (int i = 0; i < w->threads; i++) {
        SRI_ARENA_NEW(ctx, memory, w->workspaces[i].rows.x, WIDE_ROWS, w->block.of.centres->p);
        SRI_ARENA_NEW(ctx, memory, w->workspaces[i].rows.xq, WIDE_ROWS, 1);
        SRI_ARENA_NEW_ZERO(ctx, memory, w->workspaces[i].K, WIDE_ROWS, WIDE_COLS);
        SRI_ARENA_NEW(ctx, memory, w->workspaces[i].product, WIDE_ROWS, WIDE_COLS);
    }
    return SPECREG_OK;
}

/* The centres are prepared once for all rows.  Each thread multiplies out its own blocks. */
static specreg_status wide(specreg_context *ctx, sri_arena *memory, product *w)
{
    specreg_status st = SPECREG_OK;
    const sri_region region = sri_region_enter();
    const sri_kernel *kernel = w->block.of.kernel;
    const int64_t m = w->block.of.rows->n, step = stretch(w, region.threads);
    w->threads = region.threads;
    SRI_TRY(workspaces_new(ctx, memory, w));
    SRI_TRY(sri_wide_init(ctx, memory, kernel, w->block.of.centres, w->wide));
    for (int t = 0; t < kernel->n_terms; t++)
        for (int64_t i0 = 0; !kernel->term[t].times && i0 < m; i0 += step) {
            wide_rows(w, t, i0, m - i0 < step ? m : i0 + step);
            SRI_TRY(sri_poll(ctx));
        }
done:
    sri_region_leave(region);
    return st;
}

/* A value of the kernel that is not finite leaves its mark in the row's sum: such rows are looked
 * at again, for the place. */
specreg_status sri_kernel_check_product(specreg_context *ctx, const sri_kernel_matrix *of,
                                        int64_t t, const double *F)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = of->centres->n;
    double *K = NULL;
    for (int64_t i = 0; i < of->rows->n; i++) {
        bool finite = true;
        for (int64_t c = 0; c < t; c++)
            finite = finite && isfinite(F[i * t + c]);
        if (finite)
            continue;
        if (!K)
            SRI_ALLOC(ctx, K, 1, n);
        const sri_rows_view row = sri_view_slice(of->rows, i, 1);
        SRI_TRY(sri_kernel_block(ctx, of->kernel, &row, of->centres, K, n));
    }
done:
    sri_free(K);
    return st;
}

specreg_status sri_kernel_product(specreg_context *ctx, const sri_kernel_matrix *K, int64_t t,
                                  const double *A, double *F)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    product w = {.block = {.of = *K}, .t = t, .A = A, .F = F};
    memset(F, 0, (size_t)(K->rows->n * t) * sizeof *F);
    SRI_TRY(pack(ctx, &scratch, &w));
    SRI_TRY(sri_kernel_goes_wide(K->kernel, K->centres) ? wide(ctx, &scratch, &w)
                                                        : direct(ctx, &w));
    SRI_TRY(sri_kernel_check_product(ctx, K, t, F));
done:
    sri_arena_free(&scratch);
    return st;
}
