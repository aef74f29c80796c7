/* Coordinates by a kernel as features: along principal components, or in the span of some rows. */
#include <math.h>
#include <stdlib.h>

#include "features.h"

enum { LEADING = 10 };

static bool knows(cli *c, const char *path)
{
    (void)c;
    return specreg_is_model_file(path);
}

static specreg_status learn(cli *c, const specreg_table *data, specreg_model **model)
{
    return *specreg_options_get(c->options, "nystrom")
               ? specreg_nystrom(c->ctx, data, c->options, model)
               : specreg_kpca(c->ctx, data, c->options, 0, model);
}

/* Learned here, or read where --apply names a file; *record says how it was learned, else NULL. */
static int get_model(cli *c, const char *path, specreg_table **data, specreg_model **model,
                     char **record)
{
    const char *apply = c->value[CLI_APPLY];
    int rc = apply ? cli_check(c, specreg_model_load(c->ctx, apply, model)) : CLI_OK;
    if (!rc)
        rc = cli_check(c, specreg_table_read(c->ctx, path, c->options, data));
    if (!rc && !apply)
        rc = cli_check(c, learn(c, *data, model));
    if (!rc && !apply)
        rc = cli_check(c, specreg_model_record(c->ctx, *model, record));
    return rc;
}

static int make(cli *c, const char *path, specreg_table **features, char **record, void **learned)
{
    specreg_table *data = NULL;
    specreg_model *model = NULL;
    *record = NULL;
    int rc = get_model(c, path, &data, &model, record);
    if (!rc)
        rc = cli_check(c, specreg_kpca_apply(c->ctx, model, data, c->options, features,
                                             *record ? NULL : record));
    specreg_table_free(data);
    *learned = model;
    return rc;
}

static int save(cli *c, const void *learned, const char *path)
{
    return cli_write_model(c, learned, path);
}

static void release(void *learned)
{
    specreg_model_free(learned);
}

void cli_show_components(const json_t *record)
{
    static const char *const title[] = {"component", "eigenvalue", "share", "cumulative"};
    static const char *const key[] = {"eigenvalues", "share", "cumulative_share"};
    const char *kind = cli_get_text(record, "kind");
    const size_t m = json_array_size(cli_get(record, key[0]));
    double trace = NAN;
    if (!kind || m == 0)
        return;
    cli_get_number(record, "trace", &trace);
    char *text = cli_approx(trace);
    cli_label("spectrum");
    printf("%zu leading eigenvalue%s of K/n%s, trace %s\n", m, m == 1 ? "" : "s",
           json_is_true(cli_get(record, "centred")) ? ", centred" : "", text);
    free(text);
    cli_grid *g = cli_grid_new(4, 0);
    for (int k = 0; k < 4; k++)
        cli_grid_add(g, cli_format("%s", title[k]));
    for (size_t i = 0; i < m && i < LEADING; i++) {
        cli_grid_add(g, cli_format("%zu", i + 1));
        for (int k = 0; k < 3; k++) {
            const double v = json_number_value(json_array_get(cli_get(record, key[k]), i));
            cli_grid_add(g, k == 0 ? cli_approx(v) : cli_percent(v));
        }
    }
    cli_grid_print(g);
    cli_grid_free(g);
    if (m > LEADING)
        printf("  and %zu more (--json FILE has all)\n", m - LEADING);
}

static void show(const json_t *record)
{
    cli_label("kernel");
    cli_show_kernel(cli_get(record, "kernel"));
    putchar('\n');
    cli_show_approx(record);
    cli_show_components(record);
}

static const char *const without[] = {"text-column", "labels", NULL};
static const char *const learns[] = {"kernel", "scale", NULL};

#define BY_KERNEL(option_)                                                                    \
    {                                                                                         \
        .option = (option_), .knows = knows, .file = CLI_MODEL, .file_name = "model",         \
        .without = without, .learns = learns, .make = make, .save = save, .release = release, \
        .show = show                                                                          \
    }

const cli_features_kind cli_features_kpca = BY_KERNEL("kpca");
const cli_features_kind cli_features_nystrom = BY_KERNEL("nystrom");
