/* Kinds of centres: the rows are those of slow definitions, or have their probabilities; they do
 * not depend on the number of threads; fewer centres are the first of more. */
#include <math.h>
#include <stdio.h>

#include "backend/threads.h"
#include "kit/kit.h"
#include "sums/centre_rules.h"

typedef long double real;
enum { MOST = 400, P = 2 };

/* Points with a kernel. */
typedef struct problem {
    double *x;
    int64_t *number;
    sri_kernel kernel;
    sri_points *points;
    sri_centre_pool pool;
} problem;

static problem make_problem(specreg_context *ctx, const char *kernel, int64_t n)
{
    problem p = {.x = kit_normal(5, n, P), .number = calloc((size_t)n, sizeof *p.number)};
    sri_kernel_grid grid;
    for (int64_t i = 0; i < n; i++)
        p.number[i] = i;
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, kernel, &grid));
    p.kernel = sri_kernel_grid_at(&grid, 0);
    sri_kernel_grid_free(&grid);
    CHECK_OK(ctx, sri_points_new(ctx, p.x, n, P, false, &p.points));
    return p;
}

static sri_centre_pool *pool_of(problem *p, uint64_t seed)
{
    p->pool = (sri_centre_pool){.kernel = &p->kernel,
                                .points = p->points,
                                .number = p->number,
                                .seed = seed};
    return &p->pool;
}

static void problem_free(problem *p)
{
    sri_points_free(p->points);
    free(p->number);
    free(p->x);
}

static const sri_centre_rule *rule_of(const char *name)
{
    for (int k = 0; sri_centre_rule_at(k); k++)
        if (strcmp(sri_centre_rule_at(k)->name, name) == 0)
            return sri_centre_rule_at(k);
    kit_fail(__FILE__, __LINE__, "no rule %s", name);
}

/* exp(-|x - z|^2 / 2 s^2) for s = 0.5, and (1 + x'z)^2 */
static real gauss(const double *x, const double *z)
{
    const real a = (real)x[0] - z[0], b = (real)x[1] - z[1];
    return expl(-2 * (a * a + b * b));
}

static real square(const double *x, const double *z)
{
    const real k = 1 + (real)x[0] * z[0] + (real)x[1] * z[1];
    return k * k;
}

typedef real kernel_fn(const double *x, const double *z);

/* What pivots leave of the kernel matrix, n x n, after one more. */
static void eliminate(real *K, int n, int pivot)
{
    real column[MOST];
    for (int i = 0; i < n; i++)
        column[i] = K[i * n + pivot];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            K[i * n + j] -= column[i] * column[j] / column[pivot];
}

static real *matrix_of(const problem *p, int n, kernel_fn *k)
{
    real *K = malloc((size_t)(n * n) * sizeof *K);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            K[i * n + j] = k(p->x + i * P, p->x + j * P);
    return K;
}

TEST(centres, pivoted_takes_the_row_of_the_largest_residual_each_time)
{
    enum { N = 150, M = 40 };
    problem p = make_problem(ctx, "rbf:sigma=0.5", N);
    real *K = matrix_of(&p, N, gauss);
    int64_t row[M], count;
    CHECK_OK(ctx, sri_centres_pivoted(ctx, pool_of(&p, 1), M, row, &count));
    CHECK_EQ(count, M);
    for (int k = 0; k < M; k++) {
        int largest = 0;
        for (int i = 1; i < N; i++)
            largest = K[i * (N + 1)] > K[largest * (N + 1)] ? i : largest;
        CHECK_EQ(row[k], largest);
        eliminate(K, N, largest);
    }
    free(K);
    problem_free(&p);
}

/* A kernel of rank 6: there are no more centres than that. */
TEST(centres, pivots_end_where_nothing_is_left)
{
    enum { N = 60 };
    static const char *const name[] = {"pivoted", "rpcholesky"};
    problem p = make_problem(ctx, "poly:degree=2", N);
    for (int k = 0; k < 2; k++) {
        int64_t row[N], count;
        CHECK_OK(ctx, rule_of(name[k])->choose(ctx, pool_of(&p, 3), N, row, &count));
        CHECK_EQ(count, 6);
    }
    problem_free(&p);
}

/* How often each pair (first, second) of N rows comes first in draws of many seeds, against
 * probabilities: chi squared with at most N^2 - 1 degrees of freedom. */
