#include "data/io/replacement.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "core/memory.h"

enum { HEX_DIGITS = 8, LONGEST_NAME = 200, STALE_SECONDS = 60 };

static specreg_status fail_write(specreg_context *ctx, const char *name, int error)
{
    return sri_fail(ctx, SPECREG_E_IO, "%s: cannot write: %s", name, strerror(error));
}

/* "folder/" of a path; "" where it has none. */
static void folder_of(const char *path, char *folder, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(folder, size, "%.*s", slash ? (int)(slash - path) + 1 : 0, path);
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

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
        char *next;
        SRI_ALLOC(ctx, next, (int64_t)folder + n + 1, 1);
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

/* The mode that a new file gets: what the umask leaves.  Linux tells it without changing it. */
static mode_t usual_mode(void)
{
    unsigned mask = 022;
    FILE *f = fopen("/proc/self/status", "re");
    char line[128];
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Umask: %o", &mask) == 1)
            break;
    if (f)
        fclose(f);
    return 0666 & ~(mode_t)mask;
}

/* Whether a name is one of ours for this target: .NAME.XXXXXXXX */
static bool is_temp_of(const char *name, const char *base)
{
    const size_t length = strnlen(base, LONGEST_NAME);
    return name[0] == '.' && strncmp(name + 1, base, length) == 0 && name[1 + length] == '.' &&
           strspn(name + 2 + length, "0123456789abcdef") == HEX_DIGITS &&
           strlen(name) == 2 + length + HEX_DIGITS;
}

/* A file that nobody has locked and that is not just being made was left by a killed program. */
static bool is_stale(int folder, const char *name)
{
    struct stat info;
    const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const bool stale = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
                       info.st_uid == geteuid() && time(NULL) - info.st_mtime > STALE_SECONDS &&
                       flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (fd >= 0)
        close(fd);
    return stale;
}

static void remove_stale(const char *target)
{
    char folder[PATH_MAX];
    folder_of(target, folder, sizeof folder);
    DIR *list = opendir(*folder ? folder : ".");
    for (const struct dirent *entry; list && (entry = readdir(list));)
        if (is_temp_of(entry->d_name, base_of(target)) && is_stale(dirfd(list), entry->d_name))
            (void)!unlinkat(dirfd(list), entry->d_name, 0);
    if (list)
        closedir(list);
}

/* Gives the new file a name beside the target: opens one that does not exist yet or, for a file
 * without a name, links it there. */
static specreg_status give_name(specreg_context *ctx, sri_replacement *r, const char *path)
{
    enum { TRIES = 100 };
    specreg_status st = SPECREG_OK;
    const char *base = base_of(r->target);
    const size_t size = strlen(r->target) + HEX_DIGITS + 3;
    char from[64];
    bool named = false;
    SRI_ALLOC(ctx, r->temp, (int64_t)size, 1);
    snprintf(from, sizeof from, "/proc/self/fd/%d", r->fd);
    for (int i = 0; i < TRIES && !named; i++) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        const uint64_t salt =
            ((uint64_t)getpid() << 32 ^ (uint64_t)now.tv_nsec ^ (uintptr_t)r) + (uint64_t)i;
        snprintf(r->temp, size, "%.*s.%.*s.%08x", (int)(base - r->target), r->target, LONGEST_NAME,
                 base, (unsigned)(salt * UINT64_C(0x9e3779b97f4a7c15) >> 32));
        if (r->fd < 0)
            named = (r->fd = open(r->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) >= 0;
        else
            named = linkat(AT_FDCWD, from, AT_FDCWD, r->temp, AT_SYMLINK_FOLLOW) == 0;
        if (!named && errno != EEXIST)
            break;
    }
    if (named)
        return SPECREG_OK;
    st = fail_write(ctx, path, errno);
    sri_free(r->temp);
    r->temp = NULL;
done:
    return st;
}

/* Whether a file without a name can get one later: /proc must be there. */
static int open_nameless(const char *target)
{
#ifdef O_TMPFILE
    char folder[PATH_MAX];
    folder_of(target, folder, sizeof folder);
    if (access("/proc/self/fd", X_OK) == 0)
        return open(*folder ? folder : ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
#endif
    return -1;
}

specreg_status sri_replacement_open(specreg_context *ctx, const char *path, const struct stat *old,
                                    sri_replacement *out)
{
    *out = (sri_replacement){.fd = -1, .mode = old ? old->st_mode & 07777 : usual_mode()};
    SRI_CALL(follow_links(ctx, path, &out->target));
    SRI_CHECK(ctx, *base_of(out->target), SPECREG_E_IO, "%s: is a directory", path);
    if (old && access(path, W_OK) != 0)
        return fail_write(ctx, path, errno);
    remove_stale(out->target);
    out->fd = open_nameless(out->target);
    if (out->fd < 0)
        SRI_CALL(give_name(ctx, out, path));
    (void)!flock(out->fd, LOCK_EX | LOCK_NB);
    if (old && fchown(out->fd, old->st_uid, old->st_gid) != 0)
        (void)!fchown(out->fd, (uid_t)-1, old->st_gid);
    return SPECREG_OK;
}

void sri_sync_folder(const char *path)
{
    char folder[PATH_MAX];
    folder_of(path, folder, sizeof folder);
    const int fd = open(*folder ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)!fsync(fd);
        close(fd);
    }
}

specreg_status sri_replacement_commit(specreg_context *ctx, sri_replacement *r, const char *path)
{
    (void)!fchmod(r->fd, r->mode);
    if (fsync(r->fd) != 0 && errno != EINVAL && errno != ENOTSUP)
        return fail_write(ctx, path, errno);
    if (!r->temp)
        SRI_CALL(give_name(ctx, r, path));
    const int failed = close(r->fd);
    r->fd = -1;
    if (failed || rename(r->temp, r->target) != 0)
        return fail_write(ctx, path, errno);
    sri_free(r->temp); /* nothing is left to remove */
    r->temp = NULL;
    sri_sync_folder(r->target);
    return SPECREG_OK;
}

void sri_replacement_free(sri_replacement *r)
{
    if (r->fd >= 0)
        close(r->fd);
    if (r->temp)
        unlink(r->temp);
    sri_free(r->temp);
    sri_free(r->target);
    *r = (sri_replacement){.fd = -1};
}
