/* Probabilities and intervals of models: jackknife+ against refits without a row, labels against
 * probabilities, and both through a file. */
#include "record/container.h"
#include "model/model.h"
#include "numeric/models.h"

/* ------------------------------------------------------------- jackknife+, by refits */

static int compare(const void *a, const void *b)
{
    const real x = *(const real *)a, y = *(const real *)b;
    return (x > y) - (x < y);
}

/* f^{-i} of row i's absence: coefficients of the others, with the ridge that all rows had. */
static real *without_row(int64_t i, int64_t n, int64_t T, const double *K, const double *ridge,
                         const double *Y)
{
    double *A = malloc((size_t)(n * n) * sizeof *A);
    real *alpha = real_new(n * T);
    const int64_t m = n - 1;
    for (int64_t a = 0; a < m; a++) {
        const int64_t r = a + (a >= i);
        for (int64_t b = 0; b < m; b++)
            A[a * m + b] = K[r * n + b + (b >= i)] + (a == b ? ridge[r] : 0);
        for (int64_t t = 0; t < T; t++)
            alpha[a * T + t] = Y[r * T + t];
    }
    ref_solve(m, T, A, 0, alpha);
    free(A);
    return alpha;
}

/* k (n values) times the coefficients of all rows but i. */
static real output_without(int64_t i, int64_t n, int64_t T, const double *k, const real *alpha,
                           int64_t t)
{
    real sum = 0;
    for (int64_t a = 0; a < n - 1; a++)
        sum += (real)k[a + (a >= i)] * alpha[a * T + t];
    return sum;
}

/* The definition of Barber, Candes, Ramdas and Tibshirani (2021), for a level in per cent. */
static void brute_force(int64_t n, int64_t m, int64_t T, const double *K, const double *Kt,
                        const double *ridge, const double *Y, int percent, double *lower,
                        double *upper)
{
    const int64_t low = (100 - percent) * (n + 1) / 100, high = (percent * (n + 1) + 99) / 100;
    real *lo = real_new(m * T * n), *up = real_new(m * T * n);
    for (int64_t i = 0; i < n; i++) {
        real *alpha = without_row(i, n, T, K, ridge, Y);
        for (int64_t k = 0; k < m * T; k++) {
            const real R =
                fabsl(Y[i * T + k % T] - output_without(i, n, T, K + i * n, alpha, k % T));
            const real f = output_without(i, n, T, Kt + k / T * n, alpha, k % T);
            lo[k * n + i] = f - R;
            up[k * n + i] = f + R;
        }
        free(alpha);
    }
    for (int64_t k = 0; k < m * T; k++) {
        qsort(lo + k * n, (size_t)n, sizeof *lo, compare);
        qsort(up + k * n, (size_t)n, sizeof *up, compare);
        lower[k] = low >= 1 ? (double)lo[k * n + low - 1] : -INFINITY;
        upper[k] = high <= n ? (double)up[k * n + high - 1] : INFINITY;
    }
    free(up);
    free(lo);
}

static const double SIGMA = 1.2, LAMBDA = 0.01;

typedef struct scene {
    int64_t n, T;
    double *X, *Y, *K, *Kt; /* n + M rows; n x T; n x n; M x n */
    specreg_model *model;
} scene;

static scene chosen_scene(specreg_context *ctx, int64_t n, int64_t T, const char *select,
                          const char *filter, const char *param, const char *rule)
{
    scene s = {.n = n, .T = T};
    s.X = kit_normal(5, n + M, P);
    double *e = kit_normal(6, n, T);
    s.Y = malloc((size_t)(n * T) * sizeof *s.Y);
    for (int64_t k = 0; k < n * T; k++)
        s.Y[k] = sin(2 * s.X[k / T * P] + (double)(k % T)) + 0.3 * e[k];
    free(e);
    s.K = gram(k_rbf, &SIGMA, s.X, n, s.X, n, P);
    s.Kt = gram(k_rbf, &SIGMA, s.X + n * P, M, s.X, n, P);
    const specreg_view X = {s.X, n, P, P}, Y = {s.Y, n, T, T};
    specreg_options *o =
        options_of(ctx, "kernel", "rbf:sigma=1.2", "filter", filter, "param", param, "scale",
                   "none", "select", select, "problem", "regression", "rule", rule, NULL);
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &X, &Y, o, &s.model));
    specreg_options_free(o);
    return s;
}

