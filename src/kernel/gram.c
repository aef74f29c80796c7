/* Kernel matrices in tiles.
 *
 * A tile is SRI_TILE_ROWS rows by one panel of SRI_PANEL centres: 16 KiB, so pair quantities are
 * mapped to kernel values while they lie in the first cache and go to memory once.  With few
 * coordinates the pairs are computed directly, distances from differences: exact for equal rows.
 * With many (p > GEMM_FROM) a matrix product does it faster; the data are centred first, because
 * |x|^2 + |z|^2 - 2 <x, z> cancels, and pairs that lie close together, where too much would cancel
 * still, are computed from differences after all. */
#include <math.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/blas.h"
#include "kernel/pairs.h"
#include "kernel/sparse.h"
#include "kernel/tile.h"

enum {
    GEMM_FROM = 64,
    GEMM_ROWS = 256,
    SERIAL = 100000 /* kernel values that one thread computes before others could wake up */
};

static int64_t panel_columns(const sri_points *centres, int64_t panel)
{
    const int64_t left = centres->n - panel * SRI_PANEL;
    return left < SRI_PANEL ? left : SRI_PANEL;
}

/* One tile of a term that is evaluated pair by pair; 0 where there is no centre. */
static void tile_by_pairs(const sri_tile_source *from, const sri_kernel_term *term, int64_t first,
                          int64_t rows, int64_t panel, double *tile)
{
    const int64_t cols = panel_columns(from->centres, panel), p = from->rows->x.p;
    sri_point z[SRI_PANEL];
    for (int64_t c = 0; c < cols; c++)
        z[c] = sri_points_centre(from->centres, panel * SRI_PANEL + c);
    for (int64_t r = 0; r < rows; r++) {
        const sri_point x = {.x = sri_view_x(from->rows, first + r),
                             .label = sri_view_label(from->rows, first + r)};
        for (int64_t c = 0; c < SRI_PANEL; c++)
            tile[r * SRI_PANEL + c] = c < cols ? term->ops->each(term, &x, &z[c], p) : 0;
    }
}

/* One tile of one term: rows `first` and on against panel number `panel`. */
static void term_tile(const sri_tile_source *from, const sri_kernel_term *term, int64_t first,
                      int64_t rows, int64_t panel, double *tile)
{
    const sri_pair pair = sri_term_pair(term);
    const sri_vec *vec = from->vec;
    const int64_t p = from->rows->x.p;
    if (pair == SRI_PAIR_EACH) {
        tile_by_pairs(from, term, first, rows, panel, tile);
        return;
    }
    sri_pair_fn *fill = pair == SRI_PAIR_DOT     ? vec->dot
                        : pair == SRI_PAIR_DIST1 ? vec->dist1
                                                 : vec->dist2;
    if (from->known)
        memcpy(tile, sri_pairs_at(from->known, first, panel),
               (size_t)(rows * SRI_PANEL) * sizeof *tile);
    else
        fill(sri_view_x(from->rows, first), p, rows, from->centres->panels + panel * SRI_PANEL * p,
             p, tile);
    sri_term_values(term, vec, tile, rows * SRI_PANEL);
}

/* Multiplies kernel values of points with labels s and t by A_st: a row of A for each row of the
 * tile. */
static void couple(const sri_tile_source *from, const sri_coupling *c, int64_t first, int64_t rows,
                   int64_t panel, double *tile)
{
    const int64_t cols = panel_columns(from->centres, panel);
    int32_t label[SRI_PANEL];
    for (int64_t k = 0; k < cols; k++)
        label[k] = sri_view_label(&from->centres->rows, panel * SRI_PANEL + k);
    for (int64_t r = 0; r < rows; r++) {
        const int64_t s = sri_view_label(from->rows, first + r);
        for (int64_t k = 0; k < cols; k++)
            tile[r * SRI_PANEL + k] *= sri_coupling_at(c, s, label[k]);
    }
}

