/* BCH codes against the tables of textbooks, and what they promise: distances, linearity, columns
 * that differ, errors that are corrected. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kit/kit.h"

#include "coding/bch_code.h"
#include "coding/coding.h"
#include "core/rng.h"

/* length, dimension, errors corrected: Lin and Costello, Error Control Coding, appendix C. */
static const int TABLE[][3] = {
    {15, 1, 7},    {15, 5, 3},    {15, 7, 2},    {15, 11, 1},   {31, 1, 15},   {31, 6, 7},
    {31, 11, 5},   {31, 16, 3},   {31, 21, 2},   {31, 26, 1},   {63, 1, 31},   {63, 7, 15},
    {63, 10, 13},  {63, 16, 11},  {63, 18, 10},  {63, 24, 7},   {63, 30, 6},   {63, 36, 5},
    {63, 39, 4},   {63, 45, 3},   {63, 51, 2},   {63, 57, 1},   {127, 1, 63},  {127, 8, 31},
    {127, 15, 27}, {127, 22, 23}, {127, 29, 21}, {127, 36, 15}, {127, 43, 14}, {127, 50, 13},
    {127, 57, 11},
};
enum { CODES = sizeof TABLE / sizeof *TABLE };

static sri_bch code_at(int i)
{
    sri_bch code = {0};
    CHECK(sri_bch_make(TABLE[i][0], INT64_C(1) << TABLE[i][1], &code));
    return code;
}

static int weight(const uint8_t *bit, int length)
{
    int sum = 0;
    for (int t = 0; t < length; t++)
        sum += bit[t];
    return sum;
}

TEST(bch, dimensions_and_distances_are_those_of_the_table)
{
    for (int i = 0; i < CODES; i++) {
        const sri_bch code = code_at(i);
        CHECK_EQ(code.dimension, TABLE[i][1]);
        CHECK_EQ(code.corrects, TABLE[i][2]);
        /* one word more than the code before has takes this one */
        const bool first = i == 0 || TABLE[i - 1][0] != TABLE[i][0];
        sri_bch other;
        CHECK(sri_bch_make(TABLE[i][0], first ? 1 : (INT64_C(1) << TABLE[i - 1][1]) + 1, &other));
        CHECK_EQ(other.dimension, TABLE[i][1]);
    }
    sri_bch code;
    CHECK(!sri_bch_make(15, 2049, &code));
    CHECK(!sri_bch_make(64, 2, &code));
    CHECK(!sri_bch_make(7, 2, &code));
}

/* The table has them in octal, the highest power first. */
TEST(bch, generators_are_those_of_the_table)
{
    static const struct {
        int length, dimension;
        uint64_t generator;
    } known[] = {{15, 11, 023},        {15, 7, 0721},     {15, 5, 02467},     {31, 26, 045},
                 {31, 21, 03551},      {31, 16, 0107657}, {31, 11, 05423325}, {31, 6, 0313365047},
                 {63, 57, 0103},       {63, 51, 012471},  {63, 45, 01701317}, {63, 39, 0166623567},
                 {63, 36, 01033500423}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        sri_bch code;
        uint64_t g = 0;
        CHECK(sri_bch_make(known[i].length, INT64_C(1) << known[i].dimension, &code));
        for (int d = 0; d < 64; d++)
            g |= (uint64_t)code.generator[d] << d;
        CHECK_EQ(g, known[i].generator);
    }
}

/* All words of the codes with up to 2^16 of them: the least weight is the least distance. */
TEST(bch, the_least_distance_is_the_designed_one)
{
    uint8_t bit[SRI_BCH_LONGEST];
    for (int i = 0; i < CODES; i++) {
        const sri_bch code = code_at(i);
        if (code.dimension > 16)
            continue;
        int least = code.length;
        for (uint64_t m = 1; m < UINT64_C(1) << code.dimension; m++) {
            sri_bch_word(&code, m, bit);
            const int w = weight(bit, code.length);
            least = w < least ? w : least;
        }
        CHECK_EQ(least, 2 * code.corrects + 1);
    }
}

