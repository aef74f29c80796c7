/* specreg help: for people, man and the shell. */
#include <string.h>

#include "cli.h"

static int print_command_names(void)
{
    const cli_command *command;
    for (int i = 0; (command = cli_command_at(i)); i++)
        puts(command->name);
    return CLI_OK;
}

static int print_help(const cli_command *about)
{
    char option[] = "--help", *arguments[] = {option, NULL};
    return about && about->hand_over ? about->hand_over(arguments) : cli_print_help(about);
}

static int run(cli *c)
{
    const cli_command *about = NULL;
    const char *shell = c->value[CLI_COMPLETION];
    if (c->n_files > 0) {
        about = cli_command_find(c->file[0]);
        if (!about)
            return cli_unknown_command(c->file[0]);
    }
    if (shell)
        return cli_print_completion(c, shell);
    if (c->value[CLI_COMMANDS])
        return print_command_names();
    return c->value[CLI_MAN] ? cli_print_man(about) : print_help(about);
}

static const cli_option options[] = {
    {CLI_COMMANDS, "commands", 0, "", "Only the names of the commands, one a line."},
    {CLI_MAN, "man", 0, "", "The manual page, for man -l."},
    {CLI_COMPLETION, "completion", 0, "SHELL", "Completion for a shell: bash, zsh or fish."},
    {0, NULL, 0, NULL, NULL},
};

const cli_command cli_cmd_help = {
    .name = "help",
    .files = {"COMMAND"},
    .optional = 1,
    .synopsis = "[OPTIONS] [COMMAND]",
    .brief = "print help, manual pages, shell completion",
    .description = "Prints an overview, or the help of a command; the same as specreg COMMAND "
                   "--help.",
    .examples = "specreg help fit\n"
                "specreg help --man fit | man -l -\n"
                "source <(specreg help --completion bash)",
    .options = options,
    .bare = true,
    .run = run,
};
