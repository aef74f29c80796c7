/* specreg report: models and records as one page with pictures. */
#include <string.h>

#include "cli.h"

static int write_page(cli *c, const char *html, const char *path)
{
    const int rc = cli_write_begin(path);
    return rc ? rc : cli_written(c, specreg_text_write(c->ctx, html, path), path);
}

int cli_write_report(cli *c, const specreg_report_part *part)
{
    const char *path = c->value[CLI_REPORT];
    char *html = NULL;
    if (!path)
        return CLI_OK;
    const char *slash = part->title ? strrchr(part->title, '/') : NULL;
    specreg_report_part whole = *part;
    whole.struct_size = sizeof whole;
    whole.title = slash && slash[1] ? slash + 1 : part->title;
    int rc = cli_check(c, specreg_report_page(c->ctx, &whole, 1, c->options, &html));
    if (!rc)
        rc = write_page(c, html, path);
    specreg_string_free(html);
    return rc;
}

static int show(cli *c, const char *path, size_t length)
{
    if (c->show && strcmp(path, "-") != 0)
        printf("%d %s -> %s (%.0f KiB)\n", c->n_files, c->n_files == 1 ? "file" : "files", path,
               (double)length / 1024);
    json_t *files = json_array();
    for (int i = 0; i < c->n_files; i++)
        json_array_append_new(files, json_string(c->file[i]));
    return cli_emit_record(c, json_pack("{s:s, s:s, s:o, s:s?, s:s, s:I}", "specreg",
                                        specreg_version(), "command", "report", "files", files,
                                        "data", c->value[CLI_DATA], "output", path, "bytes",
                                        (json_int_t)length));
}

static int run(cli *c)
{
    const char *path = c->value[CLI_OUTPUT];
    specreg_table *data = NULL;
    char *html = NULL;
    if (!path)
        return cli_usage(c, "report needs -o PAGE.html, where the page goes");
    int rc = CLI_OK;
    if (c->value[CLI_DATA])
        rc = cli_check(c, specreg_table_read(c->ctx, c->value[CLI_DATA], c->options, &data));
    if (!rc)
        rc = cli_check(c,
                       specreg_report_files(c->ctx, c->file, c->n_files, data, c->options, &html));
    cli_progress_clear();
    if (!rc)
        rc = write_page(c, html, path);
    if (!rc)
        rc = show(c, path, strlen(html));
    specreg_string_free(html);
    specreg_table_free(data);
    return rc;
}

static const cli_option options[] = {
    {CLI_OUTPUT, "output", 'o', "PAGE.html", "Write the page here."},
    {CLI_DATA, "data", 0, "DATA",
     "Labelled rows that the models predict, shown in place of the rows that they hold out."},
    {0, NULL, 0, NULL, NULL},
};

static const char *const without[] = {"id", "proba", "parts", NULL};

const cli_command cli_cmd_report = {
    .name = "report",
    .files = {"MODEL|RUN.json"},
    .many = true,
    .synopsis = "[OPTIONS] MODEL|RUN.json... -o PAGE.html",
    .brief = "models and records as one page with pictures",
    .description =
        "Makes one HTML file that opens in any browser, without a network: what was chosen and how "
        "sure that is, the path with the spectrum and the filter on it, predictions beside the "
        "truth. Files are models, or records that --json wrote; several stand side by side.\n\n"
        "A model keeps what the page shows (fit --portrait); fit, cv, path, eval and spectrum "
        "write "
        "the page of their own result with --report.",
    .examples = "specreg report model.srm -o model.html\n"
                "specreg report model.srm --data test.csv -o model.html\n"
                "specreg report a.srm b.srm -o both.html\n"
                "specreg cv train.csv --json cv.json && specreg report cv.json -o cv.html",
    .scope = SPECREG_FOR_READ | SPECREG_FOR_PREDICT,
    .without = without,
    .options = options,
    .run = run,
};
