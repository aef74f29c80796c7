/* specreg fit: search, train, save. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

static int explain(cli *c, const specreg_table *train)
{
    char *text = NULL;
    int rc = cli_plan(c, train, &text);
    if (!rc && c->show) {
        json_t *record = cli_load(text);
        cli_show_plan(record);
        putchar('\n');
        fflush(stdout); /* before the long work, not after it */
        json_decref(record);
    }
    specreg_string_free(text);
    if (!rc &&
        strcmp(specreg_options_get(c->options, "calibrate"), "no") != 0) /* measured by now */
        rc = cli_check(c, specreg_options_set(c->ctx, c->options, "calibrate", "cached"));
    return rc;
}

/* ----------------------------------------------------------- what is going to be done */

/* What the library told so far.  People at a terminal see it at once; others with the rest, unless
 * that takes a while. */
typedef struct preview {
    const cli *c;
    json_t *record;
    char *text; /* of the record */
    bool data_shown, plan_shown;
} preview;

static void show_plan_line(const json_t *plan, double seconds)
{
    const char *approx = cli_get_text(plan, "approx.name");
    char *time = cli_duration(seconds);
    double m = 0;
    cli_label("plan");
    cli_show_work(plan);
    if (approx && cli_get_number(plan, "approx.m", &m))
        printf("; %s with up to %.0f centres; about %s\n", approx, m, time);
    else
        printf("; engine %s; about %s\n", cli_get_text(plan, "search_engine"), time);
    free(time);
}

/* Options that were left alone and would shorten the work, which the plan does not do by itself. */
static void show_faster(const preview *p)
{
    const char *search = cli_get_text(p->record, "search"), *comma = "";
    const bool all_rows = !cli_get(p->record, "approx");
    double families = 1;
    cli_get_number(p->record, "kernel_families", &families);
    const struct {
        const char *option, *value;
        bool helps;
    } faster[] = {{"kernel", "rbf", families > 1},
                  {"search", "race", all_rows && (!search || strcmp(search, "race") != 0)},
                  {"select", "holdout", all_rows},
                  {"time", "1min", !all_rows}};
    cli_label("note");
    printf("that is more than a minute; faster: ");
    for (size_t i = 0; i < sizeof faster / sizeof *faster; i++)
        if (faster[i].helps &&
            strcmp(specreg_options_get(p->c->options, faster[i].option), "auto") == 0) {
            printf("%s--%s %s", comma, faster[i].option, faster[i].value);
            comma = ", ";
        }
    printf("%sfewer rows (specreg plan has the details)\n", *comma ? " or " : "");
}

static void show_preview(preview *p)
{
    double seconds;
    if (!p->data_shown)
        cli_show_data(p->record);
    p->data_shown = true;
    if (p->plan_shown || !cli_get_number(p->record, "seconds", &seconds))
        return;
    show_plan_line(p->record, seconds);
    if (seconds > 60)
        show_faster(p);
    p->plan_shown = true;
}

static void on_plan(const char *json, void *payload)
{
    preview *p = payload;
    double seconds = 0;
    json_decref(p->record);
    p->record = cli_load(json);
    free(p->text);
    p->text = cli_format("%s", json);
    if (cli_get_number(p->record, "seconds", &seconds))
        cli_progress_plan(p->record);
    if (!p->c->show || (seconds < 1 && !isatty(STDOUT_FILENO)))
        return;
    cli_progress_clear();
    show_preview(p);
    fflush(stdout); /* before the long work, not after it */
}

static void show_model_file(const char *path)
{
    struct stat info;
    cli_label("model");
    if (!path) {
        puts("not saved (no -o MODEL)");
    } else if (stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
        char *size = cli_bytes((double)info.st_size);
        printf("%s (%s)\n", path, size);
        free(size);
    } else {
        puts(path);
    }
}

/* The page of --report, with the plan where there was one. */
static int write_page(cli *c, const specreg_model *model, const specreg_table *train,
                      const preview *p)
{
    const char *output = c->value[CLI_OUTPUT];
    const bool planned = p->record && cli_get(p->record, "seconds");
    return cli_write_report(c, &(specreg_report_part){.title = output && strcmp(output, "-") != 0
                                                                   ? output
                                                                   : c->file[0],
                                                      .model = model,
                                                      .sample = train,
                                                      .plan = planned ? p->text : NULL});
}

