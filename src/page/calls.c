/* The public calls that make report pages. */
#include <string.h>

#include "core/memory.h"
#include "data/io/stream.h"
#include "page/page.h"

enum { EXACT = 17, PICTURES = 5, ROWS = 7 };

/* Adds "key": value to an object that is being written; takes the value over, NULL: out of
 * memory. */
static specreg_status put(specreg_context *ctx, sri_buffer *to, const char *key, json_t *value,
                          int digits)
{
    specreg_status st = SPECREG_OK;
    char *text = NULL;
    SRI_REQUIRE(ctx, value, SPECREG_E_NOMEM, "out of memory");
    SRI_TRY(sri_json_text(ctx, value,
                          JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION((size_t)digits),
                          &text));
    SRI_TRY(
        sri_buffer_print(ctx, to, "%s\"%s\":", to->data[to->length - 1] == '{' ? "" : ",", key));
    SRI_TRY(sri_buffer_add(ctx, to, text, strlen(text)));
done:
    sri_free(text);
    json_decref(value);
    return st;
}

/* What a report consists of; all of it is JSON or NULL. */
typedef struct report {
    const char *title;
    json_t *record, *portrait, *rows, *eval, *importance, *partial, *plan, *cannot;
    json_t *field, *matrix, *words;
    bool lacks_rows; /* that would tell which columns matter */
} report;

static void report_free(report *r)
{
    json_t *const all[] = {r->record, r->portrait, r->rows,  r->eval,   r->importance, r->partial,
                           r->plan,   r->cannot,   r->field, r->matrix, r->words};
    for (int i = 0; i < 11; i++)
        json_decref(all[i]);
}

static json_t *or_null(json_t *value)
{
    return value ? json_incref(value) : json_null();
}

static specreg_status write_report(specreg_context *ctx, const report *r, sri_buffer *to)
{
    SRI_CALL(sri_buffer_add(ctx, to, "{", 1));
    SRI_CALL(put(ctx, to, "title", sri_json_string(r->title ? r->title : ""), EXACT));
    SRI_CALL(put(ctx, to, "source", or_null(json_object_get(r->record, "command")), EXACT));
    SRI_CALL(put(ctx, to, "command", sri_page_command(r->record), EXACT));
    SRI_CALL(put(ctx, to, "record", or_null(r->record), EXACT));
    SRI_CALL(put(ctx, to, "portrait", or_null(r->portrait), PICTURES));
    SRI_CALL(put(ctx, to, "rows", or_null(r->rows), ROWS));
    SRI_CALL(put(ctx, to, "eval", or_null(r->eval), EXACT));
    SRI_CALL(put(ctx, to, "importance", or_null(r->importance), EXACT));
    SRI_CALL(put(ctx, to, "partial", or_null(r->partial), PICTURES));
    SRI_CALL(put(ctx, to, "field", or_null(r->field), PICTURES));
    SRI_CALL(put(ctx, to, "matrix", or_null(r->matrix), PICTURES));
    SRI_CALL(put(ctx, to, "words", or_null(r->words), PICTURES));
    SRI_CALL(put(ctx, to, "plan", or_null(r->plan), EXACT));
    SRI_CALL(put(ctx, to, "cannot", or_null(r->cannot), EXACT));
    return sri_buffer_add(ctx, to, "}", 1);
}

/* A text as JSON; *out NULL where it is none, or no object. */
static specreg_status parse(specreg_context *ctx, const char *text, json_t **out)
{
    json_error_t error = {0};
    *out = text ? json_loads(text, JSON_REJECT_DUPLICATES, &error) : NULL;
    if (text && !*out && (!error.text[0] || json_error_code(&error) == json_error_out_of_memory))
        return sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
    if (!json_is_object(*out)) {
        json_decref(*out);
        *out = NULL;
    }
    return SPECREG_OK;
}

/* A record that the library has written: where it cannot be read, memory is what it lacks. */
static specreg_status parse_own(specreg_context *ctx, const char *text, json_t **out)
{
    SRI_CALL(parse(ctx, text, out));
    return *out ? SPECREG_OK : sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
}

