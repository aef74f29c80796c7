/* Numbers as files of many countries write them: 1234.5, 1,234.5, 1.234,5, 1 234,5. */
#include <string.h>

#include "core/text.h"
#include "data/io/csv.h"

enum { LONGEST = 64 }; /* bytes of a number that is not plain */

/* The length of a mark that sets thousands apart in any country: a blank, also U+00A0 or U+202F, or
 * an apostrophe; 0: there is none. */
static size_t neutral_mark(const char *s, const char *end)
{
    static const char *const mark[] = {" ", "'", "\xc2\xa0", "\xe2\x80\xaf", "\xa0"};
    for (int i = 0; i < 5; i++) {
        const size_t n = strlen(mark[i]);
        if ((size_t)(end - s) >= n && memcmp(s, mark[i], n) == 0)
            return n;
    }
    return 0;
}

static size_t mark_at(const char *s, const char *end, char grouping)
{
    return s < end && *s == grouping ? 1 : neutral_mark(s, end);
}

static size_t digits_at(const char *s, const char *end)
{
    size_t n = 0;
    while (s + n < end && s[n] >= '0' && s[n] <= '9')
        n++;
    return n;
}

/* Copies the digits before the decimal mark without the marks between groups of three.  How many
 * marks there were; -1: the groups are not of three digits, or marks differ. */
static int copy_groups(const char **s, const char *end, char grouping, char *out, size_t *n)
{
    size_t digits = digits_at(*s, end), mark;
    const char *first = NULL;
    int marks = 0;
    memcpy(out + *n, *s, digits);
    *n += digits;
    *s += digits;
    while (digits > 0 && (mark = mark_at(*s, end, grouping)) && digits_at(*s + mark, end) == 3) {
        if ((!first && digits > 3) || (first && memcmp(first, *s, mark) != 0))
            return -1;
        first = *s;
        memcpy(out + *n, *s + mark, 3);
        *n += 3;
        *s += mark + 3;
        digits = 3;
        marks++;
    }
    return marks;
}

/* Reads a number with this decimal mark and, between thousands, the other or a neutral one; the
 * count of marks goes to *marks. */
static bool read_styled(const char *text, size_t length, char decimal, int *marks, double *value)
{
    char plain[LONGEST + 2];
    const char *s = text, *end = text + length;
    size_t n = 0;
    if (length == 0 || length > LONGEST)
        return false;
    if (*s == '-' || *s == '+')
        plain[n++] = *s++;
    *marks = copy_groups(&s, end, decimal == ',' ? '.' : ',', plain, &n);
    if (*marks < 0)
        return false;
    if (s < end && *s == decimal) {
        plain[n++] = '.';
        s++;
    } else if (s < end && *s == '.') {
        return false; /* not as a group of three, and not the decimal mark */
    }
    memcpy(plain + n, s, (size_t)(end - s));
    n += (size_t)(end - s);
    return sri_parse_double(plain, n, value);
}

bool sri_csv_number(const char *text, size_t length, sri_csv_style style, double *value)
{
    int marks;
    if (style.decimal != ',' && sri_parse_double(text, length, value))
        return true;
    if (style.decimal != ',' && !style.grouped)
        return false;
    return read_styled(text, length, style.decimal, &marks, value);
}

sri_csv_evidence sri_csv_weigh(const char *text, size_t length)
{
    double value;
    int with_point = 0, with_comma = 0;
    const bool point = read_styled(text, length, '.', &with_point, &value);
    const bool comma = read_styled(text, length, ',', &with_comma, &value);
    if (!point && !comma)
        return SRI_CSV_NO_NUMBER;
    if (point && comma) {
        if (!memchr(text, ',', length) && !memchr(text, '.', length))
            return with_point ? SRI_CSV_GROUPED : SRI_CSV_WHOLE;
        return memchr(text, ',', length) ? SRI_CSV_COMMA_MAYBE : SRI_CSV_POINT_MAYBE;
    }
    if (comma)
        return SRI_CSV_COMMA;
    return with_point ? SRI_CSV_POINT_GROUPED : SRI_CSV_POINT;
}
