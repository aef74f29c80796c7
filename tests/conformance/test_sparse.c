/* Sparse rows give the kernels, paths and folds of the same rows written out; engine primal
 * gives the leave-a-fold-out residuals of machines that are trained anew.  The engines
 * themselves are compared with long double arithmetic, as in test_engines.c. */

#include "conformance/engines.h"
#include "core/openmp.h"
#include "kernel/linear_map.h"
#include "kit/job.h"

enum { N = 61, P = 9, WIDE = 40000 };

/* A third of the numbers are not 0; row 5 is empty, rows 7 and 8 are alike, column 3 is empty. */
static double *some_rows(uint64_t seed, int64_t n, int64_t p)
{
    double *x = kit_normal(seed, n, p), *u = kit_uniform(seed + 1, n, p);
    for (int64_t k = 0; k < n * p; k++)
        if (u[k] > 0.33 || k / p == 5 || k % p == 3)
            x[k] = 0;
    if (n > 8)
        memcpy(x + 8 * p, x + 7 * p, (size_t)p * sizeof *x);
    free(u);
    return x;
}

/* The columns lie `apart` from each other among the sparse ones. */
static sri_matrix sparse_of(const double *x, int64_t n, int64_t p, int32_t apart)
{
    sri_matrix m = {.n = n, .p = p * apart};
    m.start = calloc((size_t)n + 1, sizeof *m.start);
    m.index = calloc((size_t)(n * p), sizeof *m.index);
    m.value = calloc((size_t)(n * p), sizeof *m.value);
    for (int64_t i = 0, at = 0; i < n; i++) {
        for (int64_t j = 0; j < p; j++)
            if (x[i * p + j] != 0) {
                m.index[at] = (int32_t)j * apart;
                m.value[at++] = x[i * p + j];
            }
        m.start[i + 1] = at;
    }
    return m;
}

static const char *const KERNELS[] = {"linear",
                                      "2*linear + 0.5*linear",
                                      "rbf:sigma=2",
                                      "laplace:sigma=1",
                                      "laplace:sigma=2,norm=1",
                                      "matern:nu=1.5,sigma=1",
                                      "poly:degree=3",
                                      "0.3*rbf:sigma=1 + 2*linear",
                                      "cosine",
                                      "chi2:gamma=0.5",
                                      "rq:sigma=2",
                                      "multiquadric:sigma=2"};
enum { N_KERNELS = sizeof KERNELS / sizeof *KERNELS };

static sri_kernel kernel_of(specreg_context *ctx, const char *text)
{
    sri_kernel_grid grid;
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, text, &grid));
    const sri_kernel k = sri_kernel_grid_at(&grid, 0);
    sri_kernel_grid_free(&grid);
    return k;
}

/* Values, their products with a few columns, and their diagonal, of both kinds of points.  A
 * squared distance d^2 = |x|^2 + |z|^2 - 2<x,z> is off by rounding of the squares, and d, where
 * they are at most 1e4 d^2, by 50 times that over |x| + |z|; below, it comes from differences.
 * A polynomial of degree 3 has three factors of that size. */
static void compare_points(specreg_context *ctx, const char *text, const double *x,
                           const sri_points *dense, const sri_points *sparse)
{
    const sri_kernel k = kernel_of(ctx, text);
    const int64_t n = N;
    double *K = calloc(N * N, 8), *S = calloc(N * N, 8), *d = calloc(N, 8),
           *A = kit_normal(9, N, 3);
    double *F = calloc(3 * N, 8), *G = calloc(3 * N, 8), size = 0;
    const sri_rows_view rows = sri_points_rows(dense, 0, n), same = sri_points_rows(sparse, 0, n);
    CHECK_OK(ctx, sri_kernel_gram(ctx, &k, dense, true, K, n));
    CHECK_OK(ctx, sri_kernel_gram(ctx, &k, sparse, true, S, n));
    for (int i = 0; i < N; i++) {
        double square = 0;
        for (int j = 0; j < P; j++)
            square += x[i * P + j] * x[i * P + j];
        size = fmax(size, 1 + 2 * square);
    }
    const bool cubed = strncmp(text, "poly", 4) == 0;
    const double tol = kit_tolerance(P, cubed ? 3 * size * size * size : 50 * size);
    CHECK_WORST(text, kit_distance(S, K, n * n), tol);
    CHECK_OK(ctx, sri_kernel_block(ctx, &k, &same, sparse, S, n));
    CHECK_WORST("block", kit_distance(S, K, n * n), tol);
    CHECK_OK(ctx, sri_kernel_diagonal(ctx, &k, sparse, d));
    for (int i = 0; i < N; i++)
        CHECK_WORST("diagonal", fabs(d[i] - K[i * N + i]), tol);
    CHECK_OK(ctx, sri_kernel_rows_product(ctx, &(sri_kernel_matrix){&k, &rows, dense}, 3, A, F));
    CHECK_OK(ctx, sri_kernel_rows_product(ctx, &(sri_kernel_matrix){&k, &same, sparse}, 3, A, G));
    CHECK_WORST("product", kit_distance(F, G, 3 * n), tol * N * 4);
    free(G);
    free(F);
    free(A);
    free(d);
    free(S);
    free(K);
}

