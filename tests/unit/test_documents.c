/* Documents from folders and lines. */
#include "read_bytes.h"

#include <sys/stat.h>
#include <unistd.h>

#define LINES "format", "text"

TEST(documents, lines_have_a_label_a_tab_and_a_text)
{
    specreg_table *t =
        READ_WITH("d.txt", "good\tfine work\tindeed\n\n bad one \tx\r\ngood\t\n\tx", LINES);
    char place[256];
    CHECK_EQ(specreg_table_cols(t), 2);
    CHECK_STR(specreg_table_name(t, 0), "text");
    CHECK_STR(specreg_table_name(t, 1), "label");
    CHECK_EQ(t->rows, 4);
    CHECK_STR(cell(t, 0, 0), "fine work\tindeed");
    CHECK_STR(cell(t, 0, 1), "good");
    CHECK_STR(cell(t, 1, 0), "x");
    CHECK_STR(cell(t, 1, 1), "bad one");
    CHECK_STR(cell(t, 2, 0), "");
    CHECK_STR(cell(t, 3, 1), "-"); /* no label */
    CHECK_HAS(sri_table_place(t, 1, place, sizeof place), "d.txt:3");
    CHECK_STR(t->format, "text");
    specreg_table_free(t);
}

TEST(documents, lines_without_a_tab_in_the_first_are_texts_alone)
{
    specreg_table *t = READ_WITH("d.txt", "\none two\n\nthree\tfour", LINES);
    CHECK_EQ(specreg_table_cols(t), 1);
    CHECK_EQ(t->rows, 4); /* an empty line is a document */
    CHECK_STR(cell(t, 0, 0), "");
    CHECK_STR(cell(t, 1, 0), "one two");
    CHECK_STR(cell(t, 2, 0), "");
    CHECK_STR(cell(t, 3, 0), "three\tfour");
    specreg_table_free(t);
}

TEST(documents, bytes_that_are_no_utf_8_are_latin_1)
{
    specreg_table *t = READ_WITH("d.txt", "\xe9t\xe9\tcaf\xe9 caf\xc3\xa9 \xff\n", LINES);
    CHECK_STR(cell(t, 0, 1), "\xc3\xa9t\xc3\xa9");
    CHECK_STR(cell(t, 0, 0), "caf\xc3\xa9 caf\xc3\xa9 \xc3\xbf");
    specreg_table_free(t);
}

TEST(documents, bad_lines_are_refused_with_their_place)
{
    REFUSED_WITH("d.txt", "a\tb\nno tab\n", SPECREG_E_FORMAT,
                 ":2: no tab: the lines before it have a label, a tab and the text", LINES);
    REFUSED_WITH("d.txt", "a b\nc\0d\n", SPECREG_E_FORMAT,
                 ":2: a NUL byte: this is not a text file", LINES);
    REFUSED_WITH("d.txt", "a b\nc\0", SPECREG_E_FORMAT, ":2: a NUL byte: this is not a text file",
                 LINES);
    REFUSED_WITH("d.txt", "", SPECREG_E_FORMAT, ": is empty", LINES);
    REFUSED_WITH("d.txt", " \n\t\n\n", SPECREG_E_FORMAT, ": has only blank lines", LINES);
}

TEST(documents, a_line_of_ten_million_bytes_is_read)
{
    const size_t n = 10000000;
    char *text = malloc(n + 3);
    memcpy(text, "a\t", 2);
    for (size_t i = 2; i < n; i++)
        text[i] = i % 7 ? 'x' : ' ';
    memcpy(text + n, "\nb", 3);
    specreg_table *t;
    text[n + 2] = '\t';
    CHECK_OK(ctx, read_with(ctx, write_bytes("long.txt", text, n + 3),
                            (const char *[]){LINES, NULL}, &t));
    CHECK_EQ(t->rows, 2);
    CHECK_EQ(strlen(specreg_table_text(t, 0, 0)), n - 2);
    specreg_table_free(t);
    free(text);
}

