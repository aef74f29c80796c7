/* The one source of these loops.  The including file defines LANES (doubles per register) and
 * FACTOR_TABLE. */
#include <string.h>

#include "backend/cpu/factor_vec.h"

typedef double vd __attribute__((vector_size(LANES * 8), aligned(8), may_alias));

/* Sums for STRIP rows of A and ROWS of its columns fill the registers. */
enum { PARTS = LANES > 2 ? 3 : 2, ROWS = PARTS * LANES, STRIP = LANES == 8 ? 8 : 4 };
_Static_assert(SRI_FACTOR_ROWS % ROWS == 0 && ROWS % STRIP == 0, "whole register tiles");
_Static_assert(SRI_FACTOR_STRIP % STRIP == 0, "whole strips of columns");

/* s_r = sum_k a_kr x_k, k < depth; a and x have columns `across` and ROWS apart. */
static inline __attribute__((always_inline)) void multiply(int64_t depth, const double *a,
                                                           const int64_t across, const double *x,
                                                           vd s[STRIP][PARTS])
{
    for (int r = 0; r < STRIP; r++)
        for (int q = 0; q < PARTS; q++)
            s[r][q] = (vd){0};
    for (int64_t k = 0; k < depth; k++) {
        const vd *v = (const vd *)(x + k * ROWS);
        for (int r = 0; r < STRIP; r++)
            for (int q = 0; q < PARTS; q++)
                s[r][q] += a[k * across + r] * v[q];
    }
}

/* ------------------------------------------------------------------- a panel
 * L is packed in strips of STRIP rows: the columns left of its diagonal block, each STRIP numbers, then
 * the columns of that block with the diagonal inverted. */

static void pack(int64_t width, const double *L, int64_t ld, double *packed)
{
    for (int64_t row = 0; row < width; row += STRIP)
        for (int64_t j = 0; j < row + STRIP; j++)
            for (int64_t i = row; i < row + STRIP; i++)
                *packed++ = i > j ? L[i * ld + j] : i == j ? 1 / L[i * ld + i] : 0;
}

/* The next STRIP columns of X from those before. */
static void solve_strip(int64_t depth, const double *L, const double *before, double *x)
{
    vd s[STRIP][PARTS];
    multiply(depth, L, STRIP, before, s);
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

static void solve_block(int64_t width, const double *packed, int64_t rows, double *A, int64_t ld,
                        double *block)
{
    if (rows < ROWS)
        memset(block, 0, (size_t)(width * ROWS) * sizeof *block);
    for (int64_t k = 0; k < width; k++)
        for (int64_t r = 0; r < rows; r++)
            block[k * ROWS + r] = A[r * ld + k];
    for (int64_t k = 0; k < width; k += STRIP) {
        solve_strip(k, packed, block, block + k * ROWS);
        packed += (k + STRIP) * STRIP;
    }
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < width; k++)
            A[r * ld + k] = block[k * ROWS + r];
}

static void solve(int64_t width, const double *packed, int64_t rows, double *A, int64_t ld, double *P)
{
    for (int64_t i = 0; i < rows; i += ROWS)
        solve_block(width, packed, rows - i < ROWS ? rows - i : ROWS, A + i * ld, ld, P + i * width);
}

/* ------------------------------------------------------------------- the rest */

/* STRIP rows of A, ROWS columns. */
static void update_tile(int64_t width, const double *left, const double *right, double *A, int64_t ld)
{
    vd s[STRIP][PARTS];
    multiply(width, left, ROWS, right, s);
    for (int r = 0; r < STRIP; r++)
        for (int q = 0; q < PARTS; q++)
            ((vd *)(A + r * ld))[q] -= s[r][q];
}

/* A tile at the lower edge or on the diagonal, `columns` of whose first row count, one more in each row
 * that follows. */
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

/* The same rows of the next block of columns are what is wanted soon. */
static inline void fetch(const double *A, int64_t ld)
{
    for (int r = 0; r < STRIP; r++)
        for (int c = 0; c < ROWS; c += 8)
            __builtin_prefetch(A + r * ld + c + ROWS, 1, 2);
}

static void update(int64_t first, int64_t last, int64_t width, const double *P, double *A, int64_t ld)
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
                update_edge(last - i < STRIP ? last - i : STRIP, i + 1 - j, width, left, right, part, ld);
        }
    }
}

const sri_factor_vec FACTOR_TABLE = {.pack = pack, .solve = solve, .update = update};
