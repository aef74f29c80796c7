/* The lines of a checkpoint on arbitrary bytes: they are refused with a text or read, and what was
 * read is written again byte for byte.  Checks cannot be guessed, so the same bytes are tried once
 * more with a good first line and with the right check wherever a line has room for one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "select/memo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint64_t PRINT[2] = {1, 2};
enum { WORD = 17, FIXED = 2 + sizeof(sri_finished) / sizeof(uint64_t) }; /* words of a line */

/* The lines of all entries; keys are digests, so lines are put together from the words. */
static char *write_again(const sri_memo *memo, int64_t *length)
{
    char *text = malloc((size_t)(memo->words + memo->entries) * WORD + 1);
    int64_t at = 0;
    char head[64];
    const int head_length = snprintf(head, sizeof head, "specreg checkpoint %d %016d %016d ",
                                     SRI_MEMO_VERSION, (int)PRINT[0], (int)PRINT[1]);
    uint64_t check = XXH3_64bits(head, (size_t)head_length);
    for (int64_t i = 0; i < memo->entries; i++) {
        const int64_t start = at, words = FIXED + 4 * memo->entry[i].count;
        for (int64_t j = 0; j < words; j++)
            at += sprintf(text + at, "%016llx ",
                          (unsigned long long)memo->word[memo->entry[i].first - 2 + j]);
        check = XXH3_64bits_withSeed(text + start, (size_t)(at - start), check);
        at += sprintf(text + at, "%016llx\n", (unsigned long long)check);
    }
    *length = at;
    return text;
}

static void read_text(const char *bytes, int64_t size)
{
    specreg_context *ctx;
    sri_memo memo = {0};
    int64_t good, length;
    bool torn;
    if (specreg_context_new(&ctx) != SPECREG_OK)
        abort();
    const int64_t header = size < SRI_MEMO_HEADER ? size : SRI_MEMO_HEADER;
    const sri_memo_text head = {"fuzz.ck", bytes, size};
    const sri_memo_text lines = {"fuzz.ck", bytes + header, size - header};
    if (sri_memo_header(ctx, &memo, PRINT, &head, &torn) != SPECREG_OK ||
        (!torn && sri_memo_read(ctx, &memo, &lines, &good) != SPECREG_OK)) {
        if (!*specreg_last_error(ctx))
            abort(); /* a refusal says why */
    } else if (!torn) {
        char *text = write_again(&memo, &length);
        if (length != good || memcmp(text, bytes + SRI_MEMO_HEADER, (size_t)length) != 0)
            abort();
        free(text);
    }
    sri_memo_free(&memo);
    specreg_context_free(ctx);
}

/* Puts the right check at the end of every line that is long enough. */
static void mend(char *lines, int64_t size, uint64_t check)
{
    char digits[WORD];
    for (char *line = lines, *end; (end = memchr(line, '\n', (size_t)(lines + size - line)));
         line = end + 1)
        if (end - line >= WORD) {
            check = XXH3_64bits_withSeed(line, (size_t)(end + 1 - line - WORD), check);
            snprintf(digits, sizeof digits, "%016llx", (unsigned long long)check);
            memcpy(end - 16, digits, 16);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    specreg_context *ctx;
    sri_memo memo = {0};
    sri_buffer text = {0};
    char *exact = malloc(size + !size); /* of exactly this size: reading past it is seen */
    if (!exact || specreg_context_new(&ctx) != SPECREG_OK)
        abort();
    memcpy(exact, data, size);
    read_text(exact, (int64_t)size);
    const size_t header = size < SRI_MEMO_HEADER ? size : SRI_MEMO_HEADER;
    if (sri_memo_begin(ctx, &memo, PRINT) != SPECREG_OK ||
        sri_buffer_add(ctx, &text, memo.line.data, (size_t)memo.line.length) != SPECREG_OK ||
        sri_buffer_add(ctx, &text, exact + header, size - header) != SPECREG_OK)
        abort();
    mend(text.data + SRI_MEMO_HEADER, text.length - SRI_MEMO_HEADER, memo.check);
    read_text(text.data, text.length);
    sri_buffer_free(&text);
    sri_memo_free(&memo);
    specreg_context_free(ctx);
    free(exact);
    return 0;
}
