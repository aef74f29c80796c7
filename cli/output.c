/* Writing files: what can be known before long work; the library does the writing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return cli_format(".");
    return cli_format("%.*s", slash == path ? 1 : (int)(slash - path), path);
}

/* Names under /dev and /proc stand for open files, also when those are regular. */
bool cli_in_place(const char *path)
{
    struct stat info;
    if (strcmp(path, "-") == 0)
        return true;
    return stat(path, &info) == 0 && (!S_ISREG(info.st_mode) || strncmp(path, "/dev/", 5) == 0 ||
                                      strncmp(path, "/proc/", 6) == 0);
}

/* Whether `path` could be written, without touching it. */
static int check_output(const char *path)
{
    struct stat info;
    if (strcmp(path, "-") == 0)
        return CLI_OK;
    const bool exists = stat(path, &info) == 0;
    if (!exists && errno != ENOENT)
        return cli_fail(CLI_FAILED, "%s: cannot write: %s", path, strerror(errno));
    if (exists && S_ISDIR(info.st_mode))
        return cli_fail(CLI_FAILED, "%s: is a directory", path);
    if (exists && access(path, W_OK) != 0)
        return cli_fail(CLI_FAILED, "%s: cannot write: %s", path, strerror(errno));
    if (cli_in_place(path))
        return CLI_OK;
    char *folder = folder_of(path);
    int rc = CLI_OK;
    if (access(folder, W_OK | X_OK) != 0)
        rc = cli_fail(CLI_FAILED, "%s: cannot write: %s: %s", path, folder, strerror(errno));
    free(folder);
    return rc;
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return a && b && stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) &&
           x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* The value of an option of the library that names the file `path`: as a whole, or after ':', '='
 * or ',' as in splits:FILE.  NULL: none. */
static const char *named_in_options(const cli *c, const char *path)
{
    for (int i = 0; specreg_option_at(i); i++) {
        const char *value = specreg_options_get(c->options, specreg_option_at(i)->name);
        char *copy = cli_format("%s", value ? value : "");
        bool same = same_file(path, copy);
        for (char *rest = copy; *rest && !same; rest++)
            if (strchr(":=,", *rest))
                same = same_file(path, rest + 1);
        char *at;
        for (char *part = strtok_r(copy, ":=,", &at); part && !same;
             part = strtok_r(NULL, ":=,", &at))
            same = same_file(path, part);
        free(copy);
        if (same)
            return value;
    }
    return NULL;
}

/* The input that a file to be written is too, or NULL. */
static const char *input_like(const cli *c, const char *path)
{
    for (int i = 0; i < CLI_MAX_FILES; i++)
        if (path == c->file[i]) /* convert names it so: it may be replaced */
            return NULL;
    for (int i = 0; i < CLI_MAX_FILES; i++)
        if (same_file(path, c->file[i]))
            return c->file[i];
    if (same_file(path, c->value[CLI_TEST]))
        return c->value[CLI_TEST];
    if (same_file(path, c->value[CLI_APPLY]))
        return c->value[CLI_APPLY];
    if (same_file(path, c->value[CLI_DATA]))
        return c->value[CLI_DATA];
    return named_in_options(c, path);
}

int cli_check_outputs(const cli *c)
{
    static const struct {
        cli_option_id id;
        const char *name;
    } out[] = {{CLI_OUTPUT, "--output"},         {CLI_JSON, "--json"},     {CLI_ROC, "--roc"},
               {CLI_VOCABULARY, "--vocabulary"}, {CLI_TOPICS, "--topics"}, {CLI_CSV, "--csv"},
               {CLI_MODEL, "--model"},           {CLI_REPORT, "--report"}};
    enum { COUNT = sizeof out / sizeof *out };
    for (int i = 0; i < COUNT; i++) {
        const char *path = c->value[out[i].id];
        if (path && !*path)
            return cli_usage(c, "option '%s' needs a file name", out[i].name);
        if (path && input_like(c, path))
            return cli_usage(c, "%s would overwrite '%s', which is read", out[i].name, path);
        for (int k = 0; path && k < i; k++) {
            const char *other = c->value[out[k].id];
            if (other && strcmp(other, path) == 0 && strncmp(path, "/dev/", 5) != 0)
                return cli_usage(c, "%s and %s cannot both be written to '%s'", out[k].name,
                                 out[i].name, path);
        }
    }
    for (int i = 0; i < COUNT; i++) {
        const char *path = c->value[out[i].id];
        const int rc = path ? check_output(path) : CLI_OK;
        if (rc)
            return rc;
    }
    return CLI_OK;
}

/* -------------------------------------------------------------------- our own texts */

int cli_write_text(cli *c, const char *path, const char *text)
{
    if (strcmp(path, "-") == 0) {
        fputs(text, stdout);
        return CLI_OK;
    }
    int rc = cli_write_begin(path);
    if (rc)
        return rc;
    rc = cli_check(c, specreg_text_write(c->ctx, text, path));
    cli_write_end();
    return rc;
}

int cli_emit_json(cli *c, const char *text)
{
    const char *path = c->value[CLI_JSON];
    if (!path)
        return CLI_OK;
    const size_t length = strlen(text);
    char *lines = cli_format("%s%s", text, length && text[length - 1] == '\n' ? "" : "\n");
    const int rc = cli_write_text(c, path, lines);
    free(lines);
    return rc;
}

int cli_emit_record(cli *c, json_t *record)
{
    int rc = CLI_OK;
    if (c->value[CLI_JSON]) {
        char *text = json_dumps(record, JSON_INDENT(2));
        rc = text ? cli_emit_json(c, text) : cli_fail(CLI_FAILED, "out of memory");
        free(text);
    }
    json_decref(record);
    return rc;
}

/* A program that reads the record from standard output gets one, also where nothing came of the
 * call.  Files are left as they are. */
void cli_emit_failure(const cli *c, int code)
{
    const char *path = c->value[CLI_JSON], *text = cli_failure();
    if (!path || strcmp(path, "-") != 0 || !text)
        return;
    json_t *record = json_pack("{s:s, s:s, s:{s:i, s:s}}", "specreg", specreg_version(), "command",
                               c->command->name, "error", "exit_code", code, "message", text);
    char *lines = record ? json_dumps(record, JSON_INDENT(2)) : NULL;
    if (lines)
        puts(lines);
    free(lines);
    json_decref(record);
}

/* -------------------------------------------------------------------- the library's */

int cli_written(const cli *c, specreg_status st, const char *path)
{
    cli_write_end();
    if (st == SPECREG_E_IO && strcmp(path, "-") == 0 && cli_stdout_pipe_is_closed())
        return CLI_FAILED;
    return cli_check(c, st);
}

int cli_write_table(cli *c, const specreg_table *table, const char *path)
{
    const int rc = cli_write_begin(path);
    return rc ? rc : cli_written(c, specreg_table_write(c->ctx, table, path), path);
}

int cli_write_model(cli *c, const specreg_model *model, const char *path)
{
    const int rc = cli_write_begin(path);
    return rc ? rc : cli_written(c, specreg_model_save(c->ctx, model, path), path);
}
