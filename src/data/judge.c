#include "data/judge.h"

#include <string.h>

enum {
    MANY_CATEGORIES = 50, /* to be encoded without a word */
    FEW_CATEGORIES = 10,  /* are never many               */
    FEWEST_ROWS = 20,     /* to call a column a count or an identifier */
    LONG_TEXT = 25,       /* bytes of free text, on average */
    MANY_BLANKS = 3,      /* in it                          */
    NAMED = 5             /* columns that a sentence names  */
};

static int64_t count_gaps(const specreg_table *t, int64_t column)
{
    int64_t gaps = 0;
    for (int64_t i = 0; i < t->rows; i++)
        gaps += sri_table_gap(t, i, column);
    return gaps;
}

static bool is_constant(const specreg_table *t, const sri_column *c)
{
    const double first = sri_cell_number(t, 0, c);
    int64_t i = 1;
    while (i < t->rows && sri_cell_number(t, i, c) == first)
        i++;
    return i == t->rows;
}

/* A single input in order is what a sorted table of one input looks like. */
static sri_doubt number_doubt(const specreg_table *t, int64_t column, const sri_roles *roles)
{
    if (is_constant(t, &t->column[column]))
        return SRI_DOUBT_CONSTANT;
    return t->rows >= FEWEST_ROWS && sri_column_counts_up(t, column) &&
                   sri_count_inputs(t, roles) > 1
               ? SRI_DOUBT_COUNTS_UP
               : SRI_DOUBT_NONE;
}

static bool is_free_text(const sri_texts *texts)
{
    int64_t bytes = 0, blanks = 0;
    for (int64_t k = 0; k < texts->count; k++)
        for (const char *s = texts->text[k]; *s; s++) {
            bytes++;
            blanks += *s == ' ';
        }
    return texts->count > FEW_CATEGORIES && bytes >= LONG_TEXT * texts->count &&
           blanks >= MANY_BLANKS * texts->count;
}

static sri_doubt text_doubt(const specreg_table *t, int64_t column, sri_date_order dates)
{
    const sri_texts *texts = &t->column[column].texts;
    const int64_t n = texts->count;
    if (n <= 1)
        return SRI_DOUBT_CONSTANT;
    if (sri_column_dates(&t->column[column], dates) != SRI_DATES_NONE)
        return SRI_DOUBT_NONE;
    if (dates == SRI_DATES_AUTO && sri_dates_find(texts) == SRI_DATES_AUTO)
        return SRI_DOUBT_DATES;
    if (is_free_text(texts))
        return SRI_DOUBT_FREE_TEXT;
    if (n >= FEWEST_ROWS && n == t->rows - count_gaps(t, column))
        return SRI_DOUBT_ALL_DIFFERENT;
    return n > MANY_CATEGORIES || (n > FEW_CATEGORIES && n > t->rows / 10) ? SRI_DOUBT_MANY
                                                                           : SRI_DOUBT_NONE;
}

sri_doubt sri_column_doubt(const specreg_table *t, int64_t column, const sri_roles *roles,
                           sri_date_order dates)
{
    if (roles->left_out && roles->left_out[column] == SRI_LEFT_ROW_NUMBER)
        return SRI_DOUBT_ROW_NUMBER;
    if (!sri_is_input(roles, column) || t->rows < 2)
        return SRI_DOUBT_NONE;
    return t->column[column].is_text ? text_doubt(t, column, dates)
                                     : number_doubt(t, column, roles);
}

/* What a column is for, where it is no input; NULL: it is one. */
static const char *role_of(const sri_roles *roles, int64_t column)
{
    if (sri_lists(roles->target, roles->n_targets, column))
        return "target";
    if (column == roles->group)
        return "group";
    if (column == roles->weights)
        return "weights";
    if (column == roles->task)
        return "task";
    if (column == roles->id)
        return "id, carried into predictions";
    if (!roles->left_out || !roles->left_out[column])
        return NULL;
    return roles->left_out[column] == SRI_LEFT_ROW_NUMBER ? "left out: it numbers the rows"
                                                          : "left out";
}

