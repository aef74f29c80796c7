/* CSV: what files look like in the wild, spelled out byte by byte. */
#include "read_bytes.h"

/* ------------------------------------------------------------------------ what is read */

TEST(csv, names_numbers_texts_and_missing_values)
{
    specreg_table *t = READ("a.csv", "age,city\n1.5,Rome\nNA,?\n-2e3,\"Rome\"\n,null\n");
    CHECK_EQ(t->rows, 4);
    CHECK_EQ(specreg_table_cols(t), 2);
    CHECK_STR(specreg_table_name(t, 0), "age");
    CHECK_STR(specreg_table_name(t, 1), "city");
    CHECK(specreg_table_name(t, 2) == NULL);
    CHECK_EQ(specreg_table_is_text(t, 0), 0);
    CHECK_EQ(specreg_table_is_text(t, 1), 1);
    CHECK_STR(cell(t, 0, 0), "1.5");
    CHECK_STR(cell(t, 1, 0), "-");
    CHECK_STR(cell(t, 2, 0), "-2000");
    CHECK_STR(cell(t, 0, 1), "Rome");
    CHECK_EQ(t->column[1].code[1], -1);
    CHECK_EQ(t->column[1].code[2], 0);
    CHECK_EQ(t->column[1].texts.count, 1);
    CHECK_STR(t->format, "csv");
    CHECK(t->read_seconds > 0);
    specreg_table_free(t);
}

TEST(csv, every_spelling_of_missing)
{
    specreg_table *t = READ("a.csv", "a,b\n1,1\nNA,na\nN/A,n/A\nnan,NaN\nNULL,null\n?,\"\"\n,2\n");
    for (int64_t i = 1; i < 7; i++)
        CHECK_STR(cell(t, i, 0), "-");
    for (int64_t i = 1; i < 6; i++)
        CHECK_STR(cell(t, i, 1), "-");
    specreg_table_free(t);
}

TEST(csv, quotes_hold_delimiters_quotes_and_line_ends)
{
    specreg_table *t = READ("a.csv", "a,\"b \"\"x\"\"\",c\n"
                                     "1,\"x, y\",\"two\nlines\"\n"
                                     "2, \"he said \"\"hi\"\"\" ,\"a\r\nb\"\n"
                                     "3, plain text ,5\" disk\n");
    char place[256];
    CHECK_STR(specreg_table_name(t, 1), "b \"x\"");
    CHECK_STR(cell(t, 0, 1), "x, y");
    CHECK_STR(cell(t, 0, 2), "two\nlines");
    CHECK_STR(cell(t, 1, 1), "he said \"hi\"");
    CHECK_STR(cell(t, 1, 2), "a\r\nb");
    CHECK_STR(cell(t, 2, 1), "plain text");
    CHECK_STR(cell(t, 2, 2), "5\" disk");
    CHECK_HAS(sri_table_place(t, 1, place, sizeof place), "a.csv:4");
    CHECK_HAS(sri_table_place(t, 2, place, sizeof place), "a.csv:6");
    specreg_table_free(t);
}

TEST(csv, any_line_end_comments_blank_lines_and_a_byte_order_mark)
{
    static const char *const text[] =
        {"\xef\xbb\xbf# c,d,e\na,b\n\n1,2\n  # x\n \t \n3,4\n",
         "\xef\xbb\xbf# c,d,e\r\na,b\r\n\r\n1,2\r\n  # x\r\n \t \r\n3,4\r\n",
         "\xef\xbb\xbf# c,d,e\ra,b\r\r1,2\r  # x\r \t \r3,4"};
    for (int k = 0; k < 3; k++) {
        char place[256];
        specreg_table *t = read_ok(ctx, write_bytes("a.csv", text[k], strlen(text[k])), NULL);
        CHECK_EQ(t->rows, 2);
        CHECK_STR(specreg_table_name(t, 0), "a");
        CHECK_STR(cell(t, 0, 1), "2");
        CHECK_STR(cell(t, 1, 1), "4");
        CHECK_HAS(sri_table_place(t, 0, place, sizeof place), "a.csv:4");
        CHECK_HAS(sri_table_place(t, 1, place, sizeof place), "a.csv:7");
        specreg_table_free(t);
    }
}