/* The weighted sum of all terms, each with its A where the points have labels. */
void sri_kernel_tile(const sri_tile_source *from, int64_t first, int64_t rows, int64_t panel,
                     double *tile, double *spare)
{
    const sri_kernel *kernel = from->kernel;
    const bool labelled = sri_points_labelled(from->centres);
    const sri_coupling *all = labelled ? sri_kernel_coupling(kernel) : NULL;
    for (int t = 0; t < kernel->n_terms; t++) {
        const sri_kernel_term *term = &kernel->term[t];
        double *to = t == 0 ? tile : spare;
        term_tile(from, term, first, rows, panel, to);
        if (labelled && !all && term->coupling)
            couple(from, term->coupling, first, rows, panel, to);
        for (int64_t i = 0; t == 0 && term->weight != 1 && i < rows * SRI_PANEL; i++)
            tile[i] *= term->weight;
        for (int64_t i = 0; t > 0 && i < rows * SRI_PANEL; i++)
            tile[i] += term->weight * spare[i];
    }
    if (all)
        couple(from, all, first, rows, panel, tile);
}

/* Copies the part of a diagonal-crossing or lower tile with column <= row, and mirrors it. */
static void store_lower(const double *tile, int64_t i0, int64_t rows, int64_t j0, int64_t cols,
                        bool full, double *K, int64_t ld)
{
    for (int64_t r = 0; r < rows; r++) {
        const int64_t count = i0 + r - j0 + 1 < cols ? i0 + r - j0 + 1 : cols;
        if (count > 0)
            memcpy(K + (i0 + r) * ld + j0, tile + r * SRI_PANEL, (size_t)count * sizeof *K);
    }
    for (int64_t c = 0; full && c < cols; c++)
        for (int64_t r = j0 + c > i0 ? j0 + c - i0 : 0; r < rows; r++)
            K[(j0 + c) * ld + i0 + r] = tile[r * SRI_PANEL + c];
}

/* All points against all; sparse ones only with pairs that are known. */
static sri_tile_source all_pairs(const sri_kernel *kernel, const sri_points *pts)
{
    return (sri_tile_source){.kernel = kernel,
                             .vec = sri_vec_best(),
                             .rows = &pts->rows,
                             .centres = pts,
                             .known = sri_pairs_of(kernel, pts)};
}

static void gram_direct(const sri_kernel *kernel, const sri_points *pts, bool full, double *K,
                        int64_t ld)
{
    const sri_tile_source from = all_pairs(kernel, pts);
    const int64_t n = pts->n, blocks = (n + SRI_TILE_ROWS - 1) / SRI_TILE_ROWS;
#pragma omp parallel for schedule(dynamic, 4) if (n * n > SERIAL)
    for (int64_t b = blocks - 1; b >= 0; b--) { /* long rows first, for balance */
        double tile[SRI_TILE], spare[SRI_TILE];
        const int64_t i0 = b * SRI_TILE_ROWS;
        const int64_t rows = n - i0 < SRI_TILE_ROWS ? n - i0 : SRI_TILE_ROWS;
        for (int64_t j0 = 0; j0 < i0 + rows; j0 += SRI_PANEL) {
            const int64_t cols = n - j0 < SRI_PANEL ? n - j0 : SRI_PANEL;
            sri_kernel_tile(&from, i0, rows, j0 / SRI_PANEL, tile, spare);
            store_lower(tile, i0, rows, j0, cols, full, K, ld);
        }
    }
}

static void block_direct(const sri_kernel *kernel, const sri_rows_view *rows_of,
                         const sri_points *centres, double *K, int64_t ld)
{
    const sri_tile_source from = {.kernel = kernel,
                                  .vec = sri_vec_best(),
                                  .rows = rows_of,
                                  .centres = centres};
    const int64_t m = rows_of->n, n = centres->n;
    const int64_t blocks = (m + SRI_TILE_ROWS - 1) / SRI_TILE_ROWS;
    const int64_t panels = (n + SRI_PANEL - 1) / SRI_PANEL;
#pragma omp parallel for collapse(2) schedule(dynamic, 8) if (m * n > SERIAL)
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t panel = 0; panel < panels; panel++) {
            double tile[SRI_TILE], spare[SRI_TILE];
            const int64_t i0 = b * SRI_TILE_ROWS, j0 = panel * SRI_PANEL;
            const int64_t rows = m - i0 < SRI_TILE_ROWS ? m - i0 : SRI_TILE_ROWS;
            const int64_t cols = n - j0 < SRI_PANEL ? n - j0 : SRI_PANEL;
            sri_kernel_tile(&from, i0, rows, panel, tile, spare);
            for (int64_t r = 0; r < rows; r++)
                memcpy(K + (i0 + r) * ld + j0, tile + r * SRI_PANEL, (size_t)cols * sizeof *K);
        }
}

