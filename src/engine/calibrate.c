/* Measuring the rates: each kind of work for a few hundredths of a second, in short runs of
 * which the fastest counts, in rounds that come back to it later; one thread by processor time:
 * a machine that does other things too should not look slow for good. */
#include <math.h>
#include <time.h>

#include "backend/blas.h"
#include "backend/threads.h"
#include "core/arena.h"
#include "core/openmp.h"
#include "engine/machine.h"
#include "kernel/kernel.h"

enum {
    ORDER = 384,
    POINTS = 512,
    COLUMNS = 4,
    ROW = 1024,
    FEWEST_RUNS = 3,
    CHAIN = 100000,
    ROUNDS = 6
};
static const double SLOT =
    0.007; /* seconds for each kind of work in a round, at least FEWEST_RUNS runs */

typedef struct bench {
    sri_arena scratch;
    specreg_context *ctx;
    double *A, *B;  /* ORDER^2                                  */
    double *block;  /* the largest one                          */
    double *x, *y;  /* for products with a row or a column of it */
    int64_t rows;   /* of the block, each of ROW numbers        */
    double *points; /* POINTS x COLUMNS                         */
    sri_points *set;
    sri_kernel kernel;
    volatile double sink;
} bench;

/* Not too regular, not too small: nothing may be denormal. */
static double some_number(int64_t i)
{
    return 0.5 + (double)(i * 7919 % 1009) / 1009;
}

static specreg_status bench_new(specreg_context *ctx, bench *b)
{
    specreg_status st = SPECREG_OK;
    const int64_t largest = (int64_t)(sri_block_bytes[SRI_BLOCKS - 1] / sizeof(double));
    sri_kernel_grid grid = {0};
    SRI_SCRATCH_EACH(ctx, &b->scratch, ORDER, ORDER, &b->A, &b->B);
    SRI_SCRATCH(ctx, &b->scratch, b->block, largest, 1);
    SRI_SCRATCH(ctx, &b->scratch, b->x, ROW, 1);
    SRI_SCRATCH(ctx, &b->scratch, b->y, largest / ROW, 1);
    SRI_SCRATCH(ctx, &b->scratch, b->points, POINTS, COLUMNS);
    for (int64_t i = 0; i < ORDER * ORDER; i++)
        b->A[i] = b->B[i] = some_number(i);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < largest; i++)
        b->block[i] = 0.5;
    for (int64_t i = 0; i < ROW; i++)
        b->x[i] = some_number(i);
    for (int64_t i = 0; i < POINTS * COLUMNS; i++)
        b->points[i] = some_number(i);
    SRI_TRY(sri_points_new(ctx, b->points, POINTS, COLUMNS, false, &b->set));
    SRI_TRY(sri_kernel_grid_parse(ctx, "rbf:sigma=1", &grid));
    b->kernel = sri_kernel_grid_at(&grid, 0);
done:
    sri_kernel_grid_free(&grid);
    return st;
}

static void multiply(bench *b)
{
    sri_gemm(false, false, ORDER, ORDER, ORDER, 1, b->A, ORDER, b->B, ORDER, 0, b->block, ORDER);
}

static void read_block(bench *b)
{
    sri_gemm(false, false, b->rows, 1, ROW, 1, b->block, ROW, b->x, 1, 0, b->y, 1);
}

static void compute_values(bench *b)
{
    (void)sri_kernel_gram(b->ctx, &b->kernel, b->set, false, b->block, POINTS);
}

/* Each number waits for the one before it, as in the recursions of filters. */
static void chain(bench *b)
{
    double a = b->sink, before = 0;
    for (int i = 0; i < CHAIN; i++) {
        const double next = 0.3 + 0.4 * a + 0.2 * before;
        before = a;
        a = next;
    }
    b->sink = a;
}

static void empty_region(bench *b)
{
    (void)b;
#pragma omp parallel
    {
        __asm__ volatile("" ::: "memory");
    }
}

/* Processor time of several threads says nothing where they wait for each other. */
static double work_clock(void)
{
    struct timespec t;
    if (omp_get_max_threads() > 1 || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0)
        return sri_clock();
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double fastest(bench *b, double (*clock_)(void), void (*work)(bench *))
{
    const double start = sri_clock();
    double best = INFINITY;
    for (int run = 0; run < FEWEST_RUNS || sri_clock() - start < SLOT; run++) {
        const double before = clock_();
        work(b);
        best = fmin(best, clock_() - before);
    }
    return fmax(best, 1e-9);
}

/* Keeps the higher rates; of reading, which neighbours on the machine have a share in, the mean. */
static void measure_round(bench *b, sri_rates *out)
{
    for (int i = SRI_BLOCKS - 1; i >= 0; i--) {
        b->rows = (int64_t)sri_block_bytes[i] / (ROW * (int64_t)sizeof(double));
        out->read[i] += sri_block_bytes[i] / fastest(b, work_clock, read_block) / ROUNDS;
    }
    out->gemm = fmax(out->gemm, 2.0 * ORDER * ORDER * ORDER / fastest(b, work_clock, multiply));
    out->values = fmax(out->values, 0.5 * POINTS * POINTS / fastest(b, work_clock, compute_values));
    out->scalar = fmax(out->scalar, CHAIN / fastest(b, sri_clock, chain));
    out->region = fmin(out->region, fastest(b, sri_clock, empty_region));
}

specreg_status sri_rates_measure(specreg_context *ctx, int threads, sri_rates *out)
{
    specreg_status st = SPECREG_OK;
    bench b = {.ctx = ctx, .sink = 0.5};
    sri_threads before;
    *out = (sri_rates){.region = INFINITY};
    out->threads = sri_threads_enter(threads, &before);
    SRI_TRY(bench_new(ctx, &b));
    for (int round = 0; round < ROUNDS; round++)
        measure_round(&b, out);
done:
    sri_points_free(b.set);
    sri_arena_free(&b.scratch);
    sri_threads_leave(&before);
    return st;
}
