/* Data that are not nice: rows twice, constants, huge numbers, singular matrices, gaps. */
#include "numeric/models.h"

/* Every row twice is the same problem with the same lambda: K/n has the same spectrum. */
TEST(awkward, duplicated_rows_change_nothing)
{
    double *X = kit_normal(14, N + M, P), *y = smooth_target(X, N, P, 0.2, 15);
    int64_t twice[2 * N];
    for (int64_t i = 0; i < 2 * N; i++)
        twice[i] = i / 2;
    specreg_table *t = table_of(ctx, X, N, P, y, 1), *tt;
    specreg_table *test = table_of(ctx, X + N * P, M, P, NULL, 0);
    CHECK_OK(ctx, specreg_table_select(ctx, t, twice, 2 * N, &tt));
    static const char *const how[][3] = {
        {"tikhonov", "lambda=0.01", "eig"},    {"tikhonov", "lambda=0.01", "cholesky"},
        {"tikhonov", "lambda=0.01", "krylov"}, {"landweber", "t=20", "iterate"},
        {"tsvd", "components=5", "eig"},       {"cg", "t=4", "krylov"},
    };
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        specreg_options *o = options_of(ctx, "kernel", "rbf:sigma=2", "filter", how[i][0], "param",
                                        how[i][1], "engine", how[i][2], NULL);
        double *a = fit_predict(ctx, t, o, test), *b = fit_predict(ctx, tt, o, test);
        CHECK_WORST("every row twice", kit_distance(a, b, M), kit_tolerance(2 * N, 1e3));
        free(b);
        free(a);
        specreg_options_free(o);
    }
    /* and a search over them ends with finite predictions */
    double *f = fit_predict(ctx, tt, NULL, test);
    for (int64_t i = 0; i < M; i++)
        CHECK(isfinite(f[i]));
    free(f);
    specreg_table_free(test);
    specreg_table_free(tt);
    specreg_table_free(t);
    free(y);
    free(X);
}

TEST(awkward, a_constant_column_changes_nothing)
{
    double *X = kit_normal(16, N, P), *y = smooth_target(X, N, P, 0.2, 17), wide[N * (P + 1)];
    for (int64_t i = 0; i < N; i++) {
        wide[i * (P + 1)] = 4.2e7;
        memcpy(wide + i * (P + 1) + 1, X + i * P, P * sizeof *X);
    }
    specreg_table *t = table_of(ctx, X, N, P, y, 1), *w = table_of(ctx, wide, N, P + 1, y, 1);
    static const char *const scales[] = {"standard", "minmax"};
    for (int i = 0; i < 2; i++) {
        specreg_options *o = options_of(ctx, "scale", scales[i], NULL);
        double *a = fit_predict(ctx, t, o, t), *b = fit_predict(ctx, w, o, w);
        for (int64_t k = 0; k < N; k++)
            CHECK_SAME(b[k], a[k]);
        free(b);
        free(a);
        specreg_options_free(o);
    }
    specreg_table_free(w);
    specreg_table_free(t);
    free(y);
    free(X);
}

/* Scaling takes the size away; powers of two do so without rounding. */
TEST(awkward, numbers_of_1e300_and_1e_minus_300_are_scaled_like_any_other)
{
    double *X = kit_normal(18, N, 2), *y = smooth_target(X, N, 2, 0.2, 19), huge[N * 2];
    for (int64_t i = 0; i < N; i++) {
        huge[2 * i] = ldexp(X[2 * i], 996);          /* about 1e300 */
        huge[2 * i + 1] = ldexp(X[2 * i + 1], -996); /* about 1e-300 */
    }
    specreg_table *t = table_of(ctx, X, N, 2, y, 1), *h = table_of(ctx, huge, N, 2, y, 1);
    static const char *const scales[] = {"standard", "minmax"};
    for (int i = 0; i < 2; i++) {
        specreg_options *o = options_of(ctx, "scale", scales[i], "kernel", "rbf:sigma=1", "param",
                                        "lambda=0.01", NULL);
        double *a = fit_predict(ctx, t, o, t), *b = fit_predict(ctx, h, o, h);
        CHECK_WORST("huge and tiny", kit_distance(a, b, N), kit_tolerance(N, 100));
        /* through a file as well: the scaling is kept exactly */
        specreg_model *m = fitted(ctx, h, o), *loaded;
        CHECK_OK(ctx, specreg_model_save(ctx, m, kit_temp("huge.srm")));
        CHECK_OK(ctx, specreg_model_load(ctx, kit_temp("huge.srm"), &loaded));
        specreg_table *p = predicted(ctx, m, h), *q = predicted(ctx, loaded, h);
        check_same_table(p, q);
        specreg_table_free(q);
        specreg_table_free(p);
        specreg_model_free(loaded);
        specreg_model_free(m);
        free(b);
        free(a);
        specreg_options_free(o);
    }
    specreg_table_free(h);
    specreg_table_free(t);
    free(y);
    free(X);
}

