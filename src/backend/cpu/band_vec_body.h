/* The one source of these loops; see vec_body.h for what the including file defines. */
#include <math.h>
#include <string.h>

#include "backend/cpu/vec_table.h"

typedef double vd __attribute__((vector_size(LANES * 8), aligned(8), may_alias));

/* 12 sums in registers; with more rows more products would fall outside of the band. */
enum { ROWS = SRI_SUBSTITUTION_ROWS, PARTS = 3, STRIDE = PARTS * LANES };
enum { C = SRI_SUBSTITUTION_COLUMNS, WINDOW = 512 };
_Static_assert(C % STRIDE == 0, "columns come in whole register tiles");

/* A factor is packed for substitution in strips of ROWS rows: the `depth` columns left of its
 * diagonal block, each ROWS numbers, then the columns of that block with the diagonal inverted. */

static int64_t strips(int64_t n)
{
    return (n + ROWS - 1) / ROWS;
}

static int64_t packed_size(int64_t n, int64_t width)
{
    return strips(n) * (width + ROWS) * ROWS;
}

static int64_t depth_at(int64_t row, int64_t width)
{
    return row < width ? row : width;
}

/* 0 outside the band; below the last row those of the identity, so that x = b = 0 there. */
static double entry(int64_t n, int64_t width, const double *L, int64_t i, int64_t j)
{
    if (i == j)
        return i < n ? 1 / L[j * (width + 1)] : 1;
    return i < n && i > j && i - j <= width ? L[j * (width + 1) + i - j] : 0;
}

static void pack(int64_t n, int64_t width, const double *L, double *packed)
{
    for (int64_t row = 0; row < n; row += ROWS) {
        const int64_t from = row - depth_at(row, width);
        for (int64_t j = from; j < row + ROWS; j++)
            for (int64_t r = 0; r < ROWS; r++)
                *packed++ = entry(n, width, L, row + r, j);
    }
}

/* One strip of rows of x, for STRIDE columns. */
static inline __attribute__((always_inline)) void tile(const double *L, int64_t depth,
                                                       const double *b, const double *above,
                                                       double *x, double *squares)
{
    vd s[ROWS][PARTS];
    for (int r = 0; r < ROWS; r++)
        for (int q = 0; q < PARTS; q++)
            s[r][q] = ((const vd *)(b + r * C))[q];
    for (int64_t k = 0; k < depth; k++) {
        const vd *v = (const vd *)(above + k * C);
        for (int r = 0; r < ROWS; r++)
            for (int q = 0; q < PARTS; q++)
                s[r][q] -= L[k * ROWS + r] * v[q];
    }
    L += depth * ROWS;
#pragma GCC unroll 4
    for (int r = 0; r < ROWS; r++) {
        for (int q = 0; q < PARTS; q++) {
            s[r][q] *= L[r * ROWS + r];
            ((vd *)(x + r * C))[q] = s[r][q];
            ((vd *)squares)[q] += s[r][q] * s[r][q];
        }
#pragma GCC unroll 4
        for (int i = r + 1; i < ROWS; i++)
            for (int q = 0; q < PARTS; q++)
                s[i][q] -= L[r * ROWS + i] * s[r][q];
    }
}

/* Rows first .. last - 1 of x, for STRIDE columns; returns the end of the part of the factor
 * that it read. */
static const double *block(int64_t first, int64_t last, int64_t width, const double *packed,
                           const double *b, double *x, double *squares)
{
    for (int64_t row = first; row < last; row += ROWS) {
        const int64_t depth = depth_at(row, width);
        tile(packed, depth, b + row * C, x - depth * C, x, squares);
        packed += (depth + ROWS) * ROWS;
        x += ROWS * C;
    }
    return packed;
}

static int64_t work_size(int64_t n)
{
    (void)n;
    return WINDOW * C;
}

/* BLOCK rows at a time, whose part of the factor stays in the cache for all columns.  x is kept
 * only for a window of rows that moves along: WINDOW of them, more than width. */
static void squares(int64_t n, int64_t width, const double *packed, const double *b, double *work,
                    double *out)
{
    enum { BLOCK = 128 };
    double *x = work;
    memset(out, 0, C * sizeof *out);
    for (int64_t row = 0; row < n; row += BLOCK) {
        const int64_t last = n - row < BLOCK ? n : row + BLOCK, depth = depth_at(row, width);
        const double *next = packed;
        if (x + BLOCK * C > work + WINDOW * C) {
            memmove(work, x - depth * C, (size_t)(depth * C) * sizeof *work);
            x = work + depth * C;
        }
        for (int64_t c = 0; c < C; c += STRIDE)
            next = block(row, last, width, packed, b + c, x + c, out + c);
        packed = next;
        x += BLOCK * C;
    }
}

