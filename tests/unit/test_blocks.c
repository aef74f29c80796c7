/* Rows in blocks: all rows once and in order, samples that do not depend on the way there. */
#include "data/blocks.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "core/rng.h"
#include "read_bytes.h"

/* A table of 10 rows with numbers, texts and gaps. */
static specreg_table *ten_rows(specreg_context *ctx)
{
    return READ("a.csv", "a,b,y\n1,u,10\n2,v,20\n3,,30\n4,u,40\n,w,50\n6,w,60\n7,v,70\n8,u,80\n"
                         "9,u,90\n10,x,100\n");
}

/* Row `i` of a block is row `at` of the whole table. */
static void check_row(const specreg_table *block, int64_t i, const specreg_table *whole, int64_t at)
{
    char there[256], here[256];
    for (int64_t j = 0; j < specreg_table_cols(whole); j++) {
        const char *text = specreg_table_text(whole, at, j);
        CHECK_STR(specreg_table_name(block, j), specreg_table_name(whole, j));
        CHECK_SAME(specreg_table_number(block, i, j), specreg_table_number(whole, at, j));
        CHECK(!text == !specreg_table_text(block, i, j));
        if (text)
            CHECK_STR(specreg_table_text(block, i, j), text);
    }
    CHECK_STR(sri_table_place(block, i, here, sizeof here),
              sri_table_place(whole, at, there, sizeof there));
}

static void check_all(specreg_context *ctx, sri_blocks *b, const specreg_table *whole, int64_t rows)
{
    int64_t at = 0, first;
    specreg_table *block;
    for (;;) {
        CHECK_OK(ctx, sri_blocks_next(ctx, b, rows, &first, &block));
        if (!block)
            break;
        const int64_t left = whole->rows - at;
        CHECK_EQ(first, at);
        CHECK_EQ(block->rows, left < rows ? left : rows);
        for (int64_t i = 0; i < block->rows; i++)
            check_row(block, i, whole, at++);
        specreg_table_free(block);
    }
    CHECK_EQ(at, whole->rows);
}

TEST(blocks, of_a_table_give_all_rows_once_and_again_after_rewinding)
{
    specreg_table *t = ten_rows(ctx);
    sri_blocks *b;
    CHECK_OK(ctx, sri_blocks_of_table(ctx, t, &b));
    CHECK_EQ(sri_blocks_rows(b), 10);
    CHECK(sri_blocks_table(b) == t);
    for (int64_t rows = 1; rows <= 11; rows++) {
        check_all(ctx, b, t, rows);
        CHECK_OK(ctx, sri_blocks_rewind(ctx, b));
    }
    sri_blocks_free(b);
    specreg_table_free(t);
    sri_blocks_free(NULL);
}

TEST(blocks, without_lines_name_the_row_of_the_table)
{
    const double x[4] = {1, 2, 3, 4};
    const specreg_view X = {x, 4, 1, 1};
    specreg_table *t;
    sri_blocks *b;
    CHECK_OK(ctx, specreg_table_from_arrays(ctx, &X, NULL, NULL, NULL, &t));
    CHECK_OK(ctx, sri_blocks_of_table(ctx, t, &b));
    check_all(ctx, b, t, 3);
    sri_blocks_free(b);
    specreg_table_free(t);
}

/* How many of the 10 rows have a lesser hash than this one. */
static int rank_of(uint64_t seed, int64_t row)
{
    uint64_t hash[10];
    int less = 0;
    for (int64_t i = 0; i < 10; i++) {
        sri_rng r = sri_rng_make(seed, SRI_STREAM_SAMPLE);
        r.counter = (uint64_t)i;
        hash[i] = sri_rng_next(&r);
    }
    for (int64_t i = 0; i < 10; i++)
        less += hash[i] < hash[row];
    return less;
}

/* The sample is what ranking all hashes gives. */
static void check_sample(specreg_context *ctx, sri_blocks *b, const specreg_table *whole,
                         int64_t count, uint64_t seed)
{
    specreg_table *sample;
    int64_t rows, next = 0;
    CHECK_OK(ctx,
             sri_blocks_sample(ctx, b, &(sri_sample_rows){count, seed, NULL, 0}, &rows, &sample));
    CHECK_EQ(rows, whole->rows);
    CHECK_EQ(sample->rows, count < 10 ? count : 10);
    for (int64_t i = 0; i < 10; i++)
        if (rank_of(seed, i) < count)
            check_row(sample, next++, whole, i);
    CHECK_EQ(next, sample->rows);
    specreg_table_free(sample);
}