/* Targets whose squares leave the range of a double cannot be compared: an error, not a guess. */
TEST(awkward, targets_too_large_or_small_to_square_work_or_are_refused)
{
    double *X = kit_normal(20, N, 2), *y = smooth_target(X, N, 2, 0.2, 21), big[N];
    specreg_table *t = table_of(ctx, X, N, 2, y, 1);
    specreg_options *o =
        options_of(ctx, "kernel", "rbf:sigma=1", "param", "lambda={10,1,0.1,0.01,1e-3}", NULL);
    double *a = fit_predict(ctx, t, o, t);
    static const int powers[] = {-1000, -600, -300, 300, 600, 1000};
    for (int i = 0; i < 6; i++) {
        for (int64_t k = 0; k < N; k++)
            big[k] = ldexp(y[k], powers[i]);
        specreg_table *b = table_of(ctx, X, N, 2, big, 1), *out = NULL;
        specreg_model *model;
        if (specreg_fit(ctx, b, o, &model) != SPECREG_OK) {
            CHECK(abs(powers[i]) > 500);
            CHECK_HAS(specreg_last_error(ctx), "'y'");
            CHECK(!model);
        } else {
            CHECK_OK(ctx, specreg_predict(ctx, model, t, NULL, &out));
            for (int64_t k = 0; k < N; k++)
                CHECK_NEAR(ldexp(specreg_table_number(out, k, 0), -powers[i]), a[k],
                           kit_tolerance(N, 1e4));
        }
        specreg_table_free(out);
        specreg_model_free(model);
        specreg_table_free(b);
    }
    free(a);
    specreg_options_free(o);
    specreg_table_free(t);
    free(y);
    free(X);
}

/* A linear kernel on one column has rank 1: f(x) = w x <x,x> / (<x,x> + n lambda), where
 * w = <x,y> / <x,x>.  Conjugate gradients: the residual's norm is least at w x; that of the error
 * takes one step, to x <y,y> / <x,y>, and has no second one. */
TEST(awkward, a_singular_kernel_matrix_is_no_obstacle)
{
    double *x = kit_normal(22, N, 1), *y = kit_normal(23, N, 1);
    const double xx = inner(x, x, N), xy = inner(x, y, N), yy = inner(y, y, N);
    specreg_table *t = table_of(ctx, x, N, 1, y, 1);
    const struct {
        const char *filter, *param, *engine;
        double slope, cond;
    } how[] = {
        {"tikhonov", "lambda=1e-9", "eig", xy / (xx + N * 1e-9), 1e9},
        {"tikhonov", "lambda=1e-9", "cholesky", xy / (xx + N * 1e-9), 1e9},
        {"tikhonov", "lambda=1e-9", "krylov", xy / (xx + N * 1e-9), 1e9},
        {"tikhonov", "lambda=1e-3", "cholesky", xy / (xx + N * 1e-3), 1e3},
        {"tsvd", "components=1", "eig", xy / xx, 1e2},
        {"tsvd", "components=40", "eig", xy / xx, 1e2},
        {"tsvd", "lambda=1e-18", "eig", xy / xx, 1e2},
        {"cg:norm=residual", "t=2", "krylov", xy / xx, 1e2},
        {"cg:norm=residual", "t=30", "krylov", xy / xx, 1e2},
        {"cg", "t=1", "krylov", yy / xy, 1e2},
        {"cg", "t=30", "krylov", yy / xy, 1e2},
        {"landweber:step=norm", "t=1", "iterate", xy / xx, 1e2},
    };
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        specreg_options *o =
            options_of(ctx, "kernel", "linear", "filter", how[i].filter, "param", how[i].param,
                       "engine", how[i].engine, "scale", "none", NULL);
        double *f = fit_predict(ctx, t, o, t);
        for (int64_t k = 0; k < N; k++)
            CHECK_NEAR(f[k], x[k] * how[i].slope, kit_tolerance(N, how[i].cond));
        free(f);
        specreg_options_free(o);
    }
    specreg_table_free(t);
    free(y);
    free(x);
}

