/* The QR factorization of a panel by threads together. */
#include <float.h>
#include <math.h>

#include "backend/cpu/panel_qr.h"
#include "backend/vec.h"
#include "core/memory.h"
#include "core/openmp.h"
#include "kit/kit.h"

enum { W = SRI_PANEL_WIDTH, MOST = 3 };

static const int64_t ROWS[] = {1, 2, 23, 24, 25, 47, 48, 49, 100, 333};
enum { N_ROWS = sizeof ROWS / sizeof *ROWS };

enum kind { RANDOM, ONES, ZERO, ZERO_COLUMN, RANK_3, TINY, HUGE_ONE, GRADED, MIXED, KINDS };

static double *random_of_rank(int64_t m, int64_t rank)
{
    double *X = kit_normal(31, m, rank), *Z = kit_normal(32, rank, W);
    double *A = calloc((size_t)(m * W), sizeof *A);
    for (int64_t i = 0; i < m; i++)
        for (int j = 0; j < W; j++)
            for (int64_t k = 0; k < rank; k++)
                A[j * m + i] += X[i * rank + k] * Z[k * W + j];
    free(Z);
    free(X);
    return A;
}

/* m x W by columns. */
static double *panel_of(enum kind kind, int64_t m)
{
    double *A = kind == RANK_3 ? random_of_rank(m, 3) : kit_normal(33, m, W);
    for (int64_t i = 0; i < m * W; i++) {
        const int64_t j = i / m;
        const double factor[KINDS] = {[RANDOM] = 1,
                                      [ZERO_COLUMN] = j != 7,
                                      [RANK_3] = 1,
                                      [TINY] = 1e-300,
                                      [HUGE_ONE] = 1e300,
                                      [GRADED] = pow(10, (double)-j),
                                      [MIXED] = j % 3 == 0   ? 1e100
                                                : j % 3 == 1 ? 1e-60
                                                             : 1e-200};
        A[i] = kind == ONES ? 1 : A[i] * factor[kind];
    }
    return A;
}

typedef struct factors {
    double *A; /* m x W by rows */
    sri_reflections r;
} factors;

/* Parts of about as many rows, some of them with none; done by threads, or by the last one
 * alone. */
static factors factorize(specreg_context *ctx, const double *panel, int64_t m, int parts,
                         bool alone)
{
    factors f = {.A = sri_alloc(ctx, m, W, sizeof *f.A)};
    sri_arena memory = {0};
    sri_panel_qr qr;
    CHECK_OK(ctx, sri_panel_qr_new(ctx, &memory, parts, f.A, &qr));
#pragma omp parallel num_threads(alone ? 1 : parts)
    {
        sri_reflections r;
        const int threads = omp_get_num_threads(),
                  thread = alone ? parts - 1 : omp_get_thread_num();
        for (int t = omp_get_thread_num(); t < parts; t += threads)
            sri_panel_qr_begin(&qr, t, m / W * t / parts * W,
                               t + 1 < parts ? m / W * (t + 1) / parts * W : m, panel, m);
#pragma omp barrier
        sri_panel_qr_finish(&qr, thread, parts, panel, m, &r);
        if (omp_get_thread_num() == 0)
            f.r = r;
    }
    sri_arena_free(&memory);
    return f;
}

static double entry(const factors *f, int64_t i, int64_t j)
{
    return i == j ? 1 : i < j ? 0 : f->r.factor[j] * f->A[i * W + j];
}

/* x = H_0 (H_1 ... x). */
static void multiply(const factors *f, int64_t m, double *x)
{
    for (int64_t j = (m < W ? m : W) - 1; j >= 0; j--) {
        double inner = 0;
        for (int64_t i = j; i < m; i++)
            inner += entry(f, i, j) * x[i];
        for (int64_t i = j; i < m; i++)
            x[i] -= f->r.tau[j] * inner * entry(f, i, j);
    }
}

static void check_factors(const factors *f, int64_t m, const double *panel)
{
    double largest = 0, *x = malloc((size_t)m * sizeof *x);
    for (int64_t i = 0; i < m * W; i++)
        largest = fmax(largest, fabs(panel[i]));
    for (int64_t j = 0; j < W; j++) {
        double square = 0;
        for (int64_t i = 0; i < m; i++) {
            x[i] = i <= j ? f->r.R[i][j] : 0;
            square += j < m ? entry(f, i, j) * entry(f, i, j) : 0;
        }
        multiply(f, m, x);
        CHECK_WORST("H R = A", largest > 0 ? kit_distance(x, panel + j * m, m) / largest : 0,
                    kit_tolerance(m + W, 1));
        if (f->r.tau[j] != 0)
            CHECK_NEAR(f->r.tau[j] * square, 2, kit_tolerance(m, 1));
        else if (j + 1 < m)
            CHECK_EQ(f->r.factor[j], 0);
    }
    free(x);
}

TEST(panel_qr, orthogonal_reflectors_times_R_are_the_panel)
{
    static const char *const sets[] = {"plain", "avx2", "avx512"};
    for (int set = 0; set < 3; set++)
        for (int k = 0; k < N_ROWS; k++)
            for (int kind = 0; kind < KINDS; kind++)
                for (int parts = 1; parts <= MOST; parts++) {
                    double *panel = panel_of(kind, ROWS[k]);
                    sri_vec_use(sets[set]);
                    factors f = factorize(ctx, panel, ROWS[k], parts, false);
                    check_factors(&f, ROWS[k], panel);
                    free(f.A);
                    free(panel);
                }
    sri_vec_use(NULL);
}

TEST(panel_qr, the_bits_are_the_same_whoever_does_a_part)
{
    enum { M = 333, TIMES = 50 };
    double *panel = panel_of(RANDOM, M);
    for (int parts = 2; parts <= MOST; parts++) {
        factors alone = factorize(ctx, panel, M, parts, true);
        check_factors(&alone, M, panel);
        for (int i = 0; i < TIMES; i++) {
            factors f = factorize(ctx, panel, M, parts, false);
            CHECK(memcmp(&f.r, &alone.r, sizeof f.r) == 0);
            CHECK(memcmp(f.A, alone.A, sizeof(double[M * W])) == 0);
            free(f.A);
        }
        free(alone.A);
    }
    free(panel);
}

/* What is not a number is not lost on the way. */
TEST(panel_qr, a_panel_with_nan_has_no_factors)
{
    enum { M = 60 };
    double *panel = panel_of(RANDOM, M);
    panel[3 * M + 50] = NAN;
    factors f = factorize(ctx, panel, M, 2, false);
    CHECK(isnan(f.r.R[3][3]) && isnan(f.r.R[10][20]));
    free(f.A);
    free(panel);
}
