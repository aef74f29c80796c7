/* Two threads against one: the machine itself first (a triad that reads and writes memory, a sum
 * that only reads it, a large matrix product, LAPACK's decomposition), then parts of fits and a
 * prediction. Interleaved, repeated, the minimum counts.  What computes should come near the
 * product's ratio, eig near LAPACK's, and what reads a stored matrix at every step near the
 * triad's or the sum's.  The last line is the largest number of threads that the process had.
 *   threads_bench [N] [REPEATS] [THREADS] */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <specreg/specreg.h>

void openblas_set_num_threads(int);

enum { P = 20, TRIAD = 20000000 };

static int n = 2000, most_threads;
static double *X, *y, *a, *b, *c;
static specreg_context *ctx;
static specreg_model *model;

static double uniform(unsigned long long *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*state >> 11) * 0x1p-53;
}

static void must(specreg_status st)
{
    if (st == SPECREG_OK)
        return;
    fprintf(stderr, "threads_bench: %s\n", specreg_last_error(ctx));
    exit(1);
}

static void count_threads(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    int count;
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "Threads: %d", &count) == 1 && count > most_threads)
            most_threads = count;
    if (status)
        fclose(status);
}

static double triad(int threads)
{
    const double start = omp_get_wtime();
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int i = 0; i < TRIAD; i++)
        a[i] = b[i] + 3 * c[i];
    return omp_get_wtime() - start;
}

static volatile double kept;

static double sum(int threads)
{
    double total = 0;
    const double start = omp_get_wtime();
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : total)
    for (int i = 0; i < TRIAD; i++)
        total += b[i];
    kept = total;
    return omp_get_wtime() - start;
}

static double product(int threads)
{
    openblas_set_num_threads(threads);
    const double start = omp_get_wtime();
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
    return omp_get_wtime() - start;
}

static double decomposition(int threads)
{
    for (int i = 0; i < n * n; i++)
        a[i] = exp(-abs(i / n - i % n) / 50.0);
    openblas_set_num_threads(threads);
    const double start = omp_get_wtime();
    LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, b);
    return omp_get_wtime() - start;
}

typedef struct part {
    const char *what, *filter, *engine, *select, *param;
    const char *key; /* of the record's seconds */
    int rows;        /* times n */
} part;

static const part parts[] = {
    {"kernel matrix", "tikhonov", "cholesky", "none", "lambda=1e-3", "\"gram\"", 2},
    {"cholesky, one lambda", "tikhonov", "cholesky", "none", "lambda=1e-3", "\"solve\"", 2},
    {"eig, leave-one-out of 20 lambdas", "tikhonov", "eig", "loo", "lambda=log:1e-8:1:20",
     "\"solve\"", 1},
    {"band, gcv of 20 lambdas", "tikhonov", "band", "gcv", "lambda=log:1e-8:1:20", "\"solve\"", 1},
    {"krylov, one lambda", "tikhonov", "krylov", "none", "lambda=1e-6", "\"solve\"", 2},
    {"iterate, 50 steps of nu", "nu", "iterate", "none", "t=50", "\"solve\"", 2},
};
enum { PARTS = sizeof parts / sizeof *parts, MACHINE = 4, ALL = MACHINE + PARTS + 1 };

static void option(specreg_options *o, const char *name, const char *value)
{
    must(specreg_options_set(ctx, o, name, value));
}

static specreg_options *options_of(const part *w, int threads)
{
    specreg_options *o = NULL;
    char text[16];
    snprintf(text, sizeof text, "%d", threads);
    must(specreg_options_new(ctx, &o));
    option(o, "kernel", "rbf:sigma=4");
    option(o, "problem", "regression");
    option(o, "filter", w->filter);
    option(o, "engine", w->engine);
    option(o, "select", w->select);
    option(o, "param", w->param);
    option(o, "threads", text);
    return o;
}

static double fit(const part *w, int threads)
{
    const specreg_view vx = {X, w->rows * n, P, P}, vy = {y, w->rows * n, 1, 1};
    specreg_options *o = options_of(w, threads);
    specreg_model *m = NULL;
    char *record = NULL;
    must(specreg_fit_arrays(ctx, &vx, &vy, o, &m));
    must(specreg_model_record(ctx, m, &record));
    const char *at = strstr(record, "\"seconds\"");
    at = at ? strstr(at, w->key) : NULL;
    const double seconds = at ? strtod(strchr(at, ':') + 1, NULL) : NAN;
    specreg_string_free(record);
    specreg_model_free(m);
    specreg_options_free(o);
    return seconds;
}

