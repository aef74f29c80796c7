/* The reader of files of topics on arbitrary bytes: it must refuse with a text or give topics that
 * can be asked, written and read again. */
#include <stdlib.h>
#include <string.h>

#include "data/text/topics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(specreg_context *ctx, const specreg_topics *t)
{
    sri_buffer text = {0}, again = {0};
    specreg_topics *back;
    const char *name;
    double p;
    for (int64_t z = 0; z < specreg_topics_count(t); z++)
        if (specreg_topics_word(t, z, 0, &name, &p) < 0 || !(p >= 0 && p <= 1))
            abort();
    if (sri_topics_print(ctx, t, &text) != SPECREG_OK ||
        sri_topics_parse(ctx, "again", text.data, (size_t)text.length, &back) != SPECREG_OK ||
        sri_topics_print(ctx, back, &again) != SPECREG_OK || strcmp(text.data, again.data) != 0)
        abort();
    specreg_topics_free(back);
    sri_buffer_free(&again);
    sri_buffer_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    specreg_context *ctx;
    specreg_topics *t;
    char *bytes = malloc(size + !size); /* of exactly this size: reading past it is seen */
    if (!bytes || specreg_context_new(&ctx) != SPECREG_OK)
        abort();
    memcpy(bytes, data, size);
    if (sri_topics_parse(ctx, "fuzz", bytes, size, &t) == SPECREG_OK)
        use(ctx, t);
    else if (t || !*specreg_last_error(ctx))
        abort(); /* a refusal says why and gives nothing */
    specreg_topics_free(t);
    specreg_context_free(ctx);
    free(bytes);
    return 0;
}
