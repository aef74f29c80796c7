/* The claims of a paper, and the record and table that an experiment ends with. */
#include <math.h>
#include <stdarg.h>

#include "experiment.h"

json_t *exp_numbers(const double *value, int64_t count)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++)
        json_array_append_new(list, isfinite(value[i]) ? json_real(value[i]) : json_null());
    return list;
}

exp_claims exp_claims_new(const cli *c)
{
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

int exp_finish(cli *c, const char *name, const exp_request *request, exp_claims *claims,
               json_t *body, const cli_columns *columns)
{
    const int count = (int)json_array_size(claims->list);
    if (claims->show)
        printf("%d of %d claims hold\n", claims->held, count);
    json_t *record = json_pack("{s:s, s:s, s:s, s:I, s:i}", "specreg", specreg_version(), "command",
                               "experiment", "experiment", name, "seed", (json_int_t)request->seed,
                               "repeats", request->repeats);
    json_object_update(record, body);
    json_object_set_new(record, "claims", claims->list);
    json_decref(body);
    int rc = cli_emit_record(c, record);
    if (!rc && columns && c->value[CLI_OUTPUT])
        rc = cli_columns_write(c, columns, c->value[CLI_OUTPUT]);
    return rc;
}
