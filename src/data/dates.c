#include "data/dates.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "core/text.h"

static const char *const part_names[SRI_PARTS] = {"value",   "year", "month",
                                                  "weekday", "days", "missing"};

const char *sri_part_name(sri_part part)
{
    return part_names[part];
}

specreg_status sri_dates_parse(specreg_context *ctx, const char *text, sri_date_order *out)
{
    static const char *const known[] = {[SRI_DATES_NONE] = "no",
                                        [SRI_DATES_DMY] = "dmy",
                                        [SRI_DATES_MDY] = "mdy",
                                        [SRI_DATES_AUTO] = "auto"};
    return sri_choose_known(ctx, "dates", text, known, 4, (int *)out);
}

/* Three fields of a date as they are written: numbers, or the number of a month in letters. */
typedef struct fields {
    int value[3], digits[3]; /* digits 0: it is in letters */
    char mark;               /* between the first two      */
} fields;

static int month_of(const char *text, size_t length)
{
    static const char *const name[] = {"january",   "february", "march",    "april",
                                       "may",       "june",     "july",     "august",
                                       "september", "october",  "november", "december"};
    for (int m = 0; m < 12; m++)
        if (length >= 3 && length <= strlen(name[m]) && strncasecmp(text, name[m], length) == 0)
            return m + 1;
    return 0;
}

/* Reads a field at *s and moves *s behind it. */
static bool read_field(const char **s, int *value, int *digits)
{
    const char *p = *s;
    *value = *digits = 0;
    while (isdigit((unsigned char)*p) && *digits < 5) {
        *value = *value * 10 + (*p++ - '0');
        ++*digits;
    }
    if (*digits == 0) {
        while (isalpha((unsigned char)*p))
            p++;
        *value = month_of(*s, (size_t)(p - *s));
    }
    *s = p;
    return *digits <= 4 && *value > 0;
}

/* Between fields: one of -/. or a blank, with a comma or a point before the blank. */
static bool skip_mark(const char **s, char *mark)
{
    const char *p = *s;
    *mark = *p;
    if ((*p == ',' || *p == '.') && p[1] == ' ')
        p++;
    if (!*p || !strchr("-/. ", *p))
        return false;
    *s = p + 1;
    return true;
}

static bool read_fields(const char **s, fields *f)
{
    char second;
    return read_field(s, &f->value[0], &f->digits[0]) && skip_mark(s, &f->mark) &&
           read_field(s, &f->value[1], &f->digits[1]) && skip_mark(s, &second) &&
           read_field(s, &f->value[2], &f->digits[2]);
}

/* The time of day as a share of it, and what may follow it: Z, or the distance from UTC, which is
 * not used.  An empty text is midnight. */
static bool read_time(const char *s, double *share)
{
    static const double size[3] = {24, 60, 60};
    double unit = 1;
    *share = 0;
    if (!*s)
        return true;
    if ((*s != 'T' && *s != ' ') || !isdigit((unsigned char)s[1]))
        return false;
    for (int k = 0; k < 3 && isdigit((unsigned char)s[1]); k++) {
        int digits, value;
        s++;
        if (!read_field(&s, &value, &digits) && (digits == 0 || value != 0))
            return false;
        if (digits > 2 || value > size[k]) /* 24:00 and a leap second */
            return false;
        unit /= size[k];
        *share += value * unit;
        if (*s != ':')
            break;
    }
    if (*s == '.')
        s += 1 + strspn(s + 1, "0123456789");
    if (*s == '+' || *s == '-')
        s += 1 + strspn(s + 1, "0123456789:");
    else if (*s == 'Z')
        s++;
    return *s == '\0';
}

/* Of the proleptic Gregorian calendar, with March as the first month (Hinnant's
 * days_from_civil). */
static double days_of(int year, int month, int day)
{
    const int y = year - (month <= 2), m = month + (month > 2 ? -3 : 9);
    const int era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
    const int of_year = (153 * m + 2) / 5 + day - 1;
    const int in_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    return era * 146097.0 + in_era - 719468.0;
}

