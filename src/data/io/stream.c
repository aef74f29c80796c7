#include "data/io/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "core/memory.h"
#include "core/text.h"
#include "core/written.h"
#include "data/io/zstandard.h"

enum { HEAD = 4096, RAW = 1 << 17, SMALL_CONTENT = 16 << 20, USUAL_EXPANSION = 200 };

typedef enum codec { PLAIN, GZIP, ZSTD } codec;

/* Bytes come from a descriptor, from memory or from a function (the raw side); they pass through a
 * decompressor, or not; the first ones are kept for peeking. */
struct sri_stream {
    char *name;
    char *path; /* of a plain file */
    int64_t length;

    int fd; /* -1: none */
    bool owns_fd, has_places;
    const char *memory;
    size_t memory_left;
    sri_stream_source *source;
    void *payload;

    char *raw; /* read but not yet consumed: raw[raw_begin .. raw_end) */
    size_t raw_begin, raw_end;
    bool raw_eof;

    codec how;
    z_stream gzip;
    ZSTD_DStream *zstd;
    bool inside; /* in the middle of a compressed member */
    double max_expansion;
    double compressed, content; /* bytes read so far, before and after decompression */

    char *head; /* peeked, not yet read: head[head_begin .. head_end) */
    size_t head_begin, head_end;
    bool peeked;
};

/* ---------------------------------------------------------------------------- raw bytes */

static specreg_status raw_read(specreg_context *ctx, sri_stream *s, void *buffer, size_t size,
                               size_t *got)
{
    int64_t n;
    if (s->source) {
        n = s->source(ctx, s->payload, buffer, size);
        if (n < 0)
            return SPECREG_E_FORMAT;
    } else if (s->fd >= 0) {
        while ((n = read(s->fd, buffer, size)) < 0 && errno == EINTR) {
            const specreg_status st = sri_poll(ctx); /* Ctrl-C while waiting for a pipe */
            if (st != SPECREG_OK)
                return st;
        }
        if (n < 0)
            return sri_fail(ctx, SPECREG_E_IO, "%s: cannot read: %s", s->name, strerror(errno));
    } else {
        n = (int64_t)(size < s->memory_left ? size : s->memory_left);
        if (n > 0)
            memcpy(buffer, s->memory, (size_t)n);
        s->memory += n;
        s->memory_left -= (size_t)n;
    }
    *got = (size_t)n;
    return SPECREG_OK;
}

/* Makes sure that at least `want` raw bytes are there, or all there are. */
static specreg_status raw_fill(specreg_context *ctx, sri_stream *s, size_t want)
{
    if (s->raw_end - s->raw_begin >= want)
        return SPECREG_OK;
    if (s->raw_begin > 0) {
        memmove(s->raw, s->raw + s->raw_begin, s->raw_end - s->raw_begin);
        s->raw_end -= s->raw_begin;
        s->raw_begin = 0;
    }
    while (s->raw_end < want && !s->raw_eof) {
        size_t got;
        const specreg_status st = raw_read(ctx, s, s->raw + s->raw_end, RAW - s->raw_end, &got);
        if (st != SPECREG_OK)
            return st;
        s->raw_eof = got == 0;
        s->raw_end += got;
        s->compressed += (double)got;
    }
    return SPECREG_OK;
}

/* ------------------------------------------------------------------------- opening */

static specreg_status start_codec(specreg_context *ctx, sri_stream *s)
{
    SRI_CALL(raw_fill(ctx, s, 6));
    const unsigned char *b = (const unsigned char *)s->raw;
    const size_t n = s->raw_end;
    if (n >= 2 && b[0] == 0x1f && b[1] == 0x8b) {
        s->how = GZIP;
        SRI_CHECK(ctx, inflateInit2(&s->gzip, 15 + 16) == Z_OK, SPECREG_E_NOMEM,
                  "%s: out of memory", s->name);
    } else if (n >= 4 && (memcmp(b, "\x28\xb5\x2f\xfd", 4) == 0 ||
                          ((b[0] & 0xf0) == 0x50 && memcmp(b + 1, "\x2a\x4d\x18", 3) == 0))) {
        SRI_REQUIRE_ZSTD(ctx, s->name);
        s->how = ZSTD; /* a frame, or a skippable frame */
        s->zstd = ZSTD_createDStream();
        SRI_CHECK(ctx, s->zstd, SPECREG_E_NOMEM, "%s: out of memory", s->name);
    } else {
        SRI_CHECK(ctx, n < 6 || memcmp(b, "\3757zXZ", 6) != 0, SPECREG_E_FORMAT,
                  "%s: is compressed with xz, which is not read here (gzip and zstd are)", s->name);
        SRI_CHECK(ctx, n < 4 || memcmp(b, "BZh", 3) != 0 || b[3] < '1' || b[3] > '9',
                  SPECREG_E_FORMAT,
                  "%s: is compressed with bzip2, which is not read here (gzip and zstd are)",
                  s->name);
        return SPECREG_OK;
    }
    s->length = -1;
    s->has_places = false;
    sri_free(s->path);
    s->path = NULL;
    return SPECREG_OK;
}

