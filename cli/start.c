/* What a program does before and after a command: streams, signals, threads, the library. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common.h"

/* OpenBLAS takes address space for its buffers while it is loaded, and tries for ever where a limit
 * leaves too little.  This function runs before any library begins, so that the user learns why. */
#ifdef __GLIBC__
__attribute__((no_sanitize("address", "undefined", "thread"))) static void check_address_space(void)
{
    static const char text[] = "specreg: the limit on address space (ulimit -v) leaves less than "
                               "288 MiB, which the linear algebra library needs\n";
    const size_t needed = (size_t)288 << 20;
    void *block = mmap(NULL, needed, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) {
        (void)!write(STDERR_FILENO, text, sizeof text - 1);
        _exit(CLI_FAILED);
    }
    munmap(block, needed);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const before_libraries)(void) = check_address_space;
#endif

/* With a standard stream closed, the next file opened would take its place and be written into.
 * Reading or writing the stand-in fails, as it should. */
static void fill_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) == -1)
            _exit(CLI_FAILED);
}

/* Where memory is short, Jansson loses characters of the text that it reads or writes, and may
 * write beyond its buffer when it reads on: the program ends before that. */
static void *take_for_json(size_t size)
{
    void *block = malloc(size);
    if (!block) {
        cli_fail(CLI_FAILED, "out of memory");
        exit(CLI_FAILED);
    }
    return block;
}

/* No setlocale(): numbers are written and read with a point, whatever the user's language. */
int cli_main(int argc, char **argv, int (*dispatch)(int argc, char **argv))
{
    static char buffer[1 << 16]; /* stdout's, which is flushed after main */
    fill_standard_streams();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe, and a file over its limit, are errors of write(2) */
    signal(SIGXFSZ, SIG_IGN);
    /* Only the last write tells why it failed, and help is longer than the usual buffer. */
    if (!isatty(STDOUT_FILENO))
        setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    cli_protect_terminal();
    json_set_alloc_funcs(take_for_json, free);
    const int rc = dispatch(argc, argv);
    return rc ? rc : cli_finish_stdout();
}

/* Threads that wait for each other spin for a while first.  GNU OpenMP's default is so long that on
 * a busy computer they take each other's processor, and a fit takes ten times as long and more.
 * The setting is read when the program is loaded: hence once more from the start, unless the user
 * has set it. */
void cli_set_thread_waiting(char **argv)
{
    if (getenv("GOMP_SPINCOUNT") || getenv("OMP_WAIT_POLICY"))
        return;
    if (setenv("GOMP_SPINCOUNT", "1000", 1) == 0)
        execv("/proc/self/exe", argv); /* where that is not possible, it goes on as it is */
}

static bool goes_to_stdout(const cli *c, cli_option_id id)
{
    const char *path = c->value[id];
    return path && (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0);
}

static int parse_and_run(cli *c, int argc, char **argv)
{
    int rc = cli_parse(c, argc, argv);
    if (rc)
        return rc;
    if (c->value[CLI_HELP])
        return cli_print_help(c->command);
    c->show = !c->value[CLI_QUIET] && !goes_to_stdout(c, CLI_OUTPUT) &&
              !goes_to_stdout(c, CLI_JSON) && !goes_to_stdout(c, CLI_ROC) &&
              !goes_to_stdout(c, CLI_VOCABULARY) && !goes_to_stdout(c, CLI_CSV);
    rc = cli_check_outputs(c);
    if (rc)
        return rc;
    cli_progress_start(c);
    rc = c->command->run(c);
    cli_progress_clear();
    return rc;
}

int cli_run(const cli_command *command, int argc, char **argv)
{
    cli c = {.command = command};
    int rc = CLI_FAILED;
    if (specreg_context_new(&c.ctx) != SPECREG_OK)
        return cli_fail(CLI_FAILED, "out of memory");
    rc = cli_check(&c, specreg_options_new(c.ctx, &c.options));
    if (!rc)
        rc = parse_and_run(&c, argc, argv);
    if (rc == CLI_FAILED || rc == CLI_USAGE)
        cli_emit_failure(&c, rc);
    specreg_options_free(c.options);
    specreg_context_free(c.ctx);
    return rc;
}
