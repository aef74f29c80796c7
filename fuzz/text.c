/* Documents, one a line, from arbitrary bytes, and the words of what was read: it must refuse or
 * read, never crash, leak or hang. */
#include "reader.h"

#include "data/text/vocabulary.h"

static void learn(specreg_context *ctx, const specreg_table *t)
{
    specreg_options *o;
    specreg_vocabulary *v;
    specreg_table *features;
    if (specreg_options_new(ctx, &o) != SPECREG_OK ||
        specreg_options_set(ctx, o, "text", "min-docs=1,words=100,choose=frequency") != SPECREG_OK)
        abort();
    if (specreg_vocabulary_learn(ctx, t, o, &v) == SPECREG_OK) {
        if (specreg_vocabulary_apply(ctx, v, t, o, &features, NULL) != SPECREG_OK)
            abort(); /* what was learned can be applied */
        specreg_table_free(features);
    } else if (v || !*specreg_last_error(ctx)) {
        abort();
    }
    specreg_vocabulary_free(v);
    specreg_options_free(o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    specreg_context *ctx;
    sri_stream *stream;
    specreg_table *t = NULL;
    fuzz_reader(&sri_format_text, data, size);
    if (specreg_context_new(&ctx) != SPECREG_OK)
        abort();
    if (sri_stream_from_memory(ctx, "fuzz", data, size, &stream) == SPECREG_OK) {
        if (sri_format_text.read(ctx, stream, "fuzz", NULL, NULL, &t) == SPECREG_OK)
            learn(ctx, t);
        specreg_table_free(t);
        sri_stream_close(stream);
    }
    specreg_context_free(ctx);
    return 0;
}
