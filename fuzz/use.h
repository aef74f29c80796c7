/* What targets over the public interface share: bytes as a file, a small table, options. */
#ifndef FUZZ_USE_H
#define FUZZ_USE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "specreg/specreg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes as a file that is in no folder; its path. */
typedef struct fuzz_file {
    int fd;
    char path[64];
} fuzz_file;

static inline fuzz_file fuzz_file_new(const uint8_t *data, size_t size)
{
    fuzz_file f = {.fd = memfd_create("fuzz", MFD_CLOEXEC)};
    if (f.fd < 0 || write(f.fd, data, size) != (ssize_t)size || lseek(f.fd, 0, SEEK_SET) != 0)
        abort();
    snprintf(f.path, sizeof f.path, "/proc/self/fd/%d", f.fd);
    return f;
}

/* A refusal says why. */
static inline void fuzz_refused(specreg_context *ctx, specreg_status st)
{
    if (st == SPECREG_OK || !*specreg_last_error(ctx))
        abort();
}

static inline void fuzz_set(specreg_context *ctx, specreg_options *o, const char *name,
                            const char *value)
{
    if (specreg_options_set(ctx, o, name, value) != SPECREG_OK)
        abort();
}

static inline specreg_context *fuzz_context(void)
{
    specreg_context *ctx;
    if (specreg_context_new(&ctx) != SPECREG_OK)
        abort();
    return ctx;
}

/* Options with which a call takes little of the machine. */
static inline specreg_options *fuzz_options(specreg_context *ctx)
{
    specreg_options *o;
    if (specreg_options_new(ctx, &o) != SPECREG_OK)
        abort();
    fuzz_set(ctx, o, "memory", "64M");
    fuzz_set(ctx, o, "threads", "1");
    fuzz_set(ctx, o, "calibrate", "no");
    return o;
}

/* Twelve rows with two inputs and T targets. */
static inline specreg_table *fuzz_table(specreg_context *ctx, int64_t T)
{
    static const double x[24] = {.1, 2, .3, -1, .7, 0, 1.5, 4, -2, .2, .9,  1.1,
                                 3,  1, -1, 2,  .4, 5, -.6, 2, 2., -3, 1.2, .5};
    static const double y[24] = {1, -1, 2, .5, 0, 1, 1,  2, -1, 0, .5, 1,
                                 2, 1,  0, -2, 1, 1, .3, 2, 0,  1, 1,  3};
    const specreg_view X = {x, 12, 2, 2}, Y = {y, 12, T, T};
    specreg_table *t;
    if (specreg_table_from_arrays(ctx, &X, NULL, &Y, NULL, &t) != SPECREG_OK)
        abort();
    return t;
}

#endif
