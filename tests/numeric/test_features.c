/* Features that are not penalised, through fit, predict, path and cv.  Answers come from the
 * system with the features beside the kernel, solved here, from refits without the rows that are
 * left out, and from what must not change. */
#include "numeric/models.h"

enum { L = 3 }; /* of the system solved here: 1, x1, x2 */

/* Predictions at Z of the minimiser for Gamma = k A over T outputs, each with its own 1, x1, x2:
 * the system of order T (N + L), a point being one output of one row. */
static void minimiser(const double *X, const double *Z, const double *Y, int T, const double *A,
                      double sigma, double lambda, double *F, double *beta)
{
    const int n = N * T, m = T * (N + L);
    double *S = calloc((size_t)(m * m), sizeof *S);
    real *b = real_new(m);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            S[i * m + j] = k_rbf(X + i / T * P, X + j / T * P, P, &sigma) * A[i % T * T + j % T] +
                           (i == j ? N * lambda : 0);
        for (int k = 0; k < L; k++) {
            const double phi = k == 0 ? 1 : X[i / T * P + k - 1];
            const int at = n + k * T + i % T;
            S[i * m + at] = S[at * m + i] = phi;
        }
        b[i] = Y[i];
    }
    ref_solve(m, 1, S, 0, b);
    for (int i = 0; i < M; i++)
        for (int t = 0; t < T; t++) {
            real f = 0;
            for (int j = 0; j < n; j++)
                f += k_rbf(Z + i * P, X + j / T * P, P, &sigma) * A[t * T + j % T] * b[j];
            for (int k = 0; k < L; k++)
                f += (k == 0 ? 1 : Z[i * P + k - 1]) * b[n + k * T + t];
            F[i * T + t] = (double)f;
        }
    for (int k = 0; k < L * T; k++)
        beta[k] = (double)b[n + k];
    free(b);
    free(S);
}

typedef struct data {
    double *X, *Z, *y, *Y;
    specreg_table *train, *later;
} data;

static data make(specreg_context *ctx)
{
    data d = {.X = kit_normal(71, N, P),
              .Z = kit_normal(72, M, P),
              .y = kit_normal(73, N, 1),
              .Y = kit_normal(74, N, 2)};
    for (int i = 0; i < N; i++) {
        const double *x = d.X + i * P;
        d.y[i] = 40 + 3 * x[0] - 2 * x[1] + sin(2 * x[2]) + 0.2 * d.y[i];
        d.Y[2 * i] = d.y[i];
        d.Y[2 * i + 1] = -7 + x[1] + cos(x[2]) + 0.2 * d.Y[2 * i + 1];
    }
    d.train = named_table(ctx, "train.csv", d.X, N, P, d.y);
    d.later = named_table(ctx, "later.csv", d.Z, M, P, NULL);
    return d;
}

static void drop(data *d)
{
    specreg_table_free(d->later);
    specreg_table_free(d->train);
    free(d->Y);
    free(d->y);
    free(d->Z);
    free(d->X);
}

#define FIXED "kernel", "rbf:sigma=1.5", "scale", "none"
#define ONE FIXED, "select", "none", "param", "lambda=1e-3"
#define TREND "features", "constant + columns:x1,x2"

/* What a model's record says of its features: coefficients in order. */
static void check_beta(specreg_context *ctx, const specreg_model *m, const double *beta, int l,
                       int T, double tol)
{
    json_t *record = record_of(ctx, m), *all = at(record, "features.coefficients");
    CHECK_EQ(json_array_size(all), l);
    for (int k = 0; k < l; k++)
        for (int t = 0; t < T; t++)
            CHECK_NEAR(json_number_value(
                           json_array_get(json_object_get(json_array_get(all, (size_t)k), "values"),
                                          (size_t)t)),
                       beta[k * T + t], tol);
    json_decref(record);
}

