/* The options of a command as one list, and the parser over that list. */
#include <stdlib.h>
#include <string.h>

#include "common.h"

static const cli_option common[] = {
    {CLI_JSON, "json", 0, "FILE|-",
     "Write the full record as JSON; - is standard output, where an error is a record, too."},
    {CLI_QUIET, "quiet", 'q', "", "No summary."},
    {CLI_VERBOSE, "verbose", 'v', "", "Also print messages of the library."},
    {CLI_NO_PROGRESS, "no-progress", 0, "", "No progress bar; without a terminal there is none."},
    {CLI_HELP, "help", 'h', "", "Print this help."},
    {0, NULL, 0, NULL, NULL},
};
static const cli_option help_only[] = {
    {CLI_HELP, "help", 'h', "", "Print this help."},
    {0, NULL, 0, NULL, NULL},
};

static int table_length(const cli_option *table)
{
    int n = 0;
    while (table && table[n].name)
        n++;
    return n;
}

static cli_option_view view_of(const cli_option *o)
{
    return (cli_option_view){.name = o->name,
                             .argument = o->argument,
                             .help = o->help,
                             .letter = o->letter,
                             .id = o->id};
}

/* Whether a library option means something to the command. */
static bool takes(const cli_command *command, const specreg_option_info *info)
{
    if (!(info->scope & command->scope))
        return false;
    for (const char *const *name = command->without; name && *name; name++)
        if (strcmp(*name, info->name) == 0)
            return false;
    return true;
}

/* The library option number `index` among those that the command takes and parses itself. */
static const specreg_option_info *library_option(const cli_command *command, int index)
{
    const specreg_option_info *info;
    if (command->hand_over)
        return NULL;
    for (int i = 0; (info = specreg_option_at(i)); i++)
        if (takes(command, info) && index-- == 0)
            return info;
    return NULL;
}

bool cli_option_nth(const cli_command *command, int index, cli_option_view *out)
{
    const cli_option *rest = command->bare ? help_only : common;
    const int n_own = table_length(command->options), n_rest = table_length(rest);
    if (index < n_own) {
        *out = view_of(&command->options[index]);
        return true;
    }
    index -= n_own;
    const specreg_option_info *info = library_option(command, index);
    if (info) {
        *out = (cli_option_view){.name = info->name,
                                 .argument = info->argument,
                                 .help = info->help,
                                 .default_value = info->default_value,
                                 .id = -1};
        return true;
    }
    int n_library = 0;
    while (library_option(command, n_library))
        n_library++;
    index -= n_library;
    if (index >= n_rest)
        return false;
    *out = view_of(&rest[index]);
    return true;
}

/* ------------------------------------------------------------- the nearest name */

/* Levenshtein distance, one row at a time; names are short. */
static int edit_distance(const char *a, const char *b)
{
    enum { MAX = 32 };
    const int la = (int)strlen(a), lb = (int)strlen(b);
    int row[MAX + 1];
    if (la > MAX || lb > MAX)
        return MAX;
    for (int j = 0; j <= lb; j++)
        row[j] = j;
    for (int i = 1; i <= la; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= lb; j++) {
            const int substitute = diagonal + (a[i - 1] != b[j - 1]);
            const int shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = substitute < shorter ? substitute : shorter;
        }
    }
    return row[lb];
}

void cli_consider(const char *name, const char *candidate, const char **best, int *distance)
{
    const int d = edit_distance(name, candidate);
    const int length = (int)strlen(name), limit = length < 6 ? 2 : length / 3;
    if (d <= limit && d < (int)strlen(candidate) && (!*best || d < *distance)) {
        *best = candidate;
        *distance = d;
    }
}

int cli_unknown_command(const char *name)
{
    const char *best = NULL;
    int distance = 0;
    const cli_command *command;
    for (int i = 0; (command = cli_command_at(i)); i++)
        cli_consider(name, command->name, &best, &distance);
    if (best)
        return cli_fail(CLI_USAGE, "unknown command '%s' (did you mean '%s'?)", name, best);
    return cli_fail(CLI_USAGE, "unknown command '%s' (see 'specreg help')", name);
}

/* An option of the library that this command does not take: say who does. */
static bool belongs_elsewhere(const char *name, char **commands)
{
    const specreg_option_info *info;
    for (int i = 0; (info = specreg_option_at(i)); i++) {
        if (strcmp(info->name, name) != 0)
            continue;
        const cli_command *command;
        for (int k = 0; (command = cli_command_at(k)); k++)
            if (takes(command, info)) {
                char *longer = cli_format("%s%s%s", *commands ? *commands : "",
                                          *commands ? ", " : "", command->name);
                free(*commands);
                *commands = longer;
            }
        return *commands != NULL;
    }
    return false;
}

