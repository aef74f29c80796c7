/* Who wins a choice of parameters, and over which points and by which rule it goes. */
#include "numeric/selection.h"

/* Thresholds between the same two eigenvalues give the same model, to the bit. */
TEST(selection, of_equal_models_the_smoother_one_wins)
{
    problem d = regression(ctx, 20, 1);
    real s[20], Q[400];
    ref_jacobi(d.n, d.K, s, Q);
    const double a = (double)(s[2] + 0.1L * (s[1] - s[2])),
                 b = (double)(s[2] + 0.9L * (s[1] - s[2]));
    char param[128];
    snprintf(param, sizeof param, "lambda={%.17g,%.17g}", a, b);
    specreg_options *o =
        options_of(ctx, KERNEL, "filter", "tsvd", "param", param, "select", "gcv", NULL);
    static const char *const rules[] = {"gcv", "loo", "kfold", "holdout"};
    for (int i = 0; i < 4; i++) {
        specreg_options_set(ctx, o, "select", rules[i]);
        json_t *record = fit_record(ctx, &d, o);
        if (i < 2) /* on the folds the spectrum is another one */
            CHECK_SAME(number_at(record, "selection.table.0.value"),
                       number_at(record, "selection.table.1.value"));
        if (number_at(record, "selection.table.0.value") ==
            number_at(record, "selection.table.1.value"))
            CHECK_SAME(number_at(record, "filter.lambda"), b);
        json_decref(record);
    }
    specreg_options_free(o);
    problem_free(&d);
}

/* All rows alike: every width gives the matrix of ones. */
TEST(selection, of_equal_kernels_the_wider_one_wins)
{
    double x[12] = {0}, *y = kit_normal(5, 12, 1);
    specreg_table *t = table_of(ctx, x, 12, 1, y, 1);
    specreg_model *model;
    static const char *const rules[] = {"loo", "gcv", "kfold"};
    for (int i = 0; i < 3; i++) {
        specreg_options *o = options_of(ctx, "kernel", "rbf:sigma={1,4,2}", "param",
                                        "lambda={0.1,1,10}", "select", rules[i], NULL);
        CHECK_OK(ctx, specreg_fit(ctx, t, o, &model));
        json_t *record = record_of(ctx, model);
        CHECK_SAME(number_at(record, "selection.table.0.value"),
                   number_at(record, "selection.table.3.value"));
        CHECK_SAME(number_at(record, "kernel.sigma"), 4);
        json_decref(record);
        specreg_model_free(model);
        specreg_options_free(o);
    }
    specreg_table_free(t);
    free(y);
}

TEST(selection, equal_error_rates_are_decided_by_the_squared_error)
{
    /* two clouds far apart: every lambda decodes every row correctly */
    enum { N = 16 };
    double *X = kit_normal(6, N, 1), y[N];
    for (int64_t i = 0; i < N; i++) {
        y[i] = i % 2 ? 1 : -1;
        X[i] = 0.3 * X[i] + 5 * y[i];
    }
    specreg_table *t = table_of(ctx, X, N, 1, y, 1);
    specreg_model *model;
    specreg_options *o =
        options_of(ctx, KERNEL, "param", "lambda={1,0.1,1e-3}", "select", "loo", NULL);
    CHECK_OK(ctx, specreg_fit(ctx, t, o, &model));
    json_t *record = record_of(ctx, model);
    problem d = {.n = N, .p = 1, .T = 1, .Y = y, .K = gram(k_rbf, &SIGMA, X, N, X, N, 1)};
    double best = INFINITY, lambda = 0;
    for (int j = 0; j < 3; j++) {
        CHECK_SAME(number_at(json_array_get(at(record, "selection.table"), (size_t)j), "value"), 0);
        const double candidate = j == 0 ? 1 : j == 1 ? 0.1 : 1e-3;
        const answer a = brute_loo(&d, candidate);
        if (a.mse < best) {
            best = a.mse;
            lambda = candidate;
        }
    }
    CHECK(lambda < 1); /* the smoothest would have won a plain tie */
    CHECK_SAME(number_at(record, "filter.lambda"), lambda);
    free(d.K);
    json_decref(record);
    specreg_model_free(model);
    specreg_options_free(o);
    specreg_table_free(t);
    free(X);
}

