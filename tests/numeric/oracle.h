/* The model layer done again, slowly: kernels by their formulas, training in long double, errors by
 * their definitions.  Over the public header; no code of the library. */
#ifndef TESTS_NUMERIC_ORACLE_H
#define TESTS_NUMERIC_ORACLE_H

#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "conformance/reference.h"
#include "kit/kit.h"

/* ------------------------------------------------------------- calling the library */

/* name, value, name, value, ..., NULL.  Without other values: the form of the papers, one family
 * of kernels without an unpenalised constant, every kernel on all rows; test_defaults.c is about
 * what the library does by itself. */
static inline specreg_options *options_of(specreg_context *ctx, const char *name, ...)
{
    specreg_options *o;
    va_list args;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "features", "none"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "search", "grid"));
    va_start(args, name);
    for (; name; name = va_arg(args, const char *))
        CHECK_OK(ctx, specreg_options_set(ctx, o, name, va_arg(args, const char *)));
    va_end(args);
    return o;
}

static inline json_t *parsed(char *text)
{
    json_error_t error;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!json)
        kit_fail(__FILE__, __LINE__, "not JSON: %s", error.text);
    specreg_string_free(text);
    return json;
}

static inline json_t *record_of(specreg_context *ctx, const specreg_model *model)
{
    char *text;
    CHECK_OK(ctx, specreg_model_record(ctx, model, &text));
    return parsed(text);
}

/* A value deep in a record: "selection.table.0.value". */
static inline json_t *at(const json_t *json, const char *path)
{
    char key[64];
    const json_t *here = json;
    for (const char *s = path; *s; s += *s == '.') {
        const size_t length = strcspn(s, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, s);
        here = json_is_array(here) ? json_array_get(here, (size_t)atoi(key))
                                   : json_object_get(here, key);
        s += length;
    }
    if (!here)
        kit_fail(__FILE__, __LINE__, "the record has no %s", path);
    return (json_t *)here;
}

static inline double number_at(const json_t *json, const char *path)
{
    const json_t *v = at(json, path);
    if (json_is_null(v))
        return NAN;
    if (!json_is_number(v))
        kit_fail(__FILE__, __LINE__, "%s is not a number", path);
    return json_number_value(v);
}

static inline const char *text_at(const json_t *json, const char *path)
{
    const char *text = json_string_value(at(json, path));
    return text ? text : "(not a text)";
}

static inline specreg_table *table_of(specreg_context *ctx, const double *X, int64_t n, int64_t p,
                                      const double *Y, int64_t T)
{
    specreg_table *table;
    const specreg_view x = {X, n, p, p}, y = {Y, n, T, T};
    CHECK_OK(ctx, specreg_table_from_arrays(ctx, &x, NULL, Y ? &y : NULL, NULL, &table));
    return table;
}

/* All numbers of a table, row-major; texts are NaN.  free() them. */
static inline double *numbers_of(const specreg_table *t)
{
    const int64_t rows = specreg_table_rows(t), cols = specreg_table_cols(t);
    double *v = malloc((size_t)(rows * cols + 1) * sizeof *v);
    for (int64_t i = 0; i < rows * cols; i++)
        v[i] = specreg_table_number(t, i / cols, i % cols);
    return v;
}

/* Fits and predicts; rows x outputs numbers.  free() them. */
static inline double *fit_predict(specreg_context *ctx, const specreg_table *train,
                                  const specreg_options *o, const specreg_table *test)
{
    specreg_model *model;
    specreg_table *out;
    CHECK_OK(ctx, specreg_fit(ctx, train, o, &model));
    CHECK_OK(ctx, specreg_predict(ctx, model, test, NULL, &out));
    double *v = numbers_of(out);
    specreg_table_free(out);
    specreg_model_free(model);
    return v;
}

static inline char *file_bytes(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    CHECK(f);
    char *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    CHECK(*size > 100 && *size < 1 << 20);
    return bytes;
}

static inline void check_same_file(const char *a, const char *b)
{
    size_t n, m;
    char *x = file_bytes(a, &n), *y = file_bytes(b, &m);
    CHECK_EQ(n, m);
    CHECK(memcmp(x, y, n) == 0);
    free(y);
    free(x);
}

/* ------------------------------------------------------------------------- kernels */

typedef double kernel_fn(const double *x, const double *z, int64_t p, const double *param);

static inline double dist2(const double *x, const double *z, int64_t p)
{
    double sum = 0;
    for (int64_t j = 0; j < p; j++)
        sum += (x[j] - z[j]) * (x[j] - z[j]);
    return sum;
}

