/* HDF5: what other programs write with the HDF5 library itself, and back. */
#include "read_bytes.h"

#if __has_include(<hdf5.h>)
#include <hdf5.h>
#define HAVE_HDF5_HERE 1
#endif

/* Whether the library was built with HDF5: it says so itself. */
static bool has_hdf5(specreg_context *ctx)
{
    specreg_table *t;
    const char *path = kit_temp_file("probe.h5", "x");
    return specreg_table_read(ctx, path, NULL, &t) != SPECREG_E_UNAVAILABLE;
}

#define NEEDS_HDF5                          \
    if (!has_hdf5(ctx)) {                   \
        KIT_SKIP("this build has no HDF5"); \
    }

TEST(hdf5, what_is_written_reads_back_with_its_names)
{
    NEEDS_HDF5;
    specreg_table *t = READ("a.csv", "height,y,weight\n1.5,0.1,NA\n2.5,1e300,4\n"), *back;
    static const char *const name[] = {"out.h5", "out.h5.gz", "out.hdf5.zst"};
    for (int k = 0; k < 3; k++) {
        const char *path = kit_temp(name[k]);
        const specreg_status st = specreg_table_write(ctx, t, path);
        if (st == SPECREG_E_UNAVAILABLE) /* a build without zstd */
            continue;
        CHECK_OK(ctx, st);
        CHECK_OK(ctx, specreg_table_read(ctx, path, NULL, &back));
        static const char *const column[] = {"height", "weight", "y"}; /* the target comes last */
        static const double value[] = {1.5, NAN, 0.1, 2.5, 4, 1e300};
        CHECK_EQ(specreg_table_cols(back), 3);
        for (int i = 0; i < 6; i++) {
            CHECK_STR(specreg_table_name(back, i % 3), column[i % 3]);
            CHECK_SAME(specreg_table_number(back, i / 3, i % 3), value[i]);
        }
        specreg_table_free(back);
    }
    specreg_table_free(t);
}

TEST(hdf5, a_text_target_is_kept_and_other_texts_are_refused)
{
    NEEDS_HDF5;
    const char *path = kit_temp("out.h5");
    specreg_table *t = READ("a.csv", "a,label\n1,\xc3\xa4\n2,NA\n3,x y\n"), *back;
    CHECK_OK(ctx, specreg_table_write(ctx, t, path));
    CHECK_OK(ctx, specreg_table_read(ctx, path, NULL, &back));
    CHECK_STR(cell(back, 0, 1), "\xc3\xa4");
    CHECK_STR(cell(back, 1, 1), "-");
    CHECK_STR(cell(back, 2, 1), "x y");
    CHECK_STR(specreg_table_name(back, 1), "label");
    specreg_table_free(back);
    specreg_table_free(t);
    t = READ("a.csv", "a,b\nx,1\ny,2\nx,3\n");
    CHECK_FAILS(ctx, specreg_table_write(ctx, t, path), SPECREG_E_ARG, "is text");
    specreg_table_free(t);
}

TEST(hdf5, what_is_no_hdf5_file_is_refused)
{
    NEEDS_HDF5;
    specreg_table *t;
    REFUSED("a.h5", "hello", SPECREG_E_FORMAT, ": is not an HDF5 file, or is damaged");
    REFUSED("a.h5", "\x89HDF\r\n\x1a\n\0\0\0\0\0\0\0\0", SPECREG_E_FORMAT,
            ": is not an HDF5 file, or is damaged");
    CHECK_FAILS(ctx, specreg_table_read(ctx, "/nowhere/a.h5:/x", NULL, &t), SPECREG_E_IO,
                "/nowhere/a.h5: cannot read: No such file");
}

#if HAVE_HDF5_HERE

static void put(hid_t at, const char *name, hid_t type, int dims, hsize_t rows, hsize_t cols,
                const void *data)
{
    const hsize_t shape[3] = {rows, cols, 1};
    const hid_t space = H5Screate_simple(dims, shape, NULL);
    const hid_t id = H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(id > 0 && (!data || H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0));
    H5Dclose(id);
    H5Sclose(space);
}