void sri_wide_centre(const sri_wide *w, const double *x, int64_t rows, int64_t p, double *out,
                     double *norm)
{
#pragma omp parallel for if (rows * p > SERIAL)
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0;
        for (int64_t k = 0; k < p; k++) {
            const double v = x[i * p + k] - w->mean[k];
            out[i * p + k] = v;
            sum += v * v;
        }
        norm[i] = sum;
    }
}

/* Products need the data as they are, distances do not mind a shift. */
specreg_status sri_wide_init(specreg_context *ctx, sri_arena *memory, sri_wide *w,
                             const sri_kernel_term *term, const sri_points *centres)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = centres->n, p = centres->p;
    const double *z = centres->rows.x.x;
    *w = (sri_wide){0};
    SRI_SCRATCH_ZERO(ctx, memory, w->mean, p, 1);
    SRI_SCRATCH(ctx, memory, w->z, n, p);
    SRI_SCRATCH(ctx, memory, w->zq, n, 1);
    if (sri_term_pair(term) == SRI_PAIR_DIST2)
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < p; k++)
                w->mean[k] += z[i * p + k] / (double)n;
    sri_wide_centre(w, z, n, p, w->z, w->zq);
    for (int64_t i = 0; i < n; i++)
        w->most = w->zq[i] > w->most ? w->zq[i] : w->most;
done:
    return st;
}

/* In four chains that do not wait for each other. */
static double least(const double *v, int64_t n)
{
    double m[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    int64_t j = 0;
    for (; j + 4 <= n; j += 4)
        for (int i = 0; i < 4; i++)
            m[i] = v[j + i] < m[i] ? v[j + i] : m[i];
    for (; j < n; j++)
        m[0] = v[j] < m[0] ? v[j] : m[0];
    return fmin(fmin(m[0], m[1]), fmin(m[2], m[3]));
}

/* Distances that the product got wrong: those below NEAR of the norms lost four digits or more (a
 * kernel with a corner at 0 would show the square root of that), and norms that overflow.  They are
 * rare: most of the time one look at the least of them is enough. */
static void mend_near(const sri_wide *w, const double *row, double norm, int64_t p, int64_t first,
                      int64_t cols, double *v)
{
    static const double NEAR = 1e-4;
    if (least(v, cols) >= NEAR * (norm + w->most))
        return;
    for (int64_t c = 0; c < cols; c++) {
        if (v[c] >= NEAR * (norm + w->zq[first + c]))
            continue;
        double sum = 0;
        for (int64_t k = 0; k < p; k++) {
            const double d = row[k] - w->z[(first + c) * p + k];
            sum += d * d;
        }
        v[c] = sum;
    }
}

void sri_wide_values(const sri_wide *w, const sri_kernel_term *term, const sri_vec *vec,
                     const double *row, double norm, int64_t p, int64_t first, int64_t cols,
                     double *v)
{
    if (sri_term_pair(term) == SRI_PAIR_DIST2) {
        vec->dist_from_dot(v, cols, norm, w->zq + first);
        mend_near(w, row, norm, p, first, cols, v);
    }
    sri_term_values(term, vec, v, cols);
}

typedef struct wide_workspace { /* of a block of rows */
    double *x, *xq;             /* GEMM_ROWS centred rows, their norms */
    double *pairs;              /* GEMM_ROWS x n                       */
} wide_workspace;

static specreg_status workspace_init(specreg_context *ctx, sri_arena *memory, wide_workspace *work,
                                     int64_t p, int64_t n)
{
    specreg_status st = SPECREG_OK;
    SRI_SCRATCH(ctx, memory, work->x, GEMM_ROWS, p);
    SRI_SCRATCH(ctx, memory, work->xq, GEMM_ROWS, 1);
    SRI_SCRATCH(ctx, memory, work->pairs, GEMM_ROWS, n);
done:
    return st;
}

/* K[0..rows) x [0..cols) (+)= weight * k(x rows, first `cols` centres). */
static void wide_rows(const sri_kernel_term *term, const sri_wide *w, wide_workspace *work,
                      const double *x, int64_t rows, int64_t p, int64_t cols, bool add, double *K,
                      int64_t ld)
{
    const sri_vec *vec = sri_vec_best();
    enum { PIECE = 512 }; /* stays in the first cache from step to step */
    sri_wide_centre(w, x, rows, p, work->x, work->xq);
    sri_gemm(false, true, rows, cols, p, 1, work->x, p, w->z, p, 0, work->pairs, cols);
#pragma omp parallel for schedule(dynamic, 8)
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c0 = 0; c0 < cols; c0 += PIECE) {
            const int64_t piece = cols - c0 < PIECE ? cols - c0 : PIECE;
            double *v = work->pairs + r * cols + c0, *to = K + r * ld + c0;
            sri_wide_values(w, term, vec, work->x + r * p, work->xq[r], p, c0, piece, v);
#pragma omp simd
            for (int64_t c = 0; c < piece; c++)
                to[c] = term->weight * v[c] + (add ? to[c] : 0);
        }
}