TEST(blocks, a_sample_has_the_rows_with_the_least_hashes_in_order)
{
    specreg_table *t = ten_rows(ctx);
    sri_blocks *b;
    CHECK_OK(ctx, sri_blocks_of_table(ctx, t, &b));
    for (uint64_t seed = 0; seed < 5; seed++)
        for (int64_t count = 0; count <= 12; count++)
            check_sample(ctx, b, t, count, seed);
    check_all(ctx, b, t, 3); /* it was rewound */
    sri_blocks_free(b);
    specreg_table_free(t);
}

/* -------------------------------------------------------------------------------- files */

/* Opens files; options as pairs that end with NULL. */
static specreg_status open_with(specreg_context *ctx, const char *const *paths, int64_t count,
                                const char *const *option, sri_blocks **out)
{
    specreg_options *o;
    specreg_status st = specreg_options_new(ctx, &o);
    for (; st == SPECREG_OK && option && *option; option += 2)
        st = specreg_options_set(ctx, o, option[0], option[1]);
    if (st == SPECREG_OK)
        st = sri_blocks_open(ctx, paths, count, o, out);
    specreg_options_free(o);
    return st;
}

/* The sample of blocks is that of the table. */
static void check_same_sample(specreg_context *ctx, sri_blocks *b, const specreg_table *whole,
                              int64_t count)
{
    sri_blocks *memory;
    specreg_table *expected, *got;
    int64_t rows;
    const int64_t listed[] = {1, whole->rows - 1};
    const sri_sample_rows which = {count, 3, listed, whole->rows > 2 ? 2 : 0};
    CHECK_OK(ctx, sri_blocks_of_table(ctx, whole, &memory));
    CHECK_OK(ctx, sri_blocks_sample(ctx, memory, &which, NULL, &expected));
    CHECK_OK(ctx, sri_blocks_sample(ctx, b, &which, &rows, &got));
    CHECK_EQ(rows, whole->rows);
    CHECK_EQ(got->rows, expected->rows);
    CHECK_EQ(specreg_table_cols(got), specreg_table_cols(whole));
    for (int64_t i = 0; i < got->rows; i++) {
        check_row(got, i, expected, i);
        CHECK_EQ(sri_table_origin(got, i), sri_table_origin(expected, i));
    }
    if (which.n_listed && count >= 2)
        CHECK_EQ(sri_table_origin(got, got->rows - 1), listed[1]);
    specreg_table_free(got);
    specreg_table_free(expected);
    sri_blocks_free(memory);
}

/* Blocks of a file, glued together, are the table that reading all of it gives. */
static void check_file(specreg_context *ctx, const char *path, const char *const *option)
{
    static const int64_t sizes[] = {1, 7, 2047, 2048, 2049, 100000};
    specreg_table *whole;
    sri_blocks *b;
    CHECK_OK(ctx, read_with(ctx, path, option, &whole));
    CHECK_OK(ctx, open_with(ctx, &path, 1, option, &b));
    CHECK(sri_blocks_table(b) == NULL);
    for (int k = whole->rows > 100; k < 6; k++) {
        check_all(ctx, b, whole, sizes[k]);
        CHECK_EQ(sri_blocks_rows(b), whole->rows);
        CHECK_OK(ctx, sri_blocks_rewind(ctx, b));
    }
    check_same_sample(ctx, b, whole, 3);
    check_same_sample(ctx, b, whole, 50);
    check_same_sample(ctx, b, whole, 100000);
    check_all(ctx, b, whole, 2048);
    sri_blocks_free(b);
    specreg_table_free(whole);
}

/* `rows` lines that a function prints. */
static const char *write_lines(const char *name, int rows, const char *head,
                               void (*line)(FILE *, int))
{
    const char *path = kit_temp(name);
    FILE *f = fopen(path, "w");
    CHECK(f != NULL);
    fputs(head, f);
    for (int i = 0; i < rows; i++)
        line(f, i);
    CHECK(fclose(f) == 0);
    return path;
}

