/* Classes as columns of numbers and back. */
#include "small_table.h"

#include "coding/coding.h"

static sri_coding *coding_of(specreg_context *ctx, const char *text, int64_t classes)
{
    sri_coding_spec spec;
    sri_coding *coding;
    assert_ok(ctx, sri_coding_parse(ctx, text, &spec));
    assert_ok(ctx, sri_coding_new(ctx, &spec, classes, &coding));
    return coding;
}

static void three_classes_have_a_column_each(void **state)
{
    specreg_context *ctx = *state;
    const int32_t classes[] = {2, 0};
    double Y[6];
    const double expected[] = {-1, -1, 1, 1, -1, -1};
    sri_coding *ova = coding_of(ctx, "ova", 3);
    assert_int_equal(ova->width, 3);
    sri_encode(ova, classes, 2, Y);
    assert_memory_equal(Y, expected, sizeof expected);
    sri_coding_free(ova);
}

static void two_classes_share_a_column_that_is_positive_for_the_second(void **state)
{
    specreg_context *ctx = *state;
    const int32_t classes[] = {1, 0};
    double Y[2], scores[2];
    const double output = -0.25;
    sri_coding *ova = coding_of(ctx, "ova", 2);
    assert_int_equal(ova->width, 1);
    sri_encode(ova, classes, 2, Y);
    assert_true(Y[0] == 1 && Y[1] == -1);
    assert_int_equal(sri_decode(ova, &output, scores), 0);
    assert_true(scores[0] == 0.25 && scores[1] == -0.25);
    sri_coding_free(ova);
}

static void ties_go_to_the_lower_class(void **state)
{
    specreg_context *ctx = *state;
    const double zero = 0, tie[] = {-1, 0.5, 0.5};
    double scores[3];
    sri_coding *two = coding_of(ctx, "ova", 2), *three = coding_of(ctx, "ova", 3);
    assert_int_equal(sri_decode(two, &zero, scores), 0);
    assert_int_equal(sri_decode(three, tie, scores), 1);
    sri_coding_free(three);
    sri_coding_free(two);
}

/* What was encoded is decoded to itself, for any coding and number of classes. */
static void decoding_undoes_encoding(void **state)
{
    specreg_context *ctx = *state;
    static const char *const all[] = {"ova"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int32_t k = 2; k < 40; k++) {
            sri_coding *coding = coding_of(ctx, all[i], k);
            for (int32_t c = 0; c < k; c++) {
                double Y[128], scores[40];
                assert_true(coding->width <= 128);
                sri_encode(coding, &c, 1, Y);
                assert_int_equal(sri_decode(coding, Y, scores), c);
            }
            sri_coding_free(coding);
        }
}

static void specs_that_name_no_coding_are_refused(void **state)
{
    specreg_context *ctx = *state;
    static const char *const bad[][2] = {
        {"ovo", "unknown coding 'ovo' (did you mean 'ova'? known: ova"},
        {"ova:a=1", "coding: ova takes no parameters"},
        {"a=1", "unknown coding 'a=1'"},
        {"", "unknown coding ''"},
    };
    sri_coding_spec spec;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(sri_coding_parse(ctx, bad[i][0], &spec), SPECREG_E_ARG);
        if (!strstr(specreg_last_error(ctx), bad[i][1]))
            fail_msg("'%s' has no '%s'", specreg_last_error(ctx), bad[i][1]);
    }
}

#define UNIT(name) cmocka_unit_test_setup_teardown(name, context_setup, context_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT(three_classes_have_a_column_each),
        UNIT(two_classes_share_a_column_that_is_positive_for_the_second),
        UNIT(ties_go_to_the_lower_class),
        UNIT(decoding_undoes_encoding),
        UNIT(specs_that_name_no_coding_are_refused),
    };
    return cmocka_run_group_tests_name("coding", tests, NULL, NULL);
}
