/* NPY and NPZ.  The bytes are what the format's specification says (numpy.lib.format), written out
 * here; one NPZ file was made by numpy. */
#include <endian.h>

#include "read_bytes.h"

/* A file of version 1 with this dict. */
static size_t npy(char *out, int version, const char *dict, const void *data, size_t size)
{
    const size_t n = strlen(dict), width = version == 1 ? 2 : 4;
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (char)version;
    out[7] = 0;
    memset(out + 8, 0, width);
    out[8] = (char)(n & 0xff);
    out[9] = (char)(n >> 8);
    memcpy(out + 8 + width, dict, n);
    memcpy(out + 8 + width + n, data, size);
    return 8 + width + n + size;
}

static specreg_table *read_npy(specreg_context *ctx, int version, const char *dict,
                               const void *data, size_t size)
{
    char file[4096];
    return read_ok(ctx, write_bytes("a.npy", file, npy(file, version, dict, data, size)), NULL);
}

#define REFUSED_NPY(dict, data, tail)                                           \
    do {                                                                        \
        char file[4096];                                                        \
        const size_t n = npy(file, 1, dict, data, sizeof(data) - 1);            \
        refused(ctx, __LINE__, "a.npy", file, n, NULL, SPECREG_E_FORMAT, tail); \
    } while (0)

TEST(npy, every_type_in_both_byte_orders)
{
    static const struct {
        const char *type;
        const char *bytes;
        size_t size;
        double a, b;
    } item[] = {
        {"|b1", "\x00\x01", 2, 0, 1},
        {"|i1", "\xff\x05", 2, -1, 5},
        {"|u1", "\xff\x05", 2, 255, 5},
        {"<i2", "\xfe\xff\x01\x02", 4, -2, 513},
        {">i2", "\xff\xfe\x02\x01", 4, -2, 513},
        {"<u2", "\xfe\xff\x01\x02", 4, 65534, 513},
        {"<i4", "\xff\xff\xff\xff\x00\x00\x00\x01", 8, -1, 16777216},
        {">u4", "\xff\xff\xff\xff\x00\x00\x00\x01", 8, 4294967295.0, 1},
        {"<i8", "\x00\x00\x00\x00\x00\x00\x00\x80\x01\x00\x00\x00\x00\x00\x00\x00", 16,
         -9223372036854775808.0, 1},
        {">i8", "\xff\xff\xff\xff\xff\xff\xff\xfe\x00\x00\x00\x00\x00\x00\x00\x01", 16, -2, 1},
        {"<u8", "\x00\x00\x00\x00\x00\x00\x00\x80\x01\x00\x00\x00\x00\x00\x00\x00", 16,
         9223372036854775808.0, 1},
        {"<f4", "\x00\x00\xc0\x3f\x00\x00\x80\xbf", 8, 1.5, -1},
        {">f4", "\x3f\xc0\x00\x00\xbf\x80\x00\x00", 8, 1.5, -1},
        {"<f8", "\x00\x00\x00\x00\x00\x00\xf8\x3f\x00\x00\x00\x00\x00\x00\xf0\xbf", 16, 1.5, -1},
        {">f8", "\x3f\xf8\x00\x00\x00\x00\x00\x00\xbf\xf0\x00\x00\x00\x00\x00\x00", 16, 1.5, -1},
    };
    for (size_t k = 0; k < sizeof item / sizeof item[0]; k++) {
        char dict[128];
        snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': False, 'shape': (2,), }\n",
                 item[k].type);
        specreg_table *t = read_npy(ctx, 1, dict, item[k].bytes, item[k].size);
        CHECK_EQ(t->rows, 2);
        CHECK_EQ(specreg_table_cols(t), 1);
        CHECK_STR(specreg_table_name(t, 0), "x1");
        CHECK_SAME(specreg_table_number(t, 0, 0), item[k].a);
        CHECK_SAME(specreg_table_number(t, 1, 0), item[k].b);
        specreg_table_free(t);
    }
}

TEST(npy, rows_and_columns_in_both_orders_and_all_versions)
{
    for (int version = 1; version <= 3; version++)
        for (int fortran = 0; fortran < 2; fortran++) {
            char dict[128];
            snprintf(dict, sizeof dict,
                     "{\"shape\": (2, 3L), 'fortran_order': %s,'descr':'|u1'}  \n",
                     fortran ? "True" : "False");
            specreg_table *t = read_npy(ctx, version, dict, fortran ? "adbecf" : "abcdef", 6);
            CHECK_EQ(t->rows, 2);
            CHECK_EQ(specreg_table_cols(t), 3);
            for (int i = 0; i < 6; i++)
                CHECK_EQ(specreg_table_number(t, i / 3, i % 3), 'a' + i);
            CHECK_STR(specreg_table_name(t, 2), "x3");
            specreg_table_free(t);
        }
}

