/* Scratch memory: aligned, apart, and gone at once; what a triangle counts for. */
#include <math.h>
#include <string.h>
#include <unistd.h>

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

/* A row of i numbers lies in 8 i bytes and reaches into up to a page more. */
TEST(arena, a_lower_triangle_counts_for_the_pages_it_touches)
{
    enum { N = 2000 };
    const double page = (double)sysconf(_SC_PAGESIZE), all = 8.0 * N * N;
    const double touched = fmin(all / 2 + N * page, all);
    const sri_memory_scope outer = sri_memory_begin(ctx, (int64_t)(0.9 * all));
    const int64_t left = sri_memory_left(ctx);
    CHECK(!sri_alloc(ctx, N, N, 8));
    double *K = sri_alloc_lower(ctx, N);
    CHECK(!K == (touched > 0.9 * all));
    if (K)
        CHECK_EQ(left - sri_memory_left(ctx), (int64_t)touched);
    for (int64_t i = 0; K && i < N; i++)
        for (int64_t j = 0; j <= i; j++)
            K[i * N + j] = (double)i;
    sri_free(K);
    CHECK_EQ(sri_memory_left(ctx), left);
    CHECK(!sri_alloc_lower(ctx, 2 * N));
    CHECK_HAS(specreg_last_error(ctx), "more memory");
    CHECK(!sri_alloc_lower(ctx, INT64_MAX));
    CHECK(sri_lower_bytes(10) == 800);
    sri_memory_end(ctx, outer);
}