TEST(csv, delimiters_are_found)
{
    static const struct {
        const char *text;
        char delimiter;
    } file[] = {
        {"a,b,c\n1,2,3\n4,5,6\n", ','},        {"a;b;c\n1;2;3\n4;5;6\n", ';'},
        {"a\tb\tc\n1\t2\t3\n4\t5\t6\n", '\t'}, {"a|b|c\n1|2|3\n4|5|6\n", '|'},
        {"a b c\n1 2 3\n4 5 6\n", ' '},        {" a  b   c\n 1  2   3 \n\t4 5\t6\n", ' '},
        {"a, b, c\n1, 2, 3\n4, 5, 6\n", ','},  {"a;b;c\n1;2;u\n4;5;\"x, y\"\n", ';'},
        {"a b,b c,c d\n1,2,3\n4,5,6\n", ','},
    };
    for (size_t k = 0; k < sizeof file / sizeof file[0]; k++) {
        const char *text = file[k].text;
        specreg_table *t = read_ok(ctx, write_bytes("a.dat", text, strlen(text)), NULL);
        CHECK_EQ(t->delimiter, file[k].delimiter);
        CHECK_EQ(specreg_table_cols(t), 3);
        CHECK_EQ(t->rows, 2);
        CHECK_STR(cell(t, 0, 0), "1");
        CHECK_STR(cell(t, 1, 1), "5");
        specreg_table_free(t);
    }
}

TEST(csv, one_column_has_no_delimiter)
{
    specreg_table *t = READ("a.csv", "1.5\n2.5\n");
    CHECK_EQ(specreg_table_cols(t), 1);
    CHECK_STR(specreg_table_name(t, 0), "x1");
    specreg_table_free(t);
    t = READ("a.csv", "review\ngood day\nno\nan awful film\n");
    CHECK_EQ(specreg_table_cols(t), 1);
    CHECK_STR(cell(t, 2, 0), "an awful film");
    specreg_table_free(t);
}

TEST(csv, a_delimiter_may_be_given)
{
    specreg_table *t = READ_WITH("a.csv", "a;b,6\n1;2,5\n", "delimiter", "comma", "header", "no");
    CHECK_EQ(t->rows, 2);
    specreg_table_free(t);
    t = READ_WITH("a.csv", "a,5 2\nb,5 4\n", "delimiter", "space", "header", "no");
    CHECK_STR(cell(t, 1, 0), "b,5");
    specreg_table_free(t);
    t = READ("a.tsv", "a,b\tc\nx, y\t1\nz\t2\n"); /* the name says it */
    CHECK_STR(specreg_table_name(t, 0), "a,b");
    CHECK_STR(cell(t, 0, 0), "x, y");
    specreg_table_free(t);
}

/* ------------------------------------------------------------------------ header and types */

TEST(csv, headers_are_found)
{
    static const struct {
        const char *text;
        int header;
        const char *first;
    } file[] = {
        {"a,b\n1,2\n", 1, "a"},             /* a text above numbers */
        {"1,2\n3,4\n", 0, "x1"},            /* numbers only */
        {"red,1\nblue,2\n", 0, "x1"},       /* a number in the first row, no text above one */
        {"id,2019,2020\n1,2,3\n", 1, "id"}, /* one text above a number is enough */
        {"colour,size\nred,big\nblue,small\n", 1, "colour"}, /* texts that are not values */
        {"red,big\nblue,small\nred,small\n", 0, "x1"},       /* red is a value */
        {"p,p,e\nx,e,p\n", 0, "x1"},                         /* no two columns have one name */
        {",a,b\n0,1,2\n1,3,4\n", 1, "x1"},                   /* as pandas writes its index */
        {"?,1\n3,4\n5,6\n", 0, "x1"},                        /* a missing value is no name */
        {"a,b\n?,NA\n1,2\n", 1, "a"},
    };
    for (size_t k = 0; k < sizeof file / sizeof file[0]; k++) {
        const char *text = file[k].text;
        specreg_table *t = read_ok(ctx, write_bytes("a.csv", text, strlen(text)), NULL);
        if (t->has_header != file[k].header)
            kit_fail(__FILE__, __LINE__, "the header of: %s", text);
        CHECK_STR(specreg_table_name(t, 0), file[k].first);
        specreg_table_free(t);
    }
}

