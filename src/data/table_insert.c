/* Columns for a table of numbers: a text, as predictions need it, or those of another table. */
#include <string.h>

#include "core/arena.h"
#include "data/table.h"

/* Enters the labels in their order, so that codes into `label` are codes into the dictionary. */
static specreg_status fill_column(specreg_context *ctx, sri_column *c, const char *name,
                                  const int32_t *code, int64_t rows, const char *const *label,
                                  int64_t n_labels)
{
    specreg_status st = SPECREG_OK;
    int32_t *map = NULL;
    SRI_ALLOC(ctx, map, n_labels, 1);
    SRI_STRDUP(ctx, c->name, name);
    c->is_text = true;
    for (int64_t i = 0; i < n_labels; i++)
        SRI_TRY(sri_texts_code(ctx, &c->texts, label[i], strlen(label[i]), &map[i]));
    SRI_ALLOC(ctx, c->code, rows, 1);
    for (int64_t i = 0; i < rows; i++)
        c->code[i] = code[i] < 0 ? -1 : map[code[i]];
done:
    sri_free(map);
    return st;
}

specreg_status sri_table_insert_text(specreg_context *ctx, specreg_table *t, int64_t at,
                                     const char *name, const int32_t *code,
                                     const char *const *label, int64_t n_labels)
{
    specreg_status st = SPECREG_OK;
    sri_column *columns = NULL, added = {0};
    SRI_ALLOC(ctx, columns, t->n_columns + 1, 1);
    SRI_TRY(fill_column(ctx, &added, name, code, t->rows, label, n_labels));
    memcpy(columns, t->column, (size_t)at * sizeof *columns);
    columns[at] = added;
    memcpy(columns + at + 1, t->column + at, (size_t)(t->n_columns - at) * sizeof *columns);
    sri_free(t->column);
    t->column = columns;
    t->n_columns++;
    return SPECREG_OK;
done:
    sri_texts_free(&added.texts);
    sri_free(added.code);
    sri_free(added.name);
    sri_free(columns);
    return st;
}

specreg_status specreg_table_insert_text(specreg_context *ctx, specreg_table *table, int64_t at,
                                         const char *name, const char *const *text)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    int32_t *code;
    const char **label;
    int64_t labels = 0;
    SRI_REQUIRE(ctx, at >= 0 && at <= table->n_columns, SPECREG_E_ARG,
                "a column cannot be put before column %lld of %lld", (long long)at,
                (long long)table->n_columns);
    SRI_TRY(sri_check_text(ctx, name, strlen(name)));
    SRI_SCRATCH(ctx, &scratch, code, table->rows, 1);
    SRI_SCRATCH(ctx, &scratch, label, table->rows, 1);
    for (int64_t i = 0; i < table->rows; i++) {
        code[i] = text[i] ? (int32_t)labels : -1;
        if (!text[i])
            continue;
        SRI_TRY(sri_check_text(ctx, text[i], strlen(text[i])));
        label[labels++] = text[i];
    }
    SRI_TRY(sri_table_insert_text(ctx, table, at, name, code, label, labels));
done:
    sri_arena_free(&scratch);
    return st;
}

/* Room for `count` columns of numbers before those that are there. */
static specreg_status widen_numbers(specreg_context *ctx, specreg_table *t, int64_t count)
{
    specreg_status st = SPECREG_OK;
    const int64_t old = t->n_numbers, width = old + count;
    double *numbers = NULL;
    SRI_ALLOC(ctx, numbers, t->rows, width);
    for (int64_t i = 0; i < t->rows; i++)
        memcpy(numbers + i * width + count, t->numbers + i * old, (size_t)old * sizeof *numbers);
    sri_free(t->numbers);
    t->numbers = numbers;
    t->n_numbers = width;
    for (int64_t j = 0; j < t->n_columns; j++)
        t->column[j].number += count;
done:
    return st;
}

/* One more number column, the first; its numbers are column `number` of those that widen_numbers
 * made. */
static specreg_status put_number(specreg_context *ctx, specreg_table *t, const char *name,
                                 int64_t number)
{
    specreg_status st = SPECREG_OK;
    sri_column *columns = NULL, added = {.number = number};
    SRI_ALLOC(ctx, columns, t->n_columns + 1, 1);
    SRI_STRDUP(ctx, added.name, name);
    memcpy(columns + 1, t->column, (size_t)t->n_columns * sizeof *columns);
    columns[0] = added;
    sri_free(t->column);
    t->column = columns;
    t->n_columns++;
    return SPECREG_OK;
done:
    sri_free(columns);
    return st;
}

specreg_status sri_table_put_first(specreg_context *ctx, specreg_table *t,
                                   const specreg_table *from)
{
    specreg_status st = SPECREG_OK;
    const int64_t wide = from->n_numbers;
    SRI_TRY(widen_numbers(ctx, t, wide));
    for (int64_t i = 0; i < t->rows; i++)
        memcpy(t->numbers + i * t->n_numbers, from->numbers + i * wide,
               (size_t)wide * sizeof *t->numbers);
    for (int64_t j = from->n_columns - 1; j >= 0; j--) {
        const sri_column *c = &from->column[j];
        if (c->is_text)
            SRI_TRY(sri_table_insert_text(ctx, t, 0, c->name, c->code,
                                          (const char *const *)c->texts.text, c->texts.count));
        else
            SRI_TRY(put_number(ctx, t, c->name, c->number));
    }
done:
    return st;
}
