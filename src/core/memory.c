#include "core/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ALIGN = 64 };

char *sri_bytes_text(double bytes, char *buffer)
{
    static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int u = 0;
    while (bytes >= 1024 && u < 6) {
        bytes /= 1024;
        u++;
    }
    snprintf(buffer, 32, u ? "%.1f %s" : "%.0f %s", bytes, unit[u]);
    return buffer;
}

/* The size in bytes, at least 1; 0 when it does not fit.  It is not rounded up, so that a memory
 * checker sees where a block ends. */
static size_t checked_size(int64_t rows, int64_t cols, size_t size)
{
    size_t count, bytes;
    if (rows < 0 || cols < 0 || __builtin_mul_overflow((size_t)rows, (size_t)cols, &count) ||
        __builtin_mul_overflow(count, size, &bytes) || bytes > (size_t)PTRDIFF_MAX - ALIGN)
        return 0;
    return bytes ? bytes : 1;
}

/* What stands before every block: what it counts for and how to give it back. */
typedef struct header {
    void (*release)(void *payload, void *start); /* NULL: free() */
    void *payload;
    void *start;
    size_t bytes;
} header;

/* Bytes that this thread has taken and not given back, less those it gave back for others. */
static _Thread_local int64_t in_use;

/* Whether `more` bytes would exceed what the context may take now. */
static bool is_too_much(const specreg_context *ctx, size_t more)
{
    return ctx && ctx->memory_limit > 0 &&
           (int64_t)more > ctx->memory_limit - (in_use - ctx->memory_start);
}

sri_memory_scope sri_memory_begin(specreg_context *ctx, int64_t limit)
{
    const sri_memory_scope outer = {ctx->memory_limit, ctx->memory_start};
    ctx->memory_limit = limit;
    ctx->memory_start = in_use;
    return outer;
}

void sri_memory_end(specreg_context *ctx, sri_memory_scope outer)
{
    ctx->memory_limit = outer.limit;
    ctx->memory_start = outer.start;
}

int64_t sri_memory_left(const specreg_context *ctx)
{
    return ctx->memory_limit > 0 ? ctx->memory_limit - (in_use - ctx->memory_start)
                                 : sri_memory_available();
}

static header *header_of(void *block)
{
    return (header *)block - 1;
}

/* A block of `bytes` at a multiple of `align` (a power of two, at least that of a pointer), from
 * the context's allocator, which counts for `counted` of them; NULL where there is none. */
static void *take_counted(const specreg_context *ctx, size_t align, size_t bytes, size_t counted)
{
    const specreg_allocator *from = ctx && ctx->allocator.allocate ? &ctx->allocator : NULL;
    const size_t extra = sizeof(header) + align;
    if (bytes == 0 || bytes > (size_t)PTRDIFF_MAX - extra || is_too_much(ctx, counted))
        return NULL;
    char *start = from ? from->allocate(from->payload, bytes + extra) : malloc(bytes + extra);
    if (!start)
        return NULL;
    void *block = (void *)(((uintptr_t)start + extra) / align * align);
    *header_of(block) = (header){.release = from ? from->release : NULL,
                                 .payload = from ? from->payload : NULL,
                                 .start = start,
                                 .bytes = counted};
    in_use += (int64_t)counted;
    return block;
}

static void *take(const specreg_context *ctx, size_t align, size_t bytes)
{
    return take_counted(ctx, align, bytes, bytes);
}

void sri_free(void *block)
{
    if (!block)
        return;
    const header h = *header_of(block);
    in_use -= (int64_t)h.bytes;
    if (h.release)
        h.release(h.payload, h.start);
    else
        free(h.start);
}

void sri_free_list(char **list, int64_t count)
{
    for (int64_t i = 0; list && i < count; i++)
        sri_free(list[i]);
    sri_free(list);
}

static void say_no_memory(specreg_context *ctx, double bytes)
{
    char text[32], limit[32];
    if (ctx && bytes < (double)PTRDIFF_MAX && is_too_much(ctx, (size_t)bytes))
        sri_fail(ctx, SPECREG_E_NOMEM,
                 "needs more memory than the %s it may take (see --memory): %s for one array",
                 sri_bytes_text((double)ctx->memory_limit, limit), sri_bytes_text(bytes, text));
    else if (ctx)
        sri_fail(ctx, SPECREG_E_NOMEM, "out of memory: cannot allocate %s",
                 sri_bytes_text(bytes, text));
}

#ifdef MADV_HUGEPAGE
/* Says whether the large pages that lie inside a block are wanted. */
static void advise(void *block, size_t bytes, int advice)
{
    static const uintptr_t PAGE = 1 << 21;
    const uintptr_t first = ((uintptr_t)block + PAGE - 1) / PAGE * PAGE;
    const uintptr_t end = ((uintptr_t)block + bytes) / PAGE * PAGE;
    if (first < end)
        (void)madvise((void *)first, end - first, advice);
}
#endif

void *sri_alloc(specreg_context *ctx, int64_t rows, int64_t cols, size_t size)
{
    void *p = take(ctx, ALIGN, checked_size(rows, cols, size));
    if (!p)
        say_no_memory(ctx, (double)rows * (double)cols * (double)size);
    return p;
}

