/* What the user asked of an experiment that has its own settings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "experiment.h"

double exp_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double exp_processor(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

const char *exp_data_folder(const cli *c)
{
    const char *folder = c->value[EXP_DATA] ? c->value[EXP_DATA] : getenv("SPECREG_DATA");
    return folder && *folder ? folder : NULL;
}

int exp_check_data_folder(const cli *c)
{
    if (exp_data_folder(c))
        return CLI_OK;
    return cli_usage(c, "%s reads data: name their folder by --data DIR or $SPECREG_DATA",
                     c->file[0]);
}

int exp_check_file(const char *path, const char *folder)
{
    if (access(path, R_OK) == 0)
        return CLI_OK;
    return cli_fail(CLI_FAILED, "%s: %s; --data DIR or $SPECREG_DATA names the folder %s", path,
                    strerror(errno), folder);
}

static int find(const char *const *names, const char *name, size_t length)
{
    for (int i = 0; names[i]; i++)
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
            return i;
    return -1;
}

int exp_sets_read(const cli *c, const char *usual, const char *const *names, exp_sets *sets)
{
    const char *text = c->value[EXP_SETS] ? c->value[EXP_SETS] : usual;
    const bool all = strcmp(text, "all") == 0;
    int most = 0;
    while (names[most]) {
        sets->index[most] = most;
        most++;
    }
    for (sets->count = all ? most : 0; sets->count < most;) {
        const size_t length = strcspn(text, ",");
        const int index = find(names, text, length);
        if (index < 0)
            return cli_usage(c, "unknown set '%.*s' (see 'specreg help experiment')", (int)length,
                             text);
        sets->index[sets->count++] = index;
        text += length;
        if (!*text++)
            return CLI_OK;
    }
    return all ? CLI_OK : cli_usage(c, "--sets names more than %d sets", most);
}

/* Options of fit that change how it works and not what it computes: the user may set them in every
 * experiment. */
static const char *const general[] = {"seed", "threads", "memory", "calibrate", NULL};

static bool is_general(const char *name)
{
    for (int i = 0; general[i]; i++)
        if (strcmp(general[i], name) == 0)
            return true;
    return false;
}

int exp_options_new(cli *c, specreg_options **out)
{
    int rc = cli_check(c, specreg_options_new(c->ctx, out));
    if (!rc) /* the papers' form: no constant, and every kernel on all rows */
        rc = cli_check(c, specreg_options_set(c->ctx, *out, "features", "none"));
    if (!rc)
        rc = cli_check(c, specreg_options_set(c->ctx, *out, "search", "grid"));
    for (int i = 0; !rc && general[i]; i++)
        rc = cli_check(c, specreg_options_set(c->ctx, *out, general[i],
                                              specreg_options_get(c->options, general[i])));
    return rc;
}

static int check_library_options(const cli *c)
{
    const specreg_option_info *info;
    for (int i = 0; (info = specreg_option_at(i)); i++) {
        const char *value = specreg_options_get(c->options, info->name);
        if ((info->scope & SPECREG_FOR_FIT) && !is_general(info->name) && value &&
            strcmp(value, info->default_value) != 0)
            return cli_usage(c, "experiment %s sets --%s itself", c->file[0], info->name);
    }
    return CLI_OK;
}

/* A whole number from 1 to `most`, followed by one of the characters `ends` or by the end. */
static bool parse_count(const char **text, const char *ends, long most, long *out)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    *out = strtol(*text, &end, 10);
    *text = end;
    return *out >= 1 && *out <= most && (!*end || strchr(ends, *end));
}

static int parse_sizes(const cli *c, const char *text, exp_request *request)
{
    const char *at = text;
    for (request->n_sizes = 0; request->n_sizes < EXP_MOST_SIZES;) {
        const long most = request->largest ? (long)request->largest : 2000;
        long size = 0;
        if (!parse_count(&at, ",", most, &size) || size < 5)
            return cli_usage(c, "--sizes '%s' is not a list of numbers from 5 to %ld", text, most);
        request->size[request->n_sizes++] = size;
        if (!*at++)
            return CLI_OK;
    }
    return cli_usage(c, "--sizes has more than %d numbers", (int)EXP_MOST_SIZES);
}

/* A positive number, where the option is given. */
static int parse_length(const cli *c, int option, const char *name, double *length)
{
    const char *text = c->value[option];
    char *end;
    if (!text)
        return CLI_OK;
    *length = strtod(text, &end);
    if (*end || !*text || !(*length >= 0.01 && *length <= 100.0))
        return cli_usage(c, "--%s '%s' is not a number from 0.01 to 100", name, text);
    return CLI_OK;
}

static int parse_seed(const cli *c, uint64_t *seed)
{
    const char *text = specreg_options_get(c->options, "seed");
    char *end;
    errno = 0;
    *seed = strtoull(text, &end, 10);
    if (*end || !*text || *text == '-' || errno)
        return cli_usage(c, "seed: '%s' is not a whole number from 0 on", text);
    return CLI_OK;
}

static int parse_repeats(const cli *c, int *repeats)
{
    const char *text = c->value[EXP_REPEATS], *at = text;
    long count = 0;
    if (!text)
        return CLI_OK;
    if (!parse_count(&at, "", 100, &count))
        return cli_usage(c, "--repeats '%s' is not a number from 1 to 100", text);
    *repeats = (int)count;
    return CLI_OK;
}

int exp_request_read(const cli *c, exp_request *request)
{
    int rc = check_library_options(c);
    if (c->value[EXP_QUICK]) {
        request->repeats = 2;
        request->n_sizes = request->n_sizes < 2 ? request->n_sizes : 2;
    }
    if (!rc)
        rc = parse_seed(c, &request->seed);
    if (!rc)
        rc = parse_repeats(c, &request->repeats);
    if (!rc)
        rc = parse_length(c, EXP_WIDTH, "width", &request->width);
    if (!rc)
        rc = parse_length(c, EXP_SPREAD, "spread", &request->spread);
    if (!rc && c->value[EXP_SIZES])
        rc = parse_sizes(c, c->value[EXP_SIZES], request);
    return rc;
}