static scene make_scene(specreg_context *ctx, int64_t n, int64_t T, const char *select,
                        const char *filter, const char *param)
{
    return chosen_scene(ctx, n, T, select, filter, param, "min");
}

static scene tikhonov_scene(specreg_context *ctx, int64_t n, int64_t T, const char *select)
{
    return make_scene(ctx, n, T, select, "tikhonov", "lambda=0.01");
}

static void scene_free(scene *s)
{
    specreg_model_free(s->model);
    free(s->Kt);
    free(s->K);
    free(s->Y);
    free(s->X);
}

static void check_intervals(specreg_context *ctx, const scene *s, const double *ridge, int percent,
                            const specreg_options *o)
{
    const int64_t count = M * s->T;
    double *got[2], *expected[2];
    for (int k = 0; k < 2; k++) {
        got[k] = malloc((size_t)count * sizeof(double));
        expected[k] = malloc((size_t)count * sizeof(double));
    }
    const specreg_view X = {s->X + s->n * P, M, P, P};
    CHECK_OK(ctx, specreg_predict_interval_array(ctx, s->model, &X, percent / 100.0, o, got[0],
                                                 got[1], count));
    brute_force(s->n, M, s->T, s->K, s->Kt, ridge, s->Y, percent, expected[0], expected[1]);
    for (int k = 0; k < 2; k++) {
        if (isinf(expected[k][0]))
            for (int64_t i = 0; i < count; i++)
                CHECK_SAME(got[k][i], expected[k][i]);
        else /* condition of K + n lambda I, and once more for the division by C_ii */
            CHECK_WORST("jackknife+", kit_distance(got[k], expected[k], count),
                        kit_tolerance(s->n, 2 * (1 + 1 / LAMBDA)));
        free(expected[k]);
        free(got[k]);
    }
}

TEST(uncertainty, jackknife_plus_equals_refits_without_each_row)
{
    for (int64_t T = 1; T <= 2; T++)
        for (int64_t n = 38; n <= 40; n++) { /* 39: 0.9 (n + 1) is whole, and 0.1 (n + 1) too */
            scene s = tikhonov_scene(ctx, n, T, "none");
            double ridge[40];
            for (int64_t i = 0; i < n; i++)
                ridge[i] = (double)n * LAMBDA;
            static const int percent[] = {50, 80, 90, 95, 99};
            for (int k = 0; k < 5; k++)
                check_intervals(ctx, &s, ridge, percent[k], NULL);
            scene_free(&s);
        }
}

