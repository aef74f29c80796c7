#include "data/inputs.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "core/memory.h"

enum { FEWEST_ROWS = 3 }; /* for numbers to count up */

static specreg_status mark_pattern(specreg_context *ctx, const specreg_table *t,
                                   const char *pattern, bool *marked)
{
    int64_t found = 0;
    for (int64_t c = 0; c < t->n_columns; c++)
        if (fnmatch(pattern, t->column[c].name, 0) == 0) {
            marked[c] = true;
            found++;
        }
    SRI_CHECK(ctx, found, SPECREG_E_ARG, "%s: no column has a name like '%s'", t->source, pattern);
    return SPECREG_OK;
}

/* The mark between the ends of a range: a ':' between names or numbers, a '-' between numbers. */
static char *range_mark(char *item)
{
    const size_t digits = strspn(item, "0123456789");
    const size_t more = item[digits] == '-' ? strspn(item + digits + 1, "0123456789") : 0;
    if (digits && more && !item[digits + 1 + more])
        return item + digits;
    char *colon = strchr(item, ':');
    return colon && colon > item && colon[1] ? colon : NULL;
}

/* A name or a number, a pattern, a range; a name that looks like one of the others is a name. */
static specreg_status mark_item(specreg_context *ctx, const specreg_table *t, char *item,
                                bool *marked)
{
    char *mark = NULL;
    if (sri_table_find_name(t, item) < 0) {
        if (strpbrk(item, "*?["))
            return mark_pattern(ctx, t, item, marked);
        mark = range_mark(item);
    }
    if (mark)
        *mark = '\0';
    const int64_t first = sri_table_find(ctx, t, item);
    const int64_t last = mark && first >= 0 ? sri_table_find(ctx, t, mark + 1) : first;
    if (first < 0 || last < 0)
        return SPECREG_E_ARG;
    SRI_CHECK(ctx, first <= last, SPECREG_E_ARG, "%s: column '%s' comes after '%s'", t->source,
              t->column[first].name, t->column[last].name);
    for (int64_t c = first; c <= last; c++)
        marked[c] = true;
    return SPECREG_OK;
}

specreg_status sri_columns_mark(specreg_context *ctx, const specreg_table *t, const char *list,
                                bool *marked)
{
    specreg_status st = SPECREG_OK;
    char *copy = NULL, *item;
    SRI_REQUIRE(ctx, !t->sparse, SPECREG_E_ARG,
                "%s: columns of sparse data and of documents cannot be chosen", t->source);
    const int64_t whole = sri_table_find_name(t, list); /* a name may have commas in it */
    if (whole >= 0) {
        marked[whole] = true;
        return SPECREG_OK;
    }
    SRI_STRDUP(ctx, copy, list);
    for (char *rest = copy; (item = strsep(&rest, ","));) {
        item += strspn(item, " ");
        for (size_t n = strlen(item); n && item[n - 1] == ' ';)
            item[--n] = '\0';
        SRI_REQUIRE(ctx, *item, SPECREG_E_ARG, "a list of columns has an empty name: '%s'", list);
        SRI_TRY(mark_item(ctx, t, item, marked));
    }
done:
    sri_free(copy);
    return st;
}

specreg_status sri_inputs_drop(specreg_context *ctx, const specreg_table *t,
                               const sri_role_names *names, sri_roles *roles)
{
    specreg_status st = SPECREG_OK;
    bool *marked = NULL;
    if (!names->left_out && !(names->drop && *names->drop))
        return SPECREG_OK;
    SRI_CALLOC(ctx, roles->left_out, t->n_columns, 1);
    if (names->left_out) { /* a part of a table for which this is known */
        memcpy(roles->left_out, names->left_out, (size_t)t->n_columns * sizeof *names->left_out);
        return SPECREG_OK;
    }
    SRI_CALLOC(ctx, marked, t->n_columns, 1);
    SRI_TRY(sri_columns_mark(ctx, t, names->drop, marked));
    for (int64_t c = 0; c < t->n_columns; c++)
        roles->left_out[c] = marked[c] ? SRI_LEFT_DROPPED : SRI_LEFT_IN;
done:
    sri_free(marked);
    return st;
}

