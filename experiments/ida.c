/* experiment ida: fits on the sets of the IDA benchmark beside Tables 2 and 3 of Lo Gerfo, Rosasco,
 * Odone, De Vito and Verri, "Spectral Algorithms for Supervised Learning". */
#include "ida.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const default_sets = "heart,banana,thyroid,ringnorm,twonorm";

/* The column of Table 2 for the filter in force, or -1 when it has none. */
static int column_of(const cli *c)
{
    const char *filter = specreg_options_get(c->options, "filter");
    if (c->value[EXP_SVM])
        return IDA_SVM;
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

static void free_outcome(ida_outcome *o)
{
    free(o->error);
    free(o->sigma);
    free(o->parameter);
    *o = (ida_outcome){0};
}

/* Enters the error of split i, and the parameters from the record of its fit. */
static int note(ida_outcome *o, int64_t i, const json_t *fit, double error_rate)
{
    const json_t *filter = cli_get(fit, "filter");
    const char *parameter = cli_path_parameter(filter);
    o->error[i] = 100.0 * error_rate;
    o->sigma[i] = exp_number(fit, "kernel.sigma");
    o->parameter[i] = parameter ? exp_number(filter, parameter) : NAN;
    if (isnan(error_rate))
        return cli_fail(CLI_FAILED, "the experiment needs a classification problem");
    return CLI_OK;
}

static int fit_and_score(cli *c, const specreg_table *train, const specreg_table *test, int64_t i,
                         ida_outcome *o)
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
        rc = note(o, i, fit, exp_number(score, "test.error_rate"));
        json_decref(score);
        json_decref(fit);
    }
    specreg_string_free(scored);
    specreg_string_free(fitted);
    specreg_model_free(model);
    return rc;
}

static int run_split(cli *c, const ida_data *data, int64_t i, ida_outcome *o)
{
    specreg_table *train = NULL, *test = NULL;
    int rc = ida_divide(c, data, i, &train, &test);
    if (!rc)
        rc = fit_and_score(c, train, test, i, o);
    specreg_table_free(test);
    specreg_table_free(train);
    return rc;
}

static int run_splits(cli *c, const ida_data *data, ida_outcome *o)
{
    int rc = CLI_OK;
    for (int64_t i = 0; !rc && i < o->splits; i++) {
        cli_progress_label("%s %d/%d", o->set->name, (int)i + 1, (int)o->splits);
        rc = run_split(c, data, i, o);
        cli_progress_no_label();
    }
    return rc;
}

/* The paper's protocol, which specreg_cv follows with --select ida:FILE: parameters once for all
 * splits of the file. */
static int run_protocol(cli *c, const ida_data *data, ida_outcome *o)
{
    char *record = NULL, *rule = cli_format("ida:%s", data->split_file);
    cli_progress_label("%s", o->set->name);
    int rc = cli_check(c, specreg_options_set(c->ctx, c->options, "select", rule));
    if (!rc)
        rc = cli_check(c, specreg_cv(c->ctx, data->rows, c->options, &record));
    if (!rc)
        rc = cli_check(c, specreg_options_set(c->ctx, c->options, "select", "ida"));
    if (!rc) {
        json_t *cv = cli_load(record);
        for (int64_t i = 0; !rc && i < o->splits; i++) {
            const json_t *fold = json_array_get(cli_get(cv, "folds"), (size_t)i);
            rc = note(o, i, fold, exp_number(fold, "error_rate"));
        }
        json_decref(cv);
    }
    cli_progress_no_label();
    specreg_string_free(record);
    free(rule);
    return rc;
}

static void average(ida_outcome *o)
{
    double squares = 0.0;
    o->mean = 0.0;
    for (int64_t i = 0; i < o->splits; i++)
        o->mean += o->error[i] / (double)o->splits;
    for (int64_t i = 0; i < o->splits; i++)
        squares += (o->error[i] - o->mean) * (o->error[i] - o->mean);
    o->stddev = o->splits > 1 ? sqrt(squares / (double)(o->splits - 1)) : 0.0;
}

static void allocate(ida_outcome *o)
{
    o->error = exp_zeros(o->splits);
    o->sigma = exp_zeros(o->splits);
    o->parameter = exp_zeros(o->splits);
}

static int run_set(cli *c, const ida_published *set, int64_t wanted, ida_outcome *o)
{
    const double begun = exp_now();
    ida_data data;
    *o = (ida_outcome){.set = set};
    int rc = ida_open(c, set->name, wanted, &data);
    if (!rc) {
        o->splits = data.count;
        o->original = data.original;
        allocate(o);
        rc = c->value[EXP_SVM] ? ida_run_svm(c, &data, o)
             : by_protocol(c)  ? run_protocol(c, &data, o)
                               : run_splits(c, &data, o);
    }
    cli_progress_clear();
    if (!rc)
        average(o);
    o->seconds = exp_now() - begun;
    ida_close(&data);
    return rc;
}

/* -------------------------------------------------------------------- the experiment */

static bool all_sets(const cli *c)
{
    return c->value[EXP_SETS] && strcmp(c->value[EXP_SETS], "all") == 0;
}

static int check_select(const cli *c)
{
    if (strncmp(specreg_options_get(c->options, "select"), "ida:", 4) != 0)
        return CLI_OK;
    return cli_usage(c, "--select ida, without a file: the splits are those of each set");
}

static int run_sets(cli *c, const exp_sets *sets, int64_t splits)
{
    ida_outcome done[IDA_SETS] = {{0}};
    const int column = column_of(c), count = sets->count;
    int rc = CLI_OK;
    if (c->show)
        ida_print_heading(column);
    for (int i = 0; !rc && i < count; i++) {
        rc = run_set(c, &ida_published_sets[sets->index[i]], splits, &done[i]);
        if (!rc && c->show)
            ida_print_row(&done[i], column);
    }
    if (!rc && c->show)
        ida_print_averages(done, count, column);
    if (!rc && c->show && all_sets(c))
        ida_print_best(done, count);
    if (!rc)
        rc = cli_emit_record(c, ida_record(done, count, column));
    for (int i = 0; i < IDA_SETS; i++)
        free_outcome(&done[i]);
    return rc;
}

static int run(cli *c)
{
    exp_sets sets;
    int64_t splits = 0;
    int rc = ida_read_splits(c, &splits);
    if (!rc)
        rc = check_select(c);
    if (!rc)
        rc = ida_read_sets(c, default_sets, &sets);
    return rc ? rc : run_sets(c, &sets, splits);
}

const experiment exp_ida = {
    .name = "ida",
    .time = "15 s",
    .data = "ida",
    .paper = "Lo Gerfo, Rosasco, Odone, De Vito and Verri, Tables 2 and 3",
    .subject = "test errors on sets of the IDA benchmark",
    .about = "Fits on splits of the benchmark's sets, beside Tables 2 and 3. The column of the "
             "table follows --filter. All options of fit are passed on; without any, every fit "
             "is a default fit. With --select ida the parameters are those of the paper's "
             "protocol: medians of 5-fold choices on the first five splits, once for all splits; "
             "--svm does the same with LIBSVM, over 11 widths and 5 values of C.",
    .commands = "specreg cv SET --select ida:SPLITS --features none --search grid --kernel "
                "rbf:sigma=auto --filter tikhonov",
    .options = {EXP_DATA, EXP_SETS, EXP_SPLITS, EXP_SVM, -1},
    .run = run,
};
