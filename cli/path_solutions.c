/* The solutions of a path as tables: a column for each point and output. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

struct cli_solutions {
    cli_columns *predictions, *coefficients; /* NULL before the first point */
    bool wants_coefficients;
    int64_t terms; /* rows of coefficients: centres, then unpenalised terms */
    char **term;   /* their numbers and names                               */
};

cli_solutions *cli_solutions_new(bool coefficients)
{
    cli_solutions *s = cli_alloc(1, sizeof *s);
    s->wants_coefficients = coefficients;
    return s;
}

/* Columns "NAME:OUTPUT" of a rows x outputs array, from a row on. */
static void add_columns(cli_columns *t, const specreg_path_point *point, int64_t first,
                        const double *values, int64_t rows, int64_t outputs, bool named)
{
    for (int64_t k = 0; k < outputs; k++) {
        char *name = named ? cli_format("%s:%s", point->name, point->output_names[k])
                           : cli_format("%s:%lld", point->name, (long long)k + 1);
        for (int64_t i = 0; i < rows; i++)
            cli_columns_set(t, first + i, name, values[i * outputs + k]);
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

/* A table with a row for each centre, by number, and each unpenalised term, by name. */
static void start_coefficients(cli_solutions *s, const specreg_path_point *point)
{
    s->terms = point->centres + point->n_terms;
    s->coefficients = cli_columns_new(s->terms);
    s->term = cli_alloc((size_t)s->terms, sizeof *s->term);
    for (int64_t i = 0; i < s->terms; i++) {
        s->term[i] = i < point->centres ? cli_format("%lld", (long long)i + 1)
                                        : cli_format("%s", point->term_names[i - point->centres]);
        cli_columns_set_text(s->coefficients, i, "of", s->term[i]);
    }
}

int cli_solutions_take(const specreg_path_point *point, cli_solutions *s, bool grid)
{
    const bool same = point->columns == point->outputs;
    if (point->predictions && !s->predictions) {
        s->predictions = cli_columns_new(point->rows);
        if (grid)
            add_coordinates(s->predictions, point->table);
    }
    if (point->predictions)
        add_columns(s->predictions, point, 0, point->predictions, point->rows, point->outputs,
                    true);
    if (!s->wants_coefficients)
        return 0;
    if (!s->coefficients)
        start_coefficients(s, point);
    if (point->centres + point->n_terms != s->terms) /* kernels with centres of their own */
        return 1;
    add_columns(s->coefficients, point, 0, point->coefficients, point->centres, point->columns,
                same);
    if (point->n_terms)
        add_columns(s->coefficients, point, point->centres, point->terms, point->n_terms,
                    point->columns, same);
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
    cli_columns_free(s->coefficients);
    cli_columns_free(s->predictions);
    free(s);
}
