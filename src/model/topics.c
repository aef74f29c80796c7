/* The public way to topics. */
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "data/io/stream.h"
#include "model/bag.h"
#include "model/call.h"

/* A table's name before what is wrong with its counts. */
static specreg_status named(specreg_context *ctx, const specreg_table *t, specreg_status st)
{
    return st == SPECREG_E_NUMERIC ? sri_fail_at(ctx, st, "%s", t->source) : st;
}

specreg_status specreg_topics_learn(specreg_context *ctx, const specreg_table *t,
                                    const specreg_options *options, specreg_topics **out)
{
    SRI_MAKES(ctx, out, t);
    specreg_status st = SPECREG_OK;
    const char *spec = sri_option_value(options, SRI_OPT_PLSA);
    sri_call call = {0};
    sri_plsa_how how;
    sri_bag bag = {0};
    sri_plsa *plsa = NULL;
    int64_t seed;
    SRI_TRY(sri_plsa_how_parse(ctx, *spec ? spec : "auto", &how));
    SRI_TRY(sri_whole_option(ctx, options, SRI_OPT_SEED, 0, SRI_LARGEST_WHOLE, &seed));
    SRI_TRY(sri_call_enter_predict(ctx, options, &call)); /* threads */
    SRI_TRY(sri_bag_learn(ctx, t, options, &bag));
    SRI_TRY(named(ctx, t, sri_plsa_learn(ctx, bag.counts, &how, (uint64_t)seed, NULL, &plsa)));
    st = sri_topics_new(ctx, plsa, bag.vocabulary, bag.column, out);
    bag.vocabulary = NULL;
    bag.column = NULL;
    if (st == SPECREG_OK)
        (*out)->seconds = sri_call_seconds(&call);
done:
    sri_bag_free(&bag);
    sri_call_leave(&call);
    return st;
}

/* Numbers of the result: labels that are numbers, then topics.  `name` has room for them. */
static void put_numbers(const sri_bag *bag, const double *mixture, int64_t k, int64_t width,
                        double *out)
{
    const specreg_table *t = bag->labels;
    for (int64_t i = 0; i < bag->n; i++) {
        int64_t at = 0;
        for (int64_t c = 0; c < bag->n_labels; c++)
            if (!t->column[c].is_text)
                out[i * width + at++] = sri_cell_number(t, i, &t->column[c]);
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
                                          &t->column[c].texts));
done:
    sri_free(numbers);
    sri_free(text);
    sri_free(name);
    return st;
}

specreg_status sri_topics_table(specreg_context *ctx, const specreg_topics *topics,
                                const specreg_table *t, const specreg_options *options,
                                specreg_table **out, int64_t *unknown)
{
    specreg_status st = SPECREG_OK;
    const int64_t k = topics->plsa->topics;
    sri_bag bag = {0};
    double *mixture = NULL;
    *out = NULL;
    SRI_TRY(sri_bag_apply(ctx, topics, t, options, &bag));
    SRI_ALLOC(ctx, mixture, bag.n, k);
    SRI_TRY(named(ctx, t, sri_plsa_fold_in(ctx, topics->plsa, bag.counts, mixture, unknown)));
    SRI_TRY(topic_table(ctx, &bag, mixture, k, out));
done:
    if (st != SPECREG_OK) {
        specreg_table_free(*out);
        *out = NULL;
    }
    sri_free(mixture);
    sri_bag_free(&bag);
    return st;
}

specreg_status specreg_features_kind(specreg_context *ctx, const char *path, const char **kind)
{
    SRI_MAKES(ctx, kind, path);
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
