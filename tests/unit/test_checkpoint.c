/* Checkpoints: what was added is found again in every bit, whatever ended the process; what is not
 * ours is refused in one line and left alone. */
#include "kit/kit.h"

#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include "select/checkpoint.h"

static const uint64_t PRINT[2] = {0x0123456789abcdef, 0xfedcba9876543210};
enum {
    HEADER = 72,
    LINE2 = 17 * (2 + 17 + 2 * 4 + 1)
}; /* bytes: the first, a line of two scores */

/* Scores and an outcome that differ for every i, with all that is odd about doubles. */
static double number_of(int i)
{
    static const uint64_t odd[] = {0x7ff8000000000000,
                                   0xfff8000000000000,
                                   0x7ff4dead0000beef,
                                   0x7ff0000000000000,
                                   0xfff0000000000000,
                                   0x8000000000000000,
                                   1,
                                   0x7fefffffffffffff,
                                   0x3fd5555555555555};
    double value;
    memcpy(&value, &odd[i % 9], sizeof value);
    return i < 36 ? value : i / 3.0;
}

static void make(int i, int64_t count, sri_score *score, sri_finished *finished)
{
    *finished =
        (sri_finished){.report = {i, number_of(i), number_of(i + 3), -i, INT64_MAX - i,
                                  number_of(i + 5), number_of(i + 6), .effort = INT64_MAX - 2 * i},
                       .rank = {number_of(i + 7), number_of(i + 8), number_of(i), number_of(i + 2)},
                       .best = i,
                       .left_early = i % 2};
    snprintf(finished->engine, sizeof finished->engine, "engine%d", i);
    for (int64_t j = 0; j < count; j++)
        score[j] = (sri_score){number_of(i + (int)j), number_of(i + 1), number_of(i + 2), i};
}

static const char *key_of(int i)
{
    static char key[64];
    snprintf(key, sizeof key, "rbf sigma=%d, rows \"all\"\n\t%%s", i);
    return key;
}

static void add(specreg_context *ctx, sri_checkpoint *c, int i)
{
    sri_score score[2];
    sri_finished finished;
    make(i, 2, score, &finished);
    CHECK_OK(ctx, sri_checkpoint_add(ctx, c, key_of(i), 2, &finished, score));
}

/* Bit for bit what make() gives, or not there at all. */
static bool has(specreg_context *ctx, const sri_checkpoint *c, int i)
{
    sri_score expected[2], score[2];
    sri_finished expected_finished, finished;
    make(i, 2, expected, &expected_finished);
    const bool found = sri_checkpoint_find(c, key_of(i), 2, &finished, score);
    if (found) {
        CHECK(memcmp(score, expected, sizeof score) == 0);
        CHECK(memcmp(&finished, &expected_finished, sizeof finished) == 0);
    }
    return found;
}

static sri_checkpoint *reopen(specreg_context *ctx, const char *path)
{
    sri_checkpoint *c;
    CHECK_OK(ctx, sri_checkpoint_open(ctx, path, PRINT, &c));
    return c;
}

/* A checkpoint with evaluations 0 .. n-1; its bytes where `size` is given, to be freed. */
static char *make_file(specreg_context *ctx, const char *path, int n, size_t *size)
{
    unlink(path);
    sri_checkpoint *c = reopen(ctx, path);
    for (int i = 0; i < n; i++)
        add(ctx, c, i);
    sri_checkpoint_free(c);
    if (!size)
        return NULL;
    char *bytes = kit_read_file(path);
    *size = strlen(bytes);
    CHECK_EQ(*size, HEADER + n * LINE2);
    return bytes;
}

static void write_bytes(const char *path, const char *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(bytes, 1, size, f) == size);
    fclose(f);
}

/* Opening must fail so, and must not touch the file. */
static void check_refused(specreg_context *ctx, const char *path, const char *bytes, size_t size,
                          const char *text)
{
    sri_checkpoint *c = (sri_checkpoint *)ctx;
    write_bytes(path, bytes, size);
    CHECK_FAILS(ctx, sri_checkpoint_open(ctx, path, PRINT, &c), SPECREG_E_FORMAT, text);
    CHECK(c == NULL);
    CHECK(strncmp(specreg_last_error(ctx), path, strlen(path)) == 0);
    char *after = malloc(size + 1);
    FILE *f = fopen(path, "rb");
    CHECK_EQ(fread(after, 1, size + 1, f), size);
    CHECK(memcmp(after, bytes, size) == 0);
    fclose(f);
    free(after);
}

