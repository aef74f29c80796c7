/* Folds and held-out parts: what must hold of any of them, for many sizes. */
#include "small_table.h"

#include "core/rng.h"
#include "data/split.h"

/* n rows, each on its own. */
#define ROWS(rows, class_of, count, number)                                        \
    &(sri_strata)                                                                  \
    {                                                                              \
        .n = (rows), .classes = (class_of), .n_classes = (count), .seed = (number) \
    }

/* Each split is a partition of 0..n-1 into two ascending lists. */
static void assert_partition(const sri_split *s, int64_t n)
{
    assert_int_equal(s->n_train + s->n_validate, n);
    for (int64_t i = 0, a = 0, b = 0; i < n; i++) {
        if (a < s->n_train && s->train[a] == i)
            a++;
        else {
            assert_true(b < s->n_validate);
            assert_int_equal(s->validate[b++], i);
        }
    }
}

TEST(split, folds_are_equal_partitions_in_which_each_row_validates_once)
{
    for (int64_t n = 2; n < 40; n++)
        for (int64_t k = 2; k <= n; k += 3) {
            sri_splits s;
            int seen[40] = {0};
            assert_ok(ctx, sri_splits_kfold(ctx, ROWS(n, NULL, 0, 7), k, 1, &s));
            assert_int_equal(s.count, k);
            for (int64_t f = 0; f < k; f++) {
                assert_partition(&s.split[f], n);
                assert_in_range(s.split[f].n_validate, n / k, (n + k - 1) / k);
                for (int64_t i = 0; i < s.split[f].n_validate; i++)
                    seen[s.split[f].validate[i]]++;
            }
            for (int64_t i = 0; i < n; i++)
                assert_int_equal(seen[i], 1);
            sri_splits_free(&s);
        }
}

/* 30 rows of class 0, 9 of class 1, 2 of class 2 among 5 folds: 6, 1..2, 0..1 in each. */
TEST(split, stratified_folds_have_their_share_of_each_class)
{
    int32_t classes[41];
    for (int i = 0; i < 41; i++)
        classes[i] = i < 30 ? 0 : i < 39 ? 1 : 2;
    for (uint64_t seed = 0; seed < 20; seed++) {
        sri_splits s;
        assert_ok(ctx, sri_splits_kfold(ctx, ROWS(41, classes, 3, seed), 5, 1, &s));
        for (int f = 0; f < 5; f++) {
            int count[3] = {0};
            for (int64_t i = 0; i < s.split[f].n_validate; i++)
                count[classes[s.split[f].validate[i]]]++;
            assert_int_equal(count[0], 6);
            assert_in_range(count[1], 1, 2);
            assert_in_range(count[2], 0, 1);
            assert_in_range(s.split[f].n_validate, 8, 9);
            assert_partition(&s.split[f], 41);
        }
        sri_splits_free(&s);
    }
}

static bool same_folds(specreg_context *ctx, uint64_t seed_a, uint64_t seed_b)
{
    sri_splits a, b;
    assert_ok(ctx, sri_splits_kfold(ctx, ROWS(100, NULL, 0, seed_a), 5, 1, &a));
    assert_ok(ctx, sri_splits_kfold(ctx, ROWS(100, NULL, 0, seed_b), 5, 1, &b));
    const bool same = memcmp(a.split[0].validate, b.split[0].validate, 20 * sizeof(int64_t)) == 0;
    sri_splits_free(&b);
    sri_splits_free(&a);
    return same;
}

TEST(split, the_seed_decides)
{
    assert_true(same_folds(ctx, 3, 3));
    assert_false(same_folds(ctx, 3, 4));
}

