#include "core/text.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
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
 * exchanged for the locale's, which is cheaper and safer than switching locales.  The locale's
 * point may be longer than one byte. */
static const char *locale_point(void)
{
    const char *point = localeconv()->decimal_point;
    return point && *point ? point : ".";
}

static bool parse_slow(const char *text, size_t length, double *value)
{
    char small[128];
    const char *point = locale_point();
    const size_t width = strlen(point);
    char *copy = length + width < sizeof small
                     ? small
                     : sri_alloc(NULL, (int64_t)(length + width) + 1, 1, 1);
    if (!copy)
        return false;
    const char *dot = memchr(text, '.', length);
    const size_t before = dot ? (size_t)(dot - text) : length;
    char *p = copy;
    memcpy(p, text, before);
    p += before;
    if (dot) {
        memcpy(p, point, width);
        memcpy(p + width, dot + 1, length - before - 1);
        p += width + length - before - 1;
    }
    *p = '\0';
    char *end;
    *value = strtod(copy, &end);
    const bool ok = end == p;
    if (copy != small)
        sri_free(copy);
    return ok;
}

/* By hand, because strncasecmp obeys the locale: in Turkish ones 'I' is not a capital 'i'. */
bool sri_is_word(const char *text, size_t length, const char *word)
{
    for (size_t i = 0; i < length; i++) {
        const char c = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] | 0x20) : text[i];
        if (word[i] == '\0' || c != word[i])
            return false;
    }
    return word[length] == '\0';
}

static bool parse_word(const char *s, size_t n, double sign, double *value)
{
    if (sri_is_word(s, n, "inf") || sri_is_word(s, n, "infinity"))
        *value = sign * INFINITY;
    else if (sri_is_word(s, n, "nan"))
        *value = NAN;
    else
        return false;
    return true;
}

/* The double nearest to (m + a bit, when sticky) * 2^k, for 2^63 <= m and results far from the ends
 * of the range: ties go to even. */
static double round_to_double(uint64_t m, bool sticky, int k)
{
    const uint64_t dropped = m & 0x7ff;
    uint64_t kept = m >> 11;
    if (dropped > 0x400 || (dropped == 0x400 && (sticky || (kept & 1))))
        kept++;
    const uint64_t bits = (uint64_t)(k + 11 + 1023) << 52; /* 2^(k + 11) */
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return (double)kept * scale;
}

/* 10^e = 5^e 2^e, and 5^27 < 2^63: the product, or the quotient with its remainder, is exact in
 * 128-bit integers, so one rounding is left and it is the right one. */
double sri_scale_ten(uint64_t w, int e)
{
#define FOUR(x) (x), 5 * (x), 25 * (x), 125 * (x)
    static const uint64_t five[SRI_SCALE_MAX + 1] = {FOUR(1ull),
                                                     FOUR(625ull),
                                                     FOUR(390625ull),
                                                     FOUR(244140625ull),
                                                     FOUR(152587890625ull),
                                                     FOUR(95367431640625ull),
                                                     FOUR(59604644775390625ull)};
#undef FOUR
    if (w == 0)
        return 0.0;
    if (e >= 0) {
        const unsigned __int128 product = (unsigned __int128)w * five[e];
        const uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
        if (high == 0) {
            const int up = __builtin_clzll(low);
            return round_to_double(low << up, false, e - up);
        }
        const int up = __builtin_clzll(high);
        const unsigned __int128 shifted = product << up;
        return round_to_double((uint64_t)(shifted >> 64), (uint64_t)shifted != 0, e + 64 - up);
    }
    /* Both aligned to 64 bits: the quotient of w' 2^63 by d' lies in (2^62, 2^64). */
    const int up_w = __builtin_clzll(w), up_d = __builtin_clzll(five[-e]);
    const uint64_t d = five[-e] << up_d;
    const unsigned __int128 numerator = (unsigned __int128)(w << up_w) << 63;
    const uint64_t quotient = (uint64_t)(numerator / d);
    const bool sticky = (uint64_t)(numerator - (unsigned __int128)quotient * d) != 0;
    const int up = __builtin_clzll(quotient); /* 0 or 1 */
    return round_to_double(quotient << up, sticky, e - 63 + up_d - up_w - up);
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
    if (digits <= 19 && exponent >= -SRI_SCALE_MAX && exponent <= SRI_SCALE_MAX) {
        const double magnitude = sri_scale_ten(w, exponent);
        *value = negative ? -magnitude : magnitude;
        return true;
    }
    return parse_slow(text, length, value);
}

