/* Fewer centres than rows: predictions are those of the definition, solved densely in long
 * double; scores by folds, by leaving rows out and by the training error are those of refits;
 * every filter is the same as on the matrix K_nm K_mm^-1 K_mn; the model has the same bytes
 * with any number of threads. */
#include <math.h>
#include <stdio.h>

#include "core/digest.h"
#include "kit/kit.h"

typedef long double real;
enum { N = 150, P = 2, T = 2, M = 12, NEW = 20, MOST = M + 4, FOLDS = 4 };
static const double SIGMA = 0.9, LAMBDA = 1e-4;

typedef struct problem {
    double *x, *y, *w; /* w NULL: all 1 */
    bool constant;
} problem;

static problem make_problem(bool weighted, bool constant)
{
    problem p = {kit_normal(1, N, P), kit_normal(2, N, T), NULL, constant};
    for (int i = 0; i < N; i++) {
        p.y[i * T] = sin(2 * p.x[i * P]) + 0.1 * p.y[i * T] + 3;
        p.y[i * T + 1] = p.x[i * P] * p.x[i * P + 1] + 0.1 * p.y[i * T + 1];
    }
    if (weighted) {
        p.w = kit_uniform(3, N, 1);
        for (int i = 0; i < N; i++)
            p.w[i] = 0.2 + 3 * p.w[i];
    }
    return p;
}

static void problem_free(problem *p)
{
    free(p->x);
    free(p->y);
    free(p->w);
}

/* Pairs of option names and values, which end with NULL. */
static specreg_options *options_of(specreg_context *ctx, const problem *p, const char *const *pair)
{
    specreg_options *o = NULL;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "scale", "none"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", "rbf:sigma=0.9"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "param", "lambda=1e-4"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "features", p->constant ? "constant" : "none"));
    for (; *pair; pair += 2)
        CHECK_OK(ctx, specreg_options_set(ctx, o, pair[0], pair[1]));
    return o;
}

static specreg_model *fit(specreg_context *ctx, const problem *p, const char *const *pair)
{
    const specreg_view X = {p->x, N, P, P}, Y = {p->y, N, T, T};
    const specreg_data data = {sizeof data, .X = &X, .Y = &Y, .weights = p->w};
    specreg_options *o = options_of(ctx, p, pair);
    specreg_model *model = NULL;
    CHECK_OK(ctx, specreg_fit_data(ctx, &data, o, &model));
    specreg_options_free(o);
    return model;
}

static real kernel(const double *x, const double *z)
{
    real d = 0;
    for (int j = 0; j < P; j++)
        d += ((real)x[j] - z[j]) * ((real)x[j] - z[j]);
    return expl(-d / (2 * (real)SIGMA * SIGMA));
}

/* (k_m(x), phi(x)) */
static void row_of(const problem *p, const double *z, int m, const double *x, real *out)
{
    for (int j = 0; j < m; j++)
        out[j] = kernel(x, z + j * P);
    if (p->constant)
        out[m] = 1;
}

/* Gaussian elimination with pivots, b (n x T) in place. */
static void solve(int n, real *A, real *b)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            best = fabsl(A[i * n + k]) > fabsl(A[best * n + k]) ? i : best;
        for (int j = 0; j < n; j++) {
            const real t = A[k * n + j];
            A[k * n + j] = A[best * n + j];
            A[best * n + j] = t;
        }
        for (int t = 0; t < T; t++) {
            const real u = b[k * T + t];
            b[k * T + t] = b[best * T + t];
            b[best * T + t] = u;
        }
        for (int i = 0; i < n; i++) {
            const real f = i == k ? 0 : A[i * n + k] / A[k * n + k];
            for (int j = k; j < n && f != 0; j++)
                A[i * n + j] -= f * A[k * n + j];
            for (int t = 0; t < T; t++)
                b[i * T + t] -= f * b[k * T + t];
        }
    }
    for (int i = 0; i < n * T; i++)
        b[i] /= A[i / T * (n + 1)];
}

