/* Models from end to end: what fit keeps, what predict answers, what a file brings back. */
#include "numeric/models.h"

/* -------------------------------------------------------- f(x) = sum alpha_i k(x, x_i) */

/* Columns of very different size. */
static double *uneven_columns(uint64_t seed, int64_t rows)
{
    double *X = kit_normal(seed, rows, P);
    for (int64_t i = 0; i < rows; i++) {
        X[i * P + 1] = 100 * X[i * P + 1] + 1000;
        X[i * P + 2] = 0.01 * X[i * P + 2];
    }
    return X;
}

static double *uneven_target(const double *X, int64_t rows)
{
    double *e = kit_normal(77, rows, 1), *y = malloc((size_t)rows * sizeof *y);
    for (int64_t i = 0; i < rows; i++)
        y[i] = sin(2 * X[i * P]) + (X[i * P + 1] - 1000) / 200 + 0.3 * e[i];
    free(e);
    return y;
}

TEST(model, a_fit_predicts_the_kernel_expansion_of_its_record)
{
    double *X = uneven_columns(1, N + M), *y = uneven_target(X, N), *F = malloc(M * sizeof *F);
    specreg_table *train = named_table(ctx, "a.csv", X, N, P, y);
    specreg_table *test = named_table(ctx, "b.csv", X + N * P, M, P, NULL);
    specreg_options *o = options_of(ctx, "kernel", "rbf", NULL);
    specreg_model *model = fitted(ctx, train, o);
    json_t *record = record_of(ctx, model);
    CHECK_STR(text_at(record, "kernel.name"), "rbf");
    CHECK_STR(text_at(record, "filter.name"), "tikhonov");
    CHECK_STR(text_at(record, "selection.method"), "loo");
    const double sigma = number_at(record, "kernel.sigma");
    const double lambda = number_at(record, "filter.lambda");
    CHECK(lambda > 1e-8); /* there is noise: else the tolerance would say nothing */
    for (int64_t j = 0; j < P; j++)
        standardize(X, N, N + M, P, j);
    double *K = gram(k_rbf, &sigma, X, N, X, N, P);
    double *Kt = gram(k_rbf, &sigma, X + N * P, M, X, N, P);
    real *alpha = real_new(N);
    train_tikhonov(N, 1, K, y, lambda, alpha);
    expand(M, N, 1, Kt, alpha, F);
    specreg_table *out = predicted(ctx, model, test);
    double *got = numbers_of(out);
    CHECK_STR(specreg_table_name(out, 0), "y");
    CHECK_EQ(specreg_table_cols(out), 1);
    CHECK_WORST("kernel expansion", kit_distance(got, F, M), kit_tolerance(N, 1 + 1 / lambda));
    /* and the record's training error is that of these coefficients */
    double *fit = malloc(N * sizeof *fit), mse = 0;
    expand(N, N, 1, K, alpha, fit);
    for (int64_t i = 0; i < N; i++)
        mse += pow(fit[i] - y[i], 2) / N;
    CHECK_NEAR(number_at(record, "train.mse"), mse, kit_tolerance(N, 1 + 1 / lambda));
    free(fit);
    free(got);
    specreg_table_free(out);
    free(alpha);
    free(Kt);
    free(K);
    json_decref(record);
    specreg_options_free(o);
    specreg_model_free(model);
    specreg_table_free(test);
    specreg_table_free(train);
    free(F);
    free(y);
    free(X);
}

/* A text column is one 0/1 column per text, unscaled; minmax scales the number to [0,1]; the
 * classes are -1 and 1 in the order of their labels. */
