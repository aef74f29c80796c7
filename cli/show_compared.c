/* What each rule of --select compare would take, a line for each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const char *const paths[] = {"lambda", "t", "components", "order"};
static const char *const measures[] = {"df", "test_mse", "test_error_rate"};

static void set_known(cli_columns *t, size_t row, const json_t *from, const char *name)
{
    double value;
    if (cli_get_number(from, name, &value))
        cli_columns_set(t, (int64_t)row, name, value);
}

static cli_columns *columns_of(const json_t *compared)
{
    cli_columns *t = cli_columns_new((int64_t)json_array_size(compared));
    for (size_t i = 0; i < json_array_size(compared); i++) {
        const json_t *row = json_array_get(compared, i);
        cli_columns_set_parameters(t, (int64_t)i, cli_get(row, "kernel"));
        cli_columns_set_parameters(t, (int64_t)i, cli_get(row, "outputs"));
        cli_columns_set_parameters(t, (int64_t)i, cli_get(row, "filter"));
    }
    for (size_t i = 0; i < json_array_size(compared); i++)
        for (size_t k = 0; k < sizeof paths / sizeof *paths; k++)
            set_known(t, i, json_array_get(compared, i), paths[k]);
    for (size_t k = 0; k < sizeof measures / sizeof *measures; k++)
        for (size_t i = 0; i < json_array_size(compared); i++)
            set_known(t, i, json_array_get(compared, i), measures[k]);
    return t;
}

/* "bound 2" */
static char *rule_of(const json_t *row)
{
    double form;
    const char *rule = cli_get_text(row, "rule");
    return cli_get_number(row, "form", &form) ? cli_format("%s %.0f", rule, form)
                                              : cli_format("%s", rule ? rule : "?");
}

/* Whether the kernels that were chosen have different names. */
static bool kernels_differ(const json_t *compared)
{
    const char *first = NULL;
    for (size_t i = 0; i < json_array_size(compared); i++) {
        const char *name = cli_get_text(json_array_get(compared, i), "kernel.name");
        if (name && first && strcmp(name, first) != 0)
            return true;
        first = name ? name : first;
    }
    return false;
}

static void add_row(cli_grid *g, const cli_columns *t, const json_t *row, size_t i, bool names)
{
    const char *criterion = cli_get_text(row, "criterion");
    double value;
    cli_grid_add(g, rule_of(row));
    if (names)
        cli_grid_add(g, cli_get_text(row, "kernel.name")
                            ? cli_format("%s", cli_get_text(row, "kernel.name"))
                            : NULL);
    for (int k = 0; k < cli_columns_count(t); k++) {
        value = cli_columns_value(t, (int64_t)i, k);
        cli_grid_add(g, isnan(value) ? NULL : cli_approx(value));
    }
    cli_grid_add(g, cli_get_number(row, "value", &value) ? cli_approx(value) : NULL);
    cli_grid_add(g, criterion && !cli_get(row, "reason") ? cli_format("%s", criterion) : NULL);
}

void cli_show_compared(const json_t *record)
{
    const json_t *compared = cli_get(record, "selection.compared");
    if (!json_array_size(compared))
        return;
    cli_columns *t = columns_of(compared);
    const bool names = kernels_differ(compared);
    const int cols = cli_columns_count(t) + names + 3;
    cli_grid *g = cli_grid_new(cols, 1u | (names ? 2u : 0) | (cols < 32 ? 1u << (cols - 1) : 0));
    cli_grid_add(g, cli_format("rule"));
    if (names)
        cli_grid_add(g, cli_format("kernel"));
    for (int k = 0; k < cli_columns_count(t); k++)
        cli_grid_add(g, cli_format("%s", cli_columns_name(t, k)));
    cli_grid_add(g, cli_format("value"));
    cli_grid_add(g, cli_format("criterion"));
    for (size_t i = 0; i < json_array_size(compared); i++)
        if (!cli_get(json_array_get(compared, i), "reason"))
            add_row(g, t, json_array_get(compared, i), i, names);
    cli_grid_print(g);
    cli_grid_free(g);
    cli_columns_free(t);
    for (size_t i = 0; i < json_array_size(compared); i++) {
        const json_t *row = json_array_get(compared, i);
        char *rule = rule_of(row);
        if (cli_get(row, "reason"))
            printf("%-10s%s: %s\n", "not", rule, cli_get_text(row, "reason"));
        free(rule);
    }
}