/* Rows against the centres; lower: row i needs only the centres up to i. */
static specreg_status block_wide(specreg_context *ctx, const sri_kernel *kernel,
                                 const sri_rows_view *rows_of, const sri_points *centres,
                                 bool lower, double *K, int64_t ld)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0}, of_term = {0};
    const int64_t m = rows_of->n, p = centres->p;
    sri_wide w;
    wide_workspace work;
    SRI_TRY(workspace_init(ctx, &scratch, &work, p, centres->n));
    for (int t = 0; t < kernel->n_terms; t++) {
        SRI_TRY(sri_wide_init(ctx, &of_term, &w, &kernel->term[t], centres));
        for (int64_t i0 = 0; i0 < m; i0 += GEMM_ROWS) {
            const int64_t rows = m - i0 < GEMM_ROWS ? m - i0 : GEMM_ROWS;
            SRI_TRY(sri_poll(ctx));
            wide_rows(&kernel->term[t], &w, &work, sri_view_x(rows_of, i0), rows, p,
                      lower ? i0 + rows : centres->n, t > 0, K + i0 * ld, ld);
        }
        sri_arena_free(&of_term);
    }
done:
    sri_arena_free(&of_term);
    sri_arena_free(&scratch);
    return st;
}

/* Entries times 0 add up to 0, or to NaN; in chains that do not wait for each other. */
static bool all_finite(const double *v, int64_t n)
{
    enum { CHAINS = 4 };
    double sum[CHAINS] = {0};
    int64_t j = 0;
    for (; j + CHAINS <= n; j += CHAINS)
        for (int i = 0; i < CHAINS; i++)
            sum[i] += v[j + i] * 0.0;
    for (; j < n; j++)
        sum[0] += v[j] * 0.0;
    for (int i = 1; i < CHAINS; i++)
        sum[0] += sum[i];
    return sum[0] == 0;
}

typedef struct tiles {
    sri_tile_fn *put;
    void *payload;
    bool *bad; /* blocks of rows: there is a value that is not finite */
} tiles;

static void put_tile(const tiles *t, const sri_points *pts, int64_t i, int64_t j, double *tile)
{
    const int64_t rows = pts->n - i * SRI_PANEL, cols = pts->n - j * SRI_PANEL;
    for (int64_t r = 0; r < SRI_PANEL && r < rows; r++)
        if (!all_finite(tile + r * SRI_PANEL, cols < SRI_PANEL ? cols : SRI_PANEL))
            t->bad[i] = true;
    t->put(t->payload, i, j, tile);
}