/* Numbers, texts, gaps, comments, quotes with line ends. */
static void csv_line(FILE *f, int i)
{
    if (i % 700 == 5)
        fputs("# a comment\n\n", f);
    fprintf(f, "%d.25,%s,%s,%d\n", i,
            i % 11 == 3 ? ""
            : i % 3     ? "red"
                        : "green \"\"blue",
            i % 501 == 7 ? "\"two\nlines\"" : "one", i * 7 % 13);
}

static void libsvm_line(FILE *f, int i)
{
    fprintf(f, "%d 1:%d %d:0.5\n", i % 2 ? 1 : -1, i + 1, 3 + i % 97);
    if (i % 800 == 1)
        fputs("# a comment\n", f);
}

TEST(blocks, of_a_csv_file_are_the_table_that_reading_it_gives)
{
    check_file(ctx, write_lines("a.csv", 5000, "a,b,c,y\n", csv_line), NULL);
    check_file(ctx, write_lines("b.csv", 4096, "", csv_line), NULL);
    check_file(ctx, write_lines("c.csv", 3, "a,b,c,y\n", csv_line), NULL);
    check_file(ctx, kit_temp("a.csv"), (const char *[]){"categorical", "y", NULL});
}

TEST(blocks, of_a_libsvm_file_are_the_table_that_reading_it_gives)
{
    check_file(ctx, write_lines("a.svm", 5000, "", libsvm_line), NULL);
    check_file(ctx, write_lines("b.svm", 1500, "spam 2:1\n", libsvm_line), NULL);
    check_file(ctx, kit_temp("a.svm"), (const char *[]){"categorical", "y", NULL});
}

/* An NPY file of rows x cols items. */
static const char *write_npy(const char *name, const char *type, bool fortran, int rows, int cols,
                             const void *data, size_t size)
{
    const char *path = kit_temp(name);
    FILE *f = fopen(path, "wb");
    char head[118];
    CHECK(f != NULL);
    memset(head, ' ', sizeof head);
    const int n = snprintf(head, sizeof head, "{'descr': '%s', 'fortran_order': %s, 'shape': (%d,",
                           type, fortran ? "True" : "False", rows);
    const int m = cols > 0 ? snprintf(head + n, sizeof head - (size_t)n, " %d", cols) : 0;
    snprintf(head + n + m, sizeof head - (size_t)(n + m), "), }");
    head[n + m + 4] = ' ';
    head[117] = '\n';
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, f);
    fwrite(head, 1, sizeof head, f);
    CHECK(fwrite(data, 1, size, f) == size);
    CHECK(fclose(f) == 0);
    return path;
}

TEST(blocks, of_npy_files_are_the_table_that_reading_them_gives)
{
    enum { ROWS = 4500, COLS = 3, COUNT = ROWS * COLS };
    double *x = kit_normal(1, ROWS, COLS);
    float *single = malloc(COUNT * sizeof *single);
    short *whole = malloc(COUNT * sizeof *whole);
    char *text = calloc(ROWS, 4);
    x[17] = NAN;
    for (int i = 0; i < COUNT; i++) {
        single[i] = (float)x[i];
        whole[i] = (short)(i - 5000);
    }
    for (int i = 0; i < ROWS; i++)
        snprintf(text + 4 * i, 4, "t%u", (unsigned)i % 37u);
    check_file(ctx, write_npy("a.npy", "<f8", false, ROWS, COLS, x, COUNT * 8), NULL);
    check_file(ctx, write_npy("b.npy", "<f4", false, ROWS, COLS, single, COUNT * 4), NULL);
    check_file(ctx, write_npy("c.npy", "<f8", true, ROWS, COLS, x, COUNT * 8), NULL);
    check_file(ctx, write_npy("d.npy", ">i2", false, ROWS, COLS, whole, COUNT * 2), NULL);
    check_file(ctx, write_npy("e.npy", "<f4", true, COUNT, 0, single, COUNT * 4), NULL);
    check_file(ctx, write_npy("f.npy", "|S4", false, ROWS, 0, text, ROWS * 4), NULL);
    check_file(ctx, kit_temp("a.npy"), (const char *[]){"categorical", "x1", NULL});
    free(x);
    free(single);
    free(whole);
    free(text);
}

