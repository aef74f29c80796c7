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

/* One tile of a term that is evaluated pair by pair; 0 where there is no centre. */
static void tile_by_pairs(const sri_kernel_matrix *of, const sri_kernel_term *term, int64_t first,
                          int64_t rows, int64_t panel, double *tile)
{
    const int64_t cols = sri_panel_rows(of->centres->n, panel);
    const int64_t p = sri_picked_count(term->columns, of->rows->x.p);
    double here[SRI_PICKED_APART], there[SRI_PICKED_APART];
    for (int64_t c = cols; c < SRI_PANEL; c++)
        for (int64_t r = 0; r < rows; r++)
            tile[r * SRI_PANEL + c] = 0;
    for (int64_t c = 0; c < cols; c++) {
        sri_point z = sri_points_centre(of->centres, panel * SRI_PANEL + c);
        z.x = z.x ? sri_picked_see(term->columns, z.x, there) : NULL;
        for (int64_t r = 0; r < rows; r++) {
            const sri_point x = {.x = sri_picked_see(term->columns, sri_view_x(of->rows, first + r),
                                                     here),
                                 .label = sri_view_label(of->rows, first + r)};
            tile[r * SRI_PANEL + c] = term->ops->each(term, &x, &z, p);
        }
    }
}

/* The same by the block form of a user's kernel; rows and centres lie one after the other. */
static void tile_by_block(const sri_kernel_matrix *of, const sri_kernel_term *term, int64_t first,
                          int64_t rows, int64_t panel, double *tile)
{
    const int64_t cols = sri_panel_rows(of->centres->n, panel);
    memset(tile, 0, (size_t)(rows * SRI_PANEL) * sizeof *tile);
    sri_kernel_user_block(
        term, &(specreg_kernel_block){sri_view_x(of->rows, first),
                                      sri_points_centre(of->centres, panel * SRI_PANEL).x, rows,
                                      cols, of->rows->x.p, tile, SRI_PANEL});
}

/* Point i, and those after it up to `end` that have the same coordinates: outputs of one row. */
static int64_t same_row(const sri_rows_view *rows, int64_t i, int64_t end)
{
    const double *x = sri_view_x(rows, i);
    const size_t size = (size_t)rows->x.p * sizeof *x;
    int64_t next = i + 1;
    while (next < end && memcmp(sri_view_x(rows, next), x, size) == 0)
        next++;
    return next;
}

/* The same of a user's kernel whose values are matrices: one call for each pair of rows. */
static void tile_by_matrices(const sri_kernel_matrix *of, const sri_kernel_term *term,
                             int64_t first, int64_t rows, int64_t panel, double *tile)
{
    const sri_rows_view *left = of->rows, *right = &of->centres->rows;
    const int64_t begin = panel * SRI_PANEL, end = begin + sri_panel_rows(of->centres->n, panel);
    const int64_t T = sri_term_outputs(term), p = sri_picked_count(term->columns, left->x.p);
    double values[SRI_MATRIX_OUTPUTS * SRI_MATRIX_OUTPUTS];
    double here[SRI_PICKED_APART], there[SRI_PICKED_APART];
    memset(tile, 0, (size_t)(rows * SRI_PANEL) * sizeof *tile);
    for (int64_t j = begin, next_j; j < end; j = next_j) {
        const double *z = sri_picked_see(term->columns, sri_view_x(right, j), there);
        next_j = same_row(right, j, end);
        for (int64_t i = first, next_i; i < first + rows; i = next_i) {
            const double *x = sri_picked_see(term->columns, sri_view_x(left, i), here);
            next_i = same_row(left, i, first + rows);
            sri_kernel_user_matrix(term, x, z, p, values);
            for (int64_t r = i; r < next_i; r++)
                for (int64_t c = j; c < next_j; c++)
                    tile[(r - first) * SRI_PANEL + c - begin] =
                        values[sri_view_label(left, r) * T + sri_view_label(right, c)];
        }
    }
}