TEST(model, text_columns_are_one_hot_and_labels_may_be_any_text)
{
    static const char *const colours[] = {"red", "blue", "dark green, \"old\""};
    static const char *const labels[] = {"it's \xc3\xa4, no", "yes: \"really\""};
    enum { ROWS = 24, COLS = 4 };
    double *u = kit_normal(5, ROWS, 2), X[ROWS * COLS], y[ROWS], low = INFINITY, high = -INFINITY;
    FILE *f = fopen(kit_temp("text.csv"), "w");
    fprintf(f, "colour,size,answer\n");
    for (int64_t i = 0; i < ROWS; i++) {
        const int64_t c = i % 3;
        y[i] = u[2 * i] + (double)c - 1 + 0.5 * u[2 * i + 1] > 0 ? 1 : -1;
        const char *colour = c == 2 ? "\"dark green, \"\"old\"\"\"" : colours[c];
        const char *label = y[i] > 0 ? "\"yes: \"\"really\"\"\"" : "\"it's \xc3\xa4, no\"";
        fprintf(f, "%s,%.17g,%s\n", colour, u[2 * i], label);
        for (int64_t k = 0; k < 3; k++) /* sorted: blue, dark green, red */
            X[i * COLS + k] = (c == 0 && k == 2) || (c == 1 && k == 0) || (c == 2 && k == 1);
        low = fmin(low, u[2 * i]);
        high = fmax(high, u[2 * i]);
    }
    fclose(f);
    for (int64_t i = 0; i < ROWS; i++)
        X[i * COLS + 3] = (u[2 * i] - low) / (high - low);
    specreg_table *t = read_table(ctx, kit_temp("text.csv"));
    specreg_options *o =
        options_of(ctx, "kernel", "rbf:sigma=0.7", "param", "lambda=0.01", "scale", "minmax", NULL);
    specreg_model *model = fitted(ctx, t, o);
    specreg_table *out = predicted(ctx, model, t);
    const double sigma = 0.7;
    double *K = gram(k_rbf, &sigma, X, ROWS, X, ROWS, COLS), F[ROWS];
    real *alpha = real_new(ROWS);
    train_tikhonov(ROWS, 1, K, y, 0.01, alpha);
    expand(ROWS, ROWS, 1, K, alpha, F);
    CHECK_EQ(specreg_model_outputs(model), 2);
    CHECK_EQ(specreg_model_inputs(model), 2);
    CHECK_STR(specreg_model_class(model, 0), labels[0]);
    CHECK_STR(specreg_model_class(model, 1), labels[1]);
    CHECK(!specreg_model_class(model, 2) && !specreg_model_class(model, -1));
    CHECK_STR(specreg_table_name(out, 0), "label");
    CHECK_STR(specreg_table_name(out, 1), "score:it's \xc3\xa4, no");
    CHECK_STR(specreg_table_name(out, 2), "score:yes: \"really\"");
    const double tol = kit_tolerance(ROWS, 1 + 1 / 0.01);
    for (int64_t i = 0; i < ROWS; i++) {
        CHECK_NEAR(specreg_table_number(out, i, 2), F[i], tol);
        CHECK_NEAR(specreg_table_number(out, i, 1), -F[i], tol);
        CHECK_STR(specreg_table_text(out, i, 0), labels[F[i] > 0]);
    }
    free(alpha);
    free(K);
    specreg_table_free(out);
    specreg_model_free(model);
    specreg_options_free(o);
    specreg_table_free(t);
    free(u);
}

static double sum_kernel(const double *x, const double *z, int64_t p, const double *param)
{
    return 0.5 * k_rbf(x, z, p, param) + inner(x, z, p) + 0.25 * pow(2 * inner(x, z, p) + 1, 2);
}

TEST(model, sums_of_kernels_are_summed)
{
    double *X = kit_normal(3, N + M, P), *y = smooth_target(X, N, P, 0.2, 4), F[M];
    const double sigma = 1.3;
    specreg_table *train = table_of(ctx, X, N, P, y, 1);
    specreg_table *test = table_of(ctx, X + N * P, M, P, NULL, 0);
    specreg_options *o =
        options_of(ctx, "kernel",
                   "0.5*rbf:sigma=1.3 + linear + 2.5e-1*poly:degree=2,gamma=2,coef0=1", "param",
                   "lambda=0.1", "scale", "none", NULL);
    double *got = fit_predict(ctx, train, o, test);
    double *K = gram(sum_kernel, &sigma, X, N, X, N, P);
    double *Kt = gram(sum_kernel, &sigma, X + N * P, M, X, N, P);
    real *alpha = real_new(N);
    double trace = 0;
    for (int64_t i = 0; i < N; i++)
        trace += K[i * N + i] / N;
    train_tikhonov(N, 1, K, y, 0.1, alpha);
    expand(M, N, 1, Kt, alpha, F);
    CHECK_ARRAY_NEAR(got, F, M, kit_tolerance(N, 1 + trace / 0.1));
    free(alpha);
    free(Kt);
    free(K);
    free(got);
    specreg_options_free(o);
    specreg_table_free(test);
    specreg_table_free(train);
    free(y);
    free(X);
}

/* --------------------------------------------------------------- the same model again */

static const char *const METHODS[][3] = {
    /* filter, param, select */
    {"tikhonov", "auto", "auto"},        {"landweber", "t={3,30}", "kfold"},
    {"tsvd", "components={1,4}", "gcv"}, {"cg", "t=1:5", "holdout"},
    {"nu:nu=2", "t={2,9}", "kfold:k=3"},
};
enum { N_METHODS = sizeof METHODS / sizeof *METHODS };

static specreg_options *method_options(specreg_context *ctx, int i)
{
    return options_of(ctx, "filter", METHODS[i][0], "param", METHODS[i][1], "select", METHODS[i][2],
                      NULL);
}