static int report(cli *c, const specreg_model *model, const specreg_table *train, preview *p)
{
    char *text = NULL;
    int rc = cli_check(c, specreg_model_record(c->ctx, model, &text));
    if (!rc)
        rc = cli_emit_json(c, text);
    if (!rc)
        rc = write_page(c, model, train, p);
    if (!rc && c->show) {
        json_t *record = cli_load(text);
        if (p->record)
            show_preview(p);
        else
            cli_show_data(record);
        cli_show_fit(record);
        show_model_file(c->value[CLI_OUTPUT]);
        json_decref(record);
    }
    specreg_string_free(text);
    return rc;
}

/* A model without a table in memory. */
static int fit_without_table(cli *c, specreg_model **model)
{
    const char *sums = c->value[CLI_SUMS];
    if (sums && c->n_files)
        return cli_usage(c, "--sums %s takes the place of TRAIN", sums);
    if (!sums && !c->n_files)
        return cli_usage(c, "TRAIN is missing (usage: specreg fit %s)", c->command->synopsis);
    return cli_check(c, sums ? specreg_fit_sums(c->ctx, sums, c->options, model)
                             : specreg_fit_files(c->ctx, c->file, c->n_files, c->options, model));
}

/* A page is worth a larger sample than a model alone. */
static bool report_portrait(cli *c)
{
    return strcmp(specreg_options_get(c->options, "portrait"), "auto") != 0 ||
           cli_check(c, specreg_options_set(c->ctx, c->options, "portrait", "2000")) == CLI_OK;
}

static int run(cli *c)
{
    enum { LARGE = 1 << 26 };
    specreg_table *train = NULL;
    specreg_model *model = NULL;
    preview p = {.c = c};
    if (c->value[CLI_REPORT] && !report_portrait(c))
        return CLI_FAILED;
    const bool blocks = c->value[CLI_SUMS] || !c->n_files || cli_reads_blocks(c, LARGE);
    const bool once = c->n_files == 1 && strcmp(c->file[0], "-") == 0; /* what is read is gone */
    const bool explains = c->value[CLI_EXPLAIN] && c->n_files && !(blocks && once);
    if (!explains && (c->show || cli_progress_wanted() || c->value[CLI_REPORT]))
        specreg_set_plan(c->ctx, on_plan, &p);
    int rc = CLI_OK;
    if (!blocks)
        rc = cli_check(c, specreg_table_read(c->ctx, c->file[0], c->options, &train));
    cli_progress_can_resume(specreg_options_get(c->options, "checkpoint"));
    if (!rc && explains)
        rc = explain(c, train);
    if (!rc)
        rc = blocks ? fit_without_table(c, &model)
                    : cli_check(c, specreg_fit(c->ctx, train, c->options, &model));
    cli_progress_clear();
    if (!rc && c->value[CLI_OUTPUT])
        rc = cli_write_model(c, model, c->value[CLI_OUTPUT]);
    if (!rc)
        rc = report(c, model, train, &p);
    json_decref(p.record);
    free(p.text);
    specreg_model_free(model);
    specreg_table_free(train);
    return rc;
}

static const cli_option options[] = {
    {CLI_OUTPUT, "output", 'o', "MODEL", "Write the model here."},
    CLI_REPORT_OPTION,
    {CLI_EXPLAIN, "explain", 0, "", "First print what will be done and why."},
    {CLI_SUMS, "sums", 0, "FILE",
     "Fit from sums over rows in place of TRAIN; see specreg help sums."},
    {0, NULL, 0, NULL, NULL},
};

const cli_command cli_cmd_fit = {
    .name = "fit",
    .files = {"TRAIN"},
    .optional = 1,
    .many = true,
    .synopsis = "[OPTIONS] TRAIN... -o MODEL",
    .brief = "search kernel and regularization parameters, train, save",
    .description =
        "Reads the table TRAIN, chooses the parameters of the kernel and of the filter, trains "
        "on all rows and writes the model. By default it compares kernels of several kinds with "
        "Tikhonov regularization; width and lambda are chosen by leave-one-out or "
        "cross-validation, and "
        "the target decides between regression and classification.\n\n"
        "The summary names what was chosen. Its numbers read back to the same values, so they "
        "can be given to another run.\n\n"
        "Most runs need only --target; the table in docs/TOUR.md says which option is for what.",
    .examples = "specreg fit train.csv -o model.srm\n"
                "specreg fit train.csv --filter nu --select kfold:k=10 -o model.srm\n"
                "specreg fit train.csv --kernel rbf:sigma=log:0.1:10:20 "
                "--param lambda=log:1e-8:1:30 -o model.srm\n"
                "specreg fit - --target price --json run.json -o model.srm < train.csv",
    .scope = SPECREG_FOR_READ | SPECREG_FOR_FIT,
    .options = options,
    .run = run,
};