static specreg_status add_portrait(specreg_context *ctx, const char *text, report *r)
{
    json_t *raw = NULL;
    if (!text) {
        sri_page_cannot(&r->cannot,
                        "The model holds no portrait: it was saved by an older version or with "
                        "--portrait no. Fit it again for path, spectrum and held-out rows.");
        return SPECREG_OK;
    }
    SRI_CALL(parse(ctx, text, &raw));
    r->portrait = sri_page_portrait(raw, &r->cannot);
    json_decref(raw);
    return SPECREG_OK;
}

static specreg_status add_rows(specreg_context *ctx, const specreg_model *model,
                               const sri_page_rows *rows, report *r)
{
    SRI_CALL(sri_page_rows_json(ctx, model, rows, &r->rows));
    if (rows->n < rows->all)
        sri_page_cannot(&r->cannot, "Of %lld rows %lld are shown, drawn at random.",
                        (long long)rows->all, (long long)rows->n);
    return SPECREG_OK;
}

/* The rows that the model keeps, and their errors. */
static specreg_status add_held_rows(specreg_context *ctx, const specreg_model *model,
                                    const char *text, report *r)
{
    specreg_status st = SPECREG_OK;
    sri_page_rows rows = {0};
    json_t *held = NULL;
    bool fits = false;
    if (!text)
        return st;
    SRI_TRY(parse(ctx, text, &held));
    SRI_TRY(sri_page_rows_read(ctx, model, held, &rows, &fits));
    if (!fits) {
        sri_page_cannot(&r->cannot, "The rows that the model keeps are damaged and not shown.");
        goto done;
    }
    SRI_TRY(add_rows(ctx, model, &rows, r));
    SRI_TRY(sri_page_rows_errors(ctx, model, &rows, &r->eval));
done:
    sri_page_rows_free(&rows);
    json_decref(held);
    return st;
}

/* The rows of a table in their place. */
static specreg_status add_scored(specreg_context *ctx, const specreg_report_part *part,
                                 const specreg_options *options, report *r)
{
    specreg_status st = SPECREG_OK;
    sri_page_rows rows = {0};
    char *text = NULL;
    SRI_TRY(specreg_evaluate(ctx, part->model, part->data, options, &text));
    SRI_TRY(parse_own(ctx, text, &r->eval));
    SRI_TRY(sri_page_rows_score(ctx, part->model, part->data, options, &rows));
    SRI_TRY(add_rows(ctx, part->model, &rows, r));
done:
    sri_page_rows_free(&rows);
    specreg_string_free(text);
    return st;
}

static specreg_status add_columns(specreg_context *ctx, const specreg_model *model,
                                  const specreg_table *sample, const specreg_options *options,
                                  report *r)
{
    sri_page_said said = {0};
    const specreg_status st = sri_page_columns(ctx, model, sample, options, &said, &r->cannot);
    r->importance = said.importance;
    r->partial = said.partial;
    return st;
}

/* A part that cannot be made is no reason for having no page; it is said instead. */
static specreg_status or_say(specreg_context *ctx, specreg_status st, const char *what, report *r)
{
    if (st == SPECREG_OK || st == SPECREG_E_NOMEM || st == SPECREG_E_CANCELLED)
        return st;
    sri_page_cannot(&r->cannot, "%s not shown: %.400s.", what, specreg_last_error(ctx));
    return SPECREG_OK;
}

/* What is particular to fields, to outputs and tasks, and to documents. */
static specreg_status add_kind(specreg_context *ctx, const specreg_model *model,
                               const specreg_table *rows, const specreg_options *options, report *r)
{
    specreg_status st = sri_page_field(ctx, model, rows, options, &r->field, &r->cannot);
    SRI_CALL(or_say(ctx, st, "The field is", r));
    st = sri_page_matrix(ctx, model, &r->matrix, &r->cannot);
    SRI_CALL(or_say(ctx, st, "The matrix between outputs is", r));
    st = sri_page_words(ctx, model, &r->words, &r->cannot);
    return or_say(ctx, st, "The words of the classes are", r);
}

