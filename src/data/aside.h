/* Columns of a training table that are neither features nor targets: what names the groups, what
 * weighs the rows.  Later tables may have them or not. */
#ifndef SRI_DATA_ASIDE_H
#define SRI_DATA_ASIDE_H

#include <stdbool.h>
#include <stdint.h>

enum { SRI_ASIDE_MAX = 4 };

typedef struct sri_aside {
    int64_t column[SRI_ASIDE_MAX]; /* in the training table, 0-based */
    int count;
} sri_aside;

static inline bool sri_lists(const int64_t *list, int64_t count, int64_t column)
{
    for (int64_t i = 0; i < count; i++)
        if (list[i] == column)
            return true;
    return false;
}

static inline bool sri_aside_has(const sri_aside *aside, int64_t column)
{
    return sri_lists(aside->column, aside->count, column);
}

/* Where a column of the training table lies in a table without these. */
static inline int64_t sri_aside_place(const sri_aside *aside, int64_t column)
{
    int64_t place = column;
    for (int i = 0; i < aside->count; i++)
        place -= aside->column[i] < column;
    return place;
}

#endif
