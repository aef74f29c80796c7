#include "core/text.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/memory.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* strtod obeys the locale's decimal point; snprintf too.  Both are called on text whose point is
 * exchanged for the locale's, which is cheaper and safer than switching locales. */
static char locale_point(void)
{
    return localeconv()->decimal_point[0];
}

static bool parse_slow(const char *text, size_t length, double *value)
{
    char small[128];
    char *copy = length < sizeof small ? small : malloc(length + 1);
    if (!copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *point = memchr(copy, '.', length);
    if (point)
        *point = locale_point();
    char *end;
    *value = strtod(copy, &end);
    const bool ok = end == copy + length;
    if (copy != small)
        free(copy);
    return ok;
}

static bool parse_word(const char *s, size_t n, double sign, double *value)
{
    if ((n == 3 && strncasecmp(s, "inf", 3) == 0) || (n == 8 && strncasecmp(s, "infinity", 8) == 0))
        *value = sign * INFINITY;
    else if (n == 3 && strncasecmp(s, "nan", 3) == 0)
        *value = NAN;
    else
        return false;
    return true;
}

/* w * 10^e for |e| <= 27, correctly rounded, or false when that is not certain.
 * w and 10^27 are exact in an 80-bit float, so the result has one rounding to 64 bits; rounding
 * it again to 53 bits is right unless the 11 bits dropped are within one unit of a half. */
static bool scale_by_ten(uint64_t w, int e, double *value)
{
#if LDBL_MANT_DIG == 64
    static const long double ten[28] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                        1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                        1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
                                        1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    const long double r = e < 0 ? (long double)w / ten[-e] : (long double)w * ten[e];
    uint64_t mantissa;
    memcpy(&mantissa, &r, sizeof mantissa);
    const unsigned dropped = mantissa & 0x7ff;
    *value = (double)r;
    return dropped < 0x3ff || dropped > 0x401;
#else
    static const double ten[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (w > (UINT64_C(1) << 53) || e < -22 || e > 22)
        return false;
    *value = e < 0 ? (double)w / ten[-e] : (double)w * ten[e];
    return true;
#endif
}

bool sri_parse_double(const char *text, size_t length, double *value)
{
    const char *s = text, *end = text + length;
    bool negative = false;
    if (s < end && (*s == '-' || *s == '+'))
        negative = *s++ == '-';
    uint64_t w = 0;
    int digits = 0, exponent = 0; /* digits counts those that entered w, leading zeros not */
    const char *first = s;
    for (; s < end && is_digit(*s); s++) {
        w = w * 10 + (uint64_t)(*s - '0');
        digits += digits > 0 || w != 0;
    }
    bool any = s > first;
    if (s < end && *s == '.') {
        const char *fraction = ++s;
        for (; s < end && is_digit(*s); s++) {
            w = w * 10 + (uint64_t)(*s - '0');
            digits += digits > 0 || w != 0;
        }
        any = any || s > fraction;
        if (s - fraction > 1000)
            digits = 100; /* absurdly long: leave it to the slow way */
        else
            exponent = -(int)(s - fraction);
    }
    if (!any)
        return parse_word(first, (size_t)(end - first), negative ? -1.0 : 1.0, value);
    if (s < end && (*s == 'e' || *s == 'E')) {
        int e = 0;
        bool minus = false;
        s++;
        if (s < end && (*s == '-' || *s == '+'))
            minus = *s++ == '-';
        if (s == end)
            return false;
        for (; s < end && is_digit(*s); s++)
            e = e < 100000 ? e * 10 + (*s - '0') : e;
        exponent += minus ? -e : e;
    }
    if (s != end)
        return false;
    if (digits <= 19 && exponent >= -27 && exponent <= 27) {
        if (w == 0)
            *value = 0.0;
        else if (!scale_by_ten(w, exponent, value))
            return parse_slow(text, length, value);
        if (negative)
            *value = -*value;
        return true;
    }
    return parse_slow(text, length, value);
}

char *sri_format_double(double value, char *buffer)
{
    if (isnan(value))
        return strcpy(buffer, "nan");
    if (isinf(value))
        return strcpy(buffer, value < 0 ? "-inf" : "inf");
    for (int digits = 15; digits <= 17; digits++) {
        double back;
        snprintf(buffer, 32, "%.*g", digits, value);
        char *point = strchr(buffer, locale_point());
        if (point)
            *point = '.';
        if (sri_parse_double(buffer, strlen(buffer), &back) && back == value)
            break;
    }
    return buffer;
}

specreg_status sri_buffer_add(specreg_context *ctx, sri_buffer *b, const char *text, size_t length)
{
    const specreg_status st = sri_grow(ctx, (void **)&b->data, &b->capacity,
                                       b->length + (int64_t)length + 1, 1);
    if (st != SPECREG_OK)
        return st;
    memcpy(b->data + b->length, text, length);
    b->length += (int64_t)length;
    b->data[b->length] = '\0';
    return SPECREG_OK;
}

specreg_status sri_buffer_print(specreg_context *ctx, sri_buffer *b, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    specreg_status st = sri_grow(ctx, (void **)&b->data, &b->capacity, b->length + length + 1, 1);
    if (st == SPECREG_OK) {
        vsnprintf(b->data + b->length, (size_t)length + 1, format, again);
        b->length += length;
    }
    va_end(again);
    return st;
}

void sri_buffer_free(sri_buffer *b)
{
    free(b->data);
    *b = (sri_buffer){0};
}

/* Levenshtein distance with one row; names are short. */
static int edit_distance(const char *a, const char *b)
{
    enum { MAX = 64 };
    const int la = (int)strlen(a), lb = (int)strlen(b);
    if (la >= MAX || lb >= MAX)
        return MAX;
    int row[MAX + 1];
    for (int j = 0; j <= lb; j++)
        row[j] = j;
    for (int i = 1; i <= la; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= lb; j++) {
            const int substitute = diagonal + (a[i - 1] != b[j - 1]);
            const int other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = substitute < other ? substitute : other;
        }
    }
    return row[lb];
}

const char *sri_nearest(const char *name, const char *const *candidates, int count)
{
    const char *best = NULL;
    int best_distance = 1 + (int)strlen(name) / 3; /* one error in three letters, at least one */
    if (best_distance < 2)
        best_distance = 2;
    for (int i = 0; i < count; i++) {
        const int d = edit_distance(name, candidates[i]);
        if (d < best_distance || (d == best_distance && !best)) {
            best_distance = d;
            best = candidates[i];
        }
    }
    return best;
}

specreg_status sri_fail_unknown(specreg_context *ctx, const char *what, const char *name,
                                const char *const *known, int count)
{
    char list[1024] = "";
    size_t used = 0;
    for (int i = 0; i < count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, " %s", known[i]);
    const char *near = sri_nearest(name, known, count);
    if (near)
        return sri_fail(ctx, SPECREG_E_ARG, "unknown %s '%s' (did you mean '%s'? known:%s)", what,
                        name, near, list);
    return sri_fail(ctx, SPECREG_E_ARG, "unknown %s '%s' (known:%s)", what, name, list);
}
