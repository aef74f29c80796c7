/* Records as charts: the path, the spectrum, ROC curves; predictions against measured values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* A column of a list of objects; NaN where it is not. */
static double *column_of(const json_t *list, const char *key)
{
    const size_t n = json_array_size(list);
    double *v = cli_alloc(n, sizeof *v);
    for (size_t i = 0; i < n; i++) {
        v[i] = NAN;
        cli_get_number(json_array_get(list, i), key, &v[i]);
    }
    return v;
}

/* The smallest that is above zero. */
static double least(const double *v, int64_t n)
{
    double least = INFINITY;
    for (int64_t i = 0; i < n; i++)
        least = v[i] > 0 ? fmin(least, v[i]) : least;
    return least;
}

static double largest(const double *v, int64_t n)
{
    double largest = -INFINITY;
    for (int64_t i = 0; i < n; i++)
        largest = isfinite(v[i]) ? fmax(largest, v[i]) : largest;
    return largest;
}

static double smallest(const double *v, int64_t n)
{
    double smallest = INFINITY;
    for (int64_t i = 0; i < n; i++)
        smallest = isfinite(v[i]) ? fmin(smallest, v[i]) : smallest;
    return smallest;
}

static bool any(const double *v, int64_t n)
{
    return isfinite(largest(v, n));
}

/* Takes decades where values differ by so many times. */
static void log_if_wide(cli_chart *chart, int axis, const double *v, int64_t n, double times)
{
    if (largest(v, n) > times * least(v, n))
        cli_chart_log(chart, axis);
}

/* ------------------------------------------------------------------------- path */

/* The rows of the path whose kernel, coupling and setting of the filter are those of the best. */
static json_t *rows_of_best(const json_t *table, int64_t best)
{
    static const char *const same[] = {"kernel", "outputs", "filter"};
    const json_t *chosen = json_array_get(table, best >= 0 ? (size_t)best : 0);
    json_t *rows = json_array();
    for (size_t i = 0; i < json_array_size(table); i++) {
        json_t *row = json_array_get(table, i);
        bool is_same = true;
        for (int k = 0; k < 3; k++) {
            const json_t *a = cli_get(row, same[k]), *b = cli_get(chosen, same[k]);
            is_same = is_same && ((!a && !b) || json_equal(a, b));
        }
        if (is_same)
            json_array_append(rows, row);
    }
    return rows;
}

static char *kernel_text(const json_t *kernel)
{
    const char *name = cli_get_text(kernel, "name");
    double sigma;
    return cli_get_number(kernel, "sigma", &sigma)
               ? cli_format("%s, sigma %.4g", name ? name : "", sigma)
               : cli_format("%s", name ? name : "");
}

/* What is compared, for people. */
static const char *criterion_text(const char *criterion)
{
    const specreg_measure_info *m;
    const char *title = criterion ? specreg_criterion_title(criterion) : NULL;
    for (int i = 0; !title && criterion && (m = specreg_measure_at(i)); i++)
        if (strcmp(m->name, criterion) == 0)
            title = m->title;
    return title ? title : criterion ? criterion : "error";
}

/* Errors of training and test rows stand beside the criterion where they are of its kind. */
static const char *error_kind(const char *criterion)
{
    if (criterion && strcmp(criterion, "error_rate") == 0)
        return "error_rate";
    return criterion && (strcmp(criterion, "mse") == 0 || strcmp(criterion, "gcv") == 0) ? "mse"
                                                                                         : NULL;
}

static void add_errors(cli_chart *chart, const json_t *rows, const char *which, const char *kind,
                       const char *name, const double *x)
{
    const int64_t n = (int64_t)json_array_size(rows);
    char *key = cli_format("%s_%s", which, kind);
    double *y = column_of(rows, key);
    if (any(y, n))
        cli_chart_add(chart, CLI_MARK_LINE, name, x, y, n);
    free(y);
    free(key);
}

/* The criterion with its standard error. */
static void add_criterion(cli_chart *chart, const json_t *rows, const char *name, const double *x)
{
    const int64_t n = (int64_t)json_array_size(rows);
    double *value = column_of(rows, "value"), *error = column_of(rows, "stderr");
    double *low = cli_alloc((size_t)n, sizeof *low), *high = cli_alloc((size_t)n, sizeof *high);
    for (int64_t i = 0; i < n; i++) {
        low[i] = value[i] - error[i];
        high[i] = value[i] + error[i];
    }
    if (any(error, n))
        cli_chart_band(chart, x, low, high, n);
    if (any(value, n))
        cli_chart_add(chart, CLI_MARK_LINE, name, x, value, n);
    free(high);
    free(low);
    free(error);
    free(value);
}