TEST(features, the_model_is_the_minimiser_with_every_engine)
{
    static const char *const engines[] = {"eig", "cholesky", "band", "krylov"};
    data d = make(ctx);
    double F[M], beta[L], one = 1;
    minimiser(d.X, d.Z, d.y, 1, &one, 1.5, 1e-3, F, beta);
    for (int e = 0; e < 4; e++) {
        specreg_options *o = options_of(ctx, ONE, TREND, "engine", engines[e], NULL);
        specreg_model *m = fitted(ctx, d.train, o);
        specreg_table *out = predicted(ctx, m, d.later);
        double *got = numbers_of(out);
        CHECK_ARRAY_NEAR(got, F, M, kit_tolerance(N, 1e3));
        check_beta(ctx, m, beta, L, 1, kit_tolerance(N, 1e3));
        free(got);
        specreg_table_free(out);
        specreg_model_free(m);
        specreg_options_free(o);
    }
    drop(&d);
}

/* Scaling changes the numbers of the kernel and of monomials, not what is reported of features. */
TEST(features, coefficients_are_those_of_the_columns_as_they_stand_in_the_table)
{
    data d = make(ctx);
    static const char *const same[] = {"constant + columns:x1,x2,x3", "poly:degree=1"};
    double beta[2][4];
    for (int k = 0; k < 2; k++) {
        specreg_options *o = options_of(ctx, "kernel", "rbf:sigma=1.5", "select", "none", "param",
                                        "lambda=1e-3", "features", same[k], NULL);
        specreg_model *m = fitted(ctx, d.train, o);
        json_t *record = record_of(ctx, m);
        for (size_t j = 0; j < 4; j++) {
            const json_t *c = json_array_get(at(record, "features.coefficients"), j);
            beta[k][j] = json_number_value(json_array_get(json_object_get(c, "values"), 0));
            CHECK_STR(json_string_value(json_object_get(c, "name")), j == 0   ? "constant"
                                                                     : j == 1 ? "x1"
                                                                     : j == 2 ? "x2"
                                                                              : "x3");
        }
        json_decref(record);
        specreg_model_free(m);
        specreg_options_free(o);
    }
    CHECK_ARRAY_NEAR(beta[0], beta[1], 4, kit_tolerance(N, 1e3));
    drop(&d);
}

/* A polynomial in two variables is given back, whatever the scale of the columns. */
TEST(features, a_polynomial_is_reproduced_with_its_coefficients)
{
    static const double beta[6] = {5, -1, 0.5, 0.25, -3, 2}; /* 1, a, b, a^2, a*b, b^2 */
    double *X = kit_normal(75, N, 2), y[N];
    for (int i = 0; i < N; i++) {
        double *x = X + 2 * i;
        x[0] = 100 + 10 * x[0];
        y[i] = beta[0] + beta[1] * x[0] + beta[2] * x[1] + beta[3] * x[0] * x[0] +
               beta[4] * x[0] * x[1] + beta[5] * x[1] * x[1];
    }
    specreg_table *t = named_table(ctx, "poly.csv", X, N, 2, y);
    specreg_options *o = options_of(ctx, "features", "poly:degree=2", "select", "none", "kernel",
                                    "rbf:sigma=1", "param", "lambda=1e-6", NULL);
    specreg_model *m = fitted(ctx, t, o);
    check_beta(ctx, m, beta, 6, 1, 1e-9); /* monomials of scaled columns expanded: 1e4 cancels */
    specreg_table *out = predicted(ctx, m, t);
    for (int i = 0; i < N; i++)
        CHECK_NEAR(specreg_table_number(out, i, 0), y[i], kit_tolerance(N, 10));
    specreg_table_free(out);
    specreg_model_free(m);
    specreg_options_free(o);
    specreg_table_free(t);
    free(X);
}

