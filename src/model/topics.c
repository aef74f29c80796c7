/* The public way to topics. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/spec.h"
#include "data/io/stream.h"
#include "model/bag.h"
#include "model/record.h"

/* A whole number from `least` to 2^53. */
static specreg_status whole_option(specreg_context *ctx, const specreg_options *options,
                                   sri_option which, double least, int64_t *out)
{
    specreg_status st = SPECREG_OK;
    const double most = 9007199254740992.0;
    const char *name = specreg_option_at(which)->name, *text = sri_option_value(options, which);
    double number;
    SRI_TRY(sri_number_parse(ctx, name, text, &number));
    SRI_REQUIRE(ctx, number >= least && number <= most && number == floor(number), SPECREG_E_ARG,
                "%s must be a whole number from %.0f to %.0f, not %s", name, least, most, text);
    *out = (int64_t)number;
done:
    return st;
}

/* A table's name before what is wrong with its counts. */
static specreg_status named(specreg_context *ctx, const specreg_table *t, specreg_status st)
{
    return st == SPECREG_E_NUMERIC ? sri_fail_at(ctx, st, "%s", t->source) : st;
}

specreg_status specreg_topics_learn(specreg_context *ctx, const specreg_table *t,
                                    const specreg_options *options, specreg_topics **out)
{
    specreg_status st = SPECREG_OK;
    const char *spec = sri_option_value(options, SRI_OPT_PLSA);
    sri_call call = {0};
    sri_plsa_how how;
    sri_bag bag = {0};
    sri_plsa *plsa = NULL;
    int64_t seed;
    *out = NULL;
    SRI_TRY(sri_plsa_how_parse(ctx, *spec ? spec : "auto", &how));
    SRI_TRY(whole_option(ctx, options, SRI_OPT_SEED, 0, &seed));
    SRI_TRY(sri_call_enter_predict(ctx, options, &call)); /* threads */
    SRI_TRY(sri_bag_learn(ctx, t, options, &bag));
    SRI_TRY(
        named(ctx, t, sri_plsa_learn(ctx, bag.counts, bag.n, &how, (uint64_t)seed, NULL, &plsa)));
    st = sri_topics_new(ctx, plsa, bag.words, bag.column, out);
    bag.words = NULL;
    bag.column = NULL;
    if (st == SPECREG_OK)
        (*out)->seconds = sri_call_seconds(&call);
done:
    sri_bag_free(&bag);
    sri_call_leave(&call);
    return st;
}

/* ------------------------------------------------------------------------------ the table */

/* Numbers of the result: labels that are numbers, then topics.  `name` has room for them. */
static void put_numbers(const sri_bag *bag, const double *mixture, int64_t k, int64_t width,
                        double *out)
{
    const specreg_table *t = bag->labels;
    for (int64_t i = 0; i < bag->n; i++) {
        int64_t at = 0;
        for (int64_t c = 0; c < bag->n_labels; c++)
            if (!t->column[c].is_text)
                out[i * width + at++] = t->numbers[i * t->n_numbers + t->column[c].number];
        memcpy(out + i * width + at, mixture + i * k, (size_t)k * sizeof *out);
    }
}

static specreg_status topic_table(specreg_context *ctx, const sri_bag *bag, const double *mixture,
                                  int64_t k, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    enum { LENGTH = 32 };
    const specreg_table *t = bag->labels;
    const char **name = NULL;
    char *text = NULL;
    double *numbers = NULL;
    int64_t width = 0;
    SRI_ALLOC(ctx, name, bag->n_labels + k, 1);
    SRI_ALLOC(ctx, text, k, LENGTH);
    for (int64_t c = 0; c < bag->n_labels; c++)
        if (!t->column[c].is_text)
            name[width++] = t->column[c].name;
    for (int64_t z = 0; z < k; z++) {
        snprintf(text + z * LENGTH, LENGTH, "topic%lld", (long long)z + 1);
        name[width++] = text + z * LENGTH;
    }
    SRI_ALLOC(ctx, numbers, bag->n, width);
    put_numbers(bag, mixture, k, width, numbers);
    const specreg_view X = {.data = numbers, .rows = bag->n, .cols = width, .ld = width};
    SRI_TRY(sri_table_any_arrays(ctx, &X, name, NULL, NULL, out));
    for (int64_t c = 0; c < bag->n_labels; c++)
        if (t->column[c].is_text)
            SRI_TRY(sri_table_insert_text(ctx, *out, c, t->column[c].name, t->column[c].code,
                                          (const char *const *)t->column[c].texts.text,
                                          t->column[c].texts.count));
done:
    free(numbers);
    free(text);
    free(name);
    return st;
}