/* ----------------------------------------------------------------- what it keeps */

TEST(checkpoint, every_bit_comes_back)
{
    const char *path = kit_temp("run.ck");
    make_file(ctx, path, 40, NULL);
    sri_checkpoint *c = reopen(ctx, path);
    for (int i = 0; i < 40; i++)
        CHECK(has(ctx, c, i));
    CHECK(!has(ctx, c, 40));
    add(ctx, c, 40);
    CHECK(has(ctx, c, 40)); /* at once, and after the next opening */
    sri_checkpoint_free(c);
    c = reopen(ctx, path);
    CHECK(has(ctx, c, 40));
    sri_checkpoint_free(c);
    sri_checkpoint_free(NULL);
}

TEST(checkpoint, a_path_of_another_length_is_another_evaluation)
{
    sri_checkpoint *c = reopen(ctx, kit_temp("length.ck"));
    sri_score score[3] = {{0}}, got[3];
    sri_finished finished = {0};
    for (int64_t count = 1; count <= 3; count += 2) {
        score[0].value = (double)count;
        CHECK_OK(ctx, sri_checkpoint_add(ctx, c, "k", count, &finished, score));
    }
    for (int64_t count = 1; count <= 3; count++) {
        const bool found = sri_checkpoint_find(c, "k", count, &finished, got);
        CHECK_EQ(found, count != 2);
        CHECK(!found || got[0].value == (double)count);
    }
    sri_checkpoint_free(c);
}

TEST(checkpoint, many_evaluations)
{
    enum { MANY = 2000, COUNT = 50 };
    const char *path = kit_temp("many.ck");
    sri_score score[COUNT], expected[COUNT];
    sri_finished finished;
    sri_checkpoint *c = reopen(ctx, path);
    for (int i = 0; i < MANY; i++) {
        make(i, COUNT, score, &finished);
        CHECK_OK(ctx, sri_checkpoint_add(ctx, c, key_of(i), COUNT, &finished, score));
    }
    sri_checkpoint_free(c);
    c = reopen(ctx, path);
    for (int i = 0; i < MANY; i++) {
        make(i, COUNT, expected, &finished);
        const bool found = sri_checkpoint_find(c, key_of(i), COUNT, &finished, score);
        CHECK(found && memcmp(score, expected, sizeof score) == 0);
    }
    sri_checkpoint_free(c);
    unlink(path);
}

/* The file by its description, from the xxHash library itself: others can make and check one. */
TEST(checkpoint, the_first_line_is_as_described)
{
    const char *path = kit_temp("run.ck");
    size_t size;
    char *bytes = make_file(ctx, path, 0, &size), expected[HEADER + 1];
    const int n = snprintf(expected, sizeof expected, "specreg checkpoint 6 0123456789abcdef %s ",
                           "fedcba9876543210");
    snprintf(expected + n, sizeof expected - (size_t)n, "%016llx\n",
             (unsigned long long)XXH3_64bits(expected, (size_t)n));
    CHECK_STR(bytes, expected);
    free(bytes);
}

/* ----------------------------------------------------------------- torn and damaged */

TEST(checkpoint, torn_at_any_byte_it_goes_on_from_the_last_whole_line)
{
    const char *path = kit_temp("torn.ck");
    size_t size;
    char *bytes = make_file(ctx, path, 3, &size);
    for (size_t n = 0; n <= size; n++) {
        write_bytes(path, bytes, n);
        sri_checkpoint *c = reopen(ctx, path);
        const int whole = n < HEADER ? 0 : (int)((n - HEADER) / LINE2);
        for (int i = 0; i < 3; i++)
            CHECK_EQ(has(ctx, c, i), i < whole);
        for (int i = whole; i < 3; i++)
            add(ctx, c, i);
        sri_checkpoint_free(c);
        char *again = kit_read_file(path);
        CHECK_STR(again, bytes);
        free(again);
    }
    free(bytes);
}