TEST(features, a_constant_added_to_y_moves_the_constant_alone)
{
    data d = make(ctx);
    static const char *const selects[] = {"loo", "gcv", "kfold:k=4"};
    double up[N];
    for (int i = 0; i < N; i++)
        up[i] = d.y[i] + 1000;
    specreg_table *raised = named_table(ctx, "raised.csv", d.X, N, P, up);
    for (int s = 0; s < 3; s++) {
        specreg_options *o =
            options_of(ctx, "features", "constant", "select", selects[s], "param",
                       "lambda=log:1e-6:1:20", "kernel", "rbf:sigma={0.5,1,2}", NULL);
        specreg_model *a = fitted(ctx, d.train, o), *b = fitted(ctx, raised, o);
        json_t *ra = record_of(ctx, a), *rb = record_of(ctx, b);
        CHECK_SAME(number_at(ra, "kernel.sigma"), number_at(rb, "kernel.sigma"));
        CHECK_SAME(number_at(ra, "filter.lambda"), number_at(rb, "filter.lambda"));
        CHECK_NEAR(number_at(ra, "selection.value"), number_at(rb, "selection.value"), 1e-9);
        CHECK_NEAR(number_at(rb, "features.coefficients.0.values.0"),
                   number_at(ra, "features.coefficients.0.values.0") + 1000, 1e-9);
        specreg_table *x = predicted(ctx, a, d.later), *y = predicted(ctx, b, d.later);
        for (int i = 0; i < M; i++)
            CHECK_NEAR(specreg_table_number(y, i, 0), specreg_table_number(x, i, 0) + 1000, 1e-9);
        specreg_table_free(y);
        specreg_table_free(x);
        json_decref(rb);
        json_decref(ra);
        specreg_model_free(b);
        specreg_model_free(a);
        specreg_options_free(o);
    }
    specreg_table_free(raised);
    drop(&d);
}

/* ------------------------------------------------------------------ leaving rows out */

/* The squared errors in `held` of a machine trained on the other rows, by the same call. */
static double refit(specreg_context *ctx, const data *d, const bool *held, const char *filter,
                    const char *param, const char *features)
{
    int64_t in[N], out[N], n = 0, m = 0;
    double sum = 0;
    for (int i = 0; i < N; i++)
        if (held[i])
            out[m++] = i;
        else
            in[n++] = i;
    specreg_table *train, *test;
    CHECK_OK(ctx, specreg_table_select(ctx, d->train, in, n, &train));
    CHECK_OK(ctx, specreg_table_select(ctx, d->train, out, m, &test));
    specreg_options *o = options_of(ctx, FIXED, "select", "none", "filter", filter, "param", param,
                                    "features", features, "engine", "auto", NULL);
    specreg_model *model = fitted(ctx, train, o);
    specreg_table *f = predicted(ctx, model, test);
    for (int64_t i = 0; i < m; i++) {
        const double e = d->y[out[i]] - specreg_table_number(f, i, 0);
        sum += e * e;
    }
    specreg_table_free(f);
    specreg_model_free(model);
    specreg_options_free(o);
    specreg_table_free(test);
    specreg_table_free(train);
    return sum;
}

static double selected(specreg_context *ctx, const data *d, const char *select, const char *filter,
                       const char *param, const char *features, const char *engine)
{
    specreg_options *o = options_of(ctx, FIXED, "select", select, "filter", filter, "param", param,
                                    "features", features, "engine", engine, NULL);
    specreg_model *m = fitted(ctx, d->train, o);
    json_t *record = record_of(ctx, m);
    const double value = number_at(record, "selection.value");
    json_decref(record);
    specreg_model_free(m);
    specreg_options_free(o);
    return value;
}

TEST(features, leave_one_out_is_that_of_refits)
{
    static const char *const engines[] = {"eig", "cholesky", "band"};
    data d = make(ctx);
    double sum = 0;
    for (int i = 0; i < N; i++) { /* n lambda stays what it is */
        bool held[N] = {false};
        held[i] = true;
        char param[64];
        snprintf(param, sizeof param, "lambda=%.17g", 1e-3 * N / (N - 1));
        sum += refit(ctx, &d, held, "tikhonov", param, "constant + columns:x1,x2");
    }
    for (int e = 0; e < 3; e++)
        CHECK_NEAR(selected(ctx, &d, "loo", "tikhonov", "lambda=1e-3", "constant + columns:x1,x2",
                            engines[e]),
                   sum / N, kit_tolerance(N, 1e4));
    drop(&d);
}

