/* Predictions against the bare calls they need: RBF kernel values in blocks (GEMM and a vectorised
 * exp) that stay in cache, and their product with the coefficients.  Interleaved, repeated, the
 * minimum counts.
 *   predict_bench [ROWS] [CENTRES] [P] [REPEATS] */
#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include <specreg/specreg.h>

enum { BLOCK = 256 };

static double uniform(unsigned long long *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*state >> 11) * 0x1p-53;
}

static double *points(int n, int p, unsigned long long seed)
{
    double *X = malloc(sizeof *X * (size_t)n * p);
    for (size_t k = 0; k < (size_t)n * p; k++)
        X[k] = 3.4641 * (uniform(&seed) - 0.5); /* mean 0, deviation 1 */
    return X;
}

static double *norms(const double *X, int n, int p)
{
    double *q = calloc(n, sizeof *q);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < p; k++)
            q[i] += X[(size_t)i * p + k] * X[(size_t)i * p + k];
    return q;
}

/* f = k(X, Z) a, k = exp(-g |x - z|^2); K is BLOCK x n. */
static void bare(const double *X, const double *qx, int m, const double *Z, const double *qz, int n,
                 int p, double g, const double *a, double *K, double *f)
{
    for (int i0 = 0; i0 < m; i0 += BLOCK) {
        const int rows = m - i0 < BLOCK ? m - i0 : BLOCK;
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, n, p, 2 * g, X + (size_t)i0 * p,
                    p, Z, p, 0, K, n);
#pragma omp parallel for schedule(static)
        for (int i = 0; i < rows; i++) {
            double *row = K + (size_t)i * n;
            for (int j = 0; j < n; j++) {
                const double z = row[j] - g * qx[i0 + i] - g * qz[j];
                row[j] = exp(z < 0 ? z : 0);
            }
        }
        cblas_dgemv(CblasRowMajor, CblasNoTrans, rows, n, 1, K, n, a, 1, 0, f + i0, 1);
    }
}

static void check(specreg_context *ctx, specreg_status st)
{
    if (st == SPECREG_OK)
        return;
    fprintf(stderr, "predict_bench: %s\n", specreg_last_error(ctx));
    exit(1);
}

/* What the model does with its inputs does not matter here: Z with any target. */
static specreg_model *make_model(specreg_context *ctx, const double *Z, int n, int p)
{
    specreg_options *o = NULL;
    specreg_model *model = NULL;
    double *y = malloc(sizeof *y * n);
    for (int i = 0; i < n; i++)
        y[i] = sin(Z[(size_t)i * p]);
    const specreg_view vz = {Z, n, p, p}, vy = {y, n, 1, 1};
    specreg_options_new(ctx, &o);
    check(ctx, specreg_options_set(ctx, o, "kernel", "rbf:sigma=4"));
    check(ctx, specreg_options_set(ctx, o, "param", "lambda=1e-2"));
    check(ctx, specreg_options_set(ctx, o, "problem", "regression"));
    check(ctx, specreg_options_set(ctx, o, "scale", "none"));
    check(ctx, specreg_fit_arrays(ctx, &vz, &vy, o, &model));
    specreg_options_free(o);
    free(y);
    return model;
}

int main(int argc, char **argv)
{
    const int m = argc > 1 ? atoi(argv[1]) : 100000, n = argc > 2 ? atoi(argv[2]) : 5000;
    const int p = argc > 3 ? atoi(argv[3]) : 20, repeats = argc > 4 ? atoi(argv[4]) : 5;
    double *Z = points(n, p, 7), *X = points(m, p, 8), *qz = norms(Z, n, p), *qx = norms(X, m, p);
    double *f = malloc(sizeof *f * m), *K = aligned_alloc(64, sizeof *K * (size_t)BLOCK * n);
    double loop = 1e9, library = 1e9;
    const specreg_view vx = {X, m, p, p};
    specreg_context *ctx = NULL;
    specreg_context_new(&ctx);
    specreg_model *model = make_model(ctx, Z, n, p);
    for (int r = 0; r < repeats; r++) {
        const double t0 = omp_get_wtime();
        bare(X, qx, m, Z, qz, n, p, 1.0 / 32, qz, K, f);
        const double t1 = omp_get_wtime();
        check(ctx, specreg_predict_array(ctx, model, &vx, NULL, f, m));
        const double t2 = omp_get_wtime();
        loop = t1 - t0 < loop ? t1 - t0 : loop;
        library = t2 - t1 < library ? t2 - t1 : library;
    }
    const double values = 1e-9 * m * n;
    printf("predictions, %d rows, %d centres, p = %d, %d threads, minimum of %d\n", m, n, p,
           omp_get_max_threads(), repeats);
    printf("  bare kernel values and product %7.3f s (%.2f G values/s)\n", loop, values / loop);
    printf("  specreg_predict_array          %7.3f s (%.2f G values/s)   ratio %.2f\n", library,
           values / library, library / loop);
    specreg_model_free(model);
    specreg_context_free(ctx);
    free(K);
    free(f);
    free(qx);
    free(qz);
    free(X);
    free(Z);
    return 0;
}
