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

const char *exp_data_folder(const cli *c)
{
    const char *folder = c->value[CLI_DATA] ? c->value[CLI_DATA] : getenv("SPECREG_DATA");
    return folder && *folder ? folder : "../shared/data";
}

int exp_check_file(const char *path)
{
    if (access(path, R_OK) == 0)
        return CLI_OK;
    return cli_fail(CLI_FAILED, "%s: %s; --data DIR or $SPECREG_DATA names the folder of the data",
                    path, strerror(errno));
}

/* Options of fit that say how, not what: they are the user's in every experiment. */
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

/* A whole number from 1 to `most` that ends at one of the characters `ends` or with the text. */
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
        long size = 0;
        if (!parse_count(&at, ",", 2000, &size) || size < 5)
            return cli_usage(c, "--sizes '%s' is not a list of numbers from 5 to 2000", text);
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

int exp_request_read(const cli *c, exp_request *request)
{
    const char *repeats = c->value[CLI_REPEATS], *sizes = c->value[CLI_SIZES];
    const char *seed = specreg_options_get(c->options, "seed"), *at = repeats;
    char *end;
    int rc = check_library_options(c);
    errno = 0;
    request->seed = strtoull(seed, &end, 10);
    if (!rc && (*end || !*seed || *seed == '-' || errno))
        rc = cli_usage(c, "seed: '%s' is not a whole number from 0 on", seed);
    if (!rc && repeats) {
        long count = 0;
        if (!parse_count(&at, "", 100, &count))
            return cli_usage(c, "--repeats '%s' is not a number from 1 to 100", repeats);
        request->repeats = (int)count;
    }
    if (!rc)
        rc = parse_length(c, CLI_WIDTH, "width", &request->width);
    if (!rc)
        rc = parse_length(c, CLI_SPREAD, "spread", &request->spread);
    if (!rc && sizes)
        rc = parse_sizes(c, sizes, request);
    return rc;
}
