/* Records of tables: what one holds, and what was made of documents, counts and rows; and of the
 * table of filters. */
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "core/memory.h"
#include "data/io/stream.h"
#include "data/judge.h"
#include "model/bag.h"
#include "model/filters.h"
#include "model/recipe.h"
#include "record/container.h"
#include "record/record.h"

static json_t *number_column(const specreg_table *t, const sri_column *c)
{
    double low = INFINITY, high = -INFINITY, sum = 0;
    int64_t missing = 0;
    for (int64_t i = 0; i < t->rows; i++) {
        const double v = sri_cell_number(t, i, c);
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
    SRI_NEW(ctx, *keep, t->rows, 1);
    for (int64_t i = 0; i < t->rows; i++) {
        bool there = true;
        for (int64_t c = 0; c < count; c++)
            there = there && (specreg_table_is_text(t, column[c])
                                  ? specreg_table_text(t, i, column[c]) != NULL
                                  : !isnan(specreg_table_number(t, i, column[c])));
        if (there)
            (*keep)[(*n)++] = i;
    }
    return SPECREG_OK;
}

/* The problem; a failure says why it cannot be told. */
static specreg_status find_target(specreg_context *ctx, const specreg_table *t,
                                  const specreg_options *options, const sri_roles *roles,
                                  sri_target **target)
{
    specreg_status st = SPECREG_OK;
    int64_t *keep = NULL, n = 0;
    sri_problem_kind problem;
    SRI_TRY(labelled_rows(ctx, t, roles->target, roles->n_targets, &keep, &n));
    SRI_TRY(sri_problem_parse(ctx, sri_option_value(options, SRI_OPT_PROBLEM), &problem));
    SRI_TRY(sri_target_describe(ctx, &(sri_rows){t, keep, n},
                                &(sri_target_list){roles->target, roles->n_targets, false}, problem,
                                target));
done:
    sri_free(keep);
    return st;
}

/* Adds to a column of the record what becomes of it. */
static specreg_status put_becomes(specreg_context *ctx, const json_t *record, int64_t number,
                                  const char *text)
{
    json_t *columns = json_object_get(record, "columns");
    json_t *column = json_incref(json_array_get(columns, (size_t)number));
    sri_json_put(&column, "becomes", json_string(text));
    SRI_CHECK(ctx, column, SPECREG_E_NOMEM, "out of memory");
    json_decref(column);
    return SPECREG_OK;
}

/* Adds to each column what becomes of it, and notes about some of them. */
static specreg_status judge_columns(specreg_context *ctx, const specreg_table *t,
                                    const sri_roles *roles, const sri_encode_how *how,
                                    json_t **record)
{
    specreg_status st = SPECREG_OK;
    sri_buffer text = {0};
    for (int64_t c = 0; c < t->n_columns && !t->sparse; c++) {
        text.length = 0;
        SRI_TRY(sri_column_becomes(ctx, t, c, roles, how, &text));
        SRI_TRY(put_becomes(ctx, *record, c, text.data));
    }
    for (int k = SRI_DOUBT_NONE + 1; k < SRI_DOUBTS && !t->sparse; k++) {
        text.length = 0;
        SRI_TRY(sri_doubt_text(ctx, t, roles, how->dates, (sri_doubt)k, &text));
        if (text.length)
            sri_record_note(record, "%s", text.data);
    }
done:
    sri_buffer_free(&text);
    return st;
}

/* What a fit with these options would make of the table; a failure says why there is none. */
static specreg_status put_plan(specreg_context *ctx, const specreg_table *t,
                               const specreg_options *options, json_t **record)
{
    specreg_status st = SPECREG_OK;
    const sri_role_names names = sri_recipe_roles(options);
    sri_encode_how how = {0};
    sri_roles roles = sri_roles_none;
    sri_target *target = NULL;
    char doubt[400];
    SRI_TRY(sri_dates_parse(ctx, sri_option_value(options, SRI_OPT_DATES), &how.dates));
    SRI_TRY(sri_missing_parse(ctx, sri_option_value(options, SRI_OPT_MISSING), &how.missing));
    SRI_TRY(sri_roles_find(ctx, t, &names, &roles));
    SRI_TRY(judge_columns(ctx, t, &roles, &how, record));
    SRI_TRY(find_target(ctx, t, options, &roles, &target));
    sri_json_put(record, "target", sri_texts_json(target->name, target->n_columns));
    sri_json_put(record, "problem", json_string(sri_problem_name(target->problem)));
    sri_json_put(record, "problem_why", json_string(target->why));
    if (sri_target_doubt(target, doubt, sizeof doubt))
        sri_record_note(record, "%s", doubt);
done:
    sri_target_free(target);
    sri_roles_free(&roles);
    return st;
}

specreg_status specreg_table_record(specreg_context *ctx, const specreg_table *table,
                                    const specreg_options *options, char **json)
{
    SRI_MAKES(ctx, json, table);
    json_t *columns = json_array(), *record = sri_record_new("info");
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
        if (table->decimal == ',')
            sri_json_put(&record, "decimal", json_string(","));
    }
    sri_json_put(&record, "rows", json_integer(table->rows));
    sri_json_put(&record, "cols", json_integer(specreg_table_cols(table)));
    if (table->sparse)
        sri_json_put(&record, "sparse_nonzeros", json_integer(table->sparse->start[table->rows]));
    sri_json_put(&record, "columns", columns);
    specreg_status st = put_plan(ctx, table, options, &record);
    if (st != SPECREG_OK && st != SPECREG_E_ARG)
        sri_json_put(&record, "problem_why", sri_json_string(specreg_last_error(ctx)));
    if (st != SPECREG_E_NOMEM && st != SPECREG_E_ARG) /* wrong options are errors */
        st = sri_record_text(ctx, record, json);
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
    if (!path || stat(path, &info) != 0 ||
        !S_ISREG(info.st_mode)) /* reading a pipe would consume it */
        return 0;
    if (specreg_context_new(&ctx) == SPECREG_OK && /* a stream, because it may be compressed */
        sri_stream_open(ctx, path, &stream) == SPECREG_OK &&
        sri_stream_peek(ctx, stream, &head, &length) == SPECREG_OK)
        is_model = sri_container_looks(head, length);
    sri_stream_close(stream);
    specreg_context_free(ctx);
    return is_model;
}

