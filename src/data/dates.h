/* Dates that are written as texts. */
#ifndef SRI_DATA_DATES_H
#define SRI_DATA_DATES_H

#include "data/table.h"

/* In which order day, month and year are written.  A year of four digits at the start and a month
 * in letters say it themselves. */
typedef enum sri_date_order {
    SRI_DATES_NONE, /* they are no dates, or nobody wants them as such */
    SRI_DATES_DMY,
    SRI_DATES_MDY,
    SRI_DATES_AUTO /* of texts: either order gives dates; as a wish: as the texts say */
} sri_date_order;

/* What becomes of a column. */
typedef enum sri_part {
    SRI_PART_VALUE,
    SRI_PART_YEAR,
    SRI_PART_MONTH,
    SRI_PART_WEEKDAY, /* 1 is Monday */
    SRI_PART_DAYS,    /* since the first date of the training rows; a time of day is a fraction */
    SRI_PART_MISSING, /* 1 where there is no value */
    SRI_PARTS
} sri_part;

const char *sri_part_name(sri_part part);
specreg_status sri_dates_parse(specreg_context *ctx, const char *text, sri_date_order *out);
/* Days since 1970-01-01 of a date such as 2024-03-01, 2024-03-01T12:00:00Z, 1.3.2024, 01/03/24,
 * 1 Mar 2024 or March 1, 2024; false: it is none. */
bool sri_date_read(const char *text, sri_date_order order, double *days);
/* The order in which all texts are dates; SRI_DATES_NONE where there is none. */
sri_date_order sri_dates_find(const sri_texts *texts);
/* The order of a column's dates, NONE where it is not to be taken for dates. */
sri_date_order sri_column_dates(const sri_column *c, sri_date_order wanted);
/* The year, month, weekday or the days themselves. */
double sri_date_part(double days, sri_part part);

#endif
