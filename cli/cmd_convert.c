/* specreg convert: between data formats, and models of other programs. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static int report(cli *c, const specreg_table *table, const char *out)
{
    const long long rows = specreg_table_rows(table), cols = specreg_table_cols(table);
    if (c->show && strcmp(out, "-") != 0)
        printf("%s: %lld %s, %lld %s -> %s\n", c->file[0], rows, rows == 1 ? "row" : "rows", cols,
               cols == 1 ? "column" : "columns", out);
    return cli_emit_record(c,
                           json_pack("{s:s, s:s, s:s, s:s, s:I, s:I}", "specreg", specreg_version(),
                                     "command", "convert", "file", c->file[0], "output", out,
                                     "rows", (json_int_t)rows, "cols", (json_int_t)cols));
}

static int convert_table(cli *c, const char *out)
{
    specreg_table *table = NULL;
    int rc = cli_check(c, specreg_table_read(c->ctx, c->file[0], c->options, &table));
    if (!rc)
        rc = cli_write_table(c, table, out);
    if (!rc)
        rc = report(c, table, out);
    specreg_table_free(table);
    return rc;
}

/* A model has the record that `info` shows of it later. */
static int report_model(cli *c, const specreg_model *model, const char *out)
{
    char *text = NULL;
    int rc = cli_check(c, specreg_model_record(c->ctx, model, &text));
    if (rc)
        return rc;
    json_t *record = cli_load(text);
    const char *type = cli_get_text(record, "imported.type");
    double vectors = 0;
    cli_get_number(record, "imported.vectors", &vectors);
    const long long inputs = specreg_model_inputs(model);
    if (c->show)
        printf("%s: %s, %.0f support %s, %lld %s -> %s\n", c->file[0], type ? type : "?", vectors,
               vectors == 1 ? "vector" : "vectors", inputs, inputs == 1 ? "input" : "inputs", out);
    rc = cli_emit_json(c, text);
    json_decref(record);
    specreg_string_free(text);
    return rc;
}

static int inputs_of(const cli *c, int64_t *inputs)
{
    const char *text = c->value[CLI_INPUTS];
    char *end = NULL;
    *inputs = text ? strtoll(text, &end, 10) : 0;
    return text && (*end || end == text || *inputs < 1)
               ? cli_usage(c, "--inputs: '%s' is not a whole number from 1 on", text)
               : 0;
}

static int convert_model(cli *c, const char *out)
{
    specreg_model *model = NULL;
    int64_t inputs;
    int rc = inputs_of(c, &inputs);
    if (!rc)
        rc = cli_check(c, specreg_model_import(c->ctx, c->file[0], inputs, &model));
    if (!rc)
        rc = cli_write_model(c, model, out);
    if (!rc)
        rc = report_model(c, model, out);
    specreg_model_free(model);
    return rc;
}

static bool is_model(const char *out)
{
    const size_t length = strlen(out);
    return length > 4 && strcmp(out + length - 4, ".srm") == 0;
}

/* OUT is an output like -o OUT: what can be known of it is checked first. */
static int run(cli *c)
{
    const char *out = c->file[1];
    c->value[CLI_OUTPUT] = out;
    int rc = cli_check_outputs(c);
    if (!rc && c->value[CLI_INPUTS] && !is_model(out))
        rc = cli_usage(c, "--inputs is for models: OUT ends with .srm");
    if (rc)
        return rc;
    return is_model(out) ? convert_model(c, out) : convert_table(c, out);
}

static const cli_option options[] = {
    {CLI_INPUTS, "inputs", 0, "COUNT",
     "Of a model: how many columns rows have. Default: the largest index of a support vector."},
    {0, NULL, 0, NULL, NULL},
};

const cli_command cli_cmd_convert = {
    .name = "convert",
    .files = {"IN", "OUT"},
    .synopsis = "[OPTIONS] IN OUT",
    .brief = "between data formats; models of LIBSVM",
    .description =
        "Reads the table IN and writes it to OUT. The name of OUT gives the format: .csv, .tsv, "
        ".libsvm, .svm, .npy, .npz or .h5; text formats also with .gz or .zst. - is CSV to "
        "standard output. IN and OUT may be the same file.\n\n"
        "If OUT ends with .srm, IN is a model file of LIBSVM, and OUT becomes a model that "
        "predicts what svm-predict predicts; see docs/EXPORT.md.",
    .examples = "specreg convert train.csv train.npz\n"
                "specreg convert a9a.libsvm.gz - --format libsvm | head\n"
                "specreg convert old.model new.srm",
    .scope = SPECREG_FOR_READ,
    .options = options,
    .run = run,
};
