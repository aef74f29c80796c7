/* Maps of the user's: what outputs see of a row. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit/kit.h"

enum { N = 24, P = 2, T = 3, M = 6 };

/* The delays of the test below, as a map. */
static const double shift[T * P] = {0, 0, 0.3, -0.2, 1, 0.5};

static void shifted(const double *x, int64_t p, int64_t output, double *z, void *payload)
{
    for (int64_t k = 0; k < p; k++)
        z[k] = x[k] + ((const double *)payload)[output * p + k];
}

static specreg_options *options_with(specreg_context *ctx, const char *outputs)
{
    specreg_options *o;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "outputs", outputs));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", "rbf:sigma={0.5,1}"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "scale", "none"));
    return o;
}

static void write_shifts(specreg_context *ctx, const char *path)
{
    char text[256];
    int length = 0;
    for (int t = 0; t < T; t++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%.17g,%.17g\n",
                           shift[t * P], shift[t * P + 1]);
    CHECK_OK(ctx, specreg_text_write(ctx, text, path));
}

TEST(maps, delays_are_one_of_them)
{
    double *x = kit_normal(1, N, P), *y = kit_normal(2, N, T), *later = kit_normal(3, M, P);
    double a[M * T], b[M * T];
    const specreg_view X = {x, N, P, P}, Y = {y, N, T, T}, Later = {later, M, P, P};
    const specreg_map_def def = {sizeof def, "shifted", shifted, (void *)shift, 0};
    specreg_model *by_map, *by_file;
    write_shifts(ctx, "shifts.csv");
    CHECK_OK(ctx, specreg_register_map(ctx, &def));
    specreg_options *o = options_with(ctx, "transform:map=shifted");
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &X, &Y, o, &by_map));
    specreg_options_free(o);
    o = options_with(ctx, "delays:file=shifts.csv");
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &X, &Y, o, &by_file));
    specreg_options_free(o);
    CHECK_OK(ctx, specreg_predict_array(ctx, by_map, &Later, NULL, a, M * T));
    CHECK_OK(ctx, specreg_predict_array(ctx, by_file, &Later, NULL, b, M * T));
    for (int k = 0; k < M * T; k++)
        CHECK_SAME(a[k], b[k]);
    specreg_model_free(by_file);
    specreg_model_free(by_map);
    free(later);
    free(y);
    free(x);
}

/* Angle and radius of a point turned by a quarter for each output: two numbers become three. */
static void turned(const double *x, int64_t p, int64_t output, double *z, void *payload)
{
    (void)payload;
    z[0] = x[output % p];
    z[1] = x[(output + 1) % p];
    z[2] = x[0] * x[0] + x[1] * x[1];
}

/* Predictions by Cholesky's method in long double, of points that were mapped here. */
static void by_hand(const double *x, const double *y, const double *later, double mu, double *f)
{
    enum { ALL = N * T };
    static long double K[ALL][ALL + 1];
    double z[ALL + M * T][3];
    for (int i = 0; i < N + M; i++)
        for (int t = 0; t < T; t++)
            turned(i < N ? x + i * P : later + (i - N) * P, P, t, z[i * T + t], NULL);
#define VALUE(a, b)                                                                            \
    expl(-(powl((long double)z[a][0] - z[b][0], 2) + powl((long double)z[a][1] - z[b][1], 2) + \
           powl((long double)z[a][2] - z[b][2], 2)) /                                          \
         2)
    for (int i = 0; i < ALL; i++) {
        for (int j = 0; j < ALL; j++)
            K[i][j] = VALUE(i, j) + (i == j ? (long double)mu : 0);
        K[i][ALL] = y[i];
    }
    for (int k = 0; k < ALL; k++)
        for (int i = 0; i < ALL; i++) {
            const long double share = K[i][k] / K[k][k];
            for (int j = k; i != k && j <= ALL; j++)
                K[i][j] -= share * K[k][j];
        }
    for (int i = 0; i < M * T; i++) {
        long double sum = 0;
        for (int j = 0; j < ALL; j++)
            sum += VALUE(ALL + i, j) * K[j][ALL] / K[j][j];
        f[i] = (double)sum;
    }
}

