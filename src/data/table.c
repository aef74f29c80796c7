/* What a table is made of and how it is asked: building, names, cells, places. */
#include "data/table.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdarg.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"

/* The names of sparse columns.  A LIBSVM file may have two thousand million columns and nobody asks
 * for most of their names.  They are made a page at a time, when asked; a page is published
 * atomically, so that a table may be shared between threads although asking fills this cache. */
enum { PAGE = 1024, NAME_SIZE = 12 };

struct sri_sparse_names {
    int64_t pages;
    _Atomic(char *) page[];
};

specreg_status sri_table_name_sparse(specreg_context *ctx, specreg_table *t)
{
    const int64_t pages = (t->sparse->p + PAGE - 1) / PAGE;
    sri_free(t->sparse_names);
    t->sparse_names =
        sri_calloc(ctx, 1, 1,
                   sizeof *t->sparse_names + (size_t)pages * sizeof t->sparse_names->page[0]);
    if (!t->sparse_names)
        return SPECREG_E_NOMEM;
    t->sparse_names->pages = pages;
    return SPECREG_OK;
}

static void sparse_names_free(struct sri_sparse_names *names)
{
    for (int64_t i = 0; names && i < names->pages; i++)
        sri_free(atomic_load(&names->page[i]));
    sri_free(names);
}

specreg_status sri_table_widen(specreg_context *ctx, specreg_table *t, int64_t width)
{
    if (width <= t->sparse->p)
        return SPECREG_OK;
    sparse_names_free(t->sparse_names);
    t->sparse_names = NULL;
    t->sparse->p = width;
    return sri_table_name_sparse(ctx, t);
}

static const char *sparse_name(struct sri_sparse_names *names, int64_t col)
{
    const int64_t which = col / PAGE;
    if (!names || which >= names->pages)
        return NULL;
    char *page = atomic_load(&names->page[which]);
    if (!page) {
        char *made = sri_alloc(NULL, PAGE, NAME_SIZE, 1), *nobody = NULL;
        if (!made)
            return NULL;
        for (int64_t i = 0; i < PAGE; i++)
            snprintf(made + i * NAME_SIZE, NAME_SIZE, "%u", (unsigned)(which * PAGE + i + 1));
        if (atomic_compare_exchange_strong(&names->page[which], &nobody, made))
            page = made;
        else {
            sri_free(made);
            page = nobody; /* another thread was quicker */
        }
    }
    return page + col % PAGE * NAME_SIZE;
}

specreg_status sri_table_new(specreg_context *ctx, const char *source, int64_t n_columns,
                             specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *t = NULL;
    *out = NULL;
    SRI_CALLOC(ctx, t, 1, 1);
    t->format = "memory";
    SRI_STRDUP(ctx, t->source, source);
    SRI_CALLOC(ctx, t->column, n_columns, 1);
    t->n_columns = t->n_numbers = n_columns;
    for (int64_t j = 0; j < n_columns; j++)
        t->column[j].number = j;
    SRI_MOVE(*out, t);
done:
    specreg_table_free(t);
    return st;
}

specreg_status sri_table_new_like(specreg_context *ctx, const specreg_table *from,
                                  int64_t n_columns, specreg_table **out)
{
    SRI_CALL(sri_table_new(ctx, from->source, n_columns, out));
    (*out)->format = from->format;
    (*out)->delimiter = from->delimiter;
    (*out)->decimal = from->decimal;
    (*out)->has_header = from->has_header;
    (*out)->first_is_unnamed = from->first_is_unnamed;
    return SPECREG_OK;
}

void sri_column_free(sri_column *c)
{
    sri_free(c->name);
    sri_free(c->code);
    sri_texts_free(&c->texts);
}

void specreg_table_free(specreg_table *t)
{
    if (!t)
        return;
    sri_free(t->origin);
    sri_matrix_delete(t->counts);
    for (int64_t j = 0; t->column && j < t->n_columns; j++)
        sri_column_free(&t->column[j]);
    if (t->sparse != &t->lent_sparse)
        sri_matrix_delete(t->sparse);
    sparse_names_free(t->sparse_names);
    sri_free(t->grid);
    sri_places_free(t->places);
    sri_free(t->line);
    sri_free(t->numbers);
    sri_free(t->column);
    sri_free(t->source);
    sri_free(t);
}