/* One row more than features: without a row they meet the others exactly, whatever lambda is. */
TEST(features, leave_one_out_is_right_for_the_smallest_lambda)
{
    enum { ROWS = L + 1 };
    static const char *const engines[] = {"eig", "cholesky", "band"};
    static const double lambdas[] = {1, 1e-3, 1e-6, 1e-9, 1e-11};
    double *X = kit_normal(76, ROWS, 2), *y = kit_normal(77, ROWS, 1), sum = 0;
    specreg_table *t = named_table(ctx, "rows.csv", X, ROWS, 2, y);
    for (int held = 0; held < ROWS; held++) {
        double S[L * L];
        real *b = real_new(L);
        for (int i = 0, r = 0; i < ROWS; i++) {
            if (i == held)
                continue;
            for (int k = 0; k < L; k++)
                S[r * L + k] = k == 0 ? 1 : X[2 * i + k - 1];
            b[r++] = y[i];
        }
        ref_solve(L, 1, S, 0, b);
        const double e = (double)(y[held] - b[0] - X[2 * held] * b[1] - X[2 * held + 1] * b[2]);
        sum += e * e / ROWS;
        free(b);
    }
    for (int e = 0; e < 3; e++)
        for (int k = 0; k < 5; k++) {
            char param[64];
            snprintf(param, sizeof param, "lambda=%g", lambdas[k]);
            specreg_options *o = options_of(ctx, FIXED, TREND, "select", "loo", "param", param,
                                            "engine", engines[e], NULL);
            specreg_model *m = fitted(ctx, t, o);
            json_t *record = record_of(ctx, m);
            CHECK_NEAR(number_at(record, "selection.value"), sum,
                       kit_tolerance(ROWS, 1 / lambdas[k]) * sum);
            json_decref(record);
            specreg_model_free(m);
            specreg_options_free(o);
        }
    specreg_table_free(t);
    free(y);
    free(X);
}

TEST(features, folds_are_those_of_refits_for_every_filter_and_engine)
{
    static const struct {
        const char *filter, *param, *engine[5];
    } CASES[] = {
        {"tikhonov", "lambda=1e-3", {"auto", "eig", "krylov", "band", "cholesky"}},
        {"iterated:order=2", "lambda=1e-2", {"auto", "eig", "krylov", "band", "cholesky"}},
        {"showalter", "lambda=1e-2", {"auto", "eig", "krylov"}},
        {"landweber", "t=60", {"auto", "eig", "krylov", "iterate", "band"}},
        {"nu", "t=20", {"auto", "eig", "krylov", "iterate", "band"}},
        {"tsvd", "components=9", {"auto", "eig"}},
        {"cg", "t=4", {"auto", "krylov", "iterate"}},
    };
    static const char *const features[] = {"constant + columns:x1,x2",
                                           "poly:degree=1,variant=paper"};
    data d = make(ctx);
    FILE *f = fopen(kit_temp("parts.txt"), "w");
    for (int part = 0; part < 3; part++) {
        for (int i = 0; i < N; i++)
            if (i % 3 != part)
                fprintf(f, "%d ", i);
        fprintf(f, "\n");
    }
    fclose(f);
    char select[1024];
    snprintf(select, sizeof select, "splits:%s", kit_temp("parts.txt"));
    for (size_t c = 0; c < 2 * sizeof CASES / sizeof *CASES; c++) {
        double sum = 0;
        const char *filter = CASES[c / 2].filter, *param = CASES[c / 2].param;
        for (int part = 0; part < 3; part++) {
            bool held[N];
            for (int i = 0; i < N; i++)
                held[i] = i % 3 == part;
            sum += refit(ctx, &d, held, filter, param, features[c % 2]);
        }
        for (int e = 0; e < 5 && CASES[c / 2].engine[e]; e++)
            CHECK_NEAR(selected(ctx, &d, select, filter, param, features[c % 2],
                                CASES[c / 2].engine[e]),
                       sum / N, kit_tolerance(N, 1e5));
    }
    drop(&d);
}