/* ----------------------------------------------------------------------------- the record */

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

static json_t *numbers(const double *v, int64_t count)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++)
        sri_json_add(&list, sri_json_number(v[i]));
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
    sri_json_put(record, "perplexity", numbers(p->perplexity, p->sweeps));
    if (p->held)
        sri_json_put(record, "held_perplexity", numbers(p->held, p->sweeps));
    sri_json_put(record, "topics", topics);
}

static specreg_status topics_record(specreg_context *ctx, const specreg_topics *t,
                                    const specreg_table *table, int64_t most, int64_t without,
                                    double seconds, char **json)
{
    specreg_status st = SPECREG_OK;
    sri_buffer how = {0}, text = {0};
    json_t *record = sri_record_new("features");
    SRI_TRY(sri_plsa_how_print(ctx, &t->plsa->how, &how));
    if (t->words)
        SRI_TRY(sri_text_how_print(ctx, &t->words->how, &text));
    sri_json_put(&record, "kind", json_string("plsa"));
    sri_json_put(&record, "data",
                 json_pack("{s:o, s:s, s:I}", "file", sri_json_string(table->source), "format",
                           table->format, "n", (json_int_t)table->rows));
    sri_json_put(&record, "plsa", json_string(how.data));
    if (t->words)
        sri_json_put(&record, "text", json_string(text.data));
    put_learned(t, most, &record);
    sri_json_put(&record, "unknown_documents", json_integer(without));
    sri_json_put(&record, "seconds",
                 json_pack("{s:f, s:f, s:f}", "read", table->read_seconds, "learn", t->seconds,
                           "total", seconds + t->seconds + table->read_seconds));
    sri_json_put(&record, "peak_bytes", json_integer(sri_memory_peak()));
    st = sri_record_text(ctx, json_incref(record), json);
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
    specreg_status st = SPECREG_OK;
    const int64_t k = topics->plsa->topics;
    sri_call call = {0};
    sri_bag bag = {0};
    double *mixture = NULL;
    int64_t most, without;
    *out = NULL;
    if (json)
        *json = NULL;
    SRI_TRY(whole_option(ctx, options, SRI_OPT_TOP_WORDS, 1, &most));
    SRI_TRY(sri_call_enter_predict(ctx, options, &call)); /* threads */
    SRI_TRY(sri_bag_apply(ctx, topics, t, options, &bag));
    SRI_ALLOC(ctx, mixture, bag.n, k);
    SRI_TRY(
        named(ctx, t, sri_plsa_fold_in(ctx, topics->plsa, bag.counts, bag.n, mixture, &without)));
    SRI_TRY(topic_table(ctx, &bag, mixture, k, out));
    if (json)
        SRI_TRY(topics_record(ctx, topics, t, most, without, sri_call_seconds(&call), json));
done:
    if (st != SPECREG_OK) {
        specreg_table_free(*out);
        *out = NULL;
    }
    free(mixture);
    sri_bag_free(&bag);
    sri_call_leave(&call);
    return st;
}

/* ------------------------------------------------------------------------- kinds of files */

specreg_status specreg_features_kind(specreg_context *ctx, const char *path, const char **kind)
{
    static const struct {
        const char *begins, *kind;
    } known[] = {{"# specreg vocabulary ", "text"}, {"# specreg topics ", "plsa"}};
    specreg_status st = SPECREG_OK;
    sri_stream *stream = NULL;
    const char *head;
    size_t length;
    *kind = "";
    SRI_TRY(sri_stream_open(ctx, path, &stream));
    SRI_TRY(sri_stream_peek(ctx, stream, &head, &length));
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (length >= strlen(known[i].begins) &&
            memcmp(head, known[i].begins, strlen(known[i].begins)) == 0)
            *kind = known[i].kind;
done:
    sri_stream_close(stream);
    return st;
}
