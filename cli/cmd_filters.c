/* specreg filters: what each filter is, and its values over the spectrum. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* "eig, krylov" */
static char *list_of(const json_t *names)
{
    char *all = cli_alloc(1, 1);
    for (size_t i = 0; i < json_array_size(names); i++) {
        char *longer =
            cli_format("%s%s%s", all, i ? " " : "", json_string_value(json_array_get(names, i)));
        free(all);
        all = longer;
    }
    return all;
}

static char *text_of(const json_t *filter, const char *key)
{
    const char *text = cli_get_text(filter, key);
    return text ? cli_format("%s", text) : NULL;
}

static void show_filters(const json_t *record)
{
    static const char *const keys[] = {"name", "path", "qualification", "bound_g", "bound_sg"};
    size_t i;
    json_t *filter;
    cli_grid *g = cli_grid_new(6, 0x3f);
    static const char *const title[] = {"filter",        "path",     "qualification",
                                        "|g| lambda <=", "|s g| <=", "engines"};
    for (int k = 0; k < 6; k++)
        cli_grid_add(g, cli_format("%s", title[k]));
    json_array_foreach (cli_get(record, "filters"), i, filter) {
        for (int k = 0; k < 5; k++)
            cli_grid_add(g, text_of(filter, keys[k]));
        cli_grid_add(g, list_of(cli_get(filter, "engines")));
    }
    cli_grid_print(g);
    cli_grid_free(g);
    json_array_foreach (cli_get(record, "filters"), i, filter) {
        const char *lambda = cli_get_text(filter, "lambda");
        cli_label(cli_get_text(filter, "name"));
        printf("g = %s; r = %s%s%s\n", cli_get_text(filter, "g"), cli_get_text(filter, "r"),
               lambda ? "; lambda is " : "", lambda ? lambda : "");
    }
}

static cli_columns *curve_of(const json_t *record)
{
    static const char *const keys[] = {"s", "g", "r", "residual"};
    const json_t *curve = cli_get(record, "curve");
    const size_t rows = json_array_size(curve);
    cli_columns *t = cli_columns_new((int64_t)rows);
    for (size_t i = 0; i < rows; i++) {
        const json_t *point = json_array_get(curve, i);
        const char *path = cli_path_parameter(point);
        double value;
        if (path && cli_get_number(point, path, &value))
            cli_columns_set(t, (int64_t)i, path, value);
        for (int k = 0; k < 4; k++)
            if (cli_get_number(point, keys[k], &value))
                cli_columns_set(t, (int64_t)i, keys[k], value);
    }
    return t;
}

static int curve(cli *c)
{
    const char *const *v = c->value;
    char *text = NULL, *end = NULL;
    const double nu = v[CLI_NU] ? strtod(v[CLI_NU], &end) : 1;
    if (end && (*end || end == v[CLI_NU]))
        return cli_usage(c, "--nu: '%s' is not a number", v[CLI_NU]);
    int rc = cli_check(c, specreg_filter_curve(c->ctx, v[CLI_FILTER] ? v[CLI_FILTER] : "tikhonov",
                                               v[CLI_PARAM] ? v[CLI_PARAM] : "auto",
                                               v[CLI_S] ? v[CLI_S] : "log:1e-4:1:101", nu, &text));
    if (!rc)
        rc = cli_emit_json(c, text);
    if (!rc && (v[CLI_OUTPUT] || c->show)) {
        json_t *record = cli_load(text);
        cli_columns *t = curve_of(record);
        rc = cli_columns_write(c, t, v[CLI_OUTPUT] ? v[CLI_OUTPUT] : "-");
        cli_columns_free(t);
        json_decref(record);
    }
    specreg_string_free(text);
    return rc;
}

static int run(cli *c)
{
    static const int only[] = {CLI_FILTER, CLI_PARAM, CLI_S, CLI_NU, CLI_OUTPUT};
    char *text = NULL;
    if (c->value[CLI_CURVE])
        return curve(c);
    for (size_t i = 0; i < sizeof only / sizeof *only; i++)
        if (c->value[only[i]])
            return cli_usage(c, "--filter, --param, --s, --nu and -o go with --curve");
    int rc = cli_check(c, specreg_filters(c->ctx, &text));
    if (!rc)
        rc = cli_emit_json(c, text);
    if (!rc && c->show) {
        json_t *record = cli_load(text);
        show_filters(record);
        json_decref(record);
    }
    specreg_string_free(text);
    return rc;
}

static const cli_option options[] = {
    {CLI_CURVE, "curve", 0, "", "Print g, r and s^nu r over s, as a table."},
    {CLI_FILTER, "filter", 0, "SPEC", "The filter of the curve, as for fit. Default: tikhonov."},
    {CLI_PARAM, "param", 0, "VALUES", "Values of its parameter, as for fit. Default: auto."},
    {CLI_S, "s", 0, "VALUES", "Where s runs: a list or range. Default: log:1e-4:1:101."},
    {CLI_NU, "nu", 0, "NUMBER", "The order nu of the residual s^nu r. Default: 1."},
    {CLI_OUTPUT, "output", 'o', "OUT", "Write the curve here; the name gives the format."},
    {0, NULL, 0, NULL, NULL},
};

const cli_command cli_cmd_filters = {
    .name = "filters",
    .synopsis = "[--curve --filter SPEC --param VALUES] [-o OUT.csv]",
    .brief = "what each filter is: g, r, qualification, engines",
    .description =
        "A filter replaces 1/s by g(s) for the eigenvalues s of K/n; r = 1 - s g is what remains "
        "of the data. Lists for each filter g, r, its qualification, the constants of the theory "
        "and the engines that serve it.\n\n"
        "With --curve it prints g, r and the residual of order nu, s^nu r, over s. Iterations have "
        "the step 1 unless the filter gives a number: eigenvalues go up to 1.",
    .examples = "specreg filters\n"
                "specreg filters --curve --filter nu:nu=2 --param 't={5,20,80}' --nu 2 -o nu.csv",
    .options = options,
    .run = run,
};
