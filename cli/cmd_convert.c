/* specreg convert: between data formats. */
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

/* OUT is an output like -o OUT: what can be known of it is checked first. */
static int run(cli *c)
{
    specreg_table *table = NULL;
    const char *out = c->file[1];
    c->value[CLI_OUTPUT] = out;
    int rc = cli_check_outputs(c);
    if (!rc)
        rc = cli_check(c, specreg_table_read(c->ctx, c->file[0], c->options, &table));
    if (!rc)
        rc = cli_write_table(c, table, out);
    if (!rc)
        rc = report(c, table, out);
    specreg_table_free(table);
    return rc;
}

const cli_command cli_cmd_convert = {
    .name = "convert",
    .files = {"IN", "OUT"},
    .synopsis = "[OPTIONS] IN OUT",
    .brief = "between data formats",
    .description =
        "Reads the table IN and writes it to OUT. The name of OUT gives the format: .csv, .tsv, "
        ".libsvm, .svm, .npy, .npz or .h5; text formats also with .gz or .zst. - is CSV to "
        "standard output. IN and OUT may be the same file.",
    .examples = "specreg convert train.csv train.npz\n"
                "specreg convert a9a.libsvm.gz - --format libsvm | head",
    .scope = SPECREG_FOR_READ,
    .run = run,
};
