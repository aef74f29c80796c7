#include "data/io/array.h"

#include <string.h>

#include "core/memory.h"

void sri_array_free(sri_array *a)
{
    sri_free(a->numbers);
    sri_free(a->origin);
    sri_free(a->code);
    sri_texts_free(&a->texts);
    *a = (sri_array){0};
}

/* A column of texts becomes the table's. */
static void move_texts(sri_array *a, sri_column *c)
{
    c->is_text = true;
    c->code = a->code;
    c->texts = a->texts;
    a->code = NULL;
    a->texts = (sri_texts){0};
}

static void copy_columns(const sri_array *a, double *out, int64_t ld)
{
    for (int64_t i = 0; i < a->rows; i++)
        memcpy(out + i * ld, a->numbers + i * a->cols, (size_t)a->cols * sizeof *out);
}

specreg_status sri_table_from_pair(specreg_context *ctx, const char *source, sri_array *X,
                                   sri_array *Y, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *t = NULL;
    const int64_t p = X->cols, T = Y ? Y->cols : 0;
    const int64_t from_x = X->code ? 0 : p, from_y = !Y || Y->code ? 0 : T;
    *out = NULL;
    SRI_REQUIRE(ctx, !Y || Y->rows == X->rows, SPECREG_E_FORMAT,
                "%s: the features have %lld rows, the targets %lld", source, (long long)X->rows,
                Y ? (long long)Y->rows : 0);
    SRI_TRY(sri_table_new(ctx, source, p + T, &t));
    SRI_TRY(sri_table_default_names(ctx, t, p, T));
    t->rows = X->rows;
    t->first_row = X->first_row;
    SRI_MOVE(t->origin, X->origin);
    t->n_numbers = from_x + from_y;
    for (int64_t j = 0; j < p + T; j++)
        t->column[j].number = j < p || from_x ? j : j - p;
    if (from_y == 0 && !X->code) { /* no copy: the array is the matrix */
        t->numbers = X->numbers;
        X->numbers = NULL;
    } else {
        SRI_ALLOC(ctx, t->numbers, t->rows, t->n_numbers);
        if (from_x)
            copy_columns(X, t->numbers, t->n_numbers);
        if (from_y)
            copy_columns(Y, t->numbers + from_x, t->n_numbers);
    }
    if (X->code)
        move_texts(X, &t->column[0]);
    if (Y && Y->code)
        move_texts(Y, &t->column[p]);
    SRI_TRY(sri_table_check_finite(ctx, t, SPECREG_E_FORMAT));
    *out = t;
    t = NULL;
done:
    specreg_table_free(t);
    return st;
}

/* y1, y2, ... */
static bool is_numbered_target(const char *name)
{
    if (!name || name[0] != 'y' || name[1] < '1' || name[1] > '9')
        return false;
    return name[1 + strspn(name + 1, "0123456789")] == '\0';
}

specreg_status sri_array_split(specreg_context *ctx, const specreg_table *t, const char *file,
                               sri_array_parts *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t usual = sri_table_default_target(t), cols = specreg_table_cols(t);
    *out = (sri_array_parts){0};
    SRI_ALLOC(ctx, out->x, cols, 1);
    SRI_ALLOC(ctx, out->y, t->n_columns, 1);
    bool numbered = false;
    for (int64_t j = 0; j < t->n_columns; j++)
        numbered = numbered || is_numbered_target(t->column[j].name);
    for (int64_t j = 0; j < cols; j++) {
        const bool ordinary = j < t->n_columns;
        const bool target =
            ordinary && cols > 1 && (numbered ? is_numbered_target(t->column[j].name) : j == usual);
        if (target)
            out->y[out->T++] = j;
        else
            out->x[out->p++] = j;
        const bool text = ordinary && t->column[j].is_text;
        out->y_is_text = out->y_is_text || (target && text);
        SRI_REQUIRE(ctx, !text || target, SPECREG_E_ARG,
                    "%s: column '%s' is text, which cannot be part of an array of numbers", file,
                    t->column[j].name);
    }
    SRI_REQUIRE(ctx, !out->y_is_text || out->T == 1, SPECREG_E_ARG,
                "%s: one of several targets is text", file);
done:
    if (st != SPECREG_OK)
        sri_array_parts_free(out);
    return st;
}

void sri_array_parts_free(sri_array_parts *parts)
{
    sri_free(parts->x);
    sri_free(parts->y);
    *parts = (sri_array_parts){0};
}

specreg_status sri_array_fill(specreg_context *ctx, const specreg_table *t, const int64_t *col,
                              int64_t count, double *out)
{
    double *row = sri_alloc(ctx, specreg_table_cols(t), 1, sizeof *row);
    if (!row)
        return SPECREG_E_NOMEM;
    for (int64_t i = 0; i < t->rows; i++) {
        sri_table_row(t, i, row);
        for (int64_t j = 0; j < count; j++)
            out[i * count + j] = row[col[j]];
    }
    sri_free(row);
    return SPECREG_OK;
}
