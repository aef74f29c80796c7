/* Encoding of tables: answers are worked out by hand. */
#include "small_table.h"

#include <float.h>
#include <stdio.h>

#include "data/encode.h"
#include "data/rows.h"

/* Fits on all rows but the last column, which is the target. */
static sri_encoder *fit(specreg_context *ctx, const specreg_table *t, sri_scale scale)
{
    sri_encoder *enc;
    const int64_t skip = t->sparse ? 0 : t->n_columns - 1;
    assert_ok(ctx, sri_encoder_fit(ctx, &(sri_rows){t, ALL, t->rows}, &skip, 1,
                                   &(sri_encode_how){.scale = scale}, &enc));
    return enc;
}

static double *apply(specreg_context *ctx, const sri_encoder *enc, const specreg_table *t)
{
    double *X;
    assert_ok(ctx, sri_encoder_apply(ctx, enc, &(sri_rows){t, ALL, t->rows}, 0, &X, NULL));
    return X;
}

static void assert_apply_fails(specreg_context *ctx, const sri_encoder *enc, specreg_table *t,
                               specreg_status status, const char *text)
{
    double *X = (double *)&X;
    assert_fails(ctx, sri_encoder_apply(ctx, enc, &(sri_rows){t, ALL, t->rows}, 0, &X, NULL),
                 status, text);
    assert_null(X);
    specreg_table_free(t);
}

static void assert_values(const double *got, const double *expected, int count)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(got[i] - expected[i]) <= 4 * DBL_EPSILON * fmax(1, fabs(expected[i]))))
            fail_msg("value %d is %.17g, not %.17g", i, got[i], expected[i]);
}

/* 1, 2, 6: mean 3, population variance (4+1+9)/3 = 14/3. */
TEST(encode, standard_scaling_uses_the_population_deviation)
{
    specreg_table *t =
        small_table(ctx, "t.csv", true, 3, 2, CELLS("a", "y", "1", "0", "2", "0", "6", "1"));
    sri_encoder *enc = fit(ctx, t, SRI_SCALE_STANDARD);
    double *X = apply(ctx, enc, t);
    const double d = sqrt(14.0 / 3), expected[] = {-2 / d, -1 / d, 3 / d};
    assert_values(X, expected, 3);
    assert_true(enc->feature[0].shift == 3 && enc->feature[0].fill == 3);
    assert_int_equal(enc->p, 1);
    free(X);
    sri_encoder_free(enc);
    specreg_table_free(t);
}

TEST(encode, minmax_scaling_reaches_zero_and_one_exactly)
{
    specreg_table *t =
        small_table(ctx, "t.csv", true, 3, 3,
                    CELLS("a", "c", "y", "-1", "5", "0", "2", "5", "0", "3", "5", "1"));
    sri_encoder *enc = fit(ctx, t, SRI_SCALE_MINMAX);
    double *X = apply(ctx, enc, t);
    const double expected[] = {0, 0, 0.75, 0, 1, 0}; /* the constant column becomes 0 */
    assert_values(X, expected, 6);
    assert_true(X[0] == 0 && X[4] == 1);
    assert_true(enc->feature[1].shift == 5 && enc->feature[1].factor == 1);
    free(X);
    sri_encoder_free(enc);
    specreg_table_free(t);
}

/* Every column is a multiple of (-1, 0, 1, 1, 0, -1) plus its middle: all must be scaled alike. */
TEST(encode, scaling_survives_the_ends_of_the_double_range)
{
    static const double pattern[6] = {-1, 0, 1, 1, 0, -1};
    static const double size[5] = {1.7e308, 1e300, 1e-300, 5e-324, 1};
    double values[36];
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 5; j++)
            values[i * 6 + j] = pattern[i] * size[j];
        values[i * 6 + 5] = i;
    }
    const specreg_view view = {values, 6, 6, 6};
    specreg_table *t;
    assert_ok(ctx, specreg_table_from_arrays(ctx, &view, NULL, NULL, NULL, &t));
    for (int scale = SRI_SCALE_STANDARD; scale <= SRI_SCALE_MINMAX; scale++) {
        sri_encoder *enc = fit(ctx, t, (sri_scale)scale);
        double *X = apply(ctx, enc, t);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 5; j++) {
                const double expected =
                    scale == SRI_SCALE_STANDARD ? pattern[i] * sqrt(1.5) : (pattern[i] + 1) / 2;
                assert_values(&X[i * 5 + j], &expected, 1);
            }
        assert_true(fabs(enc->feature[0].fill) <= 1.7e308 * 1e-16);
        free(X);
        sri_encoder_free(enc);
    }
    specreg_table_free(t);
}