/* All rows alike and at the origin: K = 0.  There is nothing to learn, and nothing to divide by. */
TEST(awkward, a_kernel_matrix_of_zeros_gives_zeros_or_an_error)
{
    double x[N] = {0}, *y = kit_normal(24, N, 1);
    specreg_table *t = table_of(ctx, x, N, 1, y, 1);
    static const char *const how[][2] = {
        {"tikhonov", "lambda=0.1"},
        {"tikhonov", "auto"},
        {"landweber", "t=3"},
        {"landweber:step=norm", "t=3"},
        {"nu", "t=3"},
        {"tsvd", "components=2"},
        {"tsvd", "auto"},
        {"cg", "t=2"},
        {"cg:norm=residual", "t=2"},
        {"iterated", "lambda=1"},
        {"landweber", "auto"},
    };
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        specreg_options *o =
            options_of(ctx, "kernel", "linear", "filter", how[i][0], "param", how[i][1], NULL);
        specreg_model *m;
        if (specreg_fit(ctx, t, o, &m) == SPECREG_OK) {
            specreg_table *out = predicted(ctx, m, t);
            for (int64_t k = 0; k < N; k++)
                CHECK_SAME(specreg_table_number(out, k, 0), 0);
            specreg_table_free(out);
        } else {
            print_message("  %s %s: %s\n", how[i][0], how[i][1], specreg_last_error(ctx));
            CHECK(!m && specreg_last_error(ctx)[0] && !strstr(specreg_last_error(ctx), "memory"));
        }
        specreg_model_free(m);
        specreg_options_free(o);
    }
    char *text;
    specreg_options *o = options_of(ctx, "kernel", "linear", NULL);
    if (specreg_spectrum(ctx, t, o, &text) != SPECREG_OK)
        CHECK(!strstr(specreg_last_error(ctx), "memory"));
    specreg_string_free(text);
    specreg_options_free(o);
    specreg_table_free(t);
    free(y);
}

/* ---------------------------------------------------------------------- missing values */

static const char HOLES[] =
    "a,kind,b,y\n1,u,10,0.5\n2,v,NA,1\n3,,30,2\n,u,40,1.5\n5,v,50,3\n6,u,35,"
    "2.5\n7,v,20,2\n8,u,15,4\n";
#define FIXED "kernel", "rbf:sigma=1.2", "param", "lambda=0.05"

TEST(awkward, missing_values_are_an_error_that_names_the_place)
{
    specreg_table *t = csv(ctx, "holes.csv", HOLES), *out;
    specreg_model *m;
    CHECK_FAILS(ctx, specreg_fit(ctx, t, NULL, &m), SPECREG_E_NUMERIC, "holes.csv:3: column 'b'");
    CHECK_HAS(specreg_last_error(ctx), "missing");
    CHECK(!m);
    specreg_options *o, *strict = options_of(ctx, "missing", "error", NULL);
    for (int i = 0; i < 2; i++) { /* a model does as training did, unless told otherwise */
        o = options_of(ctx, FIXED, "missing", i ? "drop" : "mean", NULL);
        m = fitted(ctx, t, o);
        CHECK_FAILS(ctx, specreg_predict(ctx, m, t, strict, &out), SPECREG_E_NUMERIC,
                    "holes.csv:3: column 'b'");
        CHECK(!out);
        specreg_model_free(m);
        specreg_options_free(o);
    }
    specreg_options_free(strict);
    specreg_table_free(t);
    t = csv(ctx, "gap.csv", "a,y\n1,2\n2,\n3,4\n"); /* a target is never filled in */
    o = options_of(ctx, FIXED, "missing", "mean", NULL);
    CHECK_FAILS(ctx, specreg_fit(ctx, t, o, &m), SPECREG_E_NUMERIC, "gap.csv:3: column 'y'");
    specreg_options_free(o);
    specreg_table_free(t);
}

