/* A library for LD_PRELOAD that makes one call of a program fail: the N-th of a kind, whoever in
 * the process makes it.  README.md has the kinds and the variables; run.py uses it.
 *
 * Counting begins with main.  Memory that the libraries of linear algebra and of threads take for
 * themselves is left alone: OpenBLAS tries for ever where it gets none, libgomp and libgfortran end
 * the process by themselves. */
#undef _FORTIFY_SOURCE /* its functions are defined here */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLER __builtin_return_address(0)

/* ---------------------------------------------------------------- which call fails */

typedef enum kind {
    MEMORY,
    OPEN,
    READ,
    WRITE,
    SYNC,
    RENAME,
    START,
    PARTIAL,
    INTERRUPT,
    STARVED,
    FULL,
    KINDS
} kind;

static const char *const kind_names[KINDS] = {"memory",    "open",    "read",  "write",
                                              "sync",      "rename",  "start", "partial",
                                              "interrupt", "starved", "full"};

/* What run.py reads in the file INJECT_COUNT. */
typedef struct counts {
    int64_t calls; /* of the kind so far            */
    int64_t fired; /* 1 once the N-th was made fail */
    int64_t live;  /* blocks of memory that are not freed when main returns; -1: it did not */
} counts;

static counts nowhere, *seen = &nowhere;
static kind wanted = KINDS; /* KINDS: none, not counting */
static int64_t fail_at;     /* 0: none                   */
static bool no_nameless;    /* INJECT_NAMED is set: O_TMPFILE is not there */
static int trace = -1;      /* the calls that led to the failure go here */
static uint64_t *ways;      /* of each call counted, a hash of the functions that led to it */
enum { MOST_WAYS = 1 << 20 };

enum { MOST_RANGES = 16 };
static struct {
    uintptr_t begin, end;
} left_alone[MOST_RANGES];
static int n_left_alone;

static int find_left_alone(struct dl_phdr_info *info, size_t size, void *payload)
{
    static const char *const names[] = {"libopenblas", "libgomp", "libgfortran", "libblas",
                                        "liblapack."};
    bool ours = false;
    (void)size, (void)payload;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ours |= info->dlpi_name && strstr(info->dlpi_name, names[i]);
    for (int i = 0; ours && i < info->dlpi_phnum && n_left_alone < MOST_RANGES; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            left_alone[n_left_alone].begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            left_alone[n_left_alone].end =
                left_alone[n_left_alone].begin + info->dlpi_phdr[i].p_memsz;
            n_left_alone++;
        }
    return 0;
}

static bool is_left_alone(const void *caller)
{
    const uintptr_t at = (uintptr_t)caller;
    for (int i = 0; i < n_left_alone; i++)
        if (at >= left_alone[i].begin && at < left_alone[i].end)
            return true;
    return false;
}

static void write_trace(void)
{
    void *frame[32];
    if (trace >= 0)
        backtrace_symbols_fd(frame, backtrace(frame, 32), trace);
}