/* 1e9 + {0, 0.1, ... 0.6} in thousands of rows: the mean is good to its last digit and the
 * deviation, 0.2, to what the rounding of the values themselves leaves of it. */
TEST(encode, a_large_offset_does_not_spoil_the_statistics)
{
    enum { N = 7000 };
    static double values[N];
    static int64_t keep[N];
    long double sum = 0;
    for (int i = 0; i < N; i++) {
        values[i] = 1e9 + 0.1 * (i % 7);
        keep[i] = i;
        sum += values[i];
    }
    const specreg_view view = {values, N, 1, 1};
    specreg_table *t;
    sri_encoder *enc;
    assert_ok(ctx, specreg_table_from_arrays(ctx, &view, NULL, NULL, NULL, &t));
    assert_ok(ctx, sri_encoder_fit(ctx, &(sri_rows){t, keep, N}, NULL, 0,
                                   &(sri_encode_how){.scale = SRI_SCALE_STANDARD}, &enc));
    assert_true(fabsl(enc->feature[0].shift - sum / N) <= 0x1p-23L); /* one unit at 1e9 */
    assert_true(fabs(enc->feature[0].factor - 5) <= 5 * 0x1p-23 / 0.2);
    sri_encoder_free(enc);
    specreg_table_free(t);
}

TEST(encode, texts_become_sorted_columns_of_zero_and_one)
{
    specreg_table *t = small_table(ctx, "t.csv", true, 4, 3,
                                   CELLS("color", "a", "y", "red", "7", "0", "blue", "7", "0",
                                         "red", "7", "1", "green", "7", "1"));
    sri_encoder *enc = fit(ctx, t, SRI_SCALE_STANDARD);
    double *X = apply(ctx, enc, t);
    const double expected[] = {0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0};
    assert_int_equal(enc->p, 4);
    assert_int_equal(enc->feature[1].at, 3);
    assert_string_equal(enc->feature[0].category.text[0], "blue");
    assert_values(X, expected, 16);
    free(X);
    sri_encoder_free(enc);
    specreg_table_free(t);
}

TEST(encode, columns_are_matched_by_name_and_extra_ones_ignored)
{
    specreg_table *t = small_table(ctx, "train.csv", true, 2, 3,
                                   CELLS("a", "b", "y", "1", "10", "0", "2", "20", "1"));
    sri_encoder *enc = fit(ctx, t, SRI_SCALE_NONE);
    specreg_table *other =
        small_table(ctx, "test.csv", true, 1, 3, CELLS("b", "new", "a", "5", "x", "6"));
    double *X = apply(ctx, enc, other);
    const double expected[] = {6, 5};
    assert_values(X, expected, 2);
    free(X);
    specreg_table_free(other);
    assert_apply_fails(ctx, enc,
                       small_table(ctx, "test.csv", true, 1, 2, CELLS("a", "c", "1", "2")),
                       SPECREG_E_SHAPE, "test.csv: column 'b' of the training data is missing");
    assert_apply_fails(ctx, enc,
                       small_table(ctx, "test.csv", true, 1, 2, CELLS("a", "b", "one", "2")),
                       SPECREG_E_SHAPE,
                       "test.csv: column 'a' holds text, it held numbers in training");
    sri_encoder_free(enc);
    specreg_table_free(t);
}

