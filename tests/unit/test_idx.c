/* IDX files, and labels that lie in a file of their own. */
#include <zlib.h>

#include "core/memory.h"
#include "data/blocks.h"
#include "read_bytes.h"

#define HEAD(type, dims) "\0\0" type dims

TEST(idx, rows_are_the_first_dimension_and_columns_the_others)
{
    specreg_table *t = READ("a.idx", HEAD("\x08", "\x03") "\0\0\0\2\0\0\0\1\0\0\0\2"
                                                          "\0\xff\1\2");
    CHECK_EQ(specreg_table_rows(t), 2);
    CHECK_EQ(specreg_table_cols(t), 2);
    CHECK_STR(specreg_table_name(t, 1), "x2");
    CHECK_EQ(specreg_table_number(t, 0, 0), 0);
    CHECK_EQ(specreg_table_number(t, 0, 1), 255);
    CHECK_EQ(specreg_table_number(t, 1, 0), 1);
    CHECK_EQ(specreg_table_number(t, 1, 1), 2);
    specreg_table_free(t);
}

TEST(idx, every_type_is_big_endian)
{
    static const struct {
        const char *bytes;
        size_t size;
        double value;
    } one[] = {{HEAD("\x09", "\1") "\0\0\0\1\xfe", 9, -2},
               {HEAD("\x0b", "\1") "\0\0\0\1\xff\x38", 10, -200},
               {HEAD("\x0c", "\1") "\0\0\0\1\0\1\0\0", 12, 65536},
               {HEAD("\x0d", "\1") "\0\0\0\1\xbf\xc0\0\0", 12, -1.5},
               {HEAD("\x0e", "\1") "\0\0\0\1\x40\x04\0\0\0\0\0\0", 16, 2.5}};
    for (int i = 0; i < 5; i++) { /* without an ending: found by the content */
        specreg_table *t = read_ok(ctx, write_bytes("data", one[i].bytes, one[i].size), NULL);
        CHECK_SAME(specreg_table_number(t, 0, 0), one[i].value);
        CHECK_STR(specreg_table_name(t, 0), "label");
        specreg_table_free(t);
    }
}

TEST(idx, what_cannot_be_such_a_file_is_refused)
{
    REFUSED("a.idx", "", SPECREG_E_FORMAT, ": is empty");
    REFUSED("a.idx", "\0\1\x08\1", SPECREG_E_FORMAT, ": is not an IDX file");
    REFUSED("a.idx", HEAD("\x0a", "\1") "\0\0\0\1\0", SPECREG_E_FORMAT,
            ": has items of a type that is not known (10)");
    REFUSED("a.idx", HEAD("\x08", "\x09") "\0\0\0\1\0", SPECREG_E_FORMAT,
            ": has 9 dimensions, expected 1 to 8");
    REFUSED("a.idx", HEAD("\x08", "\2") "\0\0\0\1\0", SPECREG_E_FORMAT,
            ": ends in the middle of its header");
    REFUSED("a.idx", HEAD("\x08", "\1") "\0\0\0\0", SPECREG_E_FORMAT, ": has no rows");
    REFUSED("a.idx", HEAD("\x08", "\2") "\0\0\0\1\0\0\0\0", SPECREG_E_FORMAT, ": has no columns");
    REFUSED("a.idx", HEAD("\x08", "\1") "\0\0\0\3\1\2", SPECREG_E_FORMAT,
            ": is too short: its header promises 11 bytes, it has 10");
    REFUSED("a.idx", HEAD("\x08", "\3") "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
            SPECREG_E_FORMAT, ": has an impossible shape: its items would not fit any memory");
}

/* A compressed file does not say how long it is: memory is for what is there, not for what is
 * promised. */
TEST(idx, rows_of_a_short_compressed_file_take_little_memory)
{
    static const char bytes[] = HEAD("\x08", "\3") "\0\0\0\3\1\0\0\0\0\0\0\x30"
                                                   "\1\2\3";
    const char *path = kit_temp("promise.idx.gz");
    gzFile z = gzopen(path, "wb");
    specreg_options *o;
    sri_blocks *b = NULL;
    CHECK(z && gzwrite(z, bytes, sizeof bytes - 1) == sizeof bytes - 1 && gzclose(z) == Z_OK);
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    const sri_memory_scope outer = sri_memory_begin(ctx, 64 << 20);
    CHECK_FAILS(ctx, sri_blocks_open(ctx, &path, 1, o, &b), SPECREG_E_FORMAT,
                "promise.idx.gz: is too short: it ends after 3 of 2415919104 values");
    sri_memory_end(ctx, outer);
    CHECK(b == NULL);
    specreg_options_free(o);
}

