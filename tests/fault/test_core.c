/* The small parts of core under failing allocations, and the kit's own bookkeeping. */
#include "kit/fault.h"
#include "kit/kit.h"

#include "core/arena.h"
#include "core/spec.h"

/* Here the C library's own are wanted: the kit counts them. */
#undef malloc
#undef free

TEST(fault, kit_counts_what_is_live)
{
    kit_fail_allocation(1);
    void *first = malloc(10), *second = malloc(10), *third = malloc(10);
    CHECK(first && !second && third);
    CHECK_EQ(kit_live_allocations(), 2);
    first = realloc(first, 100000);
    CHECK_EQ(kit_live_allocations(), 2);
    CHECK(kit_disarm());
    free(first);
    free(third);
    CHECK_EQ(kit_live_allocations(), 0);
    CHECK_EQ(kit_calls(), 4);
}

TEST(fault, spec_parse_survives_every_failing_allocation)
{
    int64_t k = 0;
    for (bool failed = true; failed; k++) {
        sri_spec spec = {0};
        kit_fail_allocation(k);
        const specreg_status st =
            sri_spec_parse(ctx, "--kernel", "matern:nu=1.5,sigma={0.5,1,2}", &spec);
        failed = kit_disarm();
        CHECK_EQ(st, failed ? SPECREG_E_NOMEM : SPECREG_OK);
        if (failed)
            CHECK_HAS(specreg_last_error(ctx), "memory");
        sri_spec_free(&spec);
        CHECK_EQ(kit_live_allocations(), 0);
    }
    CHECK(k > 3); /* it did allocate */
}

TEST(fault, context_and_options_survive_every_failing_allocation)
{
    for (int64_t k = 0, failed = 1; failed; k++) {
        specreg_context *c = NULL;
        specreg_options *o = NULL;
        kit_fail_allocation(k);
        specreg_status st = specreg_context_new(&c);
        if (!st)
            st = specreg_options_new(c, &o);
        if (!st)
            st = specreg_options_set(c, o, "kernel", "linear");
        failed = kit_disarm();
        CHECK_EQ(st, failed ? SPECREG_E_NOMEM : SPECREG_OK);
        specreg_options_free(o);
        specreg_context_free(c);
        CHECK_EQ(kit_live_allocations(), 0);
    }
}

static specreg_status take_three(specreg_context *ctx)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    double *a, *b;
    int32_t *c;
    SRI_SCRATCH(ctx, &scratch, a, 3, 4);
    SRI_SCRATCH_ZERO(ctx, &scratch, b, 5, 1);
    SRI_SCRATCH(ctx, &scratch, c, 0, 9);
done:
    sri_arena_free(&scratch);
    return st;
}

TEST(fault, an_arena_frees_what_was_taken_before_an_allocation_failed)
{
    int64_t k = 0;
    for (bool failed = true; failed; k++) {
        kit_fail_allocation(k);
        const specreg_status st = take_three(ctx);
        failed = kit_disarm();
        CHECK_EQ(st, failed ? SPECREG_E_NOMEM : SPECREG_OK);
        CHECK_EQ(kit_live_allocations(), 0);
    }
    CHECK_EQ(k, 4);
}