specreg_status sri_table_set_name(specreg_context *ctx, specreg_table *t, int64_t col,
                                  const char *name, size_t length)
{
    char *copy = NULL;
    SRI_CALL(sri_check_text(ctx, name, length));
    SRI_CALL(sri_text_normalise(ctx, name, length, &copy));
    copy = copy ? copy : sri_strndup(ctx, name, length);
    if (!copy)
        return SPECREG_E_NOMEM;
    sri_free(t->column[col].name);
    t->column[col].name = copy;
    return SPECREG_OK;
}

specreg_status sri_table_default_names(specreg_context *ctx, specreg_table *t, int64_t p, int64_t T)
{
    char name[32];
    for (int64_t j = 0; j < p + T; j++) {
        if (j >= p && T == 1)
            strcpy(name, "y");
        else
            snprintf(name, sizeof name, "%c%lld", j < p ? 'x' : 'y',
                     (long long)(j < p ? j : j - p) + 1);
        SRI_CALL(sri_table_set_name(ctx, t, j, name, strlen(name)));
    }
    return SPECREG_OK;
}

int64_t specreg_table_rows(const specreg_table *t)
{
    return t ? t->rows : 0;
}

int64_t specreg_table_cols(const specreg_table *t)
{
    return t ? t->n_columns + (t->sparse ? t->sparse->p : 0) : 0;
}

static bool is_ordinary(const specreg_table *t, int64_t col)
{
    return t && col >= 0 && col < t->n_columns;
}

const char *specreg_table_name(const specreg_table *t, int64_t col)
{
    if (is_ordinary(t, col))
        return t->column[col].name;
    if (col < 0 || col >= specreg_table_cols(t))
        return NULL;
    return sparse_name(t->sparse_names, col - t->n_columns);
}

int specreg_table_is_text(const specreg_table *t, int64_t col)
{
    return is_ordinary(t, col) && t->column[col].is_text;
}

double specreg_table_number(const specreg_table *t, int64_t row, int64_t col)
{
    if (row < 0 || row >= specreg_table_rows(t) || col < 0 || col >= specreg_table_cols(t))
        return NAN;
    if (!is_ordinary(t, col))
        return sri_matrix_entry(t->sparse, row, col - t->n_columns);
    if (t->column[col].is_text)
        return NAN;
    return sri_cell_number(t, row, &t->column[col]);
}

specreg_status specreg_table_numbers(specreg_context *ctx, const specreg_table *t, int64_t first,
                                     int64_t count, double *out, int64_t capacity)
{
    SRI_ARGS(ctx, t, out);
    int64_t needed;
    SRI_CHECK(ctx, first >= 0 && count >= 0 && first <= specreg_table_cols(t) - count,
              SPECREG_E_SHAPE, "there are no columns %lld to %lld, the table has %lld",
              (long long)first + 1, (long long)first + count, (long long)specreg_table_cols(t));
    SRI_CHECK(ctx, !__builtin_mul_overflow(t->rows, count, &needed) && capacity >= needed,
              SPECREG_E_SHAPE, "there is room for %lld numbers, not for %lld rows of %lld",
              (long long)capacity, (long long)t->rows, (long long)count);
    for (int64_t j = first; j < first + count; j++)
        SRI_CHECK(ctx, !specreg_table_is_text(t, j), SPECREG_E_SHAPE, "column '%s' holds texts",
                  specreg_table_name(t, j));
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t j = first; j < first + count; j++)
            *out++ = specreg_table_number(t, i, j);
    return SPECREG_OK;
}

const char *specreg_table_text(const specreg_table *t, int64_t row, int64_t col)
{
    if (row < 0 || row >= specreg_table_rows(t) || !specreg_table_is_text(t, col))
        return NULL;
    const sri_column *c = &t->column[col];
    return c->code[row] < 0 ? NULL : c->texts.text[c->code[row]];
}

const char *sri_cell_text(const specreg_table *t, int64_t row, const sri_column *c, char *buffer)
{
    return c->is_text ? c->texts.text[c->code[row]]
                      : sri_format_double(sri_cell_number(t, row, c), buffer);
}

bool sri_table_gap(const specreg_table *t, int64_t row, int64_t col)
{
    const sri_column *c = &t->column[col];
    return c->is_text ? c->code[row] < 0 : isnan(sri_cell_number(t, row, c));
}

void sri_table_row(const specreg_table *t, int64_t row, double *out)
{
    for (int64_t j = 0; j < t->n_columns; j++)
        out[j] = t->column[j].is_text ? NAN : sri_cell_number(t, row, &t->column[j]);
    if (!t->sparse)
        return;
    const sri_matrix *s = t->sparse;
    memset(out + t->n_columns, 0, (size_t)s->p * sizeof *out);
    for (int64_t k = s->start[row]; k < s->start[row + 1]; k++)
        out[t->n_columns + s->index[k]] = s->value[k];
}