/* The record of features of a kind that were made of `rows` rows of a table. */
static json_t *features_record(const char *kind, const specreg_table *t, int64_t rows)
{
    json_t *record = sri_record_new("features");
    json_t *data = json_pack("{s:o, s:s, s:I}", "file", sri_json_string(t->source), "format",
                             t->format ? t->format : "arrays", "n", (json_int_t)rows);
    sri_json_put(&record, "kind", json_string(kind));
    sri_json_put(&record, "data", data);
    return record;
}

/* The seconds that it took to learn them, and to make them of the table. */
static void put_seconds(json_t **record, const specreg_table *t, double learn, double seconds)
{
    sri_json_put(record, "seconds",
                 json_pack("{s:f, s:f, s:f}", "read", t->read_seconds, "learn", learn, "total",
                           seconds + learn + t->read_seconds));
}

static specreg_status documents_record(specreg_context *ctx, const specreg_vocabulary *v,
                                       const specreg_table *t, const sri_text_counts *counts,
                                       double seconds, char **json)
{
    specreg_status st = SPECREG_OK;
    sri_buffer how = {0};
    json_t *record = features_record("text", t, t->rows);
    SRI_TRY(sri_text_how_print(ctx, &v->how, &how));
    sri_json_put(&record, "text", json_string(how.data));
    sri_json_put(&record, "documents", json_integer(counts->documents));
    sri_json_put(&record, "seen", json_integer(v->seen));
    sri_json_put(&record, "words", json_integer(v->words.count));
    sri_json_put(&record, "nonzeros", json_integer(counts->nonzeros));
    sri_json_put(&record, "empty_documents", json_integer(counts->empty));
    sri_json_put(&record, "unknown_documents", json_integer(counts->unknown));
    sri_json_put(&record, "classes", sri_texts_json(v->label, v->n_classes));
    put_seconds(&record, t, v->seconds, seconds);
    SRI_TRY(sri_record_text(ctx, record, json));
done:
    sri_buffer_free(&how);
    json_decref(record);
    return st;
}

specreg_status specreg_vocabulary_apply(specreg_context *ctx, const specreg_vocabulary *v,
                                        const specreg_table *t, const specreg_options *options,
                                        specreg_table **out, char **json)
{
    SRI_MAKES(ctx, out, v, t);
    specreg_status st = SPECREG_OK;
    const double start = sri_clock();
    specreg_table *made = NULL;
    sri_text_counts counts;
    if (json)
        *json = NULL;
    SRI_TRY(sri_vocabulary_table(ctx, v, t, options, &made, &counts));
    if (json)
        SRI_TRY(documents_record(ctx, v, t, &counts, sri_clock() - start, json));
    SRI_MOVE(*out, made);
done:
    specreg_table_free(made);
    return st;
}

