/* Reading tables from bytes that a test spells out: they go through a file of the given name. */
#ifndef TESTS_READ_BYTES_H
#define TESTS_READ_BYTES_H

#include <math.h>
#include <stdio.h>

#include "data/table.h"
#include "kit/kit.h"

static const char *write_bytes(const char *name, const void *data, size_t size)
{
    const char *path = kit_temp(name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        kit_fail(__FILE__, __LINE__, "cannot write %s", path);
    return path;
}

/* Options as pairs: "header", "no", NULL. */
__attribute__((unused)) static specreg_status
read_with(specreg_context *ctx, const char *path, const char *const *option, specreg_table **out)
{
    specreg_options *o;
    specreg_status st = specreg_options_new(ctx, &o);
    for (; st == SPECREG_OK && option && *option; option += 2)
        st = specreg_options_set(ctx, o, option[0], option[1]);
    if (st == SPECREG_OK)
        st = specreg_table_read(ctx, path, o, out);
    specreg_options_free(o);
    return st;
}

#define READ(name, bytes) read_ok(ctx, write_bytes(name, bytes, sizeof(bytes) - 1), NULL)
#define READ_WITH(name, bytes, ...) \
    read_ok(ctx, write_bytes(name, bytes, sizeof(bytes) - 1), (const char *[]){__VA_ARGS__, NULL})

__attribute__((unused)) static specreg_table *read_ok(specreg_context *ctx, const char *path,
                                                      const char *const *option)
{
    specreg_table *t;
    CHECK_OK(ctx, read_with(ctx, path, option, &t));
    return t;
}

/* The bytes are refused with this status, and the message is PATH followed by this. */
#define REFUSED(name, bytes, status, tail) \
    refused(ctx, __LINE__, name, bytes, sizeof(bytes) - 1, NULL, status, tail)
#define REFUSED_WITH(name, bytes, status, tail, ...)                                            \
    refused(ctx, __LINE__, name, bytes, sizeof(bytes) - 1, (const char *[]){__VA_ARGS__, NULL}, \
            status, tail)

__attribute__((unused)) static void refused(specreg_context *ctx, int line, const char *name,
                                            const char *bytes, size_t size,
                                            const char *const *option, specreg_status status,
                                            const char *tail)
{
    specreg_table *t = (specreg_table *)ctx;
    char expected[1024];
    const char *path = write_bytes(name, bytes, size);
    const specreg_status st = read_with(ctx, path, option, &t);
    snprintf(expected, sizeof expected, "%s%s", path, tail);
    if (st != status)
        kit_fail(__FILE__, line, "status %d and not %d: %s", st, status, specreg_last_error(ctx));
    kit_check_str(__FILE__, line, "the error text", specreg_last_error(ctx), expected);
    CHECK(t == NULL);
}

/* The cell as a text, numbers by %g, "-" where missing. */
__attribute__((unused)) static const char *cell(const specreg_table *t, int64_t row, int64_t col)
{
    static char text[8][64];
    static int next;
    const char *s = specreg_table_text(t, row, col);
    const double v = specreg_table_number(t, row, col);
    if (s)
        return s;
    if (isnan(v))
        return "-";
    next = (next + 1) % 8;
    snprintf(text[next], sizeof text[next], "%g", v);
    return text[next];
}

#endif
