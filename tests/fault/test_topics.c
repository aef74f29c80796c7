/* Topics while allocations fail one after the other: a status, a text, no leak. */
#include "kit/fault.h"
#include "kit/kit.h"

#include "data/text/topics.h"

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

static void check(specreg_context *ctx, const specreg_table *t, const specreg_options *o)
{
    specreg_topics *topics, *back;
    specreg_table *out;
    sri_buffer text = {0};
    char *json;
    EVERY_ALLOCATION(ctx, specreg_topics_learn(ctx, t, o, &topics), specreg_topics_free(topics),
                     20);
    CHECK_OK(ctx, specreg_topics_learn(ctx, t, o, &topics));
    EVERY_ALLOCATION(ctx, specreg_topics_apply(ctx, topics, t, o, &out, &json),
                     (specreg_table_free(out), specreg_string_free(json)), 15);
    EVERY_ALLOCATION(ctx, sri_topics_print(ctx, topics, &text), sri_buffer_free(&text), 1);
    CHECK_OK(ctx, sri_topics_print(ctx, topics, &text));
    EVERY_ALLOCATION(ctx, sri_topics_parse(ctx, "t", text.data, (size_t)text.length, &back),
                     specreg_topics_free(back), 10);
    sri_buffer_free(&text);
    specreg_topics_free(topics);
}

TEST(fault, topics_survive_every_failing_allocation)
{
    specreg_options *o;
    specreg_table *t;
    const double x[] = {1, 2, 0, 3, 0, 1, 2, 2, 0, 1, 4, 1};
    static const char *const names[] = {"a", "b", "c"};
    const specreg_view X = {.data = x, .rows = 4, .cols = 3, .ld = 3};
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "plsa", "topics=2,sweeps=5"));
    CHECK_OK(ctx, specreg_table_from_arrays(ctx, &X, names, NULL, NULL, &t));
    check(ctx, t, o);
    specreg_table_free(t);
    CHECK_OK(ctx, specreg_options_set(ctx, o, "text", "min-docs=2,words=5"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "plsa", "topics=2,sweeps=5,held-out=0.3"));
    CHECK_OK(ctx, specreg_table_read(ctx, NEW, o, &t));
    check(ctx, t, o);
    specreg_table_free(t);
    specreg_options_free(o);
}

static int stop(const specreg_progress *progress, void *payload)
{
    int *left = payload;
    return --*left < 0 ? 1 : 0;
}

TEST(fault, topics_that_are_cancelled_leave_nothing)
{
    const double x[] = {1, 2, 0, 3, 0, 1, 2, 2, 0, 1, 4, 1};
    const specreg_view X = {.data = x, .rows = 4, .cols = 3, .ld = 3};
    specreg_topics *topics;
    specreg_table *t;
    int left = 0;
    CHECK_OK(ctx, specreg_table_from_arrays(ctx, &X, NULL, NULL, NULL, &t));
    specreg_options *o;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "plsa", "topics=2,sweeps=5"));
    specreg_set_progress(ctx, stop, &left);
    kit_fail_allocation(1000000); /* counts what is live */
    CHECK_EQ(specreg_topics_learn(ctx, t, o, &topics), SPECREG_E_CANCELLED);
    kit_disarm();
    CHECK(topics == NULL);
    CHECK_EQ(kit_live_allocations(), 0);
    specreg_options_free(o);
    specreg_table_free(t);
}
