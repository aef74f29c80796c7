/* The Lanczos process: its identities, where it ends, and conjugate gradients from it. */
#include "op/lanczos.h"

#include <float.h>
#include <math.h>

#include "conformance/reference.h"
#include "kit/job.h"
#include "kit/kit.h"

/* A kernel's matrix and a Lanczos run of up to `steps` steps on it. */
typedef struct run {
    int64_t n;
    double *x, *K;
    sri_lanczos z;
} run;

static run run_make(specreg_context *ctx, const char *kernel, int64_t n, int64_t p, const double *y,
                    int64_t steps)
{
    run r = {.n = n, .x = kit_normal(21, n, p)};
    sri_kernel_grid grid;
    sri_points *pts;
    r.K = malloc((size_t)(n * n) * sizeof *r.K);
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, kernel, &grid));
    CHECK_OK(ctx, sri_points_new(ctx, r.x, n, p, false, &pts));
    const sri_kernel k = sri_kernel_grid_at(&grid, 0);
    CHECK_OK(ctx, sri_kernel_gram(ctx, &k, pts, true, r.K, n));
    sri_op *op;
    CHECK_OK(ctx, kit_op_matrix(ctx, r.K, n, &op));
    double *w = malloc((size_t)n * sizeof *w);
    CHECK_OK(ctx,
             sri_lanczos_start(
                 ctx, &r.z, &(sri_lanczos_source){.y = y, .n = n, .stride = 1, .mass = (double)n}));
    while (r.z.k < steps && !r.z.whole) {
        CHECK_OK(ctx, sri_op_apply(ctx, op, 1, sri_lanczos_last(&r.z), w));
        CHECK_OK(ctx, sri_lanczos_extend(ctx, &r.z, w));
    }
    free(w);
    sri_op_free(op);
    sri_points_free(pts);
    sri_kernel_grid_free(&grid);
    return r;
}

static void run_free(run *r)
{
    sri_lanczos_free(&r->z);
    free(r->K);
    free(r->x);
}

TEST(lanczos, the_basis_stays_orthogonal_and_the_recurrence_holds)
{
    static const char *const kernels[] = {"linear", "poly:degree=2", "rbf:sigma=0.1", "rbf:sigma=2",
                                          "laplace:sigma=1"};
    enum { N = 150, STEPS = 120 };
    double *y = kit_normal(22, N, 1);
    for (int i = 0; i < 5; i++) {
        run r = run_make(ctx, kernels[i], N, 3, y, STEPS);
        const sri_lanczos *z = &r.z;
        const int64_t rows = z->whole ? z->k : z->k + 1;
        real top = 0;
        for (int64_t a = 0; a < N; a++)
            top += r.K[a * N + a] / N;
        CHECK(z->k == STEPS || z->whole);
        for (int64_t a = 0; a < rows; a++)
            for (int64_t b = 0; b <= a; b++) {
                real dot = 0;
                for (int64_t k = 0; k < N; k++)
                    dot += (real)z->V[a * N + k] * z->V[b * N + k];
                CHECK_WORST("V'V - I", (double)fabsl(dot - (a == b)), kit_tolerance(N, 1));
            }
        for (int64_t a = 0; a < z->k; a++) /* (K/n) v_a = b_{a-1} v_{a-1} + a_a v_a + b_a v_{a+1} */
            for (int64_t k = 0; k < N; k++) {
                real v = -z->a[a] * (real)z->V[a * N + k];
                for (int64_t j = 0; j < N; j++)
                    v += (real)r.K[k * N + j] / N * z->V[a * N + j];
                if (a > 0)
                    v -= (real)z->b[a - 1] * z->V[(a - 1) * N + k];
                if (a + 1 < rows)
                    v -= (real)z->b[a] * z->V[(a + 1) * N + k];
                CHECK_WORST("(K/n)V - VT", (double)fabsl(v), kit_tolerance(N, (double)top));
            }
        CHECK_NEAR(z->norm * z->V[7], y[7], 1e-14);
        run_free(&r);
    }
    free(y);
}