bool sri_column_counts_up(const specreg_table *t, int64_t column)
{
    const sri_column *c = &t->column[column];
    double last = -INFINITY;
    if (c->is_text || t->rows < FEWEST_ROWS)
        return false;
    for (int64_t i = 0; i < t->rows; i++) {
        const double x = sri_cell_number(t, i, c);
        if (!(x > last) || x != rint(x))
            return false;
        last = x;
    }
    return true;
}

/* A first column without a name, or one named id, index or row.  pandas calls the first, when it
 * reads it again, "Unnamed: 0". */
static bool named_as_row_number(const specreg_table *t, int64_t column)
{
    static const char *const usual[] = {"id", "index", "row"};
    const char *name = t->column[column].name;
    if (!t->has_header)
        return false;
    for (int i = 0; i < 3; i++)
        if (strcasecmp(name, usual[i]) == 0)
            return true;
    return column == 0 && (t->first_is_unnamed || strcmp(name, "Unnamed: 0") == 0);
}

int64_t sri_count_inputs(const specreg_table *t, const sri_roles *roles)
{
    int64_t inputs = 0;
    for (int64_t c = 0; c < t->n_columns; c++)
        inputs += sri_is_input(roles, c);
    return inputs;
}

/* Leaves out the numbers of the rows where another input remains. */
static specreg_status leave_row_numbers(specreg_context *ctx, const specreg_table *t,
                                        sri_roles *roles)
{
    int64_t inputs = sri_count_inputs(t, roles);
    for (int64_t c = 0; c < t->n_columns && inputs > 1; c++) {
        if (!sri_is_input(roles, c) || !named_as_row_number(t, c) || !sri_column_counts_up(t, c))
            continue;
        if (!roles->left_out)
            SRI_NEW_ZERO(ctx, roles->left_out, t->n_columns, 1);
        roles->left_out[c] = SRI_LEFT_ROW_NUMBER;
        inputs--;
    }
    return SPECREG_OK;
}

static specreg_status keep_columns(specreg_context *ctx, const specreg_table *t, const char *list,
                                   sri_roles *roles)
{
    specreg_status st = SPECREG_OK;
    bool *marked = NULL;
    SRI_CALLOC(ctx, marked, t->n_columns, 1);
    SRI_TRY(sri_columns_mark(ctx, t, list, marked));
    if (!roles->left_out)
        SRI_CALLOC(ctx, roles->left_out, t->n_columns, 1);
    for (int64_t c = 0; c < t->n_columns; c++)
        if (!marked[c] && sri_is_input(roles, c))
            roles->left_out[c] = SRI_LEFT_DROPPED;
done:
    sri_free(marked);
    return st;
}

specreg_status sri_inputs_choose(specreg_context *ctx, const specreg_table *t,
                                 const sri_role_names *names, sri_roles *roles)
{
    const bool listed = names->columns && *names->columns;
    for (int64_t k = 0; roles->left_out && k < roles->n_targets; k++)
        SRI_CHECK(ctx, roles->left_out[roles->target[k]] != SRI_LEFT_DROPPED || names->left_out,
                  SPECREG_E_ARG, "%s: column '%s' is the target, it cannot be dropped", t->source,
                  t->column[roles->target[k]].name);
    if (!names->left_out && listed)
        SRI_CALL(keep_columns(ctx, t, names->columns, roles));
    if (!names->left_out && !listed && !t->sparse)
        SRI_CALL(leave_row_numbers(ctx, t, roles));
    SRI_CHECK(ctx, t->sparse || sri_count_inputs(t, roles) > 0, SPECREG_E_SHAPE,
              "%s has no feature columns", t->source);
    return SPECREG_OK;
}