TEST(sparse, kernels_of_sparse_rows_are_those_of_the_rows_written_out)
{
    for (int wide = 0; wide < 2; wide++) { /* columns by marks, and by sorting */
        double *x = some_rows(3, N, P);
        sri_matrix m = sparse_of(x, N, P, wide ? WIDE : 1);
        sri_points *dense, *sparse;
        CHECK_OK(ctx, sri_points_new(ctx, x, N, P, false, &dense));
        CHECK_OK(ctx, sri_points_of(ctx, &m, false, &sparse));
        CHECK_EQ(sparse->columns->used, P - 1); /* one is empty */
        for (int k = 0; k < N_KERNELS; k++)
            compare_points(ctx, KERNELS[k], x, dense, sparse);
        sri_points_free(sparse);
        sri_points_free(dense);
        sri_matrix_free(&m);
        free(x);
    }
}

/* Three outputs: smooth, zero, noise. */
static double *outputs(const double *x)
{
    double *noise = kit_normal(77, N, 1), *Y = malloc(sizeof(double) * 3 * N);
    for (int i = 0; i < N; i++) {
        Y[3 * i] = x[i * P] - 0.5 * x[i * P + 1] + 0.1 * noise[i];
        Y[3 * i + 1] = 0;
        Y[3 * i + 2] = 100 * noise[i];
    }
    free(noise);
    return Y;
}

TEST(sparse, every_engine_and_filter_conforms_on_sparse_rows)
{
    double *x = some_rows(3, N, P), *Y = outputs(x);
    sri_matrix m = sparse_of(x, N, P, 3);
    sri_points *points;
    register_own_filter(ctx);
    CHECK_OK(ctx, sri_points_of(ctx, &m, false, &points));
    for (int k = 0; k < 3; k++) {
        const sri_kernel kernel = kernel_of(ctx, KERNELS[k]);
        sri_op *op, *streamed;
        problem pb;
        CHECK_OK(ctx, sri_op_kernel(ctx, &kernel, points, &op));
        CHECK_OK(ctx, sri_op_kernel(ctx, &kernel, points, &streamed));
        CHECK_EQ(op->linear.points != NULL, k < 2);
        CHECK_EQ(sri_shape_by_factors(&op->shape), k < 2);
        problem_start(ctx, &pb, KERNELS[k], op, Y, 3);
        conform(ctx, &pb, streamed);
        problem_end(&pb);
        sri_op_free(streamed);
        sri_op_free(op);
    }
    check_table();
    sri_points_free(points);
    sri_matrix_free(&m);
    free(Y);
    free(x);
}

/* ------------------------------------------------------------------- folds */

typedef struct keep {
    sri_sink base;
    int64_t n;
    double *alpha, *held; /* count x n x 3, either may be NULL */
} keep;

static specreg_status keep_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    keep *k = (keep *)self;
    const size_t size = (size_t)k->n * 3;
    if (k->alpha)
        memcpy(k->alpha + (size_t)point->index * size, point->alpha, size * 8);
    if (k->held)
        memcpy(k->held + (size_t)point->index * size, point->fold_residual, size * 8);
    return SPECREG_OK;
}

/* Residuals of fold f by a machine of the other rows, each as often as its weight, on their own
 * kernel matrix: at `point` of the path. */
static void refit(specreg_context *ctx, const double *K, const double *Y, const double *weight,
                  int f, sri_job job, double *out)
{
    int row[3 * N], n = 0;
    for (int i = 0; i < N; i++)
        for (int c = 0; i % 4 != f && c < (weight ? (int)weight[i] : 1); c++)
            row[n++] = i;
    double *own = malloc(sizeof(double) * (size_t)(n * n)),
           *y = malloc(sizeof(double) * (size_t)(3 * n));
    keep k = {.base = {.put = keep_put}, .n = n, .alpha = calloc((size_t)(POINTS * n * 3), 8)};
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++)
            own[a * n + b] = K[row[a] * N + row[b]];
        memcpy(y + 3 * a, Y + 3 * row[a], 24);
    }
    sri_report report = {0};
    CHECK_OK(ctx, kit_op_matrix(ctx, own, n, &job.problem.op));
    job.problem.Y = y;
    job.request.need = 0;
    CHECK_OK(ctx, sri_engine_run(ctx, &sri_engine_eig, &job, &k.base, &report));
    for (int64_t p = 0; p < job.path.count; p++)
        for (int i = f; i < N; i += 4)
            for (int t = 0; t < 3; t++) {
                double sum = Y[3 * i + t];
                for (int a = 0; a < n; a++)
                    sum -= K[i * N + row[a]] * k.alpha[(p * n + a) * 3 + t];
                out[(p * N + i) * 3 + t] = sum;
            }
    sri_op_free(job.problem.op);
    free(k.alpha);
    free(y);
    free(own);
}

