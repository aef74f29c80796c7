/* The one source of the inner loops.  The including file defines LANES (doubles per register) and
 * INSTRUCTIONS (plain, avx2, avx512), and is compiled with their flags and with -ffast-math, which
 * lets the compiler use libmvec's vector exp; infinities still behave, since nothing here tests for
 * them. */
#include <math.h>
#include <string.h>

#include "backend/cpu/vec_table.h"

typedef double vd __attribute__((vector_size(LANES * 8), aligned(8), may_alias));
typedef int64_t vi __attribute__((vector_size(LANES * 8), aligned(8), may_alias));

enum { ROWS = 4, STRIDE = 2 * LANES }; /* the register tile: 4 rows by two registers */

static inline vd absolute(vd x)
{
    return (vd)((vi)x & INT64_MAX);
}

#define ADD_DIST2(acc, a, z)    \
    do {                        \
        const vd d = (z) - (a); \
        (acc) += d * d;         \
    } while (0)
#define ADD_DIST1(acc, a, z) (acc) += absolute((z) - (a))
#define ADD_DOT(acc, a, z) (acc) += (a) * (z)
/* min(a, z) = (a + z - |a - z|) / 2 */
#define ADD_LEAST(acc, a, z) (acc) += 0.5 * (((z) + (a)) - absolute((z) - (a)))
#define ADD_CHI2(acc, a, z)                                                    \
    do {                                                                       \
        const vd d = (z) - (a);                                                \
        (acc) += d * d / (absolute((z)*1.0) + (fabs(a) + 1e-300)); /* 0 / 0 */ \
    } while (0)
#define ADD_DIFFER(acc, a, z) (acc) += (vd)((vi)((z) != (a)) & ONE_BITS)
static const int64_t ONE_BITS = 0x3FF0000000000000; /* of 1.0 */

/* Four rows of A with a strip of a panel, which stays in the cache for all rows; a short last group
 * repeats its first row. */
#define PAIR_FUNCTION(name, ADD)                                                                 \
    static void name(const double *A, int64_t lda, int64_t rows, const double *panel, int64_t p, \
                     double *out)                                                                \
    {                                                                                            \
        for (int64_t c = 0; c < SRI_PANEL; c += STRIDE)                                          \
            for (int64_t r = 0; r < rows; r += ROWS) {                                           \
                const double *a0 = A + r * lda;                                                  \
                const double *a1 = r + 1 < rows ? a0 + lda : a0;                                 \
                const double *a2 = r + 2 < rows ? a0 + 2 * lda : a0;                             \
                const double *a3 = r + 3 < rows ? a0 + 3 * lda : a0;                             \
                vd s[ROWS][2] = {{{0}}};                                                         \
                for (int64_t k = 0; k < p; k++) {                                                \
                    const vd z0 = *(const vd *)(panel + k * SRI_PANEL + c);                      \
                    const vd z1 = *(const vd *)(panel + k * SRI_PANEL + c + LANES);              \
                    ADD(s[0][0], a0[k], z0);                                                     \
                    ADD(s[0][1], a0[k], z1);                                                     \
                    ADD(s[1][0], a1[k], z0);                                                     \
                    ADD(s[1][1], a1[k], z1);                                                     \
                    ADD(s[2][0], a2[k], z0);                                                     \
                    ADD(s[2][1], a2[k], z1);                                                     \
                    ADD(s[3][0], a3[k], z0);                                                     \
                    ADD(s[3][1], a3[k], z1);                                                     \
                }                                                                                \
                for (int i = 0; i < ROWS; i++) {                                                 \
                    vd *to = (vd *)(out + (r + i) * SRI_PANEL + c);                              \
                    if (r + i >= rows)                                                           \
                        break;                                                                   \
                    to[0] = s[i][0];                                                             \
                    to[1] = s[i][1];                                                             \
                }                                                                                \
            }                                                                                    \
    }

PAIR_FUNCTION(dist2, ADD_DIST2)
PAIR_FUNCTION(dist1, ADD_DIST1)
PAIR_FUNCTION(dot, ADD_DOT)
PAIR_FUNCTION(least, ADD_LEAST)
PAIR_FUNCTION(chi2, ADD_CHI2)
PAIR_FUNCTION(differ, ADD_DIFFER)