enum { FEW = 5, SEEDS = 2000 };

static double chi_squared(specreg_context *ctx, problem *p, const char *rule, const real *expected)
{
    int seen[FEW * FEW] = {0};
    double chi = 0;
    for (int s = 0; s < SEEDS; s++) {
        int64_t row[2], count;
        CHECK_OK(ctx, rule_of(rule)->choose(ctx, pool_of(p, (uint64_t)s), 2, row, &count));
        CHECK_EQ(count, 2);
        seen[row[0] * FEW + row[1]]++;
    }
    for (int k = 0; k < FEW * FEW; k++) {
        const double e = SEEDS * (double)expected[k], d = seen[k] - e;
        if (e > 0)
            chi += d * d / e;
        else
            CHECK_EQ(seen[k], 0);
    }
    return chi;
}

/* Of 19 degrees of freedom: exceeded once in a hundred thousand times. */
static const double CHI_BOUND = 55;

TEST(centres, rpcholesky_draws_by_the_residual_diagonal)
{
    problem p = make_problem(ctx, "poly:degree=2", FEW);
    real expected[FEW * FEW] = {0}, all = 0;
    real *K = matrix_of(&p, FEW, square);
    for (int i = 0; i < FEW; i++)
        all += K[i * (FEW + 1)];
    for (int i = 0; i < FEW; i++) {
        real *left = matrix_of(&p, FEW, square), sum = 0;
        eliminate(left, FEW, i);
        for (int j = 0; j < FEW; j++)
            sum += j == i ? 0 : left[j * (FEW + 1)];
        for (int j = 0; j < FEW; j++)
            expected[i * FEW + j] = j == i ? 0 : K[i * (FEW + 1)] / all * left[j * (FEW + 1)] / sum;
        free(left);
    }
    CHECK_WORST("rpcholesky, chi squared", chi_squared(ctx, &p, "rpcholesky", expected), CHI_BOUND);
    free(K);
    problem_free(&p);
}

TEST(centres, kmeans_draws_by_squared_distance)
{
    problem p = make_problem(ctx, "rbf:sigma=1", FEW);
    real expected[FEW * FEW] = {0};
    for (int i = 0; i < FEW; i++) {
        real d[FEW], sum = 0;
        for (int j = 0; j < FEW; j++) {
            const real a = (real)p.x[i * P] - p.x[j * P], b = (real)p.x[i * P + 1] - p.x[j * P + 1];
            sum += d[j] = a * a + b * b;
        }
        for (int j = 0; j < FEW; j++)
            expected[i * FEW + j] = d[j] / sum / FEW;
    }
    CHECK_WORST("kmeans, chi squared", chi_squared(ctx, &p, "kmeans", expected), CHI_BOUND);
    problem_free(&p);
}

/* The diagonal of K (K + ridge I)^-1, by the inverse. */
static void leverages(const real *K, real ridge, real *out)
{
    real A[FEW][2 * FEW] = {{0}};
    for (int i = 0; i < FEW; i++) {
        for (int j = 0; j < FEW; j++)
            A[i][j] = K[i * FEW + j] + (i == j ? ridge : 0);
        A[i][FEW + i] = 1;
    }
    for (int k = 0; k < FEW; k++)
        for (int i = 0; i < FEW; i++) {
            const real f = i == k ? 0 : A[i][k] / A[k][k];
            for (int j = 0; j < 2 * FEW; j++)
                A[i][j] -= f * A[k][j];
        }
    for (int i = 0; i < FEW; i++)
        out[i] = 1 - ridge * A[i][FEW + i] / A[i][i];
}

/* Draws without replacement: first by the leverages, then by those of the others.  The ridge is
 * where the leverages have the sum 1, half of the two centres. */
TEST(centres, leverage_draws_by_ridge_leverage_scores)
{
    problem p = make_problem(ctx, "poly:degree=2", FEW);
    real *K = matrix_of(&p, FEW, square), l[FEW], low = -30, high = 30, expected[FEW * FEW] = {0};
    for (int step = 0; step < 100; step++) {
        real sum = 0;
        leverages(K, expl((low + high) / 2), l);
        for (int i = 0; i < FEW; i++)
            sum += l[i];
        *(sum > 1 ? &low : &high) = (low + high) / 2;
    }
    for (int i = 0; i < FEW; i++)
        for (int j = 0; j < FEW; j++)
            expected[i * FEW + j] = i == j ? 0 : l[i] * l[j] / (1 - l[i]);
    CHECK_WORST("leverage, chi squared", chi_squared(ctx, &p, "leverage", expected), CHI_BOUND);
    free(K);
    problem_free(&p);
}