/* Coefficients of the minimiser of sum w (y - f)^2 + mass lambda |f|^2 over the rows where `train`;
 * `mass` 0: that of these rows. */
static void minimise(const problem *p, const double *z, int m, const bool *train, real mass,
                     real *c)
{
    const int n = m + p->constant;
    real A[MOST * MOST] = {0}, row[MOST], own = 0;
    memset(c, 0, (size_t)(MOST * T) * sizeof *c);
    for (int i = 0; i < N; i++) {
        const real w = p->w ? p->w[i] : 1;
        if (!train[i])
            continue;
        own += w;
        row_of(p, z, m, p->x + i * P, row);
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++)
                A[j * n + k] += w * row[j] * row[k];
            for (int t = 0; t < T; t++)
                c[j * T + t] += w * row[j] * p->y[i * T + t];
        }
    }
    for (int j = 0; j < m; j++)
        for (int k = 0; k < m; k++)
            A[j * n + k] += (mass > 0 ? mass : own) * LAMBDA * kernel(z + j * P, z + k * P);
    solve(n, A, c);
}

static real predict(const problem *p, const double *z, int m, const real *c, const double *x, int t)
{
    real row[MOST], f = 0;
    row_of(p, z, m, x, row);
    for (int j = 0; j < m + p->constant; j++)
        f += row[j] * c[j * T + t];
    return f;
}

static specreg_view centres_of(specreg_context *ctx, const specreg_model *model)
{
    specreg_view z;
    CHECK_OK(ctx, specreg_model_array(ctx, model, "centres", &z));
    CHECK(z.rows <= M && z.cols == P);
    return z;
}

static double number(specreg_context *ctx, const specreg_model *model, const char *keys)
{
    double value;
    CHECK_OK(ctx, specreg_model_number(ctx, model, keys, &value));
    return value;
}

static const char *const RECTANGLE[] = {"approx", "rectangle:m=12", "select", "none", NULL};

TEST(approx, predictions_are_those_of_the_definition)
{
    double *x = kit_normal(9, NEW, P), F[NEW * T];
    for (int which = 0; which < 4; which++) {
        problem p = make_problem(which & 1, which & 2);
        specreg_model *model = fit(ctx, &p, RECTANGLE);
        const specreg_view z = centres_of(ctx, model), X = {x, NEW, P, P};
        bool all[N];
        real c[MOST * T];
        CHECK_OK(ctx, specreg_predict_array(ctx, model, &X, NULL, F, NEW * T));
        memset(all, 1, sizeof all);
        minimise(&p, z.data, (int)z.rows, all, 0, c);
        double worst = 0;
        for (int i = 0; i < NEW * T; i++)
            worst = fmax(worst, fabs(F[i] - (double)predict(&p, z.data, (int)z.rows, c,
                                                            x + i / T * P, i % T)));
        CHECK_WORST("rectangle", worst, kit_tolerance(N, 1e3));
        specreg_model_free(model);
        problem_free(&p);
    }
    free(x);
}

/* The mean square of held-out errors, each row judged by a fit without the rows of its fold. */
static double held_out_mse(const problem *p, const specreg_view *z, const int *fold, int folds,
                           bool keeps_mass)
{
    real sum = 0, mass = 0;
    for (int i = 0; i < N; i++)
        mass += p->w ? p->w[i] : 1;
    for (int f = 0; f < folds; f++) {
        bool train[N];
        real c[MOST * T];
        for (int i = 0; i < N; i++)
            train[i] = fold[i] != f;
        minimise(p, z->data, (int)z->rows, train, keeps_mass ? mass : 0, c);
        for (int k = 0; k < N * T; k++) {
            const real e = p->y[k] - predict(p, z->data, (int)z->rows, c, p->x + k / T * P, k % T);
            sum += train[k / T] ? 0 : (p->w ? p->w[k / T] : 1) * e * e / T;
        }
    }
    return (double)(sum / mass);
}