/* ------------------------------------------------------------------ several outputs, tasks,
 * fields */

static specreg_table *two_targets(specreg_context *ctx, const data *d)
{
    FILE *f = fopen(kit_temp("two.csv"), "w");
    fprintf(f, "x1,x2,x3,u,v\n");
    for (int i = 0; i < N; i++)
        fprintf(f, "%.17g,%.17g,%.17g,%.17g,%.17g\n", d->X[i * P], d->X[i * P + 1], d->X[i * P + 2],
                d->Y[2 * i], d->Y[2 * i + 1]);
    fclose(f);
    return read_table(ctx, kit_temp("two.csv"));
}

TEST(features, outputs_that_share_a_matrix_have_coefficients_of_their_own)
{
    static const double A[4] = {1, 0.6, 0.6, 1};
    static const char *const outputs[] = {"common:omega=0.6",
                                          "common:omega=0.6 + common:omega=0.6"};
    static const char *const kernels[] = {"rbf:sigma=1.5", "0.5*rbf:sigma=1.5 + 0.5*rbf:sigma=1.5"};
    data d = make(ctx);
    double F[2 * M], beta[2 * L];
    specreg_table *t = two_targets(ctx, &d);
    minimiser(d.X, d.Z, d.Y, 2, A, 1.5, 1e-3, F, beta);
    for (int k = 0; k < 2; k++) { /* rows, which are rotated, and points for one output */
        specreg_options *o = options_of(ctx, ONE, TREND, "target", "u,v", "outputs", outputs[k],
                                        "kernel", kernels[k], NULL);
        specreg_model *m = fitted(ctx, t, o);
        specreg_table *out = predicted(ctx, m, d.later);
        double *got = numbers_of(out);
        CHECK_ARRAY_NEAR(got, F, 2 * M, kit_tolerance(2 * N, 1e3));
        check_beta(ctx, m, beta, L, 2, kit_tolerance(2 * N, 1e3));
        free(got);
        specreg_table_free(out);
        specreg_model_free(m);
        specreg_options_free(o);
    }
    specreg_table_free(t);
    drop(&d);
}

/* Leave-one-out of outputs that share a matrix, from the rotated problem and by refits. */
TEST(features, leave_one_out_of_outputs_that_share_a_matrix_is_that_of_refits)
{
    data d = make(ctx);
    specreg_table *t = two_targets(ctx, &d);
    specreg_options *o =
        options_of(ctx, FIXED, TREND, "target", "u,v", "outputs", "common:omega=0.6", "select",
                   "loo", "param", "lambda=1e-3", NULL);
    specreg_model *m = fitted(ctx, t, o);
    json_t *record = record_of(ctx, m);
    double sum = 0;
    char lambda[64];
    snprintf(lambda, sizeof lambda, "lambda=%.17g", 1e-3 * N / (N - 1));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "select", "none"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "param", lambda));
    for (int i = 0; i < N; i++) {
        int64_t in[N], one = i, n = 0;
        for (int j = 0; j < N; j++)
            if (j != i)
                in[n++] = j;
        specreg_table *train, *test;
        CHECK_OK(ctx, specreg_table_select(ctx, t, in, n, &train));
        CHECK_OK(ctx, specreg_table_select(ctx, t, &one, 1, &test));
        specreg_model *without = fitted(ctx, train, o);
        specreg_table *f = predicted(ctx, without, test);
        for (int k = 0; k < 2; k++) {
            const double e = d.Y[2 * i + k] - specreg_table_number(f, 0, k);
            sum += e * e / 2;
        }
        specreg_table_free(f);
        specreg_model_free(without);
        specreg_table_free(test);
        specreg_table_free(train);
    }
    CHECK_NEAR(number_at(record, "selection.value"), sum / N, kit_tolerance(N, 1e4));
    json_decref(record);
    specreg_model_free(m);
    specreg_options_free(o);
    specreg_table_free(t);
    drop(&d);
}