static sri_pair_fn *pair_function(const sri_vec *vec, sri_pair pair)
{
    switch (pair) {
    case SRI_PAIR_DIST1:
        return vec->dist1;
    case SRI_PAIR_DOT:
    case SRI_PAIR_COSINE:
        return vec->dot;
    case SRI_PAIR_LEAST:
        return vec->least;
    case SRI_PAIR_CHI2:
        return vec->chi2;
    case SRI_PAIR_DIFFER:
        return vec->differ;
    case SRI_PAIR_DIST2:
    case SRI_PAIR_EACH:
        break;
    }
    return vec->dist2;
}

/* 1 / sqrt of a squared norm; of 0 it is 0, and so are the products. */
static double inverse_root(double norm2)
{
    return norm2 > 0 ? 1 / sqrt(norm2) : 0;
}

/* The rows of x, p apart, and the centres of a panel that a tile has the pairs of. */
typedef struct tile_place {
    const double *x, *panel;
    int64_t rows, p;
} tile_place;

/* Products become cosines. */
static void divide_by_norms(const tile_place *at, const sri_picked *columns, double *tile)
{
    double zq[SRI_PANEL] = {0}, xq[SRI_TILE_ROWS] = {0};
    int64_t spans;
    sri_span all;
    const sri_span *span = sri_picked_spans(columns, at->p, &all, &spans);
    for (int64_t s = 0; s < spans; s++)
        for (int64_t k = span[s].first; k < span[s].end; k++) {
            for (int64_t c = 0; c < SRI_PANEL; c++)
                zq[c] += at->panel[k * SRI_PANEL + c] * at->panel[k * SRI_PANEL + c];
            for (int64_t r = 0; r < at->rows; r++)
                xq[r] += at->x[r * at->p + k] * at->x[r * at->p + k];
        }
    for (int64_t c = 0; c < SRI_PANEL; c++)
        zq[c] = inverse_root(zq[c]);
    for (int64_t r = 0; r < at->rows; r++)
        for (int64_t c = 0; c < SRI_PANEL; c++)
            tile[r * SRI_PANEL + c] *= inverse_root(xq[r]) * zq[c];
}

/* The pairs of columns that are apart: sums over a few of them at a time, which are copied. */
static void pairs_apart(sri_pair_fn *pairs, const tile_place *at, const sri_picked *columns,
                        double *tile)
{
    enum { FEW = 32 };
    double x[SRI_TILE_ROWS * FEW], z[FEW * SRI_PANEL], part[SRI_TILE];
    int64_t few = 0, done = 0;
    for (int64_t s = 0; s < columns->spans; s++)
        for (int64_t k = columns->span[s].first; k < columns->span[s].end; k++) {
            for (int64_t r = 0; r < at->rows; r++)
                x[r * FEW + few] = at->x[r * at->p + k];
            memcpy(z + few * SRI_PANEL, at->panel + k * SRI_PANEL, SRI_PANEL * sizeof *z);
            if (++few < FEW && done + few < columns->count)
                continue;
            pairs(x, FEW, at->rows, z, few, done ? part : tile);
            for (int64_t i = 0; done && i < at->rows * SRI_PANEL; i++)
                tile[i] += part[i];
            done += few;
            few = 0;
        }
}

static void pairs_at(sri_pair pair, const tile_place *at, const sri_picked *columns, double *tile)
{
    sri_pair_fn *pairs = pair_function(sri_vec_best(), pair);
    if (columns && columns->spans > 1) {
        pairs_apart(pairs, at, columns, tile);
    } else {
        const int64_t first = columns ? columns->span->first : 0;
        pairs(at->x + first, at->p, at->rows, at->panel + first * SRI_PANEL,
              sri_picked_count(columns, at->p), tile);
    }
    if (pair == SRI_PAIR_COSINE)
        divide_by_norms(at, columns, tile);
}

/* The same of a term of points that are components of vectors, where it stands beside kernels of
 * fields: its values times I. */