static specreg_status tiles_direct(specreg_context *ctx, const sri_kernel *kernel,
                                   const sri_points *pts, const tiles *t)
{
    const sri_tile_source from = all_pairs(kernel, pts);
    const int64_t n = pts->n, blocks = (n + SRI_PANEL - 1) / SRI_PANEL;
#pragma omp parallel for schedule(dynamic, 1) if (n * n > SERIAL)
    for (int64_t i = blocks - 1; i >= 0; i--) { /* long rows first, for balance */
        double tile[SRI_PANEL * SRI_PANEL], spare[SRI_TILE];
        for (int64_t j = 0; j <= i; j++) {
            for (int64_t r = 0; r < SRI_PANEL && i * SRI_PANEL + r < n; r += SRI_TILE_ROWS) {
                const int64_t i0 = i * SRI_PANEL + r;
                sri_kernel_tile(&from, i0, n - i0 < SRI_TILE_ROWS ? n - i0 : SRI_TILE_ROWS, j,
                                tile + r * SRI_PANEL, spare);
            }
            put_tile(t, pts, i, j, tile);
        }
    }
    return sri_poll(ctx);
}

/* Rows i SRI_PANEL and on of K, up to the diagonal, are cut into tiles. */
static void cut_tiles(const sri_points *pts, int64_t i, int64_t rows, const double *K,
                      const tiles *t)
{
    const int64_t n = pts->n;
#pragma omp parallel for schedule(dynamic, 4)
    for (int64_t j = 0; j <= i; j++) {
        double tile[SRI_PANEL * SRI_PANEL];
        const int64_t j0 = j * SRI_PANEL, cols = n - j0 < SRI_PANEL ? n - j0 : SRI_PANEL;
        for (int64_t r = 0; r < rows; r++)
            memcpy(tile + r * SRI_PANEL, K + r * n + j0, (size_t)cols * sizeof *tile);
        put_tile(t, pts, i, j, tile);
    }
}

static specreg_status tiles_sparse(specreg_context *ctx, const sri_kernel *kernel,
                                   const sri_points *pts, const tiles *t)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = pts->n, blocks = (n + SRI_PANEL - 1) / SRI_PANEL;
    double *K = NULL;
    SRI_CALLOC(ctx, K, SRI_PANEL, n);
    for (int64_t i = 0; i < blocks; i++) {
        const int64_t i0 = i * SRI_PANEL, rows = n - i0 < SRI_PANEL ? n - i0 : SRI_PANEL;
        const sri_matrix part = sri_matrix_slice(&pts->rows.x, i0, rows);
        SRI_TRY(sri_poll(ctx));
        SRI_TRY(sri_sparse_block(ctx, kernel, &part, pts, i0 + rows, false, K, n));
        cut_tiles(pts, i, rows, K, t);
    }
done:
    sri_free(K);
    return st;
}

/* A block of rows at a time by a product, which is then cut into tiles. */
static specreg_status tiles_wide(specreg_context *ctx, const sri_kernel *kernel,
                                 const sri_points *pts, const tiles *t)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = pts->n, p = pts->p, blocks = (n + SRI_PANEL - 1) / SRI_PANEL;
    sri_arena scratch = {0};
    sri_wide w[SRI_KERNEL_TERMS];
    wide_workspace work;
    double *K;
    SRI_SCRATCH(ctx, &scratch, K, SRI_PANEL, n);
    SRI_TRY(workspace_init(ctx, &scratch, &work, p, n));
    for (int k = 0; k < kernel->n_terms; k++)
        SRI_TRY(sri_wide_init(ctx, &scratch, &w[k], &kernel->term[k], pts));
    for (int64_t i = 0; i < blocks; i++) {
        const int64_t i0 = i * SRI_PANEL, rows = n - i0 < SRI_PANEL ? n - i0 : SRI_PANEL;
        SRI_TRY(sri_poll(ctx));
        for (int k = 0; k < kernel->n_terms; k++)
            wide_rows(&kernel->term[k], &w[k], &work, sri_view_x(&pts->rows, i0), rows, p,
                      i0 + rows, k > 0, K, n);
        cut_tiles(pts, i, rows, K, t);
    }
done:
    sri_arena_free(&scratch);
    return st;
}

void sri_kernel_mirror(double *K, int64_t n, int64_t ld)
{
    enum { B = 64 };
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t i0 = 0; i0 < n; i0 += B)
        for (int64_t j0 = 0; j0 <= i0; j0 += B)
            for (int64_t i = i0; i < i0 + B && i < n; i++)
                for (int64_t j = j0; j < j0 + B && j < i; j++)
                    K[j * ld + i] = K[i * ld + j];
}