TEST(csv, a_header_may_be_said_to_be_there_or_not)
{
    specreg_table *t = READ_WITH("a.csv", "1,2\n3,4\n", "header", "yes");
    CHECK_STR(specreg_table_name(t, 1), "2");
    CHECK_EQ(t->rows, 1);
    specreg_table_free(t);
    t = READ_WITH("a.csv", "red,a\nblue,b\n", "header", "no");
    CHECK_EQ(t->rows, 2);
    CHECK_STR(specreg_table_name(t, 0), "x1");
    CHECK_STR(specreg_table_name(t, 1), "y");
    specreg_table_free(t);
}

TEST(csv, empty_names_are_filled_without_a_clash)
{
    specreg_table *t = READ("a.csv", ",x1,\n0,1,2\n");
    CHECK_STR(specreg_table_name(t, 0), "x1_");
    CHECK_STR(specreg_table_name(t, 1), "x1");
    CHECK_STR(specreg_table_name(t, 2), "x3");
    specreg_table_free(t);
}

TEST(csv, half_numbers_make_a_number_column)
{
    specreg_table *t = READ("a.csv", "a,b\n1,x\nNA,1\n3,y\n");
    CHECK_EQ(specreg_table_is_text(t, 0), 0);
    CHECK_EQ(specreg_table_is_text(t, 1), 1);
    CHECK_STR(cell(t, 1, 1), "1");
    specreg_table_free(t);
    REFUSED("a.csv", "a,b\n1,x\n2,1\n", SPECREG_E_FORMAT, ":2: column 'b': 'x' is not a number");
}

TEST(csv, categorical_columns_keep_their_text)
{
    specreg_table *t = READ_WITH("a.csv", "zip,b\n007,1\n07,2\n", "categorical", "zip");
    CHECK_STR(cell(t, 0, 0), "007");
    CHECK_STR(cell(t, 1, 0), "07");
    CHECK_EQ(t->n_numbers, 1);
    CHECK_STR(cell(t, 1, 1), "2");
    specreg_table_free(t);
    t = READ_WITH("a.csv", "zip,b\n007,1\n07,2\n", "categorical", "2,zip");
    CHECK_EQ(t->n_numbers, 0);
    CHECK_STR(cell(t, 1, 1), "2");
    specreg_table_free(t);
    REFUSED_WITH("a.csv", "age,b\n1,2\n", SPECREG_E_ARG,
                 ": there is no column 'agee' (did you mean 'age'?)", "categorical", "agee");
    REFUSED_WITH("a.csv", "age,b\n1,2\n", SPECREG_E_ARG,
                 ": there is no column 3: the columns are 1 to 2", "categorical", "b,3");
}

/* --------------------------------------------------------- other countries and other programs */

/* All cells of a file of numbers, row by row. */
static void check_numbers(specreg_context *ctx, const char *bytes, const char *decimal,
                          const double *expected, int64_t count)
{
    specreg_table *t = NULL;
    CHECK_OK(ctx, read_with(ctx, kit_temp_file("a.csv", bytes),
                            (const char *[]){"decimal", decimal, NULL}, &t));
    CHECK_EQ(t->rows * specreg_table_cols(t), count);
    for (int64_t k = 0; k < count; k++)
        if (specreg_table_number(t, k / t->n_columns, k % t->n_columns) != expected[k])
            CHECK_STR(bytes, cell(t, k / t->n_columns, k % t->n_columns));
    specreg_table_free(t);
}

