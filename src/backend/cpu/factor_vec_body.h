/* The one source of these loops; see vec_body.h for what the including file defines. */
#include <string.h>

#include "backend/cpu/vec_table.h"

typedef double vd __attribute__((vector_size(LANES * 8), aligned(8), may_alias));

/* Sums for STRIP rows of A and ROWS of its columns fill the registers. */
enum { PARTS = LANES > 2 ? 3 : 2, ROWS = PARTS * LANES, STRIP = LANES == 8 ? 8 : 4 };
_Static_assert(SRI_FACTOR_ROWS % ROWS == 0 && ROWS % STRIP == 0, "whole register tiles");
_Static_assert(SRI_FACTOR_STRIP % STRIP == 0, "whole strips of columns");

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* s_r = sum_k a_kr x_k, k < depth; entries of a are `next` apart along k and `across` along r. */
static inline __attribute__((always_inline)) void multiply(int64_t depth, const double *a,
                                                           const int64_t next, const int64_t across,
                                                           const double *x, vd s[STRIP][PARTS])
{
    for (int r = 0; r < STRIP; r++)
        for (int q = 0; q < PARTS; q++)
            s[r][q] = (vd){0};
    for (int64_t k = 0; k < depth; k++) {
        const vd *v = (const vd *)(x + k * ROWS);
        for (int r = 0; r < STRIP; r++)
            for (int q = 0; q < PARTS; q++)
                s[r][q] += a[k * next + r * across] * v[q];
    }
}

/* L is packed in strips of STRIP rows: the columns left of its diagonal block, each STRIP
 * numbers, then the columns of that block with the diagonal inverted. */

/* 0 above the diagonal; below the last row those of the identity. */
static double entry(int64_t width, const double *L, int64_t ld, int64_t i, int64_t j)
{
    if (i == j)
        return i < width ? 1 / L[i * ld + i] : 1;
    return i > j && i < width ? L[i * ld + j] : 0;
}

static void pack(int64_t width, const double *L, int64_t ld, double *packed)
{
    for (int64_t row = 0; row < width; row += STRIP)
        for (int64_t j = 0; j < row + STRIP; j++)
            for (int64_t i = row; i < row + STRIP; i++)
                *packed++ = entry(width, L, ld, i, j);
}

/* The next STRIP rows of x from the rows before, for ROWS right sides. */
static void substitute_strip(int64_t depth, const double *L, const double *before, double *x)
{
    vd s[STRIP][PARTS];
    multiply(depth, L, STRIP, 1, before, s);
    for (int r = 0; r < STRIP; r++)
        for (int q = 0; q < PARTS; q++)
            s[r][q] = ((const vd *)(x + r * ROWS))[q] - s[r][q];
    L += depth * STRIP;
#pragma GCC unroll 8
    for (int r = 0; r < STRIP; r++) {
        for (int q = 0; q < PARTS; q++) {
            s[r][q] *= L[r * STRIP + r];
            ((vd *)(x + r * ROWS))[q] = s[r][q];
        }
#pragma GCC unroll 8
        for (int i = r + 1; i < STRIP; i++)
            for (int q = 0; q < PARTS; q++)
                s[i][q] -= L[r * STRIP + i] * s[r][q];
    }
}

/* L x = b in place; the first `skip` rows of b, whole strips, are 0. */
static void substitute(int64_t width, int64_t skip, const double *packed, double *x)
{
    for (int64_t k = 0; k < width; k += STRIP) {
        if (k >= skip)
            substitute_strip(k - skip, packed + skip * STRIP, x + skip * ROWS, x + k * ROWS);
        packed += (k + STRIP) * STRIP;
    }
}

static void solve_block(int64_t width, const double *packed, int64_t rows, double *A, int64_t ld,
                        double *block)
{
    if (rows < ROWS)
        memset(block, 0, (size_t)(width * ROWS) * sizeof *block);
    for (int64_t k = 0; k < width; k++)
        for (int64_t r = 0; r < rows; r++)
            block[k * ROWS + r] = A[r * ld + k];
    substitute(width, 0, packed, block);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < width; k++)
            A[r * ld + k] = block[k * ROWS + r];
}

static void solve(int64_t width, const double *packed, int64_t rows, double *A, int64_t ld,
                  double *P)
{
    for (int64_t i = 0; i < rows; i += ROWS)
        solve_block(width, packed, least(ROWS, rows - i), A + i * ld, ld, P + i * width);
}

/* STRIP rows of A, ROWS columns. */
static void update_tile(int64_t width, const double *left, const double *right, double *A,
                        int64_t ld)
{
    vd s[STRIP][PARTS];
    multiply(width, left, ROWS, 1, right, s);
    for (int r = 0; r < STRIP; r++)
        for (int q = 0; q < PARTS; q++)
            ((vd *)(A + r * ld))[q] -= s[r][q];
}

/* A tile at the lower edge or on the diagonal, `columns` of whose first row count, one more in
 * each row that follows. */