static void tile_by_components(const sri_kernel_matrix *of, const sri_kernel_term *term,
                               int64_t first, int64_t rows, int64_t panel, double *tile)
{
    const int64_t cols = sri_panel_rows(of->centres->n, panel), p = of->rows->x.p;
    const sri_points *all = of->centres;
    memset(tile, 0, (size_t)(rows * SRI_PANEL) * sizeof *tile);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++) {
            const sri_point z = sri_points_centre(all, panel * SRI_PANEL + c);
            const sri_point x = {.x = sri_view_x(of->rows, first + r),
                                 .label = sri_view_label(of->rows, first + r)};
            if (x.label == z.label)
                tile[r * SRI_PANEL + c] = sri_term_value(term, &x, &z, p);
        }
}

/* One tile of one term: rows `first` and on against panel number `panel`. */
static void term_tile(const sri_block *b, const sri_kernel_term *term, int64_t first, int64_t rows,
                      int64_t panel, double *tile)
{
    const sri_kernel_matrix *of = &b->of;
    const sri_pair pair = sri_term_pair(term);
    const int64_t p = of->rows->x.p;
    if ((of->centres->rows.components || of->centres->rows.vector) && !term->ops->field) {
        tile_by_components(of, term, first, rows, panel, tile);
        return;
    }
    if (pair == SRI_PAIR_EACH) {
        const bool block = term->user && term->user->block && !term->columns;
        (sri_term_is_matrix(term) && sri_term_outputs(term) ? tile_by_matrices
         : block                                            ? tile_by_block
                 : tile_by_pairs)(of, term, first, rows, panel, tile);
        return;
    }
    if (b->known) {
        memcpy(tile, sri_pairs_at(b->known, first, panel),
               (size_t)(rows * SRI_PANEL) * sizeof *tile);
    } else {
        const tile_place at = {sri_view_x(of->rows, first),
                               of->centres->panels + panel * SRI_PANEL * p, rows, p};
        pairs_at(pair, &at, term->columns, tile);
    }
    sri_term_values(term, sri_vec_best(), tile, rows * SRI_PANEL);
}

/* Multiplies kernel values of points with labels s and t by A_st: a row of A for each row of the
 * tile. */
static void couple(const sri_kernel_matrix *of, const sri_coupling *c, int64_t first, int64_t rows,
                   int64_t panel, double *tile)
{
    const int64_t cols = sri_panel_rows(of->centres->n, panel);
    int32_t label[SRI_PANEL];
    for (int64_t k = 0; k < cols; k++)
        label[k] = sri_view_label(&of->centres->rows, panel * SRI_PANEL + k);
    for (int64_t r = 0; r < rows; r++) {
        const int64_t s = sri_view_label(of->rows, first + r);
        for (int64_t k = 0; k < cols; k++)
            tile[r * SRI_PANEL + k] *= sri_coupling_at(c, s, label[k]);
    }
}

/* The weighted sum of all products, each with its A where the points have labels. */
void sri_kernel_tile(const sri_block *b, int64_t first, int64_t rows, int64_t panel, double *tile,
                     double *spare)
{
    const sri_kernel *kernel = b->of.kernel;
    const bool labelled = sri_points_labelled(b->of.centres);
    const sri_coupling *all =
        labelled && !sri_kernel_is_matrix(kernel) ? sri_kernel_coupling(kernel) : NULL;
    double product[SRI_TILE];
    for (int t = 0; t < kernel->n_terms; t++) {
        const sri_kernel_term *term = &kernel->term[t];
        const bool alone = t == 0 && sri_product_ends(kernel, t);
        double *to = alone ? tile : spare;
        term_tile(b, term, first, rows, panel, to);
        if (labelled && !all && term->coupling && !term->times && !sri_product_is_matrix(kernel, t))
            couple(&b->of, term->coupling, first, rows, panel, to);
        for (int64_t i = 0; alone && term->weight != 1 && i < rows * SRI_PANEL; i++)
            tile[i] *= term->weight;
        if (!alone)
            sri_factor_add(kernel, t, spare, product, tile, rows * SRI_PANEL);
    }
    if (all)
        couple(&b->of, all, first, rows, panel, tile);
}

/* Rows i0 and on of a tile that begins with column j0, as far as the block has them; when `full`,
 * also mirrored. */
