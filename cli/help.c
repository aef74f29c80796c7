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

static void print_option(const cli_option_view *o)
{
    printf("  ");
    if (o->letter)
        printf("-%c, ", o->letter);
    printf("--%s%s%s\n%*s", o->name, *o->argument ? " " : "", o->argument, INDENT, "");
    char *text = o->default_value && *o->default_value
                     ? cli_format("%s [%s]", o->help, o->default_value)
                     : cli_format("%s", o->help);
    wrap(text, INDENT, INDENT);
    free(text);
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
    if (!command)
        return print_overview();
    printf("usage: specreg %s %s\n\n", command->name, command->synopsis);
    wrap(command->description, 0, 0);
    puts("\nOptions, with their default values in []:");
    for (int i = 0; cli_option_nth(command, i, &o); i++)
        print_option(&o);
    print_examples(command->examples);
    return CLI_OK;
}
