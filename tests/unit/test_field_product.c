/* Kernels of vector fields: products and matrices against the formula in long double, threads and
 * instruction sets, and what the kernels are for: fields without curl, or without divergence. */
#include <float.h>
#include <math.h>

#include "backend/eigen.h"
#include "backend/vec.h"
#include "core/openmp.h"
#include "kernel/field.h"
#include "kit/kit.h"

typedef long double real;

/* Entry (t, u) of Gamma(x, z), and the sum of the sizes of the terms it is made of. */
static real entry(const sri_field *f, const double *x, const double *z, int64_t t, int64_t u,
                  real *size, real *square)
{
    const real s2 = (real)f->sigma * f->sigma;
    real r2 = 0;
    for (int64_t k = 0; k < f->T; k++)
        r2 += ((real)x[k] - z[k]) * ((real)x[k] - z[k]);
    const real e = expl(-r2 / (2 * s2)) / s2, same = t == u;
    const real uu = ((real)x[t] - z[t]) * ((real)x[u] - z[u]) / s2;
    const real cf = e * (same - uu);
    const real df = e * (uu + (f->T - 1 - r2 / s2) * same);
    *size = e * (fabsl(f->curl) * (same + fabsl(uu)) +
                 fabsl(f->div) * (fabsl(uu) + (f->T - 1 + r2 / s2) * same));
    *square = r2 / s2;
    return f->curl * cf + f->div * df;
}

/* |w|^2 has T + 3 roundings, which e feels |w|^2 / 2 times; exp itself has 4, and as many more come
 * after it. */
static real entry_rounding(int64_t T, real square)
{
    return DBL_EPSILON * ((real)(T + 3) * (1 + square / 2) + 8);
}

static void check_product(specreg_context *ctx, const sri_field *f, int64_t m, int64_t n, int64_t c)
{
    const int64_t T = f->T;
    double *X = kit_normal(41, m, T), *Z = kit_normal(42, n, T), *C = kit_normal(43, n * T, c);
    double *F = kit_normal(44, m * T, c); /* what was there must not matter */
    CHECK_OK(ctx, sri_field_product(ctx, &(sri_field_matrix){f, X, m, Z, n}, c, C, F));
    for (int64_t i = 0; i < m; i++)
        for (int64_t t = 0; t < T; t++)
            for (int64_t k = 0; k < c; k++) {
                real sum = 0, bound = 0;
                for (int64_t j = 0; j < n; j++)
                    for (int64_t u = 0; u < T; u++) {
                        real size, square;
                        const real v = C[(j * T + u) * c + k];
                        sum += entry(f, X + i * T, Z + j * T, t, u, &size, &square) * v;
                        bound += size * fabsl(v) *
                                 (entry_rounding(T, square) + (real)(n * T) * DBL_EPSILON);
                    }
                CHECK_WORST("product", (double)fabsl(F[(i * T + t) * c + k] - sum), (double)bound);
            }
    free(F);
    free(C);
    free(Z);
    free(X);
}

static void check_products(specreg_context *ctx)
{
    static const int64_t dims[] = {1, 2, 3, 4, 7};
    for (int d = 0; d < 5; d++) {
        const sri_field f = {.sigma = 1.3, .curl = 0.7, .div = 0.3, .T = dims[d]};
        for (int64_t c = 1; c <= 9; c++)
            check_product(ctx, &f, 19, 150, c); /* more than a block of rows, than a panel */
        check_product(ctx, &f, 3, 130, 37);     /* more columns than go in one pass */
        check_product(ctx, &f, 1, 1, 1);
    }
    const sri_field curl = {.sigma = 0.2, .curl = 1, .T = 2}, div = {.sigma = 9, .div = 2, .T = 3};
    check_product(ctx, &curl, 40, 256, 2);
    check_product(ctx, &div, 33, 128, 3);
}

TEST(field, products_are_those_of_the_formula_with_every_instruction_set)
{
    static const char *const sets[] = {"plain", "avx2", "avx512"}; /* or the best there is */
    for (int i = 0; i < 3; i++) {
        sri_vec_use(sets[i]);
        check_products(ctx);
    }
    sri_vec_use(getenv("SPECREG_CPU"));
}

