/* A small problem for fewer centres than rows, and its matrices in long double. */
#ifndef APPROX_PROBLEM_H
#define APPROX_PROBLEM_H

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
    double lambda; /* of the definitions below */
} problem;

static inline problem make_problem(bool weighted, bool constant)
{
    problem p = {kit_normal(1, N, P), kit_normal(2, N, T), NULL, constant, LAMBDA};
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

static inline void problem_free(problem *p)
{
    free(p->x);
    free(p->y);
    free(p->w);
}

/* Pairs of option names and values, which end with NULL. */
static inline specreg_options *options_of(specreg_context *ctx, const problem *p,
                                          const char *const *pair)
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

static inline specreg_model *fit(specreg_context *ctx, const problem *p, const char *const *pair)
{
    const specreg_view X = {p->x, N, P, P}, Y = {p->y, N, T, T};
    const specreg_data data = {sizeof data, .X = &X, .Y = &Y, .weights = p->w};
    specreg_options *o = options_of(ctx, p, pair);
    specreg_model *model = NULL;
    CHECK_OK(ctx, specreg_fit_data(ctx, &data, o, &model));
    specreg_options_free(o);
    return model;
}

static inline real kernel(const double *x, const double *z)
{
    real d = 0;
    for (int j = 0; j < P; j++)
        d += ((real)x[j] - z[j]) * ((real)x[j] - z[j]);
    return expl(-d / (2 * (real)SIGMA * SIGMA));
}

/* Gaussian elimination with pivots, b (n x T) in place. */
static inline void solve(int n, real *A, real *b)
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

static inline double number(specreg_context *ctx, const specreg_model *model, const char *keys)
{
    double value;
    CHECK_OK(ctx, specreg_model_number(ctx, model, keys, &value));
    return value;
}

/* The text of --approx with the rows 1, 12, 23, ... as centres. */
static inline const char *listed(const char *kind)
{
    static char text[512];
    char rows[8 * M] = "";
    for (int j = 0; j < M; j++)
        snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "%d\n", 11 * j + 1);
    snprintf(text, sizeof text, "%s:m=%d,centers=file:%s", kind, M,
             kit_temp_file("centres.txt", rows));
    return text;
}

/* K_nm K_mm^-1 K_mn for these rows, N x N. */
static inline void low_rank_matrix(const problem *p, real *K)
{
    real *A = malloc(sizeof *A * M * M), *b = malloc(sizeof *b * M * T);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < M * M; j++)
            A[j] = kernel(p->x + 11 * P * (j / M), p->x + 11 * P * (j % M));
        for (int j = 0; j < M * T; j++)
            b[j] = kernel(p->x + 11 * P * (j / T), p->x + i * P);
        solve(M, A, b);
        for (int k = 0; k < N; k++) {
            K[i * N + k] = 0;
            for (int j = 0; j < M; j++)
                K[i * N + k] += kernel(p->x + k * P, p->x + 11 * P * j) * b[j * T];
        }
    }
    free(A);
    free(b);
}

/* (k_m(x), phi(x)) */
static inline void row_of(const problem *p, const double *z, int m, const double *x, real *out)
{
    for (int j = 0; j < m; j++)
        out[j] = kernel(x, z + j * P);
    if (p->constant)
        out[m] = 1;
}

/* Coefficients of the minimiser of sum w (y - f)^2 + mass lambda |f|^2 over the rows where `train`;
 * `mass` 0: that of these rows. */
static inline void minimise(const problem *p, const double *z, int m, const bool *train, real mass,
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
            A[j * n + k] += (mass > 0 ? mass : own) * p->lambda * kernel(z + j * P, z + k * P);
    solve(n, A, c);
}

static inline real predict(const problem *p, const double *z, int m, const real *c, const double *x,
                           int t)
{
    real row[MOST], f = 0;
    row_of(p, z, m, x, row);
    for (int j = 0; j < m + p->constant; j++)
        f += row[j] * c[j * T + t];
    return f;
}

static inline specreg_view centres_of(specreg_context *ctx, const specreg_model *model)
{
    specreg_view z;
    CHECK_OK(ctx, specreg_model_array(ctx, model, "centres", &z));
    CHECK(z.rows <= M && z.cols == P);
    return z;
}

/* The mean square of held-out errors, each row judged by a fit without the rows of its fold. */
static inline double held_out_mse(const problem *p, const specreg_view *z, const int *fold,
                                  int folds, bool keeps_mass)
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

/* The same for the folds of seed 7, which are hashes of the inputs. */
static inline double kfold_mse(const problem *p, const specreg_view *z)
{
    int fold[N];
    for (int i = 0; i < N; i++)
        fold[i] = (int)(sri_hash(p->x + i * P, P * sizeof *p->x, 7) % FOLDS);
    return held_out_mse(p, z, fold, FOLDS, false);
}

/* The largest error of a model's predictions of new rows x (NEW x P). */
static inline double prediction_error(specreg_context *ctx, const problem *p,
                                      const specreg_model *model, const double *x)
{
    const specreg_view z = centres_of(ctx, model), X = {x, NEW, P, P};
    double worst = 0, F[NEW * T];
    bool all[N];
    real c[MOST * T];
    CHECK_OK(ctx, specreg_predict_array(ctx, model, &X, NULL, F, NEW * T));
    memset(all, 1, sizeof all);
    minimise(p, z.data, (int)z.rows, all, 0, c);
    for (int i = 0; i < NEW * T; i++)
        worst = fmax(worst,
                     fabs(F[i] - (double)predict(p, z.data, (int)z.rows, c, x + i / T * P, i % T)));
    return worst;
}

#endif
