/* Kernels and filters from elsewhere: precomputed, registered, loaded without; plain arrays. */
#include "numeric/models.h"

TEST(extensions, a_precomputed_kernel_equals_the_kernel_it_was_computed_with)
{
    double *X = kit_normal(24, N + M, P), *y = smooth_target(X, N, P, 0.2, 25);
    const double sigma = 1.7;
    double *K = gram(k_rbf, &sigma, X, N, X, N, P);
    double *Kt = gram(k_rbf, &sigma, X + N * P, M, X, N, P);
    specreg_table *t = table_of(ctx, X, N, P, y, 1), *pt = table_of(ctx, K, N, N, y, 1);
    specreg_table *test = table_of(ctx, X + N * P, M, P, NULL, 0);
    specreg_table *ptest = table_of(ctx, Kt, M, N, NULL, 0);
    static const char *const rules[] = {"loo", "kfold", "holdout", "gcv"};
    for (int i = 0; i < 4; i++) {
        specreg_options *o =
            options_of(ctx, "kernel", "rbf:sigma=1.7", "param", "lambda={1,0.1,0.01,1e-3}", "scale",
                       "none", "select", rules[i], NULL);
        specreg_options *po = options_of(ctx, "kernel", "precomputed", "param",
                                         "lambda={1,0.1,0.01,1e-3}", "select", rules[i], NULL);
        double *a = fit_predict(ctx, t, o, test), *b = fit_predict(ctx, pt, po, ptest);
        CHECK_WORST("precomputed", kit_distance(a, b, M), kit_tolerance(N, 1e3));
        /* and again through a file */
        specreg_model *m = fitted(ctx, pt, po), *loaded;
        CHECK_OK(ctx, specreg_model_save(ctx, m, kit_temp("pre.srm")));
        CHECK_OK(ctx, specreg_model_load(ctx, kit_temp("pre.srm"), &loaded));
        specreg_table *p = predicted(ctx, loaded, ptest);
        for (int64_t k = 0; k < M; k++)
            CHECK_SAME(specreg_table_number(p, k, 0), b[k]);
        specreg_table_free(p);
        specreg_model_free(loaded);
        specreg_model_free(m);
        free(b);
        free(a);
        specreg_options_free(po);
        specreg_options_free(o);
    }
    specreg_options *po = options_of(ctx, "kernel", "precomputed", NULL);
    specreg_model *m;
    CHECK_FAILS(ctx, specreg_fit(ctx, t, po, &m), SPECREG_E_SHAPE, "40 rows, 3 feature columns");
    K[7 * N + 2] += 0.1;
    specreg_table *bad = table_of(ctx, K, N, N, y, 1);
    CHECK_FAILS(ctx, specreg_fit(ctx, bad, po, &m), SPECREG_E_NUMERIC, "row 8, column 3");
    CHECK(!m);
    specreg_table_free(bad);
    specreg_options_free(po);
    specreg_table_free(ptest);
    specreg_table_free(test);
    specreg_table_free(pt);
    specreg_table_free(t);
    free(Kt);
    free(K);
    free(y);
    free(X);
}

static double my_kernel(const double *x, const double *z, int64_t p, const double *params,
                        void *payload)
{
    return pow(params[0] * inner(x, z, p) + *(const double *)payload, params[1]);
}

static double my_filter(double s, double lambda, const double *params, void *payload)
{
    (void)payload;
    return 1 / (s + params[0] * lambda);
}

/* Each part of a cross-validation is the matrix of its rows; also with weights, groups and classes,
 * with a target in front or known by its number. */
