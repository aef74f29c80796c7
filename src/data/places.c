/* Where rows come from: messages name the file, and the line or the row there. */
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "data/table.h"

/* As in sri_places. */
static int64_t number_of(const specreg_table *t, int64_t row)
{
    if (t->places)
        return t->places->number[row];
    if (t->line || t->first_line > 0)
        return t->line ? t->line[row] : t->first_line + row;
    return -(t->first_row + sri_table_origin(t, row) + 1);
}

static const char *file_of(const specreg_table *t, int64_t row)
{
    return t->places ? t->places->files.text[t->places->file[row]] : t->source;
}

specreg_status sri_places_new(specreg_context *ctx, int64_t rows, sri_places **out)
{
    SRI_NEW_ZERO(ctx, *out, 1, 1);
    SRI_NEW(ctx, (*out)->file, rows, 1);
    SRI_NEW(ctx, (*out)->number, rows, 1);
    return SPECREG_OK;
}

specreg_status sri_places_set(specreg_context *ctx, sri_places *p, int64_t at,
                              const specreg_table *from, const int64_t *row, int64_t count)
{
    const char *last = NULL;
    for (int64_t i = 0; i < count; i++) {
        const int64_t r = row ? row[i] : i;
        const char *file = file_of(from, r);
        p->number[at + i] = number_of(from, r);
        if (file == last)
            p->file[at + i] = p->file[at + i - 1];
        else
            SRI_CALL(sri_texts_code(ctx, &p->files, file, strlen(file), &p->file[at + i]));
        last = file;
    }
    return SPECREG_OK;
}

void sri_places_free(sri_places *p)
{
    if (!p)
        return;
    sri_texts_free(&p->files);
    sri_free(p->file);
    sri_free(p->number);
    sri_free(p);
}

char *sri_table_place(const specreg_table *t, int64_t row, char *buffer, size_t size)
{
    const int64_t number = number_of(t, row);
    if (number > 0)
        snprintf(buffer, size, "%s:%lld", file_of(t, row), (long long)number);
    else
        snprintf(buffer, size, "%s: row %lld", file_of(t, row), -(long long)number);
    return buffer;
}
