/* The claims of a paper, and the record and table that an experiment ends with. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "experiment.h"

json_t *exp_numbers(const double *value, int64_t count)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++)
        json_array_append_new(list, isfinite(value[i]) ? json_real(value[i]) : json_null());
    return list;
}

/* The lines of a text, each after two blanks. */
static void print_lines(const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");
        printf("  %.*s\n", (int)length, text);
        text += length + (text[length] != '\0');
    }
}

static void print_commands(const experiment *e)
{
    printf("\nthe fits as commands:\n");
    print_lines(e->commands);
    printf("\n%s:\n", e->paper ? e->paper : "in no paper");
}

exp_claims exp_claims_new(const cli *c)
{
    if (c->show)
        print_commands(exp_find(c->file[0]));
    return (exp_claims){.list = json_array(), .show = c->show};
}

void exp_claim(exp_claims *claims, bool holds, const char *paper, const char *format, ...)
{
    va_list args;
    char here[256];
    va_start(args, format);
    vsnprintf(here, sizeof here, format, args);
    va_end(args);
    if (claims->show)
        printf("%-13s %s: %s\n", holds ? "holds" : "does not hold", paper, here);
    claims->held += holds;
    json_array_append_new(claims->list, json_pack("{s:s, s:s, s:b}", "paper", paper, "here", here,
                                                  "holds", (int)holds));
}

/* What every record begins with. */
static json_t *head_of(const cli *c, const experiment *e, const exp_request *request)
{
    return json_pack("{s:s, s:s, s:s, s:s?, s:s, s:b, s:I, s:i}", "specreg", specreg_version(),
                     "command", "experiment", "experiment", e->name, "paper", e->paper, "commands",
                     e->commands, "quick", c->value[EXP_QUICK] != NULL, "seed",
                     (json_int_t)request->seed, "repeats", request->repeats);
}

int exp_finish(cli *c, const char *name, const exp_request *request, exp_claims *claims,
               json_t *body, const cli_columns *columns)
{
    const int count = (int)json_array_size(claims->list);
    if (claims->show)
        printf("%d of %d claims hold\n", claims->held, count);
    json_t *record = head_of(c, exp_find(name), request);
    json_object_update(record, body);
    json_object_set_new(record, "claims", claims->list);
    json_decref(body);
    int rc = cli_emit_record(c, record);
    if (!rc && columns && c->value[CLI_OUTPUT])
        rc = cli_columns_write(c, columns, c->value[CLI_OUTPUT]);
    return rc;
}