/* The bytes of a file, compressed. */
static const char *compressed(const char *path, const char *name)
{
    struct stat info;
    const char *to = kit_temp(name);
    char *bytes = kit_read_file(path);
    gzFile z = gzopen(to, "wb1");
    CHECK(z && bytes && stat(path, &info) == 0);
    CHECK_EQ(gzwrite(z, bytes, (unsigned)info.st_size), info.st_size);
    CHECK_EQ(gzclose(z), Z_OK);
    free(bytes);
    return to;
}

TEST(blocks, of_compressed_files_are_the_table_that_reading_them_gives)
{
    double *x = kit_normal(2, 3000, 2);
    const char *npy = write_npy("z.npy", "<f8", false, 3000, 2, x, 48000);
    check_file(ctx, compressed(npy, "z.npy.gz"), NULL);
    check_file(ctx, compressed(write_lines("z.csv", 3000, "a,b,c,y\n", csv_line), "z.csv.gz"),
               NULL);
    sri_blocks *b;
    const char *fortran =
        compressed(write_npy("y.npy", "<f8", true, 3000, 2, x, 48000), "y.npy.gz");
    CHECK_FAILS(ctx, open_with(ctx, &fortran, 1, NULL, &b), SPECREG_E_FORMAT, "Fortran order");
    free(x);
}

TEST(blocks, of_several_files_are_one_table)
{
    specreg_table *first = READ("p-1.csv", "a,b\n1,x\n2,y\n3,z\n");
    specreg_table *second = READ("p-2.csv", "a,b\n4,7\n");
    specreg_table *third = READ("p-3.csv", "5,u\n6,v\n"); /* no header: names of the first */
    const specreg_table *of[] = {first, first, first, second, third, third};
    const int64_t row[] = {0, 1, 2, 0, 0, 1};
    const char *pattern = kit_temp("p-*.csv");
    sri_blocks *b;
    specreg_table *t;
    int64_t at;
    char place[512], expected[512];
    for (int64_t rows = 1; rows < 8; rows++) {
        CHECK_OK(ctx, open_with(ctx, &pattern, 1, NULL, &b));
        for (int64_t done = 0; done < 6; done += t->rows, specreg_table_free(t)) {
            CHECK_OK(ctx, sri_blocks_next(ctx, b, rows, &at, &t));
            CHECK(t != NULL);
            CHECK_EQ(at, done);
            for (int64_t i = 0; i < t->rows; i++) {
                CHECK_EQ(specreg_table_number(t, i, 0), done + i + 1);
                CHECK_STR(specreg_table_name(t, 1), "b");
                CHECK(specreg_table_is_text(t, 1));
                CHECK_STR(sri_table_place(t, i, place, sizeof place),
                          sri_table_place(of[done + i], row[done + i], expected, sizeof expected));
            }
        }
        CHECK_OK(ctx, sri_blocks_next(ctx, b, rows, &at, &t));
        CHECK(t == NULL);
        CHECK_EQ(sri_blocks_rows(b), 6);
        sri_blocks_free(b);
    }
    specreg_table_free(first);
    specreg_table_free(second);
    specreg_table_free(third);
}

/* Wide rows of numbers with a text, or a number, as the target. */
static specreg_table *wide_table(specreg_context *ctx, int64_t rows, int64_t cols, bool texts)
{
    specreg_table *t = NULL;
    double *x = kit_uniform(4, rows, cols);
    const char **label = malloc((size_t)rows * sizeof *label);
    for (int64_t i = 0; i < rows; i++)
        label[i] = i % 3 ? "red" : "blue";
    const specreg_view X = {x, rows, cols, cols}, Y = {x, rows, 1, cols};
    const specreg_data data = {sizeof data, .X = &X, .Y = texts ? NULL : &Y,
                               .labels = texts ? label : NULL};
    CHECK_OK(ctx, specreg_table_from_data(ctx, &data, &t));
    free(label);
    free(x);
    return t;
}

