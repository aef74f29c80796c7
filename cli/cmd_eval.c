/* specreg eval: score a model on labelled data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MOST_SHOWN = 20 }; /* classes: beyond, tables are too wide or too long to read */

/* Rows are the true classes, columns the predicted ones. */
static void show_confusion(const json_t *confusion)
{
    const json_t *labels = cli_get(confusion, "labels"), *counts = cli_get(confusion, "counts");
    const size_t n = json_array_size(labels);
    if (n == 0 || n > MOST_SHOWN || json_array_size(counts) != n)
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

/* ------------------------------------------------------------------- class by class */

static const char *const class_keys[] = {"support", "predicted", "precision",
                                         "recall",  "f1",        "auc"};
enum { CLASS_KEYS = sizeof class_keys / sizeof *class_keys, CLASS_COUNTS = 2 };

static void show_classes(const json_t *test)
{
    const json_t *classes = cli_get(test, "classes");
    const size_t n = json_array_size(classes);
    double value;
    if (n == 0 || n > MOST_SHOWN)
        return;
    cli_grid *g = cli_grid_new(CLASS_KEYS + 1, 1);
    cli_grid_add(g, cli_format("class"));
    for (int k = 0; k < CLASS_KEYS; k++)
        cli_grid_add(g, cli_format("%s", class_keys[k]));
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(classes, i);
        const char *label = cli_get_text(one, "label");
        cli_grid_add(g, cli_format("%s", label ? label : "?"));
        for (int k = 0; k < CLASS_KEYS; k++)
            cli_grid_add(g, !cli_get_number(one, class_keys[k], &value) ? NULL
                            : k < CLASS_COUNTS                          ? cli_format("%.0f", value)
                                                                        : cli_approx(value));
    }
    cli_grid_print(g);
    cli_grid_free(g);
}

/* The errors of a summary's second line: those shown in per cent, or the others. */
static const char *show_more(const json_t *test, bool shares, const char *comma)
{
    const specreg_measure_info *m;
    double value;
    for (int i = 0; (m = specreg_measure_at(i)); i++)
        if (m->line == 2 && (strcmp(m->unit, "%") == 0) == shares &&
            cli_get_number(test, m->name, &value)) {
            cli_show_error(m, value, comma);
            comma = ", ";
        }
    return comma;
}

/* What more there is to say of classes than the error rate. */
static void show_means(const json_t *test)
{
    static const char *const means[][2] = {{"macro.precision", "macro precision"},
                                           {"macro.recall", "recall"},
                                           {"macro.f1", "f1"}};
    double value, top;
    const char *comma = "";
    if (!cli_get(test, "mape") && !cli_get(test, "classes"))
        return;
    cli_label("");
    if (cli_get_number(test, "top_k.k", &top) && cli_get_number(test, "top_k.error_rate", &value)) {
        char *text = cli_percent(value);
        printf("top-%.0f error %s", top, text);
        free(text);
        comma = ", ";
    }
    comma = show_more(test, true, comma);
    for (size_t i = 0; i < sizeof means / sizeof *means; i++)
        if (cli_get_number(test, means[i][0], &value)) {
            char *text = cli_approx(value);
            printf("%s%s %s", comma, means[i][1], text);
            free(text);
            comma = ", ";
        }
    show_more(test, false, comma);
    putchar('\n');
}

static void show_interval(const json_t *record)
{
    double level, inside, width;
    if (!cli_get_number(record, "interval.level", &level) ||
        !cli_get_number(record, "interval.coverage", &inside))
        return;
    char *share = cli_percent(inside), *wanted = cli_percent(level);
    cli_label("interval");
    printf("of %s: %s of the targets lie inside", wanted, share);
    if (cli_get_number(record, "interval.mean_width", &width))
        printf("; mean width %.4g", width);
    putchar('\n');
    free(wanted);
    free(share);
}

