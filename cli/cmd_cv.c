/* specreg cv: an honest error estimate of the whole procedure, search included. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Numbers of a fold's filter that other folds have otherwise, beside that of its path. */
static void set_differing(cli_columns *t, int64_t row, const json_t *folds, const json_t *filter)
{
    const char *key, *path = cli_path_parameter(filter);
    json_t *value;
    json_object_foreach ((json_t *)filter, key, value)
        for (size_t i = 0; i < json_array_size(folds); i++) {
            const json_t *other = cli_get(json_array_get(folds, i), "filter");
            if (json_is_number(value) && !json_equal(cli_get(other, key), value) &&
                strcmp(key, "kept") != 0 && strcmp(key, "step") != 0 &&
                !(path && strcmp(key, path) == 0))
                cli_columns_set(t, row, key, json_number_value(value));
        }
}

/* What each fold chose: parameters of the kernel, of --outputs and of the filter. */
static cli_columns *choices(const json_t *folds)
{
    cli_columns *t = cli_columns_new((int64_t)json_array_size(folds));
    for (size_t i = 0; i < json_array_size(folds); i++) {
        const json_t *fold = json_array_get(folds, i);
        cli_columns_set_parameters(t, (int64_t)i, cli_get(fold, "kernel"));
        cli_columns_set_parameters(t, (int64_t)i, cli_get(fold, "outputs"));
    }
    for (size_t i = 0; i < json_array_size(folds); i++) {
        const json_t *filter = cli_get(json_array_get(folds, i), "filter");
        set_differing(t, (int64_t)i, folds, filter);
        const char *path = cli_path_parameter(filter);
        double v;
        if (path && cli_get_number(filter, path, &v))
            cli_columns_set(t, (int64_t)i, path, v);
    }
    return t;
}

/* Whether folds chose kernels of different names. */
static bool names_differ(const json_t *folds)
{
    for (size_t i = 1; i < json_array_size(folds); i++)
        if (!json_equal(cli_get(json_array_get(folds, i), "kernel.name"),
                        cli_get(json_array_get(folds, 0), "kernel.name")))
            return true;
    return false;
}

/* One row a fold: its sizes, what was chosen, its errors. */
static void show_folds(const json_t *folds)
{
    cli_columns *chosen = choices(folds);
    const int parameters = cli_columns_count(chosen);
    int n;
    const specreg_measure_info **measure = cli_measures_of(json_array_get(folds, 0), &n);
    const bool names = names_differ(folds);
    cli_grid *g = cli_grid_new(3 + names + parameters + n, 0);
    cli_grid_add(g, cli_format("fold"));
    cli_grid_add(g, cli_format("train"));
    cli_grid_add(g, cli_format("test"));
    if (names)
        cli_grid_add(g, cli_format("kernel"));
    for (int k = 0; k < parameters; k++)
        cli_grid_add(g, cli_format("%s", cli_columns_name(chosen, k)));
    for (int k = 0; k < n; k++)
        cli_grid_add(g, cli_format("%s", measure[k]->name));
    for (size_t i = 0; i < json_array_size(folds); i++) {
        const json_t *fold = json_array_get(folds, i);
        double v = 0;
        cli_grid_add(g, cli_format("%zu", i + 1));
        cli_grid_add(g, cli_get_number(fold, "n_train", &v) ? cli_format("%.0f", v) : NULL);
        cli_grid_add(g, cli_get_number(fold, "n_test", &v) ? cli_format("%.0f", v) : NULL);
        if (names)
            cli_grid_add(g, cli_format("%s", cli_get_text(fold, "kernel.name")));
        for (int k = 0; k < parameters; k++) {
            v = cli_columns_value(chosen, (int64_t)i, k);
            cli_grid_add(g, isnan(v) ? NULL : cli_approx(v));
        }
        for (int k = 0; k < n; k++)
            cli_grid_add(g, cli_get_number(fold, measure[k]->name, &v) ? cli_approx(v) : NULL);
    }
    cli_grid_print(g);
    cli_grid_free(g);
    free(measure);
    cli_columns_free(chosen);
}

static void show(const json_t *record)
{
    const json_t *means = cli_get(record, "mean");
    const char *comma = "";
    int n;
    const specreg_measure_info **measure = cli_measures_of(means, &n);
    cli_show_data(record);
    show_folds(cli_get(record, "folds"));
    cli_label("mean");
    for (int m = 0; m < n; m++) {
        double mean, deviation;
        if (!cli_get_number(means, measure[m]->name, &mean))
            continue;
        printf("%s%s %.4g", comma, measure[m]->name, mean);
        if (cli_get_number(cli_get(record, "stddev"), measure[m]->name, &deviation))
            printf(" +- %.2g", deviation);
        comma = ", ";
    }
    if (n > 0 && cli_show_baseline(cli_get(record, "baseline"), measure[0], true))
        putchar(')');
    putchar('\n');
    free(measure);
    cli_show_time(record);
    cli_show_notes(record);
}

static int run(cli *c)
{
    specreg_table *data = NULL;
    char *text = NULL;
    int rc = cli_check(c, specreg_table_read(c->ctx, c->file[0], c->options, &data));
    cli_progress_can_resume(specreg_options_get(c->options, "checkpoint"));
    if (!rc)
        rc = cli_check(c, specreg_cv(c->ctx, data, c->options, &text));
    cli_progress_clear();
    if (!rc)
        rc = cli_emit_json(c, text);
    if (!rc)
        rc = cli_write_report(c, &(specreg_report_part){.title = c->file[0], .record = text});
    if (!rc && c->show) {
        json_t *record = cli_load(text);
        show(record);
        json_decref(record);
    }
    specreg_string_free(text);
    specreg_table_free(data);
    return rc;
}

static const cli_option options[] = {CLI_REPORT_OPTION, {0, NULL, 0, NULL, NULL}};

const cli_command cli_cmd_cv = {
    .name = "cv",
    .files = {"TRAIN"},
    .synopsis = "[OPTIONS] TRAIN",
    .brief = "an honest error estimate of the whole procedure, search included",
    .description =
        "Divides the rows into outer folds (--outer). For each fold, fit runs on the other rows "
        "with the options given, search included, and the model is tested on the fold: test rows "
        "take no part in the choice of parameters or in the scaling. Prints the choice and the "
        "errors of each fold, then their mean and standard deviation.",
    .examples = "specreg cv train.csv\n"
                "specreg cv train.csv --outer kfold:k=10 --filter nu\n"
                "specreg cv train.csv --outer splits:rows.txt --json cv.json",
    .scope = SPECREG_FOR_READ | SPECREG_FOR_FIT | SPECREG_FOR_CV,
    .options = options,
    .run = run,
};