TEST(extensions, cross_validation_takes_parts_of_a_precomputed_kernel)
{
    double *X = kit_normal(26, N, P), *y = smooth_target(X, N, P, 0.2, 27), weights[N];
    const double sigma = 1.7;
    double *K = gram(k_rbf, &sigma, X, N, X, N, P);
    const char *labels[N];
    int64_t groups[N];
    for (int i = 0; i < N; i++) {
        weights[i] = 1 + i % 2;
        groups[i] = i / 4;
        labels[i] = y[i] > 0 ? "high" : "low";
    }
    const specreg_view vx = {X, N, P, P}, vk = {K, N, N, N}, vy = {y, N, 1, 1};
    for (int how = 0; how < 3; how++) { /* plain; weights and groups; classes */
        specreg_data data = {.struct_size = sizeof data, .X = &vx};
        specreg_table *t[2];
        double value[2][5];
        data.Y = how == 2 ? NULL : &vy;
        data.labels = how == 2 ? labels : NULL;
        data.weights = how == 1 ? weights : NULL;
        data.groups = how == 1 ? groups : NULL;
        CHECK_OK(ctx, specreg_table_from_data(ctx, &data, &t[0]));
        data.X = &vk;
        CHECK_OK(ctx, specreg_table_from_data(ctx, &data, &t[1]));
        for (int k = 0; k < 2; k++) {
            specreg_options *o =
                options_of(ctx, "kernel", k ? "precomputed" : "rbf:sigma=1.7", "scale", "none",
                           "param", "lambda={1,0.1,0.01}", "target",
                           how == 2   ? "label"
                           : how == 1 ? "y"
                           : k        ? "41"
                                      : "4",
                           "weights", how == 1 ? "weights" : "", "group", how == 1 ? "group" : "",
                           NULL);
            char *text;
            CHECK_OK(ctx, specreg_cv(ctx, t[k], o, &text));
            json_t *record = parsed(text);
            for (int f = 0; f < 5; f++) {
                char path[32];
                snprintf(path, sizeof path, "folds.%d.%s", f, how == 2 ? "error_rate" : "mse");
                value[k][f] = number_at(record, path);
            }
            json_decref(record);
            specreg_options_free(o);
            specreg_table_free(t[k]);
        }
        CHECK_ARRAY_NEAR(value[1], value[0], 5, kit_tolerance(N, 1e2));
    }
    specreg_table *t = table_of(ctx, K, N, N - 1, y, 1);
    specreg_options *o = options_of(ctx, "kernel", "precomputed", NULL);
    char *text;
    CHECK_FAILS(ctx, specreg_cv(ctx, t, o, &text), SPECREG_E_SHAPE, "40 rows, 39 feature columns");
    specreg_options_free(o);
    specreg_table_free(t);
    free(K);
    free(y);
    free(X);
}

static double one = 1;
static const specreg_param_def KERNEL_PARAMS[] = {{"a", 5}, {"b", 2}};
static const specreg_kernel_def MY_KERNEL = {.struct_size = sizeof MY_KERNEL,
                                             .name = "mine",
                                             .eval = my_kernel,
                                             .params = KERNEL_PARAMS,
                                             .n_params = 2,
                                             .payload = &one};
static const specreg_param_def FILTER_PARAMS[] = {{"times", 1}};
static const specreg_filter_def MY_FILTER = {.struct_size = sizeof MY_FILTER,
                                             .name = "soft",
                                             .g = my_filter,
                                             .params = FILTER_PARAMS,
                                             .n_params = 1};

