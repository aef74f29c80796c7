/* Rows of numbers with two classes. */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

static int64_t target_of(const specreg_table *table)
{
    const int64_t cols = specreg_table_cols(table);
    int64_t at = 0;
    while (at < cols && strcmp(specreg_table_name(table, at), "y") != 0)
        at++;
    return at;
}

int rows_of_table(cli *c, const specreg_table *table, double one, exp_rows *out)
{
    const int64_t n = specreg_table_rows(table), cols = specreg_table_cols(table);
    const int64_t target = target_of(table);
    double *all = exp_zeros(n * cols);
    int rc = cli_check(c, specreg_table_numbers(c->ctx, table, 0, cols, all, n * cols));
    if (!rc && target == cols)
        rc = cli_fail(CLI_FAILED, "the data have no column 'y'");
    *out = (exp_rows){.n = n, .d = cols - 1, .x = exp_zeros(n * cols), .y = exp_zeros(n)};
    for (int64_t i = 0; !rc && i < n; i++) {
        const double *row = all + i * cols;
        double *x = out->x + i * out->d;
        memcpy(x, row, (size_t)target * sizeof *x);
        memcpy(x + target, row + target + 1, (size_t)(cols - target - 1) * sizeof *x);
        out->y[i] = row[target] == one ? 1.0 : -1.0;
    }
    free(all);
    if (rc)
        rows_free(out);
    return rc;
}

int rows_to_table(cli *c, const exp_rows *rows, specreg_table **out)
{
    return exp_table(c, rows->n, (exp_columns){rows->x, (int)rows->d, NULL},
                     (exp_columns){rows->y, 1, NULL}, out);
}

exp_rows rows_select(const exp_rows *from, const int64_t *list, int64_t count)
{
    exp_rows to = {.n = count,
                   .d = from->d,
                   .x = exp_zeros(count * from->d),
                   .y = exp_zeros(count)};
    for (int64_t i = 0; i < count; i++) {
        memcpy(to.x + i * to.d, from->x + list[i] * to.d, (size_t)to.d * sizeof *to.x);
        to.y[i] = from->y[list[i]];
    }
    return to;
}

void rows_free(exp_rows *rows)
{
    free(rows->x);
    free(rows->y);
    *rows = (exp_rows){0};
}

int rows_read(cli *c, const char *file, specreg_table **out)
{
    int rc = exp_check_data_folder(c);
    if (rc)
        return rc;
    char *path = cli_format("%s/%s", exp_data_folder(c), file);
    char *folder = cli_format("that holds %.*s/", (int)strcspn(file, "/"), file);
    rc = exp_check_file(path, folder);
    if (!rc)
        rc = cli_check(c, specreg_table_read(c->ctx, path, NULL, out));
    free(folder);
    free(path);
    return rc;
}

double rows_error(const double *y, const double *score, int64_t n)
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; i++)
        wrong += y[i] * score[i] <= 0.0;
    return 100.0 * (double)wrong / (double)n;
}
