/* Output: whole or not at all, whatever the path is. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/io/output.h"
#include "data/io/stream.h"
#include "read_bytes.h"

static specreg_status put(specreg_context *ctx, const char *path, const char *text)
{
    sri_output *o;
    specreg_status st = sri_output_open(ctx, path, &o);
    if (st != SPECREG_OK)
        return st;
    st = sri_output_write(ctx, o, text, strlen(text));
    if (st != SPECREG_OK) {
        sri_output_abandon(o);
        return st;
    }
    return sri_output_commit(ctx, o);
}

static void check_content(const char *path, const char *expected)
{
    char *text = kit_read_file(path);
    CHECK_STR(text, expected);
    free(text);
}

TEST(output, the_old_file_stays_until_the_new_one_is_whole)
{
    const char *path = kit_temp_file("a.txt", "old");
    const int before = kit_temp_count();
    sri_output *o;
    CHECK_OK(ctx, sri_output_open(ctx, path, &o));
    CHECK_OK(ctx, sri_output_write(ctx, o, "new", 3));
    check_content(path, "old");
    sri_output_abandon(o);
    check_content(path, "old");
    CHECK_EQ(kit_temp_count(), before);
    CHECK_OK(ctx, put(ctx, path, "new"));
    check_content(path, "new");
    CHECK_EQ(kit_temp_count(), before);
    sri_output_abandon(NULL);
}

TEST(output, modes_follow_the_umask_or_the_old_file)
{
    struct stat info;
    const mode_t mask = umask(027);
    const char *path = kit_temp("fresh.txt");
    CHECK_OK(ctx, put(ctx, path, "x"));
    CHECK_EQ(stat(path, &info), 0);
    CHECK_EQ(info.st_mode & 0777, 0640);
    chmod(path, 0600);
    CHECK_OK(ctx, put(ctx, path, "y"));
    CHECK_EQ(stat(path, &info), 0);
    CHECK_EQ(info.st_mode & 0777, 0600);
    umask(mask);
    unlink(path);
}

TEST(output, a_link_stays_and_its_file_is_replaced)
{
    char folder[512], link[1024], file[1024];
    snprintf(folder, sizeof folder, "%s", kit_temp("sub"));
    mkdir(folder, 0755);
    snprintf(file, sizeof file, "%s/file.txt", folder);
    snprintf(link, sizeof link, "%s", kit_temp("link.txt"));
    CHECK_EQ(symlink("sub/file.txt", link), 0);
    CHECK_OK(ctx, put(ctx, link, "one")); /* the link dangles: the file is made */
    check_content(file, "one");
    CHECK_OK(ctx, put(ctx, link, "two"));
    check_content(file, "two");
    struct stat info;
    CHECK_EQ(lstat(link, &info), 0);
    CHECK(S_ISLNK(info.st_mode));
    unlink(link);
    unlink(file);
    rmdir(folder);
}

static void *drain(void *path)
{
    static char text[64];
    const int fd = open(path, O_RDONLY);
    ssize_t n, all = 0;
    while (all < 63 && (n = read(fd, text + all, (size_t)(63 - all))) > 0)
        all += n;
    close(fd);
    return text;
}

TEST(output, a_pipe_is_written_in_place)
{
    char path[512];
    void *text;
    pthread_t reader;
    snprintf(path, sizeof path, "%s", kit_temp("pipe"));
    CHECK_EQ(mkfifo(path, 0600), 0);
    pthread_create(&reader, NULL, drain, path);
    CHECK_OK(ctx, put(ctx, path, "through"));
    pthread_join(reader, &text);
    CHECK_STR((char *)text, "through");
    struct stat info;
    CHECK_EQ(stat(path, &info), 0);
    CHECK(S_ISFIFO(info.st_mode));
    unlink(path);
}

TEST(output, failures_name_the_path_and_leave_nothing)
{
    const int before = kit_temp_count();
    struct stat info;
    if (stat("/dev/full", &info) == 0 && S_ISCHR(info.st_mode))
        CHECK_FAILS(ctx, put(ctx, "/dev/full", "x"), SPECREG_E_IO,
                    "/dev/full: cannot write: No space left on device");
    CHECK_FAILS(ctx, put(ctx, "/nowhere/a", "x"), SPECREG_E_IO,
                "/nowhere/a: cannot write: No such file or directory");
    CHECK_FAILS(ctx, put(ctx, "/tmp", "x"), SPECREG_E_IO, "/tmp: is a directory");
    CHECK_FAILS(ctx, put(ctx, "/tmp/nowhere/", "x"), SPECREG_E_IO, "/tmp/nowhere/: ");
    const char *path = kit_temp_file("readonly", "old");
    chmod(path, 0444);
    if (access(path, W_OK) != 0) { /* root may */
        CHECK_FAILS(ctx, put(ctx, path, "x"), SPECREG_E_IO, "cannot write: Permission denied");
        check_content(path, "old");
    }
    unlink(path);
    CHECK_EQ(kit_temp_count(), before);
}

TEST(output, long_names_and_many_bytes)
{
    char name[256], *big = malloc(1000001);
    memset(name, 'n', 250);
    name[250] = '\0';
    memset(big, 'b', 1000000);
    big[1000000] = '\0';
    const char *path = kit_temp(name);
    CHECK_OK(ctx, put(ctx, path, big));
    check_content(path, big);
    unlink(path);
    free(big);
}

#if SPECREG_HAVE_ZSTD
enum { HAS_ZSTD = 1 };
#else
enum { HAS_ZSTD = 0 };
#endif

TEST(output, endings_compress)
{
    static const char *const name[] = {"a.txt.gz", "a.txt.zst"};
    static const unsigned char magic[2][2] = {{0x1f, 0x8b}, {0x28, 0xb5}};
    for (int k = 0; k < 2; k++) {
        const char *path = kit_temp(name[k]);
        sri_output *o;
        CHECK_OK(ctx, sri_output_open(ctx, path, &o));
        if (k == 1 && !HAS_ZSTD) {
            CHECK_FAILS(ctx, sri_output_compress(ctx, o), SPECREG_E_UNAVAILABLE, "no zstd");
            sri_output_abandon(o);
            continue;
        }
        CHECK_OK(ctx, sri_output_compress(ctx, o));
        for (int i = 0; i < 100000; i++)
            CHECK_OK(ctx, sri_output_write(ctx, o, "0123456789", 10));
        CHECK_OK(ctx, sri_output_commit(ctx, o));
        struct stat info;
        CHECK_EQ(stat(path, &info), 0);
        CHECK(info.st_size < 100000);
        FILE *f = fopen(path, "rb");
        unsigned char head[2];
        CHECK_EQ(fread(head, 1, 2, f), 2);
        CHECK(memcmp(head, magic[k], 2) == 0);
        fclose(f);
        /* the reader's side is tested against zlib and zstd themselves in test_stream */
        sri_stream *s;
        char *text;
        size_t size;
        CHECK_OK(ctx, sri_stream_open(ctx, path, &s));
        CHECK_OK(ctx, sri_stream_slurp(ctx, s, &text, &size));
        CHECK_EQ(size, 1000000);
        for (size_t i = 0; i < size; i++)
            CHECK(text[i] == (char)('0' + i % 10));
        free(text);
        sri_stream_close(s);
        unlink(path);
    }
}
