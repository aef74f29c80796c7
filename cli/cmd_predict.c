/* specreg predict: apply a model. */
#include <string.h>

#include "cli.h"

static int report(cli *c, int64_t rows, const char *output)
{
    const char *grid = c->value[CLI_GRID];
    if (c->show && c->value[CLI_OUTPUT])
        printf("predicted %lld %s to %s\n", (long long)rows,
               grid        ? (rows == 1 ? "point" : "points")
               : rows == 1 ? "row"
                           : "rows",
               output);
    return cli_emit_record(c,
                           json_pack("{s:s, s:s, s:s, s:{s:s, s:I}, s:s}", "specreg",
                                     specreg_version(), "command", "predict", "model", c->file[0],
                                     "data", grid ? "grid" : "file", grid ? grid : c->file[1], "n",
                                     (json_int_t)rows, "output", output));
}

static int check_usage(const cli *c, const char *output)
{
    const char *json = c->value[CLI_JSON];
    if (!c->value[CLI_GRID] && c->n_files < 2)
        return cli_usage(c, "DATA is missing, or --grid (usage: specreg predict %s)",
                         c->command->synopsis);
    if (c->value[CLI_GRID] && c->n_files > 1)
        return cli_usage(c, "--grid is in place of DATA: '%s' is one argument too many",
                         c->file[1]);
    if (json && strcmp(json, "-") == 0 && strcmp(output, "-") == 0)
        return cli_usage(c, "--json - needs -o OUT: the predictions go to standard output");
    return CLI_OK;
}

static int predict_grid(cli *c, const specreg_model *model, const char *output, int64_t *rows)
{
    specreg_table *points = NULL, *predicted = NULL;
    int rc = cli_check(c, specreg_grid_table(c->ctx, model, c->value[CLI_GRID], &points));
    if (!rc)
        rc = cli_check(c, specreg_predict(c->ctx, model, points, c->options, &predicted));
    if (!rc)
        rc = cli_write_table(c, predicted, output);
    *rows = specreg_table_rows(predicted);
    specreg_table_free(predicted);
    specreg_table_free(points);
    return rc;
}

/* The library writes while it predicts. */
static int predict_files(cli *c, const specreg_model *model, const char *output, int64_t *rows)
{
    const specreg_status st =
        specreg_predict_files(c->ctx, model, &c->file[1], c->n_files - 1, c->options, output, rows);
    return cli_written(c, st, output);
}

static int run(cli *c)
{
    const char *output = c->value[CLI_OUTPUT] ? c->value[CLI_OUTPUT] : "-";
    specreg_model *model = NULL;
    int64_t rows = 0;
    int rc = check_usage(c, output);
    if (!rc)
        rc = cli_check(c, specreg_model_load(c->ctx, c->file[0], &model));
    if (!rc)
        rc = c->value[CLI_GRID] ? predict_grid(c, model, output, &rows)
                                : predict_files(c, model, output, &rows);
    cli_progress_clear();
    if (!rc)
        rc = report(c, rows, output);
    specreg_model_free(model);
    return rc;
}

static const cli_option options[] = {
    {CLI_OUTPUT, "output", 'o', "OUT",
     "Write the predictions here; the name gives the format. Default: CSV to standard output."},
    {CLI_GRID, "grid", 0, "x0:x1:nx[,y0:y1:ny[,z0:z1:nz]]",
     "Predict a regular grid in place of DATA: from, to and count for each of one to three "
     "numeric inputs. The coordinates are the first columns. OUT may be a .vtk file for ParaView."},
    {0, NULL, 0, NULL, NULL},
};

const cli_command cli_cmd_predict = {
    .name = "predict",
    .files = {"MODEL", "DATA"},
    .optional = 1,
    .many = true,
    .synopsis = "[OPTIONS] MODEL DATA...|--grid GRID [-o OUT]",
    .brief = "apply a model",
    .description =
        "Predicts every row of DATA. Regression gives a column named like each target; "
        "classification gives the column label and score:CLASS for each class.\n\n"
        "Columns are matched by name if DATA has a header, in any order; the target may be "
        "absent.\n\n"
        "Several files, or a quoted pattern such as 'part-*.npy', are one table. Files may have "
        "any number of rows: NPY, CSV, LIBSVM and IDX are read in blocks, CSV and NPY are written "
        "so.",
    .examples = "specreg predict model.srm new.csv > predicted.csv\n"
                "specreg predict model.srm new.csv --proba\n"
                "specreg predict model.srm new.csv --interval 0.9\n"
                "specreg predict flow.srm --grid 0:1:50,0:1:50 --parts -o flow.vtk\n"
                "specreg predict model.srm new.csv.gz -o predicted.npy\n"
                "specreg predict model.srm 'part-*.npy' -o predicted.csv",
    .scope = SPECREG_FOR_READ | SPECREG_FOR_PREDICT,
    .options = options,
    .run = run,
};