static json_t *top_words(const specreg_topics *t, int64_t topic, int64_t most)
{
    json_t *list = json_array();
    for (int64_t rank = 0; rank < most; rank++) {
        double p;
        char number[32];
        const int64_t j = specreg_topics_word(t, topic, rank, NULL, &p);
        if (j < 0 || !(p > 0))
            break;
        sri_json_add(&list, json_pack("{s:s, s:f}", "word", sri_topics_name(t, j, number), "p", p));
    }
    return list;
}

static void put_learned(const specreg_topics *t, int64_t most, json_t **record)
{
    const sri_plsa *p = t->plsa;
    json_t *topics = json_array();
    for (int64_t z = 0; z < p->topics; z++)
        sri_json_add(&topics, json_pack("{s:I, s:f, s:o}", "topic", (json_int_t)z + 1, "share",
                                        p->prior[z], "words", top_words(t, z, most)));
    sri_json_put(record, "documents", json_integer(p->documents));
    sri_json_put(record, "empty_documents", json_integer(p->empty));
    sri_json_put(record, "counts", sri_json_number(p->counts));
    sri_json_put(record, "words", json_integer(p->words));
    sri_json_put(record, "seed", json_integer((json_int_t)p->seed));
    sri_json_put(record, "beta", json_real(p->beta));
    sri_json_put(record, "sweeps", json_integer(p->sweeps));
    sri_json_put(record, "kept_sweep", json_integer(p->kept));
    sri_json_put(record, "perplexity", sri_numbers_json(p->perplexity, p->sweeps));
    if (p->held)
        sri_json_put(record, "held_perplexity", sri_numbers_json(p->held, p->sweeps));
    sri_json_put(record, "topics", topics);
}

/* Topics at work on a table. */
typedef struct application {
    const specreg_table *table;
    int64_t most_words; /* of a topic, to be shown                */
    int64_t unknown;    /* documents without a word that is known */
    double seconds;
} application;

static specreg_status topics_record(specreg_context *ctx, const specreg_topics *t,
                                    const application *a, char **json)
{
    specreg_status st = SPECREG_OK;
    sri_buffer how = {0}, text = {0};
    json_t *record = features_record("plsa", a->table, a->table->rows);
    SRI_TRY(sri_plsa_how_print(ctx, &t->plsa->how, &how));
    sri_json_put(&record, "plsa", json_string(how.data));
    if (t->words) {
        SRI_TRY(sri_text_how_print(ctx, &t->words->how, &text));
        sri_json_put(&record, "text", json_string(text.data));
    }
    put_learned(t, a->most_words, &record);
    sri_json_put(&record, "unknown_documents", json_integer(a->unknown));
    put_seconds(&record, a->table, t->seconds, a->seconds);
    sri_json_put(&record, "peak_bytes", json_integer(sri_memory_peak()));
    SRI_TRY(sri_record_text(ctx, record, json));
done:
    sri_buffer_free(&text);
    sri_buffer_free(&how);
    json_decref(record);
    return st;
}

specreg_status specreg_topics_apply(specreg_context *ctx, const specreg_topics *topics,
                                    const specreg_table *t, const specreg_options *options,
                                    specreg_table **out, char **json)
{
    SRI_MAKES(ctx, out, topics, t);
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    specreg_table *made = NULL;
    application a = {.table = t};
    if (json)
        *json = NULL;
    SRI_TRY(sri_whole_option(ctx, options, SRI_OPT_TOP_WORDS, 1, SRI_LARGEST_WHOLE, &a.most_words));
    SRI_TRY(sri_call_enter_predict(ctx, options, &call)); /* threads */
    SRI_TRY(sri_topics_table(ctx, topics, t, options, &made, &a.unknown));
    a.seconds = sri_call_seconds(&call);
    if (json)
        SRI_TRY(topics_record(ctx, topics, &a, json));
    SRI_MOVE(*out, made);
done:
    specreg_table_free(made);
    sri_call_leave(&call);
    return st;
}

static specreg_status components_record(specreg_context *ctx, const specreg_model *m,
                                        const specreg_table *t, int64_t rows, double seconds,
                                        char **json)
{
    json_t *record = features_record(sri_model_kinds[m->kind], t, rows);
    json_t *data = json_incref(json_object_get(record, "data"));
    sri_json_put(&data, "dropped_rows", json_integer(t->rows - rows));
    sri_json_put(&record, "data", data);
    sri_json_put(&record, "kernel", sri_kernel_json(&m->kernel.kernel));
    sri_json_put(&record, "components", json_integer(m->T));
    sri_json_put(&record, "seconds", sri_seconds_json(t->read_seconds, seconds + t->read_seconds));
    const specreg_status st = sri_record_text(ctx, record, json);
    json_decref(record);
    return st;
}