TEST(csv, decimal_commas_and_thousands)
{
    check_numbers(ctx, "a;b\n1,5;2\n-3,25;1e2\n", "auto", (const double[]){1.5, 2, -3.25, 100}, 4);
    check_numbers(ctx, "a\tb\n1.234,5\t1.234\n,5\t-12.345.678\n", "auto",
                  (const double[]){1234.5, 1234, 0.5, -12345678}, 4);
    check_numbers(ctx, "a,b\n\"1,234\",0.5\n\"1,234,567.25\",1\n", "auto",
                  (const double[]){1234, 0.5, 1234567.25, 1}, 4);
    check_numbers(ctx,
                  "a;b\n1 234,5;2\n1\xc2\xa0"
                  "234\xc2\xa0"
                  "567;3\n",
                  "auto", (const double[]){1234.5, 2, 1234567, 3}, 4);
    check_numbers(ctx, "a;b\n1'234.5;2\n12;3\n", "auto", (const double[]){1234.5, 2, 12, 3}, 4);
    check_numbers(ctx, "a;b\n1,234;2\n2,345;3\n", "comma", (const double[]){1.234, 2, 2.345, 3}, 4);
    check_numbers(ctx, "a;b\n1,234;2\n2,345;3\n", "point", (const double[]){1234, 2, 2345, 3}, 4);
    check_numbers(ctx, "a;b\n1.234;2\n2.345;3\n", "auto", (const double[]){1.234, 2, 2.345, 3}, 4);
    REFUSED("a.csv", "a;b\n1,5;2\n12,34,5;2\n", SPECREG_E_FORMAT,
            ":3: column 'a': '12,34,5' is not a number");
    REFUSED("a.csv", "a;b\n1,5;2\n1.23,5;2\n", SPECREG_E_FORMAT,
            ":3: column 'a': '1.23,5' is not a number");
}

TEST(csv, the_line_in_which_excel_names_the_delimiter)
{
    static const char *const text[] = {"sep=;\r\na;b\r\n1;2\r\n", "SEP=,\na,b\n1,2\n",
                                       "\"sep=|\"\na|b\n1|2\n", "sep=\t\na\tb\n1\t2\n"};
    char place[256];
    for (int i = 0; i < 4; i++) {
        specreg_table *t = read_ok(ctx, kit_temp_file("a.csv", text[i]), NULL);
        CHECK_EQ(specreg_table_cols(t), 2);
        CHECK_STR(specreg_table_name(t, 1), "b");
        CHECK_STR(cell(t, 0, 1), "2");
        CHECK_HAS(sri_table_place(t, 0, place, sizeof place), "a.csv:3");
        specreg_table_free(t);
    }
    specreg_table *t = READ("a.csv", "sep=x\n1\n2\n"); /* a name like any other */
    CHECK_STR(specreg_table_name(t, 0), "sep=x");
    specreg_table_free(t);
}

TEST(csv, latin_1_and_windows_1252_where_it_cannot_be_utf_8)
{
    specreg_table *t = READ("a.csv", "gr\xf6\xdf"
                                     "e,b\n1,K\xf6ln\n2,5 \x80\n3,plain\n4,K\xf6ln\n");
    CHECK_STR(specreg_table_name(t, 0), "gr\xc3\xb6\xc3\x9f"
                                        "e");
    CHECK_STR(cell(t, 0, 1), "K\xc3\xb6ln");
    CHECK_STR(cell(t, 1, 1), "5 \xe2\x82\xac");
    CHECK_EQ(t->column[1].code[3], 0);
    specreg_table_free(t);
}

TEST(csv, utf_16_with_and_without_a_byte_order_mark)
{
    static const char little[] = "a\0,\0b\0\n\0001\0,\0\xfc\0\n\0";
    static const char big[] = "\xfe\xff\0a\0,\0b\0\n\0001\0,\xd8\x3d\xde\x00\0\n";
    specreg_table *t = READ("a.csv", little);
    CHECK_STR(cell(t, 0, 1), "\xc3\xbc");
    specreg_table_free(t);
    t = READ("a.csv", big);
    CHECK_STR(cell(t, 0, 1), "\xf0\x9f\x98\x80"); /* a pair of surrogates */
    specreg_table_free(t);
}

