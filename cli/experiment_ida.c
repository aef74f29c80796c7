/* experiment ida: default fits on the IDA benchmark beside the published table. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "ida_published.h"

static const char *const default_sets = "heart,banana,thyroid,ringnorm,twonorm";
static const double allowance = 0.5; /* points that the mean over the sets may be above theirs */

static const ida_published *find_set(const char *name, size_t length)
{
    for (int i = 0; i < IDA_SETS; i++)
        if (strlen(ida_published_sets[i].name) == length &&
            strncmp(ida_published_sets[i].name, name, length) == 0)
            return &ida_published_sets[i];
    return NULL;
}

/* The column of Table 2 for the filter in force, or -1 when it has none. */
static int column_of(const cli *c)
{
    const char *filter = specreg_options_get(c->options, "filter");
    for (int i = 0; i < IDA_METHODS; i++) {
        const size_t length = strlen(ida_method_filter[i]);
        if (strncmp(filter, ida_method_filter[i], length) == 0 &&
            (filter[length] == '\0' || filter[length] == ':'))
            return i;
    }
    return -1;
}

/* Whether the parameters are chosen once for all splits, as the paper does. */
static bool by_protocol(const cli *c)
{
    return strcmp(specreg_options_get(c->options, "select"), "ida") == 0;
}

/* ---------------------------------------------------------------------- one set */

typedef struct outcome {
    const ida_published *set;
    int64_t splits;
    bool original;     /* the benchmark's own splits, else random ones of the same sizes */
    double *error;     /* in percent, per split                   */
    double *sigma;     /* NaN where the kernel has none           */
    double *parameter; /* lambda, t or components                 */
    double mean, stddev, seconds;
} outcome;

