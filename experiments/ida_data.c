/* Reading the sets of the IDA benchmark and their splits. */
#include "ida_data.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

int ida_read_splits(const cli *c, int64_t *count)
{
    char *end;
    *count = c->value[EXP_QUICK] ? 2 : 10;
    if (!c->value[EXP_SPLITS])
        return CLI_OK;
    const long n = strtol(c->value[EXP_SPLITS], &end, 10);
    if (*end || n < 1 || n > 100)
        return cli_usage(c, "--splits '%s' is not a number from 1 to 100", c->value[EXP_SPLITS]);
    *count = n;
    return CLI_OK;
}

/* The path of a set's file, which the caller frees. */
static char *path_of(const cli *c, const char *set, const char *ending)
{
    return cli_format("%s/ida/%s.%s", exp_data_folder(c), set, ending);
}

/* Checks all files before the first fit. */
static int check_files(const cli *c, const exp_sets *sets)
{
    int rc = exp_check_data_folder(c);
    for (int i = 0; !rc && i < sets->count; i++) {
        char *path = path_of(c, ida_published_sets[sets->index[i]].name, "csv.gz");
        rc = exp_check_file(path, "that holds ida/");
        free(path);
    }
    return rc;
}

int ida_read_sets(const cli *c, const char *usual, exp_sets *sets)
{
    const char *names[IDA_SETS + 1] = {NULL};
    for (int i = 0; i < IDA_SETS; i++)
        names[i] = ida_published_sets[i].name;
    const int rc = exp_sets_read(c, c->value[EXP_QUICK] ? "heart,thyroid" : usual, names, sets);
    return rc ? rc : check_files(c, sets);
}

/* A file of splits is a table of whole numbers: one split a line, the 0-based training rows. */
static int read_split_file(cli *c, const char *path, specreg_table **out)
{
    static const char *const as[][2] = {{"format", "csv"},
                                        {"header", "no"},
                                        {"delimiter", "space"}};
    specreg_options *options = NULL;
    int rc = cli_check(c, specreg_options_new(c->ctx, &options));
    for (size_t i = 0; !rc && i < sizeof as / sizeof *as; i++)
        rc = cli_check(c, specreg_options_set(c->ctx, options, as[i][0], as[i][1]));
    if (!rc)
        rc = cli_check(c, specreg_table_read(c->ctx, path, options, out));
    specreg_options_free(options);
    return rc;
}

/* The original splits where there are enough of them, else the random ones.  The caller frees the
 * name of their file. */
static int read_splits(cli *c, const char *set, int64_t wanted, specreg_table **out, bool *original,
                       char **path)
{
    int rc = CLI_OK;
    *path = path_of(c, set, "orig-splits.gz");
    *original = access(*path, F_OK) == 0;
    if (*original) {
        rc = read_split_file(c, *path, out);
        *original = !rc && specreg_table_rows(*out) >= wanted;
        if (!rc && !*original) {
            specreg_table_free(*out);
            *out = NULL;
        }
    }
    if (!rc && !*original) {
        free(*path);
        *path = path_of(c, set, "random-splits.gz");
        rc = read_split_file(c, *path, out);
    }
    return rc;
}

typedef struct division {
    int64_t *train, *test; /* rows */
    int64_t n_train, n_test;
} division;

/* Divides the rows 0..n-1 by line `i` of the splits.  The caller frees both lists. */
static int divide(const specreg_table *splits, int64_t i, int64_t n, division *d)
{
    const int64_t cols = specreg_table_cols(splits);
    char *trains = cli_alloc((size_t)n, 1);
    *d = (division){.train = cli_alloc((size_t)cols, sizeof *d->train),
                    .test = cli_alloc((size_t)n, sizeof *d->test)};
    int rc = CLI_OK;
    for (int64_t k = 0; k < cols && !rc; k++) {
        const double row = specreg_table_number(splits, i, k);
        if (row >= 0 && row < (double)n && row == floor(row)) {
            trains[(int64_t)row] = 1;
            d->train[d->n_train++] = (int64_t)row;
        } else {
            rc = cli_fail(CLI_FAILED, "split %lld: there is no row %g", (long long)(i + 1), row);
        }
    }
    for (int64_t row = 0; row < n; row++)
        if (!trains[row])
            d->test[d->n_test++] = row;
    free(trains);
    return rc;
}

int ida_open(cli *c, const char *set, int64_t wanted, ida_data *data)
{
    char *path = path_of(c, set, "csv.gz");
    *data = (ida_data){0};
    int rc = cli_check(c, specreg_table_read(c->ctx, path, NULL, &data->rows));
    if (!rc)
        rc = read_splits(c, set, wanted, &data->splits, &data->original, &data->split_file);
    if (!rc) {
        const int64_t there = specreg_table_rows(data->splits);
        data->count = there < wanted ? there : wanted;
    }
    free(path);
    return rc;
}

int ida_divide(cli *c, const ida_data *data, int64_t i, specreg_table **train, specreg_table **test)
{
    division d = {0};
    int rc = divide(data->splits, i, specreg_table_rows(data->rows), &d);
    if (!rc)
        rc = cli_check(c, specreg_table_select(c->ctx, data->rows, d.train, d.n_train, train));
    if (!rc)
        rc = cli_check(c, specreg_table_select(c->ctx, data->rows, d.test, d.n_test, test));
    free(d.test);
    free(d.train);
    return rc;
}

void ida_close(ida_data *data)
{
    specreg_table_free(data->splits);
    specreg_table_free(data->rows);
    free(data->split_file);
}
