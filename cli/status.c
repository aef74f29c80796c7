/* How the command fails: one line on stderr that begins "specreg: ", and an exit code. */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

/* File names may hold anything; a message stays one line. */
static void print_line(const char *prefix, const char *text)
{
    cli_progress_clear();
    fputs("specreg: ", stderr);
    if (prefix)
        fprintf(stderr, "%s: ", prefix);
    cli_put_plain(text, stderr);
    fputc('\n', stderr);
}

/* The text of the failure, for the record; longer ones are cut. */
static char failure[4096];

const char *cli_failure(void)
{
    return *failure ? failure : NULL;
}

static void keep(int code, const char *text)
{
    if (code == CLI_OK || *failure)
        return;
    snprintf(failure, sizeof failure, "%s", text);
    cli_make_plain(failure);
}

static char *format_text(const char *format, va_list args)
{
    char *text = NULL;
    if (vasprintf(&text, format, args) < 0) {
        fputs("specreg: out of memory\n", stderr);
        exit(CLI_FAILED);
    }
    return text;
}

char *cli_format(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = format_text(format, args);
    va_end(args);
    return text;
}

int cli_fail(int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = format_text(format, args);
    va_end(args);
    print_line(NULL, text);
    keep(code, text);
    free(text);
    return code;
}

int cli_usage(const cli *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = format_text(format, args);
    va_end(args);
    print_line(c->command->name, text);
    keep(CLI_USAGE, text);
    free(text);
    return CLI_USAGE;
}

int cli_check(const cli *c, specreg_status status)
{
    if (status == SPECREG_OK)
        return CLI_OK;
    if (status == SPECREG_E_CANCELLED)
        return cli_stopped();
    const char *text = specreg_last_error(c->ctx);
    if (!text || !*text)
        text = specreg_status_string(status);
    if (status == SPECREG_E_ARG)
        return cli_usage(c, "%s", text);
    return cli_fail(CLI_FAILED, "%s", text);
}

void *cli_alloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p) {
        cli_fail(CLI_FAILED, "out of memory");
        exit(CLI_FAILED);
    }
    return p;
}

bool cli_stdout_pipe_is_closed(void)
{
    struct pollfd p = {.fd = STDOUT_FILENO};
    return poll(&p, 1, 0) == 1 && (p.revents & POLLERR) != 0;
}

/* A reader that has seen enough (`| head`) is no news to its user: exit 1, but quietly. */
int cli_finish_stdout(void)
{
    errno = 0;
    const bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (!failed)
        return CLI_OK;
    if (errno == EPIPE || cli_stdout_pipe_is_closed())
        return CLI_FAILED;
    return cli_fail(CLI_FAILED, "cannot write standard output: %s",
                    errno ? strerror(errno) : "an earlier write failed");
}
