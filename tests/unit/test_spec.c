/* The little language of choices. */
#include "core/spec.h"

#include <math.h>
#include <stdio.h>

#include "kit/kit.h"

TEST(spec, name_keys_and_lists_are_taken_apart)
{
    sri_spec s;
    CHECK_OK(ctx, sri_spec_parse(ctx, "kernel", "rbf: sigma = {1, 2} ,x=log:1:2:3, plain ", &s));
    CHECK_STR(s.name, "rbf");
    CHECK_EQ(s.count, 3);
    CHECK_STR(s.arg[0].key, "sigma");
    CHECK_STR(s.arg[0].value, "{1, 2}");
    CHECK_STR(s.arg[1].key, "x");
    CHECK_STR(s.arg[1].value, "log:1:2:3");
    CHECK(s.arg[2].key == NULL);
    CHECK_STR(s.arg[2].value, "plain");
    sri_spec_free(&s);
    CHECK_OK(ctx, sri_spec_parse(ctx, "param", "lambda=log:1:2:3", &s));
    CHECK_STR(s.name, "");
    CHECK_STR(s.arg[0].key, "lambda");
    CHECK_STR(s.arg[0].value, "log:1:2:3");
    sri_spec_free(&s);
    CHECK_OK(ctx, sri_spec_parse(ctx, "kernel", "linear", &s));
    CHECK_STR(s.name, "linear");
    CHECK_EQ(s.count, 0);
    sri_spec_free(&s);
    CHECK_OK(ctx, sri_spec_parse(ctx, "select", "kfold:5", &s));
    CHECK_STR(s.rest, "5");
    CHECK_STR(s.arg[0].value, "5");
    sri_spec_free(&s);
}

TEST(spec, malformed_choices_say_what_to_write)
{
    sri_spec s;
    CHECK_FAILS(ctx, sri_spec_parse(ctx, "kernel", "rbf:sigma=", &s), SPECREG_E_ARG, "key=value");
    CHECK_FAILS(ctx, sri_spec_parse(ctx, "kernel", "rbf:=1", &s), SPECREG_E_ARG, "key=value");
    CHECK_FAILS(ctx, sri_spec_parse(ctx, "kernel", "rbf:,a=1", &s), SPECREG_E_ARG, "key=value");
    char many[2 * SRI_SPEC_MAX + 4] = "a:1";
    for (int i = 0; i < SRI_SPEC_MAX; i++)
        strcat(many, ",1");
    CHECK_FAILS(ctx, sri_spec_parse(ctx, "x", many, &s), SPECREG_E_ARG, "too many");
    CHECK(s.name == NULL && s.count == 0);
}

static void check_values(specreg_context *ctx, const char *text, const double *expected, int count)
{
    sri_values v;
    CHECK_OK(ctx, sri_values_parse(ctx, "v", text, &v));
    CHECK_EQ(v.count, count);
    for (int i = 0; i < count; i++)
        CHECK_NEAR(v.v[i], expected[i], 8 * 2.2e-16);
    sri_values_free(&v);
}

TEST(spec, lists_and_ranges_give_their_numbers)
{
    check_values(ctx, "0.5", (const double[]){0.5}, 1);
    check_values(ctx, "-2e+3", (const double[]){-2000}, 1);
    check_values(ctx, "{1}", (const double[]){1}, 1);
    check_values(ctx, "{1, 2.5 ,1e+3}", (const double[]){1, 2.5, 1000}, 3);
    check_values(ctx, "log:1:1e-3:4", (const double[]){1, 0.1, 0.01, 0.001}, 4);
    check_values(ctx, "log:2:8:3", (const double[]){2, 4, 8}, 3);
    check_values(ctx, "lin:0:1:5", (const double[]){0, 0.25, 0.5, 0.75, 1}, 5);
    check_values(ctx, "lin:3:9:1", (const double[]){3}, 1);
    check_values(ctx, "3:6", (const double[]){3, 4, 5, 6}, 4);
    check_values(ctx, "-1:1", (const double[]){-1, 0, 1}, 3);
    check_values(ctx, "auto", NULL, 0);
    for (int i = 1; i <= 60; i++) { /* the ends are exact, although exp(log(x)) seldom is */
        char text[64];
        sri_values v;
        snprintf(text, sizeof text, "%s:0.3:%.17g:100", i % 2 ? "log" : "lin", i / 7.0);
        CHECK_OK(ctx, sri_values_parse(ctx, "v", text, &v));
        CHECK_SAME(v.v[0], 0.3);
        CHECK_SAME(v.v[99], i / 7.0);
        sri_values_free(&v);
    }
}

TEST(spec, what_is_no_list_is_refused_by_name)
{
    static const char *const bad[][2] = {
        {"{}", "write a list as {1,2,3}"},
        {"{1,2", "write a list as"},
        {"{1,,2}", "'' is not a number"},
        {"{1,}", "'' is not a number"},
        {"{1}2}", "text after the list"},
        {"{1,x}", "'x' is not a number"},
        {"log:1:2", "from:to:count"},
        {"log:0:1:5", "both ends must be positive"},
        {"log:1:2:0", "whole number"},
        {"lin:1:2:2.5", "whole number"},
        {"log:1:2:3:4", "from:to:count"},
        {"1:2:3", "from:to"},
        {"5:1", "upward"},
        {"1.5:3", "whole numbers"},
        {"0:1000000", "at most"},
        {"lin:0:1:1000001", "from 1 to"},
        {"", "'' is not a number"},
        {"inf", "is not a number"},
        {"nan", "is not a number"},
        {"1 2", "is not a number"},
        {"log:1:inf:3", "from:to:count"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sri_values v;
        CHECK_FAILS(ctx, sri_values_parse(ctx, "kernel rbf: sigma", bad[i][0], &v), SPECREG_E_ARG,
                    bad[i][1]);
        CHECK_HAS(specreg_last_error(ctx), "kernel rbf: sigma");
        CHECK(v.v == NULL && v.count == 0);
    }
}

TEST(spec, sizes_have_units)
{
    static const struct {
        const char *text;
        int64_t bytes;
    } good[] = {{"1", 1},     {"512M", 512LL << 20}, {"8G", 8LL << 30}, {"1.5GiB", 3LL << 29},
                {"2k", 2048}, {"2KB", 2048},         {"1T", 1LL << 40}, {"100B", 100},
                {"0.5K", 512}};
    int64_t bytes;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CHECK_OK(ctx, sri_size_parse(ctx, "memory", good[i].text, &bytes));
        CHECK_EQ(bytes, good[i].bytes);
    }
    static const char *const bad[] = {"",    "G",   "-1G",  "0",  "1X", "1GG",
                                      "8 G", "nan", "1e30", "iB", "B"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_FAILS(ctx, sri_size_parse(ctx, "memory", bad[i], &bytes), SPECREG_E_ARG,
                    "is not a size such as 8G");
}