/* What options are called elsewhere, and how to say it here; NULL: no such name. */
static const char *said_here(const char *name)
{
    static const char *const names[][2] =
        {{"lambda", "--param lambda=0.1"},
         {"alpha", "--param lambda=0.1"},
         {"regularization", "--param lambda=0.1"},
         {"C", "--param lambda=0.1"},
         {"components", "--filter tsvd --param components=10"},
         {"iterations", "--filter nu --param t=1:100"},
         {"sigma", "--kernel rbf:sigma=1"},
         {"width", "--kernel rbf:sigma=1"},
         {"gamma", "--kernel rbf:gamma=0.5"},
         {"degree", "--kernel poly:degree=3"},
         {"cv", "--select kfold:k=5, or specreg cv for an honest error"},
         {"folds", "--select kfold:k=5"},
         {"kfold", "--select kfold:k=5"},
         {"loo", "--select loo"},
         {"metric", "--criterion NAME"},
         {"scoring", "--criterion NAME"},
         {"loss", "--criterion NAME"},
         {"task", "--problem regression or classification; --task-column COL names tasks"},
         {"out", "-o FILE"},
         {"save", "-o FILE"},
         {"random-state", "--seed N"},
         {"test-size", "--select holdout:fraction=0.3"},
         {"jobs", "--threads N"},
         {"n-jobs", "--threads N"},
         {"cores", "--threads N"},
         {"sep", "--delimiter CHAR"},
         {"normalize", "--scale standard"},
         {"standardize", "--scale standard"},
         {"intercept", "--features constant"},
         {"fit-intercept", "--features constant"},
         {"poly", "--kernel poly:degree=3"},
         {"resume", "--checkpoint FILE"},
         {"y", "--target COL"},
         {"label", "--target COL"},
         {"regression", "--problem regression"},
         {"classification", "--problem classification"},
         {"classify", "--problem classification"},
         {"balanced", "--class-weight balanced"},
         {"dry-run", "specreg plan"},
         {"gpu", "--threads N: it computes on the processor"},
         {"cuda", "--threads N: it computes on the processor"},
         {"device", "--threads N: it computes on the processor"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i][0]) == 0)
            return names[i][1];
    return NULL;
}

static int unknown_option(const cli *c, const char *name)
{
    char *commands = NULL;
    if (belongs_elsewhere(name, &commands)) {
        const int rc =
            cli_usage(c, "unknown option '--%s' (it is an option of %s)", name, commands);
        free(commands);
        return rc;
    }
    if (said_here(name))
        return cli_usage(c, "unknown option '--%s' (write %s)", name, said_here(name));
    const char *best = NULL;
    int distance = 0;
    cli_option_view o;
    for (int i = 0; cli_option_nth(c->command, i, &o); i++)
        cli_consider(name, o.name, &best, &distance);
    if (best)
        return cli_usage(c, "unknown option '--%s' (did you mean '--%s'?)", name, best);
    return cli_usage(c, "unknown option '--%s' (see 'specreg help %s')", name, c->command->name);
}

/* ------------------------------------------------------------------ the parser */

typedef struct arguments {
    int count, next;
    char **text;
} arguments;

static int store(cli *c, const cli_option_view *o, const char *value)
{
    if (o->id >= 0) {
        c->value[o->id] = value;
        return CLI_OK;
    }
    return cli_check(c, specreg_options_set(c->ctx, c->options, o->name, value));
}

/* The value in the next argument.  One that looks like a long option is a forgotten value;
 * who means it writes --name=--value.  A value that may be left out ([SPEC]) has a '=' in it. */
static int store_next(cli *c, arguments *a, const cli_option_view *o, const char *shown)
{
    const char *value = a->next < a->count ? a->text[a->next] : NULL;
    if (o->argument[0] == '[' && !(value && value[0] != '-' && strchr(value, '=')))
        return store(c, o, "auto");
    if (!value || (strncmp(value, "--", 2) == 0 && value[2]))
        return cli_usage(c, "option '%s' needs a value (%s)", shown, o->argument);
    a->next++;
    return store(c, o, value);
}

