#include "data/io/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"

enum { PIECE = 1 << 18 };

static const char *folder(void)
{
    const char *given = getenv("TMPDIR");
    return given && *given ? given : "/tmp";
}

/* A file without a name; -1 with errno. */
static int new_file(void)
{
    char path[4096];
    int fd = open(folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    if (snprintf(path, sizeof path, "%s/specreg.XXXXXX", folder()) >= (int)sizeof path)
        return errno = ENAMETOOLONG, -1;
    fd = mkstemp(path);
    if (fd >= 0)
        unlink(path);
    return fd;
}

static specreg_status fail_copy(specreg_context *ctx, const char *name)
{
    return sri_fail(ctx, SPECREG_E_IO,
                    "%s: cannot keep a copy in %s, which is needed to read it twice: %s (TMPDIR "
                    "names another folder)",
                    name, folder(), strerror(errno));
}

static specreg_status write_all(specreg_context *ctx, const char *name, int to, const char *data,
                                ssize_t size)
{
    for (ssize_t done = 0; done < size;) {
        const ssize_t part = write(to, data + done, (size_t)(size - done));
        if (part < 0 && errno != EINTR)
            return fail_copy(ctx, name);
        done += part > 0 ? part : 0;
    }
    return SPECREG_OK;
}

static specreg_status copy_all(specreg_context *ctx, const char *name, int from, int to)
{
    specreg_status st = SPECREG_OK;
    char *buffer = NULL;
    ssize_t got = 1;
    SRI_ALLOC(ctx, buffer, PIECE, 1);
    while (got != 0) {
        got = read(from, buffer, PIECE);
        SRI_REQUIRE(ctx, got >= 0 || errno == EINTR, SPECREG_E_IO, "%s: cannot read: %s", name,
                    strerror(errno));
        SRI_TRY(sri_poll(ctx));
        SRI_TRY(write_all(ctx, name, to, buffer, got));
    }
done:
    sri_free(buffer);
    return st;
}

static bool is_its_own_copy(int fd)
{
    struct stat info;
    return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && lseek(fd, 0, SEEK_CUR) == 0;
}

specreg_status sri_spool(specreg_context *ctx, const char *path, int *out)
{
    specreg_status st = SPECREG_OK;
    const bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "stdin" : path;
    int copy = -1;
    const int from = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    *out = -1;
    SRI_REQUIRE(ctx, from >= 0, SPECREG_E_IO, "%s: cannot read: %s", path, strerror(errno));
    if (is_its_own_copy(from)) {
        *out = from;
        return SPECREG_OK;
    }
    copy = new_file();
    if (copy < 0) {
        st = fail_copy(ctx, name);
        goto done;
    }
    SRI_TRY(copy_all(ctx, name, from, copy));
    *out = copy;
    copy = -1;
done:
    if (copy >= 0)
        close(copy);
    if (from > STDIN_FILENO)
        close(from);
    return st;
}