/* A file with one of each. */
static const char *make_file(void)
{
    static char path[512];
    static const int32_t i4[6] = {1, 2, 3, 4, 5, -6};
    static const float f4[3] = {0.5f, 1.5f, 2.5f};
    static const char fixed[9] = "ab c  de";
    static const char *const varying[3] = {"one", "two", "one"};
    static const double inf[2] = {1, -INFINITY};
    snprintf(path, sizeof path, "%s", kit_temp("other.h5"));
    const hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t g = H5Gcreate2(f, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t spaces = H5Tcopy(H5T_FORTRAN_S1), texts = H5Tcopy(H5T_C_S1);
    H5Tset_size(spaces, 3);
    H5Tset_size(texts, H5T_VARIABLE);
    put(f, "table", H5T_NATIVE_INT32, 2, 3, 2, i4);
    put(f, "flat", H5T_NATIVE_FLOAT, 1, 3, 0, f4);
    put(f, "cube", H5T_NATIVE_FLOAT, 3, 1, 1, f4);
    put(f, "inf", H5T_NATIVE_DOUBLE, 1, 2, 0, inf);
    put(g, "data", H5T_NATIVE_INT32, 2, 3, 2, i4);
    put(g, "label", texts, 1, 3, 0, varying);
    put(f, "fixed", spaces, 1, 2, 0, fixed);
    put(f, "none", H5T_NATIVE_DOUBLE, 1, 0, 0, NULL);
    H5Tclose(texts);
    H5Tclose(spaces);
    H5Gclose(g);
    H5Fclose(f);
    return path;
}

static const char *inside(const char *path, const char *name)
{
    static char text[1024];
    snprintf(text, sizeof text, "%s:%s", path, name);
    return text;
}

TEST(hdf5, datasets_and_groups_that_others_wrote)
{
    NEEDS_HDF5;
    const char *path = make_file();
    specreg_table *t = read_ok(ctx, inside(path, "/table"), NULL);
    CHECK_EQ(specreg_table_cols(t), 2);
    CHECK_STR(cell(t, 2, 1), "-6");
    CHECK_STR(t->source, inside(path, "/table"));
    specreg_table_free(t);
    t = read_ok(ctx, inside(path, "flat"), NULL);
    CHECK_STR(specreg_table_name(t, 0), "x1");
    CHECK_STR(cell(t, 1, 0), "1.5");
    specreg_table_free(t);
    t = read_ok(ctx, inside(path, "/g"), NULL);
    CHECK_STR(specreg_table_name(t, 2), "y");
    CHECK_STR(cell(t, 2, 0), "5");
    CHECK_STR(cell(t, 2, 2), "one");
    CHECK_EQ(t->column[2].texts.count, 2);
    specreg_table_free(t);
    t = read_ok(ctx, inside(path, "/fixed"), NULL);
    CHECK_STR(cell(t, 0, 0), "ab");
    CHECK_STR(cell(t, 1, 0), "c");
    specreg_table_free(t);
}

TEST(hdf5, refusals_say_which_dataset)
{
    NEEDS_HDF5;
    const char *path = make_file();
    specreg_table *t;
    CHECK_FAILS(ctx, specreg_table_read(ctx, path, NULL, &t), SPECREG_E_FORMAT,
                "has no dataset X, x or data (it has: cube fixed flat");
    CHECK_FAILS(ctx, specreg_table_read(ctx, inside(path, "/nope"), NULL, &t), SPECREG_E_FORMAT,
                "other.h5: has no dataset or group '/nope'");
    CHECK_FAILS(ctx, specreg_table_read(ctx, inside(path, "/cube"), NULL, &t), SPECREG_E_FORMAT,
                "other.h5:/cube: has 3 dimensions, expected 1 or 2");
    CHECK_FAILS(ctx, specreg_table_read(ctx, inside(path, "/none"), NULL, &t), SPECREG_E_FORMAT,
                "other.h5:/none: has no rows");
    CHECK_FAILS(ctx, specreg_table_read(ctx, inside(path, "/inf"), NULL, &t), SPECREG_E_FORMAT,
                "row 2: column 'x1': '-inf' is not finite");
}

static int printed;

static herr_t note_print(hid_t stack, void *payload)
{
    (void)stack;
    (void)payload;
    printed++;
    return 0;
}

TEST(hdf5, its_own_error_printing_is_silenced_and_restored)
{
    NEEDS_HDF5;
    specreg_table *t;
    const char *path = make_file();
    H5E_auto2_t print;
    void *payload;
    H5Eset_auto2(H5E_DEFAULT, note_print, &printed);
    CHECK_EQ(specreg_table_read(ctx, inside(path, "/nope"), NULL, &t), SPECREG_E_FORMAT);
    CHECK_EQ(printed, 0);
    H5Eget_auto2(H5E_DEFAULT, &print, &payload);
    CHECK(print == note_print && payload == &printed);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

#endif
