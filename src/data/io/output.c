#include "data/io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "core/memory.h"

enum { BUFFER = 1 << 17 };

struct sri_output {
    char *name;   /* for messages: the path as it was given, or "stdout"       */
    char *path;   /* as it was given                                           */
    char *target; /* what is replaced at the end; NULL when written in place   */
    char *temp;   /* what is written until then                                */
    int fd;       /* -1: none */
    char *buffer; /* waits to be written to fd */
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

/* The file behind a chain of symbolic links, whether or not it exists: the file is replaced, the
 * link stays. */
static specreg_status follow_links(specreg_context *ctx, const char *path, char **out)
{
    specreg_status st = SPECREG_OK;
    char *at = NULL;
    SRI_STRDUP(ctx, at, path);
    for (int hops = 0; hops < 40; hops++) {
        char link[PATH_MAX];
        const ssize_t n = readlink(at, link, sizeof link);
        if (n < 0 || n == sizeof link)
            break;
        const char *slash = strrchr(at, '/');
        const size_t folder = link[0] == '/' || !slash ? 0 : (size_t)(slash - at) + 1;
        char *next = sri_alloc(ctx, (int64_t)folder + n + 1, 1, 1);
        if (!next) {
            st = SPECREG_E_NOMEM;
            goto done;
        }
        memcpy(next, at, folder);
        memcpy(next + folder, link, (size_t)n);
        next[folder + (size_t)n] = '\0';
        sri_free(at);
        at = next;
    }
    *out = at;
    return SPECREG_OK;
done:
    sri_free(at);
    return st;
}

/* A new file beside the target.  open() and not mkstemp(), so that the umask gives the mode. */
static specreg_status open_temp(specreg_context *ctx, sri_output *o)
{
    enum { TRIES = 100, LONGEST = 200 };
    specreg_status st = SPECREG_OK;
    const char *slash = strrchr(o->target, '/');
    const char *base = slash ? slash + 1 : o->target;
    const int folder = (int)(base - o->target);
    SRI_REQUIRE(ctx, *base, SPECREG_E_IO, "%s: is a directory", o->name);
    const size_t size = strlen(o->target) + 32;
    SRI_ALLOC(ctx, o->temp, (int64_t)size, 1);
    for (int i = 0; i < TRIES; i++) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        const uint64_t salt =
            ((uint64_t)getpid() << 32 ^ (uint64_t)now.tv_nsec ^ (uintptr_t)o) + (uint64_t)i;
        snprintf(o->temp, size, "%.*s.%.*s.%08x", folder, o->target, LONGEST, base,
                 (unsigned)(salt * UINT64_C(0x9e3779b97f4a7c15) >> 32));
        o->fd = open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (o->fd >= 0)
            return SPECREG_OK;
        if (errno != EEXIST)
            break;
    }
    st = fail_write(ctx, o->name, errno);
    sri_free(o->temp);
    o->temp = NULL;
done:
    return st;
}

/* An existing regular file keeps its mode, and must be writable: renaming over it would not ask. */
static specreg_status open_beside(specreg_context *ctx, sri_output *o, const struct stat *old)
{
    specreg_status st = SPECREG_OK;
    SRI_TRY(follow_links(ctx, o->path, &o->target));
    if (old && access(o->path, W_OK) != 0)
        return fail_write(ctx, o->name, errno);
    SRI_TRY(open_temp(ctx, o));
    if (old)
        (void)!fchmod(o->fd, old->st_mode & 07777);
done:
    return st;
}

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
    o->fd = -1;
    SRI_STRDUP(ctx, o->path, path);
    SRI_STRDUP(ctx, o->name, strcmp(path, "-") == 0 ? "stdout" : path);
    SRI_ALLOC(ctx, o->buffer, BUFFER, 1);
    if (strcmp(path, "-") == 0) {
        o->fd = STDOUT_FILENO;
    } else {
        const bool exists = stat(path, &info) == 0;
        SRI_REQUIRE(ctx, !exists || !S_ISDIR(info.st_mode), SPECREG_E_IO, "%s: is a directory",
                    path);
        if (exists && (!S_ISREG(info.st_mode) || stands_for_a_device(path))) {
            o->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
            if (o->fd < 0)
                st = fail_write(ctx, o->name, errno);
        } else {
            st = open_beside(ctx, o, exists ? &info : NULL);
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
        const ssize_t n = write(o->fd, data, size);
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
    specreg_status st = SPECREG_OK;
    if (o->used + size > BUFFER)
        SRI_TRY(flush(ctx, o));
    if (size >= BUFFER)
        return write_all(ctx, o, data, size);
    if (size > 0)
        memcpy(o->buffer + o->used, data, size);
    o->used += size;
done:
    return st;
}

/* Compresses straight into the buffer; `finish` ends the stream. */
static specreg_status put_gzip(specreg_context *ctx, sri_output *o, const char *data, size_t size,
                               bool finish)
{
    specreg_status st = SPECREG_OK;
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
            SRI_TRY(flush(ctx, o));
    } while (size > 0 || (finish && code != Z_STREAM_END));
done:
    return st;
}

