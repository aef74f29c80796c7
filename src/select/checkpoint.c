#include "select/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "data/io/replacement.h"

/* Lines are added at the end of the file, synced one by one.  Whatever ends the process, only the
 * last line can be torn, and the next one to open the file cuts it off. */
struct sri_checkpoint {
    char *path;
    int fd;
    bool created; /* the file was not there before */
    int64_t end;  /* bytes that are good           */
    sri_memo memo;
};

static specreg_status fail_write(specreg_context *ctx, const sri_checkpoint *c, int error)
{
    return sri_fail(ctx, SPECREG_E_IO, "%s: cannot write: %s", c->path, strerror(error));
}

static specreg_status open_file(specreg_context *ctx, sri_checkpoint *c)
{
    static const char irregular[] = "%s: a checkpoint must be a regular file";
    struct stat info;
    if (strcmp(c->path, "-") == 0)
        return sri_fail(ctx, SPECREG_E_IO, irregular, c->path);
    c->fd = open(c->path, O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (c->fd < 0 && errno == ENOENT) {
        c->fd = open(c->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        c->created = c->fd >= 0;
    }
    if (c->fd < 0 && errno == EISDIR)
        return sri_fail(ctx, SPECREG_E_IO, "%s: is a directory", c->path);
    if (c->fd < 0 || fstat(c->fd, &info) != 0)
        return fail_write(ctx, c, errno);
    return S_ISREG(info.st_mode) ? SPECREG_OK : sri_fail(ctx, SPECREG_E_IO, irregular, c->path);
}

/* The lock goes with the process, however it ends.  Not every file system has locks: no error. */
static specreg_status lock_file(specreg_context *ctx, sri_checkpoint *c)
{
    if (flock(c->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return SPECREG_OK;
    c->created = false; /* whoever has the lock uses the file */
    return sri_fail(ctx, SPECREG_E_IO,
                    "%s: is in use by another process: wait for its end or name another file",
                    c->path);
}

/* Reads on until the buffer has `size` bytes or the file ends. */
static specreg_status read_to(specreg_context *ctx, const sri_checkpoint *c, int64_t size,
                              sri_buffer *b)
{
    enum { PIECE = 1 << 16 };
    while (b->length < size) {
        const int64_t left = size - b->length, piece = left < PIECE ? left : PIECE;
        SRI_CALL(sri_grow(ctx, (void **)&b->data, &b->capacity, b->length + piece, 1));
        const ssize_t n = read(c->fd, b->data + b->length, (size_t)piece);
        if (n < 0 && errno == EINTR)
            continue;
        SRI_CHECK(ctx, n >= 0, SPECREG_E_IO, "%s: cannot read: %s", c->path, strerror(errno));
        if (n == 0)
            break;
        b->length += n;
    }
    return SPECREG_OK;
}

static int write_all(int fd, const char *data, int64_t size)
{
    while (size > 0) {
        const ssize_t n = write(fd, data, (size_t)size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        data += n;
        size -= n;
    }
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

/* Writes the line at the end.  Part of one would spoil those after it: it is taken back. */
static specreg_status append(specreg_context *ctx, sri_checkpoint *c)
{
    int error = lseek(c->fd, c->end, SEEK_SET) < 0 ? errno : 0;
    if (!error)
        error = write_all(c->fd, c->memo.line.data, c->memo.line.length);
    if (error) {
        (void)!ftruncate(c->fd, c->end);
        return fail_write(ctx, c, error);
    }
    c->end += c->memo.line.length;
    return SPECREG_OK;
}

/* The first line is looked at before the rest is read: a file named by mistake may be large. */
static specreg_status load(specreg_context *ctx, sri_checkpoint *c, const uint64_t fingerprint[2])
{
    specreg_status st = SPECREG_OK;
    sri_buffer text = {0};
    int64_t good;
    bool torn;
    SRI_TRY(read_to(ctx, c, SRI_MEMO_HEADER, &text));
    c->created = c->created && text.length == 0; /* or another was here before the lock */
    const sri_memo_text head = {c->path, text.data, text.length};
    SRI_TRY(sri_memo_header(ctx, &c->memo, fingerprint, &head, &torn));
    if (torn) { /* a new file, or one that was torn before its first line was whole */
        SRI_TRY(append(ctx, c));
        sri_sync_folder(c->path);
        goto done;
    }
    SRI_TRY(read_to(ctx, c, INT64_MAX, &text));
    const sri_memo_text lines = {c->path, text.data + SRI_MEMO_HEADER,
                                 text.length - SRI_MEMO_HEADER};
    SRI_TRY(sri_memo_read(ctx, &c->memo, &lines, &good));
    c->end = SRI_MEMO_HEADER + good;
    if (c->end < text.length && ftruncate(c->fd, c->end) != 0)
        st = fail_write(ctx, c, errno);
done:
    sri_buffer_free(&text);
    return st;
}

specreg_status sri_checkpoint_open(specreg_context *ctx, const char *path,
                                   const uint64_t fingerprint[2], sri_checkpoint **out)
{
    specreg_status st = SPECREG_OK;
    sri_checkpoint *c = NULL;
    *out = NULL;
    SRI_CALLOC(ctx, c, 1, 1);
    c->fd = -1;
    SRI_STRDUP(ctx, c->path, path);
    SRI_TRY(open_file(ctx, c));
    SRI_TRY(lock_file(ctx, c));
    SRI_TRY(load(ctx, c, fingerprint));
    *out = c;
    return SPECREG_OK;
done:
    if (c && c->created)
        unlink(path);
    sri_checkpoint_free(c);
    return st;
}

specreg_status sri_checkpoint_add(specreg_context *ctx, sri_checkpoint *c, const char *key,
                                  int64_t count, const sri_finished *finished,
                                  const sri_score *score)
{
    specreg_status st = SPECREG_OK;
    const sri_memo before = c->memo;
    SRI_TRY(sri_memo_add(ctx, &c->memo, key, count, finished, score));
    SRI_TRY(append(ctx, c));
    return SPECREG_OK;
done:
    c->memo.entries = before.entries;
    c->memo.words = before.words;
    c->memo.check = before.check;
    return st;
}

bool sri_checkpoint_find(const sri_checkpoint *c, const char *key, int64_t count,
                         sri_finished *finished, sri_score *score)
{
    return sri_memo_find(&c->memo, key, count, finished, score);
}

void sri_checkpoint_free(sri_checkpoint *c)
{
    if (!c)
        return;
    if (c->fd >= 0)
        close(c->fd);
    sri_memo_free(&c->memo);
    sri_free(c->path);
    sri_free(c);
}
