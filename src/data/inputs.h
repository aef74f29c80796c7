/* Which columns of a training table are inputs: those that have no role and are not left out. */
#ifndef SRI_DATA_INPUTS_H
#define SRI_DATA_INPUTS_H

#include "data/roles.h"

/* Marks the columns that a list names, separated by commas: names, numbers from 1 on, ranges such
 * as 2-5 and age:income, patterns such as 'x*'.  One that is not there is an error. */
specreg_status sri_columns_mark(specreg_context *ctx, const specreg_table *t, const char *list,
                                bool *marked);
/* Leaves out what --drop names; before the targets are found. */
specreg_status sri_inputs_drop(specreg_context *ctx, const specreg_table *t,
                               const sri_role_names *names, sri_roles *roles);
/* Leaves out what --columns does not name, or without it the numbers of the rows.  A table without
 * inputs is an error. */
specreg_status sri_inputs_choose(specreg_context *ctx, const specreg_table *t,
                                 const sri_role_names *names, sri_roles *roles);
/* Whether a column holds whole numbers, each greater than the one before. */
bool sri_column_counts_up(const specreg_table *t, int64_t column);

/* Whether a column is an input. */
static inline bool sri_is_input(const sri_roles *roles, int64_t column)
{
    return !(roles->left_out && roles->left_out[column]) && !sri_aside_has(&roles->aside, column) &&
           !sri_lists(roles->target, roles->n_targets, column);
}

int64_t sri_count_inputs(const specreg_table *t, const sri_roles *roles);

#endif
