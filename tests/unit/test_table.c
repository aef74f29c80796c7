/* Tables: building, asking, choosing rows, names and places. */
#include "read_bytes.h"

TEST(table, arrays_get_the_usual_names)
{
    const double x[6] = {1, 2, 3, 4, 5, 6}, y[4] = {7, 8, 9, 10};
    const specreg_view X = {x, 2, 2, 3}; /* every third number is not part of it */
    specreg_view Y = {y, 2, 1, 2};
    specreg_table *t;
    CHECK_OK(ctx, specreg_table_from_arrays(ctx, &X, NULL, &Y, NULL, &t));
    CHECK_EQ(specreg_table_rows(t), 2);
    CHECK_EQ(specreg_table_cols(t), 3);
    CHECK_STR(specreg_table_name(t, 0), "x1");
    CHECK_STR(specreg_table_name(t, 1), "x2");
    CHECK_STR(specreg_table_name(t, 2), "y");
    CHECK_EQ(specreg_table_number(t, 1, 0), 4);
    CHECK_EQ(specreg_table_number(t, 1, 1), 5);
    CHECK_EQ(specreg_table_number(t, 1, 2), 9);
    specreg_table_free(t);
    Y.cols = 2;
    CHECK_OK(ctx, specreg_table_from_arrays(ctx, &X, NULL, &Y, NULL, &t));
    CHECK_STR(specreg_table_name(t, 2), "y1");
    CHECK_STR(specreg_table_name(t, 3), "y2");
    CHECK_EQ(specreg_table_number(t, 1, 3), 10);
    specreg_table_free(t);
}

TEST(table, impossible_arrays_are_refused)
{
    const double x[4] = {1, 2, 3, INFINITY};
    const char *const twice[] = {"a", "a"};
    specreg_view X = {x, 2, 2, 2}, Y = {x, 3, 1, 1};
    specreg_table *t;
    CHECK_FAILS(ctx, specreg_table_from_arrays(ctx, &X, NULL, &Y, NULL, &t), SPECREG_E_SHAPE,
                "X has 2 rows, Y has 3");
    CHECK(t == NULL);
    CHECK_FAILS(ctx, specreg_table_from_arrays(ctx, &X, NULL, NULL, NULL, &t), SPECREG_E_ARG,
                "row 2: column 'x2': 'inf' is not finite");
    X.rows = 1;
    CHECK_FAILS(ctx, specreg_table_from_arrays(ctx, &X, twice, NULL, NULL, &t), SPECREG_E_ARG,
                "two columns are named 'a'");
    X.ld = 1;
    CHECK_FAILS(ctx, specreg_table_from_arrays(ctx, &X, NULL, NULL, NULL, &t), SPECREG_E_ARG,
                "impossible shape");
}

TEST(table, what_is_not_there_is_nan_or_null)
{
    specreg_table *t = READ("a.csv", "a,b\n1,x\n2,y\n");
    CHECK(isnan(specreg_table_number(t, 2, 0)));
    CHECK(isnan(specreg_table_number(t, -1, 0)));
    CHECK(isnan(specreg_table_number(t, 0, 1)));
    CHECK(isnan(specreg_table_number(t, 0, 2)));
    CHECK(specreg_table_text(t, 0, 0) == NULL);
    CHECK(specreg_table_text(t, 2, 1) == NULL);
    CHECK(specreg_table_text(t, 0, -1) == NULL);
    CHECK_EQ(specreg_table_is_text(t, 7), 0);
    CHECK(specreg_table_name(t, -1) == NULL);
    specreg_table_free(t);
    specreg_table_free(NULL);
}