void sri_table_place_numbers(specreg_table *t, const specreg_table *from)
{
    t->n_numbers = from->lent.data ? 0 : from->n_numbers;
    for (int64_t j = 0; j < t->n_columns; j++)
        if (!t->column[j].is_text)
            t->column[j].number = from->lent.data ? t->n_numbers++ : from->column[j].number;
}

void sri_table_copy_numbers(const specreg_table *t, const specreg_table *from, int64_t row,
                            double *out)
{
    if (!from->lent.data && from->n_numbers > 0)
        memcpy(out, from->numbers + row * from->n_numbers, (size_t)from->n_numbers * sizeof *out);
    for (int64_t j = 0; from->lent.data && j < t->n_columns; j++)
        if (!t->column[j].is_text)
            out[t->column[j].number] = sri_cell_number(from, row, &from->column[j]);
}

int64_t sri_table_find_name(const specreg_table *t, const char *name)
{
    for (int64_t j = 0; j < t->n_columns; j++)
        if (t->column[j].name && strcmp(t->column[j].name, name) == 0)
            return j;
    return -1;
}

int64_t sri_table_find(specreg_context *ctx, const specreg_table *t, const char *name)
{
    enum { MOST = 200 }; /* names to look for a near one among */
    int64_t found = sri_table_find_name(t, name);
    char *end, *normal = NULL;
    if (found < 0 && sri_check_text(ctx, name, strlen(name)) == SPECREG_OK &&
        sri_text_normalise(ctx, name, strlen(name), &normal) == SPECREG_OK && normal)
        found = sri_table_find_name(t, normal);
    sri_free(normal);
    if (found >= 0)
        return found;
    const long long number = strtoll(name, &end, 10);
    if (end > name && *end == '\0') {
        if (number >= 1 && number <= t->n_columns)
            return number - 1;
        sri_fail(ctx, SPECREG_E_ARG, "%s: there is no column %s: the columns are 1 to %lld",
                 t->source, name, (long long)t->n_columns);
        return -1;
    }
    const char *names[MOST];
    int count = 0;
    for (int64_t j = 0; j < t->n_columns && count < MOST; j++)
        if (t->column[j].name)
            names[count++] = t->column[j].name;
    const char *near = sri_nearest(name, names, count);
    if (near)
        sri_fail(ctx, SPECREG_E_ARG, "%s: there is no column '%s' (did you mean '%s'?)", t->source,
                 name, near);
    else
        sri_fail(ctx, SPECREG_E_ARG, "%s: there is no column '%s'", t->source, name);
    return -1;
}

int64_t sri_table_default_target(const specreg_table *t)
{
    static const char *const usual[] = {"y", "target", "label"};
    for (int i = 0; i < 3; i++) {
        const int64_t j = sri_table_find_name(t, usual[i]);
        if (j >= 0)
            return j;
    }
    return t->n_columns - 1;
}

specreg_status sri_fail_at_cell(specreg_context *ctx, specreg_status code, const specreg_table *t,
                                int64_t row, const char *column, const char *format, ...)
{
    char place[1024], text[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return sri_fail(ctx, code, "%s: column '%s': %s", sri_table_place(t, row, place, sizeof place),
                    column, text);
}

specreg_status sri_table_repeated_name(specreg_context *ctx, const specreg_table *t, int64_t *out)
{
    specreg_status st = SPECREG_OK;
    sri_texts seen = {0};
    *out = -1;
    for (int64_t j = 0; j < t->n_columns && *out < 0; j++) {
        int32_t code;
        SRI_TRY(sri_texts_code(ctx, &seen, t->column[j].name, strlen(t->column[j].name), &code));
        *out = code < j ? j : -1;
    }
done:
    sri_texts_free(&seen);
    return st;
}

specreg_status sri_table_check_finite(specreg_context *ctx, const specreg_table *t,
                                      specreg_status code)
{
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t j = 0; j < t->n_columns; j++) {
            const sri_column *c = &t->column[j];
            if (!c->is_text && isinf(sri_cell_number(t, i, c)))
                return sri_fail_at_cell(ctx, code, t, i, c->name, "'%s' is not finite",
                                        sri_cell_number(t, i, c) < 0 ? "-inf" : "inf");
        }
    return SPECREG_OK;
}
