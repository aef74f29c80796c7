/* Model files of earlier versions keep loading, and keep predicting what they did. */
#include "numeric/oracle.h"

static const char *golden(const char *name, const char *end)
{
    static char path[4][1024];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/tests/golden/%s%s", SPECREG_SOURCE_DIR, name, end);
    return path[next];
}

/* `size` bounds sum_i |alpha_i k(x, x_i)|, whose rounding is all that may differ. */
static void check_golden(specreg_context *ctx, const char *name, double size)
{
    specreg_table *data, *expected, *got;
    specreg_model *model;
    CHECK_OK(ctx, specreg_model_load(ctx, golden(name, ".srm"), &model));
    CHECK_OK(ctx, specreg_table_read(ctx, golden(name, ".csv"), NULL, &data));
    CHECK_OK(ctx, specreg_table_read(ctx, golden(name, ".expected.csv"), NULL, &expected));
    CHECK_OK(ctx, specreg_predict(ctx, model, data, NULL, &got));
    CHECK_EQ(specreg_table_rows(got), 20);
    CHECK_EQ(specreg_table_cols(got), specreg_table_cols(expected));
    for (int64_t j = 0; j < specreg_table_cols(got); j++) {
        CHECK_STR(specreg_table_name(got, j), specreg_table_name(expected, j));
        for (int64_t i = 0; i < 20; i++)
            if (specreg_table_is_text(got, j))
                CHECK_STR(specreg_table_text(got, i, j), specreg_table_text(expected, i, j));
            else
                CHECK_WORST(name,
                            fabs(specreg_table_number(got, i, j) -
                                 specreg_table_number(expected, i, j)),
                            kit_tolerance(20, size));
    }
    json_t *record = record_of(ctx, model);
    CHECK_STR(text_at(record, "specreg"), "0.1.0");
    CHECK_EQ(number_at(record, "data.n"), 20);
    json_decref(record);
    specreg_table_free(got);
    specreg_table_free(expected);
    specreg_table_free(data);
    specreg_model_free(model);
}

/* Two classes, a text column; the coefficients' absolute values sum to 5.5, k <= 1. */
TEST(golden, a_classifier_of_format_1_predicts_what_it_did)
{
    check_golden(ctx, "flowers", 6);
}

/* Two targets, a sum of kernels; the coefficients' absolute values sum to 18.3, k <= 4.5. */
TEST(golden, a_regression_of_format_1_predicts_what_it_did)
{
    check_golden(ctx, "tides", 90);
}

/* The same two targets by Tikhonov; the coefficients' absolute values sum to 212, k <= 4.5. */
TEST(golden, a_regression_of_format_2_predicts_what_it_did)
{
    check_golden(ctx, "tides_2", 1000);
}

/* Five classes as words of 31 signs; the coefficients' absolute values sum to 76 or less in every
 * column, k <= 1, and a score is a mean over the columns. */
TEST(golden, error_correcting_words_of_format_1_decode_to_what_they_did)
{
    check_golden(ctx, "vowels", 77);
}