/* Of 400 draws of one fold in five a row validates 80 times on average, deviation 8. */
TEST(split, every_row_is_as_likely_to_be_held_out)
{
    int kfold[25] = {0}, holdout[25] = {0};
    int32_t classes[25];
    for (int i = 0; i < 25; i++)
        classes[i] = i % 2; /* 13 and 12 rows: neither may be favoured */
    for (uint64_t seed = 0; seed < 400; seed++) {
        sri_splits s;
        assert_ok(ctx, sri_splits_kfold(ctx, ROWS(25, NULL, 0, seed), 5, 1, &s));
        for (int i = 0; i < 5; i++)
            kfold[s.split[0].validate[i]]++;
        sri_splits_free(&s);
        assert_ok(ctx, sri_splits_holdout(ctx, ROWS(25, classes, 2, seed), 0.2, &s));
        for (int i = 0; i < 5; i++)
            holdout[s.split[0].validate[i]]++;
        sri_splits_free(&s);
    }
    for (int i = 0; i < 25; i++) {
        assert_in_range(kfold[i], 80 - 4 * 8, 80 + 4 * 8);
        assert_in_range(holdout[i], 80 - 4 * 8, 80 + 4 * 8);
    }
}

TEST(split, holdout_takes_its_fraction_of_rows_and_of_classes)
{
    int32_t classes[100];
    for (int i = 0; i < 100; i++)
        classes[i] = i % 10 == 0; /* 90 and 10 */
    for (uint64_t seed = 0; seed < 20; seed++) {
        sri_splits s;
        int ones = 0;
        assert_ok(ctx, sri_splits_holdout(ctx, ROWS(100, classes, 2, seed), 0.3, &s));
        assert_int_equal(s.count, 1);
        assert_int_equal(s.split[0].n_validate, 30);
        assert_partition(&s.split[0], 100);
        for (int i = 0; i < 30; i++)
            ones += classes[s.split[0].validate[i]];
        assert_int_equal(ones, 3);
        sri_splits_free(&s);
    }
}

TEST(split, both_sides_of_a_holdout_have_a_row)
{
    sri_splits s;
    assert_ok(ctx, sri_splits_holdout(ctx, ROWS(3, NULL, 0, 0), 0.001, &s));
    assert_int_equal(s.split[0].n_validate, 1);
    sri_splits_free(&s);
    assert_ok(ctx, sri_splits_holdout(ctx, ROWS(3, NULL, 0, 0), 0.999, &s));
    assert_int_equal(s.split[0].n_train, 1);
    sri_splits_free(&s);
}

/* Drawn before repeats and groups came: the same seed must go on giving the same folds. */
TEST(split, the_first_repeat_is_what_it_always_was)
{
    static const int32_t plain[23] = {1, 3, 1, 0, 2, 0, 1, 2, 2, 0, 2, 3,
                                      2, 1, 1, 3, 2, 3, 0, 0, 1, 0, 3};
    static const int32_t stratified[23] = {2, 3, 2, 0, 0, 2, 0, 1, 3, 1, 3, 2,
                                           2, 0, 1, 3, 0, 1, 1, 0, 2, 3, 1};
    static const int64_t held[7] = {1, 3, 8, 9, 13, 15, 22};
    int32_t classes[23], fold[23];
    sri_splits s;
    for (int i = 0; i < 23; i++)
        classes[i] = i * i % 3 == 0 ? 0 : i % 2 + 1;
    assert_ok(ctx, sri_folds_deal(ctx, ROWS(23, NULL, 0, 12345), 4, 0, fold));
    assert_memory_equal(fold, plain, sizeof plain);
    assert_ok(ctx, sri_folds_deal(ctx, ROWS(23, classes, 3, 12345), 4, 0, fold));
    assert_memory_equal(fold, stratified, sizeof stratified);
    assert_ok(ctx, sri_splits_holdout(ctx, ROWS(23, classes, 3, 12345), 0.3, &s));
    assert_int_equal(s.split[0].n_validate, 7);
    assert_memory_equal(s.split[0].validate, held, sizeof held);
    sri_splits_free(&s);
}

