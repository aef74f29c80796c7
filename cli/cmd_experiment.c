/* specreg experiment: starts specreg-experiments, which is built beside this command and not
 * installed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* The path of this program, or NULL where /proc does not tell. */
static char *own_path(void)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return length > 0 && length < (ssize_t)sizeof path ? cli_format("%.*s", (int)length, path)
                                                       : NULL;
}

/* The program that the user names, else the one in this command's folder; NULL: there is none. */
static char *find_program(void)
{
    const char *named = getenv("SPECREG_EXPERIMENTS");
    if (named && *named)
        return cli_format("%s", named);
    char *own = own_path(), *beside = NULL;
    if (own)
        beside = cli_format("%.*s/specreg-experiments", (int)(strrchr(own, '/') - own), own);
    if (beside && access(beside, X_OK) != 0) {
        free(beside);
        beside = NULL;
    }
    free(own);
    return beside;
}

static bool asks_for_help(char **arguments)
{
    for (; *arguments; arguments++)
        if (strcmp(*arguments, "--help") == 0 || strcmp(*arguments, "-h") == 0)
            return true;
    return false;
}

/* Returns only if the program cannot be started. */
static int start(char *program, char **arguments)
{
    int count = 0;
    while (arguments[count])
        count++;
    char **argv = cli_alloc((size_t)count + 2, sizeof *argv);
    argv[0] = program;
    memcpy(argv + 1, arguments, (size_t)count * sizeof *argv);
    execv(program, argv);
    const int rc = cli_fail(CLI_FAILED, "%s: cannot start it: %s", program, strerror(errno));
    free(argv);
    return rc;
}

static int hand_over(char **arguments)
{
    char *program = find_program();
    if (program) {
        const int rc = start(program, arguments);
        free(program);
        return rc;
    }
    if (asks_for_help(arguments))
        return cli_print_help(&cli_cmd_experiment);
    return cli_fail(CLI_FAILED,
                    "experiment: specreg-experiments is not installed; 'make' in the source tree "
                    "builds build/specreg-experiments: run build/specreg experiment there, or set "
                    "SPECREG_EXPERIMENTS to that program");
}

/* What the program takes is said here too, for messages such as "it is an option of ...". */
static const char *const without[] = {"text", "text-column", NULL};

const cli_command cli_cmd_experiment = {
    .name = "experiment",
    .synopsis = "[OPTIONS] NAME",
    .brief = "run an experiment of the papers beside the published numbers",
    .description =
        "Runs specreg-experiments, a program of its own: 'make' in the source tree builds it as "
        "build/specreg-experiments, and it is not installed. It is looked for where "
        "$SPECREG_EXPERIMENTS says, else in the folder of this command. Where it is found, "
        "specreg experiment list names the experiments, and specreg experiment --help tells more "
        "and has all options.",
    .examples = "specreg experiment list\n"
                "specreg experiment --help\n"
                "specreg experiment trend",
    .scope = SPECREG_FOR_FIT,
    .without = without,
    .bare = true,
    .hand_over = hand_over,
};
