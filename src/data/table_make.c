/* New tables from others: by choosing rows, by taking numbers for texts. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/table.h"

static int64_t line_of(const specreg_table *t, int64_t row)
{
    return t->line ? t->line[row] : t->first_line + row;
}

static specreg_status select_numbers(specreg_context *ctx, const specreg_table *from,
                                     const int64_t *rows, int64_t count, specreg_table *to)
{
    sri_table_place_numbers(to, from);
    SRI_NEW(ctx, to->numbers, count, to->n_numbers);
    for (int64_t i = 0; i < count; i++)
        sri_table_copy_numbers(to, from, rows[i], to->numbers + i * to->n_numbers);
    return SPECREG_OK;
}

/* Where the rows come from. */
static specreg_status select_places(specreg_context *ctx, const specreg_table *from,
                                    const int64_t *rows, int64_t count, specreg_table *to)
{
    SRI_NEW(ctx, to->origin, count, 1);
    to->origins = sri_table_origins(from);
    for (int64_t i = 0; i < count; i++)
        to->origin[i] = sri_table_origin(from, rows[i]);
    to->first_row = from->first_row;
    if (from->places) {
        SRI_CALL(sri_places_new(ctx, count, &to->places));
        return sri_places_set(ctx, to->places, 0, from, rows, count);
    }
    if (!from->line && from->first_line == 0)
        return SPECREG_OK;
    SRI_NEW(ctx, to->line, count, 1);
    for (int64_t i = 0; i < count; i++)
        to->line[i] = line_of(from, rows[i]);
    return SPECREG_OK;
}

/* The dictionary is made anew: a text that is not among the rows is not a text of the table. */
static specreg_status select_texts(specreg_context *ctx, const sri_column *from,
                                   const int64_t *rows, int64_t count, sri_column *to)
{
    to->is_text = from->is_text;
    if (!from->is_text)
        return SPECREG_OK;
    SRI_NEW(ctx, to->code, count, 1);
    for (int64_t i = 0; i < count; i++) {
        const int32_t code = from->code[rows[i]];
        const char *text = code < 0 ? NULL : from->texts.text[code];
        to->code[i] = -1;
        if (text)
            SRI_CALL(sri_texts_code(ctx, &to->texts, text, strlen(text), &to->code[i]));
    }
    return SPECREG_OK;
}

specreg_status specreg_table_select(specreg_context *ctx, const specreg_table *from,
                                    const int64_t *rows, int64_t count, specreg_table **out)
{
    SRI_MAKES(ctx, out, from);
    specreg_status st = SPECREG_OK;
    specreg_table *t = NULL;
    SRI_REQUIRE(ctx, count == 0 || (rows && count > 0), SPECREG_E_ARG, "cannot choose %lld rows",
                (long long)count);
    for (int64_t i = 0; i < count; i++)
        SRI_REQUIRE(ctx, rows[i] >= 0 && rows[i] < from->rows, SPECREG_E_ARG,
                    "%s: there is no row %lld: the rows are 0 to %lld", from->source,
                    (long long)rows[i], (long long)from->rows - 1);
    SRI_TRY(sri_table_new_like(ctx, from, from->n_columns, &t));
    t->rows = count;
    for (int64_t j = 0; j < t->n_columns; j++) {
        const char *name = from->column[j].name;
        if (name)
            SRI_TRY(sri_table_set_name(ctx, t, j, name, strlen(name)));
        SRI_TRY(select_texts(ctx, &from->column[j], rows, count, &t->column[j]));
    }
    SRI_TRY(select_numbers(ctx, from, rows, count, t));
    SRI_TRY(select_places(ctx, from, rows, count, t));
    if (from->sparse) {
        SRI_CALLOC(ctx, t->sparse, 1, 1);
        SRI_TRY(sri_matrix_gather(ctx, from->sparse, rows, count, t->sparse));
        SRI_TRY(sri_table_name_sparse(ctx, t));
    }
    SRI_MOVE(*out, t);
done:
    specreg_table_free(t);
    return st;
}

/* Takes column `gone` out of the matrix, in place: rows move towards the front. */
static void drop_number(specreg_table *t, int64_t gone)
{
    const int64_t old = t->n_numbers;
    double *to = t->numbers;
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t j = 0; j < old; j++)
            if (j != gone)
                *to++ = t->numbers[i * old + j];
    t->n_numbers--;
    for (int64_t j = 0; j < t->n_columns; j++)
        if (!t->column[j].is_text && t->column[j].number > gone)
            t->column[j].number--;
}

specreg_status sri_table_make_text(specreg_context *ctx, specreg_table *t, int64_t col)
{
    sri_column *c = &t->column[col];
    if (c->is_text)
        return SPECREG_OK;
    SRI_NEW(ctx, c->code, t->rows, 1);
    for (int64_t i = 0; i < t->rows; i++) {
        const double v = sri_cell_number(t, i, c);
        char text[32];
        c->code[i] = -1;
        if (isnan(v))
            continue;
        sri_format_double(v, text);
        SRI_CALL(sri_texts_code(ctx, &c->texts, text, strlen(text), &c->code[i]));
    }
    c->is_text = true;
    if (c->number >= 0)
        drop_number(t, c->number);
    return SPECREG_OK;
}

specreg_status sri_table_categorical(specreg_context *ctx, specreg_table *t, const char *list)
{
    specreg_status st = SPECREG_OK;
    char *names = NULL, *name;
    SRI_STRDUP(ctx, names, list);
    for (char *rest = names; (name = strsep(&rest, ","));) {
        if (!*name && !rest) /* a comma at the end */
            break;
        const int64_t col = sri_table_find(ctx, t, name);
        SRI_TRY(col < 0 ? SPECREG_E_ARG : sri_table_make_text(ctx, t, col));
    }
done:
    sri_free(names);
    return st;
}