static void check_folds(specreg_context *ctx, const sri_points *points, const double *Y,
                        const double *weight, const char *filter_text, const double *param)
{
    const sri_kernel kernel = kernel_of(ctx, "2*linear");
    int32_t fold[N];
    sri_op *op, *plain;
    sri_filter filter;
    double *K = calloc(N * N, 8), *expected = calloc(POINTS * N * 3, 8), top = 0;
    keep k = {.base = {.put = keep_put}, .n = N, .held = calloc(POINTS * N * 3, 8)};
    sri_report report = {0};
    for (int i = 0; i < N; i++)
        fold[i] = i % 4;
    CHECK_OK(ctx, sri_op_kernel(ctx, &kernel, points, &plain));
    CHECK_OK(ctx, sri_op_kernel_weighted(ctx, &kernel, points, weight, &op));
    CHECK_OK(ctx, sri_op_fill(ctx, plain, true, K));
    CHECK_OK(ctx, sri_filter_parse(ctx, filter_text, &filter));
    CHECK_OK(ctx, sri_filter_prepare(ctx, &filter, plain));
    sri_job job = kit_job(op, Y, 3, &filter, param, 3);
    kit_job_folds(&job, fold, 4, 1);
    CHECK(!sri_engine_primal.refuses(&job));
    CHECK_OK(ctx, sri_engine_run(ctx, &sri_engine_primal, &job, &k.base, &report));
    job.request.scores_only = true; /* without coefficients it is the same */
    keep alone = {.base = {.put = keep_put}, .n = N, .held = calloc(POINTS * N * 3, 8)};
    CHECK_OK(ctx, sri_engine_run(ctx, &sri_engine_primal, &job, &alone.base, &report));
    CHECK(memcmp(k.held, alone.held, sizeof(double) * 3 * N * 3) == 0);
    for (int f = 0; f < 4; f++)
        refit(ctx, K, Y, weight, f, job, expected);
    for (int i = 0; i < N; i++)
        top = fmax(top, K[i * N + i]);
    for (int t = 0; t < 3; t++) { /* K/n has eigenvalues up to `top`, g is at most 1 / 1e-3 here */
        double error = 0, y = 0;
        for (int64_t i = 0; i < N; i++)
            y = fmax(y, fabs(Y[3 * i + t]));
        for (int64_t i = t; i < 3 * N * 3; i += 3)
            error = fmax(error, fabs(k.held[i] - expected[i]));
        CHECK_WORST(filter_text, error, kit_tolerance(N, 1 + top * 1e3) * y);
    }
    sri_op_free(op);
    sri_op_free(plain);
    free(alone.held);
    free(k.held);
    free(expected);
    free(K);
}

TEST(primal, folds_of_every_linear_filter_are_those_of_machines_trained_anew)
{
    static const double lambda[] = {1, 0.1, 1e-3}, t[] = {1, 10, 300};
    double *x = some_rows(3, N, P), *Y = outputs(x), weight[N];
    sri_matrix m = sparse_of(x, N, P, 3);
    sri_points *points[2];
    for (int i = 0; i < N; i++)
        weight[i] = 1 + i % 3;
    CHECK_OK(ctx, sri_points_new(ctx, x, N, P, false, &points[0]));
    CHECK_OK(ctx, sri_points_of(ctx, &m, false, &points[1]));
    for (int k = 0; k < 4; k++) {
        const double *w = k / 2 ? weight : NULL;
        check_folds(ctx, points[k % 2], Y, w, "tikhonov", lambda);
        check_folds(ctx, points[k % 2], Y, w, "iterated:order=2", lambda);
        check_folds(ctx, points[k % 2], Y, w, "showalter", lambda);
        check_folds(ctx, points[k % 2], Y, w, "landweber", t);
        check_folds(ctx, points[k % 2], Y, w, "nu:nu=1", t);
    }
    sri_points_free(points[1]);
    sri_points_free(points[0]);
    sri_matrix_free(&m);
    free(Y);
    free(x);
}

/* ------------------------------------------------------------------- products */