/* e with U+0301 is U+00E9; the ohm sign is the Greek letter; Hangul letters make syllables. */
TEST(csv, texts_that_look_the_same_are_the_same)
{
    specreg_table *t = READ("a.csv", "cle\xcc\x81,b\n1,e\xcc\x81t\xc3\xa9\n2,\xc3\xa9te\xcc\x81\n"
                                     "3,\xe2\x84\xa6\n4,\xce\xa9\n"
                                     "5,\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab\n6,\xed\x95\x9c\n");
    CHECK_STR(specreg_table_name(t, 0), "cl\xc3\xa9");
    CHECK_EQ(sri_table_find(ctx, t, "cle\xcc\x81"), 0);
    CHECK_STR(cell(t, 0, 1), "\xc3\xa9t\xc3\xa9");
    for (int64_t i = 0; i < 6; i++)
        CHECK_EQ(t->column[1].code[i], i / 2);
    specreg_table_free(t);
}

/* ------------------------------------------------------------------------------- refusals */

TEST(csv, refusals_say_where_and_what)
{
    REFUSED("train.csv", "#\nage,b\n1,2\n\nabc,3\n4,4\n5,5\n", SPECREG_E_FORMAT,
            ":5: column 'age': 'abc' is not a number");
    REFUSED("a.csv", "x\n1\ninf\n", SPECREG_E_FORMAT, ":3: column 'x': 'inf' is not finite");
    REFUSED("a.csv", "x\n1\n-1e999\n", SPECREG_E_FORMAT, ":3: column 'x': '-1e999' is not finite");
    REFUSED("a.csv", "", SPECREG_E_FORMAT, ": is empty");
    REFUSED("a.csv", "\n# c\n", SPECREG_E_FORMAT, ": has no rows, only blank lines or comments");
    REFUSED("a.csv", "a,b\n", SPECREG_E_FORMAT, ": has a header but no rows");
    REFUSED("a.csv", "a,b,c,d\n1,2,3,4\n5,6,7\n", SPECREG_E_FORMAT, ":3: has 3 values, expected 4");
    REFUSED("a.csv", "a,b\n1,2\n5\n", SPECREG_E_FORMAT, ":3: has 1 value, expected 2");
    REFUSED("a.csv", "a,b\n1,2\n5,6,\n", SPECREG_E_FORMAT, ":3: has 3 values, expected 2");
    REFUSED("a.csv", "a,b\n1,t\n\"2\n3,3\n", SPECREG_E_FORMAT, ":3: a quote that is not closed");
    REFUSED("a.csv", "a,b\n1,\"t\"x\n", SPECREG_E_FORMAT, ":2: a closing quote must end the value");
    REFUSED("a.csv", "a,b\n1,2\n3,\0\n", SPECREG_E_FORMAT,
            ":3: a NUL byte: this is not a text file");
    REFUSED("a.csv", "a,b,a\n1,2,3\n", SPECREG_E_FORMAT, ":1: two columns are named 'a'");
    REFUSED("a.csv", "\377\376a\0,\0b\0\n\0001\0,\0\0\xd8", SPECREG_E_FORMAT,
            ": is not UTF-16 text (see --encoding)");
    REFUSED_WITH("a.csv", "a,b\n1,K\xf6ln\n", SPECREG_E_FORMAT,
                 ":2: column 'b': 'K...' is not UTF-8 text", "encoding", "utf-8");
    REFUSED("a.csv", "a,b\n1,K\xf6ln\n2,caf\xc3\xa9\n", SPECREG_E_FORMAT,
            ":3: column 'b': some texts are UTF-8 and some are not: --encoding says what they are");
    REFUSED("a.csv", "a,b\n1,K\xf6ln\n2,K\xc3\xb6ln\n", SPECREG_E_FORMAT, /* twice the same text */
            ":3: column 'b': some texts are UTF-8 and some are not: --encoding says what they are");
    REFUSED("a.csv", "a,b\n1,K\x8fln\n", SPECREG_E_FORMAT,
            ":2: column 'b': 'K...' is neither UTF-8 nor Windows-1252 (see --encoding)");
    CHECK_FAILS(ctx,
                read_with(ctx, kit_temp_file("a.csv", "1\n"),
                          (const char *[]){"encoding", "klingon", NULL}, &(specreg_table *){0}),
                SPECREG_E_ARG, "unknown encoding 'klingon'");
    CHECK_FAILS(ctx,
                read_with(ctx, kit_temp_file("a.csv", "1\n"),
                          (const char *[]){"decimal", "dot", NULL}, &(specreg_table *){0}),
                SPECREG_E_ARG, "unknown decimal mark 'dot'");
    CHECK_FAILS(ctx,
                read_with(ctx, kit_temp_file("a.csv", "1\n"),
                          (const char *[]){"delimiter", "colon", NULL}, &(specreg_table *){0}),
                SPECREG_E_ARG, "unknown delimiter 'colon'");
    CHECK_FAILS(ctx,
                read_with(ctx, kit_temp_file("a.csv", "1\n"),
                          (const char *[]){"header", "maybe", NULL}, &(specreg_table *){0}),
                SPECREG_E_ARG, "unknown header 'maybe'");
}