/* The target is the first of three columns: a table of three skips it, one of two has none. */
TEST(encode, without_names_columns_are_matched_by_position)
{
    specreg_table *t =
        small_table(ctx, "train.csv", false, 2, 3, CELLS("0", "1", "10", "1", "2", "20"));
    sri_encoder *enc;
    const int64_t skip = 0;
    assert_ok(ctx, sri_encoder_fit(ctx, &(sri_rows){t, ALL, 2}, &skip, 1,
                                   &(sri_encode_how){.scale = SRI_SCALE_NONE}, &enc));
    specreg_table *two = small_table(ctx, "test.csv", true, 1, 2, CELLS("u", "v", "3", "4"));
    double *X = apply(ctx, enc, two), *Z = apply(ctx, enc, t);
    const double expected[] = {3, 4}, all[] = {1, 10, 2, 20};
    assert_values(X, expected, 2);
    assert_values(Z, all, 4);
    assert_apply_fails(ctx, enc, small_table(ctx, "test.csv", false, 1, 1, CELLS("3")),
                       SPECREG_E_SHAPE, "test.csv has 1 column, the model needs 2");
    assert_apply_fails(ctx, enc, small_table(ctx, "t4.csv", false, 1, 4, CELLS("3", "1", "2", "3")),
                       SPECREG_E_SHAPE, "t4.csv has 4 columns, the model needs 2");
    free(Z);
    free(X);
    specreg_table_free(two);
    sri_encoder_free(enc);
    specreg_table_free(t);
}

/* Two columns of one name cannot be told apart by it. */
TEST(encode, columns_of_the_same_name_are_matched_by_position)
{
    specreg_table *t = small_table(ctx, "train.csv", true, 2, 3,
                                   CELLS("a", "a", "y", "1", "10", "0", "2", "20", "1"));
    sri_encoder *enc = fit(ctx, t, SRI_SCALE_NONE);
    double *X = apply(ctx, enc, t);
    const double expected[] = {1, 10, 2, 20};
    assert_values(X, expected, 4);
    free(X);
    sri_encoder_free(enc);
    specreg_table_free(t);
}

TEST(encode, an_unknown_category_is_named_with_its_place)
{
    specreg_table *t =
        small_table(ctx, "train.csv", true, 2, 2, CELLS("color", "y", "red", "0", "green", "1"));
    sri_encoder *enc = fit(ctx, t, SRI_SCALE_STANDARD);
    enc->refuses_unseen = true;
    assert_apply_fails(ctx, enc,
                       small_table(ctx, "test.csv", true, 2, 1, CELLS("color", "red", "blue")),
                       SPECREG_E_SHAPE,
                       "test.csv:3: column 'color': category 'blue' was not seen in training");
    assert_apply_fails(ctx, enc, small_table(ctx, "test.csv", true, 1, 1, CELLS("color", "0.5")),
                       SPECREG_E_SHAPE,
                       "test.csv:2: column 'color': category '0.5' was not seen in training");
    sri_encoder_free(enc);
    specreg_table_free(t);
}

/* Training forced the numbers 1, 2.5 and 007 to be texts; the new file holds numbers. */
TEST(encode, numbers_match_the_categories_that_they_spell)
{
    specreg_table *t = small_table_text(ctx, "train.csv", true, 3, 2,
                                        CELLS("k", "y", "1", "0", "2.5", "0", "007", "1"), "0");
    sri_encoder *enc = fit(ctx, t, SRI_SCALE_STANDARD);
    specreg_table *other = small_table(ctx, "test.csv", true, 3, 1, CELLS("k", "2.50", "1", "7"));
    double *X = apply(ctx, enc, other);
    const double expected[] = {0, 0, 1, 0, 1, 0, 1, 0, 0}; /* sorted: 007, 1, 2.5 */
    assert_values(X, expected, 9);
    free(X);
    specreg_table_free(other);
    sri_encoder_free(enc);
    specreg_table_free(t);
}