enum { TILE = SRI_BAND_VEC_TILE, THIN = SRI_BAND_VEC_THIN };
/* Twice the rows, which share loads of X, if there are registers for 24 sums. */
enum { STRIP = LANES == 8 ? SRI_BAND_VEC_STRIP : SRI_BAND_VEC_STRIP / 2 };
_Static_assert(THIN % STRIDE == 0, "columns come in whole register tiles");

/* Y (STRIP x STRIDE, rows ldy apart) += sum_k a_kr X_k, entries of A `next` apart along k and
 * `across` along r. */
static inline __attribute__((always_inline)) void add_strip(const double *a, const int64_t next,
                                                            const int64_t across, int64_t depth,
                                                            const double *X, double *Y,
                                                            const int64_t ldy)
{
    vd s[STRIP][PARTS];
    for (int r = 0; r < STRIP; r++)
        for (int q = 0; q < PARTS; q++)
            s[r][q] = ((const vd *)(Y + r * ldy))[q];
    for (int64_t k = 0; k < depth; k++) {
        const vd *x = (const vd *)(X + k * THIN);
        for (int r = 0; r < STRIP; r++)
            for (int q = 0; q < PARTS; q++)
                s[r][q] += a[k * next + r * across] * x[q];
    }
    for (int r = 0; r < STRIP; r++)
        for (int q = 0; q < PARTS; q++)
            ((vd *)(Y + r * ldy))[q] = s[r][q];
}

/* Y += A X for a tile; `rows` is a multiple of SRI_BAND_VEC_STRIP. */
static void add_tile(const double *A, int64_t lda, int64_t rows, int64_t columns, const double *X,
                     double *Y)
{
    for (int64_t c = 0; c < THIN; c += STRIDE)
        for (int64_t i = 0; i < rows; i += STRIP)
            add_strip(A + i, lda, 1, columns, X + c, Y + i * THIN + c, THIN);
}

/* Y += A'X for a tile of TILE columns. */
static void add_transposed(const double *A, int64_t lda, int64_t rows, const double *X, double *Y)
{
    for (int64_t j = 0; j < TILE; j += STRIP)
        for (int64_t c = 0; c < THIN; c += STRIDE)
            add_strip(A + j * lda, 1, lda, rows, X + c, Y + j * THIN + c, THIN);
}

static int64_t padded(int64_t rows)
{
    return (rows + SRI_BAND_VEC_STRIP - 1) / SRI_BAND_VEC_STRIP * SRI_BAND_VEC_STRIP;
}

/* A tile on the diagonal is copied and completed; a tile whose rows end within a strip is
 * copied. */
static void symmetric(int64_t m, int64_t i, int64_t j, const double *A, int64_t lda,
                      const double *X, double *Y)
{
    double copy[TILE * TILE] __attribute__((aligned(64)));
    const int64_t columns = m - j < TILE ? m - j : TILE, rows = m - i < TILE ? m - i : TILE;
    const double *part = A + j * lda + i;
    if (i > j)
        add_transposed(part, lda, rows, X + i * THIN, Y + j * THIN);
    if (i > j && rows % SRI_BAND_VEC_STRIP == 0) {
        add_tile(part, lda, rows, columns, X + j * THIN, Y + i * THIN);
        return;
    }
    memset(copy, 0, sizeof copy);
    for (int64_t c = 0; c < columns; c++)
        for (int64_t r = i > j ? 0 : c; r < rows; r++)
            copy[c * TILE + r] = part[c * lda + r];
    for (int64_t c = 0; i == j && c < columns; c++)
        for (int64_t r = c; r < rows; r++)
            copy[r * TILE + c] = copy[c * TILE + r];
    add_tile(copy, TILE, padded(rows), columns, X + j * THIN, Y + i * THIN);
}

/* Prefetches the same place one tile further down, which comes next. */
static inline void fetch(const double *A, int64_t lda)
{
    for (int c = 0; c < STRIP; c++)
        for (int r = 0; r < STRIDE; r += 8)
            __builtin_prefetch(A + c * lda + r + TILE, 1, 2);
}

/* For a strip whose rows or columns end early: works on a padded copy. */
static void update_edge(int64_t rows, int64_t columns, int64_t depth, const double *left,
                        const double *right, double *A, int64_t lda)
{
    double part[STRIP * STRIDE] = {0};
    for (int64_t c = 0; c < columns; c++)
        memcpy(part + c * STRIDE, A + c * lda, (size_t)rows * sizeof *A);
    add_strip(right, 1, depth, depth, left, part, STRIDE);
    for (int64_t c = 0; c < columns; c++)
        memcpy(A + c * lda, part + c * STRIDE, (size_t)rows * sizeof *A);
}