TEST(awkward, dropping_rows_equals_a_file_without_them)
{
    specreg_table *t = csv(ctx, "holes.csv", HOLES), *out;
    specreg_table *whole =
        csv(ctx, "whole.csv", "a,kind,b,y\n1,u,10,0.5\n5,v,50,3\n6,u,35,2.5\n7,v,20,2\n8,u,15,4\n");
    specreg_options *o = options_of(ctx, FIXED, "missing", "drop", NULL);
    specreg_model *m = fitted(ctx, t, o), *w = fitted(ctx, whole, o);
    json_t *record = record_of(ctx, m);
    CHECK_EQ(number_at(record, "data.n"), 5);
    CHECK_EQ(number_at(record, "data.dropped_rows"), 3);
    json_decref(record);
    specreg_table *a = predicted(ctx, m, whole), *b = predicted(ctx, w, whole);
    check_same_table(a, b);
    for (int told = 0; told < 2; told++) { /* predict drops the same rows */
        CHECK_OK(ctx, specreg_predict(ctx, m, t, told ? o : NULL, &out));
        check_same_table(out, a);
        specreg_table_free(out);
    }
    specreg_table_free(b);
    specreg_table_free(a);
    specreg_model_free(w);
    specreg_model_free(m);
    specreg_options_free(o);
    specreg_table_free(whole);
    specreg_table_free(t);
}

/* A number's gap is its column's mean, which standardizes to 0; a text's gap is the share of each
 * category.  The test encodes by itself. */
TEST(awkward, filling_in_takes_the_training_mean)
{
    enum { ROWS = 8, COLS = 4 };
    const double a[] = {1, 2, 3, NAN, 5, 6, 7, 8}, b[] = {10, NAN, 30, 40, 50, 35, 20, 15};
    const double u[] = {1, 0, 4.0 / 7, 1, 0, 1, 0, 1}; /* of 7 texts 4 are u */
    const double y[] = {0.5, 1, 2, 1.5, 3, 2.5, 2, 4}, sigma = 1.2;
    double X[ROWS * COLS], F[ROWS];
    const double *from[] = {a, b};
    for (int64_t c = 0; c < 2; c++) {
        double count = 0, mean = 0, variance = 0;
        for (int64_t i = 0; i < ROWS; i++)
            if (!isnan(from[c][i])) {
                count++;
                mean += from[c][i];
            }
        mean /= count;
        for (int64_t i = 0; i < ROWS; i++)
            variance += isnan(from[c][i]) ? 0 : pow(from[c][i] - mean, 2) / count;
        for (int64_t i = 0; i < ROWS; i++)
            X[i * COLS + (c ? 3 : 0)] =
                isnan(from[c][i]) ? 0 : (from[c][i] - mean) / sqrt(variance);
    }
    for (int64_t i = 0; i < ROWS; i++) {
        X[i * COLS + 1] = u[i];
        X[i * COLS + 2] = 1 - u[i];
    }
    double *K = gram(k_rbf, &sigma, X, ROWS, X, ROWS, COLS);
    real *alpha = real_new(ROWS);
    train_tikhonov(ROWS, 1, K, y, 0.05, alpha);
    expand(ROWS, ROWS, 1, K, alpha, F);
    specreg_table *t = csv(ctx, "holes.csv", HOLES), *out;
    specreg_options *o = options_of(ctx, FIXED, "missing", "mean", NULL);
    specreg_model *m = fitted(ctx, t, o);
    for (int told = 0; told < 2; told++) { /* the model knows it by itself */
        CHECK_OK(ctx, specreg_predict(ctx, m, t, told ? o : NULL, &out));
        for (int64_t i = 0; i < ROWS; i++)
            CHECK_NEAR(specreg_table_number(out, i, 0), F[i], kit_tolerance(ROWS, 1 + 1 / 0.05));
        specreg_table_free(out);
    }
    specreg_model_free(m);
    specreg_options_free(o);
    specreg_table_free(t);
    free(alpha);
    free(K);
}