TEST(encode, gaps_are_errors_or_dropped_or_filled)
{
    specreg_table *t = small_table(ctx, "train.csv", true, 4, 3,
                                   CELLS("age", "c", "y", "1", "u", "0", "", "u", "1", "3", "", "1",
                                         "5", "v", ""));
    int64_t y = 2;
    sri_rows rows;
    const sri_roles roles = {.target = &y, .n_targets = 1};
    assert_fails(
        ctx, sri_rows_train(ctx, t, &roles, NULL, SRI_MISSING_ERROR, &rows), SPECREG_E_NUMERIC,
        "train.csv:3: column 'age': value is missing (see --missing: indicator or mean fill "
        "it in, drop leaves out the row)");
    assert_null(rows.row);
    assert_ok(ctx, sri_rows_train(ctx, t, &roles, NULL, SRI_MISSING_DROP, &rows));
    assert_int_equal(rows.count, 1);
    assert_int_equal(rows.row[0], 0);
    free(rows.row);
    assert_fails(ctx, sri_rows_train(ctx, t, &roles, NULL, SRI_MISSING_MEAN, &rows),
                 SPECREG_E_NUMERIC,
                 "train.csv:5: column 'y': value is missing (targets are not filled in)");
    t->rows = 3;
    assert_ok(ctx, sri_rows_train(ctx, t, &roles, NULL, SRI_MISSING_MEAN, &rows));
    assert_int_equal(rows.count, 3);
    sri_encoder *enc = fit(ctx, t, SRI_SCALE_STANDARD);
    double *X = apply(ctx, enc, t);
    /* age: 1, gap, 3: mean 2, deviation 1; c: u, u, gap, and only u was seen: its share is 1 */
    const double expected[] = {-1, 1, 0, 1, 1, 1};
    assert_values(X, expected, 6);
    free(X);
    free(rows.row);
    sri_encoder_free(enc);
    specreg_table_free(t);
}

TEST(encode, a_missing_number_becomes_the_mean)
{
    specreg_table *t = small_table(ctx, "t.csv", true, 4, 2,
                                   CELLS("a", "y", "1", "0", "", "0", "2", "1", "6", "1"));
    for (int scale = SRI_SCALE_STANDARD; scale <= SRI_SCALE_NONE; scale++) {
        sri_encoder *enc = fit(ctx, t, (sri_scale)scale);
        double *X = apply(ctx, enc, t);
        const double expected[] = {0, 0.4, 3}; /* 3 of 1..6 lies at two fifths */
        assert_values(&X[1], &expected[scale], 1);
        free(X);
        sri_encoder_free(enc);
    }
    specreg_table_free(t);
}

/* Of the four texts three are u: a gap becomes (3/4, 1/4). */
TEST(encode, a_missing_text_becomes_the_shares_of_the_categories)
{
    specreg_table *t =
        small_table(ctx, "t.csv", true, 5, 2,
                    CELLS("c", "y", "u", "0", "u", "0", "v", "0", "u", "0", "", "1"));
    sri_encoder *enc = fit(ctx, t, SRI_SCALE_STANDARD);
    double *X = apply(ctx, enc, t);
    const double expected[] = {0.75, 0.25};
    assert_values(X + 8, expected, 2);
    free(X);
    sri_encoder_free(enc);
    specreg_table_free(t);
}

TEST(encode, gaps_matter_only_in_columns_the_encoder_uses)
{
    specreg_table *t =
        small_table(ctx, "train.csv", true, 2, 2, CELLS("a", "y", "1", "0", "2", "1"));
    sri_encoder *enc = fit(ctx, t, SRI_SCALE_NONE);
    specreg_table *other =
        small_table(ctx, "test.csv", true, 2, 3, CELLS("y", "z", "a", "", "", "1", "", "3", ""));
    sri_rows rows;
    assert_ok(ctx, sri_rows_usable(ctx, other, enc, NULL, SRI_MISSING_DROP, &rows));
    assert_int_equal(rows.count, 1);
    free(rows.row);
    assert_fails(ctx, sri_rows_usable(ctx, other, enc, NULL, SRI_MISSING_ERROR, &rows),
                 SPECREG_E_NUMERIC, "test.csv:3: column 'a': value is missing (see --missing)");
    specreg_table_free(other);
    other = small_table(ctx, "test.csv", true, 1, 2, CELLS("a", "b", "", "1"));
    assert_ok(ctx, sri_rows_usable(ctx, other, enc, NULL, SRI_MISSING_DROP, &rows));
    assert_int_equal(rows.count, 0);
    assert_fails(ctx, sri_rows_any(ctx, &rows), SPECREG_E_NUMERIC,
                 "test.csv: every row has a missing value, nothing is left");
    free(rows.row);
    specreg_table_free(other);
    sri_encoder_free(enc);
    specreg_table_free(t);
}