TEST(table, chosen_rows_keep_numbers_texts_and_places)
{
    specreg_table *t = READ("a.csv", "a,b\n1,x\n\n2,y\n3,NA\n4,z\n"), *part;
    const int64_t rows[] = {3, 2, 1, 3};
    char place[256];
    CHECK_OK(ctx, specreg_table_select(ctx, t, rows, 4, &part));
    CHECK_EQ(part->rows, 4);
    CHECK_STR(cell(part, 0, 0), "4");
    CHECK_STR(cell(part, 1, 0), "3");
    CHECK_STR(cell(part, 3, 0), "4");
    CHECK_STR(cell(part, 0, 1), "z");
    CHECK_STR(cell(part, 1, 1), "-");
    CHECK_STR(cell(part, 2, 1), "y");
    CHECK_HAS(sri_table_place(part, 0, place, sizeof place), "a.csv:6");
    CHECK_HAS(sri_table_place(part, 2, place, sizeof place), "a.csv:4");
    CHECK_EQ(part->column[1].texts.count, 2); /* x is in none of the rows */
    CHECK_EQ(sri_texts_find(&part->column[1].texts, "x", 1), -1);
    CHECK_STR(specreg_table_name(part, 1), "b");
    specreg_table_free(part);
    CHECK_FAILS(ctx, specreg_table_select(ctx, t, (int64_t[]){4}, 1, &part), SPECREG_E_ARG,
                "no row 4");
    CHECK(part == NULL);
    CHECK_OK(ctx, specreg_table_select(ctx, t, NULL, 0, &part));
    CHECK_EQ(part->rows, 0);
    specreg_table_free(part);
    specreg_table_free(t);
}

TEST(table, chosen_rows_of_a_sparse_table)
{
    specreg_table *t = READ("a.svm", "1 1:5 4:6\n2\n3 2:7 3:8\n"), *part;
    const int64_t rows[] = {2, 1, 0, 2};
    CHECK_OK(ctx, specreg_table_select(ctx, t, rows, 4, &part));
    CHECK_EQ(specreg_table_cols(part), 5);
    static const char *const expected[4][5] = {{"3", "0", "7", "8", "0"},
                                               {"2", "0", "0", "0", "0"},
                                               {"1", "5", "0", "0", "6"},
                                               {"3", "0", "7", "8", "0"}};
    double row[5];
    for (int i = 0; i < 4; i++) {
        sri_table_row(part, i, row);
        for (int j = 0; j < 5; j++) {
            CHECK_STR(cell(part, i, j), expected[i][j]);
            CHECK_EQ(row[j], atof(expected[i][j]));
        }
    }
    CHECK_STR(specreg_table_name(part, 4), "4");
    specreg_table_free(part);
    specreg_table_free(t);
}

TEST(table, columns_are_found_by_name_then_by_number)
{
    specreg_table *t = READ_WITH("a.csv", "2,age\n1,2\n", "header", "yes");
    CHECK_EQ(sri_table_find(ctx, t, "age"), 1);
    CHECK_EQ(sri_table_find(ctx, t, "2"), 0);
    CHECK_EQ(sri_table_find(ctx, t, "1"), 0);
    CHECK_EQ(sri_table_find(ctx, t, "0"), -1);
    CHECK_HAS(specreg_last_error(ctx), "the columns are 1 to 2");
    CHECK_EQ(sri_table_find(ctx, t, "agf"), -1);
    CHECK_HAS(specreg_last_error(ctx), "a.csv: there is no column 'agf' (did you mean 'age'?)");
    CHECK_EQ(sri_table_find_name(t, "1"), -1);
    specreg_table_free(t);
}

TEST(table, the_default_target)
{
    static const struct {
        const char *text;
        int64_t target;
    } file[] = {{"a,y,b\n1,2,3\n", 1},
                {"label,y,b\n1,2,3\n", 1},
                {"label,a,target\n1,2,3\n", 2},
                {"a,b,c\n1,2,3\n", 2}};
    for (int k = 0; k < 4; k++) {
        specreg_table *t =
            read_ok(ctx, write_bytes("a.csv", file[k].text, strlen(file[k].text)), NULL);
        CHECK_EQ(sri_table_default_target(t), file[k].target);
        specreg_table_free(t);
    }
}

