/* Folds and held-out parts: what must hold of any of them, for many sizes. */
#include "small_table.h"

#include "data/split.h"

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

static void folds_are_equal_partitions_in_which_each_row_validates_once(void **state)
{
    specreg_context *ctx = *state;
    for (int64_t n = 2; n < 40; n++)
        for (int64_t k = 2; k <= n; k += 3) {
            sri_splits s;
            int seen[40] = {0};
            assert_ok(ctx, sri_splits_kfold(ctx, n, k, NULL, 0, 7, &s));
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
static void stratified_folds_have_their_share_of_each_class(void **state)
{
    specreg_context *ctx = *state;
    int32_t classes[41];
    for (int i = 0; i < 41; i++)
        classes[i] = i < 30 ? 0 : i < 39 ? 1 : 2;
    for (uint64_t seed = 0; seed < 20; seed++) {
        sri_splits s;
        assert_ok(ctx, sri_splits_kfold(ctx, 41, 5, classes, 3, seed, &s));
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
    assert_ok(ctx, sri_splits_kfold(ctx, 100, 5, NULL, 0, seed_a, &a));
    assert_ok(ctx, sri_splits_kfold(ctx, 100, 5, NULL, 0, seed_b, &b));
    const bool same = memcmp(a.split[0].validate, b.split[0].validate, 20 * sizeof(int64_t)) == 0;
    sri_splits_free(&b);
    sri_splits_free(&a);
    return same;
}

static void the_seed_decides(void **state)
{
    assert_true(same_folds(*state, 3, 3));
    assert_false(same_folds(*state, 3, 4));
}

/* Of 400 draws of one fold in five a row validates 80 times on average, deviation 8. */
static void every_row_is_as_likely_to_be_held_out(void **state)
{
    specreg_context *ctx = *state;
    int kfold[25] = {0}, holdout[25] = {0};
    int32_t classes[25];
    for (int i = 0; i < 25; i++)
        classes[i] = i % 2; /* 13 and 12 rows: neither may be favoured */
    for (uint64_t seed = 0; seed < 400; seed++) {
        sri_splits s;
        assert_ok(ctx, sri_splits_kfold(ctx, 25, 5, NULL, 0, seed, &s));
        for (int i = 0; i < 5; i++)
            kfold[s.split[0].validate[i]]++;
        sri_splits_free(&s);
        assert_ok(ctx, sri_splits_holdout(ctx, 25, 0.2, classes, 2, seed, &s));
        for (int i = 0; i < 5; i++)
            holdout[s.split[0].validate[i]]++;
        sri_splits_free(&s);
    }
    for (int i = 0; i < 25; i++) {
        assert_in_range(kfold[i], 80 - 4 * 8, 80 + 4 * 8);
        assert_in_range(holdout[i], 80 - 4 * 8, 80 + 4 * 8);
    }
}

static void holdout_takes_its_fraction_of_rows_and_of_classes(void **state)
{
    specreg_context *ctx = *state;
    int32_t classes[100];
    for (int i = 0; i < 100; i++)
        classes[i] = i % 10 == 0; /* 90 and 10 */
    for (uint64_t seed = 0; seed < 20; seed++) {
        sri_splits s;
        int ones = 0;
        assert_ok(ctx, sri_splits_holdout(ctx, 100, 0.3, classes, 2, seed, &s));
        assert_int_equal(s.count, 1);
        assert_int_equal(s.split[0].n_validate, 30);
        assert_partition(&s.split[0], 100);
        for (int i = 0; i < 30; i++)
            ones += classes[s.split[0].validate[i]];
        assert_int_equal(ones, 3);
        sri_splits_free(&s);
    }
}

static void both_sides_of_a_holdout_have_a_row(void **state)
{
    specreg_context *ctx = *state;
    sri_splits s;
    assert_ok(ctx, sri_splits_holdout(ctx, 3, 0.001, NULL, 0, 0, &s));
    assert_int_equal(s.split[0].n_validate, 1);
    sri_splits_free(&s);
    assert_ok(ctx, sri_splits_holdout(ctx, 3, 0.999, NULL, 0, 0, &s));
    assert_int_equal(s.split[0].n_train, 1);
    sri_splits_free(&s);
}

static void impossible_splits_are_refused(void **state)
{
    specreg_context *ctx = *state;
    const int32_t bad[] = {0, 2, 1};
    sri_splits s;
    assert_fails(ctx, sri_splits_kfold(ctx, 3, 1, NULL, 0, 0, &s), SPECREG_E_ARG,
                 "kfold: k=1, at least two folds are needed");
    assert_fails(ctx, sri_splits_kfold(ctx, 3, 4, NULL, 0, 0, &s), SPECREG_E_ARG,
                 "kfold: k=4 folds are more than the 3 rows");
    assert_null(s.split);
    assert_int_equal(sri_splits_kfold(ctx, 3, 2, bad, 2, 0, &s), SPECREG_E_ARG);
    assert_int_equal(sri_splits_holdout(ctx, 3, 0, NULL, 0, 0, &s), SPECREG_E_ARG);
    assert_int_equal(sri_splits_holdout(ctx, 3, 1, NULL, 0, 0, &s), SPECREG_E_ARG);
    assert_int_equal(sri_splits_holdout(ctx, 3, NAN, NULL, 0, 0, &s), SPECREG_E_ARG);
    assert_fails(ctx, sri_splits_holdout(ctx, 1, 0.5, NULL, 0, 0, &s), SPECREG_E_ARG,
                 "holdout: 1 row cannot be divided");
}

#define UNIT(name) cmocka_unit_test_setup_teardown(name, context_setup, context_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT(folds_are_equal_partitions_in_which_each_row_validates_once),
        UNIT(stratified_folds_have_their_share_of_each_class),
        UNIT(the_seed_decides),
        UNIT(every_row_is_as_likely_to_be_held_out),
        UNIT(holdout_takes_its_fraction_of_rows_and_of_classes),
        UNIT(both_sides_of_a_holdout_have_a_row),
        UNIT(impossible_splits_are_refused),
    };
    return cmocka_run_group_tests_name("split", tests, NULL, NULL);
}