TEST(npy, texts_of_one_dimension)
{
    specreg_table *t = read_npy(ctx, 1, "{'descr':'<U2','fortran_order':False,'shape':(3,)}",
                                "\xe4\0\0\0b\0\0\0\0\0\0\0\0\0\0\0\xff\xf4\x01\0\0\0\0\0", 24);
    CHECK_STR(cell(t, 0, 0), "\303\244b");
    CHECK_STR(cell(t, 1, 0), "-");
    CHECK_STR(cell(t, 2, 0), "\xf0\x9f\x93\xbf"); /* U+1F4FF */
    specreg_table_free(t);
    t = read_npy(ctx, 1, "{'descr':'|S3','fortran_order':False,'shape':(2,)}", "abcd\0\0", 6);
    CHECK_STR(cell(t, 0, 0), "abc");
    CHECK_STR(cell(t, 1, 0), "d");
    specreg_table_free(t);
}

TEST(npy, a_column_may_be_taken_as_text)
{
    char file[256];
    const size_t n =
        npy(file, 1, "{'descr':'|u1','fortran_order':False,'shape':(2,2)}", "\1\2\3\4", 4);
    specreg_table *t =
        read_ok(ctx, write_bytes("a.npy", file, n), (const char *[]){"categorical", "x1", NULL});
    CHECK_STR(specreg_table_text(t, 1, 0), "3");
    CHECK_EQ(specreg_table_number(t, 1, 1), 4);
    specreg_table_free(t);
}

TEST(npy, refusals_say_what)
{
    REFUSED("a.npy", "", SPECREG_E_FORMAT, ": is empty");
    REFUSED("a.npy", "a,b\n1,2\n", SPECREG_E_FORMAT, ": is not an NPY file");
    REFUSED("a.npy", "\x93NUMPY\x09\0\0\0", SPECREG_E_FORMAT,
            ": is an NPY file of version 9, which is not known");
    REFUSED("a.npy", "\x93NUMPY\1\0\x50\0{'descr'", SPECREG_E_FORMAT,
            ": ends in the middle of its header");
    REFUSED("a.npy", "\x93NUMPY\2\0\xff\xff\xff\xff{", SPECREG_E_FORMAT,
            ": has a malformed NPY header");
    REFUSED_NPY("{'descr':'<f8'}", "", ": has a malformed NPY header");
    REFUSED_NPY("{'descr':'<f8','fortran_order':False,'shape':(2,)", "",
                ": has a malformed NPY header");
    REFUSED_NPY("{'descr':'<f8','fortran_order':Maybe,'shape':(2,)}", "",
                ": has a malformed NPY header");
    REFUSED_NPY("{'descr':'|O','fortran_order':False,'shape':(2,)}", "",
                ": holds Python objects, which are not read");
    REFUSED_NPY("{'descr':'<c16','fortran_order':False,'shape':(2,)}", "",
                ": holds complex numbers, which are not read");
    REFUSED_NPY("{'descr':[('a','<f8')],'fortran_order':False,'shape':(2,)}", "",
                ": holds records (a structured type), which are not read");
    REFUSED_NPY("{'descr':'<i3','fortran_order':False,'shape':(2,)}", "",
                ": has items of a type that is not read");
    REFUSED_NPY("{'descr':'<f8','fortran_order':False,'shape':()}", "12345678",
                ": has 0 dimensions, expected 1 or 2");
    REFUSED_NPY("{'descr':'<f8','fortran_order':False,'shape':(1,1,1)}", "12345678",
                ": has 3 dimensions, expected 1 or 2");
    REFUSED_NPY("{'descr':'<f8','fortran_order':False,'shape':(0,3)}", "", ": has no rows");
    REFUSED_NPY("{'descr':'<f8','fortran_order':False,'shape':(3,0)}", "", ": has no columns");
    REFUSED_NPY("{'descr':'<f8','fortran_order':False,'shape':(4611686018427387904,4)}", "",
                ": has an impossible shape: 4611686018427387904 x 4");
    REFUSED_NPY("{'descr':'<f8','fortran_order':False,'shape':(99999999999999999999,)}", "",
                ": has a malformed NPY header");
    REFUSED_NPY("{'descr':'|u1','fortran_order':False,'shape':(3,2)}", "abcde",
                ": is too short: its header promises 67 bytes, it has 66");
    REFUSED_NPY("{'descr':'<f4','fortran_order':False,'shape':(1,2)}", "\0\0\x80\x3f\0\0\x80\x7f",
                ": row 1: column 'x2': 'inf' is not finite");
}

/* From a pipe the length is not known: nothing is allocated for values that never come. */
TEST(npy, a_promise_that_is_not_kept_costs_nothing)
{
    char file[256], command[512];
    const size_t n = npy(file, 1, "{'descr':'<f8','fortran_order':False,'shape':(1000000000000,8)}",
                         "12345678", 8);
    const char *path = write_bytes("a.npy", file, n);
    snprintf(command, sizeof command, "gzip -kf %s", path);
    if (system(command) != 0)
        KIT_SKIP("there is no gzip");
    char packed[512];
    specreg_table *t;
    snprintf(packed, sizeof packed, "%s.gz", path);
    CHECK_FAILS(ctx, specreg_table_read(ctx, packed, NULL, &t), SPECREG_E_FORMAT,
                "a.npy.gz: is too short: it ends after 1 of 8000000000000 values");
}