/* Three columns, so K has rank three; y lies in its range or not. */
TEST(lanczos, an_invariant_space_is_noticed)
{
    enum { N = 60, P = 3 };
    double *x = kit_normal(21, N, P), *y = kit_normal(23, N, 1);
    run r = run_make(ctx, "linear", N, P, y, N);
    CHECK(r.z.whole && r.z.k >= 4 && r.z.k <= 6); /* rank + 1, give or take rounding */
    run_free(&r);
    for (int i = 0; i < N; i++)
        y[i] = x[i * P] - 2 * x[i * P + 1] + 0.5 * x[i * P + 2];
    r = run_make(ctx, "linear", N, P, y, N);
    CHECK(r.z.whole && r.z.k >= 3 && r.z.k <= 5);
    run_free(&r);
    memset(y, 0, N * sizeof *y);
    r = run_make(ctx, "linear", N, P, y, N);
    CHECK(r.z.whole && r.z.k == 0);
    run_free(&r);
    free(y);
    free(x);
}

TEST(lanczos, the_spectrum_takes_the_tridiagonal_matrix_apart)
{
    enum { N = 50 };
    double *y = kit_normal(22, N, 1), *s, *Z;
    sri_arena memory = {0};
    run r = run_make(ctx, "rbf:sigma=1", N, 2, y, 12);
    const int64_t k = r.z.k;
    CHECK_OK(ctx, sri_lanczos_spectrum(ctx, &r.z, &memory, &s, &Z));
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = 0; b < k; b++) {
            double sum = 0;
            for (int64_t j = 0; j < k; j++)
                sum += Z[j * k + a] * s[j] * Z[j * k + b];
            const double want = a == b       ? r.z.a[a]
                                : a == b + 1 ? r.z.b[b]
                                : b == a + 1 ? r.z.b[a]
                                             : 0;
            CHECK_NEAR(sum, want, kit_tolerance(k, 1));
        }
    for (int64_t j = 0; j < k; j++)
        CHECK(s[j] >= 0 && (j == 0 || s[j] >= s[j - 1]));
    sri_arena_free(&memory);
    run_free(&r);
    free(y);
}

/* T_t c = |y| e_1, and min | |y| e_1 - T_{t+1,t} c | through its normal equations, both by
 * elimination in long double, for every t up to the whole space. */
TEST(lanczos, coefficients_of_cg_solve_their_small_systems)
{
    enum { N = 12 };
    double *y = kit_normal(24, N, 1);
    run r = run_make(ctx, "matern:nu=0.5,sigma=1", N, 2, y, N);
    const sri_lanczos *z = &r.z;
    CHECK(z->whole && z->k == N);
    for (int64_t t = 1; t <= N; t++)
        for (int residual = 0; residual < 2; residual++) {
            const int64_t rows = residual && t < N ? t + 1 : t; /* the last b is nothing at t = N */
            double M[N * N] = {0}, A[(N + 1) * N] = {0}, c[N];
            real right[N] = {0};
            for (int64_t j = 0; j < t; j++) {
                A[j * t + j] = z->a[j];
                if (j + 1 < rows)
                    A[(j + 1) * t + j] = z->b[j];
                if (j + 1 < t)
                    A[j * t + j + 1] = z->b[j];
            }
            for (int64_t a = 0; a < t; a++) {
                right[a] = residual ? z->norm * A[a] : a == 0 ? z->norm : 0;
                for (int64_t b = 0; b < t; b++) {
                    real sum = 0;
                    for (int64_t j = 0; j < rows; j++)
                        sum += (real)A[j * t + a] * A[j * t + b];
                    M[a * t + b] = residual ? (double)sum : A[a * t + b];
                }
            }
            ref_solve(t, 1, M, 0, right);
            CHECK_OK(ctx, sri_lanczos_cg(ctx, z, t, residual, c));
            real norm = 0, off = 0;
            for (int64_t j = 0; j < t; j++) {
                norm += right[j] * right[j];
                off += (c[j] - right[j]) * (c[j] - right[j]);
            }
            sri_arena memory = {0};
            double *s, *Z; /* conditioning: that of T, squared by the normal equations */
            CHECK_OK(ctx, sri_lanczos_spectrum(ctx, z, &memory, &s, &Z));
            const double cond = s[N - 1] / s[0];
            sri_arena_free(&memory);
            CHECK_WORST(residual ? "minimal residual" : "conjugate gradients",
                        (double)sqrtl(off / norm), kit_tolerance(t, residual ? cond * cond : cond));
        }
    run_free(&r);
    free(y);
}