TEST(blocks, hdf5_comes_in_several_pieces)
{
    static const char *const none[] = {NULL};
    for (int texts = 0; texts < 2; texts++) {
        specreg_table *t = wide_table(ctx, 600, 2000, texts); /* 9.6 MB, the pieces have 8 MiB */
        const char *path = kit_temp("wide.h5");
        const specreg_status st = specreg_table_write(ctx, t, path);
        specreg_table_free(t);
        if (st == SPECREG_E_UNAVAILABLE)
            KIT_SKIP("this build has no HDF5");
        CHECK_OK(ctx, st);
        check_file(ctx, path, none);
    }
}

TEST(blocks, a_sample_of_several_npy_files_is_that_of_one)
{
    double *x = kit_normal(3, 7000, 2);
    const char *one = write_npy("one.npy", "<f8", false, 7000, 2, x, 112000);
    write_npy("q-1.npy", "<f8", false, 100, 2, x, 1600);
    write_npy("q-2.npy", "<f8", false, 5000, 2, x + 200, 80000);
    write_npy("q-3.npy", "<f8", false, 1900, 2, x + 10200, 30400);
    const char *pattern = kit_temp("q-?.npy");
    sri_blocks *a, *b;
    specreg_table *expected, *got;
    char place[512];
    CHECK_OK(ctx, open_with(ctx, &one, 1, NULL, &a));
    CHECK_OK(ctx, open_with(ctx, &pattern, 1, NULL, &b));
    CHECK_EQ(sri_blocks_rows(b), 7000);
    CHECK_OK(ctx, sri_blocks_sample(ctx, a, &(sri_sample_rows){40, 9, NULL, 0}, NULL, &expected));
    CHECK_OK(ctx, sri_blocks_sample(ctx, b, &(sri_sample_rows){40, 9, NULL, 0}, NULL, &got));
    for (int64_t i = 0; i < 40; i++)
        for (int64_t j = 0; j < 2; j++)
            CHECK_SAME(specreg_table_number(got, i, j), specreg_table_number(expected, i, j));
    const int64_t row = expected->origin[39] - 5100; /* the last one lies in the third file */
    CHECK(row >= 0);
    char end[64];
    snprintf(end, sizeof end, "q-3.npy: row %lld", (long long)row + 1);
    CHECK_HAS(sri_table_place(got, 39, place, sizeof place), end);
    specreg_table_free(expected);
    specreg_table_free(got);
    sri_blocks_free(a);
    sri_blocks_free(b);
    free(x);
}

TEST(blocks, files_that_do_not_fit_are_refused_at_once)
{
    sri_blocks *b;
    const char *first = write_bytes("m-1.csv", "a,b\n1,2\n", 8);
    const char *other = write_bytes("m-2.csv", "a,c\n1,2\n", 8);
    const char *more = write_bytes("m-3.csv", "a,b,c\n1,2,3\n", 12);
    const char *text = write_bytes("m-4.csv", "a,b\n1,2\n1,x\n", 12);
    const char *none = kit_temp("nothing-*.csv");
#define TWO(x) (const char *[]){first, x}, 2, NULL, &b
    CHECK_FAILS(ctx, open_with(ctx, TWO(other)), SPECREG_E_FORMAT,
                "m-2.csv: column 2 is named 'c', in ");
    CHECK_FAILS(ctx, open_with(ctx, TWO(more)), SPECREG_E_FORMAT, "m-3.csv: has 3 columns, ");
    CHECK_FAILS(ctx, open_with(ctx, TWO(text)), SPECREG_E_FORMAT,
                "m-4.csv:3: column 'b': 'x' is not a number");
    CHECK_FAILS(ctx, open_with(ctx, TWO("/nowhere/x.csv")), SPECREG_E_IO, "cannot read");
    CHECK_FAILS(ctx, open_with(ctx, TWO("/tmp")), SPECREG_E_IO, "is a directory");
    CHECK_FAILS(ctx, open_with(ctx, &none, 1, NULL, &b), SPECREG_E_IO, "no file has such a name");
    CHECK_FAILS(ctx, open_with(ctx, NULL, 0, NULL, &b), SPECREG_E_ARG, "no files");
    CHECK(b == NULL);
}

