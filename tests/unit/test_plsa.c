/* pLSA beside EM as its formulas have it: three loops, every P(z|d,w) by itself. */
#include <math.h>
#include <stdio.h>

#include "kit/kit.h"

#include "core/openmp.h"
#include "data/text/plsa_sweep.h"

enum { MAX_DOCS = 40, MAX_WORDS = 30, MAX_TOPICS = 8 };

/* Counts as a matrix, and as the library takes them. */
typedef struct corpus {
    int64_t n, words;
    double count[MAX_DOCS][MAX_WORDS];
    int64_t start[MAX_DOCS + 1];
    int32_t index[MAX_DOCS * MAX_WORDS];
    double value[MAX_DOCS * MAX_WORDS];
    sri_matrix csr;
} corpus;

static void pack(corpus *c)
{
    int64_t at = 0;
    c->start[0] = 0;
    for (int64_t d = 0; d < c->n; d++) {
        for (int64_t j = 0; j < c->words; j++)
            if (c->count[d][j] != 0) {
                c->index[at] = (int32_t)j;
                c->value[at++] = c->count[d][j];
            }
        c->start[d + 1] = at;
    }
    c->csr = (sri_matrix){.n = c->n,
                          .p = c->words,
                          .start = c->start,
                          .index = c->index,
                          .value = c->value};
}

/* Two thirds zeros, the rest 1 to 5; document 3 is empty and word 2 is nowhere. */
static corpus *drawn(uint64_t seed, int64_t n, int64_t words)
{
    corpus *c = calloc(1, sizeof *c);
    double *u = kit_uniform(seed, n, words);
    c->n = n;
    c->words = words;
    for (int64_t d = 0; d < n; d++)
        for (int64_t j = 0; j < words; j++)
            c->count[d][j] = d == 3 || j == 2 ? 0 : fmax(0, floor(15 * u[d * words + j]) - 9);
    free(u);
    pack(c);
    return c;
}

static sri_plsa_how how_of(specreg_context *ctx, const char *spec)
{
    sri_plsa_how how;
    CHECK_OK(ctx, sri_plsa_how_parse(ctx, spec, &how));
    return how;
}

static sri_plsa *learned(specreg_context *ctx, const corpus *c, const char *spec, uint64_t seed,
                         double *mixture)
{
    const sri_plsa_how how = how_of(ctx, spec);
    sri_plsa *p;
    CHECK_OK(ctx, sri_plsa_learn(ctx, &c->csr, &how, seed, mixture, &p));
    return p;
}

/* -------------------------------------------------------------------- the slow version */

typedef struct slow {
    int64_t k;
    double word[MAX_WORDS][MAX_TOPICS], mix[MAX_DOCS][MAX_TOPICS], prior[MAX_TOPICS];
} slow;

static double chance(const slow *s, int64_t d, int64_t j)
{
    double p = 0;
    for (int64_t z = 0; z < s->k; z++)
        p += s->word[j][z] * s->mix[d][z];
    return p;
}

/* P(z|d,w), tempered. */
static double posterior(const slow *s, int64_t d, int64_t j, int64_t z, double beta)
{
    double sum = 0;
    for (int64_t y = 0; y < s->k; y++)
        sum += pow(s->word[j][y] * s->mix[d][y], beta);
    return pow(s->word[j][z] * s->mix[d][z], beta) / sum;
}

static double slow_perplexity(const slow *s, const corpus *c)
{
    double sum = 0, n = 0;
    for (int64_t d = 0; d < c->n; d++)
        for (int64_t j = 0; j < c->words; j++)
            if (c->count[d][j] > 0) {
                sum += c->count[d][j] * log(chance(s, d, j));
                n += c->count[d][j];
            }
    return exp(-sum / n);
}