static void date_of(double days, int *year, int *month, int *day)
{
    const int64_t z = (int64_t)floor(days) + 719468;
    const int64_t era = (z >= 0 ? z : z - 146096) / 146097, of_era = z - era * 146097;
    const int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int64_t of_year = of_era - (365 * y + y / 4 - y / 100), m = (5 * of_year + 2) / 153;
    *day = (int)(of_year - (153 * m + 2) / 5) + 1;
    *month = (int)(m < 10 ? m + 3 : m - 9);
    *year = (int)(y + era * 400) + (*month <= 2);
}

/* Which field is the year, the month and the day; false: none of the forms. */
static bool arrange(const fields *f, sri_date_order order, int at[3])
{
    if (f->digits[0] == 4)
        memcpy(at, (const int[3]){0, 1, 2}, 3 * sizeof *at);
    else if (f->digits[0] == 0 || (f->digits[1] > 0 && order == SRI_DATES_MDY))
        memcpy(at, (const int[3]){2, 0, 1}, 3 * sizeof *at);
    else
        memcpy(at, (const int[3]){2, 1, 0}, 3 * sizeof *at);
    const int year = f->digits[at[0]], day = f->digits[at[2]];
    return (year == 4 || (year == 2 && at[0] == 2)) && day >= 1 && day <= 2 &&
           f->digits[at[1]] <= 2;
}

bool sri_date_read(const char *text, sri_date_order order, double *days)
{
    const char *s = text;
    fields f;
    int at[3], back[3];
    double share;
    if (!read_fields(&s, &f) || !arrange(&f, order, at) || !read_time(s, &share))
        return false;
    int year = f.value[at[0]];
    if (f.digits[at[0]] == 2)
        year += year < 69 ? 2000 : 1900; /* as strptime */
    if (f.value[at[1]] > 12 || f.value[at[2]] > 31)
        return false;
    *days = days_of(year, f.value[at[1]], f.value[at[2]]);
    date_of(*days, &back[0], &back[1], &back[2]); /* February 30 would come back as March */
    *days += share;
    return back[2] == f.value[at[2]];
}

/* Whether a date tells the order of its fields: a year of four digits first, a month in letters, or
 * points, which stand in 31.12.2024. */
static bool tells_order(const char *s)
{
    fields f;
    return read_fields(&s, &f) &&
           (f.mark == '.' || f.digits[0] == 4 || f.digits[0] == 0 || f.digits[1] == 0);
}

sri_date_order sri_dates_find(const sri_texts *texts)
{
    bool dmy = texts->count > 0, mdy = dmy, told = dmy;
    double ignored;
    for (int64_t k = 0; k < texts->count && (dmy || mdy); k++) {
        dmy = dmy && sri_date_read(texts->text[k], SRI_DATES_DMY, &ignored);
        mdy = mdy && sri_date_read(texts->text[k], SRI_DATES_MDY, &ignored);
        told = told && tells_order(texts->text[k]);
    }
    if (dmy && mdy && !told)
        return SRI_DATES_AUTO;
    return dmy ? SRI_DATES_DMY : mdy ? SRI_DATES_MDY : SRI_DATES_NONE;
}

sri_date_order sri_column_dates(const sri_column *c, sri_date_order wanted)
{
    if (!c->is_text || wanted == SRI_DATES_NONE)
        return SRI_DATES_NONE;
    const sri_date_order found = sri_dates_find(&c->texts);
    if (found != SRI_DATES_AUTO)
        return found;
    return wanted == SRI_DATES_AUTO ? SRI_DATES_NONE : wanted;
}

double sri_date_part(double days, sri_part part)
{
    int year, month, day;
    if (part == SRI_PART_DAYS)
        return days;
    date_of(days, &year, &month, &day);
    if (part == SRI_PART_WEEKDAY) /* 1970-01-01 was a Thursday */
        return fmod(fmod(floor(days) + 3, 7) + 7, 7) + 1;
    return part == SRI_PART_YEAR ? year : month;
}