TEST(split, repeats_are_other_folds_of_the_same_kind)
{
    sri_splits s;
    int32_t fold[60], before[60];
    assert_ok(ctx, sri_splits_kfold(ctx, ROWS(60, NULL, 0, 5), 4, 3, &s));
    assert_int_equal(s.count, 12);
    for (int64_t r = 0; r < 3; r++) {
        assert_ok(ctx, sri_folds_deal(ctx, ROWS(60, NULL, 0, 5), 4, r, fold));
        for (int64_t f = 0; f < 4; f++) {
            const sri_split *split = &s.split[r * 4 + f];
            assert_partition(split, 60);
            assert_int_equal(split->n_validate, 15);
            for (int64_t i = 0; i < 15; i++)
                assert_int_equal(fold[split->validate[i]], f);
        }
        if (r > 0)
            assert_memory_not_equal(fold, before, sizeof fold);
        memcpy(before, fold, sizeof fold);
    }
    sri_splits_free(&s);
}

/* ------------------------------------------------------------------------------- groups */

enum { MOST = 200 };

/* A random case: up to 200 rows in 2 to 40 groups of random sizes, 1 to 4 classes. */
typedef struct grouped {
    sri_strata s;
    int32_t group[MOST], classes[MOST];
    int64_t size[40], largest;
} grouped;

static void grouped_make(grouped *g, uint64_t seed)
{
    sri_rng rng = sri_rng_make(seed, SRI_STREAM_TEST);
    *g = (grouped){0};
    const int64_t groups = 2 + sri_rng_below(&rng, 39);
    g->s = (sri_strata){.n = groups + sri_rng_below(&rng, MOST - groups),
                        .group = g->group,
                        .n_groups = groups,
                        .n_classes = 1 + sri_rng_below(&rng, 4),
                        .seed = seed};
    if (g->s.n_classes > 1)
        g->s.classes = g->classes;
    const bool skewed = sri_rng_below(&rng, 2);
    for (int64_t i = 0; i < g->s.n; i++) { /* no group is empty */
        const int64_t any = sri_rng_below(&rng, groups);
        g->group[i] = (int32_t)(i < groups ? i : skewed ? any * any / groups : any);
        g->classes[i] = (int32_t)sri_rng_below(&rng, g->s.n_classes);
        g->size[g->group[i]]++;
    }
    for (int64_t j = 0; j < groups; j++)
        g->largest = g->size[j] > g->largest ? g->size[j] : g->largest;
}

TEST(split, no_group_is_divided_and_no_fold_is_empty)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        grouped g;
        grouped_make(&g, seed);
        const int64_t k = 2 + (int64_t)(seed % (uint64_t)(g.s.n_groups - 1));
        int32_t fold[MOST], again[MOST], of_group[40];
        int64_t size[40] = {0};
        assert_ok(ctx, sri_folds_deal(ctx, &g.s, k, 1, fold));
        assert_ok(ctx, sri_folds_deal(ctx, &g.s, k, 1, again));
        assert_memory_equal(fold, again, (size_t)g.s.n * sizeof *fold);
        for (int64_t i = g.s.n - 1; i >= 0; i--)
            of_group[g.group[i]] = fold[i];
        for (int64_t i = 0; i < g.s.n; i++) {
            assert_in_range(fold[i], 0, k - 1);
            assert_int_equal(fold[i], of_group[g.group[i]]);
            size[fold[i]]++;
        }
        for (int64_t f = 0; f < k; f++)
            assert_true(size[f] > 0);
    }
}

/* Graham's bound: the last group of the fullest fold came when that fold was the smallest. */
TEST(split, folds_of_groups_are_balanced_up_to_one_group)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        grouped g;
        grouped_make(&g, seed);
        g.s.classes = NULL;
        const int64_t k = 2 + (int64_t)(seed % (uint64_t)(g.s.n_groups - 1));
        int32_t fold[MOST];
        int64_t size[40] = {0}, most = 0, least = MOST;
        assert_ok(ctx, sri_folds_deal(ctx, &g.s, k, 0, fold));
        for (int64_t i = 0; i < g.s.n; i++)
            size[fold[i]]++;
        for (int64_t f = 0; f < k; f++) {
            most = size[f] > most ? size[f] : most;
            least = size[f] < least ? size[f] : least;
        }
        assert_true(most - least <= g.largest);
    }
}

