/* specreg plan: what fit would do, without doing it. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ", 1.2e+10 flops, 35 MiB", as far as known */
static void show_cost(const json_t *object, const char *bytes_key, const char *before)
{
    double flops, bytes;
    if (cli_get_number(object, "flops", &flops)) {
        printf("%s%.2g flops", before, flops);
        before = ", ";
    }
    if (cli_get_number(object, bytes_key, &bytes)) {
        char *size = cli_bytes(bytes);
        printf("%s%s", before, size);
        free(size);
    }
}

static void show_work(const json_t *record)
{
    double kernels, points;
    const json_t *selection = cli_get(record, "selection");
    const bool counted = cli_get_number(record, "kernel_candidates", &kernels) &&
                         cli_get_number(record, "path_points", &points);
    if (!counted && !selection)
        return;
    cli_label("search");
    if (counted)
        printf("%.0f %s x %.0f path %s", kernels, kernels == 1 ? "kernel" : "kernels", points,
               points == 1 ? "point" : "points");
    if (selection) {
        printf("%schosen by ", counted ? ", " : "");
        cli_show_method(selection);
    }
    putchar('\n');
}

static void show_memory(const json_t *record)
{
    double bytes, budget;
    if (!cli_get_number(record, "memory_bytes", &bytes))
        return;
    char *size = cli_bytes(bytes);
    cli_label("memory");
    printf("%s", size);
    free(size);
    if (cli_get_number(record, "budget_bytes", &budget)) {
        size = cli_bytes(budget);
        printf(" of a budget of %s", size);
        free(size);
    }
    putchar('\n');
}

static void show_stages(const json_t *stages)
{
    size_t i, width = 0;
    json_t *stage;
    json_array_foreach((json_t *)stages, i, stage)
    {
        const size_t length = json_string_length(cli_get(stage, "name"));
        width = length > width ? length : width;
    }
    json_array_foreach((json_t *)stages, i, stage)
    {
        const char *name = cli_get_text(stage, "name");
        cli_label(i ? "" : "stages");
        printf("%-*s", (int)width, name ? name : "?");
        show_cost(stage, "bytes", "  ");
        putchar('\n');
    }
}

/* Every engine but the chosen one, with the reason. */
static void show_others(const json_t *record)
{
    const char *chosen = cli_get_text(record, "search_engine");
    size_t i, shown = 0;
    json_t *engine;
    json_array_foreach(cli_get(record, "engines"), i, engine)
    {
        const char *name = cli_get_text(engine, "name"), *why = cli_get_text(engine, "why");
        if (!name || (chosen && strcmp(name, chosen) == 0))
            continue;
        cli_label(shown++ ? "" : "not taken");
        printf("%-9s", name);
        if (json_is_false(cli_get(engine, "applies")))
            printf(" does not apply%s", why && *why ? "; " : "");
        else
            printf(" ");
        printf("%s", why ? why : "");
        show_cost(engine, "bytes", why && *why ? "; " : "");
        putchar('\n');
    }
}

void cli_show_plan(const json_t *record)
{
    const char *engine = cli_get_text(record, "engine"), *why = cli_get_text(record, "why");
    const char *search = cli_get_text(record, "search_engine");
    double flops;
    cli_show_data(record);
    if (engine && search) {
        cli_label("engine");
        if (strcmp(engine, search) != 0)
            printf("%s for the search, %s for the model", search, engine);
        else
            printf("%s", engine);
        printf("%s%s\n", why && *why ? ": " : "", why ? why : "");
    }
    show_work(record);
    show_memory(record);
    if (cli_get_number(record, "flops", &flops)) {
        cli_label("work");
        printf("%.2g flops\n", flops);
    }
    show_stages(cli_get(record, "stages"));
    show_others(record);
    cli_show_notes(record);
}

static int run(cli *c)
{
    specreg_table *train = NULL;
    char *text = NULL;
    int rc = cli_check(c, specreg_table_read(c->ctx, c->file[0], c->options, &train));
    if (!rc)
        rc = cli_check(c, specreg_plan(c->ctx, train, c->options, &text));
    if (!rc)
        rc = cli_emit_json(c, text);
    if (!rc && c->show) {
        json_t *record = cli_load(text);
        cli_show_plan(record);
        json_decref(record);
    }
    specreg_string_free(text);
    specreg_table_free(train);
    return rc;
}

const cli_command cli_cmd_plan = {
    .name = "plan",
    .files = {"TRAIN"},
    .synopsis = "[OPTIONS] TRAIN",
    .brief = "what fit would do, with memory and work, without doing it",
    .description =
        "Reads TRAIN and prints which engine fit would take with the same options and why, how "
        "much memory and arithmetic that needs, and why not the other engines.",
    .examples = "specreg plan train.csv --filter nu --memory 4G",
    .scope = SPECREG_FOR_READ | SPECREG_FOR_FIT,
    .run = run,
};
