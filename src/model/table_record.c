/* What a table holds, and what fit would take it for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/memory.h"
#include "model/container.h"
#include "model/record.h"

static json_t *number_column(const specreg_table *t, const sri_column *c)
{
    double low = INFINITY, high = -INFINITY, sum = 0;
    int64_t missing = 0;
    for (int64_t i = 0; i < t->rows; i++) {
        const double v = t->numbers[i * t->n_numbers + c->number];
        if (isnan(v)) {
            missing++;
            continue;
        }
        low = v < low ? v : low;
        high = v > high ? v : high;
        sum += v / (double)t->rows; /* divided first: sums of 1e300 stay finite */
    }
    const double share = (double)(t->rows - missing) / (double)t->rows;
    return json_pack("{s:s, s:s, s:I, s:o, s:o, s:o}", "name", c->name, "type", "number",
                     "missing", (json_int_t)missing, "min", sri_json_number(low), "mean",
                     sri_json_number(sum / share), "max", sri_json_number(high));
}

static json_t *text_column(const specreg_table *t, const sri_column *c)
{
    enum { EXAMPLES = 5 };
    int64_t missing = 0;
    json_t *examples = json_array();
    for (int64_t i = 0; i < t->rows; i++)
        missing += c->code[i] < 0;
    for (int64_t i = 0; i < c->texts.count && i < EXAMPLES; i++)
        json_array_append_new(examples, json_string(c->texts.text[i]));
    return json_pack("{s:s, s:s, s:I, s:I, s:o}", "name", c->name, "type", "text", "missing",
                     (json_int_t)missing, "distinct", (json_int_t)c->texts.count, "examples",
                     examples);
}

/* The target and the problem, as far as they can be told; no failure when they cannot. */
static void add_target(specreg_context *ctx, const specreg_table *t,
                       const specreg_options *options, json_t *record)
{
    int64_t *column = NULL, *keep = NULL, count = 0, n = 0;
    sri_target *target = NULL;
    if (sri_target_columns(ctx, t, sri_option_value(options, SRI_OPT_TARGET), &column, &count) ==
            SPECREG_OK &&
        sri_rows_usable(ctx, t, NULL, column, count, SRI_MISSING_DROP, &keep, &n) == SPECREG_OK &&
        sri_target_describe(ctx, t, column, count, keep, n,
                            sri_option_value(options, SRI_OPT_PROBLEM), &target) == SPECREG_OK) {
        json_t *names = json_array();
        for (int64_t i = 0; i < target->n_columns; i++)
            json_array_append_new(names, json_string(target->name[i]));
        json_object_set_new(record, "target", names);
        json_object_set_new(record, "problem",
                            json_string(target->problem == SRI_REGRESSION ? "regression"
                                                                          : "classification"));
        json_object_set_new(record, "problem_why", json_string(target->why));
    } else {
        json_object_set_new(record, "problem_why", json_string(specreg_last_error(ctx)));
    }
    sri_target_free(target);
    free(keep);
    free(column);
}

specreg_status specreg_table_record(specreg_context *ctx, const specreg_table *table,
                                    const specreg_options *options, char **json)
{
    json_t *columns = json_array(), *record = sri_record_new("info");
    *json = NULL;
    for (int64_t i = 0; i < table->n_columns; i++) {
        const sri_column *c = &table->column[i];
        json_array_append_new(columns, c->is_text ? text_column(table, c)
                                                  : number_column(table, c));
    }
    json_object_set_new(record, "file", json_string(table->source));
    json_object_set_new(record, "format",
                        json_string(table->format ? table->format : "arrays"));
    if (table->delimiter) {
        const char delimiter[2] = {table->delimiter, '\0'};
        json_object_set_new(record, "delimiter", json_string(delimiter));
        json_object_set_new(record, "header", json_boolean(table->has_header));
    }
    json_object_set_new(record, "rows", json_integer(table->rows));
    json_object_set_new(record, "cols", json_integer(specreg_table_cols(table)));
    if (table->sparse)
        json_object_set_new(record, "sparse_nonzeros",
                            json_integer(table->sparse->start[table->rows]));
    json_object_set_new(record, "columns", columns);
    add_target(ctx, table, options, record);
    return sri_record_text(ctx, record, json);
}

int specreg_is_model_file(const char *path)
{
    char head[64];
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) /* reading a pipe would consume it */
        return 0;
    FILE *f = fopen(path, "rbe");
    if (!f)
        return 0;
    const size_t got = fread(head, 1, sizeof head, f);
    fclose(f);
    return sri_container_looks(head, got);
}