TEST(maps, may_make_another_number_of_columns)
{
    double *x = kit_normal(1, N, P), *y = kit_normal(2, N, T), *later = kit_normal(3, M, P);
    double a[M * T], b[M * T], want[M * T];
    const specreg_view X = {x, N, P, P}, Y = {y, N, T, T}, Later = {later, M, P, P};
    specreg_map_def def = {sizeof def, "turned", turned, NULL, 3};
    specreg_model *model, *loaded;
    CHECK_OK(ctx, specreg_register_map(ctx, &def));
    specreg_options *o = options_with(ctx, "transform:map=turned");
    CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", "rbf:sigma=1"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "features", "none"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "param", "lambda=0.01"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "select", "none"));
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &X, &Y, o, &model));
    CHECK_OK(ctx, specreg_predict_array(ctx, model, &Later, NULL, a, M * T));
    by_hand(x, y, later, 0.01 * N, want);
    CHECK_ARRAY_NEAR(a, want, M * T, kit_tolerance(N * T, 1e3));
    CHECK_OK(ctx, specreg_model_save(ctx, model, "turned.srm"));
    CHECK_OK(ctx, specreg_model_load(ctx, "turned.srm", &loaded));
    CHECK_OK(ctx, specreg_predict_array(ctx, loaded, &Later, NULL, b, M * T));
    for (int k = 0; k < M * T; k++)
        CHECK_SAME(a[k], b[k]);
    specreg_model_free(loaded);
    specreg_model_free(model);
    CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", "rbf:sigma=1,columns=1"));
    CHECK_FAILS(ctx, specreg_fit_arrays(ctx, &X, &Y, o, &model), SPECREG_E_ARG,
                "the map of outputs transform makes other columns");
    def.columns = -1;
    CHECK_FAILS(ctx, specreg_register_map(ctx, &def), SPECREG_E_ARG, "a map to -1 columns");
    specreg_options_free(o);
    free(later);
    free(y);
    free(x);
}

/* The mean squared error of rows that `held` marks, by a fit to the other ones; of one split. */
static double refit_error(specreg_context *ctx, const double *x, const double *y, const bool *held,
                          double lambda)
{
    double X[N * P], Y[N * T], f[T], sum = 0;
    int64_t n = 0, count = 0;
    char param[64];
    specreg_model *model;
    for (int i = 0; i < N; i++)
        if (!held[i]) {
            memcpy(X + n * P, x + i * P, P * sizeof *X);
            memcpy(Y + n * T, y + i * T, T * sizeof *Y);
            n++;
        }
    specreg_options *o = options_with(ctx, "transform:map=turned");
    snprintf(param, sizeof param, "lambda=%.17g", lambda);
    CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", "rbf:sigma=1"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "features", "none"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "param", param));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "select", "none"));
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &(specreg_view){X, n, P, P}, &(specreg_view){Y, n, T, T},
                                     o, &model));
    for (int i = 0; i < N; i++)
        if (held[i]) {
            const specreg_view row = {x + i * P, 1, P, P};
            CHECK_OK(ctx, specreg_predict_array(ctx, model, &row, NULL, f, T));
            for (int t = 0; t < T; t++)
                sum += (f[t] - y[i * T + t]) * (f[t] - y[i * T + t]);
            count += T;
        }
    specreg_model_free(model);
    specreg_options_free(o);
    return sum / (double)count;
}

static double selected(specreg_context *ctx, const double *x, const double *y, const char *select)
{
    double value;
    specreg_model *model;
    specreg_options *o = options_with(ctx, "transform:map=turned");
    CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", "rbf:sigma=1"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "features", "none"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "param", "lambda=0.05"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "select", select));
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &(specreg_view){x, N, P, P}, &(specreg_view){y, N, T, T},
                                     o, &model));
    CHECK_OK(ctx, specreg_model_number(ctx, model, "selection.value", &value));
    specreg_model_free(model);
    specreg_options_free(o);
    return value;
}

