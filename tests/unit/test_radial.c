/* Kernels of vector fields from every radial function: entries against second derivatives of the
 * function, which differences in long double give, matrices against these entries, and columns
 * without curl or without divergence. */
#include <math.h>

#include "backend/eigen.h"
#include "kernel/field.h"
#include "kit/kit.h"

typedef long double real;

enum { RADIALS = SRI_RADIAL_MATERN72 + 1 };

/* By its definition. */
static real phi(sri_radial radial, real s)
{
    static const real order[] =
        {[SRI_RADIAL_MATERN32] = 3, [SRI_RADIAL_MATERN52] = 5, [SRI_RADIAL_MATERN72] = 7};
    if (radial == SRI_RADIAL_GAUSS)
        return expl(-s / 2);
    if (radial == SRI_RADIAL_IMQ)
        return 1 / sqrtl(1 + s);
    const real u = sqrtl(order[radial] * s);
    const real more = radial == SRI_RADIAL_MATERN32   ? 0
                      : radial == SRI_RADIAL_MATERN52 ? u * u / 3
                                                      : 2 * u * u / 5 + u * u * u / 15;
    return (1 + u + more) * expl(-u);
}

static real phi_at(const sri_field *f, const double *x, const double *z, int64_t t, real dt,
                   int64_t u, real du)
{
    real s = 0;
    for (int64_t k = 0; k < f->T; k++) {
        const real d = (real)x[k] - z[k] + (k == t ? dt : 0) + (k == u ? du : 0);
        s += d * d / ((real)f->sigma * f->sigma);
    }
    return phi(f->radial, s);
}

/* d^2 phi / dx_t dx_u by differences of fourth order. */
static real second(const sri_field *f, const double *x, const double *z, int64_t t, int64_t u)
{
    static const real at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    static const real same[5] = {-1, 16, -30, 16, -1};
    const real h = 1e-3L * f->sigma;
    real sum = 0;
    for (int i = 0; t == u && i < 5; i++)
        sum += same[i] * phi_at(f, x, z, t, (i - 2) * h, -1, 0) / (12 * h * h);
    for (int i = 0; t != u && i < 4; i++)
        for (int j = 0; j < 4; j++)
            sum +=
                weight[i] * weight[j] * phi_at(f, x, z, t, at[i] * h, u, at[j] * h) / (144 * h * h);
    return sum;
}

static double distance(const double *x, const double *z, int64_t T)
{
    double s = 0;
    for (int64_t k = 0; k < T; k++)
        s += (x[k] - z[k]) * (x[k] - z[k]);
    return sqrt(s);
}

TEST(radial, entries_are_second_derivatives_of_the_function)
{
    for (int r = 0; r < RADIALS; r++)
        for (int64_t T = 2; T <= 4; T++) {
            const sri_field f = {.sigma = 0.7, .curl = 0.6, .div = 1.1, .T = T, .radial = r};
            double *X = kit_normal(61, 12, T);
            for (int i = 0; i < 12; i++)
                for (int j = 0; j < 12; j++) {
                    const double *x = X + i * T, *z = X + j * T;
                    real laplace = 0;
                    if (distance(x, z, T) < 0.3)
                        continue;
                    for (int64_t t = 0; t < T; t++)
                        laplace += second(&f, x, z, t, t);
                    for (int64_t t = 0; t < T; t++)
                        for (int64_t u = 0; u < T; u++) {
                            const real H = second(&f, x, z, t, u);
                            const real want = -f.curl * H + f.div * (H - (t == u ? laplace : 0));
                            CHECK_NEAR(sri_field_entry(&f, x, z, t, u), (double)want, 1e-8);
                        }
                }
            free(X);
        }
}

