/* Input streams: plain, gzip, zstd; files, memory; what is broken is refused. */
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "data/io/stream.h"
#include "data/io/zstandard.h"
#include "read_bytes.h"

/* Reads all in pieces of `piece` bytes; the caller frees. */
static specreg_status read_all(specreg_context *ctx, sri_stream *s, size_t piece, char **out,
                               size_t *size)
{
    size_t got = 1;
    *out = malloc(1 << 22);
    for (*size = 0; got > 0; *size += got) {
        const specreg_status st = sri_stream_read(ctx, s, *out + *size, piece, &got);
        if (st != SPECREG_OK) {
            free(*out);
            *out = NULL;
            return st;
        }
    }
    return SPECREG_OK;
}

/* A text that compresses, but not to nothing. */
static char *sample(size_t size)
{
    char *text = malloc(size);
    for (size_t i = 0; i < size; i++)
        text[i] = (char)('a' + (i * i / 7 + i / 1000) % 23);
    return text;
}

static size_t by_gzip(const char *in, size_t size, char *out, size_t room)
{
    z_stream z = {0};
    CHECK(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    z.next_in = (Bytef *)(uintptr_t)in;
    z.avail_in = (uInt)size;
    z.next_out = (Bytef *)out;
    z.avail_out = (uInt)room;
    CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
    deflateEnd(&z);
    return room - z.avail_out;
}

#if SPECREG_HAVE_ZSTD
enum { SIZE = 1000000, WAYS = 3 };
#else
enum { SIZE = 1000000, WAYS = 2 };
#define ZSTD_compress(out, room, in, size, level) ((size_t)0)

TEST(stream, a_build_without_zstd_says_so)
{
    sri_stream *s;
    CHECK_FAILS(ctx, sri_stream_from_memory(ctx, "m", "\x28\xb5\x2f\xfd....", 8, &s),
                SPECREG_E_UNAVAILABLE, "no zstd");
}
#endif

/* The three ways to write a text; `copies` members one after the other. */
static size_t encode(int how, const char *text, int copies, char *out)
{
    size_t n = 0;
    for (int c = 0; c < copies; c++) {
        if (how == 0) {
            memcpy(out + n, text, SIZE);
            n += SIZE;
        } else if (how == 1) {
            n += by_gzip(text, SIZE, out + n, 2 * SIZE);
        } else {
            n += ZSTD_compress(out + n, 2 * SIZE, text, SIZE, 3);
        }
    }
    return n;
}

TEST(stream, content_is_the_same_however_it_is_packed_and_asked_for)
{
    char *text = sample(SIZE), *packed = malloc(4 * SIZE), *got;
    for (int how = 0; how < WAYS; how++)
        for (int copies = 1; copies <= 2; copies++)
            for (size_t piece = 1000; piece <= 1000000; piece *= 10) {
                sri_stream *s;
                const char *head;
                size_t size, length;
                const size_t n = encode(how, text, copies, packed);
                CHECK_OK(ctx, sri_stream_from_memory(ctx, "m", packed, n, &s));
                if (piece != 10000) { /* peeking changes nothing */
                    CHECK_OK(ctx, sri_stream_peek(ctx, s, &head, &length));
                    CHECK_EQ(length, 4096);
                    CHECK(memcmp(head, text, length) == 0);
                }
                CHECK_OK(ctx, read_all(ctx, s, piece, &got, &size));
                CHECK_EQ(size, (size_t)copies * SIZE);
                CHECK(memcmp(got, text, SIZE) == 0);
                CHECK(memcmp(got + size - SIZE, text, SIZE) == 0);
                CHECK_EQ(sri_stream_length(s), how ? -1 : (int64_t)n);
                free(got);
                sri_stream_close(s);
            }
    free(packed);
    free(text);
}

TEST(stream, truncated_or_damaged_files_are_refused)
{
    char *text = sample(SIZE), *packed = malloc(4 * SIZE), *got;
    static const char *const name[] = {"", "gzip", "zstd"};
    for (int how = 1; how < WAYS; how++) {
        const size_t n = encode(how, text, 1, packed);
        size_t size;
        sri_stream *s;
        for (size_t cut = 8; cut < n; cut += n / 17) {
            CHECK_OK(ctx, sri_stream_from_memory(ctx, "m", packed, cut, &s));
            CHECK_FAILS(ctx, read_all(ctx, s, 4096, &got, &size), SPECREG_E_FORMAT,
                        "data end too early");
            CHECK_HAS(specreg_last_error(ctx), name[how]);
            sri_stream_close(s);
        }
        packed[n / 2] ^= 0x55;
        CHECK_OK(ctx, sri_stream_from_memory(ctx, "m", packed, n, &s));
        const specreg_status st = read_all(ctx, s, 4096, &got, &size);
        if (how == 1 || st != SPECREG_OK) /* zstd frames without a checksum may not notice */
            CHECK_EQ(st, SPECREG_E_FORMAT);
        else
            free(got);
        sri_stream_close(s);
    }
    free(packed);
    free(text);
}

TEST(stream, zero_bytes_after_gzip_are_padding)
{
    char packed[4096] = "", *got;
    size_t size;
    sri_stream *s;
    const size_t n = by_gzip("hello", 5, packed, 1000);
    CHECK_OK(ctx, sri_stream_from_memory(ctx, "m", packed, n + 512, &s));
    CHECK_OK(ctx, read_all(ctx, s, 100, &got, &size));
    CHECK_EQ(size, 5);
    free(got);
    sri_stream_close(s);
}

TEST(stream, files_that_cannot_be_read_are_named)
{
    sri_stream *s;
    CHECK_FAILS(ctx, sri_stream_open(ctx, "/nowhere/a.csv", &s), SPECREG_E_IO,
                "/nowhere/a.csv: cannot read: No such file or directory");
    CHECK(s == NULL);
    CHECK_FAILS(ctx, sri_stream_open(ctx, "/tmp", &s), SPECREG_E_IO, "/tmp: is a directory");
    const char *path = kit_temp_file("a.csv", "1\n");
    chmod(path, 0);
    if (access(path, R_OK) != 0) /* root may */
        CHECK_FAILS(ctx, sri_stream_open(ctx, path, &s), SPECREG_E_IO, "Permission denied");
    CHECK_FAILS(ctx, sri_stream_from_memory(ctx, "m", "\3757zXZ\0", 6, &s), SPECREG_E_FORMAT,
                "m: is compressed with xz");
    CHECK_FAILS(ctx, sri_stream_from_memory(ctx, "m", "BZh91AY", 7, &s), SPECREG_E_FORMAT,
                "m: is compressed with bzip2");
}

TEST(stream, a_compressed_csv_is_read_and_a_cut_one_is_not)
{
    char packed[4096];
    const size_t n = by_gzip("a,b\n1,2\n3,4\n", 12, packed, sizeof packed);
    specreg_table *t = read_ok(ctx, write_bytes("a.csv.gz", packed, n), NULL);
    CHECK_STR(cell(t, 1, 1), "4");
    specreg_table_free(t);
    t = read_ok(ctx, write_bytes("misnamed.csv", packed, n), NULL); /* by its content */
    CHECK_EQ(t->rows, 2);
    specreg_table_free(t);
    refused(ctx, __LINE__, "a.csv.gz", packed, n - 3, NULL, SPECREG_E_FORMAT,
            ": the gzip data end too early: a truncated file");
}