/* 30 groups of 4 rows of one class each, 20 of class 0 and 10 of class 1: 4 and 2 in each of 5. */
TEST(split, folds_of_groups_have_their_share_of_each_class)
{
    int32_t group[120], classes[120], fold[120];
    for (int i = 0; i < 120; i++) {
        group[i] = i % 30;
        classes[i] = group[i] >= 20;
    }
    for (uint64_t seed = 0; seed < 20; seed++) {
        const sri_strata s = {.n = 120,
                              .classes = classes,
                              .n_classes = 2,
                              .group = group,
                              .n_groups = 30,
                              .seed = seed};
        int count[5][2] = {{0}};
        assert_ok(ctx, sri_folds_deal(ctx, &s, 5, 0, fold));
        for (int i = 0; i < 120; i++)
            count[fold[i]][classes[i]]++;
        for (int f = 0; f < 5; f++) {
            assert_int_equal(count[f][0], 16);
            assert_int_equal(count[f][1], 8);
        }
    }
}

/* sum_c (held_c - fraction total_c)^2 / total_c of the groups with held[g]. */
static double harm(const grouped *g, const bool *held, double fraction)
{
    double of[4] = {0}, total[4] = {0}, sum = 0;
    for (int64_t i = 0; i < g->s.n; i++) {
        const int32_t c = g->s.classes ? g->classes[i] : 0;
        total[c]++;
        of[c] += held[g->group[i]];
    }
    for (int c = 0; c < 4; c++)
        sum += total[c] > 0 ? pow(of[c] - fraction * total[c], 2) / total[c] : 0;
    return sum;
}

TEST(split, holdout_takes_whole_groups_and_no_move_or_exchange_would_be_nearer)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        grouped g;
        grouped_make(&g, seed);
        const double fraction = 0.05 + 0.9 * (double)(seed % 11) / 10;
        bool held[40] = {false};
        int64_t n_held = 0;
        sri_splits s;
        assert_ok(ctx, sri_splits_holdout(ctx, &g.s, fraction, &s));
        assert_partition(&s.split[0], g.s.n);
        assert_true(s.split[0].n_train > 0 && s.split[0].n_validate > 0);
        for (int64_t i = 0; i < s.split[0].n_validate; i++)
            held[g.group[s.split[0].validate[i]]] = true;
        for (int64_t i = 0; i < s.split[0].n_train; i++)
            assert_false(held[g.group[s.split[0].train[i]]]);
        for (int64_t j = 0; j < g.s.n_groups; j++)
            n_held += held[j];
        const double best = harm(&g, held, fraction);
        for (int64_t a = 0; a < g.s.n_groups; a++) {
            const int64_t after = n_held + (held[a] ? -1 : 1);
            held[a] = !held[a];
            if (after > 0 && after < g.s.n_groups)
                assert_true(harm(&g, held, fraction) >= best - 1e-8);
            for (int64_t b = 0; b < g.s.n_groups; b++)
                if (b != a && held[b] == held[a]) { /* they change places */
                    held[b] = !held[b];
                    assert_true(harm(&g, held, fraction) >= best - 1e-8);
                    held[b] = !held[b];
                }
            held[a] = !held[a];
        }
        sri_splits_free(&s);
    }
}

TEST(split, every_group_is_held_out_now_and_then)
{
    int32_t group[60];
    int times[10] = {0};
    for (int i = 0; i < 60; i++)
        group[i] = i % 10;
    for (uint64_t seed = 0; seed < 200; seed++) {
        const sri_strata g = {.n = 60, .group = group, .n_groups = 10, .seed = seed};
        sri_splits s;
        assert_ok(ctx, sri_splits_holdout(ctx, &g, 0.3, &s));
        assert_int_equal(s.split[0].n_validate, 18);
        for (int64_t i = 0; i < 18; i++)
            times[group[s.split[0].validate[i]]]++;
        sri_splits_free(&s);
    }
    for (int j = 0; j < 10; j++) /* 6 rows x 60 times, deviation 6 sqrt(42) */
        assert_in_range(times[j], 360 - 4 * 39, 360 + 4 * 39);
}