TEST(selection, none_with_several_values_says_what_to_give)
{
    problem d = regression(ctx, 12, 1);
    specreg_model *model;
    static const char *const bad[][3] = {
        {"rbf:sigma=1", "lambda={1,2}", "tikhonov"},
        {"rbf:sigma={1,2}", "lambda=1", "tikhonov"},
        {"rbf", "lambda=1", "tikhonov"},
        {"rbf:sigma=1", "auto", "tikhonov"},
        {"rbf:sigma=1", "auto", "landweber"},
    };
    for (int i = 0; i < 5; i++) {
        specreg_options *o = options_of(ctx, "kernel", bad[i][0], "param", bad[i][1], "filter",
                                        bad[i][2], "select", "none", NULL);
        CHECK_FAILS(ctx, specreg_fit(ctx, d.table, o, &model), SPECREG_E_ARG,
                    "every parameter must be a single value");
        CHECK_HAS(specreg_last_error(ctx), i == 4 ? "--param t=VALUE" : "--param lambda=VALUE");
        CHECK(!model);
        specreg_options_free(o);
    }
    problem_free(&d);
}

/* Every combination once: kernels outside, the path inside. */
TEST(selection, the_table_is_the_product_of_all_lists)
{
    problem d = regression(ctx, 14, 1);
    static const struct {
        const char *kernel, *param;
        int64_t kernels, points;
    } grids[] = {
        {"rbf:sigma={1,2,4}", "lambda=log:1e-3:1:4", 3, 4},
        {"matern:nu={0.5,1.5,2.5},sigma={1,2}", "lambda={0.1,1}", 6, 2},
        {"poly:degree={1,2},coef0={0,1,2},gamma={0.5,1}", "lambda={0.1,1}", 12, 2},
        {"rbf:sigma={1,2} + 0.5*laplace:sigma={1,2,3}", "lambda=1", 6, 1},
        {"rbf", "lambda=1", 11, 1},
        {"rbf:sigma={2,2}", "lambda={1,1}", 2, 1}, /* a path has each value once */
    };
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
        specreg_options *o = options_of(ctx, "kernel", grids[g].kernel, "param", grids[g].param,
                                        "select", "loo", NULL);
        json_t *record = fit_record(ctx, &d, o);
        const json_t *table = at(record, "selection.table");
        CHECK_EQ(json_array_size(table), grids[g].kernels * grids[g].points);
        for (size_t i = 0; i < json_array_size(table) && g < 5; i++)
            for (size_t j = 0; j < i; j++) {
                const json_t *a = json_array_get(table, i), *b = json_array_get(table, j);
                CHECK(!json_equal(at(a, "kernel"), at(b, "kernel")) ||
                      number_at(a, "lambda") != number_at(b, "lambda"));
            }
        json_t *best = NULL, *row;
        size_t i;
        json_array_foreach (table, i, row)
            if (!best || number_at(row, "value") < number_at(best, "value"))
                best = row;
        CHECK(json_equal(at(record, "kernel"), at(best, "kernel")));
        CHECK_SAME(number_at(record, "filter.lambda"), number_at(best, "lambda"));
        json_decref(record);
        specreg_options_free(o);
    }
    problem_free(&d);
}

/* fit and path say the rule in selection.method, plan in selection. */
static void check_auto(specreg_context *ctx, const specreg_table *t, const char *kernel,
                       const char *filter, const char *param, const char *engine, const char *rule)
{
    specreg_options *o =
        options_of(ctx, "kernel", kernel, "filter", filter, "param", param, "engine", engine, NULL);
    char *text;
    CHECK_OK(ctx, specreg_plan(ctx, t, o, &text));
    json_t *plan = parsed(text);
    CHECK_STR(text_at(plan, "selection"), rule);
    json_decref(plan);
    if (specreg_table_rows(t) < 100) {
        specreg_model *model;
        CHECK_OK(ctx, specreg_fit(ctx, t, o, &model));
        json_t *record = record_of(ctx, model);
        CHECK_STR(text_at(record, "selection.method"), rule);
        json_decref(record);
        specreg_model_free(model);
        CHECK_OK(ctx, specreg_path(ctx, t, NULL, o, &text));
        record = parsed(text);
        CHECK_STR(text_at(record, "selection.method"), rule);
        json_decref(record);
    }
    specreg_options_free(o);
}

