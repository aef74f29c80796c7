/* A table of some of another's columns. */
#include <string.h>

#include "core/memory.h"
#include "data/table.h"

static specreg_status copy_texts(specreg_context *ctx, const sri_column *from, int64_t rows,
                                 sri_column *to)
{
    specreg_status st = SPECREG_OK;
    int32_t code;
    to->is_text = true;
    for (int64_t k = 0; k < from->texts.count; k++) /* in their order: the codes stay the same */
        SRI_TRY(sri_texts_code(ctx, &to->texts, from->texts.text[k], strlen(from->texts.text[k]),
                               &code));
    SRI_ALLOC(ctx, to->code, rows, 1);
    if (rows)
        memcpy(to->code, from->code, (size_t)rows * sizeof *to->code);
done:
    return st;
}

static specreg_status copy_numbers(specreg_context *ctx, const int64_t *from, int64_t count,
                                   int64_t **to)
{
    specreg_status st = SPECREG_OK;
    if (!from)
        return SPECREG_OK;
    SRI_ALLOC(ctx, *to, count, 1);
    if (count)
        memcpy(*to, from, (size_t)count * sizeof **to);
done:
    return st;
}

/* Where the rows come from. */
static specreg_status copy_places(specreg_context *ctx, const specreg_table *from,
                                  specreg_table *to)
{
    specreg_status st = SPECREG_OK;
    to->first_line = from->first_line;
    to->origins = from->origins;
    SRI_TRY(copy_numbers(ctx, from->line, from->rows, &to->line));
    SRI_TRY(copy_numbers(ctx, from->origin, from->rows, &to->origin));
done:
    return st;
}

specreg_status sri_table_columns(specreg_context *ctx, const specreg_table *from,
                                 const int64_t *columns, int64_t count, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *t = NULL;
    *out = NULL;
    SRI_TRY(sri_table_new(ctx, from->source, count, &t));
    t->format = from->format;
    t->delimiter = from->delimiter;
    t->has_header = from->has_header;
    t->read_seconds = from->read_seconds;
    t->rows = from->rows;
    t->n_numbers = 0;
    for (int64_t j = 0; j < count; j++) {
        const sri_column *c = &from->column[columns[j]];
        SRI_TRY(sri_table_set_name(ctx, t, j, c->name, strlen(c->name)));
        if (c->is_text)
            SRI_TRY(copy_texts(ctx, c, from->rows, &t->column[j]));
        else
            t->column[j].number = t->n_numbers++;
    }
    SRI_ALLOC(ctx, t->numbers, t->rows, t->n_numbers);
    for (int64_t j = 0; j < count; j++)
        for (int64_t i = 0; i < t->rows && !t->column[j].is_text; i++)
            t->numbers[i * t->n_numbers + t->column[j].number] =
                from->numbers[i * from->n_numbers + from->column[columns[j]].number];
    SRI_TRY(copy_places(ctx, from, t));
    *out = t;
    t = NULL;
done:
    specreg_table_free(t);
    return st;
}
