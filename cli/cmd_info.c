/* specreg info: describe a data file or a model. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MOST_COLUMNS = 60 };

/* ------------------------------------------------------------------------ a table */

static void add_number(cli_grid *g, const json_t *column, const char *key)
{
    double value;
    cli_grid_add(g, cli_get_number(column, key, &value) ? cli_approx(value) : NULL);
}

static void add_count(cli_grid *g, const json_t *column, const char *key)
{
    double value;
    cli_grid_add(g, cli_get_number(column, key, &value) ? cli_format("%.0f", value) : NULL);
}

/* "3 different: a, b, c" */
static char *categories(const json_t *column)
{
    double distinct = 0.0;
    size_t i;
    json_t *example;
    if (!cli_get_number(column, "distinct", &distinct))
        return NULL;
    char *text = cli_format("%.0f different", distinct);
    json_array_foreach (cli_get(column, "examples"), i, example) {
        if (i >= 4 || !json_is_string(example))
            break;
        char *longer = cli_format("%s%s %s", text, i ? "," : ":", json_string_value(example));
        free(text);
        text = longer;
    }
    return text;
}

static void show_columns(const json_t *columns, bool all)
{
    static const char *const title[] = {"column", "type", "missing", "min",
                                        "mean",   "max",  "becomes", ""};
    const size_t n = json_array_size(columns);
    const size_t shown = all || n <= MOST_COLUMNS ? n : MOST_COLUMNS;
    if (n == 0)
        return;
    cli_grid *g = cli_grid_new(8, 1u << 0 | 1u << 1 | 1u << 6 | 1u << 7);
    for (int k = 0; k < 8; k++)
        cli_grid_add(g, cli_format("%s", title[k]));
    for (size_t i = 0; i < shown; i++) {
        const json_t *column = json_array_get(columns, i);
        const char *name = cli_get_text(column, "name"), *type = cli_get_text(column, "type"),
                   *becomes = cli_get_text(column, "becomes");
        cli_grid_add(g, cli_format("%s", name ? name : "?"));
        cli_grid_add(g, cli_format("%s", type ? type : "?"));
        add_count(g, column, "missing");
        add_number(g, column, "min");
        add_number(g, column, "mean");
        add_number(g, column, "max");
        cli_grid_add(g, becomes ? cli_format("%s", becomes) : NULL);
        cli_grid_add(g, categories(column));
    }
    cli_grid_print(g);
    cli_grid_free(g);
    if (shown < n)
        printf("  and %zu more (--verbose shows all)\n", n - shown);
}

static void show_table(const cli *c, const json_t *record)
{
    const char *problem = cli_get_text(record, "problem"),
               *why = cli_get_text(record, "problem_why");
    const json_t *target = cli_get(record, "target");
    double nonzeros;
    json_t *data = json_object(); /* the same line as fit prints, from the keys of this record */
    json_object_set(data, "file", cli_get(record, "file"));
    json_object_set(data, "format", cli_get(record, "format"));
    json_object_set(data, "delimiter", cli_get(record, "delimiter"));
    json_object_set(data, "header", cli_get(record, "header"));
    json_object_set(data, "decimal", cli_get(record, "decimal"));
    json_object_set(data, "n", cli_get(record, "rows"));
    json_object_set(data, "columns", cli_get(record, "cols"));
    json_t *line = json_pack("{s:o}", "data", data);
    cli_show_data(line);
    json_decref(line);
    if (cli_get_number(record, "sparse_nonzeros", &nonzeros)) {
        cli_label("sparse");
        printf("%.0f values that are not zero\n", nonzeros);
    }
    if (json_array_size(target) > 0) {
        cli_label("target");
        cli_show_list(target, NULL);
        if (problem)
            printf(": %s", problem);
        if (problem && why && *why)
            printf(" (%s)", why);
        putchar('\n');
    }
    show_columns(cli_get(record, "columns"), c->value[CLI_VERBOSE] != NULL);
    cli_show_notes(record);
}

static int describe_table(cli *c, char **text)
{
    specreg_table *table = NULL;
    int rc = cli_check(c, specreg_table_read(c->ctx, c->file[0], c->options, &table));
    if (!rc)
        rc = cli_check(c, specreg_table_record(c->ctx, table, c->options, text));
    specreg_table_free(table);
    return rc;
}

/* ------------------------------------------------------------------------ a model */

/* "imported  c_svc of LIBSVM, 138 support vectors", of a model that another program made. */
static void show_origin(const json_t *record)
{
    const char *type = cli_get_text(record, "imported.type");
    double vectors;
    if (!type || !cli_get_number(record, "imported.vectors", &vectors))
        return;
    cli_label("imported");
    printf("%s of LIBSVM, %.0f support %s\n", type, vectors, vectors == 1 ? "vector" : "vectors");
}

static void show_model(const cli *c, const json_t *record)
{
    const char *version = cli_get_text(record, "specreg"),
               *scale = cli_get_text(record, "data.scale");
    cli_label("model");
    printf("%s", c->file[0]);
    if (version)
        printf(" (written by specreg %s)", version);
    putchar('\n');
    cli_show_data(record);
    show_origin(record);
    cli_show_fit(record);
    if (scale) {
        cli_label("scale");
        puts(scale);
    }
    if (json_array_size(cli_get(record, "data.columns")) > 0) {
        cli_label("columns");
        cli_show_list(cli_get(record, "data.columns"), NULL);
        putchar('\n');
    }
}

static int describe_model(cli *c, char **text)
{
    specreg_model *model = NULL;
    int rc = cli_check(c, specreg_model_load(c->ctx, c->file[0], &model));
    if (!rc)
        rc = cli_check(c, specreg_model_record(c->ctx, model, text));
    specreg_model_free(model);
    return rc;
}

static int run(cli *c)
{
    const bool is_model = strcmp(c->file[0], "-") != 0 && specreg_is_model_file(c->file[0]);
    char *text = NULL;
    int rc = is_model ? describe_model(c, &text) : describe_table(c, &text);
    if (!rc)
        rc = cli_emit_json(c, text);
    if (!rc && c->show) {
        json_t *record = cli_load(text);
        if (is_model)
            show_model(c, record);
        else
            show_table(c, record);
        json_decref(record);
    }
    specreg_string_free(text);
    return rc;
}

const cli_command cli_cmd_info = {
    .name = "info",
    .files = {"FILE"},
    .synopsis = "[OPTIONS] FILE",
    .brief = "describe a data file or a model",
    .description =
        "Of a data file: rows, columns with type, range and missing values, and which target and "
        "problem fit would assume. Of a model: what it was trained on and how.",
    .examples = "specreg info train.csv\n"
                "specreg info model.srm --json -",
    .scope = SPECREG_FOR_READ | SPECREG_FOR_INFO,
    .run = run,
};
