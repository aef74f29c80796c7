/* --help: a command's tables, wrapped for a terminal. */
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum { WIDTH = 79, INDENT = 8 };

/* Prints `text` in lines of at most WIDTH, all but the first indented; `column` is where the first
 * begins.  Paragraphs are divided by an empty line. */
static void wrap(const char *text, int indent, int column)
{
    while (*text) {
        const size_t length = strcspn(text, " \n");
        if (column > indent && column + 1 + (int)length > WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)length, text);
        column += (int)length;
        text += length;
        if (strncmp(text, "\n\n", 2) == 0) {
            printf("\n\n%*s", indent, "");
            column = indent;
            text += 2;
        } else if (*text) {
            text++;
        }
    }
    putchar('\n');
}

/* -------------------------------------------------------------------------- groups */

/* The library's options by name, between blanks; what is in none of the lists, and is the command's
 * own, is about output. */
static const struct {
    const char *title, *options;
} groups[] =
    {{"Data",
      " target problem text text-column labels group drop columns id task-column weights "
      "class-weight unlabelled missing unseen dates missing-targets categorical header delimiter "
      "decimal encoding format features-file max-expansion test apply "},
     {"Model", " kernel filter features outputs coding scale laplacian task-weight kpca nystrom "
               "plsa approx centres "},
     {"Search", " param select rule criterion search extend checkpoint outer time "},
     {"Output", " proba interval top-k top-words parts repeats points surface "},
     {"Machine", " engine calibrate seed threads linalg precision memory device "}};
enum { GROUPS = sizeof groups / sizeof *groups, OUTPUT = 3, MACHINE };

const char *cli_group_title(int group)
{
    return group < GROUPS ? groups[group].title : NULL;
}

int cli_group_of(const cli_option_view *option)
{
    char *name = cli_format(" %s ", option->name);
    int group = 0;
    while (group < GROUPS && !strstr(groups[group].options, name))
        group++;
    free(name);
    return group < GROUPS ? group : option->id >= 0 ? OUTPUT : MACHINE;
}

bool cli_group_is_empty(const cli_command *command, int group)
{
    cli_option_view o;
    for (int i = 0; cli_option_nth(command, i, &o); i++)
        if (cli_group_of(&o) == group)
            return false;
    return true;
}

/* The length of the sentences of a help that fit two lines with what follows them; at least one. */
static size_t brief_length(const char *help, size_t more)
{
    const size_t room = 2 * (WIDTH - INDENT) - 8; /* lines break at words */
    size_t length = strlen(help);
    for (const char *end = strstr(help, ". "); end; end = strstr(end + 1, ". "))
        if ((size_t)(end - help) + 1 + more <= room && strlen(help) + more > room)
            length = (size_t)(end - help) + 1;
    if (length + more > room && strstr(help, ". "))
        length = (size_t)(strstr(help, ". ") - help) + 1;
    return length;
}

/* Whether all of the help was printed. */
static bool print_option(const cli_option_view *o)
{
    printf("  ");
    if (o->letter)
        printf("-%c, ", o->letter);
    printf("--%s%s%s\n%*s", o->name, *o->argument ? " " : "", o->argument, INDENT, "");
    const char *value = o->default_value ? o->default_value : "";
    const int length = (int)brief_length(o->help, strlen(value) + 3);
    char *text = *value ? cli_format("%.*s [%s]", length, o->help, value)
                        : cli_format("%.*s", length, o->help);
    wrap(text, INDENT, INDENT);
    free(text);
    return !o->help[length];
}

static void print_examples(const char *examples)
{
    if (!examples)
        return;
    puts("\nExamples:");
    while (*examples) {
        const size_t length = strcspn(examples, "\n");
        printf("  %.*s\n", (int)length, examples);
        examples += length + (examples[length] == '\n');
    }
}

static int print_overview(void)
{
    const cli_command *command;
    puts("usage: specreg COMMAND [OPTIONS] FILES\n\n"
         "Learning by spectral regularization: kernel methods for regression and\n"
         "classification, with parameters chosen automatically.\n\n"
         "Commands:");
    for (int i = 0; (command = cli_command_at(i)); i++)
        printf("  %-12s%s\n", command->name, command->brief);
    puts("\n'specreg help COMMAND' tells more; 'specreg --version' prints the version.");
    return CLI_OK;
}

int cli_print_help(const cli_command *command)
{
    cli_option_view o;
    bool whole = true;
    if (!command)
        return print_overview();
    printf("usage: specreg %s %s\n\n", command->name, command->synopsis);
    wrap(command->description, 0, 0);
    for (int g = 0; g < GROUPS; g++) {
        if (cli_group_is_empty(command, g))
            continue;
        printf("\n%s:\n", groups[g].title);
        for (int i = 0; cli_option_nth(command, i, &o); i++)
            if (cli_group_of(&o) == g)
                whole &= print_option(&o);
    }
    if (!whole)
        printf("\nDefault values are in []; 'man specreg-%s' says more of each option.\n",
               command->name);
    print_examples(command->examples);
    return CLI_OK;
}