TEST(blocks, a_late_text_among_numbers_is_named_with_its_line)
{
    const char *path = write_lines("late.csv", 6000, "a,b,c,y\n", csv_line);
    FILE *f = fopen(path, "a");
    sri_blocks *b;
    specreg_table *t;
    int64_t at = 0;
    char *bytes, end[64];
    fputs("oops,red,one,1\n", f);
    fclose(f);
    bytes = kit_read_file(path);
    int lines = 0;
    for (const char *p = bytes; *p; p++)
        lines += *p == '\n';
    free(bytes);
    snprintf(end, sizeof end, "late.csv:%d: column 'a': 'oops' is not a number", lines);
    CHECK_OK(ctx, open_with(ctx, &path, 1, NULL, &b));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(ctx, sri_blocks_next(ctx, b, 2048, &at, &t));
        specreg_table_free(t);
    }
    CHECK_FAILS(ctx, sri_blocks_next(ctx, b, 2048, &at, &t), SPECREG_E_FORMAT, end);
    sri_blocks_free(b);
}

TEST(blocks, a_file_that_changes_between_readings_is_noticed)
{
    const char *path = write_bytes("change.csv", "a,b\n1,2\n3,4\n", 12);
    sri_blocks *b;
    specreg_table *t;
    int64_t at;
    CHECK_OK(ctx, open_with(ctx, &path, 1, NULL, &b));
    CHECK_OK(ctx, sri_blocks_next(ctx, b, 9, &at, &t));
    specreg_table_free(t);
    write_bytes("change.csv", "a,b\n1,2\n3,4\n5,6\n", 16);
    CHECK_OK(ctx, sri_blocks_rewind(ctx, b));
    CHECK_FAILS(ctx, sri_blocks_next(ctx, b, 9, &at, &t), SPECREG_E_IO, "changed while");
    sri_blocks_free(b);
}

TEST(blocks, a_file_that_gets_shorter_while_it_is_read_is_an_error)
{
    double *x = kit_normal(3, 6000, 1);
    const char *path = write_npy("short.npy", "<f8", false, 6000, 1, x, 48000);
    sri_blocks *b;
    specreg_table *t;
    int64_t at;
    CHECK_OK(ctx, open_with(ctx, &path, 1, NULL, &b));
    CHECK_OK(ctx, sri_blocks_next(ctx, b, 2048, &at, &t));
    specreg_table_free(t);
    CHECK_EQ(truncate(path, 128 + 8 * 4000), 0);
    CHECK_FAILS(ctx, sri_blocks_next(ctx, b, 2048, &at, &t), SPECREG_E_FORMAT,
                "short.npy: is too short: it ends after 4000 of 6000 values");
    sri_blocks_free(b);
    free(x);
}

TEST(blocks, a_pipe_is_read_twice_from_its_copy_and_once_without)
{
    const char *path = write_lines("pipe.csv", 3000, "a,b,c,y\n", csv_line);
    const char *fifo = kit_temp("fifo");
    sri_blocks *b;
    specreg_table *t;
    CHECK_EQ(mkfifo(fifo, 0600), 0);
    for (int once = 0; once < 2; once++) {
        char command[2048];
        snprintf(command, sizeof command, "cat '%s' > '%s' &", path, fifo);
        CHECK_EQ(system(command), 0);
        CHECK_OK(ctx, open_with(ctx, &fifo, 1, NULL, &b));
        if (once)
            sri_blocks_read_once(b);
        int64_t rows = 0, at;
        for (;;) {
            CHECK_OK(ctx, sri_blocks_next(ctx, b, 1000, &at, &t));
            if (!t)
                break;
            rows += t->rows;
            specreg_table_free(t);
        }
        CHECK_EQ(rows, 3000);
        if (once)
            CHECK_FAILS(ctx, sri_blocks_rewind(ctx, b), SPECREG_E_IO, "cannot be read twice");
        else {
            CHECK_OK(ctx, sri_blocks_rewind(ctx, b));
            CHECK_OK(ctx, sri_blocks_next(ctx, b, 3000, &at, &t));
            CHECK_EQ(t->rows, 3000);
            specreg_table_free(t);
        }
        sri_blocks_free(b);
    }
    unlink(fifo);
}
