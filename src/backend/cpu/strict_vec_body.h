/* Loops that depend on how numbers are rounded: compiled without -ffast-math.  The including file
 * defines LANES (doubles per register) and INSTRUCTIONS (plain, avx2, avx512). */
#include <string.h>

#include "backend/cpu/vec_table.h"

typedef double vd __attribute__((vector_size(LANES * 8), aligned(8), may_alias));
typedef uint64_t vu __attribute__((vector_size(LANES * 8), aligned(8), may_alias));

/* Sums for STRIP columns of the left factor and WIDTH of the right one fill the registers. */
enum { PARTS = LANES > 2 ? 3 : 2, WIDTH = PARTS * LANES, STRIP = LANES == 8 ? 8 : 4 };
_Static_assert(SRI_SQUARE_STRIP % WIDTH == 0 && WIDTH % STRIP == 0, "whole register tiles");

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A few rows at a time, so that what is written to a panel fills whole cache lines. */
static void pack(int64_t rows, int64_t columns, const double *Z, int64_t ld, const double *scale,
                 double *P, int64_t stride)
{
    enum { TOGETHER = 8 };
    for (int64_t i0 = 0; i0 < rows; i0 += TOGETHER)
        for (int64_t j = 0; j < columns; j += WIDTH) {
            const int64_t width = least(WIDTH, columns - j);
            for (int64_t i = i0; i < least(i0 + TOGETHER, rows); i++) {
                double *to = P + j / WIDTH * stride + i * WIDTH;
                const double *from = Z + i * ld + j;
                if (width == WIDTH) {
                    for (int q = 0; q < WIDTH; q++)
                        to[q] = from[q] * scale[j + q];
                    continue;
                }
                memset(to, 0, WIDTH * sizeof *to);
                for (int64_t q = 0; q < width; q++)
                    to[q] = from[q] * scale[j + q];
            }
        }
}

/* STRIP x WIDTH numbers of C; `begins`: they are 0 before. */
static void multiply_tile(int64_t depth, const double *left, const double *right, int begins,
                          double *C, int64_t ldc)
{
    vd s[STRIP][PARTS];
    for (int r = 0; r < STRIP; r++)
        for (int q = 0; q < PARTS; q++)
            s[r][q] = begins ? (vd){0} : ((const vd *)(C + r * ldc))[q];
    for (int64_t k = 0; k < depth; k++) {
        const vd *v = (const vd *)(right + k * WIDTH);
        for (int r = 0; r < STRIP; r++)
            for (int q = 0; q < PARTS; q++)
                s[r][q] += left[k * WIDTH + r] * v[q];
    }
    for (int r = 0; r < STRIP; r++)
        for (int q = 0; q < PARTS; q++)
            ((vd *)(C + r * ldc))[q] = s[r][q];
}

/* DEPTH rows of a strip lie in the second cache. */
static void multiply(int64_t rows, int64_t first, int64_t columns, const double *P, int64_t stride,
                     double *C, int64_t ldc)
{
    enum { DEPTH = 512 };
    const int64_t last = least(first + SRI_SQUARE_STRIP, columns);
    for (int64_t k = 0; k < rows; k += DEPTH) {
        const int64_t depth = least(DEPTH, rows - k);
        for (int64_t j = 0; j < last; j += WIDTH) {
            const double *right = P + j / WIDTH * stride + k * WIDTH;
            for (int64_t i = j > first ? j : first; i < last; i += STRIP) {
                const double *left = P + i / WIDTH * stride + k * WIDTH + i % WIDTH;
                multiply_tile(depth, left, right, k == 0, C + (i - first) * ldc + j, ldc);
            }
        }
    }
}

/* exp(x) = 2^k exp(r), |r| <= log(2) / 2; k is in the last bits of t.  exp(r) = 1 + r + r^2 q(r), q
 * interpolated at 10 Chebyshev nodes: 2e-17 off.  Below exp(-708) it is 0.  The exponent is added
 * without sign, because the sum wraps around for a negative k. */
static inline vd exponential(vd x)
{
    static const double SHIFT = 0x1.8p52, PER_LOG2 = 0x1.71547652b82fep0;
    static const double LOG2 = 0x1.62e42fefa39efp-1, LOG2_REST = 0x1.abc9e3b39803fp-56;
    static const double q[] = {0.5,
                               0x1.5555555555556p-3,
                               0x1.5555555553d63p-5,
                               0x1.11111111109b3p-7,
                               0x1.6c16c1788bd90p-10,
                               0x1.a01a01a7c41d5p-13,
                               0x1.a019b90d2ae7ap-16,
                               0x1.71de0dae63bb3p-19,
                               0x1.289185613a3d6p-22,
                               0x1.af38a9b0ec855p-26};
    const vd t = x * PER_LOG2 + SHIFT, k = t - SHIFT;
    const vd r = (x - k * LOG2) - k * LOG2_REST;
    vd sum = r * q[9] + q[8];
    for (int i = 7; i >= 0; i--)
        sum = sum * r + q[i];
    sum = (sum * r) * r + r + 1;
    const vd value = (vd)((vu)sum + ((vu)t << 52));
    return (vd)((vu)value & ~(vu)(x < -708));
}

void VEC_TABLE(sri_exp_linear)(double *v, int64_t n, double c)
{
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        *(vd *)(v + i) = exponential(c * *(const vd *)(v + i));
    if (i < n) {
        vd last = {0};
        memcpy(&last, v + i, (size_t)(n - i) * sizeof *v);
        last = exponential(c * last);
        memcpy(v + i, &last, (size_t)(n - i) * sizeof *v);
    }
}

static inline int64_t bits_of(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* x + SHIFT has x, rounded to a whole number, in its last bits. */
static void add(int64_t n, const double *x, int64_t *high, int64_t *low)
{
    static const double SHIFT = 0x1.8p52;
    const int64_t zero = bits_of(SHIFT);
    for (int64_t i = 0; i < n; i++) {
        const double v = x[i] * 0x1p24, whole = v + SHIFT;
        const double rest = (v - (whole - SHIFT)) * 0x1p50 + SHIFT;
        high[i] += bits_of(whole) - zero;
        low[i] += bits_of(rest) - zero;
    }
}

const sri_square_vec VEC_TABLE(sri_square_vec) = {
    .width = WIDTH,
    .pack = pack,
    .multiply = multiply,
    .add = add,
};
