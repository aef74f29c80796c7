/* What is said of columns that can hardly help: one table in which each has its fault. */
#include "small_table.h"

#include <stdio.h>

#include "data/judge.h"

enum { ROWS = 30, COLS = 9 };

/* n counts up, c is constant, k is different in every row, m has 15 categories, f is free text, d
 * is a date, e one in either order, x is a number, y the target. */
static specreg_table *messy(specreg_context *ctx)
{
    static char text[ROWS][COLS][64];
    const char *cells[(ROWS + 1) * COLS] = {"n", "c", "k", "m", "f", "d", "e", "x", "y"};
    for (int i = 0; i < ROWS; i++) {
        snprintf(text[i][0], 64, "%d", 7 + i * i);
        snprintf(text[i][1], 64, "3");
        snprintf(text[i][2], 64, "k%d", i);
        snprintf(text[i][3], 64, "m%d", i % 15);
        snprintf(text[i][4], 64, "sentence number %d with many words in it", i % 12);
        snprintf(text[i][5], 64, "2024-01-%02d", i + 1);
        snprintf(text[i][6], 64, "%d/%d/2024", i % 12 + 1, i % 7 + 1);
        snprintf(text[i][7], 64, "%d.5", i * i % 17);
        snprintf(text[i][8], 64, "%d.25", i);
        for (int j = 0; j < COLS; j++)
            cells[(i + 1) * COLS + j] = text[i][j];
    }
    return small_table(ctx, "t.csv", true, ROWS, COLS, cells);
}

TEST(judge, each_column_gets_its_word)
{
    static const sri_doubt expected[COLS] = {SRI_DOUBT_COUNTS_UP,     SRI_DOUBT_CONSTANT,
                                             SRI_DOUBT_ALL_DIFFERENT, SRI_DOUBT_MANY,
                                             SRI_DOUBT_FREE_TEXT,     SRI_DOUBT_NONE,
                                             SRI_DOUBT_DATES,         SRI_DOUBT_NONE,
                                             SRI_DOUBT_NONE};
    static const char *const becomes[COLS] = {"number, counts up",
                                              "number, constant",
                                              "30 categories, all different",
                                              "15 categories",
                                              "12 categories, free text",
                                              "year, month, weekday, days",
                                              "84 categories, dates in either order",
                                              "number",
                                              "target"};
    specreg_table *t = messy(ctx);
    sri_roles roles;
    const sri_encode_how how = {.dates = SRI_DATES_AUTO};
    assert_ok(ctx, sri_roles_find(ctx, t, &(sri_role_names){.target = "y"}, &roles));
    for (int64_t c = 0; c < COLS; c++) {
        sri_buffer text = {0};
        if (sri_column_doubt(t, c, &roles, SRI_DATES_AUTO) != expected[c])
            fail_msg("column %s: %d", t->column[c].name,
                     (int)sri_column_doubt(t, c, &roles, SRI_DATES_AUTO));
        assert_ok(ctx, sri_column_becomes(ctx, t, c, &roles, &how, &text));
        if (c != 6)
            assert_string_equal(text.data, becomes[c]);
        sri_buffer_free(&text);
    }
    assert_int_equal(sri_column_doubt(t, 6, &roles, SRI_DATES_MDY), SRI_DOUBT_NONE);
    sri_roles_free(&roles);
    const sri_role_names alone = {.target = "y", .columns = "n"};
    assert_ok(ctx, sri_roles_find(ctx, t, &alone, &roles));
    assert_int_equal(sri_column_doubt(t, 0, &roles, SRI_DATES_AUTO), SRI_DOUBT_NONE);
    sri_roles_free(&roles);
    specreg_table_free(t);
}

TEST(judge, many_columns_are_one_sentence)
{
    specreg_table *t =
        small_table(ctx, "t.csv", true, 2, 8,
                    CELLS("a", "b", "c", "d", "e", "f", "g", "y", "1", "1", "1", "1", "1", "1", "1",
                          "1", "1", "1", "1", "1", "1", "1", "1", "2"));
    sri_roles roles;
    sri_buffer text = {0};
    assert_ok(ctx, sri_roles_find(ctx, t, &(sri_role_names){.target = "y"}, &roles));
    assert_ok(ctx, sri_doubt_text(ctx, t, &roles, SRI_DATES_AUTO, SRI_DOUBT_CONSTANT, &text));
    assert_string_equal(text.data, "columns 'a', 'b', 'c', 'd', 'e' and 2 more are constant and "
                                   "cannot help (see --drop)");
    text.length = 0;
    assert_ok(ctx, sri_doubt_text(ctx, t, &roles, SRI_DATES_AUTO, SRI_DOUBT_MANY, &text));
    assert_int_equal(text.length, 0);
    sri_buffer_free(&text);
    sri_roles_free(&roles);
    specreg_table_free(t);
}

/* Whole numbers that rise, under these names only, and never the last input. */
TEST(judge, row_numbers_are_left_out)
{
    static const struct {
        const char *name, *third;
        bool left;
    } cases[] = {{"id", "9", true},     {"Index", "9", true}, {"ROW", "9", true},
                 {"count", "9", false}, {"id", "5", false},   {"id", "9.5", false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        specreg_table *t = small_table(ctx, "t.csv", true, 3, 3,
                                       CELLS(cases[k].name, "x", "y", "1", "3", "1", "5", "2", "2",
                                             cases[k].third, "1", "5"));
        sri_roles roles;
        assert_ok(ctx, sri_roles_find(ctx, t, &(sri_role_names){.target = "y"}, &roles));
        assert_int_equal(roles.left_out && roles.left_out[0] == SRI_LEFT_ROW_NUMBER, cases[k].left);
        sri_roles_free(&roles);
        assert_ok(ctx, sri_roles_find(ctx, t, &(sri_role_names){.target = "y", .columns = "1,x"},
                                      &roles));
        assert_true(sri_is_input(&roles, 0));
        sri_roles_free(&roles);
        assert_ok(ctx,
                  sri_roles_find(ctx, t, &(sri_role_names){.target = "y", .drop = "x"}, &roles));
        assert_true(sri_is_input(&roles, 0) && !sri_is_input(&roles, 1));
        sri_roles_free(&roles);
        specreg_table_free(t);
    }
}