static specreg_status report_of_model(specreg_context *ctx, const specreg_report_part *part,
                                      const specreg_options *options, report *r)
{
    specreg_status st = SPECREG_OK;
    const specreg_model *model = part->model;
    char *text = NULL, *portrait = NULL, *held = NULL;
    SRI_TRY(specreg_model_record(ctx, model, &text));
    SRI_TRY(parse_own(ctx, text, &r->record));
    if (model->kind != SRI_MODEL_PREDICTOR) {
        sri_page_cannot(&r->cannot, "This model makes coordinates; it predicts nothing.");
        goto done;
    }
    SRI_TRY(sri_portrait_texts(ctx, model, &portrait, &held));
    SRI_TRY(add_portrait(ctx, portrait, r));
    SRI_TRY(part->data ? add_scored(ctx, part, options, r) : add_held_rows(ctx, model, held, r));
    SRI_TRY(parse(ctx, part->plan, &r->plan));
    const specreg_table *sample = part->sample ? part->sample : part->data;
    if (sample)
        SRI_TRY(add_columns(ctx, model, sample, options, r));
    r->lacks_rows = !sample;
    SRI_TRY(add_kind(ctx, model, sample, options, r));
done:
    sri_free(held);
    sri_free(portrait);
    specreg_string_free(text);
    return st;
}

/* The record of `specreg importance`, as the page has it. */
static json_t *importance_of(const json_t *record)
{
    static const char *const keys[] = {"repeats", "criterion", "baseline", "columns"};
    const json_t *data = json_object_get(record, "data");
    json_t *out = json_object();
    sri_json_put(&out, "data", or_null(json_object_get(data, "file")));
    sri_json_put(&out, "n", or_null(json_object_get(data, "n")));
    for (int k = 0; k < 4; k++)
        sri_json_put(&out, keys[k], or_null(json_object_get(record, keys[k])));
    return out;
}

/* A portrait of nothing but a spectrum. */
static json_t *portrait_of_spectrum(const json_t *record)
{
    json_t *out = json_object();
    sri_json_put(&out, "n", or_null(json_object_get(record, "n")));
    sri_json_put(&out, "rows_used", or_null(json_object_get(record, "n")));
    sri_json_put(&out, "parameter", json_string(sri_path_name(SRI_PATH_LAMBDA)));
    sri_json_put(&out, "points", json_array());
    sri_json_put(&out, "chosen", json_null());
    sri_json_put(&out, "spectrum", sri_page_spectrum(record));
    return out;
}

static bool is_command(const json_t *record, const char *name)
{
    const char *command = json_string_value(json_object_get(record, "command"));
    return command && strcmp(command, name) == 0;
}

static specreg_status report_of_record(specreg_context *ctx, const specreg_report_part *part,
                                       report *r)
{
    const char *name = part->title ? part->title : "record";
    SRI_CALL(parse(ctx, part->record, &r->record));
    SRI_CHECK(ctx, json_is_string(json_object_get(r->record, "command")), SPECREG_E_FORMAT,
              "%s: neither a model nor a record that --json writes", name);
    const char *version = json_string_value(json_object_get(r->record, "specreg"));
    if (!version || strcmp(version, SPECREG_VERSION) != 0)
        sri_page_cannot(
            &r->cannot,
            "The record is of version %.60s: what this version (%s) does not know is not shown.",
            version ? version : "?", SPECREG_VERSION);
    const char *failure =
        json_string_value(json_object_get(json_object_get(r->record, "error"), "message"));
    if (failure)
        sri_page_cannot(&r->cannot, "The command failed: %.400s", failure);
    if (is_command(r->record, "spectrum") &&
        json_array_size(json_object_get(r->record, "eigenvalues")))
        r->portrait = portrait_of_spectrum(r->record);
    if (is_command(r->record, "eval"))
        r->eval = json_incref(r->record);
    if (is_command(r->record, "plan"))
        r->plan = json_incref(r->record);
    if (is_command(r->record, "importance"))
        r->importance = importance_of(r->record);
    if (is_command(r->record, "partial"))
        r->partial = or_null(json_object_get(r->record, "curves"));
    return SPECREG_OK;
}

