/* specreg partial: how predictions depend on one column, or on two. */
#include <math.h>
#include <stdlib.h>

#include "cli.h"

enum { MOST_OUTPUTS = 3 }; /* whose bands fit on a line */

static int64_t points_of(const specreg_partial_curve *c)
{
    return c->axis[0].points * (c->axes > 1 ? c->axis[1].points : 1);
}

/* The point of axis `a` at point `i` of a curve. */
static int64_t place_of(const specreg_partial_curve *c, int a, int64_t i)
{
    return c->axes < 2 ? i : a == 0 ? i / c->axis[1].points : i % c->axis[1].points;
}

static double value_at(const specreg_partial_curve *c, int a, int64_t i)
{
    return c->axis[a].value[place_of(c, a, i)];
}

/* NULL where it is a number. */
static const char *label_at(const specreg_partial_curve *c, int a, int64_t i)
{
    return c->axis[a].label ? c->axis[a].label[place_of(c, a, i)] : NULL;
}

/* ------------------------------------------------------------------------ tables */

/* y, y:low and y:high of each output, then those of the other outputs. */
static void set_outputs(cli_columns *t, int64_t row, const specreg_partials *p,
                        const specreg_partial_curve *c, int64_t point)
{
    for (int64_t k = 0; k < p->outputs; k++) {
        const int64_t at = point * p->outputs + k;
        char *low = cli_format("%s:low", p->output[k]), *high = cli_format("%s:high", p->output[k]);
        cli_columns_set(t, row, p->output[k], c->mean[at]);
        cli_columns_set(t, row, low, c->low[at]);
        cli_columns_set(t, row, high, c->high[at]);
        free(low);
        free(high);
    }
}

/* Texts in a column at a place of its own. */
static int insert(cli *c, specreg_table *t, int64_t at, const char *name, const char **text)
{
    return cli_check(c, specreg_table_insert_text(c->ctx, t, at, name, text));
}

static int64_t all_points(const specreg_partials *p)
{
    int64_t rows = 0;
    for (int64_t k = 0; k < p->curves; k++)
        rows += points_of(&p->curve[k]);
    return rows;
}

/* Whether a curve has categories. */
static bool any_labels(const specreg_partials *p)
{
    for (int64_t k = 0; k < p->curves; k++)
        if (p->curve[k].axis[0].label)
            return true;
    return false;
}

/* A row for each point of each curve: column, value, label, and the outputs. */
static int write_curves(cli *c, const specreg_partials *p, const char *path)
{
    const int64_t rows = all_points(p);
    cli_columns *t = cli_columns_new(rows);
    const char **column = cli_alloc((size_t)rows, sizeof *column);
    const char **label = cli_alloc((size_t)rows, sizeof *label);
    specreg_table *table = NULL;
    for (int64_t k = 0, row = 0; k < p->curves; k++)
        for (int64_t i = 0; i < points_of(&p->curve[k]); i++, row++) {
            column[row] = p->curve[k].axis[0].name;
            label[row] = label_at(&p->curve[k], 0, i);
            cli_columns_set(t, row, "value", value_at(&p->curve[k], 0, i));
            set_outputs(t, row, p, &p->curve[k], i);
        }
    int rc = cli_columns_table(c, t, &table);
    if (!rc && any_labels(p))
        rc = insert(c, table, 1, "label", label);
    if (!rc)
        rc = insert(c, table, 0, "column", column);
    if (!rc)
        rc = cli_write_table(c, table, path);
    specreg_table_free(table);
    free(label);
    free(column);
    cli_columns_free(t);
    return rc;
}

/* A row for each pair of values, in columns named as they are in the data. */
static int write_surface(cli *c, const specreg_partials *p, const char *path)
{
    const specreg_partial_curve *s = &p->curve[0];
    const int64_t rows = points_of(s);
    cli_columns *t = cli_columns_new(rows);
    specreg_table *table = NULL;
    const char **label = cli_alloc((size_t)rows, sizeof *label);
    for (int64_t i = 0; i < rows; i++) {
        for (int a = 0; a < 2; a++)
            if (!s->axis[a].label)
                cli_columns_set(t, i, s->axis[a].name, value_at(s, a, i));
        set_outputs(t, i, p, s, i);
    }
    int rc = cli_columns_table(c, t, &table);
    for (int a = 0; a < 2 && !rc; a++) {
        if (!s->axis[a].label)
            continue;
        for (int64_t i = 0; i < rows; i++)
            label[i] = label_at(s, a, i);
        rc = insert(c, table, a, s->axis[a].name, label);
    }
    if (!rc)
        rc = cli_write_table(c, table, path);
    specreg_table_free(table);
    free(label);
    cli_columns_free(t);
    return rc;
}

/* ----------------------------------------------------------------------- summary */

static char *point_text(const specreg_partial_curve *c, int a, int64_t i)
{
    const char *label = label_at(c, a, i);
    return label ? cli_format("%s", label) : cli_approx(value_at(c, a, i));
}

