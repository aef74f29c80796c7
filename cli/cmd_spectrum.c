/* specreg spectrum: eigenvalues of K/n, effective dimension, and how y lies along them. */
#include <math.h>
#include <stdlib.h>

#include "cli.h"

enum { LEADING = 20 };

static double at(const json_t *array, size_t i)
{
    const json_t *value = json_array_get(array, i);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* trace(K/n), from the record or summed. */
static double trace_of(const json_t *record)
{
    const json_t *eigenvalues = cli_get(record, "eigenvalues");
    double trace = 0.0;
    if (cli_get_number(record, "trace", &trace))
        return trace;
    for (size_t i = 0; i < json_array_size(eigenvalues); i++)
        trace += at(eigenvalues, i);
    return trace;
}

static cli_columns *columns_of(const json_t *record)
{
    const json_t *eigenvalues = cli_get(record, "eigenvalues");
    const json_t *share_of_y = cli_get(record, "target_share");
    const double trace = trace_of(record);
    const size_t n = json_array_size(eigenvalues);
    cli_columns *t = cli_columns_new((int64_t)n);
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double s = at(eigenvalues, i);
        sum += s;
        cli_columns_set(t, (int64_t)i, "rank", (double)(i + 1));
        cli_columns_set(t, (int64_t)i, "eigenvalue", s);
        cli_columns_set(t, (int64_t)i, "share", s / trace);
        cli_columns_set(t, (int64_t)i, "cumulative_share", sum / trace);
        if (share_of_y)
            cli_columns_set(t, (int64_t)i, "target_share", at(share_of_y, i));
    }
    return t;
}

static void print_leading(const cli_columns *t, int64_t n)
{
    static const char *const title[] = {"rank", "eigenvalue", "share", "cumulative", "share of y"};
    const int cols = cli_columns_count(t);
    if (cols == 0)
        return;
    cli_grid *g = cli_grid_new(cols, 0);
    for (int k = 0; k < cols && k < 5; k++)
        cli_grid_add(g, cli_format("%s", title[k]));
    for (int64_t i = 0; i < n && i < LEADING; i++)
        for (int k = 0; k < cols; k++) {
            const double v = cli_columns_value(t, i, k);
            cli_grid_add(g, k == 0     ? cli_format("%.0f", v)
                            : k == 1   ? cli_approx(v)
                            : isnan(v) ? NULL
                                       : cli_percent(v));
        }
    cli_grid_print(g);
    cli_grid_free(g);
    if (n > LEADING)
        printf("  and %lld more (-o FILE writes all)\n", (long long)(n - LEADING));
}

static void print_dimension(const json_t *list)
{
    size_t i;
    json_t *row;
    if (json_array_size(list) == 0)
        return;
    cli_grid *g = cli_grid_new(2, 0);
    cli_grid_add(g, cli_format("lambda"));
    cli_grid_add(g, cli_format("effective dimension"));
    json_array_foreach ((json_t *)list, i, row) {
        double lambda = NAN, df = NAN;
        cli_get_number(row, "lambda", &lambda);
        cli_get_number(row, "df", &df);
        cli_grid_add(g, cli_exact(lambda));
        cli_grid_add(g, cli_approx(df));
    }
    cli_grid_print(g);
    cli_grid_free(g);
}

static void print_chart(const json_t *record)
{
    cli_chart *charts[2];
    const int count = cli_spectrum_charts(record, charts);
    if (count)
        cli_chart_print(charts[0]);
    for (int k = 0; k < count; k++)
        cli_chart_free(charts[k]);
}

static int write_picture(cli *c, const json_t *record)
{
    cli_chart *charts[2];
    const int count = cli_spectrum_charts(record, charts);
    const int rc = count ? cli_chart_write(c, charts, count, c->value[CLI_OUTPUT])
                         : cli_fail(CLI_FAILED, "%s: there are not two eigenvalues to draw",
                                    c->value[CLI_OUTPUT]);
    for (int k = 0; k < count; k++)
        cli_chart_free(charts[k]);
    return rc;
}