/* A whole number.  Records can have thousands, and snprintf takes more than ten times as long. */
static char *format_whole(int64_t value, char *buffer)
{
    char digits[24];
    int count = 0, length = 0;
    for (uint64_t rest = (uint64_t)(value < 0 ? -value : value); rest || !count; rest /= 10)
        digits[count++] = (char)('0' + rest % 10);
    if (value < 0)
        buffer[length++] = '-';
    while (count > 0)
        buffer[length++] = digits[--count];
    buffer[length] = '\0';
    return buffer;
}

char *sri_format_double(double value, char *buffer)
{
    if (isnan(value))
        return strcpy(buffer, "nan");
    if (isinf(value))
        return strcpy(buffer, value < 0 ? "-inf" : "inf");
    if (fabs(value) < 1e17 && value == (double)(int64_t)value && (value != 0 || !signbit(value)))
        return format_whole((int64_t)value, buffer);
    const char *point = locale_point();
    for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
        double back;
        snprintf(buffer, 32, "%.*g", digits, value);
        char *at = strstr(buffer, point);
        if (at) {
            *at = '.';
            memmove(at + 1, at + strlen(point), strlen(at + strlen(point)) + 1);
        }
        if (sri_parse_double(buffer, strlen(buffer), &back) && back == value)
            break;
    }
    return buffer;
}

specreg_status sri_buffer_add(specreg_context *ctx, sri_buffer *b, const char *text, size_t length)
{
    SRI_CALL(sri_grow(ctx, (void **)&b->data, &b->capacity, b->length + (int64_t)length + 1, 1));
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
    sri_free(b->data);
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
    for (int i = 0; i < count; i++)
        if (strcasecmp(name, candidates[i]) == 0)
            return candidates[i];
    for (int i = 0; i < count; i++) {
        const int d = edit_distance(name, candidates[i]);
        if (d >= (int)strlen(name))
            continue; /* every letter is another: no likeness */
        if (d < best_distance || (d == best_distance && !best)) {
            best_distance = d;
            best = candidates[i];
        }
    }
    return best;
}

/* What other programs and books call things; NULL: no such word. */
static const char *other_name(const char *what, const char *name)
{
    static const char *const names[][3] = {
        {"kernel", "gaussian", "rbf"},
        {"kernel", "gauss", "rbf"},
        {"kernel", "se", "rbf"},
        {"kernel", "squared_exponential", "rbf"},
        {"kernel", "exponential", "laplace"},
        {"kernel", "polynomial", "poly:degree=3"},
        {"kernel", "quadratic", "poly:degree=2"},
        {"kernel", "cubic", "poly:degree=3"},
        {"filter", "ridge", "tikhonov"},
        {"filter", "krr", "tikhonov"},
        {"filter", "rls", "tikhonov"},
        {"filter", "l2", "tikhonov"},
        {"filter", "boosting", "landweber"},
        {"filter", "gradient", "landweber"},
        {"filter", "pca", "tsvd"},
        {"filter", "pcr", "tsvd"},
        {"filter", "svd", "tsvd"},
        {"filter", "pls", "cg"},
        {"selection rule", "cv", "kfold:k=5"},
        {"selection rule", "cross-validation", "kfold:k=5"},
        {"selection rule", "crossvalidation", "kfold:k=5"},
        {"selection rule", "leave-one-out", "loo"},
        {"selection rule", "validation", "holdout:fraction=0.3"},
        {"criterion", "acc", "accuracy"},
        {"criterion", "error", "error_rate"},
        {"criterion", "l1", "mae"},
        {"criterion", "l2", "mse"},
        {"criterion", "cross_entropy", "log_loss"},
        {"criterion", "logloss", "log_loss"},
        {"problem", "binary", "classification"},
        {"problem", "multiclass", "classification"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(what, names[i][0]) == 0 && strcasecmp(name, names[i][1]) == 0)
            return names[i][2];
    return NULL;
}

specreg_status sri_fail_unknown(specreg_context *ctx, const char *what, const char *name,
                                const char *const *known, int count)
{
    char list[1024] = "";
    size_t used = 0;
    for (int i = 0; i < count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, " %s", known[i]);
    const char *near = other_name(what, name);
    if (!near)
        near = sri_nearest(name, known, count);
    if (near)
        return sri_fail(ctx, SPECREG_E_ARG, "unknown %s '%s' (did you mean '%s'? known:%s)", what,
                        name, near, list);
    return sri_fail(ctx, SPECREG_E_ARG, "unknown %s '%s' (known:%s)", what, name, list);
}

specreg_status sri_choose_known(specreg_context *ctx, const char *what, const char *name,
                                const char *const *known, int count, int *out)
{
    for (*out = 0; *out < count; ++*out)
        if (strcmp(name, known[*out]) == 0)
            return SPECREG_OK;
    return sri_fail_unknown(ctx, what, name, known, count);
}