/* What one command found of the columns of a model belongs to the report before it. */
static bool joins(const report *r, report *before)
{
    if (!before || !before->record || !is_command(before->record, "fit"))
        return false;
    if (is_command(r->record, "importance") && !before->importance) {
        before->importance = json_incref(r->importance);
        return true;
    }
    if (is_command(r->record, "partial") && !before->partial) {
        before->partial = json_incref(r->partial);
        return true;
    }
    return false;
}

static specreg_status make_report(specreg_context *ctx, const specreg_report_part *part,
                                  const specreg_options *options, report *r)
{
    r->title = part->title;
    r->cannot = json_array();
    SRI_CHECK(ctx, part->struct_size >= sizeof *part, SPECREG_E_ARG,
              "a part of a report without struct_size");
    SRI_CHECK(ctx, !part->model != !part->record, SPECREG_E_ARG,
              "a part of a report is a model or a record");
    SRI_CHECK(ctx, !part->data || part->model, SPECREG_E_ARG,
              "%s: rows are scored by models, not by records",
              part->title ? part->title : "record");
    SRI_CALL(part->model ? report_of_model(ctx, part, options, r) : report_of_record(ctx, part, r));
    if (r->record)
        sri_page_thin_record(r->record, &r->cannot);
    if (r->eval && r->eval != r->record)
        sri_page_thin_errors(json_object_get(r->eval, "test"), &r->cannot);
    return r->cannot ? SPECREG_OK : sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
}

/* What remains to be said when it is known which records join. */
static specreg_status say_columns(specreg_context *ctx, report *r)
{
    if (!r->lacks_rows || r->importance || r->partial)
        return SPECREG_OK;
    sri_page_cannot(&r->cannot,
                    "Which columns matter is told from rows, and a model keeps none of its table: "
                    "--data (in Python data=) gives some.");
    return r->cannot ? SPECREG_OK : sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
}

static specreg_status make_data(specreg_context *ctx, const specreg_report_part *parts,
                                int64_t count, const specreg_options *options, sri_buffer *out)
{
    specreg_status st = SPECREG_OK;
    report *list = NULL;
    int64_t shown = 0;
    SRI_REQUIRE(ctx, count > 0, SPECREG_E_ARG, "a report needs a model or a record");
    SRI_CALLOC(ctx, list, count, 1);
    for (int64_t i = 0; i < count; i++) {
        report *r = &list[shown];
        st = make_report(ctx, &parts[i], options, r);
        const bool joined = st == SPECREG_OK && joins(r, shown ? r - 1 : NULL);
        if (joined) {
            report_free(r);
            *r = (report){0};
        } else {
            shown++;
        }
        SRI_TRY(st);
    }
    SRI_TRY(sri_buffer_print(ctx, out, "{\"format\":1,\"specreg\":\"%s\",\"reports\":[",
                             SPECREG_VERSION));
    for (int64_t i = 0; i < shown; i++) {
        if (i)
            SRI_TRY(sri_buffer_add(ctx, out, ",", 1));
        SRI_TRY(say_columns(ctx, &list[i]));
        SRI_TRY(write_report(ctx, &list[i], out));
    }
    SRI_TRY(sri_buffer_add(ctx, out, "]}", 2));
done:
    for (int64_t i = 0; list && i < count; i++)
        report_free(&list[i]);
    sri_free(list);
    return st;
}

specreg_status specreg_report_data(specreg_context *ctx, const specreg_report_part *parts,
                                   int64_t count, const specreg_options *options, char **json)
{
    SRI_MAKES(ctx, json, parts);
    sri_buffer data = {0};
    const specreg_status st = make_data(ctx, parts, count, options, &data);
    if (st != SPECREG_OK)
        sri_buffer_free(&data);
    *json = data.data;
    return st;
}

