/* specreg export: a model for others. */
#include <string.h>

#include "cli.h"

static int report(cli *c, const specreg_model *model, const char *out)
{
    const char *format = c->value[CLI_FORMAT];
    const long long inputs = specreg_model_inputs(model), outputs = specreg_model_outputs(model);
    if (c->show && strcmp(out, "-") != 0)
        printf("%s: %lld %s, %lld %s -> %s\n", c->file[0], inputs, inputs == 1 ? "input" : "inputs",
               outputs, outputs == 1 ? "score" : "scores", out);
    return cli_emit_record(c, json_pack("{s:s, s:s, s:s, s:s, s:s?, s:I, s:I}", "specreg",
                                        specreg_version(), "command", "export", "file", c->file[0],
                                        "output", out, "format", format, "inputs",
                                        (json_int_t)inputs, "scores", (json_int_t)outputs));
}

static int run(cli *c)
{
    specreg_model *model = NULL;
    const char *out = c->file[1];
    c->value[CLI_OUTPUT] = out;
    int rc = cli_check_outputs(c);
    if (!rc)
        rc = cli_check(c, specreg_model_load(c->ctx, c->file[0], &model));
    if (!rc)
        rc = cli_write_begin(out);
    if (!rc)
        rc = cli_written(c, specreg_model_export(c->ctx, model, c->value[CLI_FORMAT], out), out);
    if (!rc)
        rc = report(c, model, out);
    specreg_model_free(model);
    return rc;
}

static const cli_option options[] = {
    {CLI_FORMAT, "format", 0, "onnx|libsvm|c",
     "What OUT becomes. Default: as its name says, .onnx, .model or .c."},
    {0, NULL, 0, NULL, NULL},
};

const cli_command cli_cmd_export = {
    .name = "export",
    .files = {"MODEL", "OUT"},
    .synopsis = "[--format onnx|libsvm|c] MODEL OUT",
    .brief = "a model for others: ONNX, LIBSVM model, C source",
    .description =
        "Writes a model in a form that other programs predict from; docs/EXPORT.md says what goes "
        "in and comes out.\n\n"
        "onnx is a graph in double precision, with scaling, categories and labels. "
        "libsvm is a model file of LIBSVM, which svm-predict reads: linear, poly and rbf kernels "
        "of "
        "unscaled numbers. "
        "c is OUT.c and OUT.h with one function, NAME_predict(row, scores), that needs the C "
        "library "
        "alone.\n\n"
        "What a format cannot carry is refused.",
    .examples = "specreg export model.srm model.onnx\n"
                "specreg export model.srm model.c\n"
                "specreg export model.srm build/model --format c\n"
                "specreg export model.srm svm.model",
    .options = options,
    .run = run,
};
