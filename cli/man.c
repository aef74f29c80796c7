/* help --man: manual pages in roff, from the same tables as --help. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* What roff would take for its own, or NULL for a plain character. */
static const char *escape(char character)
{
    static const struct {
        char character;
        const char *text;
    } table[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"},
                 {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].character == character)
            return table[i].text;
    return NULL;
}

/* Prints text; an empty line begins a paragraph, and no line begins with a control character. */
static void roff(const char *text)
{
    bool line_begins = true;
    for (; *text; text++) {
        if (strncmp(text, "\n\n", 2) == 0) {
            fputs("\n.PP", stdout);
            continue;
        }
        const char *escaped = escape(*text);
        if (line_begins && *text == '.')
            fputs("\\&", stdout);
        if (escaped)
            fputs(escaped, stdout);
        else
            putchar(*text);
        line_begins = *text == '\n';
    }
}

static void section(const char *name)
{
    printf(".SH %s\n", name);
}

static void print_title(const cli_command *command)
{
    printf(".TH SPECREG");
    if (command) {
        printf("\\-");
        for (const char *s = command->name; *s; s++)
            putchar(toupper((unsigned char)*s));
    }
    printf(" 1 \"\" \"specreg %s\" \"specreg manual\"\n", SPECREG_VERSION);
}

static void print_option(const cli_option_view *o)
{
    puts(".TP");
    if (o->letter)
        printf("\\fB\\-%c\\fR, ", o->letter);
    printf("\\fB");
    char *name = cli_format("--%s", o->name);
    roff(name);
    free(name);
    printf("\\fR");
    if (*o->argument) {
        printf(" \\fI");
        roff(o->argument);
        printf("\\fR");
    }
    putchar('\n');
    roff(o->help);
    putchar('\n');
    if (o->default_value && *o->default_value) {
        printf("Default: ");
        roff(o->default_value);
        puts(".");
    }
}

static void print_examples(const char *examples)
{
    if (!examples)
        return;
    section("EXAMPLES");
    puts(".nf");
    roff(examples);
    puts("\n.fi");
}

static void print_exit_status(void)
{
    section("EXIT STATUS");
    puts(".TP\n0\nDone.\n"
         ".TP\n1\nThe data or a numerical failure prevented it; one line on standard error says "
         "where and what.\n"
         ".TP\n2\nWrong usage.\n"
         ".TP\n130\nStopped by Ctrl\\-C; nothing half\\-written is left behind.");
}

static void print_see_also(const cli_command *command)
{
    const cli_command *other;
    bool first = true;
    section("SEE ALSO");
    if (command) {
        printf(".BR specreg (1)");
        first = false;
    }
    for (int i = 0; (other = cli_command_at(i)); i++)
        if (other != command) {
            printf("%s.BR specreg\\-%s (1)", first ? "" : ",\n", other->name);
            first = false;
        }
    putchar('\n');
}

static void print_overview(void)
{
    const cli_command *command;
    section("NAME");
    puts("specreg \\- learning by spectral regularization");
    section("SYNOPSIS");
    puts(".B specreg\n.I COMMAND\n[\\fIOPTIONS\\fR] \\fIFILES\\fR");
    section("DESCRIPTION");
    puts("Kernel methods for regression and classification: a kernel, a spectral filter that "
         "regularizes, and automatic choice of the parameters of both.");
    puts(".PP\nData files are CSV or TSV, LIBSVM, NPY, NPZ or HDF5 (file.h5:/name), plain or "
         "compressed (.gz, .zst); \\- is standard input.");
    section("COMMANDS");
    for (int i = 0; (command = cli_command_at(i)); i++) {
        printf(".TP\n\\fBspecreg %s\\fR ", command->name);
        roff(command->synopsis);
        putchar('\n');
        roff(command->brief);
        putchar('\n');
    }
    section("OPTIONS");
    puts(".TP\n\\fB\\-\\-version\\fR\nPrint the version.\n"
         ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nPrint a short help; after a command, its own.\n"
         ".PP\nThe options of a command are in its own manual page.");
    print_examples("specreg fit train.csv -o model.srm\n"
                   "specreg eval model.srm test.csv\n"
                   "specreg predict model.srm new.csv > predicted.csv");
}

static void print_page(const cli_command *command)
{
    cli_option_view o;
    section("NAME");
    printf("specreg\\-%s \\- ", command->name);
    roff(command->brief);
    putchar('\n');
    section("SYNOPSIS");
    printf(".B specreg %s\n", command->name);
    roff(command->synopsis);
    putchar('\n');
    section("DESCRIPTION");
    roff(command->description);
    putchar('\n');
    section("OPTIONS");
    for (int g = 0; cli_group_title(g); g++) {
        if (cli_group_is_empty(command, g))
            continue;
        printf(".SS %s\n", cli_group_title(g));
        for (int i = 0; cli_option_nth(command, i, &o); i++)
            if (cli_group_of(&o) == g)
                print_option(&o);
    }
    print_examples(command->examples);
}

int cli_print_man(const cli_command *command)
{
    print_title(command);
    if (command)
        print_page(command);
    else
        print_overview();
    print_exit_status();
    print_see_also(command);
    return CLI_OK;
}