/* With a constant b that is not penalised A c + b 1 = y and sum(c) = 0: c = A^-1 y - b A^-1 1. */
TEST(uncertainty, jackknife_plus_with_a_constant_equals_refits_without_each_row)
{
    enum { ROWS = 39, LOW = 8, HIGH = 32 }; /* of 40: 0.8 and 0.2 of them */
    scene s = tikhonov_scene(ctx, ROWS, 1, "none");
    specreg_options *o = options_of(ctx, "kernel", "rbf:sigma=1.2", "param", "lambda=0.01", "scale",
                                    "none", "features", "constant", "problem", "regression", NULL);
    double ridge[ROWS], y1[ROWS * 2], lower[M], upper[M], expected[2][M];
    for (int64_t i = 0; i < ROWS; i++) {
        s.Y[i] += 100;
        ridge[i] = ROWS * LAMBDA;
        y1[2 * i] = s.Y[i];
        y1[2 * i + 1] = 1;
    }
    const specreg_view X = {s.X, ROWS, P, P}, Y = {s.Y, ROWS, 1, 1}, Z = {s.X + ROWS * P, M, P, P};
    specreg_model_free(s.model);
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &X, &Y, o, &s.model));
    CHECK_OK(ctx, specreg_predict_interval_array(ctx, s.model, &Z, 0.8, NULL, lower, upper, M));
    real *lo = real_new(M * ROWS), *up = real_new(M * ROWS);
    for (int64_t i = 0; i < ROWS; i++) {
        real *a = without_row(i, ROWS, 2, s.K, ridge, y1), sums[2] = {0, 0};
        for (int64_t k = 0; k < 2 * (ROWS - 1); k++)
            sums[k % 2] += a[k];
        const real b = sums[0] / sums[1];
        for (int64_t k = 0; k < M; k++) {
            real f[2];
            for (int at_x = 0; at_x < 2; at_x++) {
                const double *row = at_x ? s.Kt + k * ROWS : s.K + i * ROWS;
                f[at_x] = output_without(i, ROWS, 2, row, a, 0) -
                          b * output_without(i, ROWS, 2, row, a, 1) + b;
            }
            lo[k * ROWS + i] = f[1] - fabsl(s.Y[i] - f[0]);
            up[k * ROWS + i] = f[1] + fabsl(s.Y[i] - f[0]);
        }
        free(a);
    }
    for (int64_t k = 0; k < M; k++) {
        qsort(lo + k * ROWS, ROWS, sizeof *lo, compare);
        qsort(up + k * ROWS, ROWS, sizeof *up, compare);
        expected[0][k] = (double)lo[k * ROWS + LOW - 1];
        expected[1][k] = (double)up[k * ROWS + HIGH - 1];
    }
    CHECK_ARRAY_NEAR(lower, expected[0], M, kit_tolerance(ROWS, 2 * (1 + 1 / LAMBDA)));
    CHECK_ARRAY_NEAR(upper, expected[1], M, kit_tolerance(ROWS, 2 * (1 + 1 / LAMBDA)));
    free(up);
    free(lo);
    specreg_options_free(o);
    scene_free(&s);
}

/* 0.56 times 25 is 14, but 14.000000000000002 in doubles: still the 14th. */
TEST(uncertainty, the_rank_is_not_moved_by_rounding)
{
    enum { ROWS = 24 };
    scene s = tikhonov_scene(ctx, ROWS, 1, "none");
    double ridge[ROWS];
    for (int64_t i = 0; i < ROWS; i++)
        ridge[i] = ROWS * LAMBDA;
    CHECK(0.56 * (ROWS + 1) > 14);
    check_intervals(ctx, &s, ridge, 56, NULL);
    scene_free(&s);
}

TEST(uncertainty, too_few_rows_for_the_level_give_infinite_intervals)
{
    for (int64_t n = 8; n <= 9; n++) { /* 0.9 (n + 1) is 8.1, then 9 */
        scene s = tikhonov_scene(ctx, n, 1, "none");
        double ridge[9];
        for (int64_t i = 0; i < n; i++)
            ridge[i] = (double)n * LAMBDA;
        check_intervals(ctx, &s, ridge, 90, NULL);
        double lower[M], upper[M];
        const specreg_view X = {s.X, M, P, P};
        CHECK_OK(ctx, specreg_predict_interval_array(ctx, s.model, &X, 0.9, NULL, lower, upper,
                                                     sizeof lower / sizeof *lower));
        CHECK((n == 8) == !isfinite(lower[0]) && (n == 8) == !isfinite(upper[0]));
        scene_free(&s);
    }
}

/* sum_i w_i (y_i - f(x_i))^2 + (sum w) lambda |f|^2: the ridge of row i is (sum w) lambda / w_i. */
TEST(uncertainty, jackknife_plus_takes_weights)
{
    enum { ROWS = 30 };
    scene s = tikhonov_scene(ctx, ROWS, 2, "none");
    double sum = 0, ridge[ROWS], *A = malloc(sizeof(double) * ROWS * ROWS);
    real *alpha = real_new(ROWS * 2);
    s.model->uncertainty.weight = malloc(sizeof(double) * ROWS);
    for (int64_t i = 0; i < ROWS; i++)
        sum += s.model->uncertainty.weight[i] = 0.5 + (double)(i % 3);
    for (int64_t i = 0; i < ROWS; i++)
        ridge[i] = sum * LAMBDA / s.model->uncertainty.weight[i];
    for (int64_t k = 0; k < ROWS * ROWS; k++)
        A[k] = s.K[k] + (k / ROWS == k % ROWS ? ridge[k / ROWS] : 0);
    for (int64_t k = 0; k < ROWS * 2; k++)
        alpha[k] = s.Y[k];
    ref_solve(ROWS, 2, A, 0, alpha);
    for (int64_t k = 0; k < ROWS * 2; k++)
        s.model->expansion.alpha[k] = (double)alpha[k];
    check_intervals(ctx, &s, ridge, 80, NULL);
    free(alpha);
    free(A);
    scene_free(&s);
}

