/* A fit with one lambda against the bare calls it needs: an RBF kernel matrix (tiled GEMM and a
 * vectorised exp, one triangle) and a Cholesky solve.  Interleaved, repeated, the minimum counts.
 * Peak memory is that of the process after its first fit, which comes before the bare calls.
 *   fit_bench [N] [P] [REPEATS] [ENGINE] */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <specreg/specreg.h>

enum { TILE = 256 };

static double uniform(unsigned long long *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*state >> 11) * 0x1p-53;
}

/* Lower triangle of exp(-g |x_i - x_j|^2), rows one after the other. */
static void bare_kernel(const double *X, const double *q, int n, int p, double g, double *K)
{
    for (int i0 = 0; i0 < n; i0 += TILE) {
        const int rows = n - i0 < TILE ? n - i0 : TILE;
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, i0 + rows, p, 2 * g,
                    X + (size_t)i0 * p, p, X, p, 0, K + (size_t)i0 * n, n);
#pragma omp parallel for schedule(static)
        for (int i = i0; i < i0 + rows; i++) {
            double *row = K + (size_t)i * n;
            for (int j = 0; j <= i; j++) {
                const double z = row[j] - g * q[i] - g * q[j];
                row[j] = exp(z < 0 ? z : 0);
            }
        }
    }
}

static void bare_solve(double *K, double *y, int n, double shift)
{
    for (int i = 0; i < n; i++)
        K[(size_t)i * n + i] += shift;
    LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, K, n);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, K, n, y, 1);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, n, K, n, y, 1);
}

static double library_fit(const specreg_view *X, const specreg_view *Y, const char *engine)
{
    specreg_context *ctx = NULL;
    specreg_options *o = NULL;
    specreg_model *model = NULL;
    specreg_context_new(&ctx);
    specreg_options_new(ctx, &o);
    specreg_options_set(ctx, o, "kernel", "rbf:sigma=4");
    specreg_options_set(ctx, o, "param", "lambda=1e-4");
    specreg_options_set(ctx, o, "problem", "regression");
    specreg_options_set(ctx, o, "engine", engine);
    const double start = omp_get_wtime();
    if (specreg_fit_arrays(ctx, X, Y, o, &model) != SPECREG_OK) {
        fprintf(stderr, "fit_bench: %s\n", specreg_last_error(ctx));
        exit(1);
    }
    const double seconds = omp_get_wtime() - start;
    specreg_model_free(model);
    specreg_options_free(o);
    specreg_context_free(ctx);
    return seconds;
}

static double peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 5000, p = argc > 2 ? atoi(argv[2]) : 20;
    const int repeats = argc > 3 ? atoi(argv[3]) : 5;
    const char *engine = argc > 4 ? argv[4] : "auto";
    double *X = malloc(sizeof *X * (size_t)n * p), *y = malloc(sizeof *y * n);
    double *q = calloc(n, sizeof *q), *b = malloc(sizeof *b * n);
    unsigned long long state = 7;
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int k = 0; k < p; k++) {
            const double v = 3.4641 * (uniform(&state) - 0.5); /* mean 0, deviation 1 */
            X[(size_t)i * p + k] = v;
            q[i] += v * v;
            y[i] += sin(v) / p;
        }
        y[i] += 0.1 * (uniform(&state) - 0.5);
    }
    const specreg_view vx = {X, n, p, p}, vy = {y, n, 1, 1};
    double kernel = 1e9, solve = 1e9, fit = 1e9, peak = 0;
    for (int r = 0; r < repeats; r++) {
        const double f = library_fit(&vx, &vy, engine);
        if (r == 0)
            peak = peak_bytes();
        double *K = aligned_alloc(64, sizeof *K * (size_t)n * n);
        for (int i = 0; i < n; i++)
            b[i] = y[i];
        const double t0 = omp_get_wtime();
        bare_kernel(X, q, n, p, 1.0 / 32, K);
        const double t1 = omp_get_wtime();
        bare_solve(K, b, n, 1e-4 * n);
        const double t2 = omp_get_wtime();
        free(K);
        kernel = t1 - t0 < kernel ? t1 - t0 : kernel;
        solve = t2 - t1 < solve ? t2 - t1 : solve;
        fit = f < fit ? f : fit;
    }
    printf("fit, n = %d, p = %d, one lambda, engine %s, %d threads, minimum of %d\n", n, p, engine,
           omp_get_max_threads(), repeats);
    printf("  bare kernel matrix  %7.3f s\n  bare Cholesky solve %7.3f s (%.0f GF/s)\n", kernel,
           solve, (double)n * n * n / 3e9 / solve);
    printf("  specreg fit         %7.3f s   ratio %.2f\n", fit, fit / (kernel + solve));
    printf("  peak memory         %7.0f MB   %.2f of an n x n matrix\n", peak / 1e6,
           peak / (8.0 * n * n));
    free(b);
    free(q);
    free(y);
    free(X);
    return 0;
}