static void update(int64_t first, int64_t last, int64_t from, int64_t to, int64_t depth,
                   const double *left, const double *right, double *A, int64_t lda)
{
    for (int64_t i = first; i < last; i += STRIDE) {
        const double *block = left + i / THIN * THIN * depth + i % THIN;
        const int64_t rows = last - i < STRIDE ? last - i : STRIDE;
        for (int64_t j = from; j < to && j < i + rows; j += STRIP) {
            const int64_t columns = to - j < STRIP ? to - j : STRIP;
            double *part = A + j * lda + i;
            fetch(part, lda);
            if (rows == STRIDE && columns == STRIP)
                add_strip(right + j * depth, 1, depth, depth, block, part, lda);
            else
                update_edge(rows, columns, depth, block, right + j * depth, part, lda);
        }
    }
}

static double largest(int64_t rows, const double *A, int64_t lda)
{
    double most = 0;
    for (int64_t c = 0; c < THIN; c++)
        for (int64_t i = 0; i < rows; i++)
            most = fabs(A[c * lda + i]) > most ? fabs(A[c * lda + i]) : most;
    return most;
}

typedef double v4 __attribute__((vector_size(32), aligned(8), may_alias));

/* 4 x 4: out = factor A'. */
static inline void transpose(const double *A, int64_t lda, double factor, double *out, int64_t ldo)
{
    const v4 a = *(const v4 *)A, b = *(const v4 *)(A + lda);
    const v4 c = *(const v4 *)(A + 2 * lda), d = *(const v4 *)(A + 3 * lda);
    const v4 ab = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    const v4 ba = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const v4 cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const v4 dc = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    *(v4 *)out = factor * __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    *(v4 *)(out + ldo) = factor * __builtin_shufflevector(ba, dc, 0, 1, 4, 5);
    *(v4 *)(out + 2 * ldo) = factor * __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    *(v4 *)(out + 3 * ldo) = factor * __builtin_shufflevector(ba, dc, 2, 3, 6, 7);
}

static void by_rows(int64_t rows, const double *A, int64_t lda, double factor, double *out)
{
    const int64_t whole = rows / 4 * 4;
    for (int64_t i = 0; i < whole; i += 4)
        for (int64_t c = 0; c < THIN; c += 4)
            transpose(A + c * lda + i, lda, factor, out + i * THIN + c, THIN);
    for (int64_t i = whole; i < rows; i++)
        for (int64_t c = 0; c < THIN; c++)
            out[i * THIN + c] = factor * A[c * lda + i];
}

static void by_columns(int64_t rows, const double *A, int64_t lda, double *out, int64_t ldo)
{
    const int64_t whole = rows / 4 * 4;
    for (int64_t i = 0; i < whole; i += 4)
        for (int64_t c = 0; c < THIN; c += 4)
            transpose(A + i * lda + c, lda, 1, out + c * ldo + i, ldo);
    for (int64_t i = whole; i < rows; i++)
        for (int64_t c = 0; c < THIN; c++)
            out[c * ldo + i] = A[i * lda + c];
}

/* The columns from `from` on, which the compiler knows. */
static inline __attribute__((always_inline)) void reflect_from(const int from, int64_t rows,
                                                               int64_t j, int64_t next,
                                                               const double *w, double *A,
                                                               double *sums)
{
    enum { AT_ONCE = LANES == 8 ? 2 : 1, ALL = THIN / LANES };
    const int first = from / LANES;
    const double w_next = w[next];
    vd s[AT_ONCE][ALL] = {0}, f[ALL];
    for (int q = first; q < ALL; q++)
        f[q] = ((const vd *)w)[q];
    for (int64_t i = 0; i < rows; i += AT_ONCE)
        for (int r = 0; r < AT_ONCE && i + r < rows; r++) {
            double *row = A + (i + r) * THIN;
            const double v = row[j], y = row[next] - v * w_next;
            for (int q = first; q < ALL; q++) {
                const vd x = ((const vd *)row)[q] - v * f[q];
                ((vd *)row)[q] = x;
                s[r][q] += y * x;
            }
        }
    for (int r = 1; r < AT_ONCE; r++)
        for (int q = first; q < ALL; q++)
            s[0][q] += s[r][q];
    memcpy(sums, s[0], sizeof s[0]);
}

/* Skips columns before `next`, as many as fill whole registers. */
static void reflect(int64_t rows, int64_t j, int64_t next, const double *w, double *A, double *sums)
{
    if (next < 8)
        reflect_from(0, rows, j, next, w, A, sums);
    else if (next < 16)
        reflect_from(8, rows, j, next, w, A, sums);
    else
        reflect_from(16, rows, j, next, w, A, sums);
}

const sri_band_vec VEC_TABLE(sri_band_vec) = {
    .substitution = {packed_size, work_size, pack, squares},
    .symmetric = symmetric,
    .update = update,
    .largest = largest,
    .by_rows = by_rows,
    .by_columns = by_columns,
    .reflect = reflect,
};