/* A row of weight 0 is as good as absent: the same intervals from the model without it. */
TEST(uncertainty, a_row_of_weight_zero_takes_no_part)
{
    enum { ROWS = 20 };
    scene s = tikhonov_scene(ctx, ROWS, 1, "none");
    double a[2][M], b[2][M];
    const specreg_view X = {s.X + ROWS * P, M, P, P};
    CHECK_OK(ctx, specreg_predict_interval_array(ctx, s.model, &X, 0.8, NULL, a[0], a[1], M));
    specreg_model *m = s.model; /* one row more, with a coefficient and a weight of 0 */
    double *centres = malloc(sizeof(double) * (ROWS + 1) * P);
    memcpy(centres, m->expansion.points->rows.x.x, sizeof(double) * ROWS * P);
    memset(centres + ROWS * P, 0, sizeof(double) * P);
    double *alpha = malloc(sizeof(double) * (ROWS + 1));
    memcpy(alpha, m->expansion.alpha, sizeof(double) * ROWS);
    free(m->expansion.alpha);
    m->expansion.alpha = alpha;
    m->expansion.alpha[ROWS] = 0;
    m->uncertainty.weight = malloc(sizeof(double) * (ROWS + 1));
    for (int i = 0; i <= ROWS; i++)
        m->uncertainty.weight[i] = i < ROWS;
    m->expansion.n = ROWS + 1;
    sri_points_free(m->expansion.points);
    CHECK_OK(ctx, sri_points_new(ctx, centres, m->expansion.n, P, false, &m->expansion.points));
    m->expansion.points->owns = true;
    CHECK_OK(ctx, specreg_predict_interval_array(ctx, m, &X, 0.8, NULL, b[0], b[1], M));
    for (int k = 0; k < 2; k++)
        CHECK(kit_distance(a[k], b[k], M) <= kit_tolerance(ROWS, 2 * (1 + 1 / LAMBDA)));
    scene_free(&s);
}

/* Coefficients that are no numbers, as a file made by others may have them. */
TEST(uncertainty, where_nothing_is_known_the_interval_is_infinite)
{
    scene s = tikhonov_scene(ctx, N, 1, "none");
    double lower[M], upper[M];
    const specreg_view X = {s.X, M, P, P};
    for (int64_t i = 0; i < N; i++)
        s.model->expansion.alpha[i] = i % 2 ? NAN : INFINITY;
    CHECK_OK(ctx, specreg_predict_interval_array(ctx, s.model, &X, 0.5, NULL, lower, upper,
                                                 sizeof lower / sizeof *lower));
    for (int64_t i = 0; i < M; i++)
        CHECK(lower[i] == -INFINITY && upper[i] == INFINITY);
    scene_free(&s);
}

/* ------------------------------------------------------------- without jackknife+ */

static void keep_line(const char *line, void *payload)
{
    snprintf(payload, 200, "%s", line);
}