/* Words stay as they are with `fold`. */
static void slow_sweep(slow *s, const corpus *c, double beta, bool fold)
{
    slow next = *s;
    double total[MAX_TOPICS] = {0}, all = 0;
    memset(next.word, 0, sizeof next.word);
    memset(next.mix, 0, sizeof next.mix);
    for (int64_t d = 0; d < c->n; d++)
        for (int64_t j = 0; j < c->words; j++)
            for (int64_t z = 0; z < s->k && c->count[d][j] > 0; z++) {
                const double part = c->count[d][j] * posterior(s, d, j, z, beta);
                next.word[j][z] += part;
                next.mix[d][z] += part;
                total[z] += part;
                all += part;
            }
    for (int64_t z = 0; z < s->k; z++) {
        for (int64_t j = 0; j < c->words; j++)
            next.word[j][z] = fold ? s->word[j][z] : next.word[j][z] / total[z];
        next.prior[z] = all > 0 ? total[z] / all : s->prior[z];
    }
    for (int64_t d = 0; d < c->n; d++) {
        double sum = 0;
        for (int64_t z = 0; z < s->k; z++)
            sum += next.mix[d][z];
        for (int64_t z = 0; z < s->k; z++)
            next.mix[d][z] = sum > 0 ? next.mix[d][z] / sum : s->prior[z];
    }
    *s = next;
}

static slow same_start(specreg_context *ctx, const corpus *c, const sri_plsa_how *how,
                       uint64_t seed)
{
    sri_plsa_work w;
    slow s = {.k = how->topics};
    CHECK_OK(ctx, sri_plsa_work_new(ctx, &c->csr, how, seed, &w));
    sri_plsa_start(&w, seed);
    for (int64_t z = 0; z < s.k; z++) {
        for (int64_t j = 0; j < c->words; j++)
            s.word[j][z] = w.now.word[j * w.stride + z];
        for (int64_t d = 0; d < c->n; d++)
            s.mix[d][z] = w.now.mix[d * w.stride + z];
        s.prior[z] = w.now.prior[z];
    }
    sri_arena_free(&w.scratch);
    return s;
}

/* The topic of the slow version that is number `rank` by its share. */
static int64_t ranked(const slow *s, int64_t rank)
{
    for (int64_t z = 0; z < s->k; z++) {
        int64_t before = 0;
        for (int64_t y = 0; y < s->k; y++)
            before += s->prior[y] > s->prior[z];
        if (before == rank)
            return z;
    }
    return -1;
}

/* ------------------------------------------------------------------------------- learning */

TEST(plsa, sweeps_are_those_of_the_formulas)
{
    static const char *const specs[] = {"topics=1,sweeps=4", "topics=3,sweeps=7",
                                        "topics=4,sweeps=6", "topics=5,sweeps=7"};
    corpus *c = drawn(1, 17, 12);
    for (int i = 0; i < 4; i++) {
        const sri_plsa_how how = how_of(ctx, specs[i]);
        slow s = same_start(ctx, c, &how, 7);
        sri_plsa *p = learned(ctx, c, specs[i], 7, NULL);
        CHECK_EQ(p->sweeps, how.topics == 1 ? 2 : how.sweeps); /* one topic: nothing more to gain */
        CHECK_EQ(p->kept, p->sweeps);
        CHECK_EQ(p->empty, 1);
        for (int64_t t = 0; t < p->sweeps; t++) {
            slow_sweep(&s, c, 1, false);
            CHECK_NEAR(p->perplexity[t], slow_perplexity(&s, c), 1e-12);
        }
        for (int64_t rank = 0; rank < s.k; rank++) {
            const int64_t z = ranked(&s, rank);
            CHECK_NEAR(p->prior[rank], s.prior[z], 1e-12);
            for (int64_t j = 0; j < c->words; j++)
                CHECK_NEAR(p->word[j * s.k + rank], s.word[j][z], 1e-12);
        }
        sri_plsa_free(p);
    }
    free(c);
}

TEST(plsa, a_tempered_sweep_raises_both_factors_to_beta)
{
    corpus *c = drawn(2, 15, 11);
    const sri_plsa_how how = how_of(ctx, "topics=3,held-out=0.2,temper=0.7");
    sri_plsa_work w;
    slow s = same_start(ctx, c, &how, 3);
    CHECK_OK(ctx, sri_plsa_work_new(ctx, &c->csr, &how, 3, &w));
    sri_plsa_start(&w, 3);
    w.train = c->csr.value; /* all of them, as in the slow version */
    w.beta = 0.7;
    for (int t = 0; t < 3; t++) {
        sri_plsa_rows(&w);
        sri_plsa_columns(&w);
        slow_sweep(&s, c, 0.7, false);
        for (int64_t z = 0; z < 3; z++) {
            for (int64_t j = 0; j < c->words; j++)
                CHECK_NEAR(w.now.word[j * w.stride + z], s.word[j][z], 1e-12);
            for (int64_t d = 0; d < c->n; d++)
                CHECK_NEAR(w.now.mix[d * w.stride + z], s.mix[d][z], 1e-12);
        }
    }
    sri_arena_free(&w.scratch);
    free(c);
}