/* Two groups of rows, each with its sums in registers; K is read once, in SRI_THIN_ROWS streams. */
static void thin(const double *K, int64_t ldk, int64_t n, const double *X, double *Y)
{
    enum { PARTS = SRI_THIN / LANES, GROUP = LANES == 8 ? SRI_THIN_ROWS : 4 };
    for (int64_t r = 0; r < SRI_THIN_ROWS; r += GROUP) {
        const double *k = K + r * ldk;
        vd sum[GROUP][PARTS] = {{{0}}};
        for (int64_t j = 0; j < n; j++) {
            const vd *x = (const vd *)(X + j * SRI_THIN);
            for (int i = 0; i < GROUP; i++)
                for (int q = 0; q < PARTS; q++)
                    sum[i][q] += k[i * ldk + j] * x[q];
        }
        memcpy(Y + r * SRI_THIN, sum, sizeof sum);
    }
}

static inline double sum_of(vd v)
{
    double sum = 0;
    for (int i = 0; i < LANES; i++)
        sum += v[i];
    return sum;
}

/* Two coordinates at a time; a single last one is taken twice. */
static void panel_down(const double *panel, int64_t rank, const double *x, double *C)
{
    for (int64_t k = 0; k < rank; k += 2) {
        const int64_t other = k + 1 < rank ? 1 : 0;
        const double *a = panel + k * SRI_PANEL, *b = a + other * SRI_PANEL;
        vd sum[SRI_PANEL_COLUMNS][2] = {{{0}}};
        for (int i = 0; i < SRI_PANEL; i += LANES) {
            const vd va = *(const vd *)(a + i), vb = *(const vd *)(b + i);
            for (int c = 0; c < SRI_PANEL_COLUMNS; c++) {
                sum[c][0] += va * *(const vd *)(x + c * SRI_PANEL + i);
                sum[c][1] += vb * *(const vd *)(x + c * SRI_PANEL + i);
            }
        }
        for (int c = 0; c < SRI_PANEL_COLUMNS; c++) {
            C[k * SRI_PANEL_COLUMNS + c] += sum_of(sum[c][0]);
            if (other)
                C[(k + 1) * SRI_PANEL_COLUMNS + c] += sum_of(sum[c][1]);
        }
    }
}

static void panel_along(const double *panel, int64_t rank, const double *C, double *y)
{
    enum { STRIPS = LANES == 8 ? 4 : 2 };
    for (int i = 0; i < SRI_PANEL; i += STRIPS * LANES) {
        vd sum[SRI_PANEL_COLUMNS][STRIPS] = {{{0}}};
        for (int64_t k = 0; k < rank; k++)
            for (int q = 0; q < STRIPS; q++) {
                const vd v = *(const vd *)(panel + k * SRI_PANEL + i + q * LANES);
                for (int c = 0; c < SRI_PANEL_COLUMNS; c++)
                    sum[c][q] += v * C[k * SRI_PANEL_COLUMNS + c];
            }
        for (int c = 0; c < SRI_PANEL_COLUMNS; c++)
            for (int q = 0; q < STRIPS; q++)
                *(vd *)(y + c * SRI_PANEL + i + q * LANES) = sum[c][q];
    }
}

/* The rows are anywhere in memory, so they are prefetched some steps ahead.  Two independent
 * sums, if both stay in registers. */
static inline __attribute__((always_inline)) void gather_of(const int parts, int64_t count,
                                                            const int32_t *place,
                                                            const double *value, const double *X,
                                                            double *y)
{
    enum { AHEAD = 12, MOST = SRI_GATHER / LANES, REGISTERS = LANES == 8 ? 32 : 16, LINE = 8 };
    const int64_t width = parts * LANES;
    const bool two = 2 * parts <= REGISTERS - 4;
    vd even[MOST] = {{0}}, odd[MOST] = {{0}};
    int64_t k = 0;
    for (; k + 2 <= count; k += 2) {
        const int64_t next = k + AHEAD < count - 1 ? k + AHEAD : count - 2;
        for (int64_t q = 0; q < width; q += LINE) {
            __builtin_prefetch(X + (int64_t)place[next] * width + q);
            __builtin_prefetch(X + (int64_t)place[next + 1] * width + q);
        }
        const vd *x = (const vd *)(X + (int64_t)place[k] * width);
        const vd *z = (const vd *)(X + (int64_t)place[k + 1] * width);
        for (int q = 0; q < parts; q++) {
            even[q] += value[k] * x[q];
            if (two)
                odd[q] += value[k + 1] * z[q];
            else
                even[q] += value[k + 1] * z[q];
        }
    }
    for (; k < count; k++)
        for (int q = 0; q < parts; q++)
            even[q] += value[k] * ((const vd *)(X + (int64_t)place[k] * width))[q];
    for (int q = 0; q < parts; q++)
        ((vd *)y)[q] = even[q] + odd[q];
}