/* Where the matrix does not fit: f(x) -+ a quantile of the residuals of refits without each row. */
TEST(uncertainty, without_the_memory_intervals_come_from_residuals_kept_by_fit)
{
    enum { ROWS = 39, TARGETS = 2 };
    scene s = tikhonov_scene(ctx, ROWS, TARGETS, "loo");
    real R[TARGETS][ROWS];
    double ridge[ROWS], F[M * TARGETS], lower[M * TARGETS], upper[M * TARGETS];
    char line[200] = "";
    for (int64_t i = 0; i < ROWS; i++)
        ridge[i] = ROWS * LAMBDA;
    for (int64_t i = 0; i < ROWS; i++) {
        real *alpha = without_row(i, ROWS, TARGETS, s.K, ridge, s.Y);
        for (int t = 0; t < TARGETS; t++)
            R[t][i] = fabsl(s.Y[i * TARGETS + t] -
                            output_without(i, ROWS, TARGETS, s.K + i * ROWS, alpha, t));
        free(alpha);
    }
    const specreg_view X = {s.X + ROWS * P, M, P, P};
    specreg_options *o = options_of(ctx, "memory", "50K", NULL);
    specreg_set_log(ctx, keep_line, line);
    CHECK_OK(ctx, specreg_predict_array(ctx, s.model, &X, NULL, F, sizeof F / sizeof *F));
    CHECK_OK(ctx, specreg_predict_interval_array(ctx, s.model, &X, 0.9, o, lower, upper,
                                                 sizeof lower / sizeof *lower));
    CHECK_HAS(line, "held-out residuals");
    for (int t = 0; t < TARGETS; t++) {
        qsort(R[t], ROWS, sizeof *R[t], compare);
        for (int64_t i = 0; i < M; i++) { /* the 36th of 39: 0.9 times 40 */
            const int64_t k = i * TARGETS + t;
            CHECK_NEAR(upper[k], F[k] + (double)R[t][35], kit_tolerance(ROWS, 2 + 2 / LAMBDA));
            CHECK_NEAR(lower[k], F[k] - (double)R[t][35], kit_tolerance(ROWS, 2 + 2 / LAMBDA));
        }
    }
    CHECK_OK(ctx, specreg_predict_interval_array(ctx, s.model, &X, 0.9, NULL, lower, upper,
                                                 sizeof lower / sizeof *lower));
    CHECK_HAS(line, "jackknife+");
    specreg_set_log(ctx, NULL, NULL);
    specreg_options_free(o);
    scene_free(&s);
}

TEST(uncertainty, other_filters_use_the_residuals_of_the_folds)
{
    scene s = make_scene(ctx, N, 1, "kfold:k=4", "nu", "t={2,5,10}");
    double F[M], lower[M], upper[M];
    const specreg_view X = {s.X + N * P, M, P, P};
    CHECK(s.model->uncertainty.held_out);
    CHECK_OK(ctx, specreg_predict_array(ctx, s.model, &X, NULL, F, sizeof F / sizeof *F));
    CHECK_OK(ctx, specreg_predict_interval_array(ctx, s.model, &X, 0.8, NULL, lower, upper,
                                                 sizeof lower / sizeof *lower));
    int64_t within = 0; /* ceil(0.8 * 41) = 33 of the residuals are at most half the width */
    for (int64_t i = 0; i < N; i++)
        within += fabs(s.model->uncertainty.held_out[i]) <= (upper[0] - lower[0]) / 2 * (1 + 1e-14);
    CHECK_EQ(within, 33);
    for (int64_t i = 0; i < M; i++)
        CHECK_NEAR((lower[i] + upper[i]) / 2, F[i], kit_tolerance(4, 1));
    CHECK_OK(ctx, specreg_predict_interval_array(ctx, s.model, &X, 0.99, NULL, lower, upper,
                                                 sizeof lower / sizeof *lower));
    CHECK(isinf(lower[0]) && isinf(upper[M - 1]));
    scene_free(&s);
}

TEST(uncertainty, a_model_without_either_says_what_to_do)
{
    scene s = make_scene(ctx, N, 1, "none", "nu", "t=5");
    double lower[M], upper[M];
    const specreg_view X = {s.X, M, P, P};
    CHECK_FAILS(ctx,
                specreg_predict_interval_array(ctx, s.model, &X, 0.9, NULL, lower, upper,
                                               sizeof lower / sizeof *lower),
                SPECREG_E_UNAVAILABLE, "--select loo or kfold");
    static const double bad[] = {0, 1, -0.5, 90, NAN, INFINITY};
    for (int i = 0; i < 6; i++)
        CHECK_FAILS(ctx,
                    specreg_predict_interval_array(ctx, s.model, &X, bad[i], NULL, lower, upper,
                                                   sizeof lower / sizeof *lower),
                    SPECREG_E_ARG, "between 0 and 1");
    CHECK_FAILS(ctx, specreg_predict_proba_array(ctx, s.model, &X, NULL, lower, M),
                SPECREG_E_UNAVAILABLE, "regression");
    scene_free(&s);
}

