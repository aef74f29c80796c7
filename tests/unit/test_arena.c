/* Scratch memory: aligned, apart, and gone at once. */
#include <string.h>

#include "core/arena.h"
#include "kit/kit.h"

TEST(arena, blocks_are_aligned_and_do_not_overlap)
{
    enum { BLOCKS = 50 };
    sri_arena arena = {0};
    unsigned char *block[BLOCKS];
    for (int k = 0; k < BLOCKS; k++) {
        block[k] = sri_arena_take(ctx, &arena, k, 3, 7);
        CHECK(block[k] && (uintptr_t)block[k] % 64 == 0);
        memset(block[k], k, (size_t)k * 21);
    }
    for (int k = 0; k < BLOCKS; k++)
        for (int i = 0; i < k * 21; i++)
            CHECK_EQ(block[k][i], k);
    sri_arena_free(&arena);
    CHECK(!arena.newest);
}

TEST(arena, zeroed_blocks_are_zero_and_an_arena_can_be_used_again)
{
    sri_arena arena = {0};
    for (int again = 0; again < 2; again++) {
        double *x = sri_arena_take(ctx, &arena, 10, 10, sizeof *x);
        memset(x, 0xff, 100 * sizeof *x);
        sri_arena_free(&arena);
        x = sri_arena_take_zero(ctx, &arena, 10, 10, sizeof *x);
        for (int i = 0; i < 100; i++)
            CHECK(x[i] == 0);
        sri_arena_free(&arena);
    }
}

TEST(arena, a_size_that_does_not_fit_is_said)
{
    sri_arena arena = {0};
    CHECK(!sri_arena_take(ctx, &arena, INT64_MAX, 2, 8));
    CHECK_HAS(specreg_last_error(ctx), "out of memory");
    CHECK(!sri_arena_take(ctx, &arena, -1, 1, 8));
    CHECK(!sri_arena_take(ctx, &arena, INT64_MAX, 1, 1));
    CHECK(!arena.newest);
}