static void store_tile(const sri_block *b, int64_t i0, int64_t rows, int64_t j0, bool full,
                       const double *tile)
{
    const int64_t cols = sri_panel_rows(b->of.centres->n, j0 / SRI_PANEL);
    for (int64_t r = 0; r < rows; r++) {
        const int64_t left = sri_block_cols(b, i0 + r) - j0, count = left < cols ? left : cols;
        if (count > 0)
            memcpy(b->K + (i0 + r) * b->ld + j0, tile + r * SRI_PANEL,
                   (size_t)count * sizeof *tile);
    }
    for (int64_t c = 0; full && c < cols; c++)
        for (int64_t r = j0 + c > i0 ? j0 + c - i0 : 0; r < rows; r++)
            b->K[(j0 + c) * b->ld + i0 + r] = tile[r * SRI_PANEL + c];
}

/* Entries times 0 add up to 0, or to NaN; in chains that do not wait for each other. */
static bool all_finite(const double *v, int64_t n)
{
    enum { CHAINS = 8, LANES = 2 };
    typedef double pair __attribute__((vector_size(LANES * 8), aligned(8), may_alias));
    pair sum[CHAINS] = {{0}};
    double rest = 0;
    int64_t j = 0;
    for (; j + CHAINS * LANES <= n; j += CHAINS * LANES)
        for (int i = 0; i < CHAINS; i++)
            sum[i] += ((const pair *)(v + j))[i] * 0.0;
    for (; j < n; j++)
        rest += v[j] * 0.0;
    for (int i = 0; i < CHAINS; i++)
        rest += sum[i][0] + sum[i][1];
    return rest == 0;
}

/* Panel by panel: it stays in the cache for all rows.  Returns whether all values are finite. */
static bool block_direct(const sri_block *b, bool full)
{
    int bad = 0;
    const int64_t m = b->of.rows->n, n = b->of.centres->n;
    const int64_t blocks = (m + SRI_TILE_ROWS - 1) / SRI_TILE_ROWS;
    const int64_t panels = sri_panel_count(n);
#pragma omp parallel for collapse(2) schedule(dynamic, 8) reduction(| : bad) if (m * n > SERIAL)
    for (int64_t panel = 0; panel < panels; panel++)
        for (int64_t i = 0; i < blocks; i++) {
            double tile[SRI_TILE], spare[SRI_TILE];
            const int64_t i0 = i * SRI_TILE_ROWS, j0 = panel * SRI_PANEL;
            const int64_t rows = m - i0 < SRI_TILE_ROWS ? m - i0 : SRI_TILE_ROWS;
            if (j0 >= sri_block_cols(b, i0 + rows - 1))
                continue;
            sri_kernel_tile(b, i0, rows, panel, tile, spare);
            bad |= !all_finite(tile, rows * SRI_PANEL);
            store_tile(b, i0, rows, j0, full, tile);
        }
    return !bad;
}

void sri_wide_centre(const sri_wide *w, const double *x, int64_t ldx, int64_t rows,
                     const sri_wide_rows *out)
{
    const int64_t p = w->p;
    int64_t spans;
    sri_span all;
    const sri_span *span = sri_picked_spans(w->columns, p, &all, &spans);
#pragma omp parallel for if (rows * p > SERIAL)
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0, *to = out->x + i * p;
        for (int64_t s = 0, done = 0; s < spans; s++) {
            const double *from = x + i * ldx + span[s].first;
            const int64_t some = span[s].end - span[s].first;
            for (int64_t k = 0; k < some; k++) {
                const double v = from[k] - w->mean[done + k];
                to[done + k] = v;
                sum += v * v;
            }
            done += some;
        }
        out->xq[i] = sum;
    }
}