static specreg_status new_stream(specreg_context *ctx, const char *name, sri_stream **out)
{
    specreg_status st = SPECREG_OK;
    sri_stream *s = NULL;
    SRI_CALLOC(ctx, s, 1, 1);
    s->fd = -1;
    s->length = -1;
    s->max_expansion = USUAL_EXPANSION;
    SRI_ALLOC(ctx, s->raw, RAW, 1);
    SRI_STRDUP(ctx, s->name, name);
    *out = s;
    return SPECREG_OK;
done:
    sri_stream_close(s);
    *out = NULL;
    return st;
}

static specreg_status open_file(specreg_context *ctx, sri_stream *s, const char *path)
{
    struct stat info;
    s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    s->owns_fd = s->fd >= 0;
    SRI_CHECK(ctx, s->fd >= 0 && fstat(s->fd, &info) == 0, SPECREG_E_IO, "%s: cannot read: %s",
              path, strerror(errno));
    SRI_CHECK(ctx, !S_ISDIR(info.st_mode), SPECREG_E_IO, "%s: is a directory", path);
    if (S_ISREG(info.st_mode) && info.st_size > 0) {
        s->length = info.st_size;
        s->has_places = true;
        SRI_NEW_TEXT(ctx, s->path, path);
    }
    return SPECREG_OK;
}

specreg_status sri_stream_open(specreg_context *ctx, const char *path, sri_stream **out)
{
    specreg_status st = SPECREG_OK;
    const bool is_stdin = strcmp(path, "-") == 0;
    *out = NULL;
    sri_stream *s = NULL;
    SRI_TRY(new_stream(ctx, is_stdin ? "stdin" : path, &s));
    if (is_stdin)
        s->fd = STDIN_FILENO;
    else
        SRI_TRY(open_file(ctx, s, path));
    SRI_TRY(start_codec(ctx, s));
    *out = s;
    s = NULL;
done:
    sri_stream_close(s);
    return st;
}

specreg_status sri_stream_open_copy(specreg_context *ctx, const char *path, int copy,
                                    sri_stream **out)
{
    specreg_status st = SPECREG_OK;
    struct stat info;
    sri_stream *s = NULL;
    *out = NULL;
    SRI_TRY(new_stream(ctx, strcmp(path, "-") == 0 ? "stdin" : path, &s));
    s->fd = copy;
    SRI_REQUIRE(ctx, lseek(copy, 0, SEEK_SET) == 0 && fstat(copy, &info) == 0, SPECREG_E_IO,
                "%s: cannot read: %s", s->name, strerror(errno));
    s->length = info.st_size;
    s->has_places = true;
    SRI_TRY(start_codec(ctx, s));
    SRI_MOVE(*out, s);
done:
    sri_stream_close(s);
    return st;
}

specreg_status sri_stream_from_memory(specreg_context *ctx, const char *name, const void *data,
                                      size_t size, sri_stream **out)
{
    specreg_status st = SPECREG_OK;
    *out = NULL;
    sri_stream *s = NULL;
    SRI_TRY(new_stream(ctx, name, &s));
    s->memory = data;
    s->memory_left = size;
    s->length = (int64_t)size;
    SRI_TRY(start_codec(ctx, s));
    *out = s;
    s = NULL;
done:
    sri_stream_close(s);
    return st;
}

specreg_status sri_stream_from_source(specreg_context *ctx, const char *name,
                                      sri_stream_source *source, void *payload, sri_stream **out)
{
    const specreg_status st = new_stream(ctx, name, out);
    if (st == SPECREG_OK) {
        (*out)->source = source;
        (*out)->payload = payload;
    }
    return st;
}

void sri_stream_close(sri_stream *s)
{
    if (!s)
        return;
    if (s->owns_fd)
        close(s->fd);
    if (s->how == GZIP)
        inflateEnd(&s->gzip);
    ZSTD_freeDStream(s->zstd);
    sri_free(s->head);
    sri_free(s->raw);
    sri_free(s->path);
    sri_free(s->name);
    sri_free(s);
}

/* ---------------------------------------------------------------------- decompression */