TEST(plsa, the_perplexity_falls_at_every_sweep)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        corpus *c = drawn(100 + seed, 30, 25);
        sri_plsa *p = learned(ctx, c, "topics=6,sweeps=200", seed, NULL);
        for (int64_t t = 1; t < p->sweeps - 1; t++)
            CHECK(p->perplexity[t] < p->perplexity[t - 1]);
        CHECK(p->sweeps > 20);
        for (int64_t z = 0; z < 6; z++) { /* distributions */
            double sum = 0;
            for (int64_t j = 0; j < c->words; j++)
                sum += p->word[j * 6 + z];
            CHECK_NEAR(sum, 1, 1e-12);
            CHECK(z == 0 || p->prior[z] <= p->prior[z - 1]);
        }
        CHECK_SAME(p->word[2 * 6], 0); /* nowhere in training */
        sri_plsa_free(p);
        free(c);
    }
}

/* Words 0..4 in documents 0..11, words 5..9 in 12..19: two blocks, no count elsewhere. */
TEST(plsa, two_separate_topics_are_found)
{
    corpus *c = calloc(1, sizeof *c);
    double mixture[2 * 20], sums[2] = {0, 0};
    c->n = 20;
    c->words = 10;
    for (int64_t d = 0; d < 20; d++)
        for (int64_t j = 0; j < 5; j++) {
            const double count = (double)((3 * d + 2 * j) % 4 + 1);
            c->count[d][d < 12 ? j : 5 + j] = count;
            sums[d >= 12] += count;
        }
    pack(c);
    for (uint64_t seed = 0; seed < 5; seed++) {
        sri_plsa *p = learned(ctx, c, "topics=2,sweeps=500", seed, mixture);
        CHECK_NEAR(p->prior[0], sums[0] / (sums[0] + sums[1]), 1e-6);
        for (int64_t d = 0; d < 20; d++)
            CHECK_NEAR(mixture[2 * d], d < 12 ? 1 : 0, 1e-4);
        for (int64_t j = 0; j < 10; j++) { /* P(w|z) is how often the word is in its block */
            double often = 0;
            for (int64_t d = 0; d < 20; d++)
                often += c->count[d][j] / sums[j >= 5];
            CHECK_NEAR(p->word[2 * j + (j >= 5)], often, 1e-6);
            CHECK_NEAR(p->word[2 * j + (j < 5)], 0, 1e-6);
        }
        sri_plsa_free(p);
    }
    free(c);
}

static bool same_bytes(const sri_plsa *a, const sri_plsa *b)
{
    return a->topics == b->topics && a->words == b->words && a->sweeps == b->sweeps &&
           a->kept == b->kept && a->beta == b->beta &&
           memcmp(a->word, b->word, (size_t)(a->words * a->topics) * sizeof(double)) == 0 &&
           memcmp(a->prior, b->prior, (size_t)a->topics * sizeof(double)) == 0 &&
           memcmp(a->perplexity, b->perplexity, (size_t)a->sweeps * sizeof(double)) == 0;
}

/* 500 documents of 40 words out of 400, enough for all threads to be used. */
TEST(plsa, threads_change_no_bit_and_the_seed_does)
{
    enum { N = 500, ROW = 40, WORDS = 400, ENTRIES = N * ROW };
    static const char *const specs[] = {"topics=6,sweeps=8", "topics=6,sweeps=60,held-out=0.2"};
    double *u = kit_uniform(5, N, ROW), *mixture[3];
    int64_t start[N + 1];
    static int32_t index[ENTRIES];
    static double value[ENTRIES];
    const int before = omp_get_max_threads();
    for (int64_t i = 0; i < ENTRIES; i++) {
        index[i] = (int32_t)(i % ROW * 10 + (i / ROW * 7 + i) % 10);
        value[i] = 1 + floor(3 * u[i]);
    }
    for (int64_t d = 0; d <= N; d++)
        start[d] = d * ROW;
    const sri_matrix counts = {.n = N, .p = WORDS, .start = start, .index = index, .value = value};
    for (int s = 0; s < 2; s++) {
        const sri_plsa_how how = how_of(ctx, specs[s]);
        sri_plsa *p[3];
        for (int i = 0; i < 3; i++) { /* one thread, four, another seed */
            mixture[i] = malloc(N * 6 * sizeof(double));
            omp_set_num_threads(i == 1 ? 4 : 1);
            CHECK_OK(ctx, sri_plsa_learn(ctx, &counts, &how, i == 2 ? 9 : 8, mixture[i], &p[i]));
        }
        CHECK(same_bytes(p[0], p[1]));
        CHECK(memcmp(mixture[0], mixture[1], N * 6 * sizeof(double)) == 0);
        CHECK(!same_bytes(p[0], p[2]));
        CHECK(fabs(p[0]->perplexity[0] - p[2]->perplexity[0]) > 1e-9);
        for (int i = 0; i < 3; i++) {
            free(mixture[i]);
            sri_plsa_free(p[i]);
        }
    }
    omp_set_num_threads(before);
    free(u);
}

