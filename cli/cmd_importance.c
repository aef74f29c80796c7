/* specreg importance: how much worse a model gets when a column is permuted. */
#include <math.h>
#include <stdlib.h>

#include "cli.h"

enum { MOST_SHOWN = 40 }; /* columns */

static int write_columns(cli *c, const specreg_importances *p, const char *path)
{
    cli_columns *t = cli_columns_new(p->columns);
    for (int64_t k = 0; k < p->columns; k++) {
        cli_columns_set_text(t, k, "column", p->name[k]);
        cli_columns_set(t, k, "mean", p->mean[k]);
        cli_columns_set(t, k, "stddev", p->stddev[k]);
        for (int64_t r = 0; r < p->repeats; r++) {
            char *name = cli_format("repeat%lld", (long long)r + 1);
            cli_columns_set(t, k, name, p->value[k * p->repeats + r]);
            free(name);
        }
    }
    const int rc = cli_columns_write(c, t, path);
    cli_columns_free(t);
    return rc;
}

/* The number of the column that has the `rank`-th largest importance. */
static int64_t ranked(const specreg_importances *p, int64_t rank)
{
    for (int64_t k = 0; k < p->columns; k++) {
        int64_t before = 0;
        for (int64_t i = 0; i < p->columns; i++)
            before += p->mean[i] > p->mean[k] || (p->mean[i] == p->mean[k] && i < k);
        if (before == rank)
            return k;
    }
    return rank; /* where there are NaN */
}

static void show(const cli *c, const specreg_importances *p)
{
    const specreg_measure_info *m = p->criterion;
    cli_label("data");
    printf("%s: %lld %s\n", p->data, (long long)p->rows, p->rows == 1 ? "row" : "rows");
    cli_label("measure");
    cli_show_error(m, p->baseline, "");
    printf("; by how much it gets %s when a column is permuted, %lld times\n",
           m->larger_is_better ? "smaller" : "larger", (long long)p->repeats);
    cli_grid *g = cli_grid_new(3, 1);
    cli_grid_add(g, cli_format("column"));
    cli_grid_add(g, cli_format("mean"));
    cli_grid_add(g, cli_format("stddev"));
    for (int64_t i = 0; i < p->columns && i < MOST_SHOWN; i++) {
        const int64_t k = ranked(p, i);
        cli_grid_add(g, cli_format("%s", p->name[k]));
        cli_grid_add(g, cli_approx(p->mean[k]));
        cli_grid_add(g, isnan(p->stddev[k]) ? NULL : cli_format("%.2g", p->stddev[k]));
    }
    cli_grid_print(g);
    cli_grid_free(g);
    if (p->columns > MOST_SHOWN)
        printf("  and %lld more (-o FILE writes all)\n", (long long)(p->columns - MOST_SHOWN));
    if (c->value[CLI_OUTPUT]) {
        cli_label("written");
        puts(c->value[CLI_OUTPUT]);
    }
}

static int report(cli *c, const specreg_model *model, const specreg_importances *p)
{
    char *text = NULL;
    int rc = CLI_OK;
    if (c->value[CLI_OUTPUT])
        rc = write_columns(c, p, c->value[CLI_OUTPUT]);
    if (!rc && c->value[CLI_JSON])
        rc = cli_check(c, specreg_importance_record(c->ctx, model, p, &text));
    if (!rc && text)
        rc = cli_emit_json(c, text);
    if (!rc && c->show)
        show(c, p);
    specreg_string_free(text);
    return rc;
}

int cli_read_model_and_data(cli *c, specreg_model **model, specreg_table **data)
{
    int rc = cli_set_columns(c);
    if (!rc)
        rc = cli_check(c, specreg_model_load(c->ctx, c->file[0], model));
    if (!rc)
        rc = cli_check(c, specreg_table_read_for(c->ctx, *model, c->file[1], c->options, data));
    return rc;
}

static int run(cli *c)
{
    specreg_model *model = NULL;
    specreg_table *data = NULL;
    specreg_importances *found = NULL;
    int rc = cli_read_model_and_data(c, &model, &data);
    if (!rc)
        rc = cli_check(c, specreg_importance(c->ctx, model, data, c->options, &found));
    cli_progress_clear();
    if (!rc)
        rc = report(c, model, found);
    specreg_importances_free(found);
    specreg_table_free(data);
    specreg_model_free(model);
    return rc;
}

static const cli_option options[] = {
    {CLI_OUTPUT, "output", 'o', "OUT",
     "Write a row for each column: column, mean, stddev, repeat1, repeat2, ..."},
    {CLI_COLUMNS, "columns", 0, "COLS",
     "The columns to permute, written as for fit --drop. Default: all inputs."},
    {0, NULL, 0, NULL, NULL},
};

static const char *const without[] = {"columns",  "points", "surface", "proba",
                                      "interval", "parts",  "id",      NULL};

const cli_command cli_cmd_importance = {
    .name = "importance",
    .files = {"MODEL", "DATA"},
    .synopsis = "[OPTIONS] MODEL DATA [-o OUT]",
    .brief = "how much worse a model gets when a column is permuted",
    .description =
        "Permutes one column of DATA over the rows, predicts, and tells by how much the criterion "
        "gets worse, for each column several times: permutation importance. A column is permuted "
        "as it stands in DATA, so that a category, a date or a missing value moves as a whole. In "
        "a repeat all columns are permuted alike.\n\n"
        "Take rows that the model has not seen. A column whose information other columns have, "
        "too, seems less important than it is.\n\n"
        "Models of documents, of sparse inputs and of given kernel matrices are refused.",
    .examples = "specreg importance model.srm test.csv\n"
                "specreg importance model.srm test.csv --criterion mae --repeats 30 -o imp.csv\n"
                "specreg importance model.srm test.csv --columns age,income --json imp.json",
    .scope = SPECREG_FOR_READ | SPECREG_FOR_PREDICT | SPECREG_FOR_EXPLAIN,
    .without = without,
    .options = options,
    .run = run,
};