/* Of 10 n rows by a machine of 2 n. */
static double predict(int threads)
{
    const specreg_view vx = {X, 10 * n, P, P};
    specreg_options *o = NULL;
    char text[16];
    snprintf(text, sizeof text, "%d", threads);
    must(specreg_options_new(ctx, &o));
    option(o, "threads", text);
    const double start = omp_get_wtime();
    must(specreg_predict_array(ctx, model, &vx, o, a, 10 * n));
    const double seconds = omp_get_wtime() - start;
    specreg_options_free(o);
    return seconds;
}

/* Number `what`: the machine, the fits' parts, the prediction. */
static double measure(int what, int threads)
{
    static double (*const machine[MACHINE])(int) = {triad, sum, product, decomposition};
    const double seconds = what < MACHINE    ? machine[what](threads)
                           : what == ALL - 1 ? predict(threads)
                                             : fit(&parts[what - MACHINE], threads);
    count_threads();
    return seconds;
}

static const char *name_of(int what)
{
    static const char *const machine[MACHINE] = {"triad, 480 MB", "sum, 160 MB", "matrix product",
                                                 "LAPACK's dsyevd"};
    return what < MACHINE    ? machine[what]
           : what == ALL - 1 ? "prediction"
                             : parts[what - MACHINE].what;
}

static int rows_of(int what)
{
    return what < MACHINE ? n : what == ALL - 1 ? 10 * n : parts[what - MACHINE].rows * n;
}

static void prepare(void)
{
    unsigned long long state = 7;
    const int rows = 10 * n;
    X = malloc(sizeof *X * (size_t)rows * P);
    y = malloc(sizeof *y * (size_t)rows);
    a = malloc(sizeof *a * TRIAD);
    b = malloc(sizeof *b * TRIAD);
    c = malloc(sizeof *c * TRIAD);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < TRIAD; i++)
        a[i] = b[i] = c[i] = 1e-3 * i / TRIAD;
    for (int i = 0; i < rows; i++) {
        y[i] = 0.1 * (uniform(&state) - 0.5);
        for (int k = 0; k < P; k++) {
            const double v = X[(size_t)i * P + k] = 3.4641 * (uniform(&state) - 0.5);
            y[i] += sin(v) / P;
        }
    }
    const specreg_view vx = {X, 2 * n, P, P}, vy = {y, 2 * n, 1, 1};
    specreg_options *o = options_of(&parts[0], 0);
    must(specreg_fit_arrays(ctx, &vx, &vy, o, &model));
    specreg_options_free(o);
}

int main(int argc, char **argv)
{
    n = argc > 1 ? atoi(argv[1]) : n;
    const int repeats = argc > 2 ? atoi(argv[2]) : 5, threads = argc > 3 ? atoi(argv[3]) : 2;
    double one[ALL], many[ALL];
    if (n < 1 || n > 4000) {
        fprintf(stderr, "threads_bench: N must be 1 to 4000\n");
        return 1;
    }
    specreg_context_new(&ctx);
    prepare();
    for (int r = 0; r < repeats; r++)
        for (int i = 0; i < ALL; i++) {
            const double s = measure(i, 1), m = measure(i, threads);
            one[i] = r == 0 || s < one[i] ? s : one[i];
            many[i] = r == 0 || m < many[i] ? m : many[i];
        }
    printf("one thread and %d, p = %d, minimum of %d\n  %-34s %6s %10s %10s  ratio\n", threads, P,
           repeats, "", "rows", "one", "more");
    for (int i = 0; i < ALL; i++)
        printf("  %-34s %6d %8.4f s %8.4f s  %.2f\n", name_of(i), rows_of(i), one[i], many[i],
               one[i] / many[i]);
    printf("  at most %d threads in the process\n", most_threads);
    specreg_model_free(model);
    specreg_context_free(ctx);
    free(c);
    free(b);
    free(a);
    free(y);
    free(X);
    return 0;
}
