/* help --completion bash: a script made from the same tables as --help. */
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

int cli_print_completion(void)
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
    return CLI_OK;
}