TEST(encode, columns_without_values_and_results_out_of_range_are_named)
{
    sri_encoder *enc;
    const int64_t y = 1;
    specreg_table *t = small_table(ctx, "t.csv", true, 2, 2, CELLS("a", "y", "", "0", "", "1"));
    assert_fails(ctx,
                 sri_encoder_fit(ctx, &(sri_rows){t, ALL, 2}, &y, 1,
                                 &(sri_encode_how){.scale = SRI_SCALE_STANDARD}, &enc),
                 SPECREG_E_NUMERIC, "t.csv: column 'a' has no values: leave it out with --drop");
    specreg_table_free(t);
    t = small_table(ctx, "t.csv", true, 2, 2, CELLS("a", "y", "1", "0", "inf", "1"));
    assert_fails(ctx,
                 sri_encoder_fit(ctx, &(sri_rows){t, ALL, 2}, &y, 1,
                                 &(sri_encode_how){.scale = SRI_SCALE_STANDARD}, &enc),
                 SPECREG_E_NUMERIC, "t.csv:3: column 'a': value is infinite");
    assert_null(enc);
    specreg_table_free(t);
    t = small_table(ctx, "t.csv", true, 2, 2, CELLS("a", "y", "0", "0", "1e-5", "1"));
    enc = fit(ctx, t, SRI_SCALE_STANDARD);
    assert_apply_fails(
        ctx, enc, small_table(ctx, "u.csv", true, 1, 1, CELLS("a", "1e308")), SPECREG_E_NUMERIC,
        "u.csv:2: column 'a': 1e+308 is too far from the training data to be scaled");
    sri_encoder_free(enc);
    specreg_table_free(t);
}

/* (1 0 4), (0 0 2): the dense columns are 1 0, 0 0 and 4 2. */
TEST(encode, sparse_columns_are_scaled_as_dense_ones)
{
    const double x[] = {1, 0, 4, 0, 0, 2}, y[] = {0, 1};
    specreg_table *t = small_sparse(ctx, "t.libsvm", 2, 3, y, x);
    sri_encoder *enc = fit(ctx, t, SRI_SCALE_STANDARD);
    double *X = apply(ctx, enc, t);
    const double expected[] = {1, 0, 1, -1, 0, -1};
    assert_true(enc->by_number);
    assert_values(X, expected, 6);
    free(X);
    double *Z;
    assert_fails(
        ctx, sri_encoder_apply(ctx, enc, &(sri_rows){t, ALL, 2}, 47, &Z, NULL), SPECREG_E_NOMEM,
        "t.libsvm: 2 rows x 3 columns as dense numbers need 48 bytes, the memory budget is "
        "47 bytes");
    assert_ok(ctx, sri_encoder_apply(ctx, enc, &(sri_rows){t, ALL, 2}, 48, &Z, NULL));
    free(Z);
    sri_encoder_free(enc);
    specreg_table_free(t);
}

static int notes;
static char note[256];
static void count_note(const char *line, void *payload)
{
    (void)payload;
    notes++;
    snprintf(note, sizeof note, "%s", line);
}

