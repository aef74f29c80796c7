/* specreg-hdf5 reads and writes HDF5 for libspecreg, which starts it and talks to it through its
 * standard input and output.  A malformed file can crash or stop libhdf5: here it takes only this
 * process with it, which may use a bounded amount of memory and time, and no other file. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "helper.h"
#include "specreg/specreg.h"

void send_bytes(const void *data, size_t size)
{
    for (const char *p = data; size > 0;) {
        const ssize_t n = write(STDOUT_FILENO, p, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            _exit(1);
        p += n;
        size -= (size_t)n;
    }
}

void send_head(wire_head head, const char *name)
{
    head.name_length = (int32_t)strlen(name);
    send_bytes(&head, sizeof head);
    send_bytes(name, strlen(name));
}

void receive_bytes(void *data, size_t size)
{
    for (char *p = data; size > 0;) {
        const ssize_t n = read(STDIN_FILENO, p, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            _exit(1);
        p += n;
        size -= (size_t)n;
    }
}

void fail(int status, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    send_head((wire_head){.role = WIRE_ERROR,
                          .kind = WIRE_BYTES,
                          .dims = 1,
                          .status = status,
                          .rows = (int64_t)strlen(text),
                          .cols = 1},
              "");
    send_bytes(text, strlen(text));
    _exit(0);
}

void *take_memory(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size);
    if (!block)
        fail(SPECREG_E_NOMEM, "out of memory while reading HDF5");
    return block;
}

void allow_seconds(double seconds)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    seconds *= 3;
#endif
    const struct itimerval limit = {
        .it_value = {(time_t)seconds, (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)}};
    setitimer(ITIMER_PROF, &limit, NULL); /* SIGPROF ends the program */
}

static void set_limit(int resource, rlim_t most)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur > most) {
        limit.rlim_cur = most;
        setrlimit(resource, &limit);
    }
}

static void set_limits(const char *memory)
{
    set_limit(RLIMIT_CORE, 0);
    set_limit(RLIMIT_FSIZE, 0);
    set_limit(RLIMIT_NOFILE, 16);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    set_limit(RLIMIT_AS, strtoull(memory, NULL, 10));
#else
    (void)memory;
#endif
}

int main(int argc, char **argv)
{
    const bool in_pieces = argc == 6 && strcmp(argv[1], "pieces") == 0;
    const bool reads = in_pieces || (argc == 6 && strcmp(argv[1], "read") == 0);
    if (!reads && (argc != 3 || strcmp(argv[1], "write") != 0)) {
        fprintf(stderr, "specreg-hdf5 is started by libspecreg to read and write HDF5 files\n");
        return 2;
    }
    set_limits(argv[2]);
    allow_seconds(0.5);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (reads)
        read_table(argv[3], argv[4], argv[5], in_pieces);
    else
        write_table();
    send_head((wire_head){.role = WIRE_END, .kind = WIRE_BYTES, .dims = 1}, "");
    _exit(0); /* libhdf5 would tidy up, which a malformed file may make long */
}