TEST(radial, matrices_have_these_entries_and_are_semi_definite)
{
    enum { N = 70, T = 3, ORDER = N * T };
    double *X = kit_normal(62, N, T), *G = malloc(sizeof(double[ORDER * ORDER]));
    double *C = kit_normal(63, ORDER, 5), *F = malloc(sizeof(double[ORDER * 5])), s[ORDER];
    for (int r = 0; r < RADIALS; r++) {
        const sri_field f = {.sigma = 0.9, .curl = 0.3, .div = 0.7, .T = T, .radial = r};
        const double size = 4 * sri_field_diagonal(&f);
        CHECK_OK(ctx, sri_field_fill(ctx, &f, X, N, true, G));
        CHECK_OK(ctx, sri_field_product(ctx, &(sri_field_matrix){&f, X, N, X, N}, 5, C, F));
        for (int64_t i = 0; i < ORDER; i++) {
            double sum[5] = {0};
            for (int64_t j = 0; j < ORDER; j++) {
                const double want = sri_field_entry(&f, X + i / T * T, X + j / T * T, i % T, j % T);
                CHECK_NEAR(G[i * ORDER + j], want, kit_tolerance(8, size));
                CHECK_SAME(G[i * ORDER + j], G[j * ORDER + i]);
                for (int c = 0; c < 5; c++)
                    sum[c] += want * C[j * 5 + c];
            }
            CHECK_NEAR(G[i * ORDER + i], sri_field_diagonal(&f), kit_tolerance(1, size));
            CHECK_ARRAY_NEAR(F + i * 5, sum, 5, kit_tolerance(ORDER, 4 * size));
        }
        CHECK_OK(ctx, sri_eigen(ctx, ORDER, G, s, false));
        CHECK(s[0] > -kit_tolerance(ORDER, s[ORDER - 1]));
    }
    free(F);
    free(C);
    free(G);
    free(X);
}

/* d Gamma_tu / dx_k by differences of fourth order. */
static double slope(const sri_field *f, const double *x, const double *z, int64_t t, int64_t u,
                    int64_t k)
{
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    const double h = f->sigma / 256;
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        double y[3];
        memcpy(y, x, (size_t)f->T * sizeof *y);
        y[k] += at[i] * h;
        sum += weight[i] * sri_field_entry(f, y, z, t, u) / (12 * h);
    }
    return sum;
}

TEST(radial, columns_have_no_curl_or_no_divergence)
{
    enum { T = 3 };
    double *X = kit_normal(64, 20, T);
    for (int r = 0; r < RADIALS; r++)
        for (int i = 1; i < 20; i++)
            for (int64_t u = 0; u < T; u++) {
                const sri_field cf = {.sigma = 0.9, .curl = 1, .T = T, .radial = r};
                const sri_field df = {.sigma = 0.9, .div = 1, .T = T, .radial = r};
                const double *x = X + i * T, *z = X;
                double divergence = 0;
                if (distance(x, z, T) < 0.3)
                    continue;
                for (int64_t t = 0; t < T; t++) {
                    divergence += slope(&df, x, z, t, u, t);
                    for (int64_t k = 0; k < t; k++)
                        CHECK_NEAR(slope(&cf, x, z, t, u, k), slope(&cf, x, z, k, u, t), 1e-6);
                }
                CHECK_NEAR(divergence, 0, 1e-6);
            }
    free(X);
}

TEST(radial, points_that_are_far_apart_or_equal_have_finite_values)
{
    static const double far[][2] = {{1e300, -1e300}, {1e10, 3}, {0, 0}, {1e-200, 0}};
    const double x[2] = {0}, C[2] = {1, 1};
    for (int r = 0; r < RADIALS; r++)
        for (int i = 0; i < 4; i++) {
            const sri_field f = {.sigma = 1, .curl = 0.5, .div = 0.5, .T = 2, .radial = r};
            double F[2];
            CHECK_OK(ctx,
                     sri_field_product(ctx, &(sri_field_matrix){&f, x, 1, far[i], 1}, 1, C, F));
            CHECK(isfinite(F[0]) && isfinite(F[1]));
            if (i >= 2)
                CHECK_NEAR(F[0], sri_field_diagonal(&f), 1e-14 * F[0]);
        }
}