static specreg_status put_zstd(specreg_context *ctx, sri_output *o, const char *data, size_t size,
                               bool finish)
{
    specreg_status st = SPECREG_OK;
    ZSTD_inBuffer in = {data, size, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {o->buffer, BUFFER, o->used};
        left = ZSTD_compressStream2(o->zstd, &out, &in, finish ? ZSTD_e_end : ZSTD_e_continue);
        o->used = out.pos;
        SRI_REQUIRE(ctx, !ZSTD_isError(left), SPECREG_E_NOMEM, "%s: cannot compress: %s", o->name,
                    ZSTD_getErrorName(left));
        if (o->used == BUFFER)
            SRI_TRY(flush(ctx, o));
    } while (in.pos < in.size || (finish && left > 0));
done:
    return st;
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
    specreg_status st = SPECREG_OK;
    if (ends_with(o->path, ".gz")) {
        SRI_REQUIRE(ctx,
                    deflateInit2(&o->gzip, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK,
                    SPECREG_E_NOMEM, "%s: out of memory", o->name);
        o->gzip_on = true;
    } else if (ends_with(o->path, ".zst")) {
        o->zstd = ZSTD_createCStream();
        SRI_REQUIRE(ctx, o->zstd, SPECREG_E_NOMEM, "%s: out of memory", o->name);
    }
done:
    return st;
}

/* --------------------------------------------------------------------------- ending */

void sri_sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX] = ".";
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)!fsync(fd);
        close(fd);
    }
}

specreg_status sri_output_commit(specreg_context *ctx, sri_output *o)
{
    specreg_status st = SPECREG_OK;
    if (o->gzip_on)
        SRI_TRY(put_gzip(ctx, o, "", 0, true));
    if (o->zstd)
        SRI_TRY(put_zstd(ctx, o, "", 0, true));
    SRI_TRY(flush(ctx, o));
    if (o->temp && fsync(o->fd) != 0 && errno != EINVAL && errno != ENOTSUP) {
        st = fail_write(ctx, o->name, errno);
        goto done;
    }
    if (!is_stdout(o)) {
        const int failed = close(o->fd);
        o->fd = -1;
        if (failed) {
            st = fail_write(ctx, o->name, errno);
            goto done;
        }
    }
    if (o->temp) {
        if (rename(o->temp, o->target) != 0) {
            st = fail_write(ctx, o->name, errno);
            goto done;
        }
        sri_free(o->temp); /* nothing left to remove */
        o->temp = NULL;
        sri_sync_folder(o->target);
    }
done:
    sri_output_abandon(o);
    return st;
}

void sri_output_abandon(sri_output *o)
{
    if (!o)
        return;
    if (o->fd >= 0 && !is_stdout(o))
        close(o->fd);
    if (o->temp)
        unlink(o->temp);
    if (o->gzip_on)
        deflateEnd(&o->gzip);
    ZSTD_freeCStream(o->zstd);
    sri_free(o->buffer);
    sri_free(o->temp);
    sri_free(o->target);
    sri_free(o->path);
    sri_free(o->name);
    sri_free(o);
}

const char *sri_output_name(const sri_output *o)
{
    return o->name;
}

specreg_status specreg_text_write(specreg_context *ctx, const char *text, const char *path)
{
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