TEST(maps, leave_one_out_and_splits_are_refits)
{
    double *x = kit_normal(1, N, P), *y = kit_normal(2, N, T), mean = 0;
    char text[256], select[512];
    int length = 0;
    bool held[N] = {false};
    const specreg_map_def def = {sizeof def, "turned", turned, NULL, 3};
    CHECK_OK(ctx, specreg_register_map(ctx, &def));
    for (int i = 0; i < N; i++) {
        held[i] = true; /* a fold of all points of a row, with the lambda of its rows */
        mean += refit_error(ctx, x, y, held, 0.05) / N;
        held[i] = false;
    }
    CHECK_NEAR(selected(ctx, x, y, "loo"), mean, kit_tolerance(N * T, 1e3));
    for (int i = 0; i < N; i++) {
        held[i] = i % 3 == 0;
        if (!held[i])
            length += snprintf(text + length, sizeof text - (size_t)length, "%d ", i);
    }
    CHECK_OK(ctx, specreg_text_write(ctx, text, kit_temp("split.txt")));
    snprintf(select, sizeof select, "splits:%s", kit_temp("split.txt"));
    CHECK_NEAR(selected(ctx, x, y, select), refit_error(ctx, x, y, held, 0.05),
               kit_tolerance(N * T, 1e3));
    free(y);
    free(x);
}

TEST(maps, a_model_needs_its_map_when_it_is_loaded)
{
    double *x = kit_normal(1, N, P), *y = kit_normal(2, N, T), a[N * T], b[N * T];
    const specreg_view X = {x, N, P, P}, Y = {y, N, T, T};
    const specreg_map_def def = {sizeof def, "shifted", shifted, (void *)shift, 0};
    specreg_context *other;
    specreg_model *model, *loaded;
    CHECK_OK(ctx, specreg_register_map(ctx, &def));
    specreg_options *o = options_with(ctx, "transform:map=shifted");
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &X, &Y, o, &model));
    CHECK_OK(ctx, specreg_predict_array(ctx, model, &X, NULL, a, N * T));
    CHECK_OK(ctx, specreg_model_save(ctx, model, "map.srm"));
    CHECK_OK(ctx, specreg_context_new(&other));
    CHECK_FAILS(other, specreg_model_load(other, "map.srm", &loaded), SPECREG_E_UNAVAILABLE,
                "map 'shifted': register it first");
    CHECK_OK(other, specreg_register_map(other, &def));
    CHECK_OK(other, specreg_model_load(other, "map.srm", &loaded));
    CHECK_OK(other, specreg_predict_array(other, loaded, &X, NULL, b, N * T));
    for (int k = 0; k < N * T; k++)
        CHECK_SAME(a[k], b[k]);
    specreg_model_free(loaded);
    specreg_context_free(other);
    specreg_model_free(model);
    specreg_options_free(o);
    free(y);
    free(x);
}

TEST(maps, what_is_wrong_is_said)
{
    double *x = kit_normal(1, N, P), *y = kit_normal(2, N, T);
    const specreg_view X = {x, N, P, P}, Y = {y, N, T, T};
    specreg_map_def def = {sizeof def, "shifted", NULL, NULL, 0};
    specreg_model *model;
    CHECK_FAILS(ctx, specreg_register_map(ctx, &def), SPECREG_E_ARG,
                "without struct_size or apply");
    specreg_options *o = options_with(ctx, "transform:map=nowhere");
    CHECK_FAILS(ctx, specreg_fit_arrays(ctx, &X, &Y, o, &model), SPECREG_E_ARG,
                "there is no map 'nowhere'");
    specreg_options_free(o);
    o = options_with(ctx, "transform");
    CHECK_FAILS(ctx, specreg_fit_arrays(ctx, &X, &Y, o, &model), SPECREG_E_ARG, "give the map");
    specreg_options_free(o);
    free(y);
    free(x);
}