/* After a power loss the length may be there and the content not. */
TEST(checkpoint, a_last_line_with_zeros_in_it_is_torn)
{
    const char *path = kit_temp("zeros.ck");
    size_t size;
    char *bytes = make_file(ctx, path, 3, &size), *copy = malloc(size);
    for (size_t from = HEADER + 2 * LINE2; from < size; from += 31)
        for (size_t to = from + 1; to <= size; to += 37) {
            memcpy(copy, bytes, size);
            memset(copy + from, 0, to - from);
            write_bytes(path, copy, size);
            sri_checkpoint *c = reopen(ctx, path);
            CHECK(has(ctx, c, 1) && !has(ctx, c, 2));
            sri_checkpoint_free(c);
        }
    free(copy);
    free(bytes);
}

/* But for the end of the line before it, which makes one torn line of the last two. */
TEST(checkpoint, a_changed_bit_before_the_last_line_is_refused)
{
    const char *path = kit_temp("damaged.ck");
    size_t size;
    char *bytes = make_file(ctx, path, 3, &size), text[64];
    for (size_t i = HEADER; i < HEADER + 2 * LINE2 - 1; i++) {
        const int bit = 1 << i % 7;
        snprintf(text, sizeof text, ": is damaged in line %d: remove it or name another file",
                 i < HEADER + LINE2 ? 2 : 3);
        bytes[i] = (char)(bytes[i] ^ bit);
        check_refused(ctx, path, bytes, size, text);
        bytes[i] = (char)(bytes[i] ^ bit);
    }
    for (size_t i = 0; i < HEADER; i++) {
        bytes[i] ^= 1;
        check_refused(ctx, path, bytes, size,
                      i < 19    ? ": is not a checkpoint"
                      : i == 19 ? ": was written by another specreg (version 7, this one has 6)"
                                : ": is damaged in line 1");
        bytes[i] ^= 1;
    }
    free(bytes);
}

TEST(checkpoint, a_line_that_is_missing_repeated_or_moved_is_refused)
{
    const char *path = kit_temp("moved.ck");
    static const int orders[][4] = {{1, 2, 3, 0}, {0, 0, 1, 2}, {1, 0, 2, 3}, {0, 2, 3, 3}};
    size_t size;
    char *bytes = make_file(ctx, path, 4, &size), *copy = malloc(size);
    memcpy(copy, bytes, HEADER);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 4; i++)
            memcpy(copy + HEADER + i * LINE2, bytes + HEADER + orders[k][i] * LINE2, LINE2);
        check_refused(ctx, path, copy, size, ": is damaged in line ");
    }
    free(copy);
    free(bytes);
}

/* ----------------------------------------------------------------- other files */

TEST(checkpoint, of_other_data_or_another_version_is_refused)
{
    const char *path = kit_temp("other.ck");
    static const uint64_t others[][2] = {{0, 0}, {0xfedcba9876543210, 0x0123456789abcdef}};
    sri_checkpoint *c;
    size_t size;
    char *bytes = make_file(ctx, path, 2, &size);
    for (int i = 0; i < 2; i++)
        CHECK_FAILS(ctx, sri_checkpoint_open(ctx, path, others[i], &c), SPECREG_E_FORMAT,
                    ": belongs to other data or options: remove it or name another file");
    c = reopen(ctx, path); /* and is as it was */
    CHECK(has(ctx, c, 1));
    sri_checkpoint_free(c);
    bytes[19] = '7';
    check_refused(ctx, path, bytes, size,
                  ": was written by another specreg (version 7, this one has 6): remove it or");
    free(bytes);
    static const char later[] = "specreg checkpoint 12 {\"anything\": 1}\n";
    check_refused(ctx, path, later, sizeof later - 1, "(version 12, this one has 6)");
}

TEST(checkpoint, files_of_another_kind_are_refused)
{
    const char *path = kit_temp("wrong.ck");
    static const char model[] = "\x40\0\0\0\0\0\0\0{\"__metadata__\":{\"format\":\"specreg\"}}";
    static const char zeros[100];
    check_refused(ctx, path, "x1,x2,y\n1,2,3\n", 14, ": is not a checkpoint: name another file");
    check_refused(ctx, path, model, sizeof model, ": is not a checkpoint");
    check_refused(ctx, path, "\n", 1, ": is not a checkpoint");
    check_refused(ctx, path, zeros, sizeof zeros, ": is not a checkpoint");
}

/* A process that is killed between making the file and writing it leaves an empty one. */
TEST(checkpoint, an_empty_file_is_begun)
{
    const char *path = kit_temp_file("empty.ck", "");
    sri_checkpoint *c = reopen(ctx, path);
    add(ctx, c, 0);
    sri_checkpoint_free(c);
    c = reopen(ctx, path);
    CHECK(has(ctx, c, 0));
    sri_checkpoint_free(c);
}

