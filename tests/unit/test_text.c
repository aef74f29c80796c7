/* Numbers as text: the C library's strtod and printf are the other opinion (in the "C" locale). */
#include <math.h>
#include <stdio.h>

#include "core/rng.h"
#include "core/text.h"
#include "kit/kit.h"

static void check_parse(const char *text)
{
    double got;
    if (!sri_parse_double(text, strlen(text), &got))
        kit_fail(__FILE__, __LINE__, "'%s' is refused", text);
    const double expected = strtod(text, NULL);
    if (memcmp(&got, &expected, sizeof got) != 0)
        kit_fail(__FILE__, __LINE__, "'%s' is read as %.17g, strtod gives %.17g", text, got,
                 expected);
}

static double double_of_bits(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

TEST(text, random_doubles_are_read_as_strtod_reads_them)
{
    sri_rng rng = sri_rng_make(1, SRI_STREAM_TEST);
    char text[64];
    for (int i = 0; i < 300000; i++) { /* any bits: exponents across the range */
        const double v = double_of_bits(sri_rng_next(&rng));
        if (!isfinite(v))
            continue;
        snprintf(text, sizeof text, "%.*e", i % 17, v);
        check_parse(text);
    }
    for (int i = 0; i < 700000; i++) { /* numbers as people write them, 1 to 17 digits */
        const double v = (sri_rng_uniform(&rng) - 0.5) * pow(10, (double)(i % 41) - 20);
        snprintf(text, sizeof text, "%.*g", 1 + i % 17, v);
        check_parse(text);
        if (i % 4 == 0) {
            snprintf(text, sizeof text, "%.*f", i % 13, v);
            check_parse(text);
        }
    }
    for (int i = 0; i < 200000; i++) { /* 19 digits anywhere around the ends of the fast way */
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)sri_rng_next(&rng) / (i % 3 + 1),
                 (int)sri_rng_below(&rng, 70) - 35);
        check_parse(text);
    }
}

/* A double and its neighbour; the decimal of exactly half way goes to the even one. */
TEST(text, half_way_cases_go_to_even)
{
    sri_rng rng = sri_rng_make(2, SRI_STREAM_TEST);
    char text[1200];
    for (int i = 0; i < 20000; i++) {
        const double v =
            ldexp((double)(sri_rng_next(&rng) >> 11), (int)sri_rng_below(&rng, 80) - 70);
        const long double half = ((long double)v + (long double)nextafter(v, INFINITY)) / 2;
        snprintf(text, sizeof text, "%.*Lf", 130, half); /* exact: at most 71 binary places */
        check_parse(text);
        for (size_t k = strlen(text); text[k - 1] == '0'; k--) /* shorter, the same number */
            text[k - 1] = '\0';
        check_parse(text);
        strcat(text, "1"); /* just above */
        check_parse(text);
    }
    check_parse("9007199254740993"); /* 2^53 + 1 */
    check_parse("9007199254740993.0000");
    check_parse("9007199254740993.00000000000000000000000001");
    check_parse("9007199254740995");
    check_parse("0.5000000000000000277555756156289135105907917022705078125"); /* 0.5 + 2^-55 */
}

TEST(text, odd_but_valid_forms_are_read)
{
    static const char *const forms[] = {"0",
                                        "-0",
                                        "+0.0",
                                        "-0.0e5",
                                        "00000000000000000000000000000001",
                                        "007.50",
                                        ".5",
                                        "5.",
                                        "-.5e1",
                                        "+5.e-1",
                                        "1e0",
                                        "1E+05",
                                        "1e-05",
                                        "0.000000000000000000000000000000000000000000001",
                                        "123456789012345678901234567890",
                                        "0.1234567890123456789012345678901234567890",
                                        "99999999999999999999999999e-20",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "1e308",
                                        "1.7976931348623157e308",
                                        "1.7976931348623159e308",
                                        "1e309",
                                        "-1e400",
                                        "4.9406564584124654e-324",
                                        "2.4703282292062327e-324",
                                        "2.4703282292062328e-324",
                                        "1e-400",
                                        "2.2250738585072011e-308",
                                        "2.2250738585072014e-308",
                                        "0e999999999",
                                        "1e999999999",
                                        "1e-999999999",
                                        "10000000000000000000000e-22"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        check_parse(forms[i]);
    char *digits = malloc(5001); /* thousands of digits */
    memset(digits, '3', 5000);
    digits[5000] = '\0';
    digits[1] = '.';
    check_parse(digits);
    memset(digits, '0', 4990);
    digits[1] = '.';
    check_parse(digits);
    double v;
    CHECK(sri_parse_double("1.5,rest", 3, &v) && v == 1.5); /* the length counts, not the NUL */
    CHECK(sri_parse_double("InF", 3, &v) && v == INFINITY);
    CHECK(sri_parse_double("-infinity", 9, &v) && v == -INFINITY);
    CHECK(sri_parse_double("NaN", 3, &v) && isnan(v));
    free(digits);
}

TEST(text, what_is_not_a_number_is_refused)
{
    static const char *const forms[] = {"",     " ",       "+",      "-",     ".",
                                        "e5",   "-.e1",    "1e",     "1e+",   "1e-",
                                        "1ee5", "1.2.3",   "1,5",    " 1",    "1 ",
                                        "0x10", "1f",      "1e5.0",  "--1",   "+-1",
                                        "in",   "infinit", "nan(1)", "1_000", "\xd9\xa1"};
    double v;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (sri_parse_double(forms[i], strlen(forms[i]), &v))
            kit_fail(__FILE__, __LINE__, "'%s' is read as %g", forms[i], v);
    CHECK(!sri_parse_double("1\0002", 3, &v));
}

TEST(text, powers_of_ten_scale_as_long_double_says)
{
    sri_rng rng = sri_rng_make(3, SRI_STREAM_TEST);
    char text[64];
    for (int i = 0; i < 100000; i++) {
        const uint64_t w = sri_rng_next(&rng) >> (i % 64);
        const int e = (int)sri_rng_below(&rng, 2 * SRI_SCALE_MAX + 1) - SRI_SCALE_MAX;
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)w, e);
        CHECK_SAME(sri_scale_ten(w, e), strtod(text, NULL));
    }
}