void *sri_calloc(specreg_context *ctx, int64_t rows, int64_t cols, size_t size)
{
    void *p = sri_alloc(ctx, rows, cols, size);
    if (p)
        memset(p, 0, checked_size(rows, cols, size));
    return p;
}

double sri_lower_bytes(int64_t n)
{
    const double all = 8 * (double)n * (double)n;
    const double touched = all / 2 + (double)n * (double)sysconf(_SC_PAGESIZE);
    return touched < all ? touched : all;
}

double *sri_alloc_lower(specreg_context *ctx, int64_t n)
{
    const double counted = sri_lower_bytes(n);
    const size_t bytes = checked_size(n, n, sizeof(double));
    double *K = bytes ? take_counted(ctx, ALIGN, bytes, (size_t)counted) : NULL;
    if (!K)
        say_no_memory(ctx, counted);
#ifdef MADV_NOHUGEPAGE
    else
        advise(K, bytes, MADV_NOHUGEPAGE);
#endif
    return K;
}

specreg_status sri_gather(specreg_context *ctx, const void *from, size_t size, const int64_t *which,
                          int64_t count, void **out)
{
    char *to = from ? sri_alloc(ctx, count, 1, size) : NULL;
    *out = to;
    if (!to)
        return from ? SPECREG_E_NOMEM : SPECREG_OK;
    for (int64_t i = 0; i < count; i++)
        memcpy(to + (size_t)i * size, (const char *)from + (size_t)which[i] * size, size);
    return SPECREG_OK;
}

/* A block with the first `kept` bytes of another one, which is given back.  The C library may
 * move large blocks without copying, so it is asked where the block is its own. */
static void *resize(const specreg_context *ctx, void *block, size_t kept, size_t bytes)
{
    header *h = block ? header_of(block) : NULL;
    if (h && !h->release) {
        const size_t before = (size_t)((char *)block - (char *)h->start), had = h->bytes;
        if (bytes > had && is_too_much(ctx, bytes - had))
            return NULL;
        char *start = realloc(h->start, before + bytes);
        if (!start)
            return NULL;
        in_use += (int64_t)bytes - (int64_t)had;
        header_of(start + before)->start = start;
        header_of(start + before)->bytes = bytes;
        return start + before;
    }
    void *p = take(ctx, sizeof(max_align_t), bytes);
    if (p && block) {
        memcpy(p, block, kept);
        sri_free(block);
    }
    return p;
}

specreg_status sri_grow(specreg_context *ctx, void **block, int64_t *capacity, int64_t count,
                        size_t size)
{
    if (count <= *capacity)
        return SPECREG_OK;
    int64_t wanted = *capacity ? *capacity : 16;
    while (wanted < count)
        wanted = wanted > INT64_MAX / 2 ? count : wanted * 2;
    const size_t bytes = checked_size(wanted, 1, size);
    void *p = bytes ? resize(ctx, *block, (size_t)*capacity * size, bytes) : NULL;
    if (!p) {
        say_no_memory(ctx, (double)(wanted - *capacity) * (double)size);
        return SPECREG_E_NOMEM;
    }
    *block = p;
    *capacity = wanted;
    return SPECREG_OK;
}

void sri_trim(void **block, int64_t count, size_t size)
{
    const size_t bytes = checked_size(count, 1, size);
    if (!*block || count <= 0 || !bytes || header_of(*block)->release)
        return;
    void *smaller = resize(NULL, *block, 0, bytes);
    if (smaller)
        *block = smaller;
}

char *sri_strndup(specreg_context *ctx, const char *text, size_t length)
{
    char *copy = take(ctx, sizeof(void *), length + 1);
    if (!copy) {
        say_no_memory(ctx, (double)length + 1);
        return NULL;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *sri_strdup(specreg_context *ctx, const char *text)
{
    return sri_strndup(ctx, text, strlen(text));
}

void sri_large_pages(void *block, double bytes)
{
#ifdef MADV_HUGEPAGE
    advise(block, (size_t)bytes, MADV_HUGEPAGE);
#else
    (void)block, (void)bytes;
#endif
}

/* The number of KiB in the line of a file of the system that `format` reads; 0: there is none. */
static long kib_of(const char *path, const char *format)
{
    char line[128];
    long kib = 0;
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, format, &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib;
}

int64_t sri_memory_available(void)
{
    const int64_t kib = kib_of("/proc/meminfo", "MemAvailable: %ld kB");
    if (kib > 0)
        return kib * 1024 / 10 * 9;
    return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 2;
}

/* The largest that the process has been since it began; what getrusage knows counts the program
 * that started it, too. */
int64_t sri_memory_peak(void)
{
    struct rusage use;
    const int64_t kib = kib_of("/proc/self/status", "VmHWM: %ld kB");
    if (kib > 0)
        return kib * 1024;
    return getrusage(RUSAGE_SELF, &use) == 0 ? (int64_t)use.ru_maxrss * 1024 : 0;
}
