/* The inner loops of every instruction set this machine has, against long double. */
#include <float.h>
#include <math.h>

#include "backend/square.h"
#include "backend/vec.h"
#include "kit/kit.h"

typedef long double real;

/* The tables that can run here; NULL at the end. */
static const sri_vec *const *tables(void)
{
    static const sri_vec *list[4];
    int n = 0;
    list[n++] = &sri_vec_plain;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        list[n++] = &sri_vec_avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        list[n++] = &sri_vec_avx512;
#endif
    list[n] = NULL;
    return list;
}

/* A sum of p products, each rounded at most twice and added once: (p + 2) eps of the sizes. */
static void check_pairs(const sri_vec *vec, int64_t rows, int64_t p)
{
    const int64_t lda = p + 3;
    double *A = kit_normal(11, rows, lda), *panel = kit_normal(12, p, SRI_PANEL);
    double out[3][SRI_TILE_ROWS * SRI_PANEL];
    vec->dist2(A, lda, rows, panel, p, out[0]);
    vec->dist1(A, lda, rows, panel, p, out[1]);
    vec->dot(A, lda, rows, panel, p, out[2]);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < SRI_PANEL; c++) {
            real want[3] = {0}, size = 0;
            for (int64_t k = 0; k < p; k++) {
                const real a = A[r * lda + k], z = panel[k * SRI_PANEL + c];
                want[0] += (a - z) * (a - z);
                want[1] += fabsl(a - z);
                want[2] += a * z;
                size += fabsl(a * z);
            }
            const real sizes[3] = {want[0], want[1], size};
            for (int i = 0; i < 3; i++)
                CHECK_WORST(i == 0   ? "dist2"
                            : i == 1 ? "dist1"
                                     : "dot",
                            (double)fabsl(out[i][r * SRI_PANEL + c] - want[i]),
                            (double)((p + 2) * DBL_EPSILON * sizes[i]) + DBL_MIN);
        }
    free(panel);
    free(A);
}

TEST(vec, pair_loops_sum_over_the_columns)
{
    static const int64_t ps[] = {1, 2, 3, 8, 20, 64};
    for (const sri_vec *const *v = tables(); *v; v++)
        for (int64_t rows = 1; rows <= SRI_TILE_ROWS; rows++)
            for (int i = 0; i < 6; i++)
                check_pairs(*v, rows, ps[i]);
}

TEST(vec, strips_subtract_products_with_vectors_that_lie_apart)
{
    enum { M = 45, APART = 51 };
    static const int64_t sizes[] = {0, 1, 2, 3, 44, M};
    double *K = kit_normal(13, SRI_STRIP, M), *X = kit_normal(14, SRI_STRIP_COLUMNS, APART);
    double *Y = kit_normal(15, SRI_STRIP_COLUMNS, APART);
    for (const sri_vec *const *v = tables(); *v; v++)
        for (int rows = SRI_HALF_STRIP; rows <= SRI_STRIP; rows += SRI_HALF_STRIP)
            for (int count = 0; count <= SRI_STRIP_COLUMNS; count++)
                for (int s = 0; s < 6; s++) {
                    double out[SRI_STRIP_COLUMNS * APART], *y[SRI_STRIP_COLUMNS];
                    const double *x[SRI_STRIP_COLUMNS];
                    memcpy(out, Y, sizeof out);
                    for (int c = 0; c < count; c++) {
                        x[c] = X + c * APART + 1; /* aligned to numbers only */
                        y[c] = out + c * APART + 3;
                    }
                    (*v)->strip(K, rows, sizes[s], count, x, y);
                    for (int i = 0; i < SRI_STRIP_COLUMNS * APART; i++) {
                        const int c = i / APART, row = i % APART - 3;
                        const bool inside = c < count && row >= 0 && row < rows;
                        real want = Y[i], size = fabsl(want);
                        for (int64_t j = 0; inside && j < sizes[s]; j++) {
                            const real product = (real)K[j * rows + row] * x[c][j];
                            want -= product;
                            size += fabsl(product);
                        }
                        if (inside)
                            CHECK_WORST("strip", (double)fabsl(out[i] - want),
                                        (double)((M + 2) * DBL_EPSILON * size));
                        else
                            CHECK_SAME(out[i], Y[i]);
                    }
                }
    free(Y);
    free(X);
    free(K);
}

