#include "core/memory.h"

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

/* The size in bytes, rounded up to the alignment; 0 when it does not fit. */
static size_t checked_size(int64_t rows, int64_t cols, size_t size)
{
    size_t count, bytes;
    if (rows < 0 || cols < 0 || __builtin_mul_overflow((size_t)rows, (size_t)cols, &count) ||
        __builtin_mul_overflow(count, size, &bytes) || bytes > (size_t)PTRDIFF_MAX - ALIGN)
        return 0;
    return bytes ? (bytes + ALIGN - 1) / ALIGN * ALIGN : ALIGN;
}

void *sri_alloc(specreg_context *ctx, int64_t rows, int64_t cols, size_t size)
{
    const size_t bytes = checked_size(rows, cols, size);
    void *p = bytes ? aligned_alloc(ALIGN, bytes) : NULL;
    if (!p) {
        char text[32];
        sri_fail(ctx, SPECREG_E_NOMEM, "out of memory: cannot allocate %s",
                 sri_bytes_text((double)rows * (double)cols * (double)size, text));
    }
    return p;
}

void *sri_calloc(specreg_context *ctx, int64_t rows, int64_t cols, size_t size)
{
    void *p = sri_alloc(ctx, rows, cols, size);
    if (p)
        memset(p, 0, checked_size(rows, cols, size));
    return p;
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

specreg_status sri_grow(specreg_context *ctx, void **block, int64_t *capacity, int64_t count,
                        size_t size)
{
    if (count <= *capacity)
        return SPECREG_OK;
    int64_t wanted = *capacity ? *capacity : 16;
    while (wanted < count)
        wanted = wanted > INT64_MAX / 2 ? count : wanted * 2;
    const size_t bytes = checked_size(wanted, 1, size);
    void *p = bytes ? realloc(*block, bytes) : NULL;
    if (!p) {
        char text[32];
        return sri_fail(ctx, SPECREG_E_NOMEM, "out of memory: cannot allocate %s",
                        sri_bytes_text((double)wanted * (double)size, text));
    }
    *block = p;
    *capacity = wanted;
    return SPECREG_OK;
}

char *sri_strndup(specreg_context *ctx, const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy) {
        sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
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
    static const uintptr_t PAGE = 1 << 21;
    const uintptr_t first = ((uintptr_t)block + PAGE - 1) / PAGE * PAGE;
    const uintptr_t end = ((uintptr_t)block + (uintptr_t)bytes) / PAGE * PAGE;
    if (first < end)
        (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
#else
    (void)block, (void)bytes;
#endif
}

int64_t sri_memory_available(void)
{
    int64_t kib = 0;
    FILE *f = fopen("/proc/meminfo", "re");
    if (f) {
        char line[128];
        while (fgets(line, sizeof line, f))
            if (sscanf(line, "MemAvailable: %ld kB", &kib) == 1)
                break;
        fclose(f);
    }
    if (kib > 0)
        return kib * 1024 / 10 * 9;
    return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 2;
}

/* The largest that the process has been since it began; what getrusage knows counts the program
 * that started it, too. */
int64_t sri_memory_peak(void)
{
    struct rusage use;
    long kib = 0;
    FILE *f = fopen("/proc/self/status", "re");
    if (f) {
        char line[128];
        while (fgets(line, sizeof line, f))
            if (sscanf(line, "VmHWM: %ld kB", &kib) == 1)
                break;
        fclose(f);
    }
    if (kib > 0)
        return (int64_t)kib * 1024;
    return getrusage(RUSAGE_SELF, &use) == 0 ? (int64_t)use.ru_maxrss * 1024 : 0;
}