TEST(centres, rows_differ_and_fewer_centres_are_the_first_of_more)
{
    enum { N = 300, M = 60 };
    static const char *const nested[] = {"uniform", "pivoted", "rpcholesky", "kmeans"};
    problem p = make_problem(ctx, "rbf:sigma=0.5", N);
    for (int k = 0; k < 4; k++) {
        int64_t more[M], fewer[M], count;
        bool seen[N] = {false};
        CHECK_OK(ctx, rule_of(nested[k])->choose(ctx, pool_of(&p, 11), M, more, &count));
        CHECK_EQ(count, M);
        CHECK_OK(ctx, rule_of(nested[k])->choose(ctx, pool_of(&p, 11), 17, fewer, &count));
        CHECK_EQ(count, 17);
        for (int i = 0; i < M; i++) {
            CHECK(!seen[more[i]]);
            seen[more[i]] = true;
            CHECK(i >= 17 || more[i] == fewer[i]);
        }
    }
    problem_free(&p);
}

/* The trace that centres leave: that of the whole kernel matrix minus what they explain. */
static real residual_trace(const problem *p, int n, const int64_t *row, int64_t count)
{
    real *K = matrix_of(p, n, gauss), trace = 0;
    for (int64_t k = 0; k < count; k++)
        eliminate(K, n, (int)row[k]);
    for (int i = 0; i < n; i++)
        trace += K[i * (n + 1)];
    free(K);
    return trace;
}

TEST(centres, rpcholesky_explains_more_than_uniform_rows)
{
    enum { N = 150, M = 30 };
    problem p = make_problem(ctx, "rbf:sigma=0.5", N);
    real by_chance = 0, by_residual = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        int64_t row[M], count;
        CHECK_OK(ctx, rule_of("uniform")->choose(ctx, pool_of(&p, seed), M, row, &count));
        by_chance += residual_trace(&p, N, row, count);
        CHECK_OK(ctx, rule_of("rpcholesky")->choose(ctx, pool_of(&p, seed), M, row, &count));
        by_residual += residual_trace(&p, N, row, count);
    }
    CHECK(by_residual < by_chance);
    problem_free(&p);
}

TEST(centres, rows_do_not_depend_on_the_number_of_threads)
{
    enum { N = 3000, M = 80 };
    problem p = make_problem(ctx, "rbf:sigma=0.1", N);
    for (int k = 0; sri_centre_rule_at(k); k++) {
        int64_t row[2][M], count;
        if (sri_centre_rule_at(k)->takes_file)
            continue;
        for (int t = 0; t < 2; t++) {
            sri_threads before;
            sri_threads_enter(1 + 3 * t, &before);
            CHECK_OK(ctx, sri_centre_rule_at(k)->choose(ctx, pool_of(&p, 4), M, row[t], &count));
            sri_threads_leave(&before);
            CHECK_EQ(count, M);
        }
        CHECK(memcmp(row[0], row[1], sizeof row[0]) == 0);
    }
    problem_free(&p);
}

TEST(centres, kmeans_does_not_take_equal_rows)
{
    enum { N = 40 };
    problem p = make_problem(ctx, "rbf:sigma=1", N);
    int64_t row[N], count;
    for (int i = 0; i < N * P; i++)
        p.x[i] = p.x[i % (4 * P)]; /* four rows, ten times each */
    CHECK_OK(ctx, rule_of("kmeans")->choose(ctx, pool_of(&p, 2), 9, row, &count));
    CHECK_EQ(count, 4);
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < a; b++)
            CHECK(row[a] % 4 != row[b] % 4);
    problem_free(&p);
}

