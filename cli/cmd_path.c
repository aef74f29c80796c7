/* specreg path: the whole regularization path as a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* The columns after those of the kernel and of --outputs, in this order. */
static const char *const parameters[] = {"lambda", "t", "components", "order"};
static const char *const measures[] = {"df",    "df_stderr", "train_mse", "train_error_rate",
                                       "value", "stderr",    "test_mse",  "test_error_rate"};
enum {
    PARAMETERS = sizeof parameters / sizeof *parameters,
    MEASURES = sizeof measures / sizeof *measures
};

/* Parameters that a user may copy are shown in full, the rest with four digits. */
static bool is_measure(const char *name)
{
    for (int k = 0; k < MEASURES; k++)
        if (strcmp(name, measures[k]) == 0)
            return true;
    return false;
}

static void set_known(cli_columns *t, size_t row, const json_t *from, const char *name)
{
    double value;
    if (cli_get_number(from, name, &value))
        cli_columns_set(t, (int64_t)row, name, value);
}

static cli_columns *columns_of(const json_t *table)
{
    size_t i;
    json_t *row;
    cli_columns *t = cli_columns_new((int64_t)json_array_size(table));
    json_array_foreach ((json_t *)table, i, row) {
        cli_columns_set_parameters(t, (int64_t)i, cli_get(row, "kernel"));
        cli_columns_set_parameters(t, (int64_t)i, cli_get(row, "outputs"));
        cli_columns_set_parameters(t, (int64_t)i, cli_get(row, "filter"));
        for (int k = 0; k < PARAMETERS; k++)
            set_known(t, i, row, parameters[k]);
        for (int k = 0; k < MEASURES; k++)
            set_known(t, i, row, measures[k]);
    }
    return t;
}

/* Whether an object has all that is in another one; NULL has nothing. */
static bool has_all(const json_t *object, const json_t *other)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)other, key, value)
        if (!json_equal(cli_get(object, key), value))
            return false;
    return true;
}

/* The row that the selection rule takes; -1: there is none. */
static int64_t best_row(const json_t *record)
{
    const json_t *table = cli_get(record, "table"), *filter = cli_get(record, "filter");
    const char *path = cli_path_parameter(json_array_get(table, 0));
    for (size_t i = 0; path && i < json_array_size(table); i++) {
        const json_t *row = json_array_get(table, i);
        if (json_equal(cli_get(row, "kernel"), cli_get(record, "kernel")) &&
            json_equal(cli_get(row, path), cli_get(filter, path)) &&
            (!cli_get(row, "outputs") ||
             json_equal(cli_get(row, "outputs"), cli_get(record, "outputs"))) &&
            has_all(filter, cli_get(row, "filter")))
            return (int64_t)i;
    }
    return -1;
}

/* At a terminal four digits of everything; elsewhere parameters in full, which can be copied. */
static void print_columns(const cli_columns *t, int64_t rows, int64_t best)
{
    const int cols = cli_columns_count(t);
    const bool brief = isatty(STDOUT_FILENO);
    if (cols == 0)
        return;
    cli_grid *g = cli_grid_new(cols + 1, cols < 32 ? 1u << cols : 0);
    for (int k = 0; k < cols; k++)
        cli_grid_add(g, cli_format("%s", cli_columns_name(t, k)));
    cli_grid_add(g, NULL);
    for (int64_t i = 0; i < rows; i++) {
        for (int k = 0; k < cols; k++) {
            const double v = cli_columns_value(t, i, k);
            cli_grid_add(g, isnan(v)                                      ? NULL
                            : brief || is_measure(cli_columns_name(t, k)) ? cli_approx(v)
                                                                          : cli_exact(v));
        }
        cli_grid_add(g, i == best ? cli_format("<- best") : NULL);
    }
    cli_grid_print(g);
    cli_grid_free(g);
}

/* Whether OUT is for predictions, not for the table. */
static bool is_predicted(const cli *c)
{
    return c->value[CLI_PREDICT] || c->value[CLI_GRID];
}

static void show(const cli *c, const json_t *record, const cli_columns *t, int64_t rows)
{
    const json_t *filter = cli_get(record, "filter");
    cli_show_data(record);
    cli_show_approx(record);
    cli_show_features(record);
    if (filter) {
        cli_label("filter");
        cli_show_filter(filter, false);
        putchar('\n');
    }
    if (!c->value[CLI_OUTPUT] || is_predicted(c))
        print_columns(t, rows, best_row(record));
    else
        printf("%-10s%lld rows to %s\n", "path", (long long)rows, c->value[CLI_OUTPUT]);
    if (cli_plot_wanted(c)) {
        cli_chart *chart = cli_path_chart(record, best_row(record));
        if (chart)
            cli_chart_print(chart);
        cli_chart_free(chart);
    }
    cli_show_time(record);
    cli_show_notes(record);
}

static int write_picture(cli *c, const json_t *record)
{
    cli_chart *chart = cli_path_chart(record, best_row(record));
    const int rc =
        chart ? cli_chart_write(c, &chart, 1, c->value[CLI_OUTPUT])
              : cli_fail(CLI_FAILED, "%s: a path of one point is no curve", c->value[CLI_OUTPUT]);
    cli_chart_free(chart);
    return rc;
}

static int report(cli *c, const char *text)
{
    json_t *record = cli_load(text);
    const json_t *table = cli_get(record, "table");
    cli_columns *t = columns_of(table);
    int rc = CLI_OK;
    if (cli_is_svg(c->value[CLI_OUTPUT]) && !is_predicted(c))
        rc = write_picture(c, record);
    else if (c->value[CLI_OUTPUT] && !is_predicted(c))
        rc = cli_columns_write(c, t, c->value[CLI_OUTPUT]);
    if (!rc)
        rc = cli_emit_json(c, text);
    if (!rc)
        rc = cli_write_report(c, &(specreg_report_part){.title = c->file[0], .record = text});
    if (!rc && c->show)
        show(c, record, t, (int64_t)json_array_size(table));
    cli_columns_free(t);
    json_decref(record);
    return rc;
}