/* Products need the data as they are, distances do not mind a shift. */
static specreg_status wide_init(specreg_context *ctx, sri_arena *memory, const sri_points *centres,
                                const sri_kernel_term *term, sri_wide *w)
{
    const int64_t n = centres->n, p = sri_picked_count(term->columns, centres->p);
    const double *z = centres->rows.x.x;
    *w = (sri_wide){.p = p, .columns = term->columns};
    SRI_ARENA_NEW_ZERO(ctx, memory, w->mean, p, 1);
    SRI_ARENA_NEW(ctx, memory, w->z, n, p);
    SRI_ARENA_NEW(ctx, memory, w->zq, n, 1);
    sri_wide_centre(w, z, centres->p, n, &(sri_wide_rows){w->z, w->zq});
    if (sri_term_pair(term) == SRI_PAIR_DIST2) {
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < p; k++)
                w->mean[k] += w->z[i * p + k] / (double)n;
        sri_wide_centre(w, z, centres->p, n, &(sri_wide_rows){w->z, w->zq});
    }
    for (int64_t i = 0; i < n; i++)
        w->most = w->zq[i] > w->most ? w->zq[i] : w->most;
    return SPECREG_OK;
}

specreg_status sri_wide_init(specreg_context *ctx, sri_arena *memory, const sri_kernel *kernel,
                             const sri_points *centres, sri_wide wide[SRI_KERNEL_TERMS])
{
    for (int t = 0; t < kernel->n_terms; t++) {
        const sri_kernel_term *term = &kernel->term[t];
        int like = 0;
        while (like < t && (sri_term_pair(&kernel->term[like]) != sri_term_pair(term) ||
                            !sri_picked_same(kernel->term[like].columns, term->columns)))
            like++;
        wide[t] = wide[like];
        if (like == t)
            SRI_CALL(wide_init(ctx, memory, centres, term, &wide[t]));
    }
    return SPECREG_OK;
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
static void mend_near(const sri_wide *w, sri_wide_rows row, int64_t first, int64_t cols, double *v)
{
    static const double NEAR = 1e-4;
    const double norm = *row.xq;
    if (least(v, cols) >= NEAR * (norm + w->most))
        return;
    for (int64_t c = 0; c < cols; c++) {
        if (v[c] >= NEAR * (norm + w->zq[first + c]))
            continue;
        double sum = 0;
        for (int64_t k = 0; k < w->p; k++) {
            const double d = row.x[k] - w->z[(first + c) * w->p + k];
            sum += d * d;
        }
        v[c] = sum;
    }
}

void sri_wide_values(const sri_wide *w, const sri_kernel_term *term, sri_wide_rows row,
                     int64_t first, int64_t cols, double *v)
{
    const sri_vec *vec = sri_vec_best();
    if (sri_term_pair(term) == SRI_PAIR_DIST2) {
        vec->dist_from_dot(v, cols, *row.xq, w->zq + first);
        mend_near(w, row, first, cols, v);
    }
    for (int64_t c = 0; sri_term_pair(term) == SRI_PAIR_COSINE && c < cols; c++)
        v[c] *= inverse_root(*row.xq) * inverse_root(w->zq[first + c]);
    sri_term_values(term, vec, v, cols);
}

/* What products of a block of rows need. */
typedef struct wide_work {
    sri_wide centres[SRI_KERNEL_TERMS];
    sri_wide_rows rows; /* GEMM_ROWS                                        */
    double *pairs;      /* GEMM_ROWS x n                                    */
    double *product;    /* the same, where the kernel has products; else NULL */
} wide_work;

static specreg_status wide_work_init(specreg_context *ctx, sri_arena *memory,
                                     const sri_kernel *kernel, const sri_points *centres,
                                     wide_work *work)
{
    SRI_ARENA_NEW(ctx, memory, work->rows.x, GEMM_ROWS, centres->p);
    SRI_ARENA_NEW(ctx, memory, work->rows.xq, GEMM_ROWS, 1);
    SRI_ARENA_NEW(ctx, memory, work->pairs, GEMM_ROWS, centres->n);
    work->product = NULL;
    if (sri_kernel_multiplies(kernel))
        SRI_ARENA_NEW(ctx, memory, work->product, GEMM_ROWS, centres->n);
    return sri_wide_init(ctx, memory, kernel, centres, work->centres);
}

/* Takes term number t into rows i0 and on of the block. */
static void wide_rows(const sri_block *b, const wide_work *work, int t, int64_t i0, int64_t rows)
{
    enum { PIECE = 512 }; /* stays in the first cache from step to step */
    const sri_kernel_term *term = &b->of.kernel->term[t];
    const sri_wide *w = &work->centres[t];
    const int64_t p = w->p, cols = sri_block_cols(b, i0 + rows - 1);
    sri_wide_centre(w, sri_view_x(b->of.rows, i0), b->of.rows->x.p, rows, &work->rows);
    sri_gemm(false, true, rows, cols, p, 1, work->rows.x, p, w->z, p, 0, work->pairs, cols);
#pragma omp parallel for schedule(dynamic, 8)
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c0 = 0; c0 < cols; c0 += PIECE) {
            const int64_t piece = cols - c0 < PIECE ? cols - c0 : PIECE;
            double *v = work->pairs + r * cols + c0, *to = b->K + (i0 + r) * b->ld + c0;
            sri_wide_values(w, term, (sri_wide_rows){work->rows.x + r * p, work->rows.xq + r}, c0,
                            piece, v);
            sri_factor_add(b->of.kernel, t, v, work->product ? work->product + r * cols + c0 : NULL,
                           to, piece);
        }
}

