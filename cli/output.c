/* Writing files: what can be known before long work, and texts that appear whole or not at all.
 * Tables and models are written by the library in the same manner. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

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

int cli_check_outputs(const cli *c)
{
    static const struct {
        cli_option_id id;
        const char *name;
    } out[] = {{CLI_OUTPUT, "--output"}, {CLI_JSON, "--json"}, {CLI_ROC, "--roc"}};
    enum { COUNT = sizeof out / sizeof *out };
    for (int i = 0; i < COUNT; i++) {
        const char *path = c->value[out[i].id];
        if (path && !*path)
            return cli_usage(c, "option '%s' needs a file name", out[i].name);
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

static bool write_all(int fd, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        const ssize_t n = write(fd, text, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        text += n;
        left -= (size_t)n;
    }
    return true;
}

static int cannot_write(const char *path)
{
    return cli_fail(CLI_FAILED, "%s: cannot write: %s", path, strerror(errno));
}

static int write_in_place(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return cannot_write(path);
    const bool ok = write_all(fd, text);
    const int error = errno;
    if (close(fd) == 0 && ok)
        return CLI_OK;
    errno = ok ? errno : error;
    return cannot_write(path);
}

/* What open(2) would give a new file: mkstemp's 0600 would surprise. */
static mode_t new_file_mode(void)
{
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* A link is followed, so that it still is one afterwards. */
static int write_and_rename(const char *path, const char *text)
{
    struct stat info;
    char *real = realpath(path, NULL);
    const char *target = real ? real : path;
    const mode_t mode = stat(target, &info) == 0 ? info.st_mode & 07777 : new_file_mode();
    const char *slash = strrchr(target, '/');
    const char *base = slash ? slash + 1 : target;
    char *temporary = cli_format("%.*s.%.200s.XXXXXX", (int)(base - target), target, base);
    int rc = CLI_OK;
    const int fd = mkstemp(temporary);
    if (fd < 0) {
        rc = cannot_write(path);
    } else {
        const bool ok = write_all(fd, text) && fchmod(fd, mode) == 0 && fsync(fd) == 0;
        const int error = errno;
        const bool closed = close(fd) == 0;
        errno = ok ? errno : error;
        if (!ok || !closed || rename(temporary, target) != 0) {
            rc = cannot_write(path);
            unlink(temporary);
        }
    }
    free(temporary);
    free(real);
    return rc;
}

static int write_text(const char *path, const char *text)
{
    if (strcmp(path, "-") == 0) {
        fputs(text, stdout);
        return CLI_OK;
    }
    int rc = cli_write_begin(path);
    if (rc)
        return rc;
    rc = cli_in_place(path) ? write_in_place(path, text) : write_and_rename(path, text);
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
    const int rc = write_text(path, lines);
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

/* -------------------------------------------------------------------- the library's */

int cli_write_table(cli *c, const specreg_table *table, const char *path)
{
    cli_progress_clear();
    fflush(stdout); /* the library may write to the same descriptor */
    int rc = cli_write_begin(path);
    if (rc)
        return rc;
    const specreg_status st = specreg_table_write(c->ctx, table, path);
    cli_write_end();
    if (st == SPECREG_E_IO && strcmp(path, "-") == 0 && cli_stdout_pipe_is_closed())
        return CLI_FAILED;
    return cli_check(c, st);
}