/* Calls that come the same way, function by function, have the same hash within a process. */
static uint64_t hash_of_way(void)
{
    void *frame[48];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const int depth = backtrace(frame, 48);
    for (int i = 0; i < depth; i++)
        hash = (hash ^ (uintptr_t)frame[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Whether this call, one of kind k, is the one to fail. */
static bool is_the_one(kind k, const void *caller)
{
    if (k != wanted || is_left_alone(caller))
        return false;
    const int64_t number = __atomic_add_fetch(&seen->calls, 1, __ATOMIC_RELAXED);
    if (ways && number <= MOST_WAYS)
        ways[number - 1] = hash_of_way();
    const bool lasts = k == STARVED || k == FULL; /* the calls after the N-th fail as well */
    if (fail_at == 0 || number < fail_at || (number > fail_at && !lasts))
        return false;
    if (!seen->fired)
        write_trace();
    seen->fired = 1;
    return true;
}

static bool fails(kind k, int error, const void *caller)
{
    const bool now = is_the_one(k, caller);
    if (now)
        errno = error;
    return now;
}

static bool lacks_memory(const void *caller)
{
    return fails(MEMORY, ENOMEM, caller) || fails(STARVED, ENOMEM, caller);
}

static bool lacks_space(const void *caller)
{
    return fails(WRITE, ENOSPC, caller) || fails(FULL, ENOSPC, caller);
}

/* The number of bytes that a read or write gets: as many as it asked for, or half of them. */
static size_t allowed(size_t size, const void *caller)
{
    return size > 1 && is_the_one(PARTIAL, caller) ? size / 2 : size;
}

/* ------------------------------------------------------------------- blocks in use */

/* Addresses of blocks that were taken since main began: a hash table with linear probing. */
enum { SLOTS = 1 << 18 };
static uintptr_t live[SLOTS];
static void *taken_by[SLOTS];
static int64_t live_count;
static char live_lock;

static void lock(void)
{
    while (__atomic_test_and_set(&live_lock, __ATOMIC_ACQUIRE))
        ;
}

static void unlock(void)
{
    __atomic_clear(&live_lock, __ATOMIC_RELEASE);
}

static size_t home(uintptr_t block)
{
    return (size_t)((block >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % SLOTS;
}

static void *remember(void *block, const void *caller)
{
    if (!block || wanted == KINDS || is_left_alone(caller) || live_count >= SLOTS / 2)
        return block;
    lock();
    size_t i = home((uintptr_t)block);
    while (live[i])
        i = (i + 1) % SLOTS;
    live[i] = (uintptr_t)block;
    taken_by[i] = (void *)(uintptr_t)caller;
    live_count++;
    unlock();
    return block;
}

/* Later entries of its run move up to close the gap. */
static void close_gap(size_t i)
{
    for (size_t j = (i + 1) % SLOTS; live[j]; j = (j + 1) % SLOTS)
        if ((j - home(live[j])) % SLOTS >= (j - i) % SLOTS) {
            live[i] = live[j];
            taken_by[i] = taken_by[j];
            i = j;
        }
    live[i] = 0;
}

static void forget(const void *block)
{
    if (!block || wanted == KINDS)
        return;
    lock();
    size_t i = home((uintptr_t)block);
    while (live[i] && live[i] != (uintptr_t)block)
        i = (i + 1) % SLOTS;
    if (live[i]) {
        live_count--;
        close_gap(i);
    }
    unlock();
}

/* Adds who took the blocks that are left. */
static void write_live(void)
{
    for (size_t i = 0; trace >= 0 && i < SLOTS; i++)
        if (live[i])
            backtrace_symbols_fd(&taken_by[i], 1, trace);
}

/* --------------------------------------------------------------------- the beginning */

typedef int main_function(int, char **, char **);
static main_function *real_main;

/* A file of this size in memory, or NULL. */
static void *map_file(const char *name, size_t size)
{
    const int fd = name ? open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (fd < 0)
        return NULL;
    void *map = ftruncate(fd, (off_t)size) == 0
                    ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                    : MAP_FAILED;
    close(fd);
    return map == MAP_FAILED ? NULL : map;
}

static void begin(void)
{
    const char *name = getenv("INJECT_KIND"), *at = getenv("INJECT_AT");
    const char *program = getenv("INJECT_PROGRAM"), *count = getenv("INJECT_COUNT");
    const char *trace_name = getenv("INJECT_TRACE");
    kind k = 0;
    no_nameless = getenv("INJECT_NAMED") != NULL;
    if (!name || strcmp(program ? program : "specreg", program_invocation_short_name) != 0)
        return;
    while (k < KINDS && strcmp(name, kind_names[k]) != 0)
        k++;
    fail_at = at ? atoll(at) : 0;
    counts *map = map_file(count, sizeof *seen);
    seen = map ? map : &nowhere;
    ways = map_file(getenv("INJECT_WAYS"), MOST_WAYS * sizeof *ways);
    if (program && strcmp(program, "specreg") != 0)
        trace_name = NULL; /* a helper may have no right to write files */
    trace = trace_name ? open(trace_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    *seen = (counts){.live = -1};
    wanted = k;
}

static void put_in_place(int fd, const char *path)
{
    const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || dup2(file, fd) != fd)
        _exit(99);
    close(file);
}

/* What a child does before main. */
static void become(const char *folder, const char *name, const char *at, const char *program)
{
    char path[4096];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv("INJECT_KIND", name, 1);
    setenv("INJECT_AT", at, 1);
    setenv("INJECT_PROGRAM", program, 1);
    put_in_place(STDIN_FILENO, "/dev/null");
    snprintf(path, sizeof path, "%s/out", folder);
    put_in_place(STDOUT_FILENO, path);
    snprintf(path, sizeof path, "%s/err", folder);
    put_in_place(STDERR_FILENO, path);
    alarm(getenv("INJECT_SECONDS") ? (unsigned)atoi(getenv("INJECT_SECONDS")) : 30);
}

/* Loading a program takes longer than most of its runs here.  With INJECT_SERVE=FOLDER a process
 * waits before main for lines "KIND N PROGRAM" on standard input, one at a time, runs main for each
 * in a child of its own and answers with the child's status.  The child's streams are files in
 * FOLDER; the streams of the C library are not used here, so that main finds them new. */
static void serve(const char *folder)
{
    char line[256], name[64], at[32], program[64];
    for (ssize_t n; (n = read(STDIN_FILENO, line, sizeof line - 1)) > 0;) {
        int status = 0;
        line[n] = '\0';
        if (sscanf(line, "%63s %31s %63s", name, at, program) != 3)
            break;
        const pid_t child = fork();
        if (child == 0) {
            become(folder, name, at, program);
            return;
        }
        waitpid(child, &status, 0);
        n = snprintf(line, sizeof line, "%d\n", status);
        if (write(STDOUT_FILENO, line, (size_t)n) != n)
            break;
    }
    _exit(0);
}

static int our_main(int argc, char **argv, char **env)
{
    void *frame[2];
    const char *folder = getenv("INJECT_SERVE");
    (void)backtrace(frame, 2); /* loads what it needs */
    dl_iterate_phdr(find_left_alone, NULL);
    if (folder) {
        unsetenv("INJECT_SERVE"); /* the program's own children do not wait */
        serve(folder);
    }
    begin();
    const int rc = real_main(argc, argv, env);
    seen->live = live_count;
    if (live_count > 0)
        write_live();
    return rc;
}

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    int (*next)(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void),
                void *);
    *(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    return next(our_main, argc, argv, init, fini, rtld_fini, stack_end);
}

/* ---------------------------------------------------------------------------- memory */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

void *malloc(size_t size)
{
    return lacks_memory(CALLER) ? NULL : remember(__libc_malloc(size), CALLER);
}

void *calloc(size_t count, size_t size)
{
    return lacks_memory(CALLER) ? NULL : remember(__libc_calloc(count, size), CALLER);
}

void *realloc(void *old, size_t size)
{
    if (lacks_memory(CALLER))
        return NULL;
    forget(old);
    void *block = __libc_realloc(old, size);
    return remember(block || size == 0 ? block : old, CALLER) == block ? block : NULL;
}

void *memalign(size_t alignment, size_t size)
{
    return lacks_memory(CALLER) ? NULL : remember(__libc_memalign(alignment, size), CALLER);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return lacks_memory(CALLER) ? NULL : remember(__libc_memalign(alignment, size), CALLER);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (lacks_memory(CALLER))
        return ENOMEM;
    void *block = remember(__libc_memalign(alignment, size), CALLER);
    if (block)
        *out = block;
    return block ? 0 : ENOMEM;
}

void free(void *block)
{
    forget(block);
    __libc_free(block);
}

/* ----------------------------------------------------------------------- other calls */

/* NEXT(type, name, arguments): the function that this one stands before, as `next`. */
#define NEXT(type, name, ...)         \
    static type (*next)(__VA_ARGS__); \
    if (!next)                        \
    *(void **)&next = dlsym(RTLD_NEXT, #name)

/* Not every file system has files without a name. */
static bool refuses_nameless(int flags)
{
    const bool now = no_nameless && (flags & O_TMPFILE) == O_TMPFILE;
    if (now)
        errno = EOPNOTSUPP;
    return now;
}

/* The mode is passed on whether or not there is one. */
#define OPEN_FUNCTION(name)                                                                      \
    int name(const char *path, int flags, ...);                                                  \
    int name(const char *path, int flags, ...)                                                   \
    {                                                                                            \
        NEXT(int, name, const char *, int, ...);                                                 \
        va_list rest;                                                                            \
        va_start(rest, flags);                                                                   \
        const unsigned mode = va_arg(rest, unsigned);                                            \
        va_end(rest);                                                                            \
        return refuses_nameless(flags) || fails(OPEN, EMFILE, CALLER) ? -1                       \
                                                                      : next(path, flags, mode); \
    }

#define OPENAT_FUNCTION(name)                                         \
    int name(int folder, const char *path, int flags, ...);           \
    int name(int folder, const char *path, int flags, ...)            \
    {                                                                 \
        NEXT(int, name, int, const char *, int, ...);                 \
        va_list rest;                                                 \
        va_start(rest, flags);                                        \
        const unsigned mode = va_arg(rest, unsigned);                 \
        va_end(rest);                                                 \
        return refuses_nameless(flags) || fails(OPEN, EMFILE, CALLER) \
                   ? -1                                               \
                   : next(folder, path, flags, mode);                 \
    }

#define FOPEN_FUNCTION(name)                                          \
    FILE *name(const char *path, const char *mode);                   \
    FILE *name(const char *path, const char *mode)                    \
    {                                                                 \
        NEXT(FILE *, name, const char *, const char *);               \
        return fails(OPEN, EMFILE, CALLER) ? NULL : next(path, mode); \
    }

OPEN_FUNCTION(open)
OPEN_FUNCTION(open64)
OPEN_FUNCTION(__open_2)
OPEN_FUNCTION(__open64_2)
OPENAT_FUNCTION(openat)
OPENAT_FUNCTION(openat64)
OPENAT_FUNCTION(__openat_2)
OPENAT_FUNCTION(__openat64_2)
FOPEN_FUNCTION(fopen)
FOPEN_FUNCTION(fopen64)

DIR *opendir(const char *path)
{
    NEXT(DIR *, opendir, const char *);
    return fails(OPEN, EMFILE, CALLER) ? NULL : next(path);
}

/* READS(arguments, call): a read of `size` bytes; the checked variants know the buffer's size. */
#define READS(name, parameters, arguments, ...)                          \
    ssize_t name parameters;                                             \
    ssize_t name parameters                                              \
    {                                                                    \
        NEXT(ssize_t, name, __VA_ARGS__);                                \
        if (fails(READ, EIO, CALLER) || fails(INTERRUPT, EINTR, CALLER)) \
            return -1;                                                   \
        size = allowed(size, CALLER);                                    \
        return next arguments;                                           \
    }

READS(read, (int fd, void *to, size_t size), (fd, to, size), int, void *, size_t)
READS(__read_chk, (int fd, void *to, size_t size, size_t room), (fd, to, size, room), int, void *,
      size_t, size_t)
READS(pread, (int fd, void *to, size_t size, off_t at), (fd, to, size, at), int, void *, size_t,
      off_t)
READS(pread64, (int fd, void *to, size_t size, off_t at), (fd, to, size, at), int, void *, size_t,
      off_t)
READS(recv, (int fd, void *to, size_t size, int flags), (fd, to, size, flags), int, void *, size_t,
      int)
READS(__recv_chk, (int fd, void *to, size_t size, size_t room, int flags),
      (fd, to, size, room, flags), int, void *, size_t, size_t, int)

/* The mark by which ferror() knows. */
static void mark_error(FILE *stream)
{
    stream->_flags |= 0x20;
}

#define STREAM_READS(type, name, parameters, arguments, ...) \
    type name parameters;                                    \
    type name parameters                                     \
    {                                                        \
        NEXT(type, name, __VA_ARGS__);                       \
        if (fails(READ, EIO, CALLER)) {                      \
            mark_error(stream);                              \
            return 0;                                        \
        }                                                    \
        return next arguments;                               \
    }

STREAM_READS(size_t, fread, (void *to, size_t size, size_t count, FILE *stream),
             (to, size, count, stream), void *, size_t, size_t, FILE *)
STREAM_READS(size_t, __fread_chk, (void *to, size_t room, size_t size, size_t count, FILE *stream),
             (to, room, size, count, stream), void *, size_t, size_t, size_t, FILE *)
STREAM_READS(char *, fgets, (char *to, int size, FILE *stream), (to, size, stream), char *, int,
             FILE *)
STREAM_READS(char *, __fgets_chk, (char *to, size_t room, int size, FILE *stream),
             (to, room, size, stream), char *, size_t, int, FILE *)

#define WRITES(name, parameters, arguments, ...)                    \
    ssize_t name parameters                                         \
    {                                                               \
        NEXT(ssize_t, name, __VA_ARGS__);                           \
        if (lacks_space(CALLER) || fails(INTERRUPT, EINTR, CALLER)) \
            return -1;                                              \
        size = allowed(size, CALLER);                               \
        return next arguments;                                      \
    }

WRITES(write, (int fd, const void *from, size_t size), (fd, from, size), int, const void *, size_t)
WRITES(pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at), int,
       const void *, size_t, off_t)
WRITES(send, (int fd, const void *from, size_t size, int flags), (fd, from, size, flags), int,
       const void *, size_t, int)

/* What the streams of the C library write cannot be met elsewhere. */
int fflush(FILE *stream)
{
    NEXT(int, fflush, FILE *);
    return stream && lacks_space(CALLER) ? EOF : next(stream);
}

int fsync(int fd)
{
    NEXT(int, fsync, int);
    return fails(SYNC, EIO, CALLER) ? -1 : next(fd);
}

int fdatasync(int fd)
{
    NEXT(int, fdatasync, int);
    return fails(SYNC, EIO, CALLER) ? -1 : next(fd);
}

int rename(const char *from, const char *to)
{
    NEXT(int, rename, const char *, const char *);
    return fails(RENAME, EIO, CALLER) ? -1 : next(from, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    NEXT(int, linkat, int, const char *, int, const char *, int);
    return fails(RENAME, ENOSPC, CALLER) ? -1 : next(from_folder, from, to_folder, to, flags);
}

int ftruncate(int fd, off_t size)
{
    NEXT(int, ftruncate, int, off_t);
    return fails(RENAME, EIO, CALLER) ? -1 : next(fd, size);
}

int posix_spawn(pid_t *id, const char *path, const posix_spawn_file_actions_t *files,
                const posix_spawnattr_t *how, char *const argv[], char *const env[])
{
    NEXT(int, posix_spawn, pid_t *, const char *, const posix_spawn_file_actions_t *,
         const posix_spawnattr_t *, char *const[], char *const[]);
    return is_the_one(START, CALLER) ? EAGAIN : next(id, path, files, how, argv, env);
}

int socketpair(int domain, int type, int protocol, int pair[2])
{
    NEXT(int, socketpair, int, int, int, int[2]);
    return fails(START, EMFILE, CALLER) ? -1 : next(domain, type, protocol, pair);
}