TEST(npy, what_is_written_is_what_numpy_writes)
{
    specreg_table *t = READ("a.csv", "a,b\n1,2\n3,NA\n");
    const char *path = kit_temp("out.npy");
    CHECK_OK(ctx, specreg_table_write(ctx, t, path));
    FILE *f = fopen(path, "rb");
    char got[256];
    CHECK_EQ(fread(got, 1, sizeof got, f), 128 + 32);
    fclose(f);
    CHECK(memcmp(got, "\x93NUMPY\1\0\x76\0", 10) == 0);
    CHECK(memcmp(got + 10,
                 htole16(1) == 1 ? "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }"
                                 : "{'descr': '>f8', 'fortran_order': False, 'shape': (2, 2), }",
                 59) == 0);
    CHECK_EQ(got[127], '\n');
    const double numbers[] = {1, 2, 3};
    CHECK(memcmp(got + 128, numbers, 24) == 0);
    specreg_table_free(t);
    t = READ("a.csv", "a,b\n1,x\n3,y\n");
    CHECK_FAILS(ctx, specreg_table_write(ctx, t, path), SPECREG_E_ARG, "column 'b' is text");
    specreg_table_free(t);
}

/* ----------------------------------------------------------------------------------- NPZ */

#include "numpy_npz.h"

#define SKIP_WITHOUT(status, what)           \
    if ((status) == SPECREG_E_UNAVAILABLE) { \
        KIT_SKIP("this build has no " what); \
    }

TEST(npz, what_numpy_wrote)
{
    specreg_table *t;
    const char *path = write_bytes("a.npz", numpy_npz, sizeof numpy_npz);
    const specreg_status st = specreg_table_read(ctx, path, NULL, &t);
    SKIP_WITHOUT(st, "libzip");
    CHECK_OK(ctx, st);
    CHECK_EQ(t->rows, 2);
    CHECK_EQ(specreg_table_cols(t), 4);
    static const char *const name[] = {"x1", "x2", "y1", "y2"};
    static const double value[] = {1, 2, 5, 6, 3, 4.5, 7, 8};
    for (int i = 0; i < 8; i++) {
        CHECK_STR(specreg_table_name(t, i % 4), name[i % 4]);
        CHECK_SAME(specreg_table_number(t, i / 4, i % 4), value[i]);
    }
    specreg_table_free(t);
    char inner[512];
    snprintf(inner, sizeof inner, "%s:labels", path);
    t = read_ok(ctx, inner, NULL);
    CHECK_STR(cell(t, 1, 0), "no");
    CHECK_STR(t->source, inner);
    specreg_table_free(t);
    snprintf(inner, sizeof inner, "%s:nothing", path);
    CHECK_FAILS(ctx, specreg_table_read(ctx, inner, NULL, &t), SPECREG_E_FORMAT,
                "a.npz: has no array 'nothing'");
}

TEST(npz, what_is_written_reads_back)
{
    double *v = kit_normal(1, 50, 4);
    const specreg_view X = {v, 50, 3, 4}, Y = {v + 3, 50, 1, 4};
    specreg_table *t, *back;
    static const char *const name[] = {"out.npz", "out.npz.gz"};
    CHECK_OK(ctx, specreg_table_from_arrays(ctx, &X, NULL, &Y, NULL, &t));
    for (int k = 0; k < 2; k++) {
        const char *path = kit_temp(name[k]);
        const specreg_status st = specreg_table_write(ctx, t, path);
        if (st == SPECREG_E_UNAVAILABLE) {
            specreg_table_free(t);
            free(v);
        }
        SKIP_WITHOUT(st, "libzip");
        CHECK_OK(ctx, st);
        CHECK_OK(ctx, specreg_table_read(ctx, path, NULL, &back));
        for (int i = 0; i < 200; i++)
            CHECK_SAME(specreg_table_number(back, i / 4, i % 4), v[i]);
        CHECK_STR(specreg_table_name(back, 3), "y");
        specreg_table_free(back);
    }
    specreg_table_free(t);
    free(v);
}

TEST(npz, damaged_archives_are_refused)
{
    specreg_table *t;
    unsigned char bytes[sizeof numpy_npz];
    memcpy(bytes, numpy_npz, sizeof bytes);
    const char *path = write_bytes("a.npz", bytes, sizeof bytes / 2);
    const specreg_status st = specreg_table_read(ctx, path, NULL, &t);
    SKIP_WITHOUT(st, "libzip");
    CHECK_EQ(st, SPECREG_E_FORMAT);
    CHECK_HAS(specreg_last_error(ctx), "a.npz: is not a readable NPZ file");
    unsigned char *data = memmem(bytes, sizeof bytes, "\0\0\0\0\0\0\x12\x40", 8); /* 4.5 in X */
    CHECK(data != NULL);
    data[3] = 1;
    path = write_bytes("a.npz", bytes, sizeof bytes);
    CHECK_FAILS(ctx, specreg_table_read(ctx, path, NULL, &t), SPECREG_E_FORMAT,
                "a.npz:X.npy: the zip data are corrupt");
}
