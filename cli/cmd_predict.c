/* specreg predict: apply a model. */
#include <string.h>

#include "cli.h"

static int report(cli *c, int64_t rows, const char *output)
{
    if (c->show && c->value[CLI_OUTPUT])
        printf("predicted %lld %s to %s\n", (long long)rows, rows == 1 ? "row" : "rows", output);
    return cli_emit_record(c, json_pack("{s:s, s:s, s:s, s:{s:s, s:I}, s:s}", "specreg",
                                        specreg_version(), "command", "predict", "model",
                                        c->file[0], "data", "file", c->file[1], "n",
                                        (json_int_t)rows, "output", output));
}

static int run(cli *c)
{
    const char *output = c->value[CLI_OUTPUT] ? c->value[CLI_OUTPUT] : "-";
    const char *json = c->value[CLI_JSON];
    specreg_model *model = NULL;
    specreg_table *data = NULL, *predicted = NULL;
    if (json && strcmp(json, "-") == 0 && strcmp(output, "-") == 0)
        return cli_usage(c, "--json - needs -o OUT: the predictions go to standard output");
    int rc = cli_check(c, specreg_model_load(c->ctx, c->file[0], &model));
    if (!rc)
        rc = cli_check(c, specreg_table_read_for(c->ctx, model, c->file[1], c->options, &data));
    if (!rc)
        rc = cli_check(c, specreg_predict(c->ctx, model, data, c->options, &predicted));
    if (!rc)
        rc = cli_write_table(c, predicted, output);
    if (!rc)
        rc = report(c, specreg_table_rows(predicted), output);
    specreg_table_free(predicted);
    specreg_table_free(data);
    specreg_model_free(model);
    return rc;
}

static const cli_option options[] = {
    {CLI_OUTPUT, "output", 'o', "OUT",
     "Write the predictions here, in the format that the name says; default: CSV to standard "
     "output."},
    {0, NULL, 0, NULL, NULL},
};

const cli_command cli_cmd_predict = {
    .name = "predict",
    .files = {"MODEL", "DATA"},
    .synopsis = "[OPTIONS] MODEL DATA [-o OUT]",
    .brief = "apply a model",
    .description =
        "Predicts every row of DATA. Regression gives a column under each target's own name, and "
        "with --interval its lower and upper end; classification gives the column label, then "
        "score:CLASS for each class, and with --proba prob:CLASS for each class: the label is "
        "always the most probable one.\n\n"
        "Columns are matched by name where DATA has a header, and may stand in any order; the "
        "target may be absent.",
    .examples = "specreg predict model.srm new.csv > predicted.csv\n"
                "specreg predict model.srm new.csv --proba\n"
                "specreg predict model.srm new.csv --interval 0.9\n"
                "specreg predict model.srm new.csv.gz -o predicted.npy",
    .scope = SPECREG_FOR_READ | SPECREG_FOR_PREDICT,
    .options = options,
    .run = run,
};
