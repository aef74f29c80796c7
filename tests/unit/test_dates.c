/* Dates: days are counted by timegm() of the C library. */
#include "small_table.h"

#include <stdio.h>
#include <time.h>

#include "data/dates.h"

static double by_timegm(int year, int month, int day)
{
    struct tm tm = {.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day};
    return (double)timegm(&tm) / 86400;
}

TEST(dates, every_day_of_five_centuries_is_right)
{
    for (double day = by_timegm(1700, 1, 1); day < by_timegm(2200, 1, 1); day++) {
        const time_t seconds = (time_t)(day * 86400);
        struct tm tm;
        char text[32];
        double days;
        gmtime_r(&seconds, &tm);
        strftime(text, sizeof text, "%Y-%m-%d", &tm);
        assert_true(sri_date_read(text, SRI_DATES_DMY, &days) && days == day);
        assert_true(sri_date_part(day, SRI_PART_YEAR) == tm.tm_year + 1900);
        assert_true(sri_date_part(day, SRI_PART_MONTH) == tm.tm_mon + 1);
        assert_true(sri_date_part(day, SRI_PART_WEEKDAY) == (tm.tm_wday ? tm.tm_wday : 7));
    }
}

TEST(dates, common_forms_are_read_and_others_are_not)
{
    static const char *const good[] =
        {"2024-03-01",       "2024/3/1",     "2024.03.01",
         "1.3.2024",         "01/03/2024",   "1-3-24",
         "1 Mar 2024",       "1 March 2024", "March 1, 2024",
         "Mar 1 2024",       "01-MAR-2024",  "2024-03-01T00:00:00Z",
         "2024-03-01 00:00", "1. Mar. 2024", "2024-03-01T00:00+01:00"};
    static const char *const bad[] =
        {"",         "2024",    "2024-13-01",       "2024-02-30",      "30.2.2024",
         "1/2",      "1-2-3-4", "2024-03-01x",      "hello you there", "123-45-6789",
         "0.1.2024", "1.2.3",   "2024-03-01T25:00", "2024-03-01T",     "12345-1-1",
         "1,2,2024"};
    double days;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!sri_date_read(good[i], SRI_DATES_DMY, &days) || days != by_timegm(2024, 3, 1))
            fail_msg("'%s'", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (sri_date_read(bad[i], SRI_DATES_DMY, &days))
            fail_msg("'%s' is read", bad[i]);
    assert_true(sri_date_read("03/01/2024", SRI_DATES_MDY, &days) && days == by_timegm(2024, 3, 1));
    assert_true(sri_date_read("1970-01-02 06:00", SRI_DATES_DMY, &days) && days == 1.25);
}

static sri_date_order order_of(specreg_context *ctx, const char *first, const char *second)
{
    sri_texts texts = {0};
    int32_t code;
    assert_ok(ctx, sri_texts_code(ctx, &texts, first, strlen(first), &code));
    assert_ok(ctx, sri_texts_code(ctx, &texts, second, strlen(second), &code));
    const sri_date_order order = sri_dates_find(&texts);
    sri_texts_free(&texts);
    return order;
}

TEST(dates, the_order_is_found_where_the_texts_tell_it)
{
    assert_int_equal(order_of(ctx, "1/2/2024", "13/2/2024"), SRI_DATES_DMY);
    assert_int_equal(order_of(ctx, "1/2/2024", "2/13/2024"), SRI_DATES_MDY);
    assert_int_equal(order_of(ctx, "1/2/2024", "2/3/2024"), SRI_DATES_AUTO);
    assert_int_equal(order_of(ctx, "1.2.2024", "2.3.2024"), SRI_DATES_DMY);
    assert_int_equal(order_of(ctx, "2024-01-02", "2024-02-03"), SRI_DATES_DMY);
    assert_int_equal(order_of(ctx, "13/2/2024", "2/13/2024"), SRI_DATES_NONE);
    assert_int_equal(order_of(ctx, "2024-01-02", "soon"), SRI_DATES_NONE);
}
