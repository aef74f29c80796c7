/* One table of several with the same columns, one after the other. */
#include <string.h>

#include "core/memory.h"
#include "data/table.h"

typedef struct joined {
    specreg_table *const *part;
    int64_t parts, rows;
    specreg_table *t;
} joined;

static specreg_status join_numbers(specreg_context *ctx, const joined *j)
{
    const int64_t width = j->part[0]->n_numbers;
    double *to;
    j->t->n_numbers = width;
    SRI_NEW(ctx, j->t->numbers, j->rows, width);
    to = j->t->numbers;
    for (int64_t k = 0; k < j->parts; k++) {
        const int64_t count = j->part[k]->rows * width;
        if (count > 0)
            memcpy(to, j->part[k]->numbers, (size_t)count * sizeof *to);
        to += count;
    }
    return SPECREG_OK;
}

/* A part's codes by the dictionary of the joined column. */
static specreg_status join_codes(specreg_context *ctx, const sri_column *from, int64_t rows,
                                 sri_texts *texts, int32_t *code)
{
    specreg_status st = SPECREG_OK;
    int32_t *map = NULL;
    SRI_ALLOC(ctx, map, from->texts.count, 1);
    for (int64_t i = 0; i < from->texts.count; i++)
        SRI_TRY(
            sri_texts_code(ctx, texts, from->texts.text[i], strlen(from->texts.text[i]), &map[i]));
    for (int64_t i = 0; i < rows; i++)
        code[i] = from->code[i] < 0 ? -1 : map[from->code[i]];
done:
    sri_free(map);
    return st;
}

static specreg_status join_column(specreg_context *ctx, const joined *j, int64_t col)
{
    const sri_column *first = &j->part[0]->column[col];
    sri_column *c = &j->t->column[col];
    int64_t at = 0;
    SRI_NEW_TEXT(ctx, c->name, first->name);
    c->is_text = first->is_text;
    c->number = first->number;
    if (!c->is_text)
        return SPECREG_OK;
    SRI_NEW(ctx, c->code, j->rows, 1);
    for (int64_t k = 0; k < j->parts; k++) {
        SRI_CALL(
            join_codes(ctx, &j->part[k]->column[col], j->part[k]->rows, &c->texts, c->code + at));
        at += j->part[k]->rows;
    }
    return SPECREG_OK;
}

/* Rows of a sparse matrix after those that are there. */
static void join_entries(const sri_matrix *from, int64_t at, sri_matrix *to)
{
    const int64_t before = to->start[at], count = sri_matrix_entries(from);
    if (count > 0) {
        memcpy(to->index + before, from->index, (size_t)count * sizeof *to->index);
        memcpy(to->value + before, from->value, (size_t)count * sizeof *to->value);
    }
    for (int64_t i = 0; i < from->n; i++)
        to->start[at + i + 1] = before + from->start[i + 1];
}

/* The columns are those of the widest part. */
static specreg_status join_sparse(specreg_context *ctx, const joined *j)
{
    int64_t p = 0, entries = 0, at = 0;
    if (!j->part[0]->sparse)
        return SPECREG_OK;
    for (int64_t k = 0; k < j->parts; k++) {
        const sri_matrix *s = j->part[k]->sparse;
        p = s->p > p ? s->p : p;
        entries += sri_matrix_entries(s);
    }
    SRI_NEW_ZERO(ctx, j->t->sparse, 1, 1);
    SRI_CALL(sri_matrix_new_sparse(ctx, j->rows, p, entries, j->t->sparse));
    for (int64_t k = 0; k < j->parts; k++) {
        join_entries(j->part[k]->sparse, at, j->t->sparse);
        at += j->part[k]->rows;
    }
    return sri_table_name_sparse(ctx, j->t);
}

static specreg_status join_places(specreg_context *ctx, const joined *j)
{
    int64_t at = 0;
    SRI_CALL(sri_places_new(ctx, j->rows, &j->t->places));
    for (int64_t k = 0; k < j->parts; k++) {
        SRI_CALL(sri_places_set(ctx, j->t->places, at, j->part[k], NULL, j->part[k]->rows));
        at += j->part[k]->rows;
    }
    return SPECREG_OK;
}

specreg_status sri_table_join(specreg_context *ctx, specreg_table *const *part, int64_t parts,
                              specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    joined j = {.part = part, .parts = parts};
    *out = NULL;
    for (int64_t k = 0; k < parts; k++)
        j.rows += part[k]->rows;
    SRI_TRY(sri_table_new_like(ctx, part[0], part[0]->n_columns, &j.t));
    j.t->rows = j.rows;
    SRI_TRY(join_numbers(ctx, &j));
    for (int64_t col = 0; col < j.t->n_columns; col++)
        SRI_TRY(join_column(ctx, &j, col));
    SRI_TRY(join_sparse(ctx, &j));
    SRI_TRY(join_places(ctx, &j));
    SRI_MOVE(*out, j.t);
done:
    specreg_table_free(j.t);
    return st;
}
