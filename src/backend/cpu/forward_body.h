/* The one source of the substitution.  The including file defines LANES (doubles per register) and
 * FORWARD_TABLE.
 *
 * A factor is packed in strips of ROWS rows: the `depth` columns left of its diagonal block, each
 * ROWS numbers, then the columns of that block with the diagonal inverted. */
#include <string.h>

#include "backend/cpu/forward.h"

typedef double vd __attribute__((vector_size(LANES * 8), aligned(8), may_alias));

/* 12 sums: more rows would waste more products on the corners of the band. */
enum { ROWS = SRI_FORWARD_ROWS, PARTS = 3, STRIDE = PARTS * LANES, C = SRI_FORWARD_COLUMNS };
_Static_assert(C % STRIDE == 0, "columns come in whole register tiles");

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

/* 0 outside the band; below the last row the rows of the identity, so that x is b, 0 there. */
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

/* A strip for STRIDE columns. */
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

/* Rows first .. last - 1 for STRIDE columns; returns the end of what it read of the factor. */
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

/* Columns take turns after BLOCK rows, whose part of the factor is then at hand for the next; x lives
 * in a window that moves on with them. */
static void squares(int64_t n, int64_t width, const double *packed, const double *b, double *work,
                    double *out)
{
    enum { BLOCK = 128 };
    double *x = work;
    memset(out, 0, C * sizeof *out);
    for (int64_t row = 0; row < n; row += BLOCK) {
        const int64_t last = n - row < BLOCK ? n : row + BLOCK, depth = depth_at(row, width);
        const double *next = packed;
        if (x + BLOCK * C > work + SRI_FORWARD_WINDOW * C) {
            memmove(work, x - depth * C, (size_t)(depth * C) * sizeof *work);
            x = work + depth * C;
        }
        for (int64_t c = 0; c < C; c += STRIDE)
            next = block(row, last, width, packed, b + c, x + c, out + c);
        packed = next;
        x += BLOCK * C;
    }
}

const sri_forward FORWARD_TABLE = {
    .packed_size = packed_size,
    .pack = pack,
    .squares = squares,
};