specreg_status sri_column_becomes(specreg_context *ctx, const specreg_table *t, int64_t column,
                                  const sri_roles *roles, const sri_encode_how *how,
                                  sri_buffer *out)
{
    static const char *const doubtful[SRI_DOUBTS] = {[SRI_DOUBT_CONSTANT] = ", constant",
                                                     [SRI_DOUBT_COUNTS_UP] = ", counts up",
                                                     [SRI_DOUBT_DATES] = ", dates in either order",
                                                     [SRI_DOUBT_FREE_TEXT] = ", free text",
                                                     [SRI_DOUBT_ALL_DIFFERENT] = ", all different"};
    const sri_column *c = &t->column[column];
    const char *role = role_of(roles, column);
    if (role)
        return sri_buffer_print(ctx, out, "%s", role);
    if (sri_column_dates(c, how->dates) != SRI_DATES_NONE)
        SRI_CALL(sri_buffer_print(ctx, out, "year, month, weekday, days"));
    else if (c->is_text)
        SRI_CALL(sri_buffer_print(ctx, out, "%lld categor%s", (long long)c->texts.count,
                                  c->texts.count == 1 ? "y" : "ies"));
    else
        SRI_CALL(sri_buffer_print(ctx, out, "number"));
    const char *doubt = doubtful[sri_column_doubt(t, column, roles, how->dates)];
    SRI_CALL(sri_buffer_print(ctx, out, "%s", doubt ? doubt : ""));
    if (count_gaps(t, column) == 0 || how->missing == SRI_MISSING_DROP)
        return SPECREG_OK;
    return sri_buffer_print(ctx, out, "%s",
                            how->missing == SRI_MISSING_ERROR       ? ", needs --missing"
                            : how->missing == SRI_MISSING_INDICATOR ? ", missing"
                                                                    : "");
}

/* What follows the names: of one column, of several. */
static const char *const sentence[SRI_DOUBTS][2] = {
    [SRI_DOUBT_ROW_NUMBER] = {"numbers the rows and is left out (--columns '*' takes it)",
                              "number the rows and are left out (--columns '*' takes them)"},
    [SRI_DOUBT_CONSTANT] = {"is constant and cannot help (see --drop)",
                            "are constant and cannot help (see --drop)"},
    [SRI_DOUBT_COUNTS_UP] = {"counts up from row to row: is it an input? (see --drop)",
                             "count up from row to row: are they inputs? (see --drop)"},
    [SRI_DOUBT_DATES] = {"holds dates in which day and month cannot be told apart, taken as "
                         "categories: give --dates dmy or mdy",
                         "hold dates in which day and month cannot be told apart, taken as "
                         "categories: give --dates dmy or mdy"},
    [SRI_DOUBT_FREE_TEXT] = {"looks like free text and is encoded as categories: --text "
                             "--text-column makes words of it, --drop leaves it out",
                             "look like free text and are encoded as categories: --text "
                             "--text-column makes words of one, --drop leaves them out"},
    [SRI_DOUBT_ALL_DIFFERENT] = {"has a different text in every row, from which nothing can be "
                                 "learned: --id carries it into predictions, --drop leaves it out",
                                 "have a different text in every row, from which nothing can be "
                                 "learned: --drop leaves them out"},
    [SRI_DOUBT_MANY] = {"has many categories, each a column of its own (--drop leaves it out)",
                        "have many categories, each a column of its own (--drop leaves them out)"}};

static int64_t count_doubtful(const specreg_table *t, const sri_roles *roles, sri_date_order dates,
                              sri_doubt doubt)
{
    int64_t found = 0;
    for (int64_t c = 0; c < t->n_columns; c++)
        found += sri_column_doubt(t, c, roles, dates) == doubt;
    return found;
}

specreg_status sri_doubt_text(specreg_context *ctx, const specreg_table *t, const sri_roles *roles,
                              sri_date_order dates, sri_doubt doubt, sri_buffer *out)
{
    const int64_t all = count_doubtful(t, roles, dates, doubt);
    int64_t named = 0;
    if (all == 0)
        return SPECREG_OK;
    SRI_CALL(sri_buffer_print(ctx, out, "column%s", all > 1 ? "s" : ""));
    for (int64_t c = 0; c < t->n_columns && named < NAMED; c++) {
        if (sri_column_doubt(t, c, roles, dates) != doubt)
            continue;
        SRI_CALL(sri_buffer_print(ctx, out, "%s '%s'", named++ ? "," : "", t->column[c].name));
        if (doubt == SRI_DOUBT_MANY)
            SRI_CALL(sri_buffer_print(ctx, out, " (%lld)", (long long)t->column[c].texts.count));
    }
    if (all > named)
        SRI_CALL(sri_buffer_print(ctx, out, " and %lld more", (long long)(all - named)));
    return sri_buffer_print(ctx, out, " %s", sentence[doubt][all > 1]);
}
