/* The reader of vocabulary files on arbitrary bytes: it must refuse with a text or give a
 * vocabulary that can be written, read again and applied. */
#include <stdlib.h>
#include <string.h>

#include "data/text/vocabulary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(specreg_context *ctx, const specreg_vocabulary *v)
{
    sri_buffer text = {0};
    specreg_vocabulary *back;
    if (sri_vocabulary_print(ctx, v, &text) != SPECREG_OK ||
        sri_vocabulary_parse(ctx, "again", text.data, (size_t)text.length, &back) != SPECREG_OK ||
        specreg_vocabulary_size(back) != specreg_vocabulary_size(v))
        abort();
    specreg_vocabulary_free(back);
    sri_buffer_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    specreg_context *ctx;
    specreg_vocabulary *v;
    char *bytes = malloc(size + !size); /* of exactly this size: reading past it is seen */
    if (!bytes || specreg_context_new(&ctx) != SPECREG_OK)
        abort();
    memcpy(bytes, data, size);
    if (sri_vocabulary_parse(ctx, "fuzz", bytes, size, &v) == SPECREG_OK)
        use(ctx, v);
    else if (v || !*specreg_last_error(ctx))
        abort(); /* a refusal says why and gives nothing */
    specreg_vocabulary_free(v);
    specreg_context_free(ctx);
    free(bytes);
    return 0;
}