bool sri_kernel_goes_wide(const sri_kernel *kernel, const sri_points *centres)
{
    if (sri_points_labelled(centres))
        return false;
    for (int t = 0; t < kernel->n_terms; t++) {
        const sri_pair pair = sri_term_pair(&kernel->term[t]);
        if (pair == SRI_PAIR_EACH || pair == SRI_PAIR_DIST1)
            return false;
    }
    return centres->p > GEMM_FROM;
}

/* Values too large for the kernel end here, with the place; what NaN would do later is worse.  K
 * begins with row `first` of what the user has. */
static specreg_status check_finite(specreg_context *ctx, const double *K, int64_t rows,
                                   int64_t cols, int64_t ld, bool lower, int64_t first)
{
    int64_t bad = -1;
#pragma omp parallel for reduction(max : bad) if (rows * cols > SERIAL)
    for (int64_t i = 0; i < rows; i++) {
        const int64_t count = lower ? i + 1 : cols;
        if (!all_finite(K + i * ld, count))
            bad = i > bad ? i : bad;
    }
    if (bad < 0)
        return SPECREG_OK;
    int64_t j = 0;
    while (isfinite(K[bad * ld + j]))
        j++;
    return sri_fail(ctx, SPECREG_E_NUMERIC,
                    "the kernel value of rows %lld and %lld is not finite: the numbers are too "
                    "large for this kernel (try --scale standard)",
                    (long long)(first + bad) + 1, (long long)j + 1);
}

/* Whether the backend can fill a matrix with these centres; `out` describes it, but for the
 * rows. */
static bool backend_fills(const specreg_context *ctx, const sri_kernel *kernel,
                          const sri_points *centres, sri_fill *out)
{
    const double *z = centres->rows.x.x;
    *out = (sri_fill){.n_terms = kernel->n_terms, .n = centres->n, .p = centres->p, .z = z};
    if (!sri_backend_of(ctx)->fill || centres->stored != SRI_STORED_DENSE ||
        sri_points_labelled(centres))
        return false;
    for (int t = 0; t < kernel->n_terms; t++) {
        const sri_kernel_term *term = &kernel->term[t];
        const sri_pair pair = sri_term_pair(term);
        if (pair == SRI_PAIR_EACH)
            return false;
        out->term[t] = (sri_fill_term){term->weight, pair, sri_term_map(term)};
    }
    return true;
}

specreg_status sri_kernel_gram(specreg_context *ctx, const sri_kernel *kernel,
                               const sri_points *points, bool full, double *K, int64_t ld)
{
    specreg_status st = SPECREG_OK;
    const bool known = sri_pairs_of(kernel, points) != NULL;
    sri_fill fill;
    if (backend_fills(ctx, kernel, points, &fill)) {
        fill.m = points->n;
        fill.x = points->rows.x.x;
        fill.ldx = points->p;
        fill.lower = !full;
        SRI_TRY(sri_backend_of(ctx)->fill(ctx, &fill, K, ld));
    } else if (points->stored == SRI_STORED_SPARSE && !known) {
        SRI_TRY(sri_sparse_block(ctx, kernel, &points->rows.x, points, 1, true, K, ld));
        if (full)
            sri_kernel_mirror(K, points->n, ld);
    } else if (sri_kernel_goes_wide(kernel, points) && !known) {
        SRI_TRY(block_wide(ctx, kernel, &points->rows, points, true, K, ld));
        if (full)
            sri_kernel_mirror(K, points->n, ld);
    } else {
        gram_direct(kernel, points, full, K, ld);
    }
    SRI_TRY(check_finite(ctx, K, points->n, points->n, ld, true, 0));
done:
    return st;
}