/* ------------------------------------------------------------------ probabilities */

/* Two or three classes that overlap, on a coarse lattice: rows are alike, scores tie. */
static specreg_table *lattice(specreg_context *ctx, uint64_t seed, int64_t n, int classes)
{
    static const char *const name[] = {"ant", "bee", "cow"};
    double *u = kit_normal(seed, n, 3);
    FILE *f = fopen(kit_temp("lattice.csv"), "w");
    fprintf(f, "a,b,y\n");
    for (int64_t i = 0; i < n; i++) {
        const double a = round(u[3 * i]), b = round(u[3 * i + 1]), v = a + b + u[3 * i + 2];
        fprintf(f, "%g,%g,%s\n", a, b, name[v > 0.5 ? classes - 1 : v > -0.5 ? classes / 2 : 0]);
    }
    fclose(f);
    free(u);
    return read_table(ctx, kit_temp("lattice.csv"));
}

static void check_label(const specreg_table *t, int64_t i, int64_t k)
{
    double sum = 0;
    int64_t best = 0;
    for (int64_t c = 0; c < k; c++) {
        const double p = specreg_table_number(t, i, 1 + k + c);
        CHECK(p > 0 && p < 1);
        sum += p;
        best = p > specreg_table_number(t, i, 1 + k + best) ? c : best;
    }
    CHECK_NEAR(sum, 1, kit_tolerance(k, 1));
    CHECK_STR(specreg_table_name(t, 1 + k + best) + 5, specreg_table_text(t, i, 0)); /* prob: */
}

TEST(uncertainty, the_label_is_the_most_probable_class_of_every_row)
{
    for (int k = 2; k <= 3; k++)
        for (int rule = 0; rule < 2; rule++) {
            specreg_table *train = lattice(ctx, 3, 90, k), *data = lattice(ctx, 4, 400, k), *t;
            specreg_options *o =
                options_of(ctx, "select", rule ? "kfold:k=4" : "loo", "proba", "yes", NULL);
            specreg_model *m = fitted(ctx, train, o);
            CHECK_OK(ctx, specreg_predict(ctx, m, data, o, &t));
            CHECK_EQ(specreg_table_cols(t), 1 + 2 * k);
            CHECK_STR(specreg_table_name(t, 1), "score:ant");
            CHECK_STR(specreg_table_name(t, 1 + k), "prob:ant");
            for (int64_t i = 0; i < 400; i++)
                check_label(t, i, k);
            json_t *record = record_of(ctx, m);
            CHECK_STR(text_at(record, "calibration.held_by"), rule ? "kfold" : "loo");
            json_decref(record);
            specreg_table_free(t);
            specreg_model_free(m);
            specreg_options_free(o);
            specreg_table_free(data);
            specreg_table_free(train);
        }
}

/* cg and cut-offs fit fold by fold, Landweber all folds in one run: residuals either way, which
 * give the value that the selection found. */
TEST(uncertainty, the_residuals_kept_are_those_that_the_selection_scored)
{
    static const char *const cases[][3] = {{"tikhonov", "lambda={0.1,0.05,0.03,0.01}", "loo"},
                                           {"tikhonov", "lambda={0.1,0.05,0.03,0.01}", "kfold:k=4"},
                                           {"landweber", "t={3,10,30,60}", "kfold:k=4"},
                                           {"landweber:step=norm", "t={3,10,30,60}", "kfold:k=4"},
                                           {"cg", "t={1,2,3,4}", "kfold:k=4"},
                                           {"tsvd", "components={3,6,9,12}", "kfold:k=4"}};
    for (int i = 0; i < 12; i++) {
        const char *const *c = cases[i % 6];
        scene s = chosen_scene(ctx, N, 2, c[2], c[0], c[1], i < 6 ? "min" : "1se");
        json_t *record = record_of(ctx, s.model);
        double mse = 0;
        CHECK(s.model->uncertainty.held_out);
        for (int64_t k = 0; k < N * 2; k++)
            mse += s.model->uncertainty.held_out[k] * s.model->uncertainty.held_out[k] / (N * 2);
        CHECK_NEAR(mse, number_at(record, "selection.value"), 1e-10);
        json_decref(record);
        scene_free(&s);
    }
}