/* -------------------------------------------------------------------------------- fold-in */

/* As many sweeps as the slow version needs by the same rule, from equal shares. */
static void check_fold(specreg_context *ctx, const corpus *c, const sri_plsa *p,
                       const double *mixture)
{
    const int64_t k = p->topics;
    slow s = {.k = k};
    corpus *one = calloc(1, sizeof *one);
    for (int64_t j = 0; j < c->words; j++)
        memcpy(s.word[j], p->word + j * k, (size_t)k * sizeof(double));
    for (int64_t d = 0; d < c->n; d++) {
        double change = 1;
        int t = 0;
        *one = (corpus){.n = 1, .words = c->words};
        memcpy(one->count[0], c->count[d], sizeof one->count[0]);
        for (int64_t z = 0; z < k; z++) {
            s.mix[0][z] = 1 / (double)k;
            s.prior[z] = p->prior[z]; /* what an empty document gets */
        }
        for (; t < SRI_PLSA_FOLD_SWEEPS && change > SRI_PLSA_TOLERANCE; t++) {
            const slow before = s;
            slow_sweep(&s, one, p->beta, true);
            change = kit_distance(s.mix[0], before.mix[0], k);
        }
        CHECK_ARRAY_NEAR(mixture + d * k, s.mix[0], k, 1e-10);
    }
    free(one);
}

TEST(plsa, training_documents_are_folded_in_like_later_ones)
{
    corpus *c = drawn(3, 20, 15);
    double mixture[20 * 4], again[20 * 4];
    int64_t without;
    static const char *const specs[] = {"topics=4,sweeps=20",
                                        "topics=4,sweeps=60,held-out=0.2,temper=0.8"};
    for (int i = 0; i < 2; i++) {
        sri_plsa *p = learned(ctx, c, specs[i], 1, mixture);
        CHECK(i == 0 || p->beta < 1);
        check_fold(ctx, c, p, mixture);
        CHECK_OK(ctx, sri_plsa_fold_in(ctx, p, &c->csr, again, &without));
        CHECK_EQ(without, 1);
        CHECK(memcmp(mixture, again, sizeof again) == 0);
        sri_plsa_free(p);
    }
    free(c);
}

TEST(plsa, documents_without_a_known_word_get_the_shares_of_all)
{
    corpus *c = drawn(4, 20, 15);
    sri_plsa *p = learned(ctx, c, "topics=3,sweeps=30", 1, NULL);
    /* an empty one, a word that training did not have, one beyond its words, a known one */
    const int64_t start[] = {0, 0, 1, 2, 4};
    const int32_t index[] = {2, 99, 0, 99};
    const double value[] = {5, 2, 1, 1};
    const sri_matrix counts = {.n = 4,
                               .p = 100,
                               .start = (int64_t *)start,
                               .index = (int32_t *)index,
                               .value = (double *)value};
    double mixture[4 * 3];
    int64_t without;
    CHECK_OK(ctx, sri_plsa_fold_in(ctx, p, &counts, mixture, &without));
    CHECK_EQ(without, 3);
    for (int d = 0; d < 3; d++)
        CHECK(memcmp(mixture + 3 * d, p->prior, sizeof(double[3])) == 0);
    CHECK(memcmp(mixture + 9, p->prior, sizeof(double[3])) != 0);
    CHECK_NEAR(mixture[9] + mixture[10] + mixture[11], 1, 1e-12);
    sri_plsa_free(p);
    free(c);
}

/* ----------------------------------------------------------------------------- held out */