static void show(const cli *c, const json_t *record)
{
    cli_show_data(record);
    cli_show_scores("test", cli_get(record, "test"));
    show_means(cli_get(record, "test"));
    show_interval(record);
    cli_show_each(cli_get(record, "test"));
    show_classes(cli_get(record, "test"));
    show_confusion(cli_get(record, "test.confusion"));
    if (cli_plot_wanted(c) && (c->value[CLI_ROC] || c->value[CLI_PLOT])) {
        cli_chart *chart = cli_roc_chart(record);
        if (chart)
            cli_chart_print(chart);
        cli_chart_free(chart);
    }
    cli_show_time(record);
    cli_show_notes(record);
}

/* A list of objects as a table: the text at `name` first, then the numbers at `keys`; null is an
 * empty cell. */
static int write_list(cli *c, const json_t *list, const char *name, const char *column,
                      const char *const *keys, int n_keys, const char *path)
{
    const size_t n = json_array_size(list);
    cli_columns *t = cli_columns_new((int64_t)n);
    for (int k = 0; k < n_keys; k++)
        cli_columns_find(t, keys[k]);
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(list, i);
        cli_columns_set_text(t, (int64_t)i, column, cli_get_text(one, name));
        for (int k = 0; k < n_keys; k++) {
            double value = NAN;
            cli_get_number(one, keys[k], &value);
            cli_columns_set(t, (int64_t)i, keys[k], value);
        }
    }
    const int rc = cli_columns_write(c, t, path);
    cli_columns_free(t);
    return rc;
}

static int write_roc(cli *c, const json_t *record, const char *path)
{
    static const char *const keys[] = {"threshold", "fpr", "tpr"};
    const json_t *roc = cli_get(record, "test.roc");
    if (json_array_size(roc) == 0)
        return cli_fail(CLI_FAILED,
                        "--roc: there is no curve; it needs classes, and rows of two or "
                        "more");
    return write_list(c, roc, "class", "class", keys, 3, path);
}

static int write_classes(cli *c, const json_t *record, const char *path)
{
    const json_t *classes = cli_get(record, "test.classes");
    if (!classes)
        return cli_fail(CLI_FAILED, "--csv: the model is a regression, it has no classes");
    return write_list(c, classes, "label", "class", class_keys, CLASS_KEYS, path);
}

/* The model with the rows that it was scored on. */
static int write_page(cli *c, const specreg_model *model)
{
    specreg_table *data = NULL;
    int rc = cli_check(c, specreg_table_read(c->ctx, c->file[1], c->options, &data));
    if (!rc)
        rc = cli_write_report(c, &(specreg_report_part){.title = c->file[0],
                                                        .model = model,
                                                        .data = data});
    specreg_table_free(data);
    return rc;
}

/* ------------------------------------------------------------------------- pictures */

enum { MOST_PANELS = 8 };

/* Predicted against measured, a panel for each target. */
static int write_agreement(cli *c, const specreg_model *model, const char *path)
{
    specreg_table *data = NULL, *predicted = NULL;
    cli_chart *charts[MOST_PANELS];
    int count = 0;
    int rc = cli_check(c, specreg_table_read_for(c->ctx, model, c->file[1], c->options, &data));
    if (!rc)
        rc = cli_check(c, specreg_predict(c->ctx, model, data, NULL, &predicted));
    for (int64_t k = 0; !rc && k < specreg_table_cols(predicted) && count < MOST_PANELS; k++)
        if ((charts[count] = cli_agreement_chart(data, predicted, k)))
            count++;
    if (!rc && !count)
        rc = cli_fail(CLI_FAILED,
                      "%s: there is nothing to draw: the targets are not found by their names, or "
                      "rows with missing values were left out",
                      path);
    if (!rc)
        rc = cli_chart_write(c, charts, count, path);
    while (count)
        cli_chart_free(charts[--count]);
    specreg_table_free(predicted);
    specreg_table_free(data);
    return rc;
}

static int write_picture(cli *c, const specreg_model *model, const json_t *record)
{
    cli_chart *chart = cli_roc_chart(record);
    const char *path = c->value[CLI_OUTPUT];
    int rc;
    if (chart)
        rc = cli_chart_write(c, &chart, 1, path);
    else if (specreg_model_class(model, 0))
        rc = cli_fail(CLI_FAILED, "%s: there is no ROC curve; it needs rows of two classes", path);
    else
        rc = write_agreement(c, model, path);
    cli_chart_free(chart);
    return rc;
}

