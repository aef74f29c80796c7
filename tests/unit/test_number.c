/* Decimal to double: bit for bit what strtod gives in the C locale, which shares no code with it.
 */
#include <stdio.h>

#include "data/io/number.h"
#include "kit/kit.h"

static uint64_t state = UINT64_C(88172645463325252);

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void compare(const char *text)
{
    char padded[256] = "";
    double slow = 0, quick = 0;
    const double expected = strtod(text, NULL);
    strcpy(padded, text);
    if (!sri_parse_double(text, strlen(text), &slow))
        kit_fail(__FILE__, __LINE__, "'%s' is a number", text);
    if (memcmp(&slow, &expected, sizeof slow) != 0)
        kit_fail(__FILE__, __LINE__, "'%s' is %a, not %a", text, expected, slow);
    const char *end = sri_scan_number(padded, &quick);
    if (end && (*end || memcmp(&quick, &expected, sizeof quick) != 0))
        kit_fail(__FILE__, __LINE__, "'%s' is %a, scanned as %a up to '%s'", text, expected, quick,
                 end);
}

TEST(number, random_texts_read_as_strtod_reads_them)
{
    char text[128];
    for (int i = 0; i < 400000; i++) {
        const uint64_t bits = next(), kind = next() % 6;
        double v;
        memcpy(&v, &bits, sizeof v);
        if (v != v || v - v != 0)
            continue;
        if (kind == 0)
            snprintf(text, sizeof text, "%.17g", v);
        else if (kind == 1)
            snprintf(text, sizeof text, "%.*e", (int)(next() % 20), (double)(bits >> 11) * 1e-20);
        else if (kind == 2)
            snprintf(text, sizeof text, "-%.*f", (int)(next() % 18), (double)(bits >> 11) * 1e-16);
        else if (kind == 3)
            snprintf(text, sizeof text, "%u.%llu", (unsigned)(next() % 1000),
                     (unsigned long long)bits);
        else if (kind == 4)
            snprintf(text, sizeof text, "%llue%d", (unsigned long long)bits,
                     (int)(next() % 80) - 40);
        else /* exactly between two doubles, or one unit beside it */
            snprintf(text, sizeof text, "%llu",
                     (unsigned long long)((((bits >> 11) | UINT64_C(1) << 52) << 1 | 1) +
                                          next() % 3 - 1)
                         << (next() % 9));
        compare(text);
    }
}

TEST(number, the_edges)
{
    static const char *const text[] =
        {"0",
         "-0",
         "0.0",
         "-0.0e5",
         "1",
         "9007199254740993",
         "9007199254740992.5",
         "9999999999999999999",
         "18446744073709551615",
         "18446744073709551616",
         "0.1",
         ".5",
         "5.",
         "1e22",
         "1e23",
         "1e-22",
         "1e-23",
         "1e27",
         "1e28",
         "1e-27",
         "1e-28",
         "1e308",
         "1e309",
         "1e-320",
         "4.9e-324",
         "2.4e-324",
         "1e99999",
         "1e-99999",
         "0.00000000000000000000000000000000000000000000001234567890123456789",
         "00000000000000000000000000012.5",
         "1.7976931348623157e308",
         "2.2250738585072011e-308",
         "0.3333333333333333333333333333333333",
         "8.5",
         "1E5",
         "1e+5",
         "12345678",
         "1.12345678",
         "1.123456781234567"};
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++)
        compare(text[i]);
}

TEST(number, what_is_not_a_number_is_refused)
{
    static const char *const text[] = {"",    "-",     "+",    ".",     "e5", "1e",
                                       "1e+", "1.2.3", "0x10", "1 ",    " 1", "--1",
                                       "1f",  "in",    "nano", "1e5.0", "1,5"};
    double v;
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++)
        if (sri_parse_double(text[i], strlen(text[i]), &v))
            kit_fail(__FILE__, __LINE__, "'%s' is not a number", text[i]);
}

TEST(number, what_is_printed_reads_back_to_the_same_double)
{
    char text[64];
    for (int i = 0; i < 200000; i++) {
        const uint64_t bits = i % 2 ? next() : next() >> 40 << 40;
        double v, back;
        memcpy(&v, &bits, sizeof v);
        if (i % 4 == 0)
            v = (double)(int64_t)(next() % 2000000) - 1000000;
        if (v != v || v - v != 0)
            continue;
        sri_format_double(v, text);
        CHECK(sri_parse_double(text, strlen(text), &back));
        CHECK_SAME(back, v);
    }
    CHECK_STR(sri_format_double(-0.0, text), "-0");
    CHECK_STR(sri_format_double(3, text), "3");
    CHECK_STR(sri_format_double(0.1, text), "0.1");
    CHECK_STR(sri_format_double(1e300, text), "1e+300");
}