static void gather(int64_t count, const int32_t *place, const double *value, int width,
                   const double *X, double *y)
{
    enum { EIGHT = 8 / LANES };
    if (width == 8)
        gather_of(EIGHT, count, place, value, X, y);
    else if (width == 16)
        gather_of(2 * EIGHT, count, place, value, X, y);
    else if (width == 24)
        gather_of(3 * EIGHT, count, place, value, X, y);
    else
        gather_of(4 * EIGHT, count, place, value, X, y);
}

/* The compiler knows `count` and `rows`, so the sums, at most ten, stay in registers. */
static inline __attribute__((always_inline)) void strip_of(const int count, const int rows,
                                                           const double *K, int64_t m,
                                                           const double *const *x, double *const *y)
{
    const int parts = rows == LANES ? 1 : 2;
    for (int r = 0; r < rows; r += parts * LANES) {
        vd sum[SRI_STRIP_COLUMNS][2];
        const double *from[SRI_STRIP_COLUMNS];
        for (int c = 0; c < count; c++) {
            from[c] = x[c];
            for (int q = 0; q < parts; q++)
                sum[c][q] = ((const vd *)(y[c] + r))[q];
        }
        for (int64_t j = 0; j < m; j++) {
            const vd *k = (const vd *)(K + j * rows + r);
            for (int c = 0; c < count; c++)
                for (int q = 0; q < parts; q++)
                    sum[c][q] -= k[q] * from[c][j];
        }
        for (int c = 0; c < count; c++)
            for (int q = 0; q < parts; q++)
                ((vd *)(y[c] + r))[q] = sum[c][q];
    }
}

#define STRIP_CASE(count)                                \
    case count:                                          \
        if (rows == SRI_STRIP)                           \
            strip_of(count, SRI_STRIP, K, m, x, y);      \
        else                                             \
            strip_of(count, SRI_HALF_STRIP, K, m, x, y); \
        break

static void strip(const double *K, int rows, int64_t m, int count, const double *const *x,
                  double *const *y)
{
    switch (count) {
        STRIP_CASE(5);
        STRIP_CASE(4);
        STRIP_CASE(3);
        STRIP_CASE(2);
        STRIP_CASE(1);
    }
}

/* Few columns at a time, so that their sums for a strip of four, or two, registers stay there. */
enum { TILE_COLUMNS = 5, TILE_STRIPS_FEW = 4, TILE_STRIPS = LANES == 8 ? 4 : 2 };

/* Sums of 32 products are short enough for single precision. */
#define REAL float
#define REAL_LANES (2 * LANES)
#define TILE_FUNCTION tile_single
#define RUN 32
#include "backend/cpu/vec_tile.h"

#define REAL double
#define REAL_LANES LANES
#define TILE_FUNCTION tile_double
#define RUN SRI_PANEL
#include "backend/cpu/vec_tile.h"

static double round_tile(const double *values, float *tile)
{
    double sum = 0;
    for (int k = 0; k < SRI_PANEL * SRI_PANEL; k++) {
        tile[k] = (float)values[k];
        sum += values[k] * values[k];
    }
    return sum;
}

/* A few rows of V at a time, with their sums in registers: they are still in the cache when they
 * are subtracted from w.  The rows after them are prefetched; the processor's own prefetcher
 * stops at the end of a page. */
enum { BASIS_ROWS = 4, BASIS_RUN = 64, LINE_BYTES = 64 };

static inline void fetch(const void *from, int bytes)
{
    for (int k = 0; k < bytes; k += LINE_BYTES)
        __builtin_prefetch((const char *)from + k, 0, 2);
}

#define PROJECT_FUNCTION(name, number)                                                          \
    static void name(const number *V, int64_t rows, int64_t n, double *w)                       \
    {                                                                                           \
        for (int64_t r = 0; r < rows; r += BASIS_ROWS) { /* a short last group repeats a row */ \
            const number *v0 = V + r * n, *v1 = r + 1 < rows ? v0 + n : v0;                     \
            const number *v2 = r + 2 < rows ? v1 + n : v0, *v3 = r + 3 < rows ? v2 + n : v0;    \
            double s0 = 0, s1 = 0, s2 = 0, s3 = 0;                                              \
            for (int64_t from = 0; from < n; from += BASIS_RUN) {                               \
                const int64_t to = from + BASIS_RUN < n ? from + BASIS_RUN : n;                 \
                fetch(v0 + BASIS_ROWS * (n + from), BASIS_ROWS * BASIS_RUN * sizeof *V);        \
                for (int64_t i = from; i < to; i++) {                                           \
                    s0 += (double)v0[i] * w[i];                                                 \
                    s1 += (double)v1[i] * w[i];                                                 \
                    s2 += (double)v2[i] * w[i];                                                 \
                    s3 += (double)v3[i] * w[i];                                                 \
                }                                                                               \
            }                                                                                   \
            s1 = r + 1 < rows ? s1 : 0;                                                         \
            s2 = r + 2 < rows ? s2 : 0;                                                         \
            s3 = r + 3 < rows ? s3 : 0;                                                         \
            for (int64_t i = 0; i < n; i++)                                                     \
                w[i] -= s0 * (double)v0[i] + s1 * (double)v1[i] + s2 * (double)v2[i] +          \
                        s3 * (double)v3[i];                                                     \
        }                                                                                       \
    }

