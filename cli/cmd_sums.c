/* specreg sums: the sums of problems with fewer centres than rows, as files. */
#include <string.h>

#include "cli.h"

typedef struct action {
    const char *name, *usage;
    int least, most; /* files after its name */
    int (*run)(cli *c, const char *const *file, int count);
} action;

static int show_facts(cli *c, const char *path)
{
    specreg_sums_facts f = {.struct_size = sizeof f};
    const int rc = cli_check(c, specreg_sums_info(c->ctx, path, &f));
    if (rc)
        return rc;
    if (c->show)
        printf("%s: %lld rows in %lld blocks of %lld, %lld kernels, %lld centres, %lld parts\n",
               path, (long long)f.rows, (long long)f.blocks, (long long)f.block_rows,
               (long long)f.kernels, (long long)f.centres, (long long)f.parts);
    return cli_emit_record(c, json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "specreg",
                                        specreg_version(), "command", "sums", "file", path, "rows",
                                        (json_int_t)f.rows, "blocks", (json_int_t)f.blocks,
                                        "block_rows", (json_int_t)f.block_rows, "kernels",
                                        (json_int_t)f.kernels, "centres", (json_int_t)f.centres,
                                        "parts", (json_int_t)f.parts));
}

static int run_init(cli *c, const char *const *file, int count)
{
    (void)count;
    const int rc =
        cli_check(c, specreg_sums_init(c->ctx, file[0], c->options, c->value[CLI_OUTPUT]));
    cli_progress_clear();
    if (!rc && c->show)
        printf("basis     %s\n", c->value[CLI_OUTPUT]);
    return rc;
}

static int run_add(cli *c, const char *const *file, int count)
{
    const char *out = c->value[CLI_OUTPUT];
    const int rc =
        cli_check(c, specreg_sums_add(c->ctx, file[0], file + 1, count - 1, c->options, out));
    cli_progress_clear();
    return rc ? rc : show_facts(c, out);
}

static int run_merge(cli *c, const char *const *file, int count)
{
    const char *out = c->value[CLI_OUTPUT];
    const int rc = cli_check(c, specreg_sums_merge(c->ctx, file, count, out));
    return rc ? rc : show_facts(c, out);
}

static int run_subtract(cli *c, const char *const *file, int count)
{
    (void)count;
    const char *out = c->value[CLI_OUTPUT];
    const int rc = cli_check(c, specreg_sums_subtract(c->ctx, file[0], file[1], out));
    return rc ? rc : show_facts(c, out);
}

static int run_info(cli *c, const char *const *file, int count)
{
    (void)count;
    return show_facts(c, file[0]);
}

static const action actions[] = {
    {"init", "SAMPLE -o BASIS", 1, 1, run_init},
    {"add", "BASIS PART... -o SUMS", 2, CLI_MOST_FILES, run_add},
    {"merge", "SUMS SUMS... -o ALL", 1, CLI_MOST_FILES, run_merge},
    {"subtract", "ALL PART -o REST", 2, 2, run_subtract},
    {"info", "SUMS", 1, 1, run_info},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

static int run(cli *c)
{
    for (int i = 0; i < ACTIONS; i++) {
        const action *a = &actions[i];
        const int count = c->n_files - 1;
        if (strcmp(a->name, c->file[0]) != 0)
            continue;
        if (count < a->least || count > a->most || (a->run != run_info && !c->value[CLI_OUTPUT]))
            return cli_usage(c, "usage: specreg sums %s %s", a->name, a->usage);
        return a->run(c, c->file + 1, count);
    }
    return cli_usage(c, "sums: '%s' is not known: init, add, merge, subtract or info", c->file[0]);
}

static const cli_option options[] = {
    {CLI_OUTPUT, "output", 'o', "FILE", "Write the basis or the sums here."},
    {0, NULL, 0, NULL, NULL},
};

const cli_command cli_cmd_sums = {
    .name = "sums",
    .files = {"ACTION", "FILE"},
    .many = true,
    .synopsis = "init|add|merge|subtract|info [OPTIONS] FILE... -o OUT",
    .brief = "sums over rows as files, for several computers and rows that come and go",
    .description =
        "A problem with fewer centres than rows (--approx rectangle:m=1000) is solved from sums "
        "over "
        "the rows. These are files here: they are made of different rows on different computers, "
        "merged in any order, and rows can be taken back.\n\n"
        "init SAMPLE -o BASIS fixes columns, scaling, classes, kernels, centres and folds by the "
        "rows of SAMPLE and the options of fit. add BASIS PART... -o SUMS adds up the rows of "
        "files. merge A B... -o ALL joins sums of different rows; subtract ALL PART -o REST takes "
        "rows away. info SUMS tells what is in a file.\n\n"
        "fit --sums ALL -o MODEL makes the model, with any filter, parameter, and selection by "
        "kfold, gcv or none. See docs/LARGE.md.",
    .examples = "specreg sums init sample.csv --approx rectangle:m=1000 -o basis.srb\n"
                "specreg sums add basis.srb monday.csv -o monday.sums\n"
                "specreg sums add basis.srb tuesday.csv -o tuesday.sums\n"
                "specreg sums merge monday.sums tuesday.sums -o all.sums\n"
                "specreg fit --sums all.sums -o model.srm",
    .scope = SPECREG_FOR_READ | SPECREG_FOR_FIT,
    .options = options,
    .run = run,
};