static void show(const cli *c, const json_t *record, const cli_columns *t, int64_t n)
{
    double rank;
    cli_show_data(record);
    if (cli_get(record, "kernel")) {
        cli_label("kernel");
        cli_show_kernel(cli_get(record, "kernel"));
        putchar('\n');
    }
    cli_show_features(record);
    cli_label("spectrum");
    char *trace = cli_approx(trace_of(record));
    printf("%lld eigenvalues of K/n%s, trace %s", (long long)n,
           cli_get(record, "features") ? " less the features" : "", trace);
    free(trace);
    if (cli_get_number(record, "rank", &rank))
        printf(", rank %.0f", rank);
    if (c->value[CLI_OUTPUT])
        printf(", to %s", c->value[CLI_OUTPUT]);
    putchar('\n');
    print_leading(t, n);
    if (cli_plot_wanted(c))
        print_chart(record);
    print_dimension(cli_get(record, "effective_dimension"));
    cli_show_time(record);
    cli_show_notes(record);
}

static int report(cli *c, const char *text)
{
    json_t *record = cli_load(text);
    const int64_t n = (int64_t)json_array_size(cli_get(record, "eigenvalues"));
    cli_columns *t = columns_of(record);
    int rc = CLI_OK;
    if (cli_is_svg(c->value[CLI_OUTPUT]))
        rc = write_picture(c, record);
    else if (c->value[CLI_OUTPUT])
        rc = cli_columns_write(c, t, c->value[CLI_OUTPUT]);
    if (!rc)
        rc = cli_emit_json(c, text);
    if (!rc)
        rc = cli_write_report(c, &(specreg_report_part){.title = c->file[0], .record = text});
    if (!rc && c->show)
        show(c, record, t, n);
    cli_columns_free(t);
    json_decref(record);
    return rc;
}

static int run(cli *c)
{
    specreg_table *train = NULL;
    char *text = NULL;
    int rc = cli_check_plot(c);
    if (!rc)
        rc = cli_check(c, specreg_table_read(c->ctx, c->file[0], c->options, &train));
    if (!rc)
        rc = cli_check(c, specreg_spectrum(c->ctx, train, c->options, &text));
    cli_progress_clear();
    if (!rc)
        rc = report(c, text);
    specreg_string_free(text);
    specreg_table_free(train);
    return rc;
}

static const cli_option options[] = {
    {CLI_OUTPUT, "output", 'o', "OUT",
     "Write all eigenvalues and shares here; the name gives the format, .svg a picture."},
    {CLI_PLOT, "plot", 0, "WHEN", "Draw a small chart: auto (at a terminal), yes or no."},
    CLI_REPORT_OPTION,
    {0, NULL, 0, NULL, NULL},
};

static const char *const without[] = {"filter", "param", "select", "engine", "calibrate", NULL};

const cli_command cli_cmd_spectrum = {
    .name = "spectrum",
    .files = {"TRAIN"},
    .synopsis = "[OPTIONS] TRAIN [-o OUT.csv]",
    .brief = "eigenvalues of K/n, effective dimension, how y lies along them",
    .description =
        "Decomposes K/n, the kernel matrix of TRAIN divided by the number of rows. Shows the "
        "leading eigenvalues s, their share of the trace, the share of the target along each "
        "eigenvector, and the effective dimension, the sum of s/(s + lambda), for several "
        "lambda.\n\n"
        "A target along the leading eigenvectors is easy to learn with this kernel.",
    .examples = "specreg spectrum train.csv --kernel rbf:sigma=1\n"
                "specreg spectrum train.csv --kernel rbf:sigma=1 -o spectrum.svg\n"
                "specreg spectrum train.csv --kernel linear -o spectrum.csv",
    .scope = SPECREG_FOR_READ | SPECREG_FOR_FIT,
    .without = without,
    .options = options,
    .run = run,
};