PROJECT_FUNCTION(project_single, float)
PROJECT_FUNCTION(project_double, double)

static void project(const void *V, bool is_single, int64_t rows, int64_t n, double *w)
{
    if (is_single)
        project_single(V, rows, n, w);
    else
        project_double(V, rows, n, w);
}

static double inner(int64_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void subtract(int64_t n, double a, const double *x, double b, const double *y, double *w)
{
    for (int64_t i = 0; i < n; i++)
        w[i] -= a * x[i] + b * y[i];
}

static void recur(int64_t n, double u, double w, const double *r, double *a, double *before)
{
    for (int64_t i = 0; i < n; i++) {
        const double now = a[i];
        a[i] = now + u * (now - before[i]) + w * r[i];
        before[i] = now;
    }
}

static void exp_root(double *v, int64_t n, double c)
{
    for (int64_t i = 0; i < n; i++)
        v[i] = exp(c * sqrt(v[i]));
}

/* exp(-1000) is 0; the polynomial of a larger u could overflow before it is multiplied by that. */
static inline double bounded(double u)
{
    return u < 1000 ? u : 1000;
}

static void matern32(double *v, int64_t n, double c)
{
    for (int64_t i = 0; i < n; i++) {
        const double u = bounded(c * sqrt(v[i]));
        v[i] = (1 + u) * exp(-u);
    }
}

static void matern52(double *v, int64_t n, double c)
{
    for (int64_t i = 0; i < n; i++) {
        const double u = bounded(c * sqrt(v[i]));
        v[i] = (1 + u + u * u * (1.0 / 3)) * exp(-u);
    }
}

static void inverse(double *v, int64_t n, double c, double a)
{
    for (int64_t i = 0; i < n; i++)
        v[i] = exp(-a * log(1 + c * v[i]));
}

static void root(double *v, int64_t n, double c)
{
    for (int64_t i = 0; i < n; i++)
        v[i] = -sqrt(1 + c * v[i]);
}

/* v^half is r^degree, or r^(degree - 1). */
static void spline(double *v, int64_t n, double c, int degree)
{
    const int half = degree / 2;
    const double tiny = 1e-300; /* 0 log 0 is 0 */
    for (int64_t i = 0; i < n; i++) {
        const double last = degree % 2 ? sqrt(v[i]) : 0.5 * log(v[i] > tiny ? v[i] : tiny);
        double product = c * last;
        for (int k = 0; k < half; k++)
            product *= v[i];
        v[i] = product;
    }
}

static void power(double *v, int64_t n, double gamma, double coef0, int degree)
{
    for (int64_t i = 0; i < n; i++) {
        const double base = gamma * v[i] + coef0;
        double result = base;
        for (int d = 1; d < degree; d++)
            result *= base;
        v[i] = result;
    }
}

static void dist_from_dot(double *v, int64_t n, double qi, const double *q)
{
    for (int64_t i = 0; i < n; i++) {
        const double d = qi + q[i] - 2 * v[i];
        v[i] = d > 0 ? d : 0;
    }
}

#include "backend/cpu/vec_field.h"

const sri_vec VEC_TABLE(sri_vec) = {
    .name = VEC_NAME,
    .band = &VEC_TABLE(sri_band_vec),
    .factor = &VEC_TABLE(sri_factor_vec),
    .square = &VEC_TABLE(sri_square_vec),
    .slab = &VEC_TABLE(sri_slab_vec),
    .dist2 = dist2,
    .dist1 = dist1,
    .dot = dot,
    .least = least,
    .chi2 = chi2,
    .differ = differ,
    .exp_linear = VEC_TABLE(sri_exp_linear),
    .exp_root = exp_root,
    .matern32 = matern32,
    .matern52 = matern52,
    .power = power,
    .inverse = inverse,
    .root = root,
    .spline = spline,
    .field_values = field_values,
    .field_add = field_add,
    .thin = thin,
    .panel_down = panel_down,
    .panel_along = panel_along,
    .gather = gather,
    .tile_single = tile_single,
    .tile_double = tile_double,
    .round_tile = round_tile,
    .project = project,
    .strip = strip,
    .inner = inner,
    .subtract = subtract,
    .recur = recur,
    .dist_from_dot = dist_from_dot,
};