TEST(plsa, counts_are_dealt_out_whole_and_no_word_is_left_with_nothing)
{
    corpus *c = drawn(6, 40, 30);
    double train[MAX_DOCS * MAX_WORDS], held[MAX_DOCS * MAX_WORDS], left[MAX_WORDS] = {0};
    double out = 0, all = 0;
    c->value[0] = 0.25; /* below 1: one or the other */
    c->value[1] = 1e15;
    CHECK_OK(ctx, sri_plsa_hold_out(ctx, &c->csr, 0.5, 1, train, held));
    for (int64_t i = 0; i < c->start[c->n]; i++) {
        CHECK_SAME(train[i] + held[i], c->value[i]);
        CHECK(train[i] >= 0 && held[i] >= 0);
        CHECK(i == 0 ? held[i] == 0 || train[i] == 0 : held[i] == floor(held[i]));
        CHECK(i == 1 || fabs(held[i] - 0.5 * c->value[i]) < 1);
        left[c->index[i]] += train[i];
        out += i > 1 ? held[i] : 0;
        all += i > 1 ? c->value[i] : 0;
    }
    CHECK_NEAR(held[1], 5e14, 1e-15);
    CHECK_NEAR(out / all, 0.5, 0.05);
    for (int64_t j = 0; j < 30; j++)
        CHECK(left[j] > 0 || j == 2);
    free(c);
}

/* Word d once in document d and nowhere else, word 20 in all: nine of ten counts are held out. */
TEST(plsa, a_word_that_comes_once_is_not_held_out)
{
    corpus *c = calloc(1, sizeof *c);
    double train[20], held[20], out = 0;
    c->n = 10;
    c->words = 21;
    for (int64_t d = 0; d < 10; d++)
        c->count[d][d] = c->count[d][20] = 1;
    pack(c);
    CHECK_OK(ctx, sri_plsa_hold_out(ctx, &c->csr, 0.9, 5, train, held));
    for (int64_t i = 0; i < 20; i++) {
        CHECK(c->index[i] == 20 || train[i] == 1);
        out += held[i];
    }
    CHECK(out >= 5 && out < 10);
    free(c);
}

TEST(plsa, what_is_kept_has_the_least_held_out_perplexity)
{
    int tempered = 0, stopped = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        corpus *c = drawn(200 + seed, 40, 30);
        for (int tempers = 0; tempers < 2; tempers++) {
            sri_plsa *p = learned(ctx, c,
                                  tempers ? "topics=5,sweeps=300,held-out=0.2"
                                          : "topics=5,sweeps=300,held-out=0.2,temper=1",
                                  seed, NULL);
            CHECK(p->kept <= p->sweeps);
            for (int64_t t = 0; t < p->sweeps && p->kept > 0; t++)
                CHECK(p->held[t] * (1 + 2e-4) >= p->held[p->kept - 1]);
            CHECK(tempers || p->beta == 1);
            CHECK(tempers || p->kept + 1 >= p->sweeps); /* the first that does not help ends it */
            char spec[80];
            snprintf(spec, sizeof spec, "topics=5,sweeps=%d,held-out=0.2,temper=%s", (int)p->kept,
                     tempers ? "0.9" : "1");
            sri_plsa *shorter = learned(ctx, c, spec, seed, NULL); /* stopped just there */
            CHECK(memcmp(p->word, shorter->word, (size_t)(30 * 5) * sizeof(double)) == 0);
            CHECK_SAME(p->beta, shorter->beta);
            sri_plsa_free(shorter);
            tempered += p->beta < 1;
            stopped += p->sweeps < 300;
            sri_plsa_free(p);
        }
        free(c);
    }
    CHECK(tempered > 0);
    CHECK(stopped > 10);
}

/* ------------------------------------------------------------------------- awkward counts */

TEST(plsa, extremes_give_probabilities_and_not_nan)
{
    static const char *const specs[] = {"topics=8,sweeps=400", "topics=5,sweeps=400,held-out=0.3"};
    for (int i = 0; i < 2; i++) {
        corpus *c = calloc(1, sizeof *c);
        double mixture[8 * 8];
        const int64_t k = how_of(ctx, specs[i]).topics;
        c->n = c->words = 8;
        for (int64_t d = 0; d < 8; d++) {
            c->count[d][d] = d % 2 ? 1e15 : 1e-9; /* a word for each document */
            c->count[d][(d + 1) % 8] = d == 3 ? 1e-12 : 0;
        }
        pack(c);
        sri_plsa *p = learned(ctx, c, specs[i], 1, mixture);
        for (int64_t j = 0; j < 8 * k; j++) {
            CHECK(p->word[j] >= 0 && p->word[j] <= 1 + 1e-12);
            CHECK(mixture[j] >= 0 && mixture[j] <= 1 + 1e-12);
        }
        for (int64_t t = 0; t < p->sweeps; t++)
            CHECK(isfinite(p->perplexity[t]));
        sri_plsa_free(p);
        free(c);
    }
}