/* ------------------------------------------------------------------------------- long files */

/* Rows of many lengths, so that the window ends at every place of a row; the answers come from the
 * generator, not from the text. */
static double value_of(int64_t row, int64_t col)
{
    return (double)((row * 7919 + col * 104729) % 100003) / (double)(1 + row % 1000);
}

static char *long_file(int64_t rows, char delimiter, const char *newline, size_t *size)
{
    char *text = malloc((size_t)rows * 160 + 64), *p = text;
    p += sprintf(p, "a%cb%cc%ct%s", delimiter, delimiter, delimiter, newline);
    for (int64_t i = 0; i < rows; i++) {
        p += sprintf(p, "%.*g%c%.17g%c%g%c\"t%d\"%s", (int)(i % 17) + 1, (double)i, delimiter,
                     value_of(i, 1), delimiter, (double)(i % 7), delimiter, (int)(i % 5), newline);
        if (i % 1000 == 999)
            p += sprintf(p, "# a comment%s", newline);
    }
    *size = (size_t)(p - text);
    return text;
}

TEST(csv, rows_are_whole_wherever_the_window_ends)
{
    static const char *const newline[] = {"\n", "\r\n", "\r"};
    for (int k = 0; k < 6; k++) {
        size_t size;
        char *text = long_file(30000, k < 3 ? ',' : ' ', newline[k % 3], &size);
        char place[256], expected[64];
        specreg_table *t = read_ok(ctx, write_bytes("long.csv", text, size), NULL);
        CHECK_EQ(t->rows, 30000);
        for (int64_t i = 0; i < t->rows; i++) {
            CHECK_SAME(specreg_table_number(t, i, 1), value_of(i, 1));
            CHECK_EQ(specreg_table_number(t, i, 2), i % 7);
            CHECK_EQ(specreg_table_text(t, i, 3)[1], '0' + i % 5);
        }
        snprintf(expected, sizeof expected, "long.csv:%d", 29999 + 2 + 29);
        CHECK_HAS(sri_table_place(t, 29999, place, sizeof place), expected);
        specreg_table_free(t);
        free(text);
    }
}

TEST(csv, a_row_may_be_longer_than_the_window)
{
    enum { COLS = 100000 };
    char *text = malloc(COLS * 16), *p = text;
    for (int row = 0; row < 2; row++)
        for (int j = 0; j < COLS; j++)
            p += sprintf(p, "%d%c", j + row, j == COLS - 1 ? '\n' : ';');
    specreg_table *t = read_ok(ctx, write_bytes("wide.csv", text, (size_t)(p - text)), NULL);
    CHECK_EQ(specreg_table_cols(t), COLS);
    CHECK_EQ(t->rows, 2);
    for (int j = 0; j < COLS; j++)
        CHECK_EQ(specreg_table_number(t, 1, j), j + 1);
    specreg_table_free(t);
    free(text);
}