/* u = 3 + 2 a and v = -1 + b: in some rows without v, of two tasks with u alone, or all of both. */
typedef enum layout { GAPS, TASKS, FIELD, LAYOUTS } layout;

static specreg_table *span_table(specreg_context *ctx, const data *d, layout kind)
{
    FILE *f = fopen(kit_temp("span.csv"), "w");
    fprintf(f, kind == TASKS ? "a,b,task,u\n" : "a,b,u,v\n");
    for (int i = 0; i < N; i++) {
        const double *x = d->X + i * P;
        fprintf(f, "%.17g,%.17g,", x[0], x[1]);
        if (kind == TASKS)
            fprintf(f, "%s,%.17g\n", i % 3 ? "p" : "q", 3 + 2 * x[0]);
        else if (kind == GAPS && i % 7 == 1)
            fprintf(f, "%.17g,NA\n", 3 + 2 * x[0]);
        else
            fprintf(f, "%.17g,%.17g\n", 3 + 2 * x[0], -1 + x[1]);
    }
    fclose(f);
    return read_table(ctx, kit_temp("span.csv"));
}

TEST(features, what_they_explain_is_reproduced_with_missing_targets_tasks_and_fields)
{
    data d = make(ctx);
    for (layout kind = GAPS; kind < LAYOUTS; kind++) {
        specreg_table *t = span_table(ctx, &d, kind);
        specreg_options *o =
            options_of(ctx, "features", "constant + columns:a,b", "select", "none", "param",
                       "lambda=1e-4", "target", kind == TASKS ? "u" : "u,v", "missing-targets",
                       kind == GAPS ? "allow" : "error", "task-column", kind == TASKS ? "task" : "",
                       "outputs", kind == TASKS ? "common:omega=0.5" : "independent", "kernel",
                       kind == FIELD ? "helmholtz:sigma=1,gamma=0.3" : "rbf:sigma=1", NULL);
        specreg_model *m = fitted(ctx, t, o);
        specreg_table *out = predicted(ctx, m, t);
        for (int i = 0; i < N; i++) {
            CHECK_NEAR(specreg_table_number(out, i, 0), 3 + 2 * d.X[i * P], kit_tolerance(N, 10));
            if (kind != TASKS)
                CHECK_NEAR(specreg_table_number(out, i, 1), -1 + d.X[i * P + 1],
                           kit_tolerance(N, 10));
        }
        specreg_table_free(out);
        specreg_model_free(m);
        specreg_options_free(o);
        specreg_table_free(t);
    }
    drop(&d);
}

/* ------------------------------------------------------------------ classes, weights, parts,
 * files */

/* Two classes are a regression on -1 and 1. */
TEST(features, scores_of_classes_are_those_of_the_regression)
{
    data d = make(ctx);
    double y[N];
    for (int i = 0; i < N; i++)
        y[i] = d.y[i] > 40 ? 1 : -1;
    specreg_table *t = named_table(ctx, "classes.csv", d.X, N, P, y);
    specreg_options *o = options_of(ctx, ONE, TREND, "problem", "classification", NULL);
    specreg_model *classes = fitted(ctx, t, o);
    CHECK_OK(ctx, specreg_options_set(ctx, o, "problem", "regression"));
    specreg_model *numbers = fitted(ctx, t, o);
    specreg_table *a = predicted(ctx, classes, d.later), *b = predicted(ctx, numbers, d.later);
    for (int i = 0; i < M; i++)
        CHECK_NEAR(specreg_table_number(a, i, specreg_table_cols(a) - 1),
                   specreg_table_number(b, i, 0), kit_tolerance(N, 10));
    specreg_table_free(b);
    specreg_table_free(a);
    specreg_model_free(numbers);
    specreg_model_free(classes);
    specreg_options_free(o);
    specreg_table_free(t);
    drop(&d);
}