TEST(field, threads_do_not_change_a_bit)
{
    const int before = omp_get_max_threads();
    for (int64_t T = 2; T <= 4; T++) {
        const int64_t n = 700, c = 5;
        const sri_field f = {.sigma = 0.5, .curl = 0.5, .div = 0.5, .T = T};
        double *X = kit_normal(45, n, T), *C = kit_normal(46, n * T, c);
        double *F = kit_normal(47, n * T, c), *G = kit_normal(48, n * T, c);
        omp_set_num_threads(1);
        CHECK_OK(ctx, sri_field_product(ctx, &(sri_field_matrix){&f, X, n, X, n}, c, C, F));
        omp_set_num_threads(2);
        CHECK_OK(ctx, sri_field_product(ctx, &(sri_field_matrix){&f, X, n, X, n}, c, C, G));
        CHECK(memcmp(F, G, (size_t)(n * T * c) * sizeof *F) == 0);
        omp_set_num_threads(before);
        free(G);
        free(F);
        free(C);
        free(X);
    }
}

/* e is 0 to the last bit there, whatever u u' is; at one point Gamma is a multiple of I. */
TEST(field, points_that_are_far_apart_know_nothing_of_each_other)
{
    static const double x[2] = {0, 0}, far[][2] = {{60, 0}, {-60, 60}, {1e160, 1}, {-1e308, 1e308}};
    static const double C[2] = {3, 5};
    const sri_field f = {.sigma = 1, .curl = 2, .div = 0.5, .T = 2};
    double F[2];
    for (int i = 0; i < 4; i++) {
        CHECK_OK(ctx, sri_field_product(ctx, &(sri_field_matrix){&f, x, 1, far[i], 1}, 1, C, F));
        CHECK(F[0] == 0 && F[1] == 0);
        CHECK_OK(ctx,
                 sri_field_product(ctx, &(sri_field_matrix){&f, far[i], 1, far[i], 1}, 1, C, F));
        CHECK(F[0] == 2.5 * 3 && F[1] == 2.5 * 5);
    }
    CHECK_SAME(sri_field_diagonal(&f), 2.5);
    CHECK_OK(ctx, sri_field_product(ctx, &(sri_field_matrix){&f, x, 1, x, 0}, 1, C,
                                    F)); /* no centre at all */
    CHECK(F[0] == 0 && F[1] == 0);
}

TEST(field, the_matrix_is_that_of_the_formula_symmetric_and_semi_definite)
{
    for (int64_t T = 1; T <= 4; T++)
        for (int which = 0; which < 3; which++) {
            const int64_t n = 140, N = n * T;
            const double gamma[] = {0, 1, 0.4};
            const double part = gamma[which];
            const sri_field f = {.sigma = 0.8, .curl = 1 - part, .div = part, .T = T};
            double *X = kit_normal(49, n, T), *G = kit_normal(50, N, N), *L = kit_normal(51, N, N);
            double *was = kit_normal(51, N, N), *s = kit_normal(52, N, 1);
            CHECK_OK(ctx, sri_field_fill(ctx, &f, X, n, true, G));
            CHECK_OK(ctx, sri_field_fill(ctx, &f, X, n, false, L));
            for (int64_t i = 0; i < N; i++)
                for (int64_t j = 0; j < N; j++) {
                    real size, square;
                    const real v =
                        entry(&f, X + i / T * T, X + j / T * T, i % T, j % T, &size, &square);
                    CHECK_WORST("entry", (double)fabsl(G[i * N + j] - v),
                                (double)(size * entry_rounding(T, square)));
                    CHECK_SAME(G[i * N + j], G[j * N + i]);
                    CHECK_SAME(L[i * N + j], j <= i ? G[i * N + j] : was[i * N + j]);
                    if (i == j)
                        CHECK_SAME(G[i * N + i], sri_field_diagonal(&f));
                }
            CHECK_OK(ctx, sri_eigen(ctx, N, G, s, false));
            /* without divergence in one dimension: 0, the difference of terms of size 1/sigma^2 */
            CHECK_WORST("smallest eigenvalue", -s[0], kit_tolerance(N, 1) * (s[N - 1] + 1 / 0.64));
            free(s);
            free(was);
            free(L);
            free(G);
            free(X);
        }
}