/* Inside a script element nothing may look like a tag, nor end a line of JavaScript. */
static specreg_status add_escaped(specreg_context *ctx, sri_buffer *to, const char *json)
{
    for (const char *at = json; *at;) {
        const size_t plain = strcspn(at, "<>&\xe2");
        SRI_CALL(sri_buffer_add(ctx, to, at, plain));
        at += plain;
        if (!*at)
            break;
        if (strncmp(at, "\xe2\x80\xa8", 3) == 0 || strncmp(at, "\xe2\x80\xa9", 3) == 0) {
            SRI_CALL(sri_buffer_print(ctx, to, "\\u202%c", at[2] == '\xa8' ? '8' : '9'));
            at += 3;
        } else if (*at == '\xe2') {
            SRI_CALL(sri_buffer_add(ctx, to, at++, 1));
        } else {
            SRI_CALL(sri_buffer_print(ctx, to, "\\u%04x", *at++));
        }
    }
    return SPECREG_OK;
}

specreg_status specreg_report_page(specreg_context *ctx, const specreg_report_part *parts,
                                   int64_t count, const specreg_options *options, char **html)
{
    SRI_MAKES(ctx, html, parts);
    specreg_status st = SPECREG_OK;
    sri_buffer data = {0}, page = {0};
    SRI_TRY(make_data(ctx, parts, count, options, &data));
    SRI_TRY(sri_buffer_add(ctx, &page, sri_page_head, strlen(sri_page_head)));
    SRI_TRY(add_escaped(ctx, &page, data.data));
    SRI_TRY(sri_buffer_add(ctx, &page, sri_page_tail, strlen(sri_page_tail)));
    SRI_MOVE(*html, page.data);
done:
    sri_buffer_free(&page);
    sri_buffer_free(&data);
    return st;
}

/* What a file has: a model, or a record. */
typedef struct source {
    specreg_model *model;
    char *record;
} source;

static specreg_status read_record(specreg_context *ctx, const char *path, char **out)
{
    enum { MOST = 1 << 26 };
    specreg_status st = SPECREG_OK;
    sri_stream *stream = NULL;
    char *text = NULL;
    json_t *json = NULL;
    size_t size;
    SRI_TRY(sri_stream_open(ctx, path, &stream));
    SRI_TRY(sri_stream_text(ctx, stream, MOST, &text, &size));
    SRI_TRY(parse(ctx, text, &json));
    SRI_REQUIRE(ctx, json, SPECREG_E_FORMAT,
                "%s: neither a model nor a record that --json writes; rows to score go with --data",
                path);
    SRI_MOVE(*out, text);
done:
    json_decref(json);
    sri_free(text);
    sri_stream_close(stream);
    return st;
}

/* The last part of a path. */
static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

specreg_status specreg_report_files(specreg_context *ctx, const char *const *paths, int64_t count,
                                    const specreg_table *data, const specreg_options *options,
                                    char **html)
{
    SRI_MAKES(ctx, html, paths);
    specreg_status st = SPECREG_OK;
    source *list = NULL;
    specreg_report_part *parts = NULL;
    SRI_REQUIRE(ctx, count > 0, SPECREG_E_ARG, "a report needs a model or a record");
    SRI_CALLOC(ctx, list, count, 1);
    SRI_CALLOC(ctx, parts, count, 1);
    for (int64_t i = 0; i < count; i++) {
        if (specreg_is_model_file(paths[i]))
            SRI_TRY(specreg_model_load(ctx, paths[i], &list[i].model));
        else
            SRI_TRY(read_record(ctx, paths[i], &list[i].record));
        parts[i] = (specreg_report_part){.struct_size = sizeof *parts,
                                         .title = base_of(paths[i]),
                                         .model = list[i].model,
                                         .record = list[i].record,
                                         .data = list[i].model ? data : NULL};
    }
    SRI_TRY(specreg_report_page(ctx, parts, count, options, html));
done:
    for (int64_t i = 0; list && i < count; i++) {
        specreg_model_free(list[i].model);
        sri_free(list[i].record);
    }
    sri_free(parts);
    sri_free(list);
    return st;
}