TEST(encode, new_sparse_columns_are_ignored_with_a_note_and_absent_ones_are_zero)
{
    const double x[] = {1, 0, 4, 0, 0, 2}, y[] = {0, 1}, more[] = {7, 0, 0, 0, 9}, less[] = {7};
    specreg_table *t = small_sparse(ctx, "t.libsvm", 2, 3, y, x);
    specreg_table *wide = small_sparse(ctx, "wide.libsvm", 1, 5, y, more);
    specreg_table *narrow = small_sparse(ctx, "narrow.libsvm", 1, 1, y, less);
    specreg_table *dense = small_table(ctx, "d.csv", false, 1, 3, CELLS("7", "0", "0"));
    sri_encoder *enc = fit(ctx, t, SRI_SCALE_NONE);
    const double expected[] = {7, 0, 0};
    notes = 0;
    specreg_set_log(ctx, count_note, NULL);
    double *X = apply(ctx, enc, wide), *Z = apply(ctx, enc, narrow), *D = apply(ctx, enc, dense);
    assert_values(X, expected, 3);
    assert_values(Z, expected, 3);
    assert_values(D, expected, 3);
    assert_int_equal(notes, 1);
    assert_string_equal(
        note, "wide.libsvm: 2 columns beyond number 3, the last in training, are ignored");
    free(D);
    free(Z);
    free(X);
    sri_encoder_free(enc);
    specreg_table_free(dense);
    specreg_table_free(narrow);
    specreg_table_free(wide);
    specreg_table_free(t);
}

/* A table of one text column with n different texts, and a y. */
static specreg_table *id_table(specreg_context *ctx, int64_t n)
{
    const char **cells = malloc((size_t)(2 * n + 2) * sizeof *cells);
    char *texts = malloc((size_t)n * 16);
    cells[0] = "id";
    cells[1] = "y";
    for (int64_t i = 0; i < n; i++) {
        snprintf(texts + 16 * i, 16, "k%d", (int)i);
        cells[2 * i + 2] = texts + 16 * i;
        cells[2 * i + 3] = "1";
    }
    specreg_table *t = small_table(ctx, "t.csv", true, n, 2, cells);
    free(texts);
    free(cells);
    return t;
}

TEST(encode, too_many_categories_are_refused)
{
    static int64_t keep[10001];
    for (int64_t i = 0; i < 10001; i++)
        keep[i] = i;
    const int64_t y = 1;
    sri_encoder *enc;
    specreg_table *t = id_table(ctx, 10001);
    assert_ok(ctx, sri_encoder_fit(ctx, &(sri_rows){t, keep, 51}, &y, 1,
                                   &(sri_encode_how){.scale = SRI_SCALE_NONE}, &enc));
    assert_int_equal(enc->p, 51);
    sri_encoder_free(enc);
    assert_fails(
        ctx,
        sri_encoder_fit(ctx, &(sri_rows){t, keep, 10001}, &y, 1,
                        &(sri_encode_how){.scale = SRI_SCALE_NONE}, &enc),
        SPECREG_E_NUMERIC,
        "t.csv: column 'id' has 10001 different texts, at most 10000 can be encoded: leave it out "
        "with --drop");
    specreg_table_free(t);
}

/* Unless it is refused: zeros in the columns of that input, counted, and the place of the first. */
TEST(encode, an_unknown_category_becomes_zeros_and_is_counted)
{
    specreg_table *t =
        small_table(ctx, "train.csv", true, 2, 2, CELLS("color", "y", "red", "0", "green", "1"));
    specreg_table *other =
        small_table(ctx, "test.csv", true, 3, 1, CELLS("color", "red", "blue", "pink"));
    sri_encoder *enc = fit(ctx, t, SRI_SCALE_STANDARD);
    sri_unseen unseen = {0};
    const double expected[] = {0, 1, 0, 0, 0, 0}; /* green, red */
    double *X;
    assert_ok(ctx, sri_encoder_apply(ctx, enc, &(sri_rows){other, ALL, 3}, 0, &X, &unseen));
    assert_values(X, expected, 6);
    assert_int_equal(unseen.cells, 2);
    assert_string_equal(unseen.first, "test.csv:3: column 'color': 'blue'");
    free(X);
    sri_encoder_free(enc);
    specreg_table_free(other);
    specreg_table_free(t);
}