static void update_edge(int64_t rows, int64_t columns, int64_t width, const double *left,
                        const double *right, double *A, int64_t ld)
{
    double part[STRIP * ROWS] = {0};
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < ROWS && c < columns + r; c++)
            part[r * ROWS + c] = A[r * ld + c];
    update_tile(width, left, right, part, ROWS);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < ROWS && c < columns + r; c++)
            A[r * ld + c] = part[r * ROWS + c];
}

/* Prefetches the same rows of the next block of columns. */
static inline void fetch(const double *A, int64_t ld)
{
    for (int r = 0; r < STRIP; r++)
        for (int c = 0; c < ROWS; c += 8)
            __builtin_prefetch(A + r * ld + c + ROWS, 1, 2);
}

static void update(int64_t first, int64_t last, int64_t width, const double *P, double *A,
                   int64_t ld)
{
    for (int64_t j = 0; j < last; j += ROWS) {
        const double *right = P + j * width;
        for (int64_t i = j > first ? j : first; i < last; i += STRIP) {
            const double *left = P + i / ROWS * ROWS * width + i % ROWS;
            double *part = A + i * ld + j;
            fetch(part, ld);
            if (i + STRIP <= last && j + ROWS <= i + 1)
                update_tile(width, left, right, part, ld);
            else
                update_edge(least(STRIP, last - i), i + 1 - j, width, left, right, part, ld);
        }
    }
}

/* Columns of the inverse: substitution for unit vectors, in blocks of ROWS, by panels of DEPTH
 * rows: the product of a panel with x is subtracted from the rows below while it is in the
 * cache. */

enum { DEPTH = 240, BLOCKS = SRI_FACTOR_COLUMNS / ROWS };
_Static_assert(DEPTH >= (int)SRI_FACTOR_COLUMNS && DEPTH % STRIP == 0,
               "the first panel has all the ones");

static int64_t inverse_work(int64_t n)
{
    return (n + STRIP) * SRI_FACTOR_COLUMNS + DEPTH * DEPTH;
}

static void add_squares(int64_t count, const double *x, double *out)
{
    for (int64_t k = 0; k < count; k++)
        for (int r = 0; r < ROWS; r++)
            out[r] += x[k * ROWS + r] * x[k * ROWS + r];
}

/* x -= L above, STRIP rows of L. */
static void follow(int64_t depth, const double *L, int64_t ld, const double *above, double *x)
{
    vd s[STRIP][PARTS];
    multiply(depth, L, 1, ld, above, s);
    for (int r = 0; r < STRIP; r++)
        for (int q = 0; q < PARTS; q++)
            ((vd *)(x + r * ROWS))[q] -= s[r][q];
}

/* The same for fewer rows, the last ones. */
static void follow_edge(int64_t rows, int64_t depth, const double *L, int64_t ld,
                        const double *above, double *x)
{
    double copy[STRIP * DEPTH] = {0};
    for (int64_t r = 0; r < rows; r++)
        memcpy(copy + r * DEPTH, L + r * ld, (size_t)depth * sizeof *L);
    follow(depth, copy, DEPTH, above, x);
}

/* Subtracts from all blocks of x, `size` apart, what the panel at `at` contributes below it. */
static void follow_panel(int64_t n, int64_t at, int64_t count, const double *L, int64_t ld,
                         double *x, int64_t size)
{
    for (int64_t i = at + DEPTH; i < n; i += STRIP)
        for (int64_t c = 0; c < count; c += ROWS) {
            const int64_t from = at ? at : c, depth = at + DEPTH - from;
            double *block = x + c / ROWS * size;
            if (i + STRIP <= n)
                follow(depth, L + i * ld + from, ld, block + from * ROWS, block + i * ROWS);
            else
                follow_edge(n - i, depth, L + i * ld + from, ld, block + from * ROWS,
                            block + i * ROWS);
        }
}

static void inverse_squares(int64_t n, int64_t count, const double *L, int64_t ld, double *work,
                            double *out)
{
    const int64_t size = (n + STRIP - 1) / STRIP * STRIP * ROWS;
    double *packed = work, *x = work + DEPTH * DEPTH, sum[SRI_FACTOR_COLUMNS] = {0};
    memset(x, 0, (size_t)(size * BLOCKS) * sizeof *x);
    for (int64_t c = 0; c < count; c++)
        x[c / ROWS * size + c * ROWS + c % ROWS] = 1;
    for (int64_t at = 0; at < n; at += DEPTH) {
        const int64_t width = least(DEPTH, n - at);
        pack(width, L + at * (ld + 1), ld, packed);
        for (int64_t c = 0; c < count; c += ROWS) {
            double *block = x + c / ROWS * size + at * ROWS;
            substitute(width, at ? 0 : c, packed, block);
            add_squares(width, block, sum + c);
        }
        follow_panel(n, at, count, L, ld, x, size);
    }
    memcpy(out, sum, (size_t)count * sizeof *out);
}

const sri_factor_vec VEC_TABLE(sri_factor_vec) = {
    .pack = pack,
    .solve = solve,
    .update = update,
    .inverse_work = inverse_work,
    .inverse_squares = inverse_squares,
};