TEST(model, saved_and_loaded_it_predicts_the_same_bits)
{
    specreg_table *t = flower_table(ctx);
    for (int i = 0; i < N_METHODS; i++) {
        specreg_options *o = method_options(ctx, i);
        specreg_model *model = fitted(ctx, t, o), *loaded;
        specreg_context *fresh;
        CHECK_EQ(specreg_context_new(&fresh), SPECREG_OK);
        CHECK_OK(ctx, specreg_model_save(ctx, model, kit_temp("m.srm")));
        CHECK(specreg_is_model_file(kit_temp("m.srm")));
        CHECK_OK(fresh, specreg_model_load(fresh, kit_temp("m.srm"), &loaded));
        specreg_table *a = predicted(ctx, model, t), *b = predicted(fresh, loaded, t);
        check_same_table(a, b);
        CHECK_EQ(specreg_model_outputs(loaded), 3);
        CHECK_EQ(specreg_model_inputs(loaded), 3);
        for (int64_t c = 0; c < 3; c++)
            CHECK_STR(specreg_model_class(loaded, c), specreg_model_class(model, c));
        /* the record comes back too, but for times, threads and memory */
        json_t *before = record_of(ctx, model), *after = record_of(fresh, loaded);
        json_object_del(before, "seconds");
        json_object_del(before, "threads");
        json_object_del(before, "peak_bytes");
        CHECK(json_equal(before, after));
        /* and a second save is the same file */
        CHECK_OK(fresh, specreg_model_save(fresh, loaded, kit_temp("m2.srm")));
        check_same_file(kit_temp("m.srm"), kit_temp("m2.srm"));
        json_decref(after);
        json_decref(before);
        specreg_table_free(b);
        specreg_table_free(a);
        specreg_model_free(loaded);
        specreg_context_free(fresh);
        specreg_model_free(model);
        specreg_options_free(o);
    }
    specreg_table_free(t);
}

TEST(model, two_fits_write_the_same_bytes)
{
    for (int i = 0; i < N_METHODS; i++) {
        specreg_options *o = method_options(ctx, i);
        for (int k = 0; k < 2; k++) {
            specreg_context *fresh;
            CHECK_EQ(specreg_context_new(&fresh), SPECREG_OK);
            specreg_table *t = flower_table(fresh);
            specreg_model *model = fitted(fresh, t, o);
            CHECK_OK(fresh, specreg_model_save(fresh, model, kit_temp(k ? "b.srm" : "a.srm")));
            specreg_model_free(model);
            specreg_table_free(t);
            specreg_context_free(fresh);
        }
        check_same_file(kit_temp("a.srm"), kit_temp("b.srm"));
        specreg_options_free(o);
    }
}

TEST(model, arrays_equal_a_table_with_the_same_numbers)
{
    enum { T = 2, LDX = P + 2, LDY = T + 3 };
    double *X = kit_normal(6, N, LDX), *Y = kit_normal(7, N, LDY), out[N * T];
    double *x = malloc(N * P * sizeof *x), *y = malloc(N * T * sizeof *y);
    for (int64_t i = 0; i < N; i++) {
        memcpy(x + i * P, X + i * LDX, P * sizeof *x);
        memcpy(y + i * T, Y + i * LDY, T * sizeof *y);
    }
    const specreg_view vx = {X, N, P, LDX}, vy = {Y, N, T, LDY};
    specreg_table *t = table_of(ctx, x, N, P, y, T);
    specreg_model *model;
    for (int i = 0; i < N_METHODS; i++) {
        specreg_options *o = method_options(ctx, i);
        CHECK_OK(ctx, specreg_fit_arrays(ctx, &vx, &vy, o, &model));
        CHECK_OK(ctx, specreg_predict_array(ctx, model, &vx, NULL, out, N * T));
        CHECK_OK(ctx, specreg_options_set(ctx, o, "target", "y1,y2"));
        double *expected = fit_predict(ctx, t, o, t);
        for (int64_t k = 0; k < N * T; k++)
            CHECK_SAME(out[k], expected[k]);
        free(expected);
        specreg_model_free(model);
        specreg_options_free(o);
    }
    CHECK_FAILS(ctx, specreg_fit_arrays(ctx, &vx, &(specreg_view){Y, N - 1, T, LDY}, NULL, &model),
                SPECREG_E_SHAPE, "39");
    CHECK(!model);
    CHECK_EQ(specreg_fit_arrays(ctx, &vx, NULL, NULL, &model), SPECREG_E_ARG);
    CHECK(!model);
    specreg_table_free(t);
    free(y);
    free(x);
    free(Y);
    free(X);
}

