/* Numbers under names, column by column as they turn up, written by the library as a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

struct cli_columns {
    int64_t rows;
    int count, capacity;
    char **name;
    double **value;  /* value[col][row]; NaN: none */
    char *text_name; /* of a column of texts before all others; NULL: none */
    const char **text;
};

cli_columns *cli_columns_new(int64_t rows)
{
    cli_columns *t = cli_alloc(1, sizeof *t);
    t->rows = rows;
    return t;
}

static void make_room(cli_columns *t)
{
    if (t->count < t->capacity)
        return;
    t->capacity = t->capacity ? 2 * t->capacity : 8;
    char **name = cli_alloc((size_t)t->capacity, sizeof *name);
    double **value = cli_alloc((size_t)t->capacity, sizeof *value);
    if (t->count) {
        memcpy(name, t->name, (size_t)t->count * sizeof *name);
        memcpy(value, t->value, (size_t)t->count * sizeof *value);
    }
    free(t->name);
    free(t->value);
    t->name = name;
    t->value = value;
}

int cli_columns_find(cli_columns *t, const char *name)
{
    for (int i = 0; i < t->count; i++)
        if (strcmp(t->name[i], name) == 0)
            return i;
    make_room(t);
    double *value = cli_alloc((size_t)t->rows, sizeof *value);
    for (int64_t row = 0; row < t->rows; row++)
        value[row] = NAN;
    t->name[t->count] = cli_format("%s", name);
    t->value[t->count] = value;
    return t->count++;
}

void cli_columns_set(cli_columns *t, int64_t row, const char *name, double value)
{
    const int col = cli_columns_find(t, name); /* may move t->value */
    t->value[col][row] = value;
}

void cli_columns_set_text(cli_columns *t, int64_t row, const char *name, const char *text)
{
    if (!t->text) {
        t->text_name = cli_format("%s", name);
        t->text = cli_alloc((size_t)t->rows, sizeof *t->text);
    }
    t->text[row] = text;
}

double cli_columns_value(const cli_columns *t, int64_t row, int col)
{
    return t->value[col][row];
}

int cli_columns_count(const cli_columns *t)
{
    return t->count;
}

const char *cli_columns_name(const cli_columns *t, int col)
{
    return t->name[col];
}

static void set_numbers(cli_columns *t, int64_t row, const json_t *object, const char *prefix)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)object, key, value) {
        if (!json_is_number(value))
            continue;
        char *name = cli_format("%s%s", prefix, key);
        cli_columns_set(t, row, name, json_number_value(value));
        free(name);
    }
}

void cli_columns_set_parameters(cli_columns *t, int64_t row, const json_t *of)
{
    size_t i;
    json_t *term;
    set_numbers(t, row, of, "");
    json_array_foreach (cli_get(of, "terms"), i, term) {
        char *prefix = cli_format("term%zu.", i + 1);
        set_numbers(t, row, term, prefix);
        free(prefix);
    }
}

int cli_columns_table(cli *c, const cli_columns *t, specreg_table **out)
{
    const size_t cols = (size_t)t->count;
    double *data = cli_alloc((size_t)t->rows * cols, sizeof *data);
    for (int64_t row = 0; row < t->rows; row++)
        for (size_t col = 0; col < cols; col++)
            data[(size_t)row * cols + col] = t->value[col][row];
    const specreg_view X = {.data = data, .rows = t->rows, .cols = t->count, .ld = t->count};
    int rc = cli_check(c, specreg_table_from_arrays(c->ctx, &X, (const char *const *)t->name, NULL,
                                                    NULL, out));
    if (!rc && t->text)
        rc = cli_check(c, specreg_table_insert_text(c->ctx, *out, 0, t->text_name, t->text));
    free(data);
    return rc;
}

int cli_columns_write(cli *c, const cli_columns *t, const char *path)
{
    specreg_table *table = NULL;
    int rc = cli_columns_table(c, t, &table);
    if (!rc)
        rc = cli_write_table(c, table, path);
    specreg_table_free(table);
    return rc;
}

void cli_columns_free(cli_columns *t)
{
    for (int i = 0; t && i < t->count; i++) {
        free(t->name[i]);
        free(t->value[i]);
    }
    if (t) {
        free(t->name);
        free(t->value);
        free(t->text_name);
        free(t->text);
    }
    free(t);
}