TEST(extensions, kernels_and_filters_of_the_users_own_equal_built_in_ones)
{
    double *X = kit_normal(26, N + M, P), *y = smooth_target(X, N, P, 0.2, 27);
    specreg_table *t = table_of(ctx, X, N, P, y, 1);
    specreg_table *test = table_of(ctx, X + N * P, M, P, NULL, 0);
    CHECK_OK(ctx, specreg_register_kernel(ctx, &MY_KERNEL));
    CHECK_OK(ctx, specreg_register_filter(ctx, &MY_FILTER));
    static const char *const pairs[][2][2] = {
        {{"mine:a=0.5", "tikhonov"}, {"poly:gamma=0.5,degree=2,coef0=1", "tikhonov"}},
        {{"mine:a={0.5,0.1},b={1,2}", "tikhonov"},
         {"poly:gamma={0.5,0.1},degree={1,2},coef0=1", "tikhonov"}},
        {{"0.5*mine:a=0.5 + rbf:sigma=2", "tikhonov"},
         {"0.5*poly:gamma=0.5,degree=2,coef0=1 + rbf:sigma=2", "tikhonov"}},
        {{"rbf:sigma=2", "soft"}, {"rbf:sigma=2", "tikhonov"}},
        {{"mine:a=0.5", "soft"}, {"poly:gamma=0.5,degree=2,coef0=1", "tikhonov"}},
    };
    static const char *const rules[] = {"gcv", "kfold"};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int r = 0; r < 2; r++) {
            double *f[2];
            for (int k = 0; k < 2; k++) {
                specreg_options *o =
                    options_of(ctx, "kernel", pairs[i][k][0], "filter", pairs[i][k][1], "param",
                               "lambda={1,0.1,0.01}", "select", rules[r], NULL);
                f[k] = fit_predict(ctx, t, o, test);
                specreg_options_free(o);
            }
            /* |K/n| is about 10 */
            CHECK_WORST("user's kernels", kit_distance(f[0], f[1], M), kit_tolerance(N, 1e4));
            free(f[1]);
            free(f[0]);
        }
    /* a parameter of the filter: soft with times=10 is tikhonov with ten times the lambda */
    specreg_options *o = options_of(ctx, "kernel", "rbf:sigma=2", "filter", "soft:times=10",
                                    "param", "lambda=0.01", NULL);
    double *a = fit_predict(ctx, t, o, test);
    specreg_options_set(ctx, o, "filter", "tikhonov");
    specreg_options_set(ctx, o, "param", "lambda=0.1");
    double *b = fit_predict(ctx, t, o, test);
    CHECK_WORST("user's filters", kit_distance(a, b, M), kit_tolerance(N, 1e2));
    free(b);
    free(a);
    specreg_options_free(o);
    specreg_table_free(test);
    specreg_table_free(t);
    free(y);
    free(X);
}

TEST(extensions, names_that_are_taken_or_wrong_cannot_be_registered)
{
    specreg_kernel_def k = MY_KERNEL;
    specreg_filter_def g = MY_FILTER;
    k.name = "rbf";
    g.name = "nu";
    CHECK_FAILS(ctx, specreg_register_kernel(ctx, &k), SPECREG_E_ARG, "'rbf' is built in");
    CHECK_FAILS(ctx, specreg_register_filter(ctx, &g), SPECREG_E_ARG, "'nu' is built in");
    k.name = "a b";
    CHECK_EQ(specreg_register_kernel(ctx, &k), SPECREG_E_ARG);
    k.name = "fine";
    k.eval = NULL;
    CHECK_EQ(specreg_register_kernel(ctx, &k), SPECREG_E_ARG);
    k = MY_KERNEL;
    k.struct_size = 8;
    CHECK_EQ(specreg_register_kernel(ctx, &k), SPECREG_E_ARG);
    k = MY_KERNEL;
    k.n_params = 7;
    CHECK_EQ(specreg_register_kernel(ctx, &k), SPECREG_E_ARG);
    CHECK_OK(ctx, specreg_register_kernel(ctx, &MY_KERNEL));
    CHECK_FAILS(ctx, specreg_register_kernel(ctx, &MY_KERNEL), SPECREG_E_ARG, "already");
}

