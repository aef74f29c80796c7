/* The digest of several pieces. */
#include <stdio.h>
#include <xxhash.h>

#include "core/digest.h"
#include "kit/kit.h"

static bool same(const sri_digest *a, const sri_digest *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

TEST(digest, order_and_borders_of_the_pieces_count)
{
    static const char *const pieces[][3] = {{"ab", "c", ""}, {"a", "bc", ""}, {"", "ab", "c"},
                                            {"c", "ab", ""}, {"abc", "", ""}, {"", "", "abc"},
                                            {"", "", ""}};
    enum { N = sizeof pieces / sizeof pieces[0] };
    sri_digest d[N] = {{{0}}};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < 3; j++)
            sri_digest_text(&d[i], pieces[i][j]);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++)
            CHECK(!same(&d[i], &d[j]));
}

TEST(digest, the_same_pieces_give_the_same_and_any_bit_another)
{
    double *v = kit_normal(1, 100, 1);
    sri_digest before = {{0}}, after;
    sri_digest_text(&before, "x");
    sri_digest_add(&before, v, 100 * sizeof *v);
    for (int i = 0; i < 6400; i += 63) {
        unsigned char *byte = (unsigned char *)v + i / 8;
        for (int twice = 0; twice < 2; twice++) {
            *byte ^= (unsigned char)(1 << i % 8);
            after = (sri_digest){{0}};
            sri_digest_text(&after, "x");
            sri_digest_add(&after, v, 100 * sizeof *v);
            CHECK_EQ(same(&before, &after), twice);
        }
    }
    free(v);
}

/* By the formula of its header, from the xxHash library itself. */
TEST(digest, of_one_piece_is_the_hash_of_zeros_and_its_hash)
{
    sri_digest d = {{0}};
    const XXH128_hash_t piece = XXH3_128bits("specreg", 7);
    const uint64_t pair[4] = {0, 0, piece.low64, piece.high64};
    const XXH128_hash_t expected = XXH3_128bits(pair, sizeof pair);
    sri_digest_text(&d, "specreg");
    CHECK(d.word[0] == expected.low64 && d.word[1] == expected.high64);
}