TEST(bch, codes_are_linear_and_no_two_columns_are_the_same)
{
    enum { DRAWS = 200 };
    sri_rng rng = sri_rng_make(3, SRI_STREAM_TEST);
    for (int i = 0; i < CODES; i++) {
        const sri_bch code = code_at(i);
        const int n = code.length;
        uint8_t a[SRI_BCH_LONGEST], b[SRI_BCH_LONGEST], sum[SRI_BCH_LONGEST];
        for (int draw = 0; draw < DRAWS; draw++) {
            const uint64_t mask = (UINT64_C(1) << code.dimension) - 1;
            const uint64_t x = sri_rng_next(&rng) & mask, y = sri_rng_next(&rng) & mask;
            sri_bch_word(&code, x, a);
            sri_bch_word(&code, y, b);
            sri_bch_word(&code, x ^ y, sum);
            for (int t = 0; t < n; t++)
                CHECK_EQ(sum[t], a[t] ^ b[t]);
            if (x != y)
                CHECK(weight(sum, n) >= 2 * code.corrects + 1);
        }
        if (code.dimension == 1) /* the word and its negative: one column, many times */
            continue;
        uint64_t column[SRI_BCH_LONGEST] = {
            0}; /* of the words of single bits, which span the code */
        for (int j = 0; j < code.dimension; j++) {
            sri_bch_word(&code, UINT64_C(1) << j, a);
            for (int t = 0; t < n; t++)
                column[t] |= (uint64_t)a[t] << j;
        }
        for (int s = 0; s < n; s++)
            for (int t = 0; t < s; t++)
                CHECK(column[s] != column[t]);
    }
}

/* ------------------------------------------------------------------ as a coding */

static sri_coding *coding_of(specreg_context *ctx, const char *text, int64_t classes)
{
    sri_coding_spec spec;
    sri_coding *coding;
    CHECK_OK(ctx, sri_coding_parse(ctx, text, &spec));
    CHECK_OK(ctx, sri_coding_new(ctx, &spec, classes, &coding));
    return coding;
}

/* The signs of all words as bits, in two numbers for each. */
static uint64_t *signs_of(const sri_coding *c, int64_t k)
{
    uint64_t *bits = calloc((size_t)(2 * k), sizeof *bits);
    CHECK(bits && c->width <= 128);
    for (int64_t i = 0; i < k * c->width; i++) {
        const int64_t v = i / c->width, t = i % c->width;
        CHECK(fabs(c->word[i]) == 1);
        bits[2 * v + t / 64] |= (uint64_t)(c->word[i] > 0) << t % 64;
    }
    return bits;
}

static int distance(const uint64_t *v, const uint64_t *w)
{
    return __builtin_popcountll(v[0] ^ w[0]) + __builtin_popcountll(v[1] ^ w[1]);
}

TEST(bch, words_of_classes_keep_the_distance_and_columns_differ_where_they_can)
{
    static const int lengths[] = {15, 31, 63, 127};
    static const int64_t sizes[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 26, 60, 200};
    for (int l = 0; l < 4; l++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            char text[32];
            sri_bch code;
            snprintf(text, sizeof text, "bch:%d", lengths[l]);
            const int64_t k = sizes[i], L = lengths[l];
            sri_coding *c = coding_of(ctx, text, k);
            CHECK(sri_bch_make(lengths[l], k, &code));
            CHECK_EQ(c->width, L);
            uint64_t *bits = signs_of(c, k);
            for (int64_t v = 0; v < k; v++)
                for (int64_t w = 0; w < v; w++)
                    CHECK(distance(bits + 2 * v, bits + 2 * w) >= 2 * code.corrects + 1);
            int64_t repeated = 0, constant = 0;
            for (int64_t s = 0; s < L; s++) {
                int64_t ones = 0;
                bool again = false;
                for (int64_t v = 0; v < k; v++)
                    ones += c->word[v * L + s] > 0;
                constant += ones == 0 || ones == k;
                for (int64_t t = 0; t < s && !again; t++) {
                    int64_t equal = 0;
                    for (int64_t v = 0; v < k; v++)
                        equal += c->word[v * L + s] == c->word[v * L + t];
                    again = equal == k || equal == 0;
                }
                repeated += again;
            }
            /* problems, not constants: few words without an opposite leave some columns out */
            CHECK(k == 2 || k >= 8 ? constant == 0 : constant <= L / 2);
            for (int64_t v = 0; v < k && 2 * k <= INT64_C(1) << code.dimension; v++)
                for (int64_t w = 0; w < v && k > 2; w++)
                    CHECK(distance(bits + 2 * v, bits + 2 * w) < L);
            free(bits);
            /* k classes have 2^(k-1) - 1 problems; words 0, one for each dimension and the last
             * one make at least half of them */
            if (k >= 9)
                CHECK_EQ(repeated, 0);
            else if (L >= 63 && k >= 3)
                CHECK(L - repeated >= (INT64_C(1) << (k - 2)) || repeated == 0);
            sri_coding_free(c);
        }
}