static inline double inner(const double *x, const double *z, int64_t p)
{
    double sum = 0;
    for (int64_t j = 0; j < p; j++)
        sum += x[j] * z[j];
    return sum;
}

static inline double k_rbf(const double *x, const double *z, int64_t p, const double *param)
{
    return exp(-dist2(x, z, p) / (2 * param[0] * param[0]));
}

/* K (m x n) between the rows of X and those of Z.  free() it. */
static inline double *gram(kernel_fn *k, const double *param, const double *X, int64_t m,
                           const double *Z, int64_t n, int64_t p)
{
    double *K = malloc((size_t)(m * n + 1) * sizeof *K);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            K[i * n + j] = k(X + i * p, Z + j * p, p, param);
    return K;
}

/* Column j to mean 0 and (population) deviation 1 over the first n rows; all `rows` are moved. */
static inline void standardize(double *X, int64_t n, int64_t rows, int64_t p, int64_t j)
{
    real mean = 0, variance = 0;
    for (int64_t i = 0; i < n; i++)
        mean += X[i * p + j] / (real)n;
    for (int64_t i = 0; i < n; i++)
        variance += (X[i * p + j] - mean) * (X[i * p + j] - mean) / (real)n;
    for (int64_t i = 0; i < rows; i++)
        X[i * p + j] = (double)((X[i * p + j] - mean) / sqrtl(variance));
}

/* ------------------------------------------------------------------------ training */

/* alpha (n x T) from K (n x n), Y (n x T) and the path's parameter. */
typedef void train_fn(int64_t n, int64_t T, const double *K, const double *Y, double param,
                      real *alpha);

/* (K + n lambda I) alpha = Y */
static inline void train_tikhonov(int64_t n, int64_t T, const double *K, const double *Y,
                                  double lambda, real *alpha)
{
    for (int64_t k = 0; k < n * T; k++)
        alpha[k] = Y[k];
    ref_solve(n, T, K, (real)n * lambda, alpha);
}

typedef struct last_iterate {
    int64_t size;
    real *alpha;
} last_iterate;

static inline void keep_last(void *payload, int64_t step, const real *alpha, const real *residual)
{
    (void)step, (void)residual;
    const last_iterate *last = payload;
    memcpy(last->alpha, alpha, (size_t)last->size * sizeof *alpha);
}

/* Step 1: kernels with k(x,x) = 1. */
static inline void train_landweber(int64_t n, int64_t T, const double *K, const double *Y, double t,
                                   real *alpha)
{
    last_iterate last = {n * T, alpha};
    ref_iterate(n, T, K, Y, 1, ref_nu(0), (int64_t)t, keep_last, &last);
}

static inline void train_nu1(int64_t n, int64_t T, const double *K, const double *Y, double t,
                             real *alpha)
{
    last_iterate last = {n * T, alpha};
    ref_iterate(n, T, K, Y, 1, ref_nu(1), (int64_t)t, keep_last, &last);
}

/* F (m x T) = K (m x n) alpha (n x T) */
static inline void expand(int64_t m, int64_t n, int64_t T, const double *K, const real *alpha,
                          double *F)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t t = 0; t < T; t++) {
            real sum = 0;
            for (int64_t j = 0; j < n; j++)
                sum += (real)K[i * n + j] * alpha[j * T + t];
            F[i * T + t] = (double)sum;
        }
}

/* H = K alpha(I) of a filter that is linear in y: n x n.  free() it. */
static inline double *hat_matrix(train_fn *train, int64_t n, const double *K, double param)
{
    double *I = calloc((size_t)(n * n), sizeof *I), *H = malloc((size_t)(n * n) * sizeof *H);
    real *A = real_new(n * n);
    for (int64_t i = 0; i < n; i++)
        I[i * n + i] = 1;
    train(n, n, K, I, param, A);
    expand(n, n, n, K, A, H);
    free(A);
    free(I);
    return H;
}

/* ------------------------------------------------------------------------- numbers */

/* A smooth function of the first two columns of X with noise in it. */
static inline double *smooth_target(const double *X, int64_t n, int64_t p, double noise,
                                    uint64_t seed)
{
    double *e = kit_normal(seed, n, 1), *y = malloc((size_t)n * sizeof *y);
    for (int64_t i = 0; i < n; i++)
        y[i] = sin(2 * X[i * p]) + 0.5 * X[i * p + (p > 1)] + noise * e[i];
    free(e);
    return y;
}

#endif