TEST(sparse, products_with_A_do_not_depend_on_the_threads)
{
    enum { ROWS = 3000, COLS = 200 };
    double *x = some_rows(5, ROWS, COLS), *X = kit_normal(6, ROWS, 11);
    sri_matrix m = sparse_of(x, ROWS, COLS, 7);
    sri_points *points;
    CHECK_OK(ctx, sri_points_of(ctx, &m, false, &points));
    const sri_linear_map map = sri_linear_map_make(points, 2, NULL);
    double *W[2], *F[2];
    const int before = omp_get_max_threads();
    for (int k = 0; k < 2; k++) {
        W[k] = calloc(COLS * 11, 8);
        F[k] = calloc(ROWS * 11, 8);
        omp_set_num_threads(k + 1);
        CHECK_OK(ctx, sri_linear_back(ctx, &map, 11, X, W[k]));
        CHECK_OK(ctx, sri_linear_forward(ctx, &map, 11, W[k], F[k]));
    }
    omp_set_num_threads(before);
    CHECK(memcmp(W[0], W[1], COLS * 11 * 8) == 0);
    CHECK(memcmp(F[0], F[1], ROWS * 11 * 8) == 0);
    double most = 0;
    for (int64_t j = 0, used = 0; j < COLS; j++) { /* by plain loops; column 3 is empty */
        for (int c = 0; c < 11 && j != 3; c++) {
            double sum = 0;
            for (int64_t i = 0; i < ROWS; i++)
                sum += sqrt(2) * x[i * COLS + j] * X[i * 11 + c];
            most = fmax(most, fabs(sum - W[0][used * 11 + c]));
        }
        used += j != 3;
    }
    CHECK_WORST("A'X", most, kit_tolerance(ROWS, 10));
    for (int k = 0; k < 2; k++) {
        free(F[k]);
        free(W[k]);
    }
    sri_points_free(points);
    sri_matrix_free(&m);
    free(X);
    free(x);
}

/* A A'X for any number of columns, by plain loops over the rows written out; with and without
 * weights. */
TEST(sparse, products_go_over_any_number_of_columns)
{
    enum { MOST = 101 };
    double *x = some_rows(3, N, P), root[N], *K = calloc(N * N, 8), *Y = calloc(N * MOST, 8);
    sri_matrix m = sparse_of(x, N, P, 3);
    sri_points *points;
    CHECK_OK(ctx, sri_points_of(ctx, &m, false, &points));
    for (int i = 0; i < N; i++)
        root[i] = 0.5 + 0.1 * i;
    for (int64_t t = 1; t <= MOST; t += t < 40 ? 1 : 13) {
        const bool weighted = t % 2;
        const sri_linear_map map = sri_linear_map_make(points, 2, weighted ? root : NULL);
        double *X = kit_normal((uint64_t)t, N, t), most = 0, size = 0;
        for (int k = 0; k < N * N; k++) {
            K[k] = 0;
            for (int j = 0; j < P; j++)
                K[k] += 2 * x[k / N * P + j] * x[k % N * P + j] *
                        (weighted ? root[k / N] * root[k % N] : 1);
            size = fmax(size, fabs(K[k]));
        }
        CHECK_OK(ctx, sri_linear_square(ctx, &map, t, X, Y));
        for (int64_t k = 0; k < N * t; k++) {
            double sum = 0;
            for (int64_t i = 0; i < N; i++)
                sum += K[k / t * N + i] * X[i * t + k % t];
            most = fmax(most, fabs(sum - Y[k]));
        }
        CHECK_WORST("A A'X", most, kit_tolerance(N, 4 * size * P)); /* |X| is at most 4 here */
        free(X);
    }
    sri_points_free(points);
    sri_matrix_free(&m);
    free(Y);
    free(K);
    free(x);
}

/* As many entries as several threads share: row by row, the obvious way. */
TEST(sparse, columns_list_the_entries_whatever_the_threads)
{
    enum { ROWS = 2500, COLS = 150 };
    double *x = some_rows(7, ROWS, COLS);
    sri_matrix m = sparse_of(x, ROWS, COLS, 2);
    const int before = omp_get_max_threads();
    CHECK(sri_matrix_entries(&m) > 100000);
    for (int threads = 1; threads <= 3; threads++) {
        sri_columns *c;
        int64_t at = 0, used = 0;
        bool same = true;
        omp_set_num_threads(threads);
        CHECK_OK(ctx, sri_columns_new(ctx, &m, &c));
        for (int64_t j = 0; j < COLS; j++) {
            if (j == 3) /* empty */
                continue;
            CHECK_EQ(c->column[used], 2 * j);
            CHECK_EQ(c->start[used++], at);
            for (int64_t i = 0; i < ROWS; i++)
                if (x[i * COLS + j] != 0) {
                    same = same && c->row[at] == i && c->value[at] == x[i * COLS + j];
                    at++;
                }
        }
        CHECK(same);
        CHECK_EQ(c->used, used);
        CHECK_EQ(c->start[used], at);
        sri_columns_free(c);
    }
    omp_set_num_threads(before);
    sri_matrix_free(&m);
    free(x);
}
