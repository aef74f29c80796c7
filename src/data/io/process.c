#include "data/io/process.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/memory.h"

enum { SILENCE_SECONDS = 60, POLL_MS = 100 };

extern char **environ;

/* What the program finds: our socket as standard input and output, no messages, no other file,
 * signals as they are for a new program. */
static int describe_child(int socket, posix_spawn_file_actions_t *files, posix_spawnattr_t *how)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int failed = posix_spawn_file_actions_adddup2(files, socket, STDIN_FILENO);
    failed = failed ? failed : posix_spawn_file_actions_adddup2(files, socket, STDOUT_FILENO);
    failed =
        failed ? failed : posix_spawn_file_actions_addopen(files, STDERR_FILENO, "/dev/null", 1, 0);
#if SPECREG_HAVE_CLOSEFROM
    failed = failed ? failed : posix_spawn_file_actions_addclosefrom_np(files, 3);
#endif
    posix_spawnattr_setsigmask(how, &none);
    posix_spawnattr_setsigdefault(how, &all);
    posix_spawnattr_setflags(how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    return failed;
}

static int spawn(char *const argv[], int socket, pid_t *id)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    int failed = posix_spawn_file_actions_init(&files);
    if (failed)
        return failed;
    failed = posix_spawnattr_init(&how);
    if (!failed) {
        failed = describe_child(socket, &files, &how);
        if (!failed)
            failed = posix_spawn(id, argv[0], &files, &how, argv, environ);
        posix_spawnattr_destroy(&how);
    }
    posix_spawn_file_actions_destroy(&files);
    return failed;
}

specreg_status sri_process_start(specreg_context *ctx, char *const argv[], const char *name,
                                 sri_process *out)
{
    int pair[2];
    *out = (sri_process){.socket = -1, .name = name};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return sri_fail(ctx, SPECREG_E_IO, "%s: cannot start %s: %s", name, argv[0],
                        strerror(errno));
    out->socket = pair[0];
    const int failed = spawn(argv, pair[1], &out->id);
    close(pair[1]);
    if (failed) {
        out->id = 0;
        return sri_fail(ctx, SPECREG_E_IO, "%s: cannot start %s: %s", name, argv[0],
                        strerror(failed));
    }
    return SPECREG_OK;
}

/* Waits until the socket can be read or written, and lets the user cancel. */
static specreg_status wait_for(specreg_context *ctx, const sri_process *p, short event)
{
    struct pollfd wanted = {p->socket, event, 0};
    const double start = sri_clock();
    while (sri_clock() - start < SILENCE_SECONDS) {
        const specreg_status st = sri_poll(ctx);
        if (st != SPECREG_OK)
            return st;
        if (poll(&wanted, 1, POLL_MS) > 0)
            return SPECREG_OK;
    }
    return sri_fail(ctx, SPECREG_E_FORMAT, "%s: cannot be read: nothing came for %d seconds",
                    p->name, SILENCE_SECONDS);
}

static specreg_status fail_socket(specreg_context *ctx, const sri_process *p, int error)
{
    return sri_fail(ctx, SPECREG_E_IO, "%s: cannot exchange data with another program: %s", p->name,
                    strerror(error));
}

specreg_status sri_process_send(specreg_context *ctx, sri_process *p, const void *data, size_t size)
{
    for (const char *at = data; size > 0;) {
        const ssize_t n = send(p->socket, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            const specreg_status st = wait_for(ctx, p, POLLOUT);
            if (st != SPECREG_OK)
                return st;
            continue;
        }
        if (n < 0 && (errno == EPIPE || errno == ECONNRESET))
            return SPECREG_OK; /* the program has ended: its answer says why */
        if (n < 0)
            return fail_socket(ctx, p, errno);
        at += n;
        size -= (size_t)n;
    }
    return SPECREG_OK;
}

void sri_process_sent(sri_process *p)
{
    shutdown(p->socket, SHUT_WR);
}

/* The program ended without an answer: by a signal, as a rule. */
static specreg_status fail_ended(specreg_context *ctx, sri_process *p)
{
    int how = 0;
    const bool known = waitpid(p->id, &how, 0) == p->id;
    p->id = known ? 0 : p->id;
    if (known && WIFSIGNALED(how) && WTERMSIG(how) == SIGPROF)
        return sri_fail(ctx, SPECREG_E_FORMAT, "%s: is damaged: reading it does not come to an end",
                        p->name);
    if (known && WIFSIGNALED(how))
        return sri_fail(ctx, SPECREG_E_FORMAT, "%s: is damaged: reading it fails with signal %d",
                        p->name, WTERMSIG(how));
    return sri_fail(ctx, SPECREG_E_FORMAT, "%s: is damaged, or needs too much memory", p->name);
}

specreg_status sri_process_receive(specreg_context *ctx, sri_process *p, void *data, size_t size)
{
    for (char *at = data; size > 0;) {
        const ssize_t n = recv(p->socket, at, size, MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            const specreg_status st = wait_for(ctx, p, POLLIN);
            if (st != SPECREG_OK)
                return st;
            continue;
        }
        if (n < 0 && errno != ECONNRESET)
            return fail_socket(ctx, p, errno); /* it may still run: it is not waited for */
        if (n <= 0)
            return fail_ended(ctx, p);
        at += n;
        size -= (size_t)n;
    }
    return SPECREG_OK;
}

void sri_process_end(sri_process *p)
{
    if (p->socket >= 0)
        close(p->socket);
    p->socket = -1;
    if (p->id > 0) {
        kill(p->id, SIGKILL);
        while (waitpid(p->id, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    p->id = 0;
}

static bool is_program(const char *path)
{
    return access(path, X_OK) == 0;
}

/* The folder of the library, or of the program that it is linked into. */
static bool own_folder(char *folder)
{
    Dl_info here;
    if (!dladdr((void *)(uintptr_t)sri_find_program, &here) || !here.dli_fname)
        return false;
    /* A name without a folder is what the program was called, not where it lies. */
    const char *name = strchr(here.dli_fname, '/') ? here.dli_fname : "/proc/self/exe";
    char *slash = realpath(name, folder) ? strrchr(folder, '/') : NULL;
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

bool sri_find_program(const char *program, const char *variable, char *path, size_t size)
{
    static const char *const beside[] = {".", SPECREG_LIBEXEC_FROM_LIB, SPECREG_LIBEXEC_FROM_BIN};
    const char *named = secure_getenv(variable);
    char folder[PATH_MAX];
    if (named && *named)
        return (size_t)snprintf(path, size, "%s", named) < size && is_program(path);
    const bool known = own_folder(folder);
    for (int i = 0; known && i < 3; i++)
        if ((size_t)snprintf(path, size, "%s/%s/%s", folder, beside[i], program) < size &&
            is_program(path))
            return true;
    return (size_t)snprintf(path, size, SPECREG_LIBEXEC "/%s", program) < size && is_program(path);
}
