/* Documents, vocabularies and models of text while allocations and reads fail one after the other:
 * a status, a text, no leak. */
#include "kit/fault.h"
#include "kit/kit.h"

#include "data/text/vocabulary.h"

#define CORPUS SPECREG_SOURCE_DIR "/data/texts/train"
#define NEW SPECREG_SOURCE_DIR "/data/texts/new.txt"

#define EVERY_ALLOCATION(ctx, call, cleanup, least)                \
    do {                                                           \
        int64_t k_ = 0;                                            \
        for (bool failed_ = true; failed_; k_++) {                 \
            kit_fail_allocation(k_);                               \
            const specreg_status st_ = (call);                     \
            failed_ = kit_disarm();                                \
            CHECK_EQ(st_, failed_ ? SPECREG_E_NOMEM : SPECREG_OK); \
            if (failed_)                                           \
                CHECK_HAS(specreg_last_error(ctx), "memory");      \
            cleanup;                                               \
            CHECK_EQ(kit_live_allocations(), 0);                   \
        }                                                          \
        CHECK(k_ > (least)); /* it did allocate */                 \
    } while (0)

static specreg_options *text_options(specreg_context *ctx)
{
    specreg_options *o;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "text", "min-docs=3,words=5"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "labels", "numbers"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "param", "lambda=0.1"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "select", "none"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "target", "2"));
    return o;
}

TEST(fault, documents_survive_every_failing_allocation_and_read)
{
    specreg_options *o = text_options(ctx);
    specreg_table *t;
    EVERY_ALLOCATION(ctx, specreg_table_read(ctx, CORPUS, o, &t), specreg_table_free(t), 60);
    EVERY_ALLOCATION(ctx, specreg_table_read(ctx, NEW, o, &t), specreg_table_free(t), 15);
    for (int64_t k = 0;; k++) {
        kit_fail_read(k);
        const specreg_status st = specreg_table_read(ctx, CORPUS, o, &t);
        specreg_table_free(t);
        if (!kit_disarm())
            break;
        CHECK_EQ(st, SPECREG_E_IO);
        CHECK_HAS(specreg_last_error(ctx), ".txt: cannot read");
    }
    specreg_options_free(o);
}

TEST(fault, vocabularies_survive_every_failing_allocation)
{
    specreg_options *o = text_options(ctx);
    specreg_table *t, *features;
    specreg_vocabulary *v, *back;
    sri_buffer text = {0};
    char *json;
    CHECK_OK(ctx, specreg_table_read(ctx, NEW, o, &t)); /* few documents: every run is short */
    specreg_options *one = text_options(ctx);
    CHECK_OK(ctx, specreg_options_set(ctx, one, "text", "min-docs=2,words=5"));
    EVERY_ALLOCATION(ctx, specreg_vocabulary_learn(ctx, t, one, &v), specreg_vocabulary_free(v),
                     60);
    CHECK_OK(ctx, specreg_vocabulary_learn(ctx, t, one, &v));
    EVERY_ALLOCATION(ctx, specreg_vocabulary_apply(ctx, v, t, one, &features, &json),
                     (specreg_table_free(features), specreg_string_free(json)), 30);
    CHECK_OK(ctx, sri_vocabulary_print(ctx, v, &text));
    EVERY_ALLOCATION(ctx, sri_vocabulary_parse(ctx, "w", text.data, (size_t)text.length, &back),
                     specreg_vocabulary_free(back), 10);
    sri_buffer_free(&text);
    specreg_vocabulary_free(v);
    specreg_options_free(one);
    specreg_table_free(t);
    specreg_options_free(o);
}

TEST(fault, models_of_documents_survive_every_failing_allocation)
{
    specreg_options *o = text_options(ctx);
    specreg_table *t, *out;
    specreg_model *m, *back;
    const char *path = kit_temp("text.srm");
    CHECK_OK(ctx, specreg_options_set(ctx, o, "text", "min-docs=2,words=5"));
    CHECK_OK(ctx, specreg_table_read(ctx, NEW, o, &t));
    EVERY_ALLOCATION(ctx, specreg_fit(ctx, t, o, &m), specreg_model_free(m), 100);
    CHECK_OK(ctx, specreg_fit(ctx, t, o, &m));
    EVERY_ALLOCATION(ctx, specreg_predict(ctx, m, t, NULL, &out), specreg_table_free(out), 30);
    EVERY_ALLOCATION(ctx, specreg_model_save(ctx, m, path), (void)0, 5);
    EVERY_ALLOCATION(ctx, specreg_model_load(ctx, path, &back), specreg_model_free(back), 20);
    specreg_model_free(m);
    specreg_table_free(t);
    specreg_options_free(o);
}

/* new.txt has eight documents, two of them without a word that is known. */
TEST(fault, models_with_topics_survive_every_failing_allocation)
{
    specreg_options *o = text_options(ctx);
    specreg_table *t, *out;
    specreg_model *m, *back;
    const char *path = kit_temp("plsa.srm");
    CHECK_OK(ctx, specreg_options_set(ctx, o, "text", "min-docs=2,words=5"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "features", "plsa:topics=2,sweeps=3"));
    CHECK_OK(ctx, specreg_table_read(ctx, NEW, o, &t));
    EVERY_ALLOCATION(ctx, specreg_fit(ctx, t, o, &m), specreg_model_free(m), 150);
    CHECK_OK(ctx, specreg_fit(ctx, t, o, &m));
    EVERY_ALLOCATION(ctx, specreg_predict(ctx, m, t, NULL, &out), specreg_table_free(out), 40);
    EVERY_ALLOCATION(ctx, specreg_model_save(ctx, m, path), (void)0, 5);
    EVERY_ALLOCATION(ctx, specreg_model_load(ctx, path, &back), specreg_model_free(back), 25);
    specreg_model_free(m);
    specreg_table_free(t);
    specreg_options_free(o);
}