TEST(checkpoint, what_is_no_regular_file_is_refused)
{
    const char *folder = kit_temp("folder"), *pipe = kit_temp("pipe");
    sri_checkpoint *c;
    mkdir(folder, 0777);
    CHECK_FAILS(ctx, sri_checkpoint_open(ctx, folder, PRINT, &c), SPECREG_E_IO,
                "folder: is a directory");
    mkfifo(pipe, 0666);
    CHECK_FAILS(ctx, sri_checkpoint_open(ctx, pipe, PRINT, &c), SPECREG_E_IO,
                "pipe: a checkpoint must be a regular file");
    CHECK_FAILS(ctx, sri_checkpoint_open(ctx, "-", PRINT, &c), SPECREG_E_IO,
                "-: a checkpoint must be a regular file");
    CHECK(access("-", F_OK) != 0);
    rmdir(folder);
    unlink(pipe);
}

TEST(checkpoint, a_place_that_cannot_be_written_is_refused)
{
    sri_checkpoint *c;
    CHECK_FAILS(ctx, sri_checkpoint_open(ctx, kit_temp("nowhere/run.ck"), PRINT, &c), SPECREG_E_IO,
                "nowhere/run.ck: cannot write: No such file or directory");
    if (geteuid() == 0)
        return; /* may write everywhere */
    const char *folder = kit_temp("readonly");
    mkdir(folder, 0555);
    CHECK_FAILS(ctx, sri_checkpoint_open(ctx, kit_temp("readonly/run.ck"), PRINT, &c), SPECREG_E_IO,
                "readonly/run.ck: cannot write: Permission denied");
    rmdir(folder);
    const char *path = kit_temp("readonly.ck");
    make_file(ctx, path, 1, NULL);
    chmod(path, 0444);
    CHECK_FAILS(ctx, sri_checkpoint_open(ctx, path, PRINT, &c), SPECREG_E_IO,
                "readonly.ck: cannot write: Permission denied");
}

TEST(checkpoint, a_link_stays_a_link)
{
    const char *path = kit_temp("target.ck"), *link = kit_temp("link.ck");
    struct stat info;
    unlink(path);
    CHECK_EQ(symlink("target.ck", link), 0);
    for (int i = 0; i < 2; i++) { /* first to nothing, then to a file */
        sri_checkpoint *c = reopen(ctx, link);
        add(ctx, c, i);
        sri_checkpoint_free(c);
    }
    CHECK(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    sri_checkpoint *c = reopen(ctx, path);
    CHECK(has(ctx, c, 0) && has(ctx, c, 1));
    sri_checkpoint_free(c);
}

/* ----------------------------------------------------------------- several processes */

/* Adds one evaluation, tells the parent, and waits to be killed. */
static void hold(const char *path, int fd)
{
    specreg_context *ctx;
    sri_checkpoint *c;
    sri_score score[2];
    sri_finished finished;
    make(0, 2, score, &finished);
    char said = 'n';
    if (specreg_context_new(&ctx) == SPECREG_OK &&
        sri_checkpoint_open(ctx, path, PRINT, &c) == SPECREG_OK &&
        sri_checkpoint_add(ctx, c, key_of(0), 2, &finished, score) == SPECREG_OK)
        said = 'y';
    if (write(fd, &said, 1) == 1)
        pause();
    _exit(1);
}

TEST(checkpoint, in_use_by_another_process_until_that_is_killed)
{
    const char *path = kit_temp("held.ck");
    sri_checkpoint *c;
    int ends[2];
    char said = 0;
    unlink(path);
    CHECK_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0)
        hold(path, ends[1]);
    CHECK_EQ(read(ends[0], &said, 1), 1);
    CHECK_EQ(said, 'y');
    const specreg_status st = sri_checkpoint_open(ctx, path, PRINT, &c);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    CHECK_EQ(st, SPECREG_E_IO);
    CHECK_HAS(specreg_last_error(ctx),
              "held.ck: is in use by another process: wait for its end or name another file");
    c = reopen(ctx, path);
    CHECK(has(ctx, c, 0));
    sri_checkpoint_free(c);
    close(ends[0]);
    close(ends[1]);
}