/* ------------------------------------------------------------ curl and divergence */

enum { CENTRES = 30 };

/* J[t * T + u] = d f_t / d x_u at x, by differences of fourth order: with h = sigma / 256 these are
 * off by h^4 / 30, 1e-11, of the fifth derivatives, and by rounding / h, 1e-13. */
static void derivatives(specreg_context *ctx, const sri_field *f, const double *x, const double *Z,
                        const double *C, double *J)
{
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    const double h = f->sigma / 256;
    for (int64_t u = 0; u < f->T; u++) {
        double sum[3] = {0};
        for (int k = 0; k < 4; k++) {
            double y[3], F[3];
            memcpy(y, x, (size_t)f->T * sizeof *y);
            y[u] += at[k] * h;
            CHECK_OK(ctx,
                     sri_field_product(ctx, &(sri_field_matrix){f, y, 1, Z, CENTRES}, 1, C, F));
            for (int64_t t = 0; t < f->T; t++)
                sum[t] += weight[k] * F[t] / (12 * h);
        }
        for (int64_t t = 0; t < f->T; t++)
            J[t * f->T + u] = sum[t];
    }
}

/* The largest of |divergence|, |curl| and of the derivatives themselves over some points. */
static void measure(specreg_context *ctx, const sri_field *f, double *divergence, double *curl,
                    double *scale)
{
    const int64_t T = f->T;
    double *Z = kit_normal(53, CENTRES, T), *C = kit_normal(54, CENTRES, T);
    double *X = kit_normal(55, 20, T);
    *divergence = *curl = *scale = 0;
    for (int i = 0; i < 20; i++) {
        double J[9], trace = 0;
        derivatives(ctx, f, X + i * T, Z, C, J);
        for (int64_t t = 0; t < T; t++) {
            trace += J[t * T + t];
            for (int64_t u = 0; u < T; u++) {
                *curl = fmax(*curl, fabs(J[t * T + u] - J[u * T + t]));
                *scale = fmax(*scale, fabs(J[t * T + u]));
            }
        }
        *divergence = fmax(*divergence, fabs(trace));
    }
    free(X);
    free(C);
    free(Z);
}

TEST(field, predictions_have_no_curl_or_no_divergence)
{
    for (int64_t T = 2; T <= 3; T++) {
        const sri_field cf = {.sigma = 0.9, .curl = 1, .T = T};
        const sri_field df = {.sigma = 0.9, .div = 1, .T = T};
        double divergence, curl, scale;
        measure(ctx, &cf, &divergence, &curl, &scale);
        CHECK_WORST("curl of a curl-free field", curl, 1e-9 * scale);
        CHECK(divergence > 0.1 * scale);
        measure(ctx, &df, &divergence, &curl, &scale);
        CHECK_WORST("divergence of a divergence-free field", divergence, 1e-9 * scale);
        CHECK(curl > 0.1 * scale);
    }
}

static int cancel(const specreg_progress *p, void *payload)
{
    (void)p;
    return --*(int *)payload < 0;
}

TEST(field, products_can_be_cancelled)
{
    double *X = kit_normal(56, 100, 2), *C = kit_normal(57, 200, 1), *F = kit_normal(58, 200, 1);
    const sri_field f = {.sigma = 1, .curl = 1, .T = 2};
    int left = 0;
    specreg_set_progress(ctx, cancel, &left);
    CHECK_FAILS(ctx, sri_field_product(ctx, &(sri_field_matrix){&f, X, 100, X, 100}, 1, C, F),
                SPECREG_E_CANCELLED, "cancelled");
    specreg_set_progress(ctx, NULL, NULL);
    free(F);
    free(C);
    free(X);
}
