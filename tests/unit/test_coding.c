/* Classes as columns of numbers and back. */
#include "small_table.h"

#include "record/record.h"

static sri_coding *coding_of(specreg_context *ctx, const char *text, int64_t classes)
{
    sri_coding_spec spec;
    sri_coding *coding;
    assert_ok(ctx, sri_coding_parse(ctx, text, &spec));
    assert_ok(ctx, sri_coding_new(ctx, &spec, classes, &coding));
    return coding;
}

TEST(coding, three_classes_have_a_column_each)
{
    const int32_t classes[] = {2, 0};
    double Y[6];
    const double expected[] = {-1, -1, 1, 1, -1, -1};
    sri_coding *ova = coding_of(ctx, "ova", 3);
    assert_int_equal(ova->width, 3);
    sri_encode(ova, classes, 2, Y);
    assert_memory_equal(Y, expected, sizeof expected);
    sri_coding_free(ova);
}

TEST(coding, two_classes_share_a_column_that_is_positive_for_the_second)
{
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

TEST(coding, ties_go_to_the_lower_class)
{
    const double zero = 0, tie[] = {-1, 0.5, 0.5};
    double scores[3];
    sri_coding *two = coding_of(ctx, "ova", 2), *three = coding_of(ctx, "ova", 3);
    assert_int_equal(sri_decode(two, &zero, scores), 0);
    assert_int_equal(sri_decode(three, tie, scores), 1);
    sri_coding_free(three);
    sri_coding_free(two);
}

/* What was encoded is decoded to itself, for any coding and number of classes. */
TEST(coding, decoding_undoes_encoding)
{
    static const char *const all[] =
        {"ova",    "ab",      "ab:a=3,b=2.5",          "simplex",           "bch", "bch:15",
         "bch:31", "bch:127", "bch:63,decode=hamming", "bch:15,decode=loss"};
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

/* Words of length 1 that sum to 0, with one angle between all pairs: cos = -1/(k-1). */
TEST(coding, simplex_words_are_those_of_a_regular_simplex)
{
    for (int64_t k = 2; k < 60; k++) {
        sri_coding *c = coding_of(ctx, "simplex", k);
        const double eps = 8 * (double)k * 2.3e-16;
        assert_int_equal(c->width, k - 1);
        for (int64_t t = 0; t < k - 1; t++) {
            double sum = 0;
            for (int64_t v = 0; v < k; v++)
                sum += c->word[v * (k - 1) + t];
            assert_true(fabs(sum) < eps);
        }
        for (int64_t v = 0; v < k; v++)
            for (int64_t w = 0; w <= v; w++) {
                double product = 0;
                for (int64_t t = 0; t < k - 1; t++)
                    product += c->word[v * (k - 1) + t] * c->word[w * (k - 1) + t];
                assert_true(fabs(product - (v == w ? 1 : -1.0 / (double)(k - 1))) < eps);
            }
        sri_coding_free(c);
    }
}

/* ab with 1 and -1 is ova, but for two classes, where it has two columns. */
TEST(coding, ab_has_two_values)
{
    const int32_t classes[] = {1, 0, 2};
    const double expected[] = {0.5, 3, 0.5, 3, 0.5, 0.5, 0.5, 0.5, 3};
    double Y[9], Z[9];
    sri_coding *ab = coding_of(ctx, "ab:a=3,b=0.5", 3);
    sri_encode(ab, classes, 3, Y);
    assert_memory_equal(Y, expected, sizeof expected);
    sri_coding_free(ab);
    sri_coding *ova = coding_of(ctx, "ova", 3);
    ab = coding_of(ctx, "ab:1,b=-1", 3);
    sri_encode(ova, classes, 3, Y);
    sri_encode(ab, classes, 3, Z);
    assert_memory_equal(Y, Z, sizeof Y);
    sri_coding_free(ova);
    sri_coding_free(ab);
    ab = coding_of(ctx, "ab", 2);
    sri_encode(ab, classes, 2, Y);
    assert_int_equal(ab->width, 2);
    assert_true(Y[0] == 0 && Y[1] == 1 && Y[2] == 1 && Y[3] == 0);
    sri_coding_free(ab);
}

/* A coding as JSON is the coding: parameters and decoding come back. */
TEST(coding, codings_read_back_from_json)
{
    static const char *const text[] = {"ova", "simplex", "ab:a=0.1,b=-7", "bch:31,decode=loss"};
    static const char *const json[] =
        {"{\"name\": \"ova\"}", "{\"name\": \"simplex\"}",
         "{\"name\": \"ab\", \"a\": 0.10000000000000001, \"b\": -7.0}",
         ("{\"name\": \"bch\", \"length\": 31, \"dimension\": 6, \"distance\": 15, "
          "\"decode\": \"loss\"}")};
    static const char *const bad[] = {"{}",
                                      "{\"name\": \"x\"}",
                                      "{\"name\": \"ab\", \"a\": 1}",
                                      "{\"name\": \"ab\", \"a\": 1, \"b\": 2}",
                                      "{\"name\": \"bch\", \"length\": 16, \"decode\": \"loss\"}",
                                      "{\"name\": \"bch\", \"length\": 15}"};
    sri_coding_spec spec;
    for (int i = 0; i < 4; i++) {
        sri_coding *c = coding_of(ctx, text[i], 20);
        json_t *j = sri_coding_json(c);
        char *written = json_dumps(j, JSON_REAL_PRECISION(17));
        assert_string_equal(written, json[i]);
        assert_true(sri_coding_spec_from_json(ctx, j, &spec));
        assert_ptr_equal(spec.ops, c->spec.ops);
        assert_memory_equal(spec.param, c->spec.param, sizeof spec.param);
        assert_int_equal(spec.decoding, c->spec.decoding);
        free(written);
        json_decref(j);
        sri_coding_free(c);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *j = json_loads(bad[i], 0, NULL);
        assert_non_null(j);
        assert_false(sri_coding_spec_from_json(ctx, j, &spec));
        json_decref(j);
    }
}

TEST(coding, specs_that_name_no_coding_are_refused)
{
    static const char *const bad[][2] = {
        {"ava", "unknown coding 'ava' (did you mean 'ova'? known: ova"},
        {"bch:63,k=8", "coding: bch:63 has no code of dimension k = 8 (known: 1 7 10 16"},
        {"random:columns=1.5", "whole number"},
        {"dense:zeros=0.5", "unknown parameter of coding dense 'zeros'"},
        {"ovo:3", "unknown parameter of coding ovo '3'"},
        {"code", "coding: code needs file=FILE"},
        {"ova:a=1", "coding: ova takes no parameters"},
        {"simplex:3", "coding: simplex takes no parameters"},
        {"ab:a=0,b=0", "coding: ab: a must be greater than b, not 0 and 0"},
        {"ab:b=2", "coding: ab: a must be greater than b, not 1 and 2"},
        {"ab:a=1,a=2", "coding: ab: a is given twice"},
        {"ab:1,a=2", "coding: ab: a is given twice"},
        {"ab:c=1", "unknown parameter of coding ab 'c'"},
        {"ab:a=x", "coding: ab: a: 'x' is not a number"},
        {"ab:a=1e200", "within 1e100"},
        {"ab:a=1e-200", "differ by 1e-100"},
        {"ab:decode=loss", "unknown parameter of coding ab 'decode'"},
        {"bch:64", "coding: bch: the length must be 15, 31, 63 or 127, not 64"},
        {"bch:length=63.5", "whole number"},
        {"bch:-15", "at least 1"},
        {"bch:decode=x", "unknown decode 'x'"},
        {"bch:63,t=3", "unknown parameter of coding bch 't'"},
        {"bch:63,31", "coding: bch: length is given twice"},
        {"bch:{15,31}", "is not a number"},
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
