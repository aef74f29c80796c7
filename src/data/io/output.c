#include "data/io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "core/memory.h"
#include "data/io/replacement.h"
#include "data/io/zstandard.h"

enum { BUFFER = 1 << 17 };

struct sri_output {
    char *name;           /* for messages: the path as it was given, or "stdout"       */
    char *path;           /* as it was given                                           */
    sri_replacement file; /* what is written; without a target: in place       */
    char *buffer;         /* waits to be written to fd */
    size_t used;
    bool gzip_on;
    z_stream gzip;
    ZSTD_CStream *zstd;
};

static specreg_status fail_write(specreg_context *ctx, const char *name, int error)
{
    return sri_fail(ctx, SPECREG_E_IO, "%s: cannot write: %s", name, strerror(error));
}

static bool is_stdout(const sri_output *o)
{
    return o->path && strcmp(o->path, "-") == 0;
}

/* --------------------------------------------------------------------------- opening */

/* Names under /dev and /proc stand for open files (/dev/stdout, /dev/fd/3), also when those are
 * regular: they are written in place, as everything that is not a regular file. */
static bool stands_for_a_device(const char *path)
{
    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

specreg_status sri_output_open(specreg_context *ctx, const char *path, sri_output **out)
{
    specreg_status st = SPECREG_OK;
    sri_output *o = NULL;
    struct stat info;
    *out = NULL;
    SRI_CALLOC(ctx, o, 1, 1);
    o->file.fd = -1;
    SRI_STRDUP(ctx, o->path, path);
    SRI_STRDUP(ctx, o->name, strcmp(path, "-") == 0 ? "stdout" : path);
    SRI_ALLOC(ctx, o->buffer, BUFFER, 1);
    if (strcmp(path, "-") == 0) {
        o->file.fd = STDOUT_FILENO;
    } else {
        const bool exists = stat(path, &info) == 0;
        SRI_REQUIRE(ctx, !exists || !S_ISDIR(info.st_mode), SPECREG_E_IO, "%s: is a directory",
                    path);
        if (exists && (!S_ISREG(info.st_mode) || stands_for_a_device(path))) {
            o->file.fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
            if (o->file.fd < 0)
                st = fail_write(ctx, o->name, errno);
        } else {
            st = sri_replacement_open(ctx, path, exists ? &info : NULL, &o->file);
        }
    }
    if (st == SPECREG_OK) {
        *out = o;
        return SPECREG_OK;
    }
done:
    sri_output_abandon(o);
    return st;
}

/* --------------------------------------------------------------------------- writing */

static specreg_status write_all(specreg_context *ctx, sri_output *o, const char *data, size_t size)
{
    while (size > 0) {
        const ssize_t n = write(o->file.fd, data, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_write(ctx, o->name, errno);
        data += n;
        size -= (size_t)n;
    }
    return SPECREG_OK;
}

static specreg_status flush(specreg_context *ctx, sri_output *o)
{
    const size_t used = o->used;
    o->used = 0;
    return write_all(ctx, o, o->buffer, used);
}

static specreg_status put_plain(specreg_context *ctx, sri_output *o, const char *data, size_t size)
{
    if (o->used + size > BUFFER)
        SRI_CALL(flush(ctx, o));
    if (size >= BUFFER)
        return write_all(ctx, o, data, size);
    if (size > 0)
        memcpy(o->buffer + o->used, data, size);
    o->used += size;
    return SPECREG_OK;
}

/* Compresses straight into the buffer; `finish` ends the stream. */
static specreg_status put_gzip(specreg_context *ctx, sri_output *o, const char *data, size_t size,
                               bool finish)
{
    int code = Z_OK;
    do {
        const size_t part = size < (1u << 30) ? size : 1u << 30; /* zlib counts in unsigned int */
        o->gzip.next_in = (Bytef *)(uintptr_t)data;
        o->gzip.avail_in = (uInt)part;
        o->gzip.next_out = (Bytef *)o->buffer + o->used;
        o->gzip.avail_out = (uInt)(BUFFER - o->used);
        code = deflate(&o->gzip, finish ? Z_FINISH : Z_NO_FLUSH);
        data += part - o->gzip.avail_in;
        size -= part - o->gzip.avail_in;
        o->used = BUFFER - o->gzip.avail_out;
        if (o->used == BUFFER)
            SRI_CALL(flush(ctx, o));
    } while (size > 0 || (finish && code != Z_STREAM_END));
    return SPECREG_OK;
}

static specreg_status put_zstd(specreg_context *ctx, sri_output *o, const char *data, size_t size,
                               bool finish)
{
    ZSTD_inBuffer in = {data, size, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {o->buffer, BUFFER, o->used};
        left = ZSTD_compressStream2(o->zstd, &out, &in, finish ? ZSTD_e_end : ZSTD_e_continue);
        o->used = out.pos;
        SRI_CHECK(ctx, !ZSTD_isError(left), SPECREG_E_NOMEM, "%s: cannot compress: %s", o->name,
                  ZSTD_getErrorName(left));
        if (o->used == BUFFER)
            SRI_CALL(flush(ctx, o));
    } while (in.pos < in.size || (finish && left > 0));
    return SPECREG_OK;
}

specreg_status sri_output_write(specreg_context *ctx, sri_output *o, const void *data, size_t size)
{
    if (size == 0)
        return SPECREG_OK;
    if (o->gzip_on)
        return put_gzip(ctx, o, data, size, false);
    if (o->zstd)
        return put_zstd(ctx, o, data, size, false);
    return put_plain(ctx, o, data, size);
}

static bool ends_with(const char *text, const char *ending)
{
    const size_t n = strlen(text), m = strlen(ending);
    return n > m && strcasecmp(text + n - m, ending) == 0;
}

specreg_status sri_output_compress(specreg_context *ctx, sri_output *o)
{
    if (ends_with(o->path, ".gz")) {
        SRI_CHECK(ctx,
                  deflateInit2(&o->gzip, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK,
                  SPECREG_E_NOMEM, "%s: out of memory", o->name);
        o->gzip_on = true;
    } else if (ends_with(o->path, ".zst")) {
        SRI_REQUIRE_ZSTD(ctx, o->name);
        o->zstd = ZSTD_createCStream();
        SRI_CHECK(ctx, o->zstd, SPECREG_E_NOMEM, "%s: out of memory", o->name);
    }
    return SPECREG_OK;
}

/* --------------------------------------------------------------------------- ending */

static specreg_status close_in_place(specreg_context *ctx, sri_output *o)
{
    const int failed = close(o->file.fd);
    o->file.fd = -1;
    return failed ? fail_write(ctx, o->name, errno) : SPECREG_OK;
}

specreg_status sri_output_commit(specreg_context *ctx, sri_output *o)
{
    specreg_status st = SPECREG_OK;
    if (o->gzip_on)
        SRI_TRY(put_gzip(ctx, o, "", 0, true));
    if (o->zstd)
        SRI_TRY(put_zstd(ctx, o, "", 0, true));
    SRI_TRY(flush(ctx, o));
    if (o->file.target)
        SRI_TRY(sri_replacement_commit(ctx, &o->file, o->name));
    else if (!is_stdout(o))
        SRI_TRY(close_in_place(ctx, o));
done:
    sri_output_abandon(o);
    return st;
}

void sri_output_abandon(sri_output *o)
{
    if (!o)
        return;
    if (is_stdout(o))
        o->file.fd = -1;
    sri_replacement_free(&o->file);
    if (o->gzip_on)
        deflateEnd(&o->gzip);
    ZSTD_freeCStream(o->zstd);
    sri_free(o->buffer);
    sri_free(o->path);
    sri_free(o->name);
    sri_free(o);
}

bool sri_output_is_file(const sri_output *o)
{
    return o->file.target != NULL;
}

bool sri_output_is_plain(const sri_output *o)
{
    return o->file.target && !o->gzip_on && !o->zstd;
}

specreg_status sri_output_rewrite(specreg_context *ctx, sri_output *o, const void *data,
                                  size_t size)
{
    size_t done = 0;
    SRI_CALL(flush(ctx, o));
    while (done < size) {
        const ssize_t got = pwrite(o->file.fd, (const char *)data + done, size - done, (off_t)done);
        if (got < 0 && errno != EINTR)
            return fail_write(ctx, o->name, errno);
        done += got > 0 ? (size_t)got : 0;
    }
    return SPECREG_OK;
}

const char *sri_output_name(const sri_output *o)
{
    return o->name;
}

specreg_status specreg_text_write(specreg_context *ctx, const char *text, const char *path)
{
    SRI_ARGS(ctx, text, path);
    specreg_status st = SPECREG_OK;
    sri_output *o = NULL;
    SRI_TRY(sri_output_open(ctx, path, &o));
    SRI_TRY(sri_output_write(ctx, o, text, strlen(text)));
    st = sri_output_commit(ctx, o);
    o = NULL;
done:
    sri_output_abandon(o);
    return st;
}