TEST(csv, lines_are_stored_only_where_they_are_irregular)
{
    specreg_table *t = READ("a.csv", "a,b\n1,2\n3,4\n");
    CHECK(t->line == NULL);
    CHECK_EQ(t->first_line, 2);
    specreg_table_free(t);
    t = READ("a.csv", "1,2\n3,4\n\n5,6\n");
    CHECK(t->line != NULL);
    CHECK_EQ(t->line[2], 4);
    specreg_table_free(t);
}

/* ------------------------------------------------------------------------------- writing */

TEST(csv, what_is_written_is_quoted_as_rfc_4180_says)
{
    specreg_table *t = READ("a.csv", "a,\"b,c\",t\n0.1,2,\"x \"\"y\"\"\"\n,1e300,\" z\"\n"
                                     "-7,3,\"#\"\n1,4,\"two\nlines\"\n");
    const char *out = kit_temp("out.csv");
    CHECK_OK(ctx, specreg_table_write(ctx, t, out));
    char *text = kit_read_file(out);
    CHECK_STR(text, "a,\"b,c\",t\n0.1,2,\"x \"\"y\"\"\"\n,1e+300,\" z\"\n-7,3,\"#\"\n"
                    "1,4,\"two\nlines\"\n");
    free(text);
    out = kit_temp("out.tsv");
    CHECK_OK(ctx, specreg_table_write(ctx, t, out));
    text = kit_read_file(out);
    CHECK_HAS(text, "a\tb,c\tt\n0.1\t2\t\"x \"\"y\"\"\"\n");
    free(text);
    specreg_table_free(t);
}

TEST(csv, what_is_written_reads_back_to_the_same_bits)
{
    double *v = kit_normal(3, 400, 3);
    v[4] = NAN;
    v[7] = -0.0;
    v[9] = 5e-324;
    v[10] = 1.7976931348623157e308;
    const specreg_view X = {v, 400, 3, 3};
    static const char *const name[] = {"out.csv",     "out.tsv", "out.csv.gz",
                                       "out.tsv.zst", "out.npy", "out.npy.gz"};
    specreg_table *t, *back;
    CHECK_OK(ctx, specreg_table_from_arrays(ctx, &X, NULL, NULL, NULL, &t));
    for (size_t k = 0; k < sizeof name / sizeof name[0]; k++) {
        const char *path = kit_temp(name[k]);
        const specreg_status st = specreg_table_write(ctx, t, path);
        if (st == SPECREG_E_UNAVAILABLE) /* a build without zstd */
            continue;
        CHECK_OK(ctx, st);
        CHECK_OK(ctx, specreg_table_read(ctx, path, NULL, &back));
        CHECK_EQ(back->rows, 400);
        for (int i = 0; i < 1200; i++)
            CHECK_SAME(specreg_table_number(back, i / 3, i % 3), v[i]);
        specreg_table_free(back);
    }
    specreg_table_free(t);
    free(v);
}

TEST(csv, one_missing_value_alone_in_its_row_survives)
{
    const double v[3] = {1, NAN, 3};
    const specreg_view X = {v, 3, 1, 1};
    specreg_table *t, *back;
    CHECK_OK(ctx, specreg_table_from_arrays(ctx, &X, NULL, NULL, NULL, &t));
    const char *path = kit_temp("one.csv");
    CHECK_OK(ctx, specreg_table_write(ctx, t, path));
    CHECK_OK(ctx, specreg_table_read(ctx, path, NULL, &back));
    CHECK_EQ(back->rows, 3);
    CHECK_STR(cell(back, 1, 0), "-");
    specreg_table_free(back);
    specreg_table_free(t);
}