TEST(labels, become_the_last_column_in_a_table_and_in_blocks)
{
    const char *rows = write_bytes("x.idx",
                                   HEAD("\x08", "\2") "\0\0\0\3\0\0\0\2"
                                                      "\1\2\3\4\5\6",
                                   18);
    const char *number = write_bytes("y.idx",
                                     HEAD("\x08", "\1") "\0\0\0\3"
                                                        "\7\x8\x9",
                                     11);
    const char *text = write_bytes("y.csv", "kind\nred\nblue\nred\n", 18);
    for (int k = 0; k < 2; k++) {
        const char *const option[] = {"labels", k ? text : number, NULL};
        specreg_table *t = read_ok(ctx, rows, option), *block;
        specreg_options *o;
        sri_blocks *b;
        int64_t first;
        CHECK_STR(specreg_table_name(t, 2), "label");
        CHECK_STR(cell(t, 1, 2), k ? "blue" : "8");
        CHECK_STR(cell(t, 2, 1), "6");
        CHECK_OK(ctx, specreg_options_new(ctx, &o));
        CHECK_OK(ctx, specreg_options_set(ctx, o, "labels", option[1]));
        CHECK_OK(ctx, sri_blocks_open(ctx, &rows, 1, o, &b));
        for (int64_t i = 0; i < 3; i++) {
            CHECK_OK(ctx, sri_blocks_next(ctx, b, 1, &first, &block));
            CHECK_EQ(first, i);
            for (int64_t j = 0; j < 3; j++)
                CHECK_STR(cell(block, 0, j), cell(t, i, j));
            specreg_table_free(block);
        }
        CHECK_OK(ctx, sri_blocks_next(ctx, b, 1, &first, &block));
        CHECK(block == NULL);
        CHECK_OK(ctx, sri_blocks_sample(ctx, b, &(sri_sample_rows){2, 1, NULL, 0}, &first, &block));
        CHECK_EQ(first, 3);
        CHECK_EQ(specreg_table_cols(block), 3);
        specreg_table_free(block);
        sri_blocks_free(b);
        specreg_options_free(o);
        specreg_table_free(t);
    }
}

TEST(labels, that_do_not_fit_are_refused)
{
    const char *rows = write_bytes("x.csv", "a,b\n1,2\n3,4\n", 12);
    const char *more = write_bytes("m.csv", "1\n2\n3\n", 6), *few = write_bytes("f.csv", "1\n", 2);
    const char *wide = write_bytes("w.csv", "1,2\n3,4\n", 8);
    const char *has = write_bytes("has.csv", "a,y\n1,2\n3,4\n", 12);
    specreg_table *t;
    CHECK_FAILS(ctx, read_with(ctx, rows, (const char *[]){"labels", more, NULL}, &t),
                SPECREG_E_SHAPE, "m.csv are 3");
    CHECK_FAILS(ctx, read_with(ctx, rows, (const char *[]){"labels", wide, NULL}, &t),
                SPECREG_E_SHAPE, "w.csv: has 2 columns, labels are one");
    CHECK_FAILS(ctx, read_with(ctx, has, (const char *[]){"labels", few, NULL}, &t), SPECREG_E_ARG,
                "has.csv: has a target already, the column 'y'");
    CHECK_FAILS(ctx, read_with(ctx, rows, (const char *[]){"labels", "/nowhere", NULL}, &t),
                SPECREG_E_IO, "/nowhere: cannot read");
    CHECK(t == NULL);
    for (int k = 0; k < 2; k++) { /* in blocks */
        specreg_options *o;
        sri_blocks *b;
        int64_t first;
        CHECK_OK(ctx, specreg_options_new(ctx, &o));
        CHECK_OK(ctx, specreg_options_set(ctx, o, "labels", k ? few : more));
        CHECK_OK(ctx, sri_blocks_open(ctx, &rows, 1, o, &b));
        CHECK_OK(ctx, sri_blocks_next(ctx, b, 1, &first, &t));
        specreg_table_free(t);
        if (k == 0) {
            CHECK_OK(ctx, sri_blocks_next(ctx, b, 1, &first, &t));
            specreg_table_free(t);
        }
        CHECK_FAILS(ctx, sri_blocks_next(ctx, b, 1, &first, &t), SPECREG_E_SHAPE,
                    k ? "more rows than labels" : "more labels than there are rows");
        sri_blocks_free(b);
        specreg_options_free(o);
    }
}

/* LeCun's page shows the digits that the files begin with. */
TEST(idx, mnist_is_read)
{
    const char *labels = kit_data("mnist/t10k-labels-idx1-ubyte.gz");
    specreg_table *t = read_ok(ctx, kit_data("mnist/t10k-images-idx3-ubyte.gz"),
                               (const char *[]){"labels", labels, NULL});
    static const int digit[] = {7, 2, 1, 0, 4};
    CHECK_EQ(specreg_table_rows(t), 10000);
    CHECK_EQ(specreg_table_cols(t), 785);
    for (int i = 0; i < 5; i++)
        CHECK_EQ(specreg_table_number(t, i, 784), digit[i]);
    specreg_table_free(t);
}