static specreg_status fail_truncated(specreg_context *ctx, const sri_stream *s, const char *how)
{
    return sri_fail(ctx, SPECREG_E_FORMAT, "%s: the %s data end too early: a truncated file",
                    s->name, how);
}

/* After a member: more members may follow; zero bytes are padding, as from tape blocks. */
static specreg_status next_gzip_member(specreg_context *ctx, sri_stream *s)
{
    s->inside = false;
    for (;;) {
        const specreg_status st = raw_fill(ctx, s, 1);
        if (st != SPECREG_OK)
            return st;
        while (s->raw_begin < s->raw_end && s->raw[s->raw_begin] == '\0')
            s->raw_begin++;
        if (s->raw_begin < s->raw_end)
            break;
        if (s->raw_eof)
            return SPECREG_OK;
    }
    inflateReset(&s->gzip);
    return SPECREG_OK;
}

static specreg_status gzip_read(specreg_context *ctx, sri_stream *s, void *buffer, size_t size,
                                size_t *got)
{
    const size_t part = size < (1u << 30) ? size : 1u << 30; /* zlib counts in unsigned int */
    s->gzip.next_out = buffer;
    s->gzip.avail_out = (uInt)part;
    while (s->gzip.avail_out == part) {
        specreg_status st = raw_fill(ctx, s, 1);
        if (st != SPECREG_OK)
            return st;
        if (s->raw_begin == s->raw_end) {
            if (s->inside)
                return fail_truncated(ctx, s, "gzip");
            break;
        }
        s->inside = true;
        s->gzip.next_in = (Bytef *)s->raw + s->raw_begin;
        s->gzip.avail_in = (uInt)(s->raw_end - s->raw_begin);
        const int code = inflate(&s->gzip, Z_NO_FLUSH);
        s->raw_begin = s->raw_end - s->gzip.avail_in;
        if (code == Z_STREAM_END)
            st = next_gzip_member(ctx, s);
        else if (code == Z_MEM_ERROR)
            st = sri_fail(ctx, SPECREG_E_NOMEM, "%s: out of memory", s->name);
        else if (code != Z_OK && code != Z_BUF_ERROR)
            st = sri_fail(ctx, SPECREG_E_FORMAT, "%s: the gzip data are corrupt", s->name);
        if (st != SPECREG_OK)
            return st;
    }
    *got = part - s->gzip.avail_out;
    return SPECREG_OK;
}

static specreg_status zstd_read(specreg_context *ctx, sri_stream *s, void *buffer, size_t size,
                                size_t *got)
{
    ZSTD_outBuffer out = {buffer, size, 0};
    while (out.pos == 0) {
        const specreg_status st = raw_fill(ctx, s, 1);
        if (st != SPECREG_OK)
            return st;
        /* With no input left the decoder may still hold output of the frame. */
        const bool ended = s->raw_begin == s->raw_end;
        ZSTD_inBuffer in = {s->raw, s->raw_end, s->raw_begin};
        if (ended && !s->inside)
            break;
        const size_t code = ZSTD_decompressStream(s->zstd, &out, &in);
        s->raw_begin = in.pos;
        if (ZSTD_isError(code))
            return sri_fail(ctx, SPECREG_E_FORMAT, "%s: the zstd data are corrupt: %s", s->name,
                            ZSTD_getErrorName(code));
        s->inside = code != 0;
        if (ended && out.pos == 0 && s->inside)
            return fail_truncated(ctx, s, "zstd");
    }
    *got = out.pos;
    return SPECREG_OK;
}

/* ------------------------------------------------------------------------------- reading */

/* A few bytes can be made to become gigabytes: no more comes out than was allowed. */
static specreg_status compressed_read(specreg_context *ctx, sri_stream *s, void *buffer,
                                      size_t size, size_t *got)
{
    char out[32], in[32];
    SRI_CALL((s->how == GZIP ? gzip_read : zstd_read)(ctx, s, buffer, size, got));
    sri_written(buffer, *got);
    s->content += (double)*got;
    SRI_CHECK(ctx, s->content <= SMALL_CONTENT || s->content <= s->max_expansion * s->compressed,
              SPECREG_E_FORMAT,
              "%s: %s of compressed data became %s, more than %g times as much (see "
              "--max-expansion)",
              s->name, sri_bytes_text(s->compressed, in), sri_bytes_text(s->content, out),
              s->max_expansion);
    return SPECREG_OK;
}

