/* What each column of a training table is for.  Those without a role are features. */
#ifndef SRI_DATA_ROLES_H
#define SRI_DATA_ROLES_H

#include "data/table.h"

/* Columns that are neither features nor targets: what names the groups, what weighs the rows, what
 * identifies them.  Later tables may have them or not. */
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

/* Why a column without a role is no input. */
typedef enum sri_left_out {
    SRI_LEFT_IN,        /* it is one                                       */
    SRI_LEFT_DROPPED,   /* --drop names it, or --columns does not          */
    SRI_LEFT_ROW_NUMBER /* it counts the rows and is named as if it did so */
} sri_left_out;

typedef struct sri_roles {
    int64_t *target;
    int64_t n_targets;
    int64_t group, weights, task, id; /* columns; -1: none */
    sri_aside aside;                  /* all of them       */
    sri_left_out *left_out;           /* of each column; NULL: none is */
    bool gaps;                        /* a row may lack some of its targets */
    bool carried;                     /* targets are not learned from: rows may lack them all */
} sri_roles;

/* The texts of the options, "" or NULL where not given.  Targets may be known by number instead. */
typedef struct sri_role_names {
    const char *target, *group, *weights, *task;
    const int64_t *target_at; /* n_targets of them; NULL: by name */
    int64_t n_targets;
    const char *id, *drop, *columns;
    const sri_left_out *left_out; /* of each column, where that is known; NULL: it is not */
} sri_role_names;

/* No column has a role. */
extern const sri_roles sri_roles_none;

/* A column that is not there, or has two roles, or no feature left are errors. */
specreg_status sri_roles_find(specreg_context *ctx, const specreg_table *t,
                              const sri_role_names *names, sri_roles *out);
void sri_roles_free(sri_roles *roles);

/* The group of each row, numbered as they first come; newly allocated.  A missing value is an
 * error. */
specreg_status sri_groups_read(specreg_context *ctx, const sri_rows *rows, int64_t column,
                               int32_t **group, int64_t *n_groups);

#endif
