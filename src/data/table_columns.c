/* Columns of tables: a table of some of them, texts and other tables' columns put between them. */
#include <string.h>

#include "core/memory.h"
#include "data/table.h"

/* A text column of `rows` rows, row i of which is label[code[i]].  Labels are entered in their
 * order, so that codes stay the same where all labels are different. */
static specreg_status fill_texts(specreg_context *ctx, sri_column *c, const char *name,
                                 const int32_t *code, int64_t rows, const sri_texts *label)
{
    specreg_status st = SPECREG_OK;
    int32_t *map = NULL;
    SRI_ALLOC(ctx, map, label->count, 1);
    SRI_STRDUP(ctx, c->name, name);
    c->is_text = true;
    for (int64_t i = 0; i < label->count; i++)
        SRI_TRY(sri_texts_code(ctx, &c->texts, label->text[i], strlen(label->text[i]), &map[i]));
    SRI_ALLOC(ctx, c->code, rows, 1);
    for (int64_t i = 0; i < rows; i++)
        c->code[i] = code[i] < 0 ? -1 : map[code[i]];
done:
    sri_free(map);
    return st;
}

static specreg_status copy_numbers(specreg_context *ctx, const int64_t *from, int64_t count,
                                   int64_t **to)
{
    if (!from)
        return SPECREG_OK;
    *to = sri_alloc(ctx, count, 1, sizeof **to);
    if (*to)
        memcpy(*to, from, (size_t)count * sizeof **to);
    return *to ? SPECREG_OK : SPECREG_E_NOMEM;
}

specreg_status sri_table_columns(specreg_context *ctx, const specreg_table *from,
                                 const int64_t *columns, int64_t count, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *t = NULL;
    *out = NULL;
    SRI_TRY(sri_table_new_like(ctx, from, count, &t));
    t->read_seconds = from->read_seconds;
    t->rows = from->rows;
    t->n_numbers = 0;
    for (int64_t j = 0; j < count; j++) {
        const sri_column *c = &from->column[columns[j]];
        if (c->is_text)
            SRI_TRY(fill_texts(ctx, &t->column[j], c->name, c->code, t->rows, &c->texts));
        else
            SRI_STRDUP(ctx, t->column[j].name, c->name);
        t->column[j].number = c->is_text ? 0 : t->n_numbers++;
    }
    SRI_ALLOC(ctx, t->numbers, t->rows, t->n_numbers);
    for (int64_t j = 0; j < count; j++)
        for (int64_t i = 0; i < t->rows && !t->column[j].is_text; i++)
            t->numbers[i * t->n_numbers + t->column[j].number] =
                sri_cell_number(from, i, &from->column[columns[j]]);
    t->first_line = from->first_line; /* where the rows come from */
    t->first_row = from->first_row;
    if (from->places) {
        SRI_TRY(sri_places_new(ctx, from->rows, &t->places));
        SRI_TRY(sri_places_set(ctx, t->places, 0, from, NULL, from->rows));
    }
    t->origins = from->origins;
    SRI_TRY(copy_numbers(ctx, from->line, from->rows, &t->line));
    SRI_TRY(copy_numbers(ctx, from->origin, from->rows, &t->origin));
    SRI_MOVE(*out, t);
done:
    specreg_table_free(t);
    return st;
}

/* Puts a column, which the table owns from here on, at a place. */
static specreg_status insert(specreg_context *ctx, specreg_table *t, int64_t at, sri_column added)
{
    sri_column *columns = sri_alloc(ctx, t->n_columns + 1, 1, sizeof *columns);
    if (!columns) {
        sri_column_free(&added);
        return SPECREG_E_NOMEM;
    }
    memcpy(columns, t->column, (size_t)at * sizeof *columns);
    columns[at] = added;
    memcpy(columns + at + 1, t->column + at, (size_t)(t->n_columns - at) * sizeof *columns);
    sri_free(t->column);
    t->column = columns;
    t->n_columns++;
    return SPECREG_OK;
}

specreg_status sri_table_insert_text(specreg_context *ctx, specreg_table *t, int64_t at,
                                     const char *name, const int32_t *code, const sri_texts *label)
{
    specreg_status st = SPECREG_OK;
    sri_column added = {0};
    SRI_TRY(fill_texts(ctx, &added, name, code, t->rows, label));
    return insert(ctx, t, at, added);
done:
    sri_column_free(&added);
    return st;
}

