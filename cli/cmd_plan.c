/* specreg plan: what fit would do, without doing it. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

/* ", 1.2 s, 35 MiB", as far as known */
static void show_cost(const json_t *object, const char *bytes_key, const char *before)
{
    double seconds, bytes;
    if (cli_get_number(object, "seconds", &seconds)) {
        char *time = cli_duration(seconds);
        printf("%s%s", before, time);
        free(time);
        before = ", ";
    }
    if (cli_get_number(object, bytes_key, &bytes)) {
        char *size = cli_bytes(bytes);
        printf("%s%s", before, size);
        free(size);
    }
}

/* "36 kernels x 51 values of lambda by leave-one-out" */
void cli_show_work(const json_t *record)
{
    double kernels, points, settings = 1, outputs = 1;
    const json_t *selection = cli_get(record, "selection");
    const char *parameter = cli_get_text(record, "path_parameter");
    if (cli_get_number(record, "kernel_candidates", &kernels)) {
        cli_get_number(record, "outputs_candidates", &outputs);
        kernels /= outputs;
        printf("%.0f %s", kernels, kernels == 1 ? "kernel" : "kernels");
        if (outputs > 1)
            printf(" x %.0f matrices of outputs", outputs);
        if (cli_get_number(record, "filter_candidates", &settings))
            printf(" x %.0f settings of the filter", settings);
        if (cli_get_number(record, "path_points", &points))
            printf(" x %.0f %s of %s", points, points == 1 ? "value" : "values",
                   parameter ? parameter : "the path");
    }
    printf(" by ");
    cli_show_method(selection);
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
    json_array_foreach ((json_t *)stages, i, stage) {
        const size_t length = json_string_length(cli_get(stage, "name"));
        width = length > width ? length : width;
    }
    json_array_foreach ((json_t *)stages, i, stage) {
        const char *name = cli_get_text(stage, "name");
        cli_label(i ? "" : "stages");
        printf("%-*s", (int)width, name ? name : "?");
        show_cost(stage, "bytes", "  ");
        putchar('\n');
    }
}

static void show_time(const json_t *record)
{
    double seconds, threads, gemm, read;
    const json_t *rates = cli_get(record, "machine");
    if (cli_get_number(record, "seconds", &seconds)) {
        char *time = cli_duration(seconds);
        cli_label("time");
        printf("about %s\n", time);
        free(time);
    }
    if (!cli_get_number(rates, "threads", &threads) || !cli_get_number(rates, "gemm", &gemm) ||
        !cli_get_number(rates, "read.3", &read))
        return;
    cli_label("machine");
    printf("%.0f %s, %.3g Gflop/s, %.3g GB/s from memory (%s)\n", threads,
           threads == 1 ? "thread" : "threads", gemm / 1e9, read / 1e9,
           json_is_true(cli_get(rates, "measured")) ? "measured" : "built-in figures");
}

/* Every engine but the chosen one, with the reason. */
static void show_others(const json_t *record)
{
    const char *chosen = cli_get_text(record, "search_engine");
    size_t i, shown = 0;
    json_t *engine;
    json_array_foreach (cli_get(record, "engines"), i, engine) {
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

/* Where fit would take fewer centres than rows; what follows is the exact search. */
static void show_approx(const json_t *record)
{
    double m, seconds, bytes, passes;
    const char *name = cli_get_text(record, "approx.name");
    if (!name || !cli_get_number(record, "approx.m", &m) ||
        !cli_get_number(record, "approx.seconds", &seconds) ||
        !cli_get_number(record, "approx.bytes", &bytes))
        return;
    char *memory = cli_bytes(bytes), *time = cli_duration(seconds);
    cli_label("approx");
    printf("fit would take --approx %s with up to %.0f centres: about %s and %s on a nominal "
           "computer",
           name, m, time, memory);
    if (cli_get_number(record, "approx.passes", &passes))
        printf(", by conjugate gradients with about %.0f passes over the rows", passes);
    printf("; the exact search (--approx exact):\n");
    free(time);
    free(memory);
}

void cli_show_plan(const json_t *record)
{
    const char *engine = cli_get_text(record, "engine"), *why = cli_get_text(record, "why");
    const char *search = cli_get_text(record, "search_engine");
    cli_show_data(record);
    cli_show_features(record);
    show_approx(record);
    if (engine && search) {
        cli_label("engine");
        if (strcmp(engine, search) != 0)
            printf("%s for the search, %s for the model", search, engine);
        else
            printf("%s", engine);
        printf("%s%s\n", why && *why ? ": " : "", why ? why : "");
    } else {
        cli_label("engine");
        printf("none: %s\n", why ? why : "");
    }
    if (engine) {
        cli_label("search");
        cli_show_work(record);
        putchar('\n');
    }
    show_memory(record);
    show_time(record);
    show_stages(cli_get(record, "stages"));
    show_others(record);
    cli_show_notes(record);
}

/* A name of several files. */
static bool is_pattern(const char *path)
{
    return strpbrk(path, "*?[") && access(path, F_OK) != 0;
}

/* "rectangle:m=1000", or keys alone, which mean it: "m=1000". */
static bool asks_for_rectangle(const char *approx)
{
    return strncmp(approx, "rectangle", strlen("rectangle")) == 0 ||
           approx[strcspn(approx, ":=")] == '=';
}

bool cli_reads_blocks(const cli *c, int64_t large)
{
    const char *approx = specreg_options_get(c->options, "approx");
    const bool documents = *specreg_options_get(c->options, "text");
    struct stat info;
    const bool is_large =
        !documents && stat(c->file[0], &info) == 0 && S_ISREG(info.st_mode) && info.st_size > large;
    return c->n_files > 1 || is_pattern(c->file[0]) || asks_for_rectangle(approx) ||
           (is_large && strcmp(approx, "auto") == 0);
}

int cli_plan(cli *c, const specreg_table *train, char **text)
{
    int rc = CLI_OK;
    if (!*specreg_options_get(c->options, "calibrate"))
        rc = cli_check(c, specreg_options_set(c->ctx, c->options, "calibrate", "auto"));
    if (rc)
        return rc;
    return cli_check(c, train ? specreg_plan(c->ctx, train, c->options, text)
                              : specreg_plan_files(c->ctx, c->file, c->n_files, c->options, text));
}

static int run(cli *c)
{
    enum { LARGE = 1 << 22 };
    specreg_table *train = NULL;
    char *text = NULL;
    int rc = CLI_OK;
    if (!cli_reads_blocks(c, LARGE))
        rc = cli_check(c, specreg_table_read(c->ctx, c->file[0], c->options, &train));
    if (!rc)
        rc = cli_plan(c, train, &text);
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
    .many = true,
    .synopsis = "[OPTIONS] TRAIN...",
    .brief = "what fit would do, with memory and time, without doing it",
    .description =
        "Prints which engine fit would take with the same options and why, the memory and time "
        "of each stage, and why not the other engines.\n\n"
        "Times follow from the measured speed of this computer (--calibrate) and are right to a "
        "factor of about two. The number of iterations depends on the data and is estimated; "
        "extensions of the grid are not included.\n\n"
        "Where fit would take fewer centres than rows, the line approx has what that takes; the "
        "rest is the exact search. Of several or large files 65,536 rows are looked at.",
    .examples = "specreg plan train.csv --filter nu --memory 4G",
    .scope = SPECREG_FOR_READ | SPECREG_FOR_FIT,
    .run = run,
};