typedef struct visit {
    const cli *c;
    cli_solutions *solutions;
    bool other_centres;
} visit;

static int take_point(const specreg_path_point *point, void *payload)
{
    visit *v = payload;
    v->other_centres = cli_solutions_take(point, v->solutions, v->c->value[CLI_GRID] != NULL);
    return v->other_centres;
}

static int find_path(cli *c, const specreg_table *train, const specreg_table *test,
                     const specreg_table *rows)
{
    visit v = {c, cli_solutions_new(c->value[CLI_COEFFICIENTS] != NULL), false};
    const bool solutions = is_predicted(c) || c->value[CLI_COEFFICIENTS];
    const specreg_path_request request = {.struct_size = sizeof request,
                                          .test = test,
                                          .rows = rows,
                                          .grid = c->value[CLI_GRID],
                                          .each = solutions ? take_point : NULL,
                                          .payload = &v};
    char *text = NULL;
    const specreg_status st = specreg_path_solutions(c->ctx, train, &request, c->options, &text);
    cli_progress_clear();
    int rc = v.other_centres ? cli_fail(CLI_FAILED, "coefficients: kernels have centres of their "
                                                    "own here: give one kernel")
                             : cli_check(c, st);
    if (!rc)
        rc = cli_solutions_write(c, v.solutions, c->value[CLI_OUTPUT], c->value[CLI_COEFFICIENTS]);
    if (!rc)
        rc = report(c, text);
    cli_solutions_free(v.solutions);
    specreg_string_free(text);
    return rc;
}

static int read_tables(cli *c, specreg_table **train, specreg_table **test, specreg_table **rows)
{
    int rc = cli_check(c, specreg_table_read(c->ctx, c->file[0], c->options, train));
    const bool more = c->value[CLI_TEST] || c->value[CLI_PREDICT];
    if (!rc && more) /* a file of labels is that of the training rows */
        rc = cli_check(c, specreg_options_set(c->ctx, c->options, "labels", "names"));
    if (!rc && c->value[CLI_TEST])
        rc = cli_check(c, specreg_table_read(c->ctx, c->value[CLI_TEST], c->options, test));
    if (!rc && c->value[CLI_PREDICT])
        rc = cli_check(c, specreg_table_read(c->ctx, c->value[CLI_PREDICT], c->options, rows));
    return rc;
}

static int run(cli *c)
{
    specreg_table *train = NULL, *test = NULL, *rows = NULL;
    if (c->value[CLI_PREDICT] && c->value[CLI_GRID])
        return cli_usage(c, "--predict and --grid: rows or a grid, not both");
    if (is_predicted(c) && cli_is_svg(c->value[CLI_OUTPUT]))
        return cli_usage(c, "-o: predictions are a table, not a picture (%s)",
                         c->value[CLI_OUTPUT]);
    if (is_predicted(c) && !c->value[CLI_OUTPUT])
        return cli_usage(c, "%s needs -o OUT, for the predictions",
                         c->value[CLI_GRID] ? "--grid" : "--predict");
    int rc = cli_check_plot(c);
    if (!rc)
        rc = read_tables(c, &train, &test, &rows);
    if (!rc)
        rc = find_path(c, train, test, rows);
    specreg_table_free(rows);
    specreg_table_free(test);
    specreg_table_free(train);
    return rc;
}

static const cli_option options[] = {
    {CLI_TEST, "test", 0, "DATA", "Labelled data on which every point is scored too."},
    {CLI_OUTPUT, "output", 'o', "OUT",
     "Write the table here instead of printing it, or predictions; the name gives the format, .svg "
     "a picture."},
    {CLI_PLOT, "plot", 0, "WHEN", "Draw a small chart: auto (at a terminal), yes or no."},
    {CLI_PREDICT, "predict", 0, "DATA",
     "Predict these rows at every point: OUT has a column for each point and output."},
    {CLI_GRID, "grid", 0, "x0:x1:nx[,y0:y1:ny[,z0:z1:nz]]",
     "Predict a regular grid in place of DATA; its coordinates are the first columns of OUT."},
    {CLI_COEFFICIENTS, "coefficients", 0, "FILE",
     "Write the coefficients of every point here, a row for each training row or term."},
    CLI_REPORT_OPTION,
    {0, NULL, 0, NULL, NULL},
};

const cli_command cli_cmd_path = {
    .name = "path",
    .files = {"TRAIN"},
    .synopsis = "[OPTIONS] TRAIN [--test DATA] [--predict DATA|--grid GRID] [-o OUT.csv]",
    .brief = "the whole regularization path as a table",
    .description =
        "One row for each kernel, coupling (--outputs) and value of the filter's parameter: the "
        "degrees of freedom df, the training error, the selection criterion (value) and, with "
        "--test, the error on other data. The row that fit would take is marked. At a terminal "
        "numbers have four digits; in files and records they have all.",
    .examples = "specreg path train.csv --kernel rbf:sigma=1 --param lambda=log:1e-8:1:30\n"
                "specreg path train.csv --kernel rbf:sigma=1 -o path.svg\n"
                "specreg path train.csv --test test.csv --filter landweber --param t=1:500 "
                "-o path.csv\n"
                "specreg path train.csv --filter nu --param t=1:50 --grid -3:3:100 -o curves.csv\n"
                "specreg path train.csv --predict new.csv -o predicted.csv",
    .scope = SPECREG_FOR_READ | SPECREG_FOR_FIT,
    .options = options,
    .run = run,
};