TEST(uncertainty, rules_that_hold_out_no_rows_give_no_probabilities)
{
    static const char *const rules[] = {"gcv", "holdout"};
    specreg_table *train = lattice(ctx, 3, 60, 2), *t;
    specreg_options *ask = options_of(ctx, "proba", "yes", NULL);
    for (int i = 0; i < 2; i++) {
        specreg_options *o = options_of(ctx, "select", rules[i], NULL);
        specreg_model *m = fitted(ctx, train, o);
        CHECK_FAILS(ctx, specreg_predict(ctx, m, train, ask, &t), SPECREG_E_UNAVAILABLE,
                    "--select loo or kfold");
        CHECK(!t);
        specreg_model_free(m);
        specreg_options_free(o);
    }
    specreg_options_free(ask);
    specreg_table_free(train);
}

/* ------------------------------------------------------------------ files */

static specreg_table *asked(specreg_context *ctx, const specreg_model *m, const specreg_table *data,
                            const char *option, const char *value)
{
    specreg_options *o = options_of(ctx, option, value, NULL);
    specreg_table *t;
    CHECK_OK(ctx, specreg_predict(ctx, m, data, o, &t));
    specreg_options_free(o);
    return t;
}

static void check_round_trip(specreg_context *ctx, specreg_model *m, const specreg_table *data,
                             const char *option, const char *value)
{
    specreg_model *back;
    CHECK_OK(ctx, specreg_model_save(ctx, m, kit_temp("m.srm")));
    CHECK_OK(ctx, specreg_model_load(ctx, kit_temp("m.srm"), &back));
    specreg_table *a = asked(ctx, m, data, option, value),
                  *b = asked(ctx, back, data, option, value);
    check_same_table(a, b);
    CHECK_OK(ctx, specreg_model_save(ctx, back, kit_temp("again.srm")));
    check_same_file(kit_temp("m.srm"), kit_temp("again.srm"));
    specreg_table_free(b);
    specreg_table_free(a);
    specreg_model_free(back);
}

TEST(uncertainty, a_file_brings_back_probabilities_intervals_and_weights)
{
    specreg_table *train = lattice(ctx, 3, 60, 3);
    specreg_model *m = fitted(ctx, train, NULL);
    check_round_trip(ctx, m, train, "proba", "yes");
    specreg_model_free(m);
    specreg_table_free(train);
    scene s = make_scene(ctx, N, 2, "kfold:k=4", "nu", "t={2,5}");
    specreg_table *data = table_of(ctx, s.X + N * P, M, P, NULL, 0);
    check_round_trip(ctx, s.model, data, "interval", "0.7");
    scene_free(&s);
    s = tikhonov_scene(ctx, N, 2, "none");
    s.model->uncertainty.weight = malloc(N * sizeof(double));
    for (int64_t i = 0; i < N; i++)
        s.model->uncertainty.weight[i] = 1 + (double)(i % 2);
    check_round_trip(ctx, s.model, data, "interval", "0.7");
    scene_free(&s);
    specreg_table_free(data);
}