static void mark_best(cli_chart *chart, const json_t *row, const char *parameter, const char *kind)
{
    double x = NAN, y = NAN;
    char *key = cli_format("train_%s", kind ? kind : "mse");
    cli_get_number(row, parameter, &x);
    if (!cli_get_number(row, "value", &y))
        cli_get_number(row, key, &y);
    char *label =
        cli_format("chosen: %s %.3g", strcmp(parameter, "lambda") == 0 ? "λ" : parameter, x);
    cli_chart_point(chart, x, y, label);
    free(label);
    free(key);
}

cli_chart *cli_path_chart(const json_t *record, int64_t best)
{
    const json_t *table = cli_get(record, "table");
    const char *criterion = cli_get_text(record, "selection.criterion");
    const char *method = cli_get_text(record, "selection.method");
    const char *parameter = cli_path_parameter(json_array_get(table, 0));
    const char *kind = error_kind(criterion);
    json_t *rows = rows_of_best(table, best);
    const int64_t n = (int64_t)json_array_size(rows);
    cli_chart *chart = NULL;
    if (n < 2 || !parameter)
        goto done;
    char *title = kernel_text(cli_get(json_array_get(rows, 0), "kernel"));
    double *x = column_of(rows, parameter), *value = column_of(rows, "value");
    const bool chosen = any(value, n);
    if (!chosen && !kind)
        kind = "mse";
    chart = cli_chart_new(title, strcmp(parameter, "lambda") == 0 ? "λ" : parameter,
                          chosen ? criterion_text(criterion) : "mse");
    log_if_wide(chart, 0, x, n, 30);
    const char *rule = method ? specreg_rule_title(method) : NULL;
    add_criterion(chart, rows, rule ? rule : method ? method : "criterion", x);
    if (kind) {
        add_errors(chart, rows, "train", kind, "training rows", x);
        add_errors(chart, rows, "test", kind, "test rows", x);
    }
    log_if_wide(chart, 1, value, n, 50);
    if (best >= 0)
        mark_best(chart, json_array_get(table, (size_t)best), parameter, kind);
    free(value);
    free(x);
    free(title);
done:
    json_decref(rows);
    return chart;
}

/* --------------------------------------------------------------------- spectrum */

static double *numbers_of(const json_t *list)
{
    const size_t n = json_array_size(list);
    double *v = cli_alloc(n, sizeof *v);
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(list, i);
        v[i] = json_is_number(one) ? json_number_value(one) : NAN;
    }
    return v;
}

/* Eigenvalues above rounding: below it they say nothing. */
static int64_t above_rounding(const json_t *record, const double *s, int64_t n)
{
    double rank = (double)n;
    int64_t k = 0;
    cli_get_number(record, "rank", &rank);
    while (k < n && (double)k < rank && s[k] > 0)
        k++;
    return k;
}

int cli_spectrum_charts(const json_t *record, cli_chart *charts[2])
{
    const json_t *share = cli_get(record, "target_share");
    int64_t n = (int64_t)json_array_size(cli_get(record, "eigenvalues"));
    double *s = numbers_of(cli_get(record, "eigenvalues")), *y = numbers_of(share);
    double *rank = cli_alloc((size_t)n, sizeof *rank), sum = 0;
    char *title = kernel_text(cli_get(record, "kernel"));
    int count = 0;
    const int64_t shown = n ? above_rounding(record, s, n) : 0;
    for (int64_t i = 0; i < n; i++)
        rank[i] = (double)(i + 1);
    if (shown >= 2) {
        cli_chart *chart = charts[count++] = cli_chart_new(title, "index", "eigenvalue of K/n");
        log_if_wide(chart, 0, rank, shown, 50);
        log_if_wide(chart, 1, s, shown, 50);
        cli_chart_add(chart, CLI_MARK_LINE, NULL, rank, s, shown);
        if (shown <= 60)
            cli_chart_add(chart, CLI_MARK_DOTS, NULL, rank, s, shown);
    }
    if (shown >= 2 && (int64_t)json_array_size(share) == n && any(y, n)) {
        for (int64_t i = 0; i < n; i++)
            sum = y[i] = sum + (isnan(y[i]) ? 0 : y[i]);
        cli_chart *chart = charts[count++] =
            cli_chart_new("", "index", "share of y, up to the index");
        log_if_wide(chart, 0, rank, shown, 50);
        cli_chart_ends(chart, 1, 0, 1);
        cli_chart_add(chart, CLI_MARK_LINE, NULL, rank, y, n);
    }
    free(title);
    free(rank);
    free(y);
    free(s);
    return count;
}