/* ------------------------------------------------------------------------------- folders */

static const char *folder(const char *name)
{
    const char *path = kit_temp(name);
    CHECK_EQ(mkdir(path, 0700), 0);
    return path;
}

static void put(const char *name, const void *bytes, size_t size)
{
    write_bytes(name, bytes, size);
}

TEST(documents, folders_are_classes_in_the_order_of_names)
{
    const char *path = folder("f");
    folder("f/b");
    folder("f/a");
    folder("f/.git");
    put("f/.git/x", "hidden", 6);
    put("f/b/10", "ten", 3);
    put("f/b/9", "nine", 4);
    put("f/a/z", "caf\xe9", 4);
    put("f/a/empty", "", 0);
    put("f/a/.hidden", "no", 2);
    put("f/README", "not a document", 14);
    specreg_table *t = read_ok(ctx, path, NULL);
    static const char *const expected[][2] = {{"", "a"},
                                              {"caf\xc3\xa9", "a"},
                                              {"ten", "b"},
                                              {"nine", "b"}};
    CHECK_EQ(t->rows, 4);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            CHECK_STR(cell(t, i, j), expected[i][j]);
    specreg_table_free(t);
}

TEST(documents, files_without_folders_have_no_labels)
{
    const char *path = folder("flat");
    put("flat/2", "second", 6);
    put("flat/1", "first", 5);
    specreg_table *t = read_ok(ctx, path, NULL);
    CHECK_EQ(specreg_table_cols(t), 1);
    CHECK_EQ(t->rows, 2);
    CHECK_STR(cell(t, 0, 0), "first");
    specreg_table_free(t);
}

static void refused_folder(specreg_context *ctx, const char *path, specreg_status status,
                           const char *part)
{
    specreg_table *t;
    CHECK_FAILS(ctx, specreg_table_read(ctx, path, NULL, &t), status, part);
    CHECK(t == NULL);
}

TEST(documents, bad_folders_are_refused)
{
    refused_folder(ctx, folder("none"), SPECREG_E_FORMAT, "none: is an empty directory");
    const char *path = folder("hollow");
    folder("hollow/a");
    refused_folder(ctx, path, SPECREG_E_FORMAT, "hollow: has no documents");
    path = folder("deep");
    folder("deep/a");
    folder("deep/a/b");
    refused_folder(ctx, path, SPECREG_E_FORMAT, "deep/a/b: is a folder inside a class");
    path = folder("binary");
    folder("binary/a");
    put("binary/a/x", "a\0b", 3);
    refused_folder(ctx, path, SPECREG_E_FORMAT, "binary/a/x: a NUL byte");
    path = folder("lost");
    folder("lost/a");
    CHECK_EQ(symlink("nowhere", kit_temp("lost/a/x")), 0);
    refused_folder(ctx, path, SPECREG_E_IO, "lost/a/x: cannot read");
    path = folder("pipe");
    folder("pipe/a");
    CHECK_EQ(mkfifo(kit_temp("pipe/a/x"), 0600), 0);
    refused_folder(ctx, path, SPECREG_E_FORMAT, "pipe/a/x: is not a regular file");
    specreg_table *t;
    CHECK_FAILS(ctx, read_with(ctx, path, (const char *[]){"format", "csv", NULL}, &t),
                SPECREG_E_IO, "pipe: is a directory");
}

TEST(documents, of_a_file_that_may_not_be_read_are_refused)
{
    if (geteuid() == 0)
        KIT_SKIP("root may read everything");
    const char *path = folder("secret");
    folder("secret/a");
    put("secret/a/x", "words", 5);
    CHECK_EQ(chmod(kit_temp("secret/a/x"), 0), 0);
    refused_folder(ctx, path, SPECREG_E_IO, "secret/a/x: cannot read: Permission denied");
}
