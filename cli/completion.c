/* help --completion SHELL: a script made from the same tables as --help. */
#include <ctype.h>
#include <string.h>

#include "cli.h"

/* The help of --kernel and --filter begins with the list of names: "linear, poly:degree=3,coef0=1,
 * rbf:sigma=, ...; more" or ". More".  Prints the names, without their parameters. */
static void print_choices(const char *help)
{
    while (*help) {
        const char *next = strstr(help, ", ");
        const size_t name = strspn(help, "abcdefghijklmnopqrstuvwxyz_0123456789");
        const size_t item = strcspn(help, " ;");
        if (name == 0)
            return;
        printf(" %.*s", (int)name, help);
        if (!next || item != (size_t)(next - help) + 1)
            return; /* the last of the list: something other than ", " follows */
        help = next + 2;
    }
}

static void print_choices_of(const char *option)
{
    const specreg_option_info *info;
    for (int i = 0; (info = specreg_option_at(i)); i++)
        if (strcmp(info->name, option) == 0)
            print_choices(info->help);
}

static void print_commands(void)
{
    const cli_command *command;
    for (int i = 0; (command = cli_command_at(i)); i++)
        printf(" %s", command->name);
}

/* The options of another program are those in its --help: bash asks it. */
static void print_question(const char *command)
{
    printf("        %s) words=$(\"${COMP_WORDS[0]}\" %s --help 2>/dev/null |\n"
           "            sed -n 's/^  \\(-., \\)\\{0,1\\}\\(--[a-z-]*\\).*/\\2/p') ;;\n",
           command, command);
}

static void print_options(const cli_command *command)
{
    cli_option_view o;
    if (command->hand_over) {
        print_question(command->name);
        return;
    }
    printf("        %s) words=\"", command->name);
    for (int i = 0; cli_option_nth(command, i, &o); i++) {
        printf(" --%s", o.name);
        if (o.letter)
            printf(" -%c", o.letter);
    }
    puts("\" ;;");
}

static void print_bash(void)
{
    const cli_command *command;
    puts("# bash completion of specreg; to load it: source <(specreg help --completion bash)\n"
         "_specreg() {\n"
         "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
         "    COMPREPLY=()\n"
         "    # bash cuts words at '=': --kernel=rb comes as --kernel, =, rb\n"
         "    if [[ $cur == = ]]; then cur=\n"
         "    elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}\n"
         "    fi");
    printf("    if (( COMP_CWORD == 1 )); then words=\"");
    print_commands();
    puts(" --help --version\"");
    printf("    elif [[ $prev == --kernel ]]; then words=\"");
    print_choices_of("kernel");
    printf("\"\n    elif [[ $prev == --filter ]]; then words=\"");
    print_choices_of("filter");
    puts("\"\n    elif [[ $cur == -* ]]; then case ${COMP_WORDS[1]} in");
    for (int i = 0; (command = cli_command_at(i)); i++)
        print_options(command);
    printf("    esac\n"
           "    elif [[ ${COMP_WORDS[1]} == help ]]; then words=\"");
    print_commands();
    puts("\"\n"
         "    elif [[ ${COMP_WORDS[1]} == experiment ]]; then\n"
         "        words=$(\"${COMP_WORDS[0]}\" experiment list --quiet 2>/dev/null)\n"
         "    fi\n"
         "    # nothing to offer: file names, by -o default\n"
         "    [[ -n $words ]] && COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "}\n"
         "complete -o default -F _specreg specreg");
}

/* ------------------------------------------------------------------------ zsh and fish */

/* The first sentence of a help, without the characters that have a meaning to the shells. */
static void print_brief(const char *help)
{
    const char *end = strstr(help, ". ");
    const size_t length = end ? (size_t)(end - help) : strlen(help);
    for (size_t i = 0; i < length; i++)
        putchar(strchr("'\"[]:\\`$", help[i]) ? ' ' : help[i]);
}

static bool has_choices(const char *option)
{
    return strcmp(option, "kernel") == 0 || strcmp(option, "filter") == 0;
}

/* '--kernel=[the help]:SPEC:( rbf ...)': what _arguments takes */
static void print_zsh_option(const cli_option_view *o)
{
    printf(" \\\n            '--%s%s[", o->name, *o->argument ? "=" : "");
    print_brief(o->help);
    putchar(']');
    if (*o->argument) {
        printf(": :");
        if (has_choices(o->name)) {
            putchar('(');
            print_choices_of(o->name);
            putchar(')');
        } else {
            printf("_files");
        }
    }
    putchar('\'');
}

static void print_zsh(void)
{
    const cli_command *command;
    cli_option_view o;
    puts("#compdef specreg\n"
         "# zsh completion of specreg, as the file _specreg in a folder of $fpath\n"
         "_specreg() {\n"
         "    local -a commands\n"
         "    commands=(");
    for (int i = 0; (command = cli_command_at(i)); i++) {
        printf("        '%s:", command->name);
        print_brief(command->brief);
        puts("'");
    }
    puts("    )\n"
         "    if (( CURRENT == 2 )); then\n"
         "        _describe command commands\n"
         "        return\n"
         "    fi\n"
         "    local command=$words[2]\n"
         "    shift words\n"
         "    (( CURRENT-- ))\n"
         "    case $command in");
    for (int i = 0; (command = cli_command_at(i)); i++) {
        printf("    %s)\n        _arguments", command->name);
        for (int k = 0; cli_option_nth(command, k, &o); k++)
            print_zsh_option(&o);
        puts(" \\\n            '*: :_files' ;;");
    }
    puts("    esac\n"
         "}\n"
         "_specreg \"$@\"");
}

static void print_fish_option(const char *command, const cli_option_view *o)
{
    printf("complete -c specreg -n '__fish_seen_subcommand_from %s' -l %s", command, o->name);
    if (o->letter)
        printf(" -s %c", o->letter);
    if (has_choices(o->name)) {
        printf(" -x -a '");
        print_choices_of(o->name);
        putchar('\'');
    } else if (*o->argument) {
        printf(" -r");
    }
    printf(" -d '");
    print_brief(o->help);
    puts("'");
}

static void print_fish(void)
{
    const cli_command *command;
    cli_option_view o;
    puts("# fish completion of specreg; to load it: specreg help --completion fish | source");
    for (int i = 0; (command = cli_command_at(i)); i++) {
        printf("complete -c specreg -f -n __fish_use_subcommand -a %s -d '", command->name);
        print_brief(command->brief);
        puts("'");
        for (int k = 0; cli_option_nth(command, k, &o); k++)
            print_fish_option(command->name, &o);
    }
}

int cli_print_completion(const cli *c, const char *shell)
{
    static const struct {
        const char *shell;
        void (*print)(void);
    } known[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(shell, known[i].shell) == 0) {
            known[i].print();
            return CLI_OK;
        }
    return cli_usage(c, "no completion for '%s' (known: bash zsh fish)", shell);
}
