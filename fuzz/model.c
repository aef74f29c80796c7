/* The model reader on arbitrary bytes: it must refuse or read, never crash, leak or hang.  The
 * checksum is looked at last, so that nearly all of the reader is reached without guessing it. */
#include <stdlib.h>
#include <string.h>

#include "record/container.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_tensors(specreg_context *ctx, const sri_container *c)
{
    for (int64_t i = 0; i < c->tensors; i++) {
        double *values;
        int64_t rows, cols;
        if (sri_container_tensor(ctx, c, c->tensor[i].name, &values, &rows, &cols) == SPECREG_OK)
            free(values);
        else if (!strstr(specreg_last_error(ctx), "not a finite number"))
            abort(); /* all else was checked */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    specreg_context *ctx;
    sri_container c;
    char *bytes = malloc(size + !size); /* of exactly this size: reading past it is seen */
    if (!bytes || specreg_context_new(&ctx) != SPECREG_OK)
        abort();
    memcpy(bytes, data, size);
    if (sri_container_parse(ctx, bytes, size, "fuzz.srm", &c) == SPECREG_OK)
        read_tensors(ctx, &c);
    else if (!*specreg_last_error(ctx))
        abort(); /* a refusal says why */
    sri_container_free(&c);
    specreg_context_free(ctx);
    return 0;
}