/* Any t wrong signs are corrected: all single ones, then random ones, of sizes that vary. */
TEST(bch, hamming_decoding_corrects_as_many_wrong_signs_as_promised)
{
    static const char *const how[] = {"bch:15,decode=hamming",
                                      "bch:31,decode=hamming",
                                      "bch:length=63,decode=hamming",
                                      "bch:127,decode=hamming",
                                      "bch:63",
                                      "bch:63,decode=loss"};
    sri_rng rng = sri_rng_make(4, SRI_STREAM_TEST);
    for (size_t h = 0; h < sizeof how / sizeof *how; h++)
        for (int64_t k = 2; k <= 40; k += 19) {
            sri_coding *c = coding_of(ctx, how[h], k);
            sri_bch code;
            CHECK(sri_bch_make((int)c->width, k, &code));
            double f[SRI_BCH_LONGEST], scores[40];
            int64_t place[SRI_BCH_LONGEST];
            for (int32_t v = 0; v < k; v++)
                for (int64_t draw = 0; draw < c->width + 100; draw++) {
                    const bool single = draw < c->width;
                    const int64_t wrong = single ? 1 : 1 + sri_rng_below(&rng, code.corrects);
                    sri_encode(c, &v, 1, f);
                    for (int64_t t = 0; t < c->width; t++)
                        place[t] = t;
                    sri_rng_shuffle(&rng, place, c->width);
                    for (int64_t e = 0; e < wrong; e++)
                        f[single ? draw : place[e]] *= -1;
                    CHECK_EQ(sri_decode(c, f, scores), v);
                }
            sri_coding_free(c);
        }
}

/* By hand, with the words -1.. and 1.. of two classes and outputs (0.5, -2, 3, 0, ...): products
 * sum to 1.5; signs to 1; the losses of the word 1.. are 0.25, 9, 0, 1. */
TEST(bch, scores_are_what_the_three_decodings_say)
{
    double f[15] = {0.5, -2, 3}, scores[2];
    sri_coding *c = coding_of(ctx, "bch:15", 2);
    CHECK_EQ(sri_decode(c, f, scores), 1);
    CHECK_NEAR(scores[1], 1.5 / 15, 1e-16);
    CHECK_NEAR(scores[0], -1.5 / 15, 1e-16);
    sri_coding_free(c);
    c = coding_of(ctx, "bch:15,decode=hamming", 2);
    CHECK_EQ(sri_decode(c, f, scores), 1);
    CHECK_NEAR(scores[1], 1.0 / 15, 1e-16);
    sri_coding_free(c);
    c = coding_of(ctx, "bch:15,decode=loss", 2);
    CHECK_EQ(sri_decode(c, f, scores), 1);
    CHECK_NEAR(scores[1], -(0.25 + 9 + 0 + 12) / 15, 1e-15);
    CHECK_NEAR(scores[0], -(2.25 + 0 + 16 + 12) / 15, 1e-15);
    sri_coding_free(c);
}

TEST(bch, more_classes_than_words_are_refused)
{
    sri_coding_spec spec;
    sri_coding *c;
    CHECK_OK(ctx, sri_coding_parse(ctx, "bch:length=15", &spec));
    CHECK_OK(ctx, sri_coding_new(ctx, &spec, 2048, &c));
    sri_coding_free(c);
    CHECK_FAILS(ctx, sri_coding_new(ctx, &spec, 2049, &c), SPECREG_E_ARG,
                "coding: bch:15 has fewer words than the 2049 classes");
    CHECK(!c);
}

/* By dimension: the distance that the table promises, and words that are not all as far apart, so
 * that decoding differs from one against all; with k = 7 all of them are. */
TEST(bch, distances_of_larger_dimensions_differ)
{
    static const int dimension[] = {7, 10, 16, 18, 24, 30};
    for (int i = 0; i < 6; i++) {
        char text[32];
        sri_bch code;
        int seen = 0, count[64] = {0};
        snprintf(text, sizeof text, "bch:63,k=%d", dimension[i]);
        sri_coding *c = coding_of(ctx, text, 20);
        CHECK(sri_bch_of_dimension(63, dimension[i], &code));
        uint64_t *bits = signs_of(c, 20);
        for (int64_t v = 0; v < 20; v++)
            for (int64_t w = 0; w < v; w++) {
                const int d = distance(bits + 2 * v, bits + 2 * w);
                CHECK(d >= 2 * code.corrects + 1);
                seen += count[d]++ == 0;
            }
        CHECK(dimension[i] == 7 ? seen == 1 : seen >= 6);
        free(bits);
        sri_coding_free(c);
    }
}