static specreg_status wide_by(specreg_context *ctx, const sri_block *b, const wide_work *work)
{
    const int64_t m = b->of.rows->n;
    for (int64_t i0 = 0; i0 < m; i0 += GEMM_ROWS) {
        SRI_CALL(sri_poll(ctx));
        for (int t = 0; t < b->of.kernel->n_terms; t++)
            wide_rows(b, work, t, i0, m - i0 < GEMM_ROWS ? m - i0 : GEMM_ROWS);
    }
    return SPECREG_OK;
}

bool sri_kernel_goes_wide(const sri_kernel *kernel, const sri_points *centres)
{
    int64_t most = 0;
    if (sri_points_labelled(centres))
        return false;
    for (int t = 0; t < kernel->n_terms; t++) {
        const sri_pair pair = sri_term_pair(&kernel->term[t]);
        const int64_t p = sri_picked_count(kernel->term[t].columns, centres->p);
        if (pair != SRI_PAIR_DIST2 && pair != SRI_PAIR_DOT && pair != SRI_PAIR_COSINE)
            return false;
        most = p > most ? p : most;
    }
    return most > GEMM_FROM;
}

/* Values too large for the kernel end here, with the place; what NaN would do later is worse. */
static specreg_status check_finite(specreg_context *ctx, const sri_block *b)
{
    int64_t bad = -1, j = 0;
#pragma omp parallel for reduction(max : bad) if (b->of.rows->n * b->of.centres->n > SERIAL)
    for (int64_t i = 0; i < b->of.rows->n; i++)
        if (!all_finite(b->K + i * b->ld, sri_block_cols(b, i)))
            bad = i > bad ? i : bad;
    if (bad < 0)
        return SPECREG_OK;
    while (isfinite(b->K[bad * b->ld + j]))
        j++;
    return sri_fail(ctx, SPECREG_E_NUMERIC,
                    "the kernel value of rows %lld and %lld is not finite: the numbers are too "
                    "large for this kernel (try --scale standard)",
                    (long long)(b->of.rows->first + bad) + 1, (long long)j + 1);
}

/* Whether the backend can fill the block; `out` describes it. */
static bool backend_fills(const specreg_context *ctx, const sri_block *b, bool full, sri_fill *out)
{
    const sri_kernel *kernel = b->of.kernel;
    const sri_points *centres = b->of.centres;
    *out = (sri_fill){.n_terms = kernel->n_terms,
                      .m = b->of.rows->n,
                      .n = centres->n,
                      .p = centres->p,
                      .x = sri_view_x(b->of.rows, 0),
                      .z = centres->rows.x.x,
                      .ldx = b->of.rows->x.p,
                      .lower = b->lower && !full};
    if (!sri_backend_of(ctx)->fill || centres->stored != SRI_STORED_DENSE ||
        sri_points_labelled(centres))
        return false;
    for (int t = 0; t < kernel->n_terms; t++) {
        const sri_kernel_term *term = &kernel->term[t];
        const sri_pair pair = sri_term_pair(term);
        if (pair > SRI_PAIR_DOT || term->times || term->columns) /* what a device need not know */
            return false;
        out->term[t] = (sri_fill_term){term->weight, pair, sri_term_map(term)};
    }
    return true;
}