TEST(extensions, a_loaded_model_says_which_kernel_to_register)
{
    double *X = kit_normal(28, N, P), *y = smooth_target(X, N, P, 0.2, 29), array[N];
    static const char *const kernels[] = {"mine:a=0.5,b=3", "mine:b=3 + 0.5*rbf:sigma=1"};
    specreg_table *t = table_of(ctx, X, N, P, y, 1), *out;
    CHECK_OK(ctx, specreg_register_kernel(ctx, &MY_KERNEL));
    CHECK_OK(ctx, specreg_register_filter(ctx, &MY_FILTER));
    for (int i = 0; i < 2; i++) {
        specreg_options *o =
            options_of(ctx, "kernel", kernels[i], "filter", "soft", "param", "lambda=0.1", NULL);
        specreg_model *m = fitted(ctx, t, o), *loaded;
        CHECK_OK(ctx, specreg_model_save(ctx, m, kit_temp("own.srm")));
        specreg_table *expected = predicted(ctx, m, t);
        specreg_context *fresh;
        char *text;
        CHECK_EQ(specreg_context_new(&fresh), SPECREG_OK);
        CHECK_OK(fresh, specreg_model_load(fresh, kit_temp("own.srm"), &loaded));
        CHECK_FAILS(fresh, specreg_predict(fresh, loaded, t, NULL, &out), SPECREG_E_UNAVAILABLE,
                    "'mine'");
        CHECK_HAS(specreg_last_error(fresh), "register");
        CHECK(!out);
        CHECK_FAILS(fresh,
                    specreg_predict_array(fresh, loaded, &(specreg_view){X, N, P, P}, NULL, array,
                                          N),
                    SPECREG_E_UNAVAILABLE, "'mine'");
        CHECK_FAILS(fresh, specreg_evaluate(fresh, loaded, t, NULL, &text), SPECREG_E_UNAVAILABLE,
                    "'mine'");
        CHECK(!text);
        CHECK_OK(fresh, specreg_register_kernel(fresh, &MY_KERNEL));
        specreg_table *got = predicted(fresh, loaded, t); /* the filter is not needed any more */
        check_same_table(got, expected);
        specreg_table_free(got);
        specreg_model_free(loaded);
        specreg_context_free(fresh);
        specreg_table_free(expected);
        specreg_model_free(m);
        specreg_options_free(o);
    }
    specreg_table_free(t);
    free(y);
    free(X);
}

/* ----------------------------------------------------------------------- predict_array */

TEST(extensions, arrays_are_predicted_like_tables)
{
    enum { LD = P + 1 };
    double *X = kit_normal(30, N, LD), *x = malloc(N * P * sizeof *x), y[N];
    for (int64_t i = 0; i < N; i++) {
        memcpy(x + i * P, X + i * LD, P * sizeof *x);
        y[i] = (double)(i % 3);
    }
    const specreg_view view = {X, N, P, LD};
    specreg_table *t = table_of(ctx, x, N, P, y, 1);
    specreg_model *m = fitted(ctx, t, NULL);
    specreg_table *expected = predicted(ctx, m, t);
    double scores[N * 3];
    CHECK_EQ(specreg_model_outputs(m), 3);
    CHECK_EQ(specreg_model_inputs(m), P);
    CHECK_OK(ctx, specreg_predict_array(ctx, m, &view, NULL, scores, N * 3));
    for (int64_t i = 0; i < N * 3; i++)
        CHECK_SAME(scores[i], specreg_table_number(expected, i / 3, 1 + i % 3));
    CHECK_FAILS(ctx,
                specreg_predict_array(ctx, m, &(specreg_view){X, N, P + 1, LD}, NULL, scores,
                                      N * 3),
                SPECREG_E_SHAPE, "4 columns, the model needs 3");
    X[5 * LD + 1] = NAN; /* rows are never dropped: the caller's array has a place for each */
    for (int i = 0; i < 3; i++) {
        static const char *const missing[] = {"error", "drop", "mean"};
        specreg_options *o = options_of(ctx, "missing", missing[i], NULL);
        CHECK_EQ(specreg_predict_array(ctx, m, &view, o, scores, N * 3),
                 i == 2 ? SPECREG_OK : SPECREG_E_NUMERIC);
        specreg_options_free(o);
    }
    double mean = 0;
    for (int64_t i = 0; i < N; i++)
        mean += x[i * P + 1] / N;
    X[5 * LD + 1] = mean;
    double filled[N * 3];
    CHECK_OK(ctx, specreg_predict_array(ctx, m, &view, NULL, filled, N * 3));
    CHECK_ARRAY_NEAR(scores, filled, N * 3, kit_tolerance(N, 1e3));
    specreg_table_free(expected);
    specreg_model_free(m);
    specreg_table_free(t);
    t = flower_table(ctx); /* a text column */
    m = fitted(ctx, t, NULL);
    CHECK_FAILS(ctx, specreg_predict_array(ctx, m, &view, NULL, scores, N * 3), SPECREG_E_SHAPE,
                "'kind'");
    specreg_model_free(m);
    specreg_table_free(t);
    free(x);
    free(X);
}