TEST(approx, folds_are_those_of_refits)
{
    static const char *const pair[] = {"approx",    "rectangle:m=12", "select",
                                       "kfold:k=4", "seed",           "7",
                                       NULL};
    for (int which = 0; which < 4; which++) {
        problem p = make_problem(which & 1, which & 2);
        specreg_model *model = fit(ctx, &p, pair);
        const specreg_view z = centres_of(ctx, model);
        int fold[N];
        for (int i = 0; i < N; i++)
            fold[i] = (int)(sri_hash(p.x + i * P, P * sizeof *p.x, 7) % FOLDS);
        const double expected = held_out_mse(&p, &z, fold, FOLDS, false);
        CHECK_WORST("kfold", fabs(number(ctx, model, "selection.value") - expected) / expected,
                    kit_tolerance(N, 1e2));
        specreg_model_free(model);
        problem_free(&p);
    }
}

TEST(approx, leave_one_out_is_that_of_refits)
{
    static const char *const pair[] = {"approx", "rectangle:m=12", "select", "loo", NULL};
    for (int which = 0; which < 4; which++) {
        problem p = make_problem(which & 1, which & 2);
        specreg_model *model = fit(ctx, &p, pair);
        const specreg_view z = centres_of(ctx, model);
        int fold[N];
        for (int i = 0; i < N; i++)
            fold[i] = i;
        const double expected = held_out_mse(&p, &z, fold, N, true);
        CHECK_WORST("loo", fabs(number(ctx, model, "selection.value") - expected) / expected,
                    kit_tolerance(N, 1e2));
        specreg_model_free(model);
        problem_free(&p);
    }
}

/* Each row's own weight in its prediction, by a fit to an indicator. */
static double trace_of_hat(const problem *p, const specreg_view *z)
{
    problem one = *p;
    real sum = 0, c[MOST * T];
    bool all[N];
    memset(all, 1, sizeof all);
    one.y = calloc(N * T, sizeof *one.y);
    for (int i = 0; i < N; i++) {
        one.y[i * T] = 1;
        minimise(&one, z->data, (int)z->rows, all, 0, c);
        sum += predict(&one, z->data, (int)z->rows, c, p->x + i * P, 0);
        one.y[i * T] = 0;
    }
    free(one.y);
    return (double)sum;
}

TEST(approx, effective_dimension_and_gcv_are_those_of_the_hat_matrix)
{
    static const char *const pair[] = {"approx", "rectangle:m=12", "select", "gcv", NULL};
    problem p = make_problem(false, true);
    specreg_model *model = fit(ctx, &p, pair);
    const specreg_view z = centres_of(ctx, model);
    const double df = trace_of_hat(&p, &z), mse = number(ctx, model, "train.mse");
    CHECK_NEAR(number(ctx, model, "selection.table.0.df"), df, kit_tolerance(N, 1e3));
    CHECK_NEAR(number(ctx, model, "selection.value"), mse / ((1 - df / N) * (1 - df / N)),
               kit_tolerance(N, 1e3));
    specreg_model_free(model);
    problem_free(&p);
}

TEST(approx, as_many_centres_as_rows_are_the_exact_solution)
{
    static const char *const all[] = {"approx", "rectangle:m=150", "select", "none",
                                      "kernel", "rbf:sigma=0.2",   NULL};
    static const char *const exact[] = {"approx", "exact",         "select", "none",
                                        "kernel", "rbf:sigma=0.2", NULL};
    problem p = make_problem(true, true);
    double *x = kit_normal(9, NEW, P), F[NEW * T], G[NEW * T];
    const specreg_view X = {x, NEW, P, P};
    specreg_model *a = fit(ctx, &p, all), *b = fit(ctx, &p, exact);
    CHECK_OK(ctx, specreg_predict_array(ctx, a, &X, NULL, F, NEW * T));
    CHECK_OK(ctx, specreg_predict_array(ctx, b, &X, NULL, G, NEW * T));
    CHECK_WORST("m = n", kit_distance(F, G, NEW * T), 1e-10);
    specreg_model_free(a);
    specreg_model_free(b);
    free(x);
    problem_free(&p);
}
