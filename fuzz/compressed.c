/* Compressed streams (gzip, zstd) on arbitrary bytes: refused with a text, or read to their end
 * within what a stream may expand to. */
#include "reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    specreg_context *ctx;
    sri_stream *stream = NULL;
    char *content = NULL;
    size_t length = 0;
    uint8_t *exact = malloc(size + !size);
    if (!exact || specreg_context_new(&ctx) != SPECREG_OK)
        abort();
    memcpy(exact, data, size);
    if (sri_stream_from_memory(ctx, "fuzz", exact, size, &stream) == SPECREG_OK &&
        sri_stream_slurp(ctx, stream, &content, &length) == SPECREG_OK) {
        if (length > (17u << 20) && length > 201 * size)
            abort();
    } else if (!*specreg_last_error(ctx)) {
        abort();
    }
    free(content);
    sri_stream_close(stream);
    free(exact);
    specreg_context_free(ctx);
    return 0;
}