/* Shortest: no fewer significant digits would do, but that whole numbers of up to 17 digits are
 * written in full, which takes no more letters. */
static void check_format(double v)
{
    char text[32], longest[40];
    double back;
    CHECK(sri_format_double(v, text) == text);
    CHECK(sri_parse_double(text, strlen(text), &back));
    CHECK_SAME(back, v);
    snprintf(longest, sizeof longest, "%.17g", v);
    if (strlen(text) > strlen(longest))
        kit_fail(__FILE__, __LINE__, "'%s' is longer than '%s'", text, longest);
    int digits = 0, zeros = 0; /* significant ones, trailing zeros not */
    for (const char *c = text; *c && *c != 'e'; c++)
        if (*c >= '0' && *c <= '9' && (digits || zeros || *c != '0')) {
            zeros = *c == '0' ? zeros + 1 : 0;
            if (*c != '0')
                digits += 1;
        }
    for (int d = 1; d < 17; d++) { /* the first precision that reads back bounds the length */
        snprintf(longest, sizeof longest, "%.*e", d - 1, v);
        if (strtod(longest, NULL) == v) {
            CHECK(digits <= d || (v == floor(v) && fabs(v) < 1e17));
            break;
        }
    }
}

TEST(text, written_doubles_read_back_in_every_bit)
{
    sri_rng rng = sri_rng_make(4, SRI_STREAM_TEST);
    for (int i = 0; i < 100000; i++) {
        const double v = double_of_bits(sri_rng_next(&rng));
        if (isfinite(v))
            check_format(v);
        check_format(floor(1e6 * sri_rng_uniform(&rng)) / 1000);
        check_format((double)(int64_t)(sri_rng_next(&rng) >> (i % 60)));
    }
    static const double special[] = {0.0,
                                     -0.0,
                                     1,
                                     -1,
                                     0.1,
                                     1.0 / 3,
                                     1e15,
                                     1e16,
                                     1e22,
                                     1e23,
                                     123456,
                                     1e-5,
                                     5e-324,
                                     1e-310,
                                     2.2250738585072014e-308,
                                     1.7976931348623157e308,
                                     9007199254740993.0,
                                     999999999999999.0};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        check_format(special[i]);
    char text[32];
    CHECK_STR(sri_format_double(0.1, text), "0.1");
    CHECK_STR(sri_format_double(-3, text), "-3");
    CHECK_STR(sri_format_double(-0.0, text), "-0");
    CHECK_STR(sri_format_double(83214285384428832.0, text), "83214285384428832");
    CHECK_STR(sri_format_double(1e22, text), "1e+22");
    CHECK_STR(sri_format_double(5e-324, text), "5e-324");
    CHECK_STR(sri_format_double(INFINITY, text), "inf");
    CHECK_STR(sri_format_double(-INFINITY, text), "-inf");
    CHECK_STR(sri_format_double(NAN, text), "nan");
}

TEST(text, the_nearest_name_is_suggested_and_a_far_one_is_not)
{
    static const char *const names[] = {"rbf", "linear", "poly", "laplace"};
    CHECK_STR(sri_nearest("rfb", names, 4), "rbf");
    CHECK_STR(sri_nearest("lineal", names, 4), "linear");
    CHECK_STR(sri_nearest("laplacian", names, 4), "laplace");
    CHECK(sri_nearest("gaussian", names, 4) == NULL);
    CHECK(sri_nearest("x", names, 0) == NULL);
    CHECK_FAILS(ctx, sri_fail_unknown(ctx, "kernel", "rbg", names, 4), SPECREG_E_ARG,
                "unknown kernel 'rbg' (did you mean 'rbf'? known: rbf linear poly laplace)");
    CHECK_FAILS(ctx, sri_fail_unknown(ctx, "kernel", "gaussian", names, 4), SPECREG_E_ARG,
                "unknown kernel 'gaussian' (did you mean 'rbf'? known: rbf linear poly laplace)");
}

TEST(text, a_buffer_grows_and_stays_terminated)
{
    sri_buffer b = {0};
    char expected[12000] = "";
    for (int i = 0; i < 1000; i++) {
        CHECK_OK(ctx, sri_buffer_add(ctx, &b, "ab", 1 + (size_t)i % 2));
        CHECK_OK(ctx, sri_buffer_print(ctx, &b, "%d;", i));
        sprintf(expected + strlen(expected), "%.*s%d;", 1 + i % 2, "ab", i);
    }
    CHECK_STR(b.data, expected);
    CHECK_EQ(b.length, strlen(expected));
    sri_buffer_free(&b);
    CHECK(b.data == NULL);
}