static specreg_status content_read(specreg_context *ctx, sri_stream *s, void *buffer, size_t size,
                                   size_t *got)
{
    if (s->how != PLAIN)
        return compressed_read(ctx, s, buffer, size, got);
    const size_t ready = s->raw_end - s->raw_begin;
    if (ready == 0) /* straight into the caller's buffer */
        return s->raw_eof ? (*got = 0, SPECREG_OK) : raw_read(ctx, s, buffer, size, got);
    *got = ready < size ? ready : size;
    memcpy(buffer, s->raw + s->raw_begin, *got);
    s->raw_begin += *got;
    return SPECREG_OK;
}

specreg_status sri_stream_peek(specreg_context *ctx, sri_stream *s, const char **head,
                               size_t *length)
{
    if (!s->peeked) {
        SRI_NEW(ctx, s->head, HEAD, 1);
        s->peeked = true;
        size_t got = 1;
        while (s->head_end < HEAD && got > 0) {
            SRI_CALL(content_read(ctx, s, s->head + s->head_end, HEAD - s->head_end, &got));
            s->head_end += got;
        }
    }
    *head = s->head + s->head_begin;
    *length = s->head_end - s->head_begin;
    return SPECREG_OK;
}

specreg_status sri_stream_read(specreg_context *ctx, sri_stream *s, void *buffer, size_t size,
                               size_t *got)
{
    const size_t peeked = s->head_end - s->head_begin;
    if (peeked == 0)
        return content_read(ctx, s, buffer, size, got);
    *got = peeked < size ? peeked : size;
    memcpy(buffer, s->head + s->head_begin, *got);
    s->head_begin += *got;
    return SPECREG_OK;
}

specreg_status sri_stream_fill(specreg_context *ctx, sri_stream *s, void *buffer, size_t size,
                               size_t *got)
{
    size_t part = 1;
    for (*got = 0; *got < size && part > 0; *got += part)
        SRI_CALL(sri_stream_read(ctx, s, (char *)buffer + *got, size - *got, &part));
    return SPECREG_OK;
}

specreg_status sri_stream_slurp(specreg_context *ctx, sri_stream *s, char **data, size_t *size)
{
    specreg_status st = SPECREG_OK;
    char *all = NULL;
    int64_t capacity = 0;
    size_t length = 0, got = 1;
    while (got > 0) {
        SRI_TRY(sri_grow(ctx, (void **)&all, &capacity, (int64_t)length + RAW, 1));
        SRI_TRY(sri_stream_read(ctx, s, all + length, (size_t)capacity - length, &got));
        length += got;
    }
    *data = all;
    *size = length;
    return SPECREG_OK;
done:
    sri_free(all);
    return st;
}

specreg_status sri_stream_text(specreg_context *ctx, sri_stream *s, int64_t most, char **text,
                               size_t *size)
{
    specreg_status st = SPECREG_OK;
    sri_buffer all = {0};
    char piece[1 << 14], limit[32];
    size_t got = 1;
    SRI_TRY(sri_buffer_add(ctx, &all, "", 0));
    while (got > 0) {
        SRI_TRY(sri_stream_read(ctx, s, piece, sizeof piece, &got));
        SRI_REQUIRE(ctx, !memchr(piece, 0, got), SPECREG_E_FORMAT, "%s: is not a text",
                    sri_stream_name(s));
        SRI_REQUIRE(ctx, all.length + (int64_t)got <= most, SPECREG_E_FORMAT,
                    "%s: is longer than %s, the most that such a file can have", sri_stream_name(s),
                    sri_bytes_text((double)most, limit));
        SRI_TRY(sri_buffer_add(ctx, &all, piece, got));
    }
    *size = (size_t)all.length;
    SRI_MOVE(*text, all.data);
done:
    sri_buffer_free(&all);
    return st;
}

void sri_stream_allow_expansion(sri_stream *s, double times)
{
    s->max_expansion = times;
}

const char *sri_stream_name(const sri_stream *s)
{
    return s->name;
}

int64_t sri_stream_length(const sri_stream *s)
{
    return s->length;
}

const char *sri_stream_path(const sri_stream *s)
{
    return s->path;
}

bool sri_stream_has_places(const sri_stream *s)
{
    return s->has_places;
}

specreg_status sri_stream_read_at(specreg_context *ctx, const sri_stream *s, int64_t place,
                                  void *buffer, size_t size, size_t *got)
{
    ssize_t part = 1;
    for (*got = 0; *got < size && part > 0; *got += (size_t)part) {
        do
            part = pread(s->fd, (char *)buffer + *got, size - *got, place + (off_t)*got);
        while (part < 0 && errno == EINTR);
        SRI_CHECK(ctx, part >= 0, SPECREG_E_IO, "%s: cannot read: %s", s->name, strerror(errno));
    }
    return SPECREG_OK;
}