/* --------------------------------------------------------------- singular K, through the engines
 */

typedef struct keep {
    sri_sink base;
    double *alpha, *residual; /* count x n */
    int64_t n, next;
} keep;

static specreg_status keep_point(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    keep *k = (keep *)self;
    memcpy(k->alpha + k->next * k->n, point->alpha, (size_t)k->n * sizeof *k->alpha);
    memcpy(k->residual + k->next * k->n, point->residual, (size_t)k->n * sizeof *k->residual);
    k->next++;
    return SPECREG_OK;
}

/* Three columns whose K has condition 4 on its range, and a y outside of it.  Conjugate gradients
 * have three steps there and no fourth; minimal residuals have reached least squares by then.
 * Both engines must stay at that point however many steps are asked for. */
TEST(lanczos, cg_stays_where_a_singular_matrix_leaves_it)
{
    enum { N = 32, P = 3, STEPS = 20 };
    double x[N * P], Y[N], K[N * N], param[STEPS];
    for (int i = 0; i < N; i++) { /* orthogonal columns of signs (Walsh), scaled */
        x[i * P] = i & 1 ? -1 : 1;
        x[i * P + 1] = i & 2 ? -1.5 : 1.5;
        x[i * P + 2] = i & 4 ? -2 : 2;
        Y[i] = x[i * P] + x[i * P + 1] - x[i * P + 2] + 3 * (i & 8 ? -1 : 1);
    }
    for (int i = 0; i < N * N; i++) {
        const double *a = x + i / N * P, *b = x + i % N * P;
        K[i] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    }
    for (int i = 0; i < STEPS; i++)
        param[i] = i + 1;
    sri_op *op;
    CHECK_OK(ctx, kit_op_matrix(ctx, K, N, &op));
    static const sri_engine *const engines[2] = {&sri_engine_krylov, &sri_engine_iterate};
    double alpha[2][STEPS * N], residual[2][STEPS * N];
    for (int norm = 0; norm < 2; norm++) {
        sri_filter f;
        CHECK_OK(ctx, sri_filter_parse(ctx, norm ? "cg:norm=residual" : "cg", &f));
        for (int e = 0; e < 2; e++) {
            keep sink = {.base = {.put = keep_point},
                         .alpha = alpha[e],
                         .residual = residual[e],
                         .n = N};
            sri_job job = kit_job(op, Y, 1, &f, param, STEPS);
            sri_report report = {0};
            CHECK_OK(ctx, sri_engine_run(ctx, engines[e], &job, &sink.base, &report));
            for (int t = 3; t < STEPS; t++)
                for (int i = 0; i < N; i++)
                    CHECK_NEAR(alpha[e][t * N + i], alpha[e][2 * N + i], 1e-10);
            for (int i = 0; norm && i < N; i++) /* least squares: only the fourth sign is left */
                CHECK_NEAR(residual[e][(STEPS - 1) * N + i], 3 * (i & 8 ? -1 : 1), 1e-10);
        }
        for (int t = 0; t < STEPS; t++)
            for (int i = 0; i < N; i++) {
                CHECK_NEAR(alpha[0][t * N + i], alpha[1][t * N + i], 1e-10);
                double fit = Y[i]; /* residuals belong to the coefficients */
                for (int j = 0; j < N; j++)
                    fit -= K[i * N + j] * alpha[0][t * N + j];
                CHECK_NEAR(residual[0][t * N + i], fit, 1e-12);
            }
    }
    sri_op_free(op);
}
