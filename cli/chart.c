/* Charts: curves over one another, for a terminal or as a picture in a file. */
#include "chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

cli_chart *cli_chart_new(const char *title, const char *x, const char *y)
{
    cli_chart *chart = cli_alloc(1, sizeof *chart);
    chart->title = cli_format("%s", title);
    chart->axis[0].label = cli_format("%s", x);
    chart->axis[1].label = cli_format("%s", y);
    cli_make_plain(chart->title); /* names in them come from files */
    cli_make_plain(chart->axis[0].label);
    cli_make_plain(chart->axis[1].label);
    return chart;
}

void cli_chart_log(cli_chart *chart, int axis)
{
    chart->axis[axis].is_log = true;
}

void cli_chart_ends(cli_chart *chart, int axis, double low, double high)
{
    chart->axis[axis].fixed = true;
    chart->axis[axis].low = low;
    chart->axis[axis].high = high;
}

void cli_chart_square(cli_chart *chart)
{
    chart->square = true;
}

static double *copy_of(const double *v, int64_t n)
{
    double *copy = cli_alloc((size_t)n, sizeof *copy);
    if (n)
        memcpy(copy, v, (size_t)n * sizeof *copy);
    return copy;
}

static cli_series *add(cli_chart *chart, cli_mark mark, const char *name)
{
    cli_series *more = cli_alloc((size_t)chart->count + 1, sizeof *more);
    if (chart->count)
        memcpy(more, chart->series, (size_t)chart->count * sizeof *more);
    free(chart->series);
    chart->series = more;
    cli_series *s = &more[chart->count++];
    s->mark = mark;
    if (name) {
        s->name = cli_format("%s", name);
        cli_make_plain(s->name);
    }
    /* A band has the colour of the curve that comes after it. */
    s->colour = chart->colours;
    if (mark == CLI_MARK_LINE || mark == CLI_MARK_DOTS)
        chart->colours += name != NULL;
    return s;
}

void cli_chart_add(cli_chart *chart, cli_mark mark, const char *name, const double *x,
                   const double *y, int64_t n)
{
    cli_series *s = add(chart, mark, name);
    s->n = n;
    s->x = copy_of(x, n);
    s->y = copy_of(y, n);
}

void cli_chart_band(cli_chart *chart, const double *x, const double *low, const double *high,
                    int64_t n)
{
    cli_chart_add(chart, CLI_MARK_BAND, NULL, x, low, n);
    chart->series[chart->count - 1].high = copy_of(high, n);
}

void cli_chart_point(cli_chart *chart, double x, double y, const char *label)
{
    free(chart->at_label);
    chart->marked = isfinite(x) && isfinite(y);
    chart->at[0] = x;
    chart->at[1] = y;
    chart->at_label = cli_format("%s", label);
    cli_make_plain(chart->at_label);
}

void cli_chart_free(cli_chart *chart)
{
    if (!chart)
        return;
    for (int s = 0; s < chart->count; s++) {
        free(chart->series[s].name);
        free(chart->series[s].x);
        free(chart->series[s].y);
        free(chart->series[s].high);
    }
    free(chart->series);
    free(chart->title);
    free(chart->axis[0].label);
    free(chart->axis[1].label);
    free(chart->at_label);
    free(chart);
}

bool cli_is_svg(const char *path)
{
    const size_t n = path ? strlen(path) : 0;
    return n > 4 && strcmp(path + n - 4, ".svg") == 0;
}

int cli_check_plot(const cli *c)
{
    const char *plot = c->value[CLI_PLOT];
    if (plot && strcmp(plot, "auto") != 0 && strcmp(plot, "yes") != 0 && strcmp(plot, "no") != 0)
        return cli_usage(c, "--plot is auto, yes or no, not '%s'", plot);
    return CLI_OK;
}

bool cli_plot_wanted(const cli *c)
{
    const char *plot = c->value[CLI_PLOT];
    if (plot && strcmp(plot, "auto") != 0)
        return strcmp(plot, "yes") == 0;
    return isatty(STDOUT_FILENO);
}
