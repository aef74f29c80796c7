/* specreg experiment list: what there is, of which paper, and how long it takes. */
#include "experiment.h"

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *entry_of(const experiment *e)
{
    return json_pack("{s:s, s:s, s:o, s:o, s:s}", "name", e->name, "time", e->time, "data",
                     text_or_null(e->data), "paper", text_or_null(e->paper), "subject", e->subject);
}

static void print_line(const experiment *e)
{
    printf("%-10s  %-6s  %-12s  %s (%s)\n", e->name, e->time, e->data ? e->data : "-", e->subject,
           e->paper ? e->paper : "in no paper");
}

int exp_list(cli *c)
{
    const experiment *e;
    json_t *list = json_array();
    if (c->show)
        printf("%-10s  %-6s  %-12s  %s\n", "name", "time", "data", "subject and paper");
    for (int i = 0; (e = exp_at(i)); i++) {
        if (c->show)
            print_line(e);
        else if (!c->value[CLI_JSON])
            puts(e->name);
        json_array_append_new(list, entry_of(e));
    }
    return cli_emit_record(c, json_pack("{s:s, s:s, s:s, s:o}", "specreg", specreg_version(),
                                        "command", "experiment", "experiment", "list",
                                        "experiments", list));
}