TEST(uncertainty, intervals_stand_after_each_target_and_agree_with_the_arrays)
{
    scene s = tikhonov_scene(ctx, N, 2, "loo");
    specreg_table *data = table_of(ctx, s.X + N * P, M, P, NULL, 0);
    specreg_table *t = asked(ctx, s.model, data, "interval", "0.9");
    static const char *const names[] = {"y1", "y1:lower", "y1:upper", "y2", "y2:lower", "y2:upper"};
    double lower[2 * M], upper[2 * M];
    const specreg_view X = {s.X + N * P, M, P, P};
    CHECK_OK(ctx, specreg_predict_interval_array(ctx, s.model, &X, 0.9, NULL, lower, upper,
                                                 sizeof lower / sizeof *lower));
    CHECK_EQ(specreg_table_cols(t), 6);
    for (int64_t j = 0; j < 6; j++)
        CHECK_STR(specreg_table_name(t, j), names[j]);
    for (int64_t i = 0; i < M; i++)
        for (int64_t k = 0; k < 2; k++) {
            CHECK_SAME(specreg_table_number(t, i, 3 * k + 1), lower[2 * i + k]);
            CHECK_SAME(specreg_table_number(t, i, 3 * k + 2), upper[2 * i + k]);
            CHECK(lower[2 * i + k] < upper[2 * i + k]);
        }
    specreg_table_free(t);
    specreg_table_free(data);
    scene_free(&s);
}

/* A model file with a part replaced, under a checksum that is right. */
static void rewrite(specreg_context *ctx, const char *from, const char *key, const char *text,
                    const char *tensor, int64_t rows, int64_t cols)
{
    static const char *const known[] = {"alpha", "centres", "scaling"};
    sri_container c;
    sri_tensor t[4];
    double *data[4];
    CHECK_OK(ctx, sri_container_read(ctx, from, &c));
    for (int i = 0; i < 3; i++) {
        t[i].name = known[i];
        CHECK_OK(ctx, sri_container_tensor(ctx, &c, known[i], &data[i], &t[i].rows, &t[i].cols));
        t[i].data = data[i];
    }
    data[3] = malloc((size_t)(rows * cols + 1) * sizeof(double));
    for (int64_t i = 0; i < rows * cols; i++)
        data[3][i] = i == 3 ? -1 : 1;
    t[3] = (sri_tensor){tensor, data[3], rows, cols};
    if (key)
        CHECK_OK(ctx, sri_metadata_set(ctx, &c.metadata, key, text));
    CHECK_OK(ctx, sri_container_write(ctx, kit_temp("bad.srm"), &c.metadata, t, tensor ? 4 : 3));
    for (int i = 0; i < 4; i++)
        free(data[i]);
    sri_container_free(&c);
}

TEST(uncertainty, files_with_broken_parts_are_refused_by_name)
{
    specreg_table *train = lattice(ctx, 3, 30, 2);
    specreg_options *o = options_of(ctx, NULL);
    specreg_model *m = fitted(ctx, train, o), *back;
    CHECK_OK(ctx, specreg_model_save(ctx, m, kit_temp("m.srm")));
    static const struct {
        const char *key, *text, *tensor;
        int64_t rows, cols;
        const char *message; /* NULL: it is a good file */
    } cases[] = {
        {"calibration", "{\"slopes\": [1, 2], \"held_by\": \"loo\"}", NULL, 0, 0, NULL},
        {"calibration", "{\"slopes\": [1], \"held_by\": \"loo\"}", NULL, 0, 0, "calibration"},
        {"calibration", "{\"slopes\": [1, 0], \"held_by\": \"loo\"}", NULL, 0, 0, "calibration"},
        {"calibration", "[]", NULL, 0, 0, "calibration"},
        {"calibration", "{", NULL, 0, 0, "calibration"},
        {NULL, NULL, "held_residual", 30, 1, NULL},
        {NULL, NULL, "held_residual", 29, 1, "held_residual"},
        {NULL, NULL, "held_residual", 30, 2, "held_residual"},
        {NULL, NULL, "weight", 3, 1, "weight"},
        {NULL, NULL, "weight", 30, 1, "weight"}, /* one of them is negative */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rewrite(ctx, kit_temp("m.srm"), cases[i].key, cases[i].text, cases[i].tensor, cases[i].rows,
                cases[i].cols);
        if (cases[i].message)
            CHECK_FAILS(ctx, specreg_model_load(ctx, kit_temp("bad.srm"), &back), SPECREG_E_FORMAT,
                        cases[i].message);
        else
            CHECK_OK(ctx, specreg_model_load(ctx, kit_temp("bad.srm"), &back));
        specreg_model_free(back);
    }
    specreg_options_free(o);
    specreg_model_free(m);
    specreg_table_free(train);
}