/* Means, with their bands where there are few outputs. */
static void show_curve(const specreg_partials *p, const specreg_partial_curve *c)
{
    const bool bands = p->outputs <= MOST_OUTPUTS;
    const int64_t points = points_of(c);
    cli_grid *g = cli_grid_new(c->axes + (int)p->outputs * (bands ? 3 : 1), 0);
    for (int a = 0; a < c->axes; a++)
        cli_grid_add(g, cli_format("%s", c->axis[a].name));
    for (int64_t k = 0; k < p->outputs; k++) {
        cli_grid_add(g, cli_format("%s", p->output[k]));
        for (int b = 0; b < 2 && bands; b++)
            cli_grid_add(g, cli_format(b ? "90 %%" : "10 %%"));
    }
    for (int64_t i = 0; i < points; i++) {
        for (int a = 0; a < c->axes; a++)
            cli_grid_add(g, point_text(c, a, i));
        for (int64_t k = i * p->outputs; k < (i + 1) * p->outputs; k++) {
            cli_grid_add(g, cli_approx(c->mean[k]));
            if (bands) {
                cli_grid_add(g, cli_approx(c->low[k]));
                cli_grid_add(g, cli_approx(c->high[k]));
            }
        }
    }
    cli_grid_print(g);
    cli_grid_free(g);
}

static void show(const cli *c, const specreg_partials *p)
{
    cli_label("data");
    printf("%s: %lld %s\n", p->data, (long long)p->rows, p->rows == 1 ? "row" : "rows");
    cli_label("shown");
    printf("mean %s over the rows with the same value in each, and what 10 %% and 90 %% lie "
           "below\n",
           p->what);
    if (c->value[CLI_OUTPUT]) {
        cli_label("written");
        printf("%lld points to %s\n", (long long)all_points(p), c->value[CLI_OUTPUT]);
        return;
    }
    for (int64_t k = 0; k < p->curves; k++)
        show_curve(p, &p->curve[k]);
}

static int report(cli *c, const specreg_model *model, const specreg_partials *p)
{
    char *text = NULL;
    int rc = CLI_OK;
    if (c->value[CLI_OUTPUT])
        rc = (p->curve[0].axes > 1 ? write_surface : write_curves)(c, p, c->value[CLI_OUTPUT]);
    if (!rc && c->value[CLI_JSON])
        rc = cli_check(c, specreg_partial_record(c->ctx, model, p, &text));
    if (!rc && text)
        rc = cli_emit_json(c, text);
    if (!rc && c->show)
        show(c, p);
    specreg_string_free(text);
    return rc;
}

static int run(cli *c)
{
    specreg_model *model = NULL;
    specreg_table *data = NULL;
    specreg_partials *found = NULL;
    if (c->value[CLI_COLUMNS] && *specreg_options_get(c->options, "surface"))
        return cli_usage(c, "--surface names its two columns: leave out --columns");
    int rc = cli_read_model_and_data(c, &model, &data);
    if (!rc)
        rc = cli_check(c, specreg_partial(c->ctx, model, data, c->options, &found));
    cli_progress_clear();
    if (!rc)
        rc = report(c, model, found);
    specreg_partials_free(found);
    specreg_table_free(data);
    specreg_model_free(model);
    return rc;
}

static const cli_option options[] = {
    {CLI_OUTPUT, "output", 'o', "OUT",
     "Write a row for each point: column, value, label, then OUTPUT, OUTPUT:low and OUTPUT:high "
     "for "
     "each target or class. A surface has its columns under their own names."},
    {CLI_COLUMNS, "columns", 0, "COLS",
     "The columns to look at, one by one, written as for fit --drop. Default: all inputs."},
    {0, NULL, 0, NULL, NULL},
};

static const char *const without[] = {"columns",  "criterion", "repeats", "seed", "proba",
                                      "interval", "parts",     "id",      NULL};

const cli_command cli_cmd_partial = {
    .name = "partial",
    .files = {"MODEL", "DATA"},
    .synopsis = "[OPTIONS] MODEL DATA [-o OUT]",
    .brief = "how predictions depend on a column: partial dependence",
    .description =
        "Gives a column the same value in all rows of DATA, predicts, and takes the mean: partial "
        "dependence. Values are quantiles of the column from 5 % to 95 %, or its categories. A "
        "band tells what 10 % and 90 % of the rows lie below.\n\n"
        "Of classes it is that of the probabilities, or of scores if the model has none. The "
        "target "
        "may be absent from DATA.\n\n"
        "Where columns go together, some of these rows are ones that never occur.",
    .examples = "specreg partial model.srm data.csv --columns age,income\n"
                "specreg partial model.srm data.csv --columns age --points 50 -o age.csv\n"
                "specreg partial model.srm data.csv --surface age,income -o surface.csv",
    .scope = SPECREG_FOR_READ | SPECREG_FOR_PREDICT | SPECREG_FOR_EXPLAIN,
    .without = without,
    .options = options,
    .run = run,
};
