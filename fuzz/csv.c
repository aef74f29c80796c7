/* The CSV reader on arbitrary bytes: it must refuse or read, never crash, leak or hang; what it has
 * read can be asked for, and judged as the columns of a training table.  The bytes are read with
 * either decimal mark, and in the encodings that are found by themselves or named. */
#include "reader.h"

#include "core/written.h"
#include "data/io/recode.h"

/* With an option, NULL: none. */
static void with_option(const uint8_t *data, size_t size, const char *name, const char *value)
{
    specreg_context *ctx;
    specreg_options *options = NULL;
    if (specreg_context_new(&ctx) != SPECREG_OK ||
        specreg_options_new(ctx, &options) != SPECREG_OK ||
        specreg_options_set(ctx, options, name, value) != SPECREG_OK)
        abort();
    fuzz_reader_with(&sri_format_csv, data, size, options);
    specreg_options_free(options);
    specreg_context_free(ctx);
}

/* From another encoding. */
static void recoded(const uint8_t *data, size_t size, const char *encoding)
{
    specreg_context *ctx;
    sri_stream *stream = NULL, *text = NULL;
    sri_recoder *recoder = NULL;
    if (specreg_context_new(&ctx) != SPECREG_OK)
        abort();
    if (sri_stream_from_memory(ctx, "fuzz", data, size, &stream) == SPECREG_OK &&
        sri_recode_open(ctx, stream, encoding, &recoder, &text) == SPECREG_OK && text)
        fuzz_read(ctx, &sri_format_csv, text, NULL);
    sri_stream_close(text);
    sri_recode_close(recoder);
    sri_stream_close(stream);
    specreg_context_free(ctx);
}

/* What info says of a table: roles, dates, doubts. */
static inline void judged(const uint8_t *data, size_t size)
{
    specreg_context *ctx;
    specreg_table *t = NULL;
    sri_stream *stream = NULL;
    char *json = NULL;
    if (specreg_context_new(&ctx) != SPECREG_OK)
        abort();
    if (sri_stream_from_memory(ctx, "fuzz", data, size, &stream) == SPECREG_OK &&
        sri_format_csv.read(ctx, stream, "fuzz", NULL, NULL, &t) == SPECREG_OK &&
        specreg_table_record(ctx, t, NULL, &json) != SPECREG_OK && !*specreg_last_error(ctx))
        abort();
    specreg_string_free(json);
    specreg_table_free(t);
    sri_stream_close(stream);
    specreg_context_free(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader(&sri_format_csv, data, size);
    with_option(data, size, "decimal", "comma");
    recoded(data, size, "auto");
    recoded(data, size, "utf-16");
    recoded(data, size, "latin1");
#ifndef SRI_MEMORY_SANITIZER /* which would not know what Jansson writes */
    judged(data, size);
#endif
    return 0;
}
