/* What a table holds, and what fit would take it for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/memory.h"
#include "data/io/stream.h"
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
    return json_pack("{s:s, s:s, s:I, s:o, s:o, s:o}", "name", c->name, "type", "number", "missing",
                     (json_int_t)missing, "min", sri_json_number(low), "mean",
                     sri_json_number(sum / share), "max", sri_json_number(high));
}

/* The beginning of a long text, cut between characters. */
static json_t *example(const char *text)
{
    enum { MOST = 60 };
    size_t n = strlen(text);
    char shown[MOST + 4];
    if (n <= MOST)
        return json_string(text);
    for (n = MOST; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80;)
        n--;
    memcpy(shown, text, n);
    memcpy(shown + n, "...", 4);
    return json_string(shown);
}

static json_t *text_column(const specreg_table *t, const sri_column *c)
{
    enum { EXAMPLES = 5 };
    int64_t missing = 0;
    json_t *examples = json_array();
    for (int64_t i = 0; i < t->rows; i++)
        missing += c->code[i] < 0;
    for (int64_t i = 0; i < c->texts.count && i < EXAMPLES; i++)
        sri_json_add(&examples, example(c->texts.text[i]));
    return json_pack("{s:s, s:s, s:I, s:I, s:o}", "name", c->name, "type", "text", "missing",
                     (json_int_t)missing, "distinct", (json_int_t)c->texts.count, "examples",
                     examples);
}

/* The rows whose targets are all there. */
static specreg_status labelled_rows(specreg_context *ctx, const specreg_table *t,
                                    const int64_t *column, int64_t count, int64_t **keep,
                                    int64_t *n)
{
    specreg_status st = SPECREG_OK;
    SRI_ALLOC(ctx, *keep, t->rows, 1);
    for (int64_t i = 0; i < t->rows; i++) {
        bool there = true;
        for (int64_t c = 0; c < count; c++)
            there = there && (specreg_table_is_text(t, column[c])
                                  ? specreg_table_text(t, i, column[c]) != NULL
                                  : !isnan(specreg_table_number(t, i, column[c])));
        if (there)
            (*keep)[(*n)++] = i;
    }
done:
    return st;
}

/* The target and the problem; a failure says why they cannot be told. */
static specreg_status find_target(specreg_context *ctx, const specreg_table *t,
                                  const specreg_options *options, sri_target **target)
{
    specreg_status st = SPECREG_OK;
    int64_t *column = NULL, *keep = NULL, count = 0, n = 0;
    sri_problem_kind problem;
    SRI_TRY(sri_target_columns(ctx, t, sri_option_value(options, SRI_OPT_TARGET), &(sri_aside){0},
                               &column, &count));
    SRI_TRY(labelled_rows(ctx, t, column, count, &keep, &n));
    SRI_TRY(sri_problem_parse(ctx, sri_option_value(options, SRI_OPT_PROBLEM), &problem));
    SRI_TRY(sri_target_describe(ctx, t, column, count, keep, n, problem, false, target));
done:
    free(keep);
    free(column);
    return st;
}

static void add_target(json_t **record, const sri_target *target)
{
    json_t *names = json_array();
    for (int64_t i = 0; i < target->n_columns; i++)
        sri_json_add(&names, json_string(target->name[i]));
    sri_json_put(record, "target", names);
    sri_json_put(record, "problem", json_string(sri_problem_name(target->problem)));
    sri_json_put(record, "problem_why", json_string(target->why));
}

specreg_status specreg_table_record(specreg_context *ctx, const specreg_table *table,
                                    const specreg_options *options, char **json)
{
    json_t *columns = json_array(), *record = sri_record_new("info");
    sri_target *target = NULL;
    *json = NULL;
    for (int64_t i = 0; i < table->n_columns; i++) {
        const sri_column *c = &table->column[i];
        sri_json_add(&columns, c->is_text ? text_column(table, c) : number_column(table, c));
    }
    sri_json_put(&record, "file", sri_json_string(table->source));
    sri_json_put(&record, "format", json_string(table->format ? table->format : "arrays"));
    if (table->delimiter) {
        const char delimiter[2] = {table->delimiter, '\0'};
        sri_json_put(&record, "delimiter", json_string(delimiter));
        sri_json_put(&record, "header", json_boolean(table->has_header));
    }
    sri_json_put(&record, "rows", json_integer(table->rows));
    sri_json_put(&record, "cols", json_integer(specreg_table_cols(table)));
    if (table->sparse)
        sri_json_put(&record, "sparse_nonzeros", json_integer(table->sparse->start[table->rows]));
    sri_json_put(&record, "columns", columns);
    const specreg_status st = find_target(ctx, table, options, &target);
    if (st == SPECREG_OK)
        add_target(&record, target);
    else
        sri_json_put(&record, "problem_why", sri_json_string(specreg_last_error(ctx)));
    sri_target_free(target);
    if (st != SPECREG_E_NOMEM)
        return sri_record_text(ctx, record, json);
    json_decref(record);
    return st;
}

int specreg_is_model_file(const char *path)
{
    struct stat info;
    specreg_context *ctx = NULL;
    sri_stream *stream = NULL;
    const char *head;
    size_t length;
    int is_model = 0;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) /* reading a pipe would consume it */
        return 0;
    if (specreg_context_new(&ctx) == SPECREG_OK && /* a stream, because it may be compressed */
        sri_stream_open(ctx, path, &stream) == SPECREG_OK &&
        sri_stream_peek(ctx, stream, &head, &length) == SPECREG_OK)
        is_model = sri_container_looks(head, length);
    sri_stream_close(stream);
    specreg_context_free(ctx);
    return is_model;
}