TEST(split, what_a_split_must_not_do_is_said)
{
    const int32_t classes[] = {0, 0, 0, 1, 1}, group[] = {0, 1, 0, 1, 1};
    char cat[] = "cat", dog[] = "dog", *label[] = {cat, dog};
    int64_t a[] = {0, 2}, b[] = {1, 3, 4}, c[] = {0, 1, 2}, d[] = {3, 4};
    sri_split both[] = {{.train = b, .validate = a, .n_train = 3, .n_validate = 2},
                        {.train = c, .validate = d, .n_train = 3, .n_validate = 2}};
    sri_strata s = {.n = 5, .group = group, .n_groups = 2};
    assert_ok(ctx, sri_splits_check(ctx, "select", &s, NULL, &(sri_splits){both, 1}));
    assert_fails(ctx, sri_splits_check(ctx, "select", &s, NULL, &(sri_splits){both, 2}),
                 SPECREG_E_SHAPE,
                 "select: split 2 of 2 trains on a part of a group and holds out the rest");
    s = (sri_strata){.n = 5, .classes = classes, .n_classes = 2};
    assert_fails(ctx, sri_splits_check(ctx, "outer", &s, label, &(sri_splits){both, 2}),
                 SPECREG_E_SHAPE,
                 "outer: split 2 of 2 holds out all rows of class 'dog' (2): take fewer folds or "
                 "another --seed, or leave the class out");
}

TEST(split, impossible_splits_are_refused)
{
    const int32_t bad[] = {0, 2, 1};
    sri_splits s;
    assert_fails(ctx, sri_splits_kfold(ctx, ROWS(3, NULL, 0, 0), 1, 1, &s), SPECREG_E_ARG,
                 "kfold: k=1, at least two folds are needed");
    assert_fails(ctx, sri_splits_kfold(ctx, ROWS(3, NULL, 0, 0), 4, 1, &s), SPECREG_E_SHAPE,
                 "kfold: k=4 folds are more than the 3 rows");
    assert_null(s.split);
    assert_int_equal(sri_splits_kfold(ctx, ROWS(3, bad, 2, 0), 2, 1, &s), SPECREG_E_ARG);
    assert_int_equal(sri_splits_holdout(ctx, ROWS(3, NULL, 0, 0), 0, &s), SPECREG_E_ARG);
    assert_int_equal(sri_splits_holdout(ctx, ROWS(3, NULL, 0, 0), 1, &s), SPECREG_E_ARG);
    assert_int_equal(sri_splits_holdout(ctx, ROWS(3, NULL, 0, 0), NAN, &s), SPECREG_E_ARG);
    assert_fails(ctx, sri_splits_holdout(ctx, ROWS(1, NULL, 0, 0), 0.5, &s), SPECREG_E_ARG,
                 "holdout: 1 row cannot be divided");
    const int32_t group[] = {0, 1, 0};
    sri_strata g = {.n = 3, .group = group, .n_groups = 2};
    assert_fails(ctx, sri_splits_kfold(ctx, &g, 3, 1, &s), SPECREG_E_SHAPE,
                 "kfold: k=3 folds are more than the 2 groups");
    g.n_groups = 1;
    assert_fails(ctx, sri_splits_kfold(ctx, &g, 2, 1, &s), SPECREG_E_SHAPE,
                 "kfold: all rows are of one group: none can be held out");
    assert_fails(ctx, sri_splits_holdout(ctx, &g, 0.5, &s), SPECREG_E_SHAPE,
                 "holdout: all rows are of one group: none can be held out");
}
