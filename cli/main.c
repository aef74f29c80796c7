/* specreg: the command.  One table of commands; everything else hangs on it. */
#include <string.h>

#include "cli.h"

static const cli_command *const commands[] = {
    &cli_cmd_fit,      &cli_cmd_predict,    &cli_cmd_eval,    &cli_cmd_path,   &cli_cmd_cv,
    &cli_cmd_spectrum, &cli_cmd_importance, &cli_cmd_partial, &cli_cmd_plan,   &cli_cmd_features,
    &cli_cmd_sums,     &cli_cmd_convert,    &cli_cmd_export,  &cli_cmd_report, &cli_cmd_info,
    &cli_cmd_filters,  &cli_cmd_experiment, &cli_cmd_help,
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
    if (command->hand_over)
        return command->hand_over(argv + 2);
    if (command->scope & (SPECREG_FOR_FIT | SPECREG_FOR_PREDICT))
        cli_set_thread_waiting(argv);
    return cli_run(command, argc - 2, argv + 2);
}

int main(int argc, char **argv)
{
    return cli_main(argc, argv, dispatch);
}