/* Of columns with gaps only; the indicator is never scaled. */
TEST(encode, an_indicator_says_that_a_value_was_missing)
{
    specreg_table *t = small_table(ctx, "train.csv", true, 4, 4,
                                   CELLS("a", "b", "c", "y", "1", "5", "u", "0", "", "6", "v", "0",
                                         "3", "7", "", "1", "5", "8", "u", "1"));
    const int64_t y = 3;
    sri_encoder *enc;
    const sri_encode_how how = {.scale = SRI_SCALE_NONE, .missing = SRI_MISSING_INDICATOR};
    assert_ok(ctx, sri_encoder_fit(ctx, &(sri_rows){t, ALL, 4}, &y, 1, &how, &enc));
    const char *const names[] = {"a", "a:missing", "b", "c", "c:missing"};
    assert_int_equal(enc->n_features, 5);
    assert_int_equal(sri_encoder_inputs(enc), 3);
    for (int j = 0; j < 5; j++)
        assert_string_equal(enc->feature[j].name, names[j]);
    double *X = apply(ctx, enc, t);
    const double share = 1.0 / 3;
    const double expected[] = {1, 0, 5, 1,         0,     0, 3, 1, 6, 0, 1, 0,
                               3, 0, 7, 2 * share, share, 1, 5, 0, 8, 1, 0, 0};
    assert_values(X, expected, 24);
    free(X);
    /* without names: the three inputs alone, in their order */
    specreg_table *bare = small_table(ctx, "bare.csv", false, 1, 3, CELLS("", "2", "v"));
    X = apply(ctx, enc, bare);
    const double alone[] = {3, 1, 2, 0, 1, 0};
    assert_values(X, alone, 6);
    free(X);
    specreg_table_free(bare);
    sri_encoder_free(enc);
    specreg_table_free(t);
}

/* 2024-02-29 was a Thursday, 2023-12-31 a Sunday, 60 days before it. */
TEST(encode, dates_become_year_month_weekday_and_days)
{
    specreg_table *t =
        small_table(ctx, "train.csv", true, 2, 2,
                    CELLS("when", "y", "2024-02-29", "0", "2023-12-31T12:00:00Z", "1"));
    specreg_table *other =
        small_table(ctx, "test.csv", true, 2, 1, CELLS("when", "2024-03-01", "never"));
    const int64_t y = 1;
    sri_encoder *enc;
    sri_unseen unseen = {0};
    const sri_encode_how how = {.scale = SRI_SCALE_NONE, .dates = SRI_DATES_AUTO};
    assert_ok(ctx, sri_encoder_fit(ctx, &(sri_rows){t, ALL, 2}, &y, 1, &how, &enc));
    double *X = apply(ctx, enc, t);
    const double expected[] = {2024, 2, 4, 59.5, 2023, 12, 7, 0};
    assert_values(X, expected, 8);
    free(X);
    assert_ok(ctx, sri_encoder_apply(ctx, enc, &(sri_rows){other, ALL, 2}, 0, &X, &unseen));
    const double later[] = {2024, 3, 5, 60.5, 2023.5, 7, 5.5, 29.75}; /* the means */
    assert_values(X, later, 8);
    assert_int_equal(unseen.cells, 1);
    free(X);
    sri_encoder_free(enc);
    specreg_table_free(other);
    specreg_table_free(t);
}

TEST(encode, names_of_choices_are_checked)
{
    sri_scale scale;
    sri_missing missing;
    assert_ok(ctx, sri_scale_parse(ctx, "minmax", &scale));
    assert_int_equal(scale, SRI_SCALE_MINMAX);
    assert_string_equal(sri_scale_name(SRI_SCALE_NONE), "none");
    assert_ok(ctx, sri_missing_parse(ctx, "drop", &missing));
    assert_int_equal(missing, SRI_MISSING_DROP);
    assert_fails(ctx, sri_scale_parse(ctx, "standart", &scale), SPECREG_E_ARG,
                 "unknown scale 'standart' (did you mean 'standard'? known: standard minmax none "
                 "maxabs inner)");
    assert_int_equal(sri_missing_parse(ctx, "x", &missing), SPECREG_E_ARG);
}
