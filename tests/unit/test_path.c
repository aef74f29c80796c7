/* The values a path runs over. */
#include <math.h>

#include "filter/filter.h"
#include "kit/kit.h"

static sri_filter parse(specreg_context *ctx, const char *text)
{
    sri_filter f;
    CHECK_OK(ctx, sri_filter_parse(ctx, text, &f));
    return f;
}

static void check_path(specreg_context *ctx, const char *filter, const char *text,
                       sri_path_kind kind, const double *expected, int count)
{
    sri_filter f = parse(ctx, filter);
    sri_values v;
    bool is_auto;
    CHECK_OK(ctx, sri_path_parse(ctx, &f, text, &v, &is_auto));
    CHECK_EQ(f.path, kind);
    CHECK_EQ(is_auto, count == 0);
    CHECK_EQ(v.count, count);
    for (int i = 0; i < count; i++)
        CHECK_NEAR(v.v[i], expected[i], 1e-14);
    sri_values_free(&v);
}

TEST(path, values_run_from_smooth_to_rough_each_once)
{
    check_path(ctx, "tikhonov", "lambda={0.1,1,0.1,0.01}", SRI_PATH_LAMBDA,
               (const double[]){1, 0.1, 0.01}, 3);
    check_path(ctx, "nu", "t={5,1,5,2}", SRI_PATH_T, (const double[]){1, 2, 5}, 3);
    check_path(ctx, "nu", "t=1:4", SRI_PATH_T, (const double[]){1, 2, 3, 4}, 4);
    check_path(ctx, "tsvd", "lambda=log:1e-2:1:3", SRI_PATH_LAMBDA, (const double[]){1, 0.1, 0.01},
               3);
    check_path(ctx, "tsvd", "components={7,3}", SRI_PATH_COMPONENTS, (const double[]){3, 7}, 2);
    check_path(ctx, "tikhonov", "auto", SRI_PATH_LAMBDA, NULL, 0);
    check_path(ctx, "tsvd", "components=auto", SRI_PATH_COMPONENTS, NULL, 0);
    check_path(ctx, "iterated:lambda=0.1", "order={9,1,3}", SRI_PATH_ORDER,
               (const double[]){1, 3, 9}, 3);
    check_path(ctx, "iterated:lambda=0.1", "order=auto", SRI_PATH_ORDER, NULL, 0);
}

TEST(path, mistakes_are_named)
{
    static const char *const bad[][3] = {
        {"tikhonov", "t=5", "filter tikhonov has lambda, not t"},
        {"nu", "lambda=5", "filter nu has t, not lambda"},
        {"tsvd", "t=5", "filter tsvd has lambda or components, not t"},
        {"tikhonov", "0.1", "write lambda=VALUES"},
        {"tikhonov", "lambda=0", "lambda must be greater than 0, not 0"},
        {"tikhonov", "lambda={1,-1}", "lambda must be greater than 0, not -1"},
        {"nu", "t=0", "t must be a whole number of at least 1, not 0"},
        {"nu", "t=1.5", "whole number of at least 1, not 1.5"},
        {"nu", "t=1e10", "t "},
        {"tikhonov", "lambda={}", "write a list"},
        {"tikhonov", "order=2", "filter tikhonov has lambda, not order"},
        {"iterated", "t=2", "filter iterated has lambda or order, not t"},
        {"iterated", "order=1:5", "--filter iterated:lambda=VALUE"},
        {"iterated:lambda=0.1", "lambda=1", "lambda goes with --param order=VALUES"},
        {"iterated:lambda=0.1", "auto", "lambda goes with --param order=VALUES"},
        {"iterated:lambda=0.1", "order=1.5", "order must be a whole number of at least 1, not 1.5"},
        {"tikhonov", "lambda=1,lambda=2", "write lambda=VALUES"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sri_filter f = parse(ctx, bad[i][0]);
        sri_values v;
        bool is_auto;
        CHECK_FAILS(ctx, sri_path_parse(ctx, &f, bad[i][1], &v, &is_auto), SPECREG_E_ARG,
                    bad[i][2]);
        CHECK(v.v == NULL);
    }
}

TEST(path, automatic_paths_are_sorted_without_repetitions_and_in_range)
{
    static const struct {
        const char *filter;
        double least, most; /* ends, for n = 30 and kappa^2 = 4 */
    } cases[] = {{"tikhonov", 4e-10, 4},          {"showalter", 4e-10, 4}, {"landweber", 1, 1e5},
                 {"landweber:theta=0.5", 1, 1e5}, {"nu", 1, 1e3},          {"nesterov", 1, 1e3},
                 {"heavyball", 1, 1e4},           {"chebyshev", 1, 1e4},   {"cg", 1, 30}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sri_filter f = parse(ctx, cases[i].filter);
        sri_values v;
        CHECK_OK(ctx, sri_path_auto(ctx, &f, 30, 4, &v));
        const bool falls = f.path == SRI_PATH_LAMBDA;
        CHECK_NEAR(v.v[0] / (falls ? cases[i].most : cases[i].least), 1, 1e-12);
        CHECK_NEAR(v.v[v.count - 1] / (falls ? cases[i].least : cases[i].most), 1, 1e-12);
        for (int64_t k = 1; k < v.count; k++)
            CHECK(falls ? v.v[k] < v.v[k - 1] : v.v[k] > v.v[k - 1] && v.v[k] == floor(v.v[k]));
        sri_values_free(&v);
    }
    sri_filter f = parse(ctx, "tsvd");
    f.path = SRI_PATH_COMPONENTS;
    for (int64_t n = 1; n <= 100; n += 33) {
        sri_values v;
        CHECK_OK(ctx, sri_path_auto(ctx, &f, n, 4, &v));
        CHECK_EQ(v.v[v.count - 1], n);
        CHECK_EQ(v.v[0], 1);
        sri_values_free(&v);
    }
}