TEST(model, columns_in_another_order_give_the_same_bits)
{
    specreg_table *t = flower_table(ctx);
    specreg_model *model = fitted(ctx, t, NULL);
    FILE *f = fopen(kit_temp("moved.csv"), "w");
    fprintf(f, "kind,y,b,a\n");
    for (int64_t i = 0; i < specreg_table_rows(t); i++)
        fprintf(f, "%s,%s,%.17g,%.17g\n", specreg_table_text(t, i, 1), specreg_table_text(t, i, 3),
                specreg_table_number(t, i, 2), specreg_table_number(t, i, 0));
    fclose(f);
    specreg_table *moved = read_table(ctx, kit_temp("moved.csv"));
    specreg_table *a = predicted(ctx, model, t), *b = predicted(ctx, model, moved);
    check_same_table(a, b);
    char *text;
    CHECK_OK(ctx, specreg_evaluate(ctx, model, t, NULL, &text));
    json_t *ea = parsed(text);
    CHECK_OK(ctx, specreg_evaluate(ctx, model, moved, NULL, &text));
    json_t *eb = parsed(text);
    CHECK(json_equal(at(ea, "test"), at(eb, "test")));
    json_decref(eb);
    json_decref(ea);
    specreg_table_free(b);
    specreg_table_free(a);
    specreg_table_free(moved);
    specreg_model_free(model);
    specreg_table_free(t);
}

/* With leave-one-out the winner is the same too; folds would be others. */
TEST(model, the_order_of_training_rows_does_not_matter)
{
    double *X = kit_normal(8, N + M, P), *y = smooth_target(X, N, P, 0.2, 9);
    int64_t order[N];
    for (int64_t i = 0; i < N; i++)
        order[i] = (i * 7 + 3) % N; /* 7 and 40 have no common divisor */
    specreg_table *t = table_of(ctx, X, N, P, y, 1), *moved;
    specreg_table *test = table_of(ctx, X + N * P, M, P, NULL, 0);
    CHECK_OK(ctx, specreg_table_select(ctx, t, order, N, &moved));
    static const char *const how[][3] = {
        {"tikhonov", "lambda={1,0.1,0.01,1e-3}", "loo"},
        {"landweber", "t={5,50}", "gcv"},
        {"tsvd", "components=3", "none"},
        {"cg", "t=3", "none"},
    };
    for (int i = 0; i < 4; i++) {
        specreg_options *o =
            options_of(ctx, "kernel", i < 2 ? "rbf:sigma={1,2,4}" : "rbf:sigma=2", "filter",
                       how[i][0], "param", how[i][1], "select", how[i][2], NULL);
        double *a = fit_predict(ctx, t, o, test), *b = fit_predict(ctx, moved, o, test);
        CHECK_WORST("rows in another order", kit_distance(a, b, M), kit_tolerance(N, 1e3));
        free(b);
        free(a);
        specreg_options_free(o);
    }
    specreg_table_free(moved);
    specreg_table_free(test);
    specreg_table_free(t);
    free(y);
    free(X);
}

TEST(model, several_targets_equal_one_fit_each)
{
    enum { T = 3 };
    double *X = kit_normal(10, N + M, P), *Y = kit_normal(11, N, T);
    specreg_table *all = table_of(ctx, X, N, P, Y, T);
    specreg_table *test = table_of(ctx, X + N * P, M, P, NULL, 0);
    static const char *const how[][3] = {
        {"tikhonov", "lambda=0.01", "eig"},
        {"tikhonov", "lambda=0.01", "cholesky"},
        {"tikhonov", "lambda=0.01", "krylov"},
        {"landweber", "t=20", "iterate"},
        {"nu", "t=8", "krylov"},
        {"cg", "t=4", "krylov"},
        {"tsvd", "components=5", "eig"},
    };
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        specreg_options *o =
            options_of(ctx, "kernel", "rbf:sigma=2", "filter", how[i][0], "param", how[i][1],
                       "engine", how[i][2], "target", "y1,y2,y3", "scale", "none", NULL);
        double *F = fit_predict(ctx, all, o, test);
        for (int64_t k = 0; k < T; k++) {
            double y[N];
            for (int64_t r = 0; r < N; r++)
                y[r] = Y[r * T + k];
            specreg_table *one = table_of(ctx, X, N, P, y, 1);
            CHECK_OK(ctx, specreg_options_set(ctx, o, "target", "y"));
            double *f = fit_predict(ctx, one, o, test), mine[M];
            for (int64_t r = 0; r < M; r++)
                mine[r] = F[r * T + k];
            CHECK_WORST("several targets", kit_distance(mine, f, M), kit_tolerance(N, 1e3));
            free(f);
            specreg_table_free(one);
        }
        free(F);
        specreg_options_free(o);
    }
    specreg_table_free(test);
    specreg_table_free(all);
    free(Y);
    free(X);
}
