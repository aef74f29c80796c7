/* A context with an allocator of the caller's own. */
#include "kit/fault.h"
#include "kit/kit.h"

#include "core/arena.h"

/* The allocator itself rests on the C library. */
#undef malloc
#undef free

typedef struct counted {
    int64_t taken, live;
    int64_t left; /* allocations until one fails; -1: none does */
} counted;

static void *count_in(void *payload, size_t bytes)
{
    counted *c = payload;
    void *block;
#pragma omp critical(counted)
    {
        block = c->left == 0 ? NULL : malloc(bytes);
        c->left -= c->left >= 0;
        c->taken += block != NULL;
        c->live += block != NULL;
    }
    return block;
}

static void count_out(void *payload, void *block)
{
    counted *c = payload;
#pragma omp critical(counted)
    c->live--;
    free(block);
}

/* A fit of some rows and its predictions, with a context of its own, which goes first. */
static specreg_status fit_and_predict(counted *c)
{
    enum { N = 12 };
    const specreg_allocator own = {count_in, count_out, c};
    double x[N], y[N], f[N];
    specreg_context *ctx = NULL;
    specreg_options *options = NULL;
    specreg_model *model = NULL;
    char *record = NULL;
    for (int i = 0; i < N; i++) {
        x[i] = i * 0.1;
        y[i] = x[i] * x[i];
    }
    const specreg_view X = {x, N, 1, 1}, Y = {y, N, 1, 1};
    specreg_status st = specreg_context_new_with(&own, &ctx);
    st = st ? st : specreg_options_new(ctx, &options);
    st = st ? st : specreg_fit_arrays(ctx, &X, &Y, options, &model);
    st = st ? st : specreg_predict_array(ctx, model, &X, options, f, N);
    st = st ? st : specreg_model_record(ctx, model, &record);
    specreg_options_free(options);
    specreg_context_free(ctx);
    specreg_string_free(record);
    specreg_model_free(model); /* which outlives its context */
    return st;
}

TEST(allocator, everything_comes_from_it_and_goes_back)
{
    counted c = {.left = -1};
    kit_fail_allocation(INT64_MAX);
    CHECK_EQ(fit_and_predict(&c), SPECREG_OK);
    kit_disarm();
    CHECK(c.taken > 50);
    CHECK_EQ(c.live, 0);
    CHECK_EQ(kit_calls(), c.taken); /* the library asked nobody else */
}

TEST(allocator, a_failure_at_any_place_is_out_of_memory_and_leaves_nothing)
{
    specreg_status st = SPECREG_E_NOMEM;
    for (int64_t k = 0; st != SPECREG_OK; k++) {
        counted c = {.left = k};
        st = fit_and_predict(&c);
        CHECK(st == SPECREG_OK || st == SPECREG_E_NOMEM);
        CHECK_EQ(c.live, 0);
    }
}

TEST(allocator, half_of_one_is_refused)
{
    specreg_context *none = (void *)1;
    CHECK_EQ(specreg_context_new_with(&(specreg_allocator){count_in, NULL, NULL}, &none),
             SPECREG_E_ARG);
    CHECK(!none);
}

TEST(allocator, blocks_grow_and_shrink_and_keep_what_they_hold)
{
    counted c = {.left = -1};
    const specreg_allocator own = {count_in, count_out, &c}, *const of[] = {&own, NULL};
    for (int which = 0; which < 2; which++) {
        specreg_context *mine = NULL;
        int32_t *x = NULL;
        int64_t capacity = 0;
        CHECK_OK(ctx, specreg_context_new_with(of[which], &mine));
        for (int32_t i = 0; i < 5000; i++) {
            CHECK_OK(mine, sri_grow(mine, (void **)&x, &capacity, i + 1, sizeof *x));
            x[i] = i;
        }
        sri_trim((void **)&x, 5000, sizeof *x);
        for (int32_t i = 0; i < 5000; i++)
            CHECK_EQ(x[i], i);
        sri_free(x);
        specreg_context_free(mine);
    }
    CHECK_EQ(c.live, 0);
}
