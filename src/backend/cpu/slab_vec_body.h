/* Products with slabs, see backend/slab.h.  The including file defines LANES (doubles per
 * register) and INSTRUCTIONS (plain, avx2, avx512). */
#include <string.h>

#include "backend/cpu/vec_table.h"

typedef double vd __attribute__((vector_size(LANES * 8), aligned(8), may_alias));

/* Sums for STRIP rows of the left factor and PARTS registers of the right one fill the registers;
 * DEPTH terms of a panel lie in the first cache. */
enum { PARTS = LANES > 2 ? 3 : 2, WIDTH = PARTS * LANES, STRIP = LANES == 8 ? 8 : 4, DEPTH = 128 };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The factors of a tile: row i of the left one, term k, is left[i across + k along]; the right one
 * has its terms ldr apart. */
typedef struct factors {
    int64_t depth;
    const double *left;
    int64_t across, along;
    const double *right;
    int64_t ldr;
} factors;

/* C (rows x parts registers) += left right; `begins`: it is 0 before. */
__attribute__((always_inline)) static inline void
tile(const int rows, const int parts, const factors f, int begins, double *C, int64_t ldc)
{
    vd s[STRIP][PARTS];
    for (int i = 0; i < rows; i++)
        for (int q = 0; q < parts; q++)
            s[i][q] = begins ? (vd){0} : ((const vd *)(C + i * ldc))[q];
    for (int64_t k = 0; k < f.depth; k++) {
        const vd *v = (const vd *)(f.right + k * f.ldr);
        const double *left = f.left + k * f.along;
        for (int i = 0; i < rows; i++)
            for (int q = 0; q < parts; q++)
                s[i][q] += left[i * f.across] * v[q];
    }
    for (int i = 0; i < rows; i++)
        for (int q = 0; q < parts; q++)
            ((vd *)(C + i * ldc))[q] = s[i][q];
}

/* The rows of a tile are known to the compiler, and so is a stride of 1. */
#define STRIPS(name, across_, along_)                                                      \
    static void name(int rows, factors f, int begins, double *C, int64_t ldc)              \
    {                                                                                      \
        f.across = across_;                                                                \
        f.along = along_;                                                                  \
        for (; rows >= STRIP; rows -= STRIP, f.left += STRIP * f.across, C += STRIP * ldc) \
            tile(STRIP, PARTS, f, begins, C, ldc);                                         \
        for (; rows >= 4; rows -= 4, f.left += 4 * f.across, C += 4 * ldc)                 \
            tile(4, PARTS, f, begins, C, ldc);                                             \
        for (; rows > 0; rows--, f.left += f.across, C += ldc)                             \
            tile(1, PARTS, f, begins, C, ldc);                                             \
    }
STRIPS(down_rows, f.across, 1)     /* the left factor lies row by row    */
STRIPS(across_columns, 1, f.along) /* the left factor lies term by term */

/* Rows that are used together lie in the second cache. */
enum { TOGETHER = 64 };

static void times_some(const sri_slab *K, const double *C, double *F, int64_t ldf)
{
    for (int64_t c = 0; c < ldf; c += WIDTH)
        for (int64_t k = 0; k < K->r; k += DEPTH)
            down_rows((int)K->n,
                      (factors){.depth = least(DEPTH, K->r - k),
                                .left = K->K + k,
                                .across = K->ldk,
                                .right = C + c * K->r + k * WIDTH,
                                .ldr = WIDTH},
                      k == 0, F + c, ldf);
}

static void times(const sri_slab *K, const double *C, double *F, int64_t ldf)
{
    for (int64_t i = 0; i < K->n; i += TOGETHER)
        times_some(&(sri_slab){least(TOGETHER, K->n - i), K->r, K->K + i * K->ldk, K->ldk}, C,
                   F + i * ldf, ldf);
}

/* Columns of K that fill no panel. */
static void add_edge(const sri_slab *K, int64_t j, int64_t count, const double *F, int64_t ldf,
                     double *S)
{
    for (int64_t c = 0; c < count; c++)
        for (int64_t i = 0; i < K->n; i++)
            for (int64_t q = j; q < K->r; q++)
                S[c * K->r + q] += F[i * ldf + c] * K->K[i * K->ldk + q];
}

static void add_transposed(const sri_slab *K, int64_t count, const double *F, int64_t ldf,
                           double *S)
{
    int64_t j = 0;
    for (; j + WIDTH <= K->r; j += WIDTH)
        for (int64_t i = 0; i < K->n; i += DEPTH)
            across_columns((int)count,
                           (factors){.depth = least(DEPTH, K->n - i),
                                     .left = F + i * ldf,
                                     .along = ldf,
                                     .right = K->K + i * K->ldk + j,
                                     .ldr = K->ldk},
                           0, S + j, K->r);
    add_edge(K, j, count, F, ldf, S);
}

/* Panel j of some rows, in X (n x WIDTH): less what the panels before it explain, then solved,
 * behind the first TOGETHER rows of X. */
static void solve_panel(int64_t n, int64_t j, const double *panel, const double *B, int64_t ldb,
                        double *X)
{
    for (int64_t k = 0; k < j; k += DEPTH)
        down_rows((int)n,
                  (factors){.depth = least(DEPTH, j - k),
                            .left = B + k,
                            .across = ldb,
                            .right = panel + k * WIDTH,
                            .ldr = WIDTH},
                  0, X, WIDTH);
    down_rows((int)n,
              (factors){.depth = WIDTH,
                        .left = X,
                        .across = WIDTH,
                        .right = panel + j * WIDTH,
                        .ldr = WIDTH},
              1, X + TOGETHER * WIDTH, WIDTH);
}

static void solve(int64_t n, int64_t r, const double *L, double *B, int64_t ldb)
{
    double X[2 * TOGETHER * WIDTH];
    for (int64_t i0 = 0; i0 < n; i0 += TOGETHER) {
        const int64_t rows = least(TOGETHER, n - i0);
        double *b = B + i0 * ldb;
        const double *panel = L;
        for (int64_t j = 0; j < r; panel += (j + WIDTH) * WIDTH, j += WIDTH) {
            const size_t bytes = (size_t)least(WIDTH, r - j) * sizeof *b;
            memset(X, 0, sizeof X / 2);
            for (int64_t i = 0; i < rows; i++)
                memcpy(X + i * WIDTH, b + i * ldb + j, bytes);
            solve_panel(rows, j, panel, b, ldb, X);
            for (int64_t i = 0; i < rows; i++)
                memcpy(b + i * ldb + j, X + (TOGETHER + i) * WIDTH, bytes);
        }
    }
}

const sri_slab_vec VEC_TABLE(sri_slab_vec) = {
    .width = WIDTH,
    .times = times,
    .add_transposed = add_transposed,
    .solve = solve,
};
