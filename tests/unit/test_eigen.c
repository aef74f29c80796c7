/* The decomposition of matrices that are large enough to be divided: values, vectors, their
 * order. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/blas.h"
#include "backend/eigen.h"
#include "kit/kit.h"

typedef double entry_fn(int64_t i, int64_t j);

static double smooth(int64_t i, int64_t j) /* most eigenvalues are nothing but rounding */
{
    const double d = (double)(i - j) / 100;
    return exp(-d * d);
}

static double rough(int64_t i, int64_t j) /* all of them count */
{
    return (i == j) * (1 + 1e-3 * (double)i) + 0.3 * sin((double)(i * j % 1009)) * (i + j) / 1000.0;
}

static double identity(int64_t i, int64_t j) /* nothing changes when halves are put together */
{
    return i == j;
}

static double path(int64_t i, int64_t j) /* tridiagonal already: 2 - 2 cos(k pi / (n + 1)) */
{
    return i == j ? 2 : llabs(i - j) == 1 ? -1 : 0;
}

static double two_values(int64_t i, int64_t j) /* 1, and n/2 + 1 twice */
{
    return (i == j) + (i % 2 == j % 2);
}

/* K v = s v and v'v = 1, every entry to rounding of the largest value; s in order. */
static void check(specreg_context *ctx, int64_t n, entry_fn *entry, double factor)
{
    double *K = malloc((size_t)(n * n) * sizeof *K), *V = malloc((size_t)(n * n) * sizeof *V);
    double *P = malloc((size_t)(n * n) * sizeof *P), *s = malloc((size_t)n * sizeof *s);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            K[i * n + j] = V[i * n + j] = factor * entry(i, j);
    CHECK_OK(ctx, sri_eigen(ctx, n, V, s, true));
    const double top = fmax(fabs(s[0]), fabs(s[n - 1])), bound = 10 * sqrt((double)n) * DBL_EPSILON;
    for (int64_t j = 1; j < n; j++)
        CHECK(s[j - 1] <= s[j]);
    sri_gemm(false, true, n, n, n, 1, V, n, K, n, 0, P, n); /* rows of V are vectors */
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            CHECK_WORST("K v - s v", fabs(P[j * n + i] - s[j] * V[j * n + i]) / top, bound);
    sri_gemm(false, true, n, n, n, 1, V, n, V, n, 0, P, n);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            CHECK_WORST("V'V - I", fabs(P[j * n + i] - (i == j)), bound);
    if (entry == path)
        for (int64_t k = 0; k < n; k++)
            CHECK_NEAR(s[k] / factor, 2 - 2 * cos((double)(k + 1) * M_PI / (double)(n + 1)), 1e-13);
    if (entry == two_values)
        for (int64_t k = 0; k < n; k++)
            CHECK_NEAR(s[k] / factor, k < n - 2 ? 1 : 1 + (double)n / 2, 1e-11);
    free(s);
    free(P);
    free(V);
    free(K);
}

TEST(eigen, of_large_matrices)
{
    check(ctx, 600, smooth, 1);
    check(ctx, 600, rough, 1);
    check(ctx, 513, rough, 1e-3);
    check(ctx, 500, identity, 1);
    check(ctx, 701, path, 1);
    check(ctx, 600, two_values, 1);
}

TEST(eigen, just_below_and_at_the_size_from_which_they_are_divided)
{
    check(ctx, 499, rough, 1);
    check(ctx, 500, rough, 1);
}

TEST(eigen, of_matrices_that_are_tiny_huge_or_zero)
{
    check(ctx, 510, rough, 1e-150);
    check(ctx, 510, rough, 1e150);
    double *K = calloc(510 * 510, sizeof *K), s[510];
    CHECK_OK(ctx, sri_eigen(ctx, 510, K, s, true));
    for (int k = 0; k < 510; k++)
        CHECK_EQ(s[k], 0);
    free(K);
}

/* Goes on for so many looks. */
static int stop_later(const specreg_progress *progress, void *payload)
{
    (void)progress;
    return --*(int *)payload < 0;
}

TEST(eigen, ends_soon_after_it_is_cancelled)
{
    enum { N = 640, LOOKS = 15 }; /* the reduction alone has one for 32 columns */
    double *K = malloc(N * N * sizeof *K), s[N];
    int left = LOOKS;
    CHECK_OK(ctx, sri_backend_choose(ctx, "own")); /* LAPACK's decomposition is one call */
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++)
            K[i * N + j] = rough(i, j);
    specreg_set_progress(ctx, stop_later, &left);
    CHECK_EQ(sri_eigen(ctx, N, K, s, true), SPECREG_E_CANCELLED);
    CHECK_EQ(left, -1);
    specreg_set_progress(ctx, NULL, NULL);
    free(K);
}