static specreg_status block_wide(specreg_context *ctx, const sri_block *b)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    wide_work work;
    SRI_TRY(wide_work_init(ctx, &scratch, b->of.kernel, b->of.centres, &work));
    SRI_TRY(wide_by(ctx, b, &work));
done:
    sri_arena_free(&scratch);
    return st;
}

static specreg_status block_sparse(specreg_context *ctx, const sri_block *b)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    sri_sparse_norms norms;
    SRI_TRY(sri_sparse_prepare(ctx, &scratch, b->of.kernel, b->of.centres, &norms));
    SRI_TRY(sri_sparse_block(ctx, b, &norms));
done:
    sri_arena_free(&scratch);
    return st;
}

/* A lower triangle is mirrored when `full`. */
static specreg_status fill_block(specreg_context *ctx, const sri_block *b, bool full)
{
    sri_fill fill;
    const bool sparse = b->of.centres->stored == SRI_STORED_SPARSE && !b->known;
    const bool wide = sri_kernel_goes_wide(b->of.kernel, b->of.centres) && !b->known;
    if (backend_fills(ctx, b, full, &fill)) {
        SRI_CALL(sri_backend_of(ctx)->fill(ctx, &fill, b->K, b->ld));
    } else if (sparse || wide) {
        SRI_CALL(sparse ? block_sparse(ctx, b) : block_wide(ctx, b));
        if (full)
            sri_mirror(b->of.rows->n, b->K, b->ld);
    } else {
        SRI_CALL(sri_points_pack(ctx, b->of.centres));
        if (block_direct(b, full))
            return SPECREG_OK;
    }
    return check_finite(ctx, b);
}

/* The lower triangle of all points with all. */
static sri_block lower_block(const sri_kernel *kernel, const sri_points *points)
{
    return (sri_block){.of = {kernel, &points->rows, points},
                       .known = sri_pairs_of(kernel, points),
                       .cols = 1,
                       .lower = true};
}

specreg_status sri_kernel_gram(specreg_context *ctx, const sri_kernel *kernel,
                               const sri_points *points, bool full, double *K, int64_t ld)
{
    sri_block b = lower_block(kernel, points);
    b.K = K;
    b.ld = ld;
    return fill_block(ctx, &b, full);
}

specreg_status sri_kernel_block(specreg_context *ctx, const sri_kernel *kernel,
                                const sri_rows_view *rows, const sri_points *centres, double *K,
                                int64_t ld)
{
    const sri_block b = {.of = {kernel, rows, centres}, .cols = centres->n, .K = K, .ld = ld};
    return fill_block(ctx, &b, false);
}

typedef struct tiles {
    sri_tile_fn *put;
    void *payload;
    bool *bad; /* blocks of rows: there is a value that is not finite */
} tiles;

static void put_tile(const tiles *t, const sri_points *pts, int64_t i, int64_t j, double *tile)
{
    const int64_t rows = sri_panel_rows(pts->n, i), cols = sri_panel_rows(pts->n, j);
    for (int64_t r = 0; r < rows; r++)
        if (!all_finite(tile + r * SRI_PANEL, cols))
            t->bad[i] = true;
    t->put(t->payload, i, j, tile);
}

static specreg_status tiles_direct(specreg_context *ctx, const sri_block *all, const tiles *t)
{
    const int64_t n = all->of.centres->n, blocks = sri_panel_count(n);
    SRI_CALL(sri_points_pack(ctx, all->of.centres));
#pragma omp parallel for schedule(dynamic, 1) if (n * n > SERIAL)
    for (int64_t i = blocks - 1; i >= 0; i--) { /* long rows first, for balance */
        double tile[SRI_PANEL * SRI_PANEL], spare[SRI_TILE];
        for (int64_t j = 0; j <= i; j++) {
            for (int64_t r = 0; r < SRI_PANEL && i * SRI_PANEL + r < n; r += SRI_TILE_ROWS) {
                const int64_t i0 = i * SRI_PANEL + r;
                sri_kernel_tile(all, i0, n - i0 < SRI_TILE_ROWS ? n - i0 : SRI_TILE_ROWS, j,
                                tile + r * SRI_PANEL, spare);
            }
            put_tile(t, all->of.centres, i, j, tile);
        }
    }
    return sri_poll(ctx);
}

