/* Philox 4x32-10 and what is drawn from it. */
#include <math.h>

#include "core/rng.h"
#include "kit/kit.h"

/* The vectors of Random123 1.14 (kat_vectors: philox4x32 10).  Counter words 0-1 are `counter`,
 * words 2-3 `stream`; the key is `seed`.  Words are handed out two by two, the last pair first. */
static void check_block(uint64_t counter, uint64_t stream, uint64_t key, const uint32_t expected[4])
{
    sri_rng r = sri_rng_make(key, stream);
    r.counter = counter;
    const uint64_t first = sri_rng_next(&r), second = sri_rng_next(&r);
    CHECK_EQ(first, (uint64_t)expected[3] << 32 | expected[2]);
    CHECK_EQ(second, (uint64_t)expected[1] << 32 | expected[0]);
}

TEST(rng, philox_gives_the_published_vectors)
{
    check_block(0, 0, 0, (const uint32_t[]){0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    check_block(UINT64_MAX, UINT64_MAX, UINT64_MAX,
                (const uint32_t[]){0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    check_block(0x85a308d3243f6a88, 0x0370734413198a2e, 0x299f31d0a4093822,
                (const uint32_t[]){0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST(rng, numbers_depend_on_seed_stream_and_place_only)
{
    sri_rng a = sri_rng_make(5, 1), b = sri_rng_make(5, 1), c = sri_rng_make(5, 2),
            d = sri_rng_make(6, 1);
    int same_c = 0, same_d = 0;
    for (int i = 0; i < 1000; i++) {
        const uint64_t v = sri_rng_next(&a);
        CHECK_EQ(v, sri_rng_next(&b));
        same_c += v == sri_rng_next(&c);
        same_d += v == sri_rng_next(&d);
    }
    CHECK_EQ(same_c + same_d, 0);
}

/* n draws of a mean with standard deviation s lie within 5 s / sqrt(n) of it, but for one in 2e6.
 */
TEST(rng, uniform_and_normal_have_their_moments)
{
    enum { N = 200000 };
    sri_rng r = sri_rng_make(7, SRI_STREAM_TEST);
    double sum = 0, square = 0, cube = 0, fourth = 0, u = 0, u2 = 0;
    for (int i = 0; i < N; i++) {
        const double x = sri_rng_uniform(&r), z = sri_rng_normal(&r);
        CHECK(x >= 0 && x < 1 && isfinite(z));
        u += x;
        u2 += x * x;
        sum += z;
        square += z * z;
        cube += z * z * z;
        fourth += z * z * z * z;
    }
    const double root = 5 / sqrt(N);
    CHECK_NEAR(u / N, 0.5, root * sqrt(1.0 / 12));
    CHECK_NEAR(u2 / N, 1.0 / 3, root * sqrt(4.0 / 45));
    CHECK_NEAR(sum / N, 0, root);
    CHECK_NEAR(square / N, 1, root * sqrt(2));
    CHECK_NEAR(cube / N, 0, root * sqrt(15));
    CHECK_NEAR(fourth / N, 3, root * sqrt(96));
}

/* Pearson's statistic with k - 1 degrees of freedom has mean k - 1 and variance 2 (k - 1). */
static void check_counts(const int64_t *count, int k, int64_t draws)
{
    double chi2 = 0;
    const double expected = (double)draws / k;
    for (int i = 0; i < k; i++)
        chi2 += (count[i] - expected) * (count[i] - expected) / expected;
    CHECK(fabs(chi2 - (k - 1)) <= 5 * sqrt(2.0 * (k - 1)));
}

TEST(rng, below_is_even_and_in_range)
{
    sri_rng r = sri_rng_make(8, SRI_STREAM_TEST);
    int64_t count[23] = {0};
    for (int i = 0; i < 230000; i++) {
        const int64_t v = sri_rng_below(&r, 23);
        CHECK(v >= 0 && v < 23);
        count[v]++;
    }
    check_counts(count, 23, 230000);
    for (int i = 0; i < 100; i++) {
        CHECK_EQ(sri_rng_below(&r, 1), 0);
        CHECK(sri_rng_below(&r, INT64_MAX) >= 0);
    }
}

TEST(rng, shuffles_reach_every_order_equally_often)
{
    enum { N = 5, ORDERS = 120, DRAWS = 60000 };
    sri_rng r = sri_rng_make(9, SRI_STREAM_TEST);
    int64_t count[ORDERS] = {0};
    for (int i = 0; i < DRAWS; i++) {
        int64_t v[N] = {0, 1, 2, 3, 4};
        sri_rng_shuffle(&r, v, N);
        int code = 0; /* Lehmer's number of the permutation */
        for (int a = 0; a < N; a++) {
            int smaller = 0;
            for (int b = a + 1; b < N; b++)
                smaller += v[b] < v[a];
            code = code * (N - a) + smaller;
        }
        CHECK(code >= 0 && code < ORDERS);
        count[code]++;
    }
    check_counts(count, ORDERS, DRAWS);
    sri_rng_shuffle(&r, NULL, 0);
}