specreg_status specreg_table_insert_text(specreg_context *ctx, specreg_table *table, int64_t at,
                                         const char *name, const char *const *text)
{
    SRI_ARGS(ctx, table, name, text);
    specreg_status st = SPECREG_OK;
    sri_column added = {.is_text = true};
    SRI_REQUIRE(ctx, at >= 0 && at <= table->n_columns, SPECREG_E_ARG,
                "a column cannot be put before column %lld of %lld", (long long)at,
                (long long)table->n_columns);
    SRI_TRY(sri_check_text(ctx, name, strlen(name)));
    SRI_STRDUP(ctx, added.name, name);
    SRI_ALLOC(ctx, added.code, table->rows, 1);
    for (int64_t i = 0; i < table->rows; i++) {
        added.code[i] = -1;
        if (text[i])
            SRI_TRY(sri_texts_code(ctx, &added.texts, text[i], strlen(text[i]), &added.code[i]));
    }
    return insert(ctx, table, at, added);
done:
    sri_column_free(&added);
    return st;
}

specreg_status sri_table_put_first(specreg_context *ctx, specreg_table *t,
                                   const specreg_table *from)
{
    specreg_status st = SPECREG_OK;
    const int64_t more = from->n_columns, wide = from->n_numbers, width = wide + t->n_numbers;
    sri_column *columns = NULL;
    double *numbers = NULL;
    SRI_CALLOC(ctx, columns, more + t->n_columns, 1);
    SRI_ALLOC(ctx, numbers, t->rows, width);
    for (int64_t j = 0; j < more; j++) {
        const sri_column *c = &from->column[j];
        if (c->is_text)
            SRI_TRY(fill_texts(ctx, &columns[j], c->name, c->code, t->rows, &c->texts));
        else
            SRI_STRDUP(ctx, columns[j].name, c->name);
        columns[j].number = c->number;
    }
    for (int64_t i = 0; i < t->rows; i++) {
        memcpy(numbers + i * width, from->numbers + i * wide, (size_t)wide * sizeof *numbers);
        memcpy(numbers + i * width + wide, t->numbers + i * t->n_numbers,
               (size_t)t->n_numbers * sizeof *numbers);
    }
    for (int64_t j = 0; j < t->n_columns; j++) {
        columns[more + j] = t->column[j];
        columns[more + j].number += wide;
    }
    sri_free(t->column);
    sri_free(t->numbers);
    t->column = columns;
    t->numbers = numbers;
    t->n_columns += more;
    t->n_numbers = width;
    return SPECREG_OK;
done:
    for (int64_t j = 0; columns && j < more; j++)
        sri_column_free(&columns[j]);
    sri_free(columns);
    sri_free(numbers);
    return st;
}

/* One more number for each row, at the end. */
static specreg_status widen_numbers(specreg_context *ctx, specreg_table *t,
                                    const specreg_table *from, const sri_column *column)
{
    const int64_t old = t->n_numbers, width = old + 1;
    double *numbers;
    SRI_NEW(ctx, numbers, t->rows, width);
    for (int64_t i = 0; i < t->rows; i++) {
        if (old > 0)
            memcpy(numbers + i * width, t->numbers + i * old, (size_t)old * sizeof *numbers);
        numbers[i * width + old] = sri_cell_number(from, i, column);
    }
    sri_free(t->numbers);
    t->numbers = numbers;
    t->n_numbers = width;
    return SPECREG_OK;
}

specreg_status sri_table_put_last(specreg_context *ctx, specreg_table *t, const sri_column *column,
                                  const specreg_table *from, const char *name)
{
    specreg_status st = SPECREG_OK;
    sri_column added = {0};
    if (column->is_text)
        return sri_table_insert_text(ctx, t, t->n_columns, name, column->code, &column->texts);
    SRI_STRDUP(ctx, added.name, name);
    added.number = t->n_numbers;
    SRI_TRY(widen_numbers(ctx, t, from, column));
    return insert(ctx, t, t->n_columns, added);
done:
    sri_column_free(&added);
    return st;
}
