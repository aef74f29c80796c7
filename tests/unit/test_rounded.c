/* K = L L' + R: the factor with pivots, tiles, and products in single precision. */
#include "kit/kit.h"

#include <math.h>

#include "kernel/pairs.h"
#include "op/low_rank.h"
#include "op/rounded.h"

enum { P = 3 };

typedef struct problem {
    sri_kernel_grid grid;
    sri_kernel kernel;
    sri_points *points;
    double *x, *K;
    int64_t n;
} problem;

static problem make(specreg_context *ctx, const char *kernel, int64_t n, int64_t p)
{
    problem q = {.n = n, .x = kit_normal(41, n, p), .K = malloc((size_t)(n * n) * sizeof(double))};
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, kernel, &q.grid));
    q.kernel = sri_kernel_grid_at(&q.grid, 0);
    CHECK_OK(ctx, sri_points_new(ctx, q.x, n, p, false, &q.points));
    CHECK_OK(ctx, sri_kernel_gram(ctx, &q.kernel, q.points, true, q.K, n));
    return q;
}

static void drop(problem *q)
{
    sri_points_free(q->points);
    sri_kernel_grid_free(&q->grid);
    free(q->K);
    free(q->x);
}

/* What L L' leaves of entry (i, j). */
static double rest(const problem *q, const sri_low_rank *f, int64_t i, int64_t j)
{
    double v = q->K[i * q->n + j];
    for (int64_t k = 0; k < f->rank; k++)
        v -= f->Lt[k * q->n + i] * f->Lt[k * q->n + j];
    return v;
}

TEST(low_rank, knows_what_it_leaves)
{
    problem q = make(ctx, "rbf:sigma=2", 300, P);
    sri_low_rank f;
    CHECK_OK(ctx, sri_low_rank_new(ctx, &q.kernel, q.points, &f));
    CHECK_NEAR(f.trace, 300, 1e-10);
    double before = f.left;
    for (int64_t most = 10; most <= 90; most += 40) {
        CHECK_OK(ctx, sri_low_rank_extend(ctx, &f, most, 0));
        CHECK_EQ(f.rank, most);
        double trace = 0, worst = 0, largest = 0;
        for (int64_t i = 0; i < q.n; i++) {
            trace += rest(&q, &f, i, i);
            largest = fmax(largest, rest(&q, &f, i, i));
        }
        for (int64_t i = 0; i < q.n; i++) /* semi-definite: no entry beyond the largest of these */
            for (int64_t j = 0; j < i; j++)
                worst = fmax(worst, fabs(rest(&q, &f, i, j)));
        CHECK_NEAR(f.left, trace, 1e-11);
        CHECK(worst <= largest + 1e-12);
        CHECK(f.left < before);
        before = f.left;
    }
    sri_low_rank_free(&f);
    drop(&q);
}

/* (1 + <x, z>)^2 in three variables has rank 10. */
TEST(low_rank, ends_where_nothing_is_left)
{
    problem q = make(ctx, "poly:degree=2,coef0=1,gamma=1", 200, P);
    sri_low_rank f;
    CHECK_OK(ctx, sri_low_rank_new(ctx, &q.kernel, q.points, &f));
    CHECK_OK(ctx, sri_low_rank_extend(ctx, &f, 200, 1e-12));
    CHECK_EQ(f.rank, 10);
    CHECK(f.left <= 1e-12 * f.trace);
    sri_low_rank_free(&f);
    drop(&q);
}

typedef struct seen {
    const problem *q;
    int tiles[3][3];
} seen;

static void look(void *payload, int64_t i, int64_t j, double *tile)
{
    seen *s = payload;
    s->tiles[i][j]++;
    for (int64_t r = 0; r < SRI_PANEL && i * SRI_PANEL + r < s->q->n; r++)
        for (int64_t c = 0; c < SRI_PANEL && j * SRI_PANEL + c < s->q->n; c++)
            CHECK_NEAR(tile[r * SRI_PANEL + c],
                       s->q->K[(i * SRI_PANEL + r) * s->q->n + j * SRI_PANEL + c], 1e-13);
}

/* Few coordinates go the direct way, many that of a matrix product; pairs that are known already
 * serve both. */
TEST(tiles, are_the_lower_triangle_of_the_matrix)
{
    static const int64_t shape[][2] = {{40, 2}, {128, 3}, {300, 5}, {300, 80}};
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
        problem q = make(ctx, "rbf:sigma=4 + 0.5*linear", shape[k][0], shape[k][1]);
        seen s = {.q = &q};
        CHECK_OK(ctx, sri_kernel_tiles(ctx, &q.kernel, q.points, look, &s));
        for (int64_t i = 0; i < 3; i++)
            for (int64_t j = 0; j < 3; j++)
                CHECK_EQ(s.tiles[i][j], j <= i && i * SRI_PANEL < q.n);
        drop(&q);
    }
}