/* Rows i SRI_PANEL and on of K, up to the diagonal, are cut into tiles. */
static void cut_tiles(const sri_block *b, int64_t i, const tiles *t)
{
#pragma omp parallel for schedule(dynamic, 4)
    for (int64_t j = 0; j <= i; j++) {
        double tile[SRI_PANEL * SRI_PANEL];
        const int64_t cols = sri_panel_rows(b->of.centres->n, j);
        for (int64_t r = 0; r < b->of.rows->n; r++)
            memcpy(tile + r * SRI_PANEL, b->K + r * b->ld + j * SRI_PANEL,
                   (size_t)cols * sizeof *tile);
        put_tile(t, b->of.centres, i, j, tile);
    }
}

/* A block of rows at a time, which is then cut. */
static specreg_status tiles_by_rows(specreg_context *ctx, const sri_kernel *kernel,
                                    const sri_points *pts, const tiles *t)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const bool sparse = pts->stored == SRI_STORED_SPARSE;
    sri_sparse_norms norms;
    wide_work work;
    sri_rows_view rows;
    sri_block b = {.of = {kernel, &rows, pts}, .ld = pts->n};
    SRI_SCRATCH(ctx, &scratch, b.K, SRI_PANEL, pts->n);
    SRI_TRY(sparse ? sri_sparse_prepare(ctx, &scratch, kernel, pts, &norms)
                   : wide_work_init(ctx, &scratch, kernel, pts, &work));
    for (int64_t i = 0; i * SRI_PANEL < pts->n; i++) {
        rows = sri_points_rows(pts, i * SRI_PANEL, sri_panel_rows(pts->n, i));
        b.cols = i * SRI_PANEL + rows.n;
        SRI_TRY(sri_poll(ctx));
        SRI_TRY(sparse ? sri_sparse_block(ctx, &b, &norms) : wide_by(ctx, &b, &work));
        cut_tiles(&b, i, t);
    }
done:
    sri_arena_free(&scratch);
    return st;
}

/* Finds the value that is not finite among those of one block of rows. */
static specreg_status report_bad(specreg_context *ctx, const sri_kernel *kernel,
                                 const sri_points *pts, int64_t block)
{
    specreg_status st = SPECREG_OK;
    double *K = NULL;
    const sri_rows_view part =
        sri_points_rows(pts, block * SRI_PANEL, sri_panel_rows(pts->n, block));
    SRI_ALLOC(ctx, K, part.n, pts->n);
    SRI_TRY(sri_kernel_block(ctx, kernel, &part, pts, K, pts->n));
done:
    sri_free(K);
    return st;
}

specreg_status sri_kernel_tiles(specreg_context *ctx, const sri_kernel *kernel,
                                const sri_points *points, sri_tile_fn *put, void *payload)
{
    specreg_status st = SPECREG_OK;
    const int64_t blocks = sri_panel_count(points->n);
    const sri_block all = lower_block(kernel, points);
    const bool sparse = points->stored == SRI_STORED_SPARSE;
    tiles t = {.put = put, .payload = payload};
    SRI_CALLOC(ctx, t.bad, blocks, 1);
    SRI_TRY(!all.known && (sparse || sri_kernel_goes_wide(kernel, points))
                ? tiles_by_rows(ctx, kernel, points, &t)
                : tiles_direct(ctx, &all, &t));
    for (int64_t i = 0; i < blocks; i++)
        if (t.bad[i])
            SRI_TRY(report_bad(ctx, kernel, points, i));
done:
    sri_free(t.bad);
    return st;
}