static void refused(specreg_context *ctx, const corpus *c, const sri_plsa_how *how,
                    specreg_status status, const char *part)
{
    sri_plsa *p;
    CHECK_FAILS(ctx, sri_plsa_learn(ctx, &c->csr, how, 1, NULL, &p), status, part);
    CHECK(p == NULL);
}

TEST(plsa, counts_that_are_none_are_named)
{
    corpus *c = drawn(7, 10, 8);
    sri_plsa_how how = how_of(ctx, "topics=2");
    const double bad[] = {-1, NAN, INFINITY, 2e15};
    static const char *const text[] = {"-1 is no count", "nan is no count", "inf is no count",
                                       "2e+15 is no count"};
    double mixture[20];
    int64_t without;
    sri_plsa *p = learned(ctx, c, "topics=2", 1, NULL);
    for (int i = 0; i < 4; i++) {
        const int64_t at = c->start[4];
        char place[80];
        c->value[at] = bad[i];
        snprintf(place, sizeof place, "row 5, column %d: %s", c->index[at] + 1, text[i]);
        refused(ctx, c, &how, SPECREG_E_NUMERIC, place);
        CHECK_FAILS(ctx, sri_plsa_fold_in(ctx, p, &c->csr, mixture, &without), SPECREG_E_NUMERIC,
                    place);
    }
    sri_plsa_free(p);
    free(c);
}

TEST(plsa, more_topics_than_documents_or_words_and_nothing_at_all_are_refused)
{
    corpus *c = drawn(8, 6, 12);
    sri_plsa_how how = how_of(ctx, "topics=6"); /* one of the six documents is empty */
    refused(ctx, c, &how, SPECREG_E_NUMERIC, "6 topics are too many for 5 documents with counts");
    how.topics = 0;
    refused(ctx, c, &how, SPECREG_E_ARG, "topics and sweeps must be 1 or more, not 0");
    how.topics = 2;
    how.held_out = 1;
    refused(ctx, c, &how, SPECREG_E_ARG, "held-out must be a number from 0 to below 1");
    how.held_out = 1e-9;
    refused(ctx, c, &how, SPECREG_E_NUMERIC, "takes none of so few counts");
    how.held_out = 0;
    memset(c->value, 0, sizeof c->value); /* zeros that are written out */
    refused(ctx, c, &how, SPECREG_E_NUMERIC, "none of the 6 documents has a count");
    free(c);
    c = drawn(8, 20, 4);
    how.topics = 4; /* one of the four words is nowhere */
    refused(ctx, c, &how, SPECREG_E_NUMERIC, "and 3 different words");
    free(c);
}

TEST(plsa, the_text_form_is_read_and_refused_by_part)
{
    sri_plsa_how how = how_of(ctx, "auto");
    sri_buffer text = {0};
    CHECK_EQ(how.topics, 10);
    CHECK_EQ(how.sweeps, 50);
    CHECK_SAME(how.held_out, 0);
    how = how_of(ctx, "topics=3,sweeps=7,held-out=0.1,temper=0.8");
    CHECK_OK(ctx, sri_plsa_how_print(ctx, &how, &text));
    CHECK_STR(text.data, "topics=3,sweeps=7,held-out=0.1,temper=0.8");
    sri_buffer_free(&text);
    static const char *const bad[][2] = {
        {"topics=0", "topics must be a whole number from 1"},
        {"topics=2.5", "topics must be a whole number"},
        {"sweeps=x", "sweeps must be a whole number"},
        {"held-out=1", "held-out must be a number from 0 to below 1"},
        {"held-out=nan", "held-out must be a number from 0 to below 1"},
        {"temper=0", "temper must be a number above 0 and up to 1"},
        {"topic=3", "unknown part of --plsa 'topic' (did you mean 'topics'?"},
        {"10", "write key=value"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_FAILS(ctx, sri_plsa_how_parse(ctx, bad[i][0], &how), SPECREG_E_ARG, bad[i][1]);
}
