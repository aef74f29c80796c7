/* What each column of a training table becomes, and which of them can hardly help. */
#ifndef SRI_DATA_JUDGE_H
#define SRI_DATA_JUDGE_H

#include "core/text.h"
#include "data/encode.h"
#include "data/inputs.h"

/* Why a person should look at an input again. */
typedef enum sri_doubt {
    SRI_DOUBT_NONE,
    SRI_DOUBT_ROW_NUMBER, /* it is left out: see inputs.h                    */
    SRI_DOUBT_CONSTANT,
    SRI_DOUBT_COUNTS_UP, /* whole numbers, each greater than the one before */
    SRI_DOUBT_DATES,     /* of which day and month cannot be told apart     */
    SRI_DOUBT_FREE_TEXT,
    SRI_DOUBT_ALL_DIFFERENT,
    SRI_DOUBT_MANY, /* categories: more than 50, or than a tenth of the rows and 10 */
    SRI_DOUBTS
} sri_doubt;

sri_doubt sri_column_doubt(const specreg_table *t, int64_t column, const sri_roles *roles,
                           sri_date_order dates);
/* "number", "date: year, month, weekday, days", "target", ...: what becomes of a column. */
specreg_status sri_column_becomes(specreg_context *ctx, const specreg_table *t, int64_t column,
                                  const sri_roles *roles, const sri_encode_how *how,
                                  sri_buffer *out);
/* One sentence about all columns with this doubt; empty where there are none. */
specreg_status sri_doubt_text(specreg_context *ctx, const specreg_table *t, const sri_roles *roles,
                              sri_date_order dates, sri_doubt doubt, sri_buffer *out);

#endif