/* -------------------------------------------------------------------------- ROC */

enum { MOST_NAMED = 10 }; /* classes: beyond, a legend is too long */

static double area_of(const json_t *classes, const char *label)
{
    size_t i;
    json_t *one;
    double area = NAN;
    json_array_foreach ((json_t *)classes, i, one)
        if (label &&
            strcmp(label, cli_get_text(one, "label") ? cli_get_text(one, "label") : "") == 0)
            cli_get_number(one, "auc", &area);
    return area;
}

static void add_curve(cli_chart *chart, const json_t *test, const json_t *points, bool named)
{
    const char *label = cli_get_text(json_array_get(points, 0), "class");
    const double area = area_of(cli_get(test, "classes"), label);
    double *x = column_of(points, "fpr"), *y = column_of(points, "tpr");
    char *name = isnan(area) ? cli_format("%s", label ? label : "?")
                             : cli_format("%s (area %.4g)", label ? label : "?", area);
    cli_chart_add(chart, CLI_MARK_LINE, named ? name : NULL, x, y,
                  (int64_t)json_array_size(points));
    free(name);
    free(x);
    free(y);
}

/* Points of one class after the other; gives the number of classes, and draws them in a chart. */
static int each_class(const json_t *test, cli_chart *chart, bool named)
{
    const json_t *roc = cli_get(test, "roc");
    json_t *points = json_array();
    int classes = 0;
    for (size_t i = 0; i < json_array_size(roc); i++) {
        json_array_append(points, json_array_get(roc, i));
        const json_t *next = json_array_get(roc, i + 1);
        if (next && json_equal(cli_get(next, "class"), cli_get(json_array_get(roc, i), "class")))
            continue;
        if (chart)
            add_curve(chart, test, points, named);
        json_array_clear(points);
        classes++;
    }
    json_decref(points);
    return classes;
}

cli_chart *cli_roc_chart(const json_t *record)
{
    static const double diagonal[] = {0, 1};
    const json_t *test = cli_get(record, "test");
    const int classes = each_class(test, NULL, false);
    if (classes == 0)
        return NULL;
    char *title = classes > MOST_NAMED ? cli_format("ROC of %d classes", classes) : NULL;
    cli_chart *chart =
        cli_chart_new(title ? title : "ROC", "false positive rate", "true positive rate");
    free(title);
    cli_chart_ends(chart, 0, 0, 1);
    cli_chart_ends(chart, 1, 0, 1);
    cli_chart_square(chart);
    each_class(test, chart, classes <= MOST_NAMED);
    cli_chart_add(chart, CLI_MARK_GUIDE, "by chance", diagonal, diagonal, 2);
    return chart;
}

/* ------------------------------------------------------------------- regression */

/* The column of a table by its name; -1: there is none. */
static int64_t column_named(const specreg_table *t, const char *name)
{
    for (int64_t c = 0; c < specreg_table_cols(t); c++)
        if (strcmp(specreg_table_name(t, c), name) == 0)
            return c;
    return -1;
}

cli_chart *cli_agreement_chart(const specreg_table *data, const specreg_table *predicted,
                               int64_t column)
{
    const int64_t n = specreg_table_rows(predicted);
    const char *name = specreg_table_name(predicted, column);
    const int64_t target = column_named(data, name);
    if (target < 0 || specreg_table_is_text(data, target) || specreg_table_rows(data) != n)
        return NULL;
    double *x = cli_alloc((size_t)n, sizeof *x), *y = cli_alloc((size_t)n, sizeof *y);
    for (int64_t i = 0; i < n; i++) {
        x[i] = specreg_table_number(data, i, target);
        y[i] = specreg_table_number(predicted, i, column);
    }
    char *measured = cli_format("%s, measured", name), *told = cli_format("%s, predicted", name);
    cli_chart *chart = cli_chart_new("", measured, told);
    cli_chart_square(chart);
    cli_chart_add(chart, CLI_MARK_DOTS, NULL, x, y, n);
    const double low = fmin(smallest(x, n), smallest(y, n));
    const double high = fmax(largest(x, n), largest(y, n)), ends[] = {low, high};
    cli_chart_add(chart, CLI_MARK_GUIDE, "equal", ends, ends, 2);
    free(told);
    free(measured);
    free(y);
    free(x);
    return chart;
}