static int parse_long(cli *c, arguments *a, const char *text)
{
    const char *equals = strchr(text, '=');
    char *name = strndup(text, equals ? (size_t)(equals - text) : strlen(text));
    int rc = CLI_OK, i = 0;
    cli_option_view o;
    if (!name)
        return cli_fail(CLI_FAILED, "out of memory");
    while (cli_option_nth(c->command, i, &o) && strcmp(o.name, name) != 0)
        i++;
    char *shown = cli_format("--%s", name);
    if (!cli_option_nth(c->command, i, &o))
        rc = unknown_option(c, name);
    else if (!*o.argument && equals)
        rc = cli_usage(c, "option '%s' takes no value", shown);
    else if (!*o.argument)
        rc = store(c, &o, "yes");
    else if (equals)
        rc = store(c, &o, equals + 1);
    else
        rc = store_next(c, a, &o, shown);
    free(shown);
    free(name);
    return rc;
}

/* A run of letters such as -qv; a letter with a value takes what follows it, as -oFILE. */
static int parse_letters(cli *c, arguments *a, const char *letters)
{
    for (const char *s = letters; *s; s++) {
        cli_option_view o;
        int i = 0;
        while (cli_option_nth(c->command, i, &o) && o.letter != *s)
            i++;
        if (!cli_option_nth(c->command, i, &o))
            return cli_usage(c, "unknown option '-%c' (see 'specreg help %s')", *s,
                             c->command->name);
        if (*o.argument && s[1])
            return store(c, &o, s + 1);
        const char shown[3] = {'-', *s, '\0'};
        const int rc = *o.argument ? store_next(c, a, &o, shown) : store(c, &o, "yes");
        if (rc)
            return rc;
    }
    return CLI_OK;
}

static int max_files(const cli_command *command)
{
    int n = 0;
    while (command->files[n])
        n++;
    return n;
}

static int parse_file(cli *c, const char *text)
{
    const int most = c->command->many ? CLI_MOST_FILES : max_files(c->command);
    if (c->n_files >= most)
        return cli_usage(c, "one argument too many: '%s' (%s: specreg %s %s)", text,
                         strchr(text, '=') ? "shells expand {}: quote it; usage" : "usage",
                         c->command->name, c->command->synopsis);
    c->file[c->n_files++] = text;
    return CLI_OK;
}

/* What argument number i is called. */
static const char *file_name(const cli_command *command, int i)
{
    const int last = max_files(command) - 1;
    return command->files[i < last ? i : last];
}

/* Standard input can be read once. */
static int check_files(const cli *c)
{
    const int needed = max_files(c->command) - c->command->optional;
    int from_stdin = c->value[CLI_TEST] && strcmp(c->value[CLI_TEST], "-") == 0;
    if (c->n_files < needed)
        return cli_usage(c, "%s is missing (usage: specreg %s %s)", c->command->files[c->n_files],
                         c->command->name, c->command->synopsis);
    for (int i = 0; i < c->n_files; i++) {
        if (!*c->file[i])
            return cli_usage(c, "%s is empty", file_name(c->command, i));
        from_stdin += strcmp(c->file[i], "-") == 0;
    }
    if (from_stdin > 1)
        return cli_usage(c, "only one file can be - (standard input)");
    return CLI_OK;
}

/* After a wrong option: whether the record goes to standard output, where the error then does. */
static void find_json(cli *c, const arguments *a)
{
    if (c->command->bare)
        return;
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->text[i], "--json=-") == 0 ||
            (strcmp(a->text[i], "--json") == 0 && i + 1 < a->count &&
             strcmp(a->text[i + 1], "-") == 0))
            c->value[CLI_JSON] = "-";
}

int cli_parse(cli *c, int argc, char **argv)
{
    arguments a = {.count = argc, .text = argv};
    bool only_files = false;
    while (a.next < a.count) {
        const char *text = a.text[a.next++];
        int rc = CLI_OK;
        if (only_files || text[0] != '-' || !text[1])
            rc = parse_file(c, text);
        else if (strcmp(text, "--") == 0)
            only_files = true;
        else if (text[1] == '-')
            rc = parse_long(c, &a, text + 2);
        else
            rc = parse_letters(c, &a, text + 1);
        if (rc) {
            find_json(c, &a);
            return rc;
        }
    }
    return c->value[CLI_HELP] ? CLI_OK : check_files(c);
}

int cli_set_columns(cli *c)
{
    const char *columns = c->value[CLI_COLUMNS];
    return columns ? cli_check(c, specreg_options_set(c->ctx, c->options, "columns", columns))
                   : CLI_OK;
}