specreg_status specreg_kpca_apply(specreg_context *ctx, const specreg_model *model,
                                  const specreg_table *data, const specreg_options *options,
                                  specreg_table **out, char **json)
{
    SRI_MAKES(ctx, out, model, data);
    specreg_status st = SPECREG_OK;
    const double start = sri_clock();
    specreg_table *made = NULL;
    if (json)
        *json = NULL;
    SRI_TRY(sri_kpca_table(ctx, model, data, options, &made));
    if (json)
        SRI_TRY(components_record(ctx, model, data, made->rows, sri_clock() - start, json));
    SRI_MOVE(*out, made);
done:
    specreg_table_free(made);
    return st;
}

static void put_text(json_t **to, const char *key, const char *text)
{
    if (text)
        sri_json_put(to, key, json_string(text));
}

static specreg_status filter_record(specreg_context *ctx, const sri_filter_ops *ops, json_t **out)
{
    const sri_engine *engine[SRI_MOST_ENGINES];
    const sri_filter_about *about = ops->about;
    sri_filter filter;
    int count;
    SRI_CALL(sri_filter_parse(ctx, ops->name, &filter));
    SRI_CALL(sri_filter_engines(ctx, &filter, engine, &count));
    json_t *parameters = json_array(), *engines = json_array();
    for (int i = 0; i < ops->n_params; i++)
        sri_json_add(&parameters, json_pack("{s:s, s:o}", "name", ops->params[i].name, "default",
                                            sri_json_number(ops->params[i].value)));
    for (int e = 0; e < count; e++)
        sri_json_add(&engines, json_string(engine[e]->name));
    *out = json_pack("{s:s, s:s, s:o}", "name", ops->name, "path", sri_path_name(ops->path),
                     "parameters", parameters);
    put_text(out, "g", about->g);
    put_text(out, "r", about->r);
    put_text(out, "qualification", about->qualification);
    put_text(out, "lambda", about->lambda);
    put_text(out, "bound_g", about->bound_g);
    put_text(out, "bound_sg", about->bound_sg);
    sri_json_put(out, "engines", engines);
    return SPECREG_OK;
}

specreg_status specreg_filters(specreg_context *ctx, char **json)
{
    SRI_MAKES(ctx, json);
    specreg_status st = SPECREG_OK;
    json_t *record = sri_record_new("filters"), *list = json_array(), *one;
    for (int i = 0; sri_filter_at(i); i++) {
        SRI_TRY(filter_record(ctx, sri_filter_at(i), &one));
        sri_json_add(&list, one);
    }
    sri_json_put(&record, "filters", json_incref(list));
    SRI_TRY(sri_record_text(ctx, record, json));
done:
    json_decref(list);
    json_decref(record);
    return st;
}

specreg_status specreg_filter_curve(specreg_context *ctx, const char *filter, const char *param,
                                    const char *s, double nu, char **json)
{
    SRI_MAKES(ctx, json, filter, param, s);
    specreg_status st = SPECREG_OK;
    sri_filter_curve c = {0};
    json_t *record = NULL, *curve = json_array();
    SRI_REQUIRE(ctx, nu >= 0, SPECREG_E_ARG, "nu must be at least 0, not %g", nu);
    SRI_TRY(sri_filter_curve_make(ctx, filter, param, s, &c));
    for (int64_t k = 0; k < c.param.count; k++)
        for (int64_t j = 0; j < c.s.count; j++) {
            const double r = c.r[j * c.param.count + k];
            json_t *point = json_object();
            sri_record_param(&point, c.filter.path, c.param.v[k]);
            sri_json_put(&point, "s", sri_json_number(c.s.v[j]));
            sri_json_put(&point, "g", sri_json_number(c.g[j * c.param.count + k]));
            sri_json_put(&point, "r", sri_json_number(r));
            sri_json_put(&point, "residual", sri_json_number(pow(c.s.v[j], nu) * r));
            sri_json_add(&curve, point);
        }
    record = sri_record_new("filters");
    sri_json_put(&record, "filter", json_string(filter));
    sri_json_put(&record, "nu", sri_json_number(nu));
    sri_json_put(&record, "curve", json_incref(curve));
    SRI_TRY(sri_record_text(ctx, record, json));
done:
    sri_filter_curve_free(&c);
    json_decref(curve);
    json_decref(record);
    return st;
}
