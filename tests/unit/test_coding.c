/* Classes as columns of numbers and back. */
#include "small_table.h"

#include "coding/coding.h"

static void three_classes_have_a_column_each(void **state)
{
    (void)state;
    const int32_t classes[] = {2, 0};
    double Y[6];
    const double expected[] = {-1, -1, 1, 1, -1, -1};
    assert_int_equal(sri_coding_ova.width(3), 3);
    sri_coding_ova.encode(classes, 2, 3, Y);
    assert_memory_equal(Y, expected, sizeof expected);
}

static void two_classes_share_a_column_that_is_positive_for_the_second(void **state)
{
    (void)state;
    const int32_t classes[] = {1, 0};
    double Y[2], scores[2];
    const double output = -0.25;
    assert_int_equal(sri_coding_ova.width(2), 1);
    sri_coding_ova.encode(classes, 2, 2, Y);
    assert_true(Y[0] == 1 && Y[1] == -1);
    assert_int_equal(sri_decode(&sri_coding_ova, &output, 2, scores), 0);
    assert_true(scores[0] == 0.25 && scores[1] == -0.25);
}

/* What was encoded is decoded to itself, for any number of classes. */
static void decoding_undoes_encoding(void **state)
{
    (void)state;
    for (int32_t k = 2; k < 9; k++)
        for (int32_t c = 0; c < k; c++) {
            double Y[9], scores[9];
            sri_coding_ova.encode(&c, 1, k, Y);
            assert_int_equal(sri_decode(&sri_coding_ova, Y, k, scores), c);
        }
}

static void ties_go_to_the_lower_class(void **state)
{
    (void)state;
    const double zero = 0, tie[] = {-1, 0.5, 0.5};
    double scores[3];
    assert_int_equal(sri_decode(&sri_coding_ova, &zero, 2, scores), 0);
    assert_int_equal(sri_decode(&sri_coding_ova, tie, 3, scores), 1);
}

static void codings_are_found_by_name(void **state)
{
    specreg_context *ctx = *state;
    assert_ptr_equal(sri_coding_find(ctx, "ova"), &sri_coding_ova);
    assert_null(sri_coding_find(ctx, "ovo"));
    assert_string_equal(specreg_last_error(ctx),
                        "unknown coding 'ovo' (did you mean 'ova'? known: ova)");
}

#define UNIT(name) cmocka_unit_test_setup_teardown(name, context_setup, context_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT(three_classes_have_a_column_each),
        UNIT(two_classes_share_a_column_that_is_positive_for_the_second),
        UNIT(decoding_undoes_encoding),
        UNIT(ties_go_to_the_lower_class),
        UNIT(codings_are_found_by_name),
    };
    return cmocka_run_group_tests_name("coding", tests, NULL, NULL);
}
