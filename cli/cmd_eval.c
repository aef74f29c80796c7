/* specreg eval: score a model on labelled data. */
#include <math.h>
#include <stdlib.h>

#include "cli.h"

/* Rows are the true classes, columns the predicted ones. */
static void show_confusion(const json_t *confusion)
{
    const json_t *labels = cli_get(confusion, "labels"), *counts = cli_get(confusion, "counts");
    const size_t n = json_array_size(labels);
    if (n == 0 || json_array_size(counts) != n)
        return;
    cli_grid *g = cli_grid_new((int)n + 1, 1);
    cli_grid_add(g, cli_format("true \\ predicted"));
    for (size_t i = 0; i < n; i++)
        cli_grid_add(g, cli_format("%s", json_string_value(json_array_get(labels, i))));
    for (size_t i = 0; i < n; i++) {
        const json_t *row = json_array_get(counts, i);
        cli_grid_add(g, cli_format("%s", json_string_value(json_array_get(labels, i))));
        for (size_t k = 0; k < n; k++)
            cli_grid_add(g, cli_format("%.0f", json_number_value(json_array_get(row, k))));
    }
    puts("confusion");
    cli_grid_print(g);
    cli_grid_free(g);
}

static void show_per_output(const json_t *outputs)
{
    static const char *const keys[] = {"mse", "mae", "r2"};
    size_t i;
    json_t *one;
    if (json_array_size(outputs) < 2)
        return;
    cli_grid *g = cli_grid_new(4, 1);
    cli_grid_add(g, cli_format("output"));
    for (int k = 0; k < 3; k++)
        cli_grid_add(g, cli_format("%s", keys[k]));
    json_array_foreach((json_t *)outputs, i, one)
    {
        const char *name = cli_get_text(one, "name");
        cli_grid_add(g, cli_format("%s", name ? name : "?"));
        for (int k = 0; k < 3; k++) {
            double value;
            cli_grid_add(g, cli_get_number(one, keys[k], &value) ? cli_approx(value) : NULL);
        }
    }
    cli_grid_print(g);
    cli_grid_free(g);
}

static void show(const json_t *record)
{
    cli_show_data(record);
    cli_show_scores("test", cli_get(record, "test"));
    show_per_output(cli_get(record, "test.per_output"));
    show_confusion(cli_get(record, "test.confusion"));
    cli_show_time(record);
    cli_show_notes(record);
}

static int write_roc(cli *c, const json_t *record, const char *path)
{
    static const char *const keys[] = {"fpr", "tpr", "threshold"};
    const json_t *roc = cli_get(record, "test.roc");
    const size_t n = json_array_size(roc);
    if (n == 0)
        return cli_fail(CLI_FAILED, "--roc: there is no curve; it needs two classes, and rows of "
                                    "both");
    cli_columns *t = cli_columns_new((int64_t)n);
    for (int k = 0; k < 3; k++)
        cli_columns_find(t, keys[k]);
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            double value = NAN; /* the threshold above every score has no number */
            cli_get_number(json_array_get(roc, i), keys[k], &value);
            cli_columns_set(t, (int64_t)i, keys[k], value);
        }
    const int rc = cli_columns_write(c, t, path);
    cli_columns_free(t);
    return rc;
}

static int run(cli *c)
{
    specreg_model *model = NULL;
    specreg_table *data = NULL;
    char *text = NULL;
    int rc = cli_check(c, specreg_model_load(c->ctx, c->file[0], &model));
    if (!rc)
        rc = cli_check(c, specreg_table_read(c->ctx, c->file[1], c->options, &data));
    if (!rc)
        rc = cli_check(c, specreg_evaluate(c->ctx, model, data, c->options, &text));
    cli_progress_clear();
    json_t *record = cli_load(text);
    if (!rc && c->value[CLI_ROC])
        rc = write_roc(c, record, c->value[CLI_ROC]);
    if (!rc)
        rc = cli_emit_json(c, text);
    if (!rc && c->show)
        show(record);
    json_decref(record);
    specreg_string_free(text);
    specreg_table_free(data);
    specreg_model_free(model);
    return rc;
}

static const cli_option options[] = {
    {CLI_ROC, "roc", 0, "FILE", "Write the ROC curve: fpr, tpr, threshold. For two classes."},
    {0, NULL, 0, NULL, NULL},
};

static const char *const without[] = {"proba", "parts", "interval", NULL};

const cli_command cli_cmd_eval = {
    .name = "eval",
    .files = {"MODEL", "DATA"},
    .synopsis = "[OPTIONS] MODEL DATA",
    .brief = "score a model on labelled data: metrics, confusion matrix, ROC",
    .description =
        "Predicts the rows of DATA and compares with the targets there. Regression: mean squared "
        "error, mean absolute error, r2. Classification: error rate, the confusion matrix (rows "
        "are the true classes) and, for two classes, the area under the ROC curve.",
    .examples = "specreg eval model.srm test.csv\n"
                "specreg eval model.srm test.csv --roc roc.csv --json -",
    .scope = SPECREG_FOR_READ | SPECREG_FOR_PREDICT,
    .without = without,
    .options = options,
    .run = run,
};