/* Row i stands 1 + i % 3 times, or has that weight. */
TEST(features, a_row_of_weight_2_is_two_rows)
{
    data d = make(ctx);
    FILE *one = fopen(kit_temp("weighted.csv"), "w"), *many = fopen(kit_temp("repeated.csv"), "w");
    fprintf(one, "x1,x2,x3,w,y\n");
    fprintf(many, "x1,x2,x3,y\n");
    for (int i = 0; i < N; i++) {
        const double *x = d.X + i * P;
        fprintf(one, "%.17g,%.17g,%.17g,%d,%.17g\n", x[0], x[1], x[2], 1 + i % 3, d.y[i]);
        for (int k = 0; k <= i % 3; k++)
            fprintf(many, "%.17g,%.17g,%.17g,%.17g\n", x[0], x[1], x[2], d.y[i]);
    }
    fclose(one);
    fclose(many);
    specreg_table *a = read_table(ctx, kit_temp("weighted.csv"));
    specreg_table *b = read_table(ctx, kit_temp("repeated.csv"));
    specreg_options *o = options_of(ctx, ONE, TREND, NULL);
    specreg_model *repeated = fitted(ctx, b, o);
    CHECK_OK(ctx, specreg_options_set(ctx, o, "weights", "w"));
    specreg_model *weighted = fitted(ctx, a, o);
    specreg_table *x = predicted(ctx, weighted, d.later), *y = predicted(ctx, repeated, d.later);
    for (int i = 0; i < M; i++)
        CHECK_NEAR(specreg_table_number(x, i, 0), specreg_table_number(y, i, 0),
                   kit_tolerance(2 * N, 1e3));
    specreg_table_free(y);
    specreg_table_free(x);
    specreg_model_free(weighted);
    specreg_model_free(repeated);
    specreg_options_free(o);
    specreg_table_free(b);
    specreg_table_free(a);
    drop(&d);
}

TEST(features, a_model_read_back_says_the_same_and_its_parts_add_up)
{
    static const char *const features[] = {"poly:degree=2", "constant + columns:x2",
                                           "poly,variant=paper"};
    static const char *const kernels[] = {"rbf:sigma=1.5", "linear", "poly:degree=3"};
    data d = make(ctx);
    specreg_options *parts = options_of(ctx, "parts", "yes", NULL);
    for (int k = 0; k < 3; k++) {
        specreg_options *o = options_of(ctx, "kernel", kernels[k], "select", "kfold:k=3",
                                        "features", features[k], NULL);
        specreg_model *m = fitted(ctx, d.train, o), *again;
        CHECK_OK(ctx, specreg_model_save(ctx, m, kit_temp("f.srm")));
        CHECK_OK(ctx, specreg_model_load(ctx, kit_temp("f.srm"), &again));
        specreg_table *a, *b;
        CHECK_OK(ctx, specreg_predict(ctx, m, d.later, parts, &a));
        CHECK_OK(ctx, specreg_predict(ctx, again, d.later, parts, &b));
        check_same_table(a, b);
        CHECK_STR(specreg_table_name(a, 1), "y:kernel");
        CHECK_STR(specreg_table_name(a, 2), "y:features");
        for (int i = 0; i < M; i++)
            CHECK_NEAR(specreg_table_number(a, i, 0),
                       specreg_table_number(a, i, 1) + specreg_table_number(a, i, 2),
                       kit_tolerance(N, 10));
        specreg_table_free(b);
        specreg_table_free(a);
        specreg_model_free(again);
        specreg_model_free(m);
        specreg_options_free(o);
    }
    specreg_options_free(parts);
    drop(&d);
}