TEST(vec, a_recurrence_takes_its_step_and_remembers)
{
    enum { N = 37 };
    double *r = kit_normal(16, N, 1), *a = kit_normal(17, N, 1), *b = kit_normal(18, N, 1);
    for (const sri_vec *const *v = tables(); *v; v++)
        for (int64_t n = N - 9; n <= N; n++) {
            double now[N], before[N];
            memcpy(now, a, sizeof now);
            memcpy(before, b, sizeof before);
            (*v)->recur(n, 0.75, 0.3, r, now, before);
            for (int64_t i = 0; i < N; i++) {
                const real turn = 0.75L * ((real)a[i] - b[i]), push = (real)0.3 * r[i];
                const real size = fabsl(a[i]) + fabsl(turn) + fabsl(push);
                CHECK_SAME(before[i], i < n ? a[i] : b[i]);
                if (i < n)
                    CHECK_WORST("recur", (double)fabsl(now[i] - (a[i] + turn + push)),
                                (double)(4 * DBL_EPSILON * size));
                else
                    CHECK_SAME(now[i], a[i]);
            }
        }
    free(b);
    free(a);
    free(r);
}

enum { EXP_LINEAR, EXP_ROOT, MATERN32, MATERN52, POWER, FROM_DOT, MAPS };
static const char *const MAP_NAMES[MAPS] = {"exp_linear", "exp_root", "matern32",
                                            "matern52",   "power",    "dist_from_dot"};
static const double Q[1] = {0.75}; /* of FROM_DOT, repeated */

static void apply_map(const sri_vec *vec, int map, double *v, int64_t n, double c, const double *q)
{
    switch (map) {
    case EXP_LINEAR:
        vec->exp_linear(v, n, -c);
        break;
    case EXP_ROOT:
        vec->exp_root(v, n, -c);
        break;
    case MATERN32:
        vec->matern32(v, n, c);
        break;
    case MATERN52:
        vec->matern52(v, n, c);
        break;
    case POWER:
        vec->power(v, n, c, 1.5, 7);
        break;
    default:
        vec->dist_from_dot(v, n, c, q);
    }
}

/* The value, and the rounding it may have: 4 ulp for a vector exp, its argument's own rounding,
 * and the few operations around it. */
static real map_value(int map, real v, real c, real *bound)
{
    const real u = map == EXP_LINEAR ? c * v : c * sqrtl(v);
    real f = 0, e = 8 + 3 * u;
    switch (map) {
    case EXP_LINEAR:
    case EXP_ROOT:
        f = expl(-u);
        break;
    case MATERN32:
        f = (1 + u) * expl(-u);
        break;
    case MATERN52:
        f = (1 + u + u * u / 3) * expl(-u);
        break;
    case POWER:
        f = powl(c * v + 1.5L, 7);
        e = 24;
        break;
    default:
        f = c + Q[0] - 2 * v;
        e = 4 * (c + Q[0] + 2 * fabsl(v)) / (f > 0 ? f : 1);
        f = f > 0 ? f : 0;
    }
    *bound = e * DBL_EPSILON * (map == FROM_DOT && f == 0 ? 0 : f) + DBL_MIN;
    return f;
}

TEST(vec, maps_give_their_formulas_in_every_instruction_set)
{
    enum { N = 1000 };
    static const double scales[] = {1e-6, 0.3, 1, 40};
    double v[N], q[N];
    for (const sri_vec *const *t = tables(); *t; t++)
        for (int map = 0; map < MAPS; map++)
            for (int s = 0; s < 4; s++)
                for (int64_t n = N - 9; n <= N; n++) { /* every remainder of the vector length */
                    for (int64_t i = 0; i < n; i++) {
                        v[i] = 15.0 * (double)i / N;
                        q[i] = Q[0];
                    }
                    apply_map(*t, map, v, n, scales[s], q);
                    for (int64_t i = 0; i < n; i++) {
                        real bound;
                        const real want = map_value(map, 15.0 * (double)i / N, scales[s], &bound);
                        CHECK_WORST(MAP_NAMES[map], (double)fabsl(v[i] - want), (double)bound);
                    }
                }
}

TEST(vec, zero_distance_gives_exactly_one_and_endless_distance_exactly_zero)
{
    for (const sri_vec *const *t = tables(); *t; t++)
        for (int map = EXP_LINEAR; map <= MATERN52; map++)
            for (int64_t n = 1; n <= 17; n++) {
                double zero[17] = {0}, far[17];
                for (int i = 0; i < 17; i++)
                    far[i] = i % 3 == 0 ? INFINITY : i % 3 == 1 ? 1e300 : 1e308;
                apply_map(*t, map, zero, n, 2.5, NULL);
                apply_map(*t, map, far, n, 1e10, NULL);
                for (int64_t i = 0; i < n; i++) {
                    CHECK_SAME(zero[i], 1.0);
                    CHECK_SAME(far[i], 0.0);
                }
            }
}

