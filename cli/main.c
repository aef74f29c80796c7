/* specreg: the command.  One table of commands; everything else hangs on it. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static const cli_command *const commands[] = {
    &cli_cmd_fit,     &cli_cmd_predict,  &cli_cmd_eval,       &cli_cmd_path,
    &cli_cmd_cv,      &cli_cmd_spectrum, &cli_cmd_plan,       &cli_cmd_features,
    &cli_cmd_convert, &cli_cmd_info,     &cli_cmd_experiment, &cli_cmd_help,
};

const cli_command *cli_command_at(int index)
{
    const int count = (int)(sizeof commands / sizeof *commands);
    return index >= 0 && index < count ? commands[index] : NULL;
}

const cli_command *cli_command_find(const char *name)
{
    const cli_command *command;
    for (int i = 0; (command = cli_command_at(i)); i++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

/* With a standard stream closed, the next file opened would take its place and be written into.
 * Reading or writing the stand-in fails, as it should. */
static void fill_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) == -1)
            _exit(CLI_FAILED);
}

static bool goes_to_stdout(const cli *c, cli_option_id id)
{
    const char *path = c->value[id];
    return path && (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0);
}

static int run_command(cli *c, int argc, char **argv)
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

static int with_library(const cli_command *command, int argc, char **argv)
{
    cli c = {.command = command};
    int rc = CLI_FAILED;
    if (specreg_context_new(&c.ctx) != SPECREG_OK)
        return cli_fail(CLI_FAILED, "out of memory");
    rc = cli_check(&c, specreg_options_new(c.ctx, &c.options));
    if (!rc)
        rc = run_command(&c, argc, argv);
    specreg_options_free(c.options);
    specreg_context_free(c.ctx);
    return rc;
}

/* Threads that wait for each other spin for a while first.  GNU OpenMP's default is so long that on
 * a busy machine they take each other's processor, and a fit takes ten times as long and more.  The
 * setting is read when the program is loaded: hence once more from the start, unless the user has
 * set it. */
static void wait_with_patience(char **argv)
{
    if (getenv("GOMP_SPINCOUNT") || getenv("OMP_WAIT_POLICY"))
        return;
    if (setenv("GOMP_SPINCOUNT", "1000", 1) == 0)
        execv("/proc/self/exe", argv); /* where that is not possible, it goes on as it is */
}

static int print_version(void)
{
    printf("specreg %s\n", SPECREG_VERSION);
    if (strcmp(specreg_version(), SPECREG_VERSION) != 0)
        printf("libspecreg %s\n", specreg_version());
    return CLI_OK;
}

static int dispatch(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : NULL;
    if (!first)
        return cli_fail(CLI_USAGE, "no command given (see 'specreg help')");
    if (strcmp(first, "--version") == 0)
        return print_version();
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
        return cli_print_help(NULL);
    if (first[0] == '-')
        return cli_fail(CLI_USAGE,
                        "unknown option '%s' (options come after the command; "
                        "see 'specreg help')",
                        first);
    const cli_command *command = cli_command_find(first);
    if (!command)
        return cli_unknown_command(first);
    if (command->scope & (SPECREG_FOR_FIT | SPECREG_FOR_PREDICT))
        wait_with_patience(argv);
    return with_library(command, argc - 2, argv + 2);
}

/* No setlocale(): numbers are written and read with a point, whatever the user's language. */
int main(int argc, char **argv)
{
    static char buffer[1 << 16]; /* stdout's, which is flushed after main */
    fill_standard_streams();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe, and a file over its limit, are errors of write(2) */
    signal(SIGXFSZ, SIG_IGN);
    /* Only the last write tells why it failed, and help is longer than the usual buffer. */
    if (!isatty(STDOUT_FILENO))
        setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    const int rc = dispatch(argc, argv);
    return rc ? rc : cli_finish_stdout();
}
