/* LIBSVM text, spelled out. */
#include "read_bytes.h"

TEST(libsvm, labels_and_pairs)
{
    specreg_table *t = READ("a.svm", "+1 1:0.5 3:-2e1 # a comment\n\n# another\r\n-1\r\n"
                                     "1 2:7 \t 3:0\r0.5 1:1");
    char place[256];
    CHECK_EQ(t->rows, 4);
    CHECK_EQ(specreg_table_cols(t), 4);
    CHECK_STR(specreg_table_name(t, 0), "y");
    CHECK_STR(specreg_table_name(t, 1), "1");
    CHECK_STR(specreg_table_name(t, 3), "3");
    CHECK(specreg_table_name(t, 4) == NULL);
    static const char *const expected[4][4] = {{"1", "0.5", "0", "-20"},
                                               {"-1", "0", "0", "0"},
                                               {"1", "0", "7", "0"},
                                               {"0.5", "1", "0", "0"}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            CHECK_STR(cell(t, i, j), expected[i][j]);
    CHECK_EQ(t->sparse->start[4], 4); /* a zero is not stored, but counts as a column */
    CHECK_HAS(sri_table_place(t, 1, place, sizeof place), "a.svm:4");
    CHECK_HAS(sri_table_place(t, 3, place, sizeof place), "a.svm:6");
    CHECK_STR(t->format, "libsvm");
    specreg_table_free(t);
}

TEST(libsvm, labels_may_be_texts)
{
    specreg_table *t = READ("a.svm", "cat 1:1\n2 1:1\ncat 2:1\n1,7 1:1\n? 1:2\n");
    CHECK_EQ(specreg_table_is_text(t, 0), 1);
    CHECK_STR(cell(t, 0, 0), "cat");
    CHECK_STR(cell(t, 1, 0), "2");
    CHECK_STR(cell(t, 3, 0), "1,7");
    CHECK_STR(cell(t, 4, 0), "-");
    CHECK_EQ(t->column[0].texts.count, 3);
    CHECK_EQ(t->n_numbers, 0);
    specreg_table_free(t);
    t = READ_WITH("a.svm", "+1 1:1\n1 1:1\n", "categorical", "y");
    CHECK_STR(cell(t, 0, 0), "+1");
    CHECK_STR(cell(t, 1, 0), "1");
    specreg_table_free(t);
}

static int qid_lines;

static void count_line(const char *line, void *payload)
{
    (void)payload;
    CHECK_HAS(line, "a.svm:1: qid is ignored");
    qid_lines++;
}

TEST(libsvm, query_numbers_are_ignored_and_the_log_says_so_once)
{
    specreg_set_log(ctx, count_line, NULL);
    specreg_table *t = READ("a.svm", "1 qid:4 1:2\n2 qid:5 2:1\n");
    CHECK_EQ(specreg_table_cols(t), 3);
    CHECK_EQ(qid_lines, 1);
    specreg_table_free(t);
}

TEST(libsvm, the_widest_file_has_names_too)
{
    specreg_table *t = READ("a.svm", "1 2147483646:3\n");
    CHECK_EQ(specreg_table_cols(t), 2147483647);
    CHECK_STR(specreg_table_name(t, 2147483646), "2147483646");
    CHECK_EQ(specreg_table_number(t, 0, 2147483646), 3);
    CHECK_EQ(specreg_table_number(t, 0, 5), 0);
    specreg_table_free(t);
}

TEST(libsvm, refusals_say_where_and_what)
{
    REFUSED("a.svm", "1 1:1\n1 0:1\n", SPECREG_E_FORMAT,
            ":2: '0:1' has index 0, but LIBSVM counts from 1");
    REFUSED("a.svm", "1 3:1 2:1\n", SPECREG_E_FORMAT,
            ":1: '2:1' comes after a larger index: indices must ascend");
    REFUSED("a.svm", "1 3:1 3:1\n", SPECREG_E_FORMAT,
            ":1: '3:1' has the same index as the pair before it");
    REFUSED("a.svm", "1 2147483647:1\n", SPECREG_E_FORMAT,
            ":1: '2147483647:1' has an index above 2147483646");
    REFUSED("a.svm", "1 99999999999999999999999:1\n", SPECREG_E_FORMAT,
            ":1: '99999999999999999999999:1' has an index above 2147483646");
    REFUSED("a.svm", "1 3:\n", SPECREG_E_FORMAT, ":1: '3:' is not index:value");
    REFUSED("a.svm", "1 :3\n", SPECREG_E_FORMAT, ":1: ':3' is not index:value");
    REFUSED("a.svm", "1 3\n", SPECREG_E_FORMAT, ":1: '3' is not index:value");
    REFUSED("a.svm", "1 -3:1\n", SPECREG_E_FORMAT, ":1: '-3:1' is not index:value");
    REFUSED("a.svm", "1 3:1x\n", SPECREG_E_FORMAT, ":1: '3:1x' is not index:value");
    REFUSED("a.svm", "1 3:nan\n", SPECREG_E_FORMAT, ":1: '3:nan' is not finite");
    REFUSED("a.svm", "1 1:1\n3:1 4:1\n", SPECREG_E_FORMAT,
            ":2: '3:1' stands where the label should");
    REFUSED("a.svm", "inf 1:1\n", SPECREG_E_FORMAT, ":1: 'inf' is not finite");
    REFUSED("a.svm", "", SPECREG_E_FORMAT, ": is empty");
    REFUSED("a.svm", "# x\n", SPECREG_E_FORMAT, ": has no rows, only blank lines or comments");
    REFUSED("a.svm", "1 1:1\0\n", SPECREG_E_FORMAT, ":1: a NUL byte: this is not a text file");
    REFUSED("a.svm", "\xff 1:1\n", SPECREG_E_FORMAT, ":1: label: '...' is not UTF-8 text");
}

TEST(libsvm, a_late_text_among_number_labels_is_refused)
{
    char *text = malloc(1 << 16), *p = text;
    for (int i = 0; i < 1500; i++)
        p += sprintf(p, "%d 1:1\n", i);
    p += sprintf(p, "cat 1:1\n");
    refused(ctx, __LINE__, "a.svm", text, (size_t)(p - text), NULL, SPECREG_E_FORMAT,
            ":1501: 'cat' is not a number, but the labels before it are");
    free(text);
}

TEST(libsvm, content_is_recognised_without_a_name)
{
    specreg_table *t = READ("noname", "1 1:0.5 3:2\n-1 2:1\n");
    CHECK_STR(t->format, "libsvm");
    specreg_table_free(t);
    t = READ("noname", "1 2 3\n4 5 6\n");
    CHECK_STR(t->format, "csv");
    specreg_table_free(t);
    t = READ("noname", "time,value\n12:30,1\n12:40,2\n");
    CHECK_STR(t->format, "csv");
    specreg_table_free(t);
    t = READ_WITH("noname.csv", "1 1:0.5\n", "format", "libsvm");
    CHECK_STR(t->format, "libsvm");
    specreg_table_free(t);
}

/* Longer than any window; the answers come from the generator. */
TEST(libsvm, many_rows)
{
    enum { ROWS = 40000 };
    char *text = malloc(ROWS * 64), *p = text;
    for (int i = 0; i < ROWS; i++)
        p += sprintf(p, "%d %d:%.3f %d:1e-3\n", i % 3, i % 50 + 1, i / 8.0, i % 50 + 60);
    specreg_table *t = read_ok(ctx, write_bytes("long.svm", text, (size_t)(p - text)), NULL);
    CHECK_EQ(t->rows, ROWS);
    CHECK_EQ(t->sparse->p, 109);
    for (int i = 0; i < ROWS; i++) {
        CHECK_EQ(specreg_table_number(t, i, 0), i % 3);
        CHECK_SAME(specreg_table_number(t, i, i % 50 + 1), i / 8.0);
        CHECK_SAME(specreg_table_number(t, i, i % 50 + 60), 1e-3);
        CHECK_EQ(specreg_table_number(t, i, i % 50 + 2), 0);
    }
    specreg_table_free(t);
    free(text);
}

static void check_written(specreg_context *ctx, const specreg_table *t, const char *expected)
{
    const char *path = kit_temp("out.svm");
    CHECK_OK(ctx, specreg_table_write(ctx, t, path));
    char *text = kit_read_file(path);
    CHECK_STR(text, expected);
    free(text);
}

TEST(libsvm, writing)
{
    specreg_table *t = READ("a.csv", "a,y,b\n1,cat,0\n0,dog,0.25\n");
    check_written(ctx, t, "cat 1:1\ndog 2:0.25\n");
    specreg_table_free(t);
    t = READ("a.csv", "a,b,c\n1,0,7\n0,0,8\n");
    check_written(ctx, t, "7 1:1\n8\n");
    specreg_table_free(t);
    t = READ("a.svm", "-1 2:0.1 5:1e300\n3\n");
    check_written(ctx, t, "-1 2:0.1 5:1e+300\n3\n");
    specreg_table_free(t);
}

TEST(libsvm, what_cannot_be_written_is_refused)
{
    const char *path = kit_temp("refused.svm");
    specreg_table *t = READ("a.csv", "a,b\nred,1\nblue,2\n");
    CHECK_FAILS(ctx, specreg_table_write(ctx, t, path), SPECREG_E_ARG, "column 'a' is text");
    specreg_table_free(t);
    t = READ("a.csv", "a,b\nNA,1\n1,2\n");
    CHECK_FAILS(ctx, specreg_table_write(ctx, t, path), SPECREG_E_ARG,
                "row 1: column 'a' is missing");
    specreg_table_free(t);
    t = READ("a.csv", "a,b\n2,two words\n1,x\n");
    CHECK_FAILS(ctx, specreg_table_write(ctx, t, path), SPECREG_E_ARG, "the label 'two words'");
    specreg_table_free(t);
    CHECK(kit_read_file(path) == NULL);
}