/* Rows first .. of Z'Z from panels of scaled columns. */
static void check_square(const sri_square_vec *vec, int64_t rows, int64_t columns, int64_t first)
{
    const int64_t padded = sri_square_padded(vec, columns), stride = (rows + 3) * vec->width;
    double *Z = kit_normal(21, rows, columns), *scale = kit_normal(22, columns, 1);
    double *P = kit_normal(23, padded / vec->width, stride);
    double *C = kit_normal(24, SRI_SQUARE_STRIP, padded);
    for (int64_t j = 0; j < columns; j++)
        scale[j] = ldexp(1, (int)(j % 5) - 2);
    vec->pack(rows / 3, columns, Z, columns, scale, P, stride); /* in two pieces */
    vec->pack(rows - rows / 3, columns, Z + rows / 3 * columns, columns, scale,
              P + rows / 3 * vec->width, stride);
    vec->multiply(rows, first, columns, P, stride, C, padded);
    for (int64_t i = first; i < columns && i < first + SRI_SQUARE_STRIP; i++)
        for (int64_t j = 0; j <= i; j++) {
            real want = 0, size = 0;
            for (int64_t k = 0; k < rows; k++) {
                const real z = (real)Z[k * columns + i] * Z[k * columns + j] * scale[i] * scale[j];
                want += z;
                size += fabsl(z);
            }
            CHECK_WORST("square", (double)fabsl(C[(i - first) * padded + j] - want),
                        (double)((real)(rows + 2) * DBL_EPSILON * size));
        }
    free(C);
    free(P);
    free(scale);
    free(Z);
}

TEST(vec, squares_of_columns_in_panels)
{
    for (const sri_vec *const *t = tables(); *t; t++) {
        check_square((*t)->square, 1, 1, 0);
        check_square((*t)->square, 7, 30, 0);
        check_square((*t)->square, 600, 23, 0);
        check_square((*t)->square, 5, 131, SRI_SQUARE_STRIP);
    }
}

/* Each number is rounded once to a multiple of 2^-74, and then nothing is lost: the same integers
 * come in any order. */
TEST(vec, exact_sums_are_those_of_rounded_numbers)
{
    enum { N = 1003, ADDED = 40 };
    for (const sri_vec *const *t = tables(); *t; t++) {
        int64_t high[2][N] = {{0}}, low[2][N] = {{0}};
        double *x = kit_normal(22, ADDED, N);
        for (int64_t k = 0; k < ADDED * N; k++)
            x[k] = ldexp(x[k], (int)(k % 50) - 30);
        for (int64_t k = 0; k < ADDED; k++) {
            (*t)->square->add(N, x + k * N, high[0], low[0]);
            (*t)->square->add(N, x + (ADDED - 1 - k) * N, high[1], low[1]);
        }
        for (int64_t i = 0; i < N; i++) {
            __int128 want = 0, unit = (__int128)1 << 50;
            for (int64_t k = 0; k < ADDED; k++)
                want += (__int128)rintl(ldexpl(x[k * N + i], 74));
            CHECK(high[0][i] * unit + low[0][i] == want);
            CHECK(high[0][i] == high[1][i] && low[0][i] == low[1][i]);
        }
        free(x);
    }
}

/* The environment is read once: what a program writes there later changes nothing.  The tests also
 * run with SPECREG_CPU=plain and avx2. */
TEST(vec, the_environment_can_ask_for_less)
{
    const sri_vec *first = sri_vec_best();
    const char *asked = getenv("SPECREG_CPU");
    if (asked && strcmp(asked, "plain") == 0)
        CHECK_STR(first->name, "plain");
    if (asked && strcmp(asked, "avx2") == 0)
        CHECK(strcmp(first->name, "avx512") != 0);
    char *kept = asked ? strdup(asked) : NULL;
    setenv("SPECREG_CPU", asked ? "avx512" : "plain", 1);
    CHECK(sri_vec_best() == first);
    sri_vec_use("plain");
    CHECK_STR(sri_vec_best()->name, "plain");
    sri_vec_use(kept);
    CHECK(sri_vec_best() == first);
    unsetenv("SPECREG_CPU");
    if (kept)
        setenv("SPECREG_CPU", kept, 1);
    free(kept);
}