TEST(centres, candidates_are_limited_where_they_would_not_fit)
{
    enum { N = 20000, M = 8000 };
    problem p = make_problem(ctx, "rbf:sigma=1", N);
    sri_candidates c;
    CHECK_OK(ctx, sri_candidates_make(ctx, pool_of(&p, 2), M, &c));
    CHECK_EQ(c.points->n, 2 * M);
    for (int64_t i = 0; i < c.points->n; i++) {
        CHECK(i == 0 || sri_candidates_row(&c, i) > sri_candidates_row(&c, i - 1));
        CHECK_SAME(c.points->rows.x.x[i * P], p.x[sri_candidates_row(&c, i) * P]);
    }
    sri_candidates_free(&c);
    CHECK_OK(ctx, sri_candidates_make(ctx, pool_of(&p, 2), 1000, &c));
    CHECK_EQ(c.points->n, N);
    sri_candidates_free(&c);
    problem_free(&p);
}

/* What the text of --approx chooses. */
static specreg_status choose(specreg_context *ctx, problem *p, const char *text, int64_t **row,
                             int64_t *count)
{
    sri_approx approx;
    CHECK_OK(ctx, sri_approx_parse(ctx, text, &approx));
    sri_centre_pool *pool = pool_of(p, 1);
    pool->file = approx.file;
    const specreg_status st = sri_centres_choose(ctx, &approx, pool, row, count);
    sri_approx_free(&approx);
    return st;
}

static specreg_status choose_listed(specreg_context *ctx, problem *p, const char *m,
                                    const char *list, int64_t **row, int64_t *count)
{
    char text[4096];
    snprintf(text, sizeof text, "rectangle:%scenters=file:%s", m, kit_temp_file("rows.txt", list));
    return choose(ctx, p, text, row, count);
}

TEST(centres, a_file_lists_rows_from_1_on)
{
    problem p = make_problem(ctx, "rbf:sigma=1", 30);
    int64_t *row, count;
    CHECK_OK(ctx, choose_listed(ctx, &p, "", "7\n30\r\n\n1\n", &row, &count));
    CHECK_EQ(count, 3);
    CHECK(row[0] == 6 && row[1] == 29 && row[2] == 0);
    sri_free(row);
    CHECK_OK(ctx, choose_listed(ctx, &p, "m=2,", "7\n30\n1", &row, &count));
    CHECK(count == 2 && row[0] == 6 && row[1] == 29);
    sri_free(row);
    p.number[29] = 99; /* the numbers are those of the data's rows, not of the points */
    CHECK_OK(ctx, choose_listed(ctx, &p, "", "100", &row, &count));
    CHECK(count == 1 && row[0] == 29);
    sri_free(row);
    problem_free(&p);
}

TEST(centres, what_is_wrong_in_a_file_is_told_with_its_line)
{
    static const struct {
        const char *m, *list, *says;
        specreg_status status;
    } bad[] = {
        {"", "7\n8\n7\n", "rows.txt:3: row 7 is on line 1 already", SPECREG_E_FORMAT},
        {"", "7\n31\n", "rows.txt:2: row 31 is not among the rows of the data", SPECREG_E_FORMAT},
        {"", "7\n\n0\n", "rows.txt:3: this is not the number of a row", SPECREG_E_FORMAT},
        {"", "7\n2 3\n", "rows.txt:2: this is not the number of a row", SPECREG_E_FORMAT},
        {"", "x\n", "rows.txt:1: this is not the number of a row", SPECREG_E_FORMAT},
        {"", "\n", "rows.txt: there are no rows in it", SPECREG_E_FORMAT},
        {"m=4,", "7\n8\n9\n", "rows.txt: it lists 3 rows, but m=4", SPECREG_E_ARG},
    };
    problem p = make_problem(ctx, "rbf:sigma=1", 30);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        int64_t *row, count;
        CHECK_FAILS(ctx, choose_listed(ctx, &p, bad[k].m, bad[k].list, &row, &count), bad[k].status,
                    bad[k].says);
    }
    problem_free(&p);
}

TEST(centres, more_centres_than_rows_are_an_error)
{
    problem p = make_problem(ctx, "rbf:sigma=1", 30);
    int64_t *row, count;
    CHECK_FAILS(ctx, choose(ctx, &p, "rectangle:m=31", &row, &count), SPECREG_E_ARG,
                "there cannot be more centres than rows");
    CHECK_FAILS(ctx, choose(ctx, &p, "rectangle:centers=pivoted", &row, &count), SPECREG_E_ARG,
                "needs the number of centres");
    problem_free(&p);
}