TEST(pairs, give_the_same_kernel_values)
{
    static const struct {
        const char *kernel;
        int64_t n, p;
        sri_pair kind;
    } of[] = {{"rbf:sigma=3", 300, 5, SRI_PAIR_DIST2},
              {"rbf:sigma=9 + 2*matern:nu=1.5,sigma=4", 200, 80, SRI_PAIR_DIST2},
              {"laplace:sigma=2,norm=1", 130, 4, SRI_PAIR_DIST1},
              {"poly:degree=3,coef0=1,gamma=0.1", 300, 70, SRI_PAIR_DOT}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        problem q = make(ctx, of[k].kernel, of[k].n, of[k].p), other;
        const size_t bytes = (size_t)(q.n * q.n) * sizeof(double);
        double *K = malloc(bytes);
        sri_pairs *pairs;
        CHECK(!sri_pairs_of(&q.kernel, q.points));
        CHECK_OK(ctx, sri_pairs_new(ctx, q.points, of[k].kind, &pairs));
        q.points->pairs = pairs;
        CHECK(sri_pairs_of(&q.kernel, q.points) == pairs);
        CHECK_OK(ctx, sri_kernel_gram(ctx, &q.kernel, q.points, true, K, q.n));
        CHECK_ARRAY_NEAR(K, q.K, q.n * q.n, 1e-11); /* products in blocks of other sizes */
        *(double *)sri_pairs_at(pairs, 0, 0) = 2;   /* they are looked at */
        CHECK_OK(ctx, sri_kernel_gram(ctx, &q.kernel, q.points, true, K, q.n));
        CHECK(K[0] != q.K[0]);
        other = make(ctx, "rbf:sigma=1 + linear", 10, 2);
        other.points->pairs = pairs;
        CHECK(!sri_pairs_of(&other.kernel, other.points));
        sri_pairs_free(pairs);
        free(K);
        drop(&other);
        drop(&q);
    }
}

TEST(tiles, say_where_a_value_is_not_finite)
{
    problem q = make(ctx, "linear", 200, P);
    seen s = {.q = &q};
    q.x[150 * P] = 1e200;
    sri_points_free(q.points);
    CHECK_OK(ctx, sri_points_new(ctx, q.x, q.n, P, false, &q.points));
    s.q = &(problem){.n = 0}; /* nothing to compare with */
    CHECK_FAILS(ctx, sri_kernel_tiles(ctx, &q.kernel, q.points, look, &s), SPECREG_E_NUMERIC,
                "rows 151 and 151 is not finite");
    drop(&q);
}

TEST(rounded, names_rows_by_their_own_numbers)
{
    enum { N = 200 };
    problem q = make(ctx, "linear", N, P);
    int64_t order[N];
    sri_rounded *r;
    for (int64_t i = 0; i < N; i++)
        order[i] = N - 1 - i;
    q.x[150 * P] = 1e200;
    sri_points_free(q.points);
    CHECK_OK(ctx, sri_points_new(ctx, q.x, q.n, P, false, &q.points));
    CHECK_FAILS(ctx, sri_rounded_new(ctx, &q.kernel, q.points, order, &r), SPECREG_E_NUMERIC,
                "rows 151 and 151 is not finite");
    drop(&q);
}

/* Wide kernels lose their large eigenvalues to L, and the error with them. */
TEST(rounded, products_are_as_exact_as_they_say)
{
    static const char *const kernel[] = {"rbf:sigma=0.5", "rbf:sigma=2", "rbf:sigma=20",
                                         "matern:nu=1.5,sigma=3"};
    enum { N = 700, T = 3 };
    double *X = kit_normal(42, N, T), error[4];
    int64_t order[N]; /* rows of a third of them are 0 in a column */
    for (int64_t i = 0; i < N; i++) {
        order[i * 233 % N] = i;
        X[i * T + i * 233 % N * T / N] = 0;
    }
    for (int k = 0; k < 8; k++) {
        problem q = make(ctx, kernel[k / 2], N, P);
        sri_rounded *r;
        double Y[N * T], square = 0, size = 0;
        CHECK_OK(ctx, sri_rounded_new(ctx, &q.kernel, q.points, k % 2 ? order : NULL, &r));
        CHECK_OK(ctx, sri_rounded_product(ctx, r, T, X, Y));
        for (int64_t i = 0; i < N; i++)
            for (int64_t c = 0; c < T; c++) {
                double sum = 0;
                for (int64_t j = 0; j < N; j++)
                    sum += q.K[i * N + j] * X[j * T + c];
                square += (Y[i * T + c] - sum) * (Y[i * T + c] - sum);
                size += X[i * T + c] * X[i * T + c];
            }
        error[k / 2] = r->error;
        CHECK_WORST("product of the rounded matrix", sqrt(square / size), r->error + 1e-14 * N);
        CHECK(r->panels.n == N && (k < 2) == (r->panels.rank == 0) && !r->order == (k % 2 == 0));
        sri_rounded_free(r);
        drop(&q);
    }
    CHECK(error[2] < 1e-4 * error[1]);
    free(X);
}