specreg_status sri_kernel_block(specreg_context *ctx, const sri_kernel *kernel,
                                const sri_rows_view *rows, const sri_points *centres, double *K,
                                int64_t ld)
{
    specreg_status st = SPECREG_OK;
    sri_fill fill;
    if (backend_fills(ctx, kernel, centres, &fill)) {
        fill.m = rows->n;
        fill.x = sri_view_x(rows, 0);
        fill.ldx = rows->x.p;
        SRI_TRY(sri_backend_of(ctx)->fill(ctx, &fill, K, ld));
    } else if (centres->stored == SRI_STORED_SPARSE) {
        const sri_matrix x = sri_view_matrix(rows);
        SRI_TRY(sri_sparse_block(ctx, kernel, &x, centres, centres->n, false, K, ld));
    } else if (sri_kernel_goes_wide(kernel, centres)) {
        SRI_TRY(block_wide(ctx, kernel, rows, centres, false, K, ld));
    } else {
        block_direct(kernel, rows, centres, K, ld);
    }
    SRI_TRY(check_finite(ctx, K, rows->n, centres->n, ld, false, rows->first));
done:
    return st;
}

/* Finds the value that is not finite among those of one block of rows. */
static specreg_status report_bad(specreg_context *ctx, const sri_kernel *kernel,
                                 const sri_points *pts, int64_t block)
{
    specreg_status st = SPECREG_OK;
    const int64_t i0 = block * SRI_PANEL, n = pts->n;
    const int64_t rows = n - i0 < SRI_PANEL ? n - i0 : SRI_PANEL;
    double *K = NULL;
    const sri_rows_view part = sri_points_rows(pts, i0, rows);
    SRI_ALLOC(ctx, K, rows, n);
    SRI_TRY(sri_kernel_block(ctx, kernel, &part, pts, K, n));
done:
    sri_free(K);
    return st;
}

specreg_status sri_kernel_tiles(specreg_context *ctx, const sri_kernel *kernel,
                                const sri_points *points, sri_tile_fn *put, void *payload)
{
    specreg_status st = SPECREG_OK;
    const int64_t blocks = (points->n + SRI_PANEL - 1) / SRI_PANEL;
    tiles t = {.put = put, .payload = payload};
    SRI_CALLOC(ctx, t.bad, blocks, 1);
    const bool known = sri_pairs_of(kernel, points) != NULL;
    if (points->stored == SRI_STORED_SPARSE && !known)
        SRI_TRY(tiles_sparse(ctx, kernel, points, &t));
    else if (sri_kernel_goes_wide(kernel, points) && !known)
        SRI_TRY(tiles_wide(ctx, kernel, points, &t));
    else
        SRI_TRY(tiles_direct(ctx, kernel, points, &t));
    for (int64_t i = 0; i < blocks; i++)
        if (t.bad[i])
            SRI_TRY(report_bad(ctx, kernel, points, i));
done:
    sri_free(t.bad);
    return st;
}

/* The pair quantity of a point with itself. */
static double pair_with_itself(const sri_kernel_term *term, const sri_points *points, int64_t i)
{
    const sri_pair pair = sri_term_pair(term);
    const sri_point x = sri_points_centre(points, i);
    double sum = 0;
    if (pair == SRI_PAIR_EACH)
        return term->ops->each(term, &x, &x, points->p);
    if (pair == SRI_PAIR_DOT && points->stored == SRI_STORED_SPARSE)
        return points->norm2[i];
    for (int64_t k = 0; pair == SRI_PAIR_DOT && k < points->p; k++)
        sum += x.x[k] * x.x[k];
    return sum;
}

specreg_status sri_kernel_diagonal(specreg_context *ctx, const sri_kernel *kernel,
                                   const sri_points *points, double *diagonal)
{
    specreg_status st = SPECREG_OK;
    const sri_vec *vec = sri_vec_best();
    const bool labelled = sri_points_labelled(points);
    double *v = NULL;
    SRI_ALLOC(ctx, v, points->n, 1);
    memset(diagonal, 0, (size_t)points->n * sizeof *diagonal);
    for (int t = 0; t < kernel->n_terms; t++) {
        const sri_kernel_term *term = &kernel->term[t];
        for (int64_t i = 0; i < points->n; i++)
            v[i] = pair_with_itself(term, points, i);
        if (sri_term_pair(term) != SRI_PAIR_EACH)
            sri_term_values(term, vec, v, points->n);
        for (int64_t i = 0; i < points->n; i++) {
            const int64_t s = sri_view_label(&points->rows, i);
            const double A = labelled && term->coupling ? sri_coupling_at(term->coupling, s, s) : 1;
            diagonal[i] += term->weight * A * v[i];
        }
    }
done:
    sri_free(v);
    return st;
}
