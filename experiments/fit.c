/* Tables of numbers, and fits of them with given settings. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment.h"

int exp_table(cli *c, int64_t n, exp_columns x, exp_columns y, specreg_table **out)
{
    const specreg_view X = {.data = x.value, .rows = n, .cols = x.count, .ld = x.count};
    const specreg_view Y = {.data = y.value, .rows = n, .cols = y.count, .ld = y.count};
    return cli_check(c, specreg_table_from_arrays(c->ctx, &X, x.names, y.value ? &Y : NULL,
                                                  y.value ? y.names : NULL, out));
}

double exp_number(const json_t *record, const char *path)
{
    double value = NAN;
    cli_get_number(record, path, &value);
    return value;
}

int exp_temporary_new(char **folder, char **file)
{
    const char *place = getenv("TMPDIR");
    *folder = cli_format("%s/specreg-XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(*folder)) {
        const int rc = cli_fail(CLI_FAILED, "%s: %s", *folder, strerror(errno));
        free(*folder);
        *folder = NULL;
        return rc;
    }
    *file = cli_format("%s/rows.csv", *folder);
    return CLI_OK;
}

int exp_temporary_write(cli *c, const specreg_table *table, char **folder, char **file)
{
    const int rc = exp_temporary_new(folder, file);
    return rc ? rc : cli_check(c, specreg_table_write(c->ctx, table, *file));
}

void exp_temporary_remove(char *folder, char *file)
{
    if (file)
        unlink(file);
    if (folder)
        rmdir(folder);
    free(file);
    free(folder);
}

static int set_options(cli *c, specreg_options *options, const exp_setting *settings,
                       const char *file)
{
    int rc = CLI_OK;
    for (const exp_setting *s = settings; !rc && s->name; s++)
        rc = cli_check(c, specreg_options_set(c->ctx, options, s->name, s->value));
    if (!rc && file) {
        char *rule = cli_format("file:%s", file);
        rc = cli_check(c, specreg_options_set(c->ctx, options, "select", rule));
        free(rule);
    }
    return rc;
}

int exp_fit(cli *c, const specreg_table *train, const specreg_table *validate,
            const exp_setting *settings, specreg_model **model, json_t **record)
{
    specreg_options *options = NULL;
    char *folder = NULL, *file = NULL, *text = NULL;
    int rc = exp_options_new(c, &options);
    if (!rc && validate)
        rc = exp_temporary_write(c, validate, &folder, &file);
    if (!rc)
        rc = set_options(c, options, settings, file);
    if (!rc)
        rc = cli_check(c, specreg_fit(c->ctx, train, options, model));
    if (!rc && record)
        rc = cli_check(c, specreg_model_record(c->ctx, *model, &text));
    if (!rc && record)
        *record = cli_load(text);
    specreg_string_free(text);
    exp_temporary_remove(folder, file);
    specreg_options_free(options);
    return rc;
}

int exp_path(cli *c, const specreg_table *train, const specreg_table *test,
             const exp_setting *settings, json_t **record)
{
    specreg_options *options = NULL;
    char *text = NULL;
    int rc = exp_options_new(c, &options);
    if (!rc)
        rc = set_options(c, options, settings, NULL);
    if (!rc)
        rc = cli_check(c, specreg_path(c->ctx, train, test, options, &text));
    *record = rc ? NULL : cli_load(text);
    specreg_string_free(text);
    specreg_options_free(options);
    return rc;
}

int exp_predict(cli *c, const specreg_model *model, const specreg_table *data, double *predictions)
{
    specreg_table *table = NULL;
    const int rc = cli_check(c, specreg_predict(c->ctx, model, data, NULL, &table));
    if (rc)
        return rc;
    const int64_t rows = specreg_table_rows(table), cols = specreg_table_cols(table);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < cols; k++)
            predictions[i * cols + k] = specreg_table_number(table, i, k);
    specreg_table_free(table);
    return CLI_OK;
}

int exp_fit_predict(cli *c, specreg_table *const *tables, const exp_setting *settings,
                    double *predictions, json_t **record)
{
    specreg_model *model = NULL;
    int rc = exp_fit(c, tables[EXP_TRAIN], tables[EXP_VALIDATE], settings, &model, record);
    if (!rc)
        rc = exp_predict(c, model, tables[EXP_TEST], predictions);
    specreg_model_free(model);
    return rc;
}

void exp_free_tables(specreg_table **tables)
{
    for (int role = 0; role < EXP_ROLES; role++)
        specreg_table_free(tables[role]);
}