TEST(selection, auto_is_none_for_single_values_loo_for_tikhonov_up_to_2000_rows_else_kfold)
{
    problem d = regression(ctx, 20, 1);
    check_auto(ctx, d.table, "rbf:sigma=1", "tikhonov", "lambda=1", "auto", "none");
    check_auto(ctx, d.table, "linear", "landweber", "t=10", "auto", "none");
    check_auto(ctx, d.table, "linear", "tikhonov", "auto", "auto", "loo");
    check_auto(ctx, d.table, "rbf", "tikhonov", "lambda=1", "auto", "loo"); /* widths to compare */
    check_auto(ctx, d.table, "linear", "landweber", "auto", "auto", "kfold");
    check_auto(ctx, d.table, "linear", "tsvd", "auto", "auto", "kfold");
    check_auto(ctx, d.table, "linear", "cg", "auto", "auto", "kfold");
    /* engines that know no leverages */
    check_auto(ctx, d.table, "rbf:sigma=1", "tikhonov", "lambda={0.1,1}", "krylov", "kfold");
    problem_free(&d);
    double *X = kit_normal(1, 2001, 1), *y = smooth_target(X, 2001, 1, 0.1, 2);
    for (int64_t n = 2000; n <= 2001; n++) {
        specreg_table *t = table_of(ctx, X, n, 1, y, 1);
        check_auto(ctx, t, "linear", "tikhonov", "auto", "auto", n == 2000 ? "loo" : "kfold");
        specreg_table_free(t);
    }
    free(y);
    free(X);
}

/* The rule's value stands beside the point it belongs to, also where the folds are too small for
 * the whole of a path that depends on the number of rows. */
TEST(selection, path_and_fit_and_plan_agree_on_the_points)
{
    static const char *const filters[][2] = {{"cg", "auto"},
                                             {"tsvd", "components=auto"},
                                             {"tikhonov", "auto"},
                                             {"landweber", "auto"}};
    problem d = classification(ctx, 43, 2);
    for (int f = 0; f < 4; f++)
        for (int rule = 0; rule < 2; rule++) {
            specreg_options *o =
                options_of(ctx, "kernel", "rbf:sigma={1,2}", "filter", filters[f][0], "param",
                           filters[f][1], "select", rule ? "holdout" : "kfold", NULL);
            char *text;
            json_t *fit = fit_record(ctx, &d, o);
            CHECK_OK(ctx, specreg_path(ctx, d.table, d.table, o, &text));
            json_t *path = parsed(text);
            CHECK_OK(ctx, specreg_plan(ctx, d.table, o, &text));
            json_t *plan = parsed(text);
            const char *name = f == 2 ? "lambda" : f == 1 ? "components" : "t";
            const json_t *a = at(fit, "selection.table"), *b = at(path, "table");
            CHECK_EQ(json_array_size(b), json_array_size(a));
            CHECK_EQ(number_at(plan, "path_points") * number_at(plan, "kernel_candidates"),
                     json_array_size(a));
            for (size_t i = 0; i < json_array_size(a); i++) {
                const json_t *x = json_array_get(a, i), *y = json_array_get(b, i);
                CHECK_SAME(number_at(y, name), number_at(x, name));
                CHECK_SAME(number_at(y, "value"), number_at(x, "value"));
                CHECK(json_equal(at(y, "kernel"), at(x, "kernel")));
                /* the training rows were given as test rows */
                CHECK_NEAR(number_at(y, "test_mse"), number_at(y, "train_mse"), 1e-6);
            }
            json_decref(plan);
            json_decref(path);
            json_decref(fit);
            specreg_options_free(o);
        }
    problem_free(&d);
}