TEST(table, ten_thousand_texts_keep_their_codes)
{
    sri_texts t = {0};
    char text[32];
    int32_t code;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 10000; i++) {
            const int n = sprintf(text, "text %d", i);
            CHECK_OK(ctx, sri_texts_code(ctx, &t, text, (size_t)n, &code));
            CHECK_EQ(code, i);
        }
    CHECK_EQ(t.count, 10000);
    CHECK_EQ(sri_texts_find(&t, "text 77x", 7), 77);
    CHECK_EQ(sri_texts_find(&t, "text", 4), -1);
    sri_texts_free(&t);
}

/* From the table of well-formed sequences in the Unicode standard (3.9, table 3-7). */
TEST(table, only_utf8_is_text)
{
    static const char *const good[] = {"",
                                       "a",
                                       "\xc2\x80",
                                       "\xdf\xbf",
                                       "\xe0\xa0\x80",
                                       "\xed\x9f\xbf",
                                       "\xef\xbf\xbf",
                                       "\xf0\x90\x80\x80",
                                       "\xf4\x8f\xbf\xbf"};
    static const char *const bad[] = {"\x80",
                                      "\xc1\x80",
                                      "\xc2",
                                      "\xe0\x9f\x80",
                                      "\xed\xa0\x80",
                                      "\xf0\x8f\x80\x80",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\302a",
                                      "a\xff"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        CHECK_OK(ctx, sri_check_text(ctx, good[i], strlen(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK_EQ(sri_check_text(ctx, bad[i], strlen(bad[i])), SPECREG_E_FORMAT);
    CHECK_FAILS(ctx, sri_check_text(ctx, "a\0b", 3), SPECREG_E_FORMAT, "NUL");
}

TEST(table, a_number_column_made_text_leaves_the_others_in_place)
{
    specreg_table *t = READ("a.csv", "a,b,c\n1,2.5,3\n4,NA,6\n7,2.5,9\n");
    CHECK_OK(ctx, sri_table_make_text(ctx, t, 1));
    CHECK_EQ(t->n_numbers, 2);
    static const char *const expected[3][3] = {{"1", "2.5", "3"},
                                               {"4", "-", "6"},
                                               {"7", "2.5", "9"}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            CHECK_STR(cell(t, i, j), expected[i][j]);
    CHECK_EQ(t->column[1].texts.count, 1);
    specreg_table_free(t);
}

TEST(table, a_column_of_texts_goes_where_it_is_put)
{
    specreg_table *t = READ("a.csv", "a,b\n1,2\n3,4\n5,6\n");
    static const char *const first[] = {"u", NULL, "u"}, *const last[] = {"x", "y", ""};
    static const char *const wrong[] = {"u", "\xff", "u"};
    static const char *const expected[3][4] = {{"u", "1", "2", "x"},
                                               {"-", "3", "4", "y"},
                                               {"u", "5", "6", ""}};
    CHECK_OK(ctx, specreg_table_insert_text(ctx, t, 0, "first", first));
    CHECK_OK(ctx, specreg_table_insert_text(ctx, t, 3, "last", last));
    CHECK_EQ(specreg_table_cols(t), 4);
    CHECK_STR(specreg_table_name(t, 0), "first");
    CHECK_STR(specreg_table_name(t, 3), "last");
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            CHECK_STR(cell(t, i, j), expected[i][j]);
    CHECK_FAILS(ctx, specreg_table_insert_text(ctx, t, 5, "c", first), SPECREG_E_ARG, "column 5");
    CHECK_FAILS(ctx, specreg_table_insert_text(ctx, t, -1, "c", first), SPECREG_E_ARG, "column -1");
    CHECK_FAILS(ctx, specreg_table_insert_text(ctx, t, 0, "c", wrong), SPECREG_E_FORMAT, "UTF-8");
    CHECK_FAILS(ctx, specreg_table_insert_text(ctx, t, 0, "\xff", first), SPECREG_E_FORMAT,
                "UTF-8");
    CHECK_EQ(specreg_table_cols(t), 4);
    specreg_table_free(t);
}