/* A file with the numbers of a column is that column, in fit, predict and cv. */
TEST(features, a_file_of_features_is_like_columns)
{
    data d = make(ctx);
    double one[N], later[M];
    char file[1024], value[1100];
    for (int i = 0; i < N; i++)
        one[i] = d.X[i * P + 1];
    for (int i = 0; i < M; i++)
        later[i] = d.Z[i * P + 1];
    specreg_table_free(named_table(ctx, "f_later.csv", later, M, 1, NULL));
    specreg_table_free(named_table(ctx, "f_train.csv", one, N, 1, NULL));
    snprintf(file, sizeof file, "%s", kit_temp("f_train.csv"));
    snprintf(value, sizeof value, "constant + file:%s", file);
    specreg_options *a = options_of(ctx, FIXED, "features", "constant + columns:x2", NULL);
    specreg_options *b = options_of(ctx, FIXED, "features", value, NULL);
    specreg_options *with = options_of(ctx, "features-file", kit_temp("f_later.csv"), NULL);
    specreg_model *ma = fitted(ctx, d.train, a), *mb = fitted(ctx, d.train, b);
    specreg_table *pa = predicted(ctx, ma, d.later), *pb;
    CHECK_FAILS(ctx, specreg_predict(ctx, mb, d.later, NULL, &pb), SPECREG_E_ARG,
                "--features-file");
    CHECK_FAILS(ctx, specreg_predict(ctx, mb, d.train, with, &pb), SPECREG_E_SHAPE, "15 rows of");
    CHECK_OK(ctx, specreg_predict(ctx, mb, d.later, with, &pb));
    for (int i = 0; i < M; i++)
        CHECK_NEAR(specreg_table_number(pa, i, 0), specreg_table_number(pb, i, 0),
                   kit_tolerance(N, 1e6)); /* lambda is what the search finds */
    char *text_a, *text_b;
    CHECK_OK(ctx, specreg_cv(ctx, d.train, a, &text_a));
    CHECK_OK(ctx, specreg_cv(ctx, d.train, b, &text_b));
    json_t *ca = parsed(text_a), *cb = parsed(text_b);
    CHECK_NEAR(number_at(ca, "mean.mse"), number_at(cb, "mean.mse"), kit_tolerance(N, 1e6));
    json_decref(cb);
    json_decref(ca);
    specreg_table_free(pb);
    specreg_table_free(pa);
    specreg_model_free(mb);
    specreg_model_free(ma);
    specreg_options_free(with);
    specreg_options_free(b);
    specreg_options_free(a);
    drop(&d);
}

/* A LIBSVM file whose rows are kept dense, since they are full, and one that stays sparse:
 * columns are meant by number, and are those of the file. */
TEST(features, columns_of_a_libsvm_file_have_numbers_dense_or_sparse)
{
    data d = make(ctx);
    for (int far = 0; far < 2; far++) {
        FILE *f = fopen(kit_temp("numbered.svm"), "w");
        for (int i = 0; i < N; i++)
            fprintf(f, "%.17g 1:%.17g 2:%.17g 3:%.17g%s\n", 4 * d.X[i * P + 1], d.X[i * P],
                    d.X[i * P + 1], d.X[i * P + 2], far && i == 0 ? " 99:1" : "");
        fclose(f);
        specreg_table *t = read_table(ctx, kit_temp("numbered.svm"));
        specreg_options *o = options_of(ctx, "kernel", "rbf:sigma=1", "select", "none", "param",
                                        "lambda=1e-3", "features", "columns:2", NULL);
        const double slope = 4;
        specreg_model *m = fitted(ctx, t, o);
        check_beta(ctx, m, &slope, 1, 1, kit_tolerance(N, 10));
        CHECK_OK(ctx, specreg_options_set(ctx, o, "features", "columns:2,2"));
        specreg_model *none;
        CHECK_FAILS(ctx, specreg_fit(ctx, t, o, &none), SPECREG_E_ARG, "column '2' is named twice");
        CHECK_OK(ctx, specreg_options_set(ctx, o, "features", "columns:100"));
        CHECK_FAILS(ctx, specreg_fit(ctx, t, o, &none), SPECREG_E_ARG, far ? "1 to 99" : "1 to 3");
        specreg_model_free(m);
        specreg_options_free(o);
        specreg_table_free(t);
    }
    drop(&d);
}
