/* The solutions of a path as tables: a column for each point and output. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* A centre's row in the training table, and in the table of coefficients. */
typedef struct centre {
    int64_t row, at;
} centre;

struct cli_solutions {
    cli_columns *predictions, *coefficients; /* NULL before the first point */
    bool wants_coefficients;
    int64_t terms; /* rows of coefficients: centres, then unpenalised terms */
    char **term;   /* their numbers and names                               */
    centre *first; /* of the first point, by their rows                     */
    int64_t centres;
};

cli_solutions *cli_solutions_new(bool coefficients)
{
    cli_solutions *s = cli_alloc(1, sizeof *s);
    s->wants_coefficients = coefficients;
    return s;
}

/* What a column of the coefficients is called after its point. */
typedef enum naming { BY_OUTPUT, BY_NUMBER, BY_POINT } naming;

/* Columns "NAME:OUTPUT" of a rows x outputs array, whose row i goes to row place[i] (NULL: i). */
static void add_columns(cli_columns *t, const specreg_path_point *point, const int64_t *place,
                        const double *values, int64_t rows, int64_t outputs, naming by)
{
    for (int64_t k = 0; k < outputs; k++) {
        char *name = by == BY_OUTPUT   ? cli_format("%s:%s", point->name, point->output_names[k])
                     : by == BY_NUMBER ? cli_format("%s:%lld", point->name, (long long)k + 1)
                                       : cli_format("%s", point->name);
        for (int64_t i = 0; i < rows; i++)
            cli_columns_set(t, place ? place[i] : i, name, values[i * outputs + k]);
        free(name);
    }
}

/* The coordinates of a grid come first. */
static void add_coordinates(cli_columns *t, const specreg_table *table)
{
    for (int64_t k = 0; k < specreg_table_cols(table); k++)
        for (int64_t i = 0; i < specreg_table_rows(table); i++)
            cli_columns_set(t, i, specreg_table_name(table, k), specreg_table_number(table, i, k));
}

/* Of a centre the number of its row, of a term its name; then their output, where they belong to
 * one. */
static char *term_name(const specreg_path_point *point, int64_t i)
{
    const int64_t k = i - point->centres;
    char *row = k < 0 ? cli_format("%lld", (long long)point->centre_rows[i] + 1)
                      : cli_format("%s", point->term_names[k]);
    if (!point->centre_outputs)
        return row;
    char *name =
        cli_format("%s:%s", row,
                   k < 0 ? point->centre_outputs[i] : point->output_names[k % point->outputs]);
    free(row);
    return name;
}

static int by_row(const void *a, const void *b)
{
    const centre *one = a, *other = b;
    return one->row != other->row ? (one->row < other->row ? -1 : 1)
                                  : (one->at > other->at) - (one->at < other->at);
}

/* By their rows; those of several outputs in their order. */
static centre *sorted_centres(const specreg_path_point *point)
{
    centre *c = cli_alloc((size_t)point->centres, sizeof *c);
    for (int64_t i = 0; i < point->centres; i++)
        c[i] = (centre){point->centre_rows[i], i};
    qsort(c, (size_t)point->centres, sizeof *c, by_row);
    return c;
}

/* A table with a row for each centre and each unpenalised term. */
static void start_coefficients(cli_solutions *s, const specreg_path_point *point)
{
    s->terms = point->centres + point->n_terms;
    s->centres = point->centres;
    s->first = sorted_centres(point);
    s->coefficients = cli_columns_new(s->terms);
    s->term = cli_alloc((size_t)s->terms, sizeof *s->term);
    for (int64_t i = 0; i < s->terms; i++) {
        s->term[i] = term_name(point, i);
        cli_columns_set_text(s->coefficients, i, "of", s->term[i]);
    }
}

/* Newly allocated: where the rows of a point's coefficients and terms belong in the table.  The
 * centres of another kernel may come in another order; NULL: they are others. */
static int64_t *places(const cli_solutions *s, const specreg_path_point *point)
{
    const int64_t n = point->centres;
    if (n != s->centres || n + point->n_terms != s->terms)
        return NULL;
    centre *own = sorted_centres(point);
    int64_t *place = cli_alloc((size_t)s->terms, sizeof *place);
    bool same = true;
    for (int64_t i = 0; i < n; i++) {
        same = same && own[i].row == s->first[i].row;
        place[own[i].at] = s->first[i].at;
    }
    for (int64_t i = n; i < s->terms; i++)
        place[i] = i;
    free(own);
    if (same)
        return place;
    free(place);
    return NULL;
}

int cli_solutions_take(const specreg_path_point *point, cli_solutions *s, bool grid)
{
    const naming by = point->centre_outputs              ? BY_POINT
                      : point->columns == point->outputs ? BY_OUTPUT
                                                         : BY_NUMBER;
    if (point->predictions && !s->predictions) {
        s->predictions = cli_columns_new(point->rows);
        if (grid)
            add_coordinates(s->predictions, point->table);
    }
    if (point->predictions)
        add_columns(s->predictions, point, NULL, point->predictions, point->rows, point->outputs,
                    BY_OUTPUT);
    if (!s->wants_coefficients)
        return 0;
    if (!s->coefficients)
        start_coefficients(s, point);
    int64_t *place = places(s, point);
    if (!place) /* kernels with centres of their own */
        return 1;
    add_columns(s->coefficients, point, place, point->coefficients, point->centres, point->columns,
                by);
    if (point->n_terms)
        add_columns(s->coefficients, point, place + point->centres, point->terms, point->n_terms,
                    point->columns, by);
    free(place);
    return 0;
}

int cli_solutions_write(cli *c, const cli_solutions *s, const char *predictions,
                        const char *coefficients)
{
    int rc = CLI_OK;
    if (s->predictions && predictions)
        rc = cli_columns_write(c, s->predictions, predictions);
    if (!rc && s->coefficients)
        rc = cli_columns_write(c, s->coefficients, coefficients);
    return rc;
}

void cli_solutions_free(cli_solutions *s)
{
    for (int64_t i = 0; i < s->terms; i++)
        free(s->term[i]);
    free(s->term);
    free(s->first);
    cli_columns_free(s->coefficients);
    cli_columns_free(s->predictions);
    free(s);
}
