/* Failures on demand; see fault.h.  The linker's --wrap=NAME sends calls of NAME to __wrap_NAME
 * and gives us the original as __real_NAME; the list of names is in tests/CMakeLists.txt. */
#include "kit/fault.h"

#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum { NOTHING, ALLOCATION, WRITE, READ } armed;
static int64_t countdown, calls;
static bool fired;

/* Live blocks: a hash table of addresses with linear probing. */
enum { SLOTS = 1 << 18 };
static uintptr_t live[SLOTS];
static int64_t live_count;

static size_t home(uintptr_t block)
{
    return (size_t)((block >> 4) * 0x9e3779b97f4a7c15u >> 40) % SLOTS;
}

static void remember(const void *block)
{
    if (live_count >= SLOTS / 2)
        abort(); /* a test with this many blocks wants a smaller problem */
    size_t i = home((uintptr_t)block);
    while (live[i])
        i = (i + 1) % SLOTS;
    live[i] = (uintptr_t)block;
    live_count++;
}

/* True when the block was there.  Later entries of its run move up to close the gap. */
static bool forget(const void *block)
{
    size_t i = home((uintptr_t)block);
    while (live[i] && live[i] != (uintptr_t)block)
        i = (i + 1) % SLOTS;
    if (!block || !live[i])
        return false;
    live_count--;
    for (size_t j = (i + 1) % SLOTS; live[j]; j = (j + 1) % SLOTS) {
        const size_t distance = (j - home(live[j])) % SLOTS;
        if (distance >= (j - i) % SLOTS) {
            live[i] = live[j];
            i = j;
        }
    }
    live[i] = 0;
    return true;
}

static void arm(int kind, int64_t k)
{
    pthread_mutex_lock(&lock);
    armed = k < 0 ? NOTHING : kind;
    if (k >= 0) {
        countdown = k;
        calls = 0;
        fired = false;
        memset(live, 0, sizeof live);
        live_count = 0;
    }
    pthread_mutex_unlock(&lock);
}

void kit_fail_allocation(int64_t k)
{
    arm(ALLOCATION, k);
}

void kit_fail_write(int64_t k)
{
    arm(WRITE, k);
}

void kit_fail_read(int64_t k)
{
    arm(READ, k);
}

bool kit_disarm(void)
{
    arm(NOTHING, -1);
    return fired;
}

int64_t kit_live_allocations(void)
{
    return live_count;
}

int64_t kit_calls(void)
{
    return calls;
}

/* Whether this call is the one to fail. */
static bool fails(int kind, int error)
{
    bool now = false;
    pthread_mutex_lock(&lock);
    if ((int)armed == kind) {
        calls++;
        now = !fired && countdown-- == 0;
        fired |= now;
    }
    pthread_mutex_unlock(&lock);
    if (now)
        errno = error;
    return now;
}

/* ------------------------------------------------------------- allocations */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **out, size_t alignment, size_t size);
void __real_free(void *block);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size);
void __wrap_free(void *block);

static void *noted(void *block)
{
    pthread_mutex_lock(&lock);
    if (block && armed == ALLOCATION)
        remember(block);
    pthread_mutex_unlock(&lock);
    return block;
}

void *__wrap_malloc(size_t size)
{
    return fails(ALLOCATION, ENOMEM) ? NULL : noted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails(ALLOCATION, ENOMEM) ? NULL : noted(__real_calloc(count, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails(ALLOCATION, ENOMEM) ? NULL : noted(__real_aligned_alloc(alignment, size));
}

int __wrap_posix_memalign(void **out, size_t alignment, size_t size)
{
    if (fails(ALLOCATION, ENOMEM))
        return ENOMEM;
    const int error = __real_posix_memalign(out, alignment, size);
    if (!error)
        noted(*out);
    return error;
}

/* A block from before the arming stays uncounted when it grows. */
void *__wrap_realloc(void *old, size_t size)
{
    if (!old)
        return __wrap_malloc(size);
    if (fails(ALLOCATION, ENOMEM))
        return NULL;
    pthread_mutex_lock(&lock);
    const bool counted = forget(old);
    void *block = __real_realloc(old, size);
    if (counted)
        remember(block ? block : old);
    pthread_mutex_unlock(&lock);
    return block;
}

void __wrap_free(void *block)
{
    pthread_mutex_lock(&lock);
    forget(block);
    pthread_mutex_unlock(&lock);
    __real_free(block);
}

void kit_count_jansson(void)
{
    json_set_alloc_funcs(__wrap_malloc, __wrap_free);
}

/* ------------------------------------------------------- writing and reading */

int __real_mkstemp(char *name);
ssize_t __real_write(int fd, const void *data, size_t size);
size_t __real_fwrite(const void *data, size_t size, size_t count, FILE *f);
int __real_fflush(FILE *f);
int __real_fsync(int fd);
int __real_rename(const char *from, const char *to);
ssize_t __real_read(int fd, void *data, size_t size);
size_t __real_fread(void *data, size_t size, size_t count, FILE *f);

int __wrap_mkstemp(char *name);
ssize_t __wrap_write(int fd, const void *data, size_t size);
size_t __wrap_fwrite(const void *data, size_t size, size_t count, FILE *f);
int __wrap_fflush(FILE *f);
int __wrap_fsync(int fd);
int __wrap_rename(const char *from, const char *to);
ssize_t __wrap_read(int fd, void *data, size_t size);
size_t __wrap_fread(void *data, size_t size, size_t count, FILE *f);

int __wrap_mkstemp(char *name)
{
    return fails(WRITE, ENOSPC) ? -1 : __real_mkstemp(name);
}

ssize_t __wrap_write(int fd, const void *data, size_t size)
{
    return fails(WRITE, ENOSPC) ? -1 : __real_write(fd, data, size);
}

size_t __wrap_fwrite(const void *data, size_t size, size_t count, FILE *f)
{
    return fails(WRITE, ENOSPC) ? 0 : __real_fwrite(data, size, count, f);
}

int __wrap_fflush(FILE *f)
{
    return fails(WRITE, ENOSPC) ? EOF : __real_fflush(f);
}

int __wrap_fsync(int fd)
{
    return fails(WRITE, ENOSPC) ? -1 : __real_fsync(fd);
}

int __wrap_rename(const char *from, const char *to)
{
    return fails(WRITE, ENOSPC) ? -1 : __real_rename(from, to);
}

ssize_t __wrap_read(int fd, void *data, size_t size)
{
    return fails(READ, EIO) ? -1 : __real_read(fd, data, size);
}

size_t __wrap_fread(void *data, size_t size, size_t count, FILE *f)
{
    return fails(READ, EIO) ? 0 : __real_fread(data, size, count, f);
}
