/* A reader of tables on arbitrary bytes: it must refuse with a text or give a table whose every
 * cell can be asked for. */
#ifndef FUZZ_READER_H
#define FUZZ_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/io/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Everything a caller may ask of a small table; columns at both ends of a wide one. */
static inline void ask_everything(specreg_context *ctx, const specreg_table *t)
{
    const int64_t rows = specreg_table_rows(t), cols = specreg_table_cols(t);
    char place[256];
    if (rows < 1 || cols < 1)
        abort();
    for (int64_t j = 0; j < cols; j = j == 99 && cols > 200 ? cols - 99 : j + 1)
        if (!specreg_table_name(t, j))
            abort();
    for (int64_t i = 0; i < rows && i < 1000; i++) {
        if (!*sri_table_place(t, i, place, sizeof place))
            abort();
        for (int64_t j = 0; j < cols; j = j == 99 && cols > 200 ? cols - 99 : j + 1) {
            const double v = specreg_table_number(t, i, j);
            const char *text = specreg_table_text(t, i, j);
            if (v - v != 0 && v == v)
                abort(); /* infinite */
            if (text && strlen(text) > 1u << 30)
                abort();
        }
    }
    const int64_t last[2] = {rows - 1, 0};
    specreg_table *part;
    if (specreg_table_select(ctx, t, last, 2, &part) != SPECREG_OK)
        abort();
    specreg_table_free(part);
}

/* Reads with these options; a refusal says why and gives nothing. */
/* How many rows all have at once; -1: it fails. */
static inline int64_t fuzz_read(specreg_context *ctx, const sri_format *format, sri_stream *stream,
                                const specreg_options *options)
{
    specreg_table *t = NULL;
    if (format->read(ctx, stream, "fuzz", NULL, options, &t) == SPECREG_OK)
        ask_everything(ctx, t);
    else if (t || !*specreg_last_error(ctx))
        abort();
    const int64_t rows = t ? t->rows : -1;
    specreg_table_free(t);
    return rows;
}

/* All rows, three at a time; -1: it fails. */
static inline int64_t fuzz_parts(specreg_context *ctx, const sri_format *format,
                                 const uint8_t *data, size_t size, const specreg_options *options)
{
    sri_stream *stream = NULL;
    sri_row_source source = {0};
    specreg_table *t = NULL;
    int64_t rows = -1;
    specreg_status st = sri_stream_from_memory(ctx, "fuzz", data, size, &stream);
    if (st == SPECREG_OK)
        st = format->open(ctx, stream, options, NULL, &source);
    for (rows = 0; st == SPECREG_OK; rows += t->rows, specreg_table_free(t)) {
        st = source.kind->next(ctx, source.state, 3, &t);
        if (st != SPECREG_OK || !t)
            break;
        ask_everything(ctx, t);
    }
    sri_row_source_close(&source);
    sri_stream_close(stream);
    return st == SPECREG_OK ? rows : -1;
}

static inline void fuzz_reader_with(const sri_format *format, const uint8_t *data, size_t size,
                                    const specreg_options *options)
{
    specreg_context *ctx;
    sri_stream *stream;
    uint8_t *exact = malloc(size + !size); /* of exactly this size: reading past it is seen */
    if (!exact || specreg_context_new(&ctx) != SPECREG_OK)
        abort();
    memcpy(exact, data, size);
    if (sri_stream_from_memory(ctx, "fuzz", exact, size, &stream) == SPECREG_OK) {
        const char *head;
        size_t length;
        if (sri_stream_peek(ctx, stream, &head, &length) == SPECREG_OK)
            (void)format->sniff(head, length);
        const int64_t rows = fuzz_read(ctx, format, stream, options);
        sri_stream_close(stream);
        const int64_t parts = format->open ? fuzz_parts(ctx, format, exact, size, options) : -1;
        if (rows >= 0 && parts >= 0 && rows != parts)
            abort();
    }
    specreg_context_free(ctx);
    free(exact);
}

static inline void fuzz_reader(const sri_format *format, const uint8_t *data, size_t size)
{
    fuzz_reader_with(format, data, size, NULL);
}

#endif