static int check_usage(const cli *c)
{
    const char *path = c->value[CLI_OUTPUT];
    if (path && !cli_is_svg(path))
        return cli_usage(c, "-o writes a picture, whose name ends in .svg; --roc, --csv and --json "
                            "write numbers");
    if (path && (c->n_files > 2 || strcmp(c->file[1], "-") == 0))
        return cli_usage(c, "-o draws the rows of one file");
    if (c->value[CLI_REPORT] && (c->n_files > 2 || strcmp(c->file[1], "-") == 0))
        return cli_usage(c, "--report takes one file of rows, which is read twice");
    return cli_check_plot(c);
}

static int run(cli *c)
{
    specreg_model *model = NULL;
    char *text = NULL;
    int rc = check_usage(c);
    if (!rc)
        rc = cli_check(c, specreg_model_load(c->ctx, c->file[0], &model));
    if (!rc)
        rc = cli_check(c, specreg_evaluate_files(c->ctx, model, &c->file[1], c->n_files - 1,
                                                 c->options, &text));
    cli_progress_clear();
    json_t *record = cli_load(text);
    if (!rc && c->value[CLI_ROC])
        rc = write_roc(c, record, c->value[CLI_ROC]);
    if (!rc && c->value[CLI_CSV])
        rc = write_classes(c, record, c->value[CLI_CSV]);
    if (!rc && c->value[CLI_OUTPUT])
        rc = write_picture(c, model, record);
    if (!rc)
        rc = cli_emit_json(c, text);
    if (!rc && c->value[CLI_REPORT])
        rc = write_page(c, model);
    if (!rc && c->show)
        show(c, record);
    json_decref(record);
    specreg_string_free(text);
    specreg_model_free(model);
    return rc;
}

static const cli_option options[] = {
    {CLI_ROC, "roc", 0, "FILE",
     "Write the ROC curves: class, threshold, fpr, tpr. Two classes give the curve of the "
     "second; more give one each."},
    {CLI_OUTPUT, "output", 'o', "OUT.svg",
     "Draw the ROC curves, or for regressions predicted against measured values, as a picture."},
    {CLI_PLOT, "plot", 0, "WHEN",
     "Draw a small ROC chart: auto (at a terminal, with --roc), yes or no."},
    {CLI_CSV, "csv", 0, "FILE",
     "Write a row for each class: class, support, predicted, precision, recall, f1, auc."},
    CLI_REPORT_OPTION,
    {0, NULL, 0, NULL, NULL},
};

static const char *const without[] = {"proba", "parts", NULL};

const cli_command cli_cmd_eval = {
    .name = "eval",
    .files = {"MODEL", "DATA"},
    .many = true,
    .synopsis = "[OPTIONS] MODEL DATA...",
    .brief = "score a model on labelled data: metrics, confusion matrix, ROC",
    .description =
        "Predicts the rows of DATA and compares with the targets there.\n\n"
        "Regression: mse, rmse, mae, r2, mape, and with --interval the share of targets inside. "
        "Classification: error rate, balanced error, accuracy, precision, recall, F1 and AUC of "
        "each class and their means, mcc, top-k error, log-loss and Brier score (if the model "
        "has probabilities) and the confusion matrix, whose rows are the true classes. Tables "
        "show up to 20 classes; --json has all, and the errors of every task.\n\n"
        "A label that was not seen in training is an error.\n\n"
        "Several files, or a quoted pattern such as 'part-*.npy', are one table; NPY, CSV, LIBSVM "
        "and IDX files are read in blocks.",
    .examples = "specreg eval model.srm test.csv\n"
                "specreg eval model.srm test.csv --roc roc.csv --json -\n"
                "specreg eval model.srm test.csv -o roc.svg\n"
                "specreg eval model.srm test.csv --interval 0.9\n"
                "specreg eval model.srm test.csv --csv classes.csv --top-k 3",
    .scope = SPECREG_FOR_READ | SPECREG_FOR_PREDICT | SPECREG_FOR_EVAL,
    .without = without,
    .options = options,
    .run = run,
};