static void free_outcome(outcome *o)
{
    free(o->error);
    free(o->sigma);
    free(o->parameter);
    *o = (outcome){0};
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char *data_folder(const cli *c)
{
    const char *folder = c->value[CLI_DATA] ? c->value[CLI_DATA] : getenv("SPECREG_DATA");
    return folder && *folder ? folder : "../shared/data";
}

/* A file of splits is a table of whole numbers: one split a line, the 0-based training rows. */
static int read_split_file(cli *c, const char *path, specreg_table **out)
{
    static const char *const as[][2] = {{"format", "csv"},
                                        {"header", "no"},
                                        {"delimiter", "space"}};
    specreg_options *options = NULL;
    int rc = cli_check(c, specreg_options_new(c->ctx, &options));
    for (size_t i = 0; !rc && i < sizeof as / sizeof *as; i++)
        rc = cli_check(c, specreg_options_set(c->ctx, options, as[i][0], as[i][1]));
    if (!rc)
        rc = cli_check(c, specreg_table_read(c->ctx, path, options, out));
    specreg_options_free(options);
    return rc;
}

/* The original splits where there are enough of them, else the random ones; the name of their file
 * is the caller's to free. */
static int read_splits(cli *c, const char *set, int64_t wanted, specreg_table **out, bool *original,
                       char **path)
{
    int rc = CLI_OK;
    *path = cli_format("%s/ida/%s.orig-splits.gz", data_folder(c), set);
    *original = access(*path, F_OK) == 0;
    if (*original) {
        rc = read_split_file(c, *path, out);
        *original = !rc && specreg_table_rows(*out) >= wanted;
        if (!rc && !*original) {
            specreg_table_free(*out);
            *out = NULL;
        }
    }
    if (!rc && !*original) {
        free(*path);
        *path = cli_format("%s/ida/%s.random-splits.gz", data_folder(c), set);
        rc = read_split_file(c, *path, out);
    }
    return rc;
}

/* Divides the rows 0..n-1 by line `i` of the splits.  Both lists are the caller's to free. */
static int divide(const specreg_table *splits, int64_t i, int64_t n, int64_t **train,
                  int64_t *n_train, int64_t **test, int64_t *n_test)
{
    const int64_t cols = specreg_table_cols(splits);
    char *taken = cli_alloc((size_t)n, 1);
    *train = cli_alloc((size_t)cols, sizeof **train);
    *test = cli_alloc((size_t)n, sizeof **test);
    *n_train = *n_test = 0;
    int rc = CLI_OK;
    for (int64_t k = 0; k < cols && !rc; k++) {
        const double row = specreg_table_number(splits, i, k);
        if (row >= 0 && row < (double)n && row == floor(row)) {
            taken[(int64_t)row] = 1;
            (*train)[(*n_train)++] = (int64_t)row;
        } else {
            rc = cli_fail(CLI_FAILED, "split %lld: there is no row %g", (long long)(i + 1), row);
        }
    }
    for (int64_t row = 0; row < n; row++)
        if (!taken[row])
            (*test)[(*n_test)++] = row;
    free(taken);
    return rc;
}

static double number_or_nan(const json_t *record, const char *path)
{
    double value = NAN;
    cli_get_number(record, path, &value);
    return value;
}

/* Takes the outcome of split i from the record of its fit. */
static int note(outcome *o, int64_t i, const json_t *fit, double error_rate)
{
    const json_t *filter = cli_get(fit, "filter");
    const char *parameter = cli_path_parameter(filter);
    o->error[i] = 100.0 * error_rate;
    o->sigma[i] = number_or_nan(fit, "kernel.sigma");
    o->parameter[i] = parameter ? number_or_nan(filter, parameter) : NAN;
    if (isnan(error_rate))
        return cli_fail(CLI_FAILED, "the experiment needs a classification problem");
    return CLI_OK;
}

static int fit_and_score(cli *c, const specreg_table *train, const specreg_table *test, int64_t i,
                         outcome *o)
{
    specreg_model *model = NULL;
    char *fitted = NULL, *scored = NULL;
    int rc = cli_check(c, specreg_fit(c->ctx, train, c->options, &model));
    if (!rc)
        rc = cli_check(c, specreg_model_record(c->ctx, model, &fitted));
    if (!rc)
        rc = cli_check(c, specreg_evaluate(c->ctx, model, test, NULL, &scored));
    if (!rc) {
        json_t *fit = cli_load(fitted), *score = cli_load(scored);
        rc = note(o, i, fit, number_or_nan(score, "test.error_rate"));
        json_decref(score);
        json_decref(fit);
    }
    specreg_string_free(scored);
    specreg_string_free(fitted);
    specreg_model_free(model);
    return rc;
}

static int run_split(cli *c, const specreg_table *all, const specreg_table *splits, int64_t i,
                     outcome *o)
{
    specreg_table *train = NULL, *test = NULL;
    int64_t *train_rows = NULL, *test_rows = NULL, n_train = 0, n_test = 0;
    int rc = divide(splits, i, specreg_table_rows(all), &train_rows, &n_train, &test_rows, &n_test);
    if (!rc)
        rc = cli_check(c, specreg_table_select(c->ctx, all, train_rows, n_train, &train));
    if (!rc)
        rc = cli_check(c, specreg_table_select(c->ctx, all, test_rows, n_test, &test));
    if (!rc)
        rc = fit_and_score(c, train, test, i, o);
    specreg_table_free(test);
    specreg_table_free(train);
    free(test_rows);
    free(train_rows);
    return rc;
}

static int run_splits(cli *c, const specreg_table *all, const specreg_table *splits, outcome *o)
{
    int rc = CLI_OK;
    for (int64_t i = 0; !rc && i < o->splits; i++) {
        char *task = cli_format("%s %d/%d", o->set->name, (int)i + 1, (int)o->splits);
        cli_progress_task(task);
        rc = run_split(c, all, splits, i, o);
        cli_progress_task(NULL);
        free(task);
    }
    return rc;
}

/* The paper's way, which is that of specreg_cv: parameters once for all splits of the file. */
static int run_protocol(cli *c, const specreg_table *all, const char *splits, outcome *o)
{
    char *record = NULL, *rule = cli_format("ida:%s", splits);
    cli_progress_task(o->set->name);
    int rc = cli_check(c, specreg_options_set(c->ctx, c->options, "select", rule));
    if (!rc)
        rc = cli_check(c, specreg_cv(c->ctx, all, c->options, &record));
    if (!rc)
        rc = cli_check(c, specreg_options_set(c->ctx, c->options, "select", "ida"));
    if (!rc) {
        json_t *cv = cli_load(record);
        for (int64_t i = 0; !rc && i < o->splits; i++) {
            const json_t *fold = json_array_get(cli_get(cv, "folds"), (size_t)i);
            rc = note(o, i, fold, number_or_nan(fold, "error_rate"));
        }
        json_decref(cv);
    }
    cli_progress_task(NULL);
    specreg_string_free(record);
    free(rule);
    return rc;
}

static void average(outcome *o)
{
    double squares = 0.0;
    o->mean = 0.0;
    for (int64_t i = 0; i < o->splits; i++)
        o->mean += o->error[i] / (double)o->splits;
    for (int64_t i = 0; i < o->splits; i++)
        squares += (o->error[i] - o->mean) * (o->error[i] - o->mean);
    o->stddev = o->splits > 1 ? sqrt(squares / (double)(o->splits - 1)) : 0.0;
}

static int run_set(cli *c, const ida_published *set, int64_t wanted, outcome *o)
{
    const double begun = now();
    specreg_table *all = NULL, *splits = NULL;
    char *path = cli_format("%s/ida/%s.csv.gz", data_folder(c), set->name), *split_path = NULL;
    *o = (outcome){.set = set};
    int rc = cli_check(c, specreg_table_read(c->ctx, path, NULL, &all));
    if (!rc)
        rc = read_splits(c, set->name, wanted, &splits, &o->original, &split_path);
    if (!rc) {
        const int64_t there = specreg_table_rows(splits);
        o->splits = there < wanted ? there : wanted;
        o->error = cli_alloc((size_t)o->splits, sizeof *o->error);
        o->sigma = cli_alloc((size_t)o->splits, sizeof *o->sigma);
        o->parameter = cli_alloc((size_t)o->splits, sizeof *o->parameter);
    }
    if (!rc)
        rc = by_protocol(c) ? run_protocol(c, all, split_path, o) : run_splits(c, all, splits, o);
    cli_progress_clear();
    if (!rc)
        average(o);
    o->seconds = now() - begun;
    specreg_table_free(splits);
    specreg_table_free(all);
    free(split_path);
    free(path);
    return rc;
}

/* ---------------------------------------------------------------------- printing */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values, int64_t n)
{
    double *sorted = cli_alloc((size_t)n, sizeof *sorted);
    memcpy(sorted, values, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    const double m = 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
    free(sorted);
    return m;
}

static void print_heading(int column)
{
    printf("%-14s %-10s %15s  %15s  %6s  %-5s  %9s  %9s  %7s\n", "set", "splits", "test error %",
           column < 0 ? "" : ida_method_title[column], column < 0 ? "" : "bound", "", "sigma",
           column == IDA_LANDWEBER || column == IDA_NU ? "t" : "parameter", "seconds");
}

static void print_row(const outcome *o, int column)
{
    printf("%-14s %3d %-6s %6.2f +- %5.2f", o->set->name, (int)o->splits,
           o->original ? "orig" : "random", o->mean, o->stddev);
    if (column >= 0) {
        const double mean = o->set->by[column].mean, stddev = o->set->by[column].stddev;
        const double bound = mean + 2.0 * stddev;
        printf("  %6.2f +- %5.2f  %6.2f  %-5s", mean, stddev, bound,
               o->mean <= bound ? "ok" : "worse");
    } else {
        printf("  %15s  %6s  %-5s", "", "", "");
    }
    printf("  %9.3g  %9.3g  %7.1f\n", median(o->sigma, o->splits), median(o->parameter, o->splits),
           o->seconds);
    fflush(stdout);
}

static void print_averages(const outcome *o, int count, int column)
{
    double ours = 0.0, theirs = 0.0, seconds = 0.0;
    for (int i = 0; i < count; i++) {
        ours += o[i].mean / count;
        theirs += column >= 0 ? o[i].set->by[column].mean / count : 0.0;
        seconds += o[i].seconds;
    }
    printf("mean over %d %s: %.2f %%", count, count == 1 ? "set" : "sets", ours);
    if (column >= 0 && count == 1)
        printf(", published %.2f %%", theirs);
    else if (column >= 0)
        printf(", published %.2f %%; no worse than %.2f %%: %s", theirs, theirs + allowance,
               ours <= theirs + allowance ? "ok" : "worse");
    printf("; %.1f s in all\n", seconds);
}

/* The second table, for all sets: beside the smallest published error of each. */
static void print_best(const outcome *o, int count)
{
    double ours = 0.0, theirs = 0.0;
    int as_good = 0;
    printf("\n%-14s %12s  %15s  %-10s  %10s\n", "set", "test error %", "best published", "by",
           "difference");
    for (int i = 0; i < count; i++) {
        const ida_best best = ida_best_of(o[i].set);
        const double difference = o[i].mean - best.error.mean;
        printf("%-14s %12.2f  %6.2f +- %5.2f  %-10s  %+10.2f\n", o[i].set->name, o[i].mean,
               best.error.mean, best.error.stddev, best.who, difference);
        ours += o[i].mean / count;
        theirs += best.error.mean / count;
        as_good += difference <= 0;
    }
    printf("%-14s %12.2f  %6.2f %8s  %-10s  %+10.2f\n", "mean", ours, theirs, "", "",
           ours - theirs);
    printf("as good as the best published or better: %d of %d sets\n", as_good, count);
}

static json_t *record_of(const outcome *o, int count, int column)
{
    json_t *sets = json_array();
    for (int i = 0; i < count; i++) {
        json_t *errors = json_array();
        for (int64_t k = 0; k < o[i].splits; k++)
            json_array_append_new(errors, json_real(o[i].error[k]));
        json_t *set = json_pack("{s:s, s:s, s:o, s:f, s:f, s:f}", "name", o[i].set->name, "splits",
                                o[i].original ? "original" : "random", "errors", errors, "mean",
                                o[i].mean, "stddev", o[i].stddev, "seconds", o[i].seconds);
        if (column >= 0) {
            json_object_set_new(set, "published", json_real(o[i].set->by[column].mean));
            json_object_set_new(set, "published_stddev", json_real(o[i].set->by[column].stddev));
        }
        const ida_best best = ida_best_of(o[i].set);
        json_object_set_new(set, "best_published", json_real(best.error.mean));
        json_object_set_new(set, "best_published_stddev", json_real(best.error.stddev));
        json_object_set_new(set, "best_published_by", json_string(best.who));
        json_array_append_new(sets, set);
    }
    return json_pack("{s:s, s:s, s:s, s:o}", "specreg", specreg_version(), "command", "experiment",
                     "experiment", "ida", "sets", sets);
}

/* -------------------------------------------------------------------- the experiment */

static int parse_splits(const cli *c, int64_t *count)
{
    char *end;
    *count = 10;
    if (!c->value[CLI_SPLITS])
        return CLI_OK;
    const long n = strtol(c->value[CLI_SPLITS], &end, 10);
    if (*end || n < 1 || n > 100)
        return cli_usage(c, "--splits '%s' is not a number from 1 to 100", c->value[CLI_SPLITS]);
    *count = n;
    return CLI_OK;
}

static bool all_sets(const cli *c)
{
    return c->value[CLI_SETS] && strcmp(c->value[CLI_SETS], "all") == 0;
}

static int parse_sets(const cli *c, const ida_published **set, int *count)
{
    const char *text = c->value[CLI_SETS] ? c->value[CLI_SETS] : default_sets;
    *count = 0;
    if (all_sets(c))
        for (; *count < IDA_SETS; ++*count)
            set[*count] = &ida_published_sets[*count];
    if (*count)
        return CLI_OK;
    while (*count < IDA_SETS) {
        const size_t length = strcspn(text, ",");
        set[*count] = find_set(text, length);
        if (!set[(*count)++])
            return cli_usage(c, "unknown set '%.*s' (see 'specreg help experiment')", (int)length,
                             text);
        text += length;
        if (!*text)
            return CLI_OK;
        text++;
    }
    return cli_usage(c, "--sets names more than %d sets", IDA_SETS);
}

/* Before anything is run: is everything there? */
static int check_files(const cli *c, const ida_published *const *set, int count)
{
    int rc = CLI_OK;
    for (int i = 0; !rc && i < count; i++) {
        char *path = cli_format("%s/ida/%s.csv.gz", data_folder(c), set[i]->name);
        if (access(path, R_OK) != 0)
            rc = cli_fail(CLI_FAILED,
                          "%s: %s; --data DIR or $SPECREG_DATA names the folder that "
                          "holds ida/",
                          path, strerror(errno));
        free(path);
    }
    return rc;
}

int cli_experiment_ida(cli *c)
{
    const ida_published *set[IDA_SETS];
    outcome done[IDA_SETS] = {{0}};
    int count = 0;
    int64_t splits = 0;
    const int column = column_of(c);
    int rc = parse_splits(c, &splits);
    if (!rc && strncmp(specreg_options_get(c->options, "select"), "ida:", 4) == 0)
        rc = cli_usage(c, "--select ida, without a file: the splits are those of each set");
    if (!rc)
        rc = parse_sets(c, set, &count);
    if (!rc)
        rc = check_files(c, set, count);
    if (!rc && c->show)
        print_heading(column);
    for (int i = 0; !rc && i < count; i++) {
        rc = run_set(c, set[i], splits, &done[i]);
        if (!rc && c->show)
            print_row(&done[i], column);
    }
    if (!rc && c->show)
        print_averages(done, count, column);
    if (!rc && c->show && all_sets(c))
        print_best(done, count);
    if (!rc)
        rc = cli_emit_record(c, record_of(done, count, column));
    for (int i = 0; i < IDA_SETS; i++)
        free_outcome(&done[i]);
    return rc;
}
