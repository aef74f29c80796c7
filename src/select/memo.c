#include "select/memo.h"

#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

#include "core/digest.h"
#include "core/memory.h"

/* Numbers are written as the 16 hexadecimal digits of their 64 bits, each followed by a blank or
 * the end of the line: infinities and every NaN come back, and no locale has a say. */
enum {
    DIGITS = 16,
    WORD = DIGITS + 1,
    KEY_WORDS = 2,
    FINISHED_WORDS = sizeof(sri_finished) / sizeof(uint64_t),
    SCORE_WORDS = sizeof(sri_score) / sizeof(uint64_t)
};
_Static_assert(sizeof(sri_finished) == 136 && sizeof(sri_score) == 32,
               "what is kept has changed: SRI_MEMO_VERSION must change with it");

static const char mark[] = "specreg checkpoint ";

/* The check of a line: what is before its digits, seeded with the check of the line before.  So a
 * line that is lost, moved or from another file is noticed as well. */
static uint64_t check_of(const char *line, int64_t length, uint64_t before)
{
    return XXH3_64bits_withSeed(line, (size_t)length, before);
}

/* The line of so many numbers after what it begins with. */
static specreg_status make_line(specreg_context *ctx, sri_memo *memo, const uint64_t *word,
                                int64_t count)
{
    sri_buffer *line = &memo->line;
    for (int64_t i = 0; i < count; i++)
        SRI_CALL(sri_buffer_print(ctx, line, "%016" PRIx64 " ", word[i]));
    const uint64_t check = check_of(line->data, line->length, memo->check);
    SRI_CALL(sri_buffer_print(ctx, line, "%016" PRIx64 "\n", check));
    memo->check = check;
    return SPECREG_OK;
}

specreg_status sri_memo_begin(specreg_context *ctx, sri_memo *memo, const uint64_t fingerprint[2])
{
    memo->check = 0;
    memo->line.length = 0;
    SRI_CALL(sri_buffer_print(ctx, &memo->line, "%s%d ", mark, SRI_MEMO_VERSION));
    return make_line(ctx, memo, fingerprint, 2);
}

/* Space for one more entry of this many numbers. */
static specreg_status reserve(specreg_context *ctx, sri_memo *memo, int64_t words)
{
    SRI_CALL(sri_grow(ctx, (void **)&memo->entry, &memo->entry_capacity, memo->entries + 1,
                      sizeof *memo->entry));
    return sri_grow(ctx, (void **)&memo->word, &memo->word_capacity, memo->words + words,
                    sizeof *memo->word);
}

/* Makes an entry of the numbers that follow the last one's. */
static void enter(sri_memo *memo, int64_t count)
{
    const uint64_t *word = memo->word + memo->words;
    memo->entry[memo->entries++] =
        (sri_memo_entry){{word[0], word[1]}, memo->words + KEY_WORDS, count};
    memo->words += KEY_WORDS + FINISHED_WORDS + count * SCORE_WORDS;
}

static sri_digest digest_of(const char *key)
{
    sri_digest d = {{0}};
    sri_digest_text(&d, key);
    return d;
}

specreg_status sri_memo_add(specreg_context *ctx, sri_memo *memo, const char *key, int64_t count,
                            const sri_finished *finished, const sri_score *score)
{
    const int64_t words = KEY_WORDS + FINISHED_WORDS + count * SCORE_WORDS;
    const sri_digest digest = digest_of(key);
    SRI_CALL(reserve(ctx, memo, words));
    uint64_t *word = memo->word + memo->words;
    memcpy(word, digest.word, sizeof digest.word);
    memcpy(word + KEY_WORDS, finished, sizeof *finished);
    memcpy(word + KEY_WORDS + FINISHED_WORDS, score, (size_t)count * sizeof *score);
    memo->line.length = 0;
    SRI_CALL(make_line(ctx, memo, word, words));
    enter(memo, count);
    return SPECREG_OK;
}

/* 16 digits and what must follow them. */
static bool get_word(const char *text, char after, uint64_t *out)
{
    uint64_t word = 0;
    for (int i = 0; i < DIGITS; i++) {
        const char c = text[i];
        if (c >= '0' && c <= '9')
            word = word << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            word = word << 4 | (uint64_t)(c - 'a' + 10);
        else
            return false;
    }
    *out = word;
    return text[DIGITS] == after;
}

static bool ends_in_its_check(const char *line, int64_t length, uint64_t before, uint64_t *check)
{
    return length >= WORD && get_word(line + length - WORD, '\n', check) &&
           *check == check_of(line, length - WORD, before);
}

/* What else a file is whose first line is not ours. */
static specreg_status other_file(specreg_context *ctx, const sri_memo_text *text)
{
    const char *path = text->path, *head = text->data;
    const int64_t marked = (int64_t)strlen(mark), size = text->size;
    uint64_t check;
    if (size < marked || memcmp(head, mark, (size_t)marked) != 0)
        return sri_fail(ctx, SPECREG_E_FORMAT, "%s: is not a checkpoint: name another file", path);
    int64_t version = 0, at = marked;
    while (at < size && head[at] >= '0' && head[at] <= '9' && version < 1000000)
        version = version * 10 + (head[at++] - '0');
    if (at < size && at > marked && head[at] == ' ' && version != SRI_MEMO_VERSION)
        return sri_fail(ctx, SPECREG_E_FORMAT,
                        "%s: was written by another specreg (version %lld, this one has %d): "
                        "remove it or name another file",
                        path, (long long)version, SRI_MEMO_VERSION);
    if (size < SRI_MEMO_HEADER || !ends_in_its_check(head, SRI_MEMO_HEADER, 0, &check))
        return sri_fail(ctx, SPECREG_E_FORMAT,
                        "%s: is damaged in line 1: remove it or name another file", path);
    return sri_fail(ctx, SPECREG_E_FORMAT,
                    "%s: belongs to other data or options: remove it or name another file", path);
}

specreg_status sri_memo_header(specreg_context *ctx, sri_memo *memo, const uint64_t fingerprint[2],
                               const sri_memo_text *head, bool *torn)
{
    specreg_status st = SPECREG_OK;
    SRI_TRY(sri_memo_begin(ctx, memo, fingerprint));
    const sri_buffer *ours = &memo->line;
    *torn = head->size < ours->length;
    const int64_t common = *torn ? head->size : ours->length;
    if (common > 0 && memcmp(head->data, ours->data, (size_t)common) != 0)
        st = other_file(ctx, head);
done:
    return st;
}

/* Enters a line, its end included; *good is false when it is none that was written here. */
static specreg_status read_line(specreg_context *ctx, sri_memo *memo, const char *line,
                                int64_t length, bool *good)
{
    const int64_t words = length / WORD - 1, fixed = KEY_WORDS + FINISHED_WORDS;
    uint64_t check;
    *good = length % WORD == 0 && words >= fixed && (words - fixed) % SCORE_WORDS == 0;
    if (!*good)
        return SPECREG_OK;
    SRI_CALL(reserve(ctx, memo, words));
    for (int64_t i = 0; i < words && *good; i++)
        *good = get_word(line + i * WORD, ' ', &memo->word[memo->words + i]);
    *good = *good && ends_in_its_check(line, length, memo->check, &check);
    if (*good) {
        enter(memo, (words - fixed) / SCORE_WORDS);
        memo->check = check;
    }
    return SPECREG_OK;
}

specreg_status sri_memo_read(specreg_context *ctx, sri_memo *memo, const sri_memo_text *lines,
                             int64_t *good)
{
    const int64_t size = lines->size;
    int64_t number = 2;
    for (*good = 0; *good < size; number++) {
        const char *line = lines->data + *good;
        const char *end = memchr(line, '\n', (size_t)(size - *good));
        const int64_t length = end ? end + 1 - line : size - *good;
        bool whole = false;
        if (end)
            SRI_CALL(read_line(ctx, memo, line, length, &whole));
        if (!whole && *good + length == size)
            break; /* the last line: nobody was told that it is there */
        SRI_CHECK(ctx, whole, SPECREG_E_FORMAT,
                  "%s: is damaged in line %lld: remove it or name another file", lines->path,
                  (long long)number);
        *good += length;
    }
    return SPECREG_OK;
}

/* One after the other: a look at each of many thousands costs less than the evaluation. */
bool sri_memo_find(const sri_memo *memo, const char *key, int64_t count, sri_finished *finished,
                   sri_score *score)
{
    const sri_digest d = digest_of(key);
    for (int64_t i = 0; i < memo->entries; i++) {
        const sri_memo_entry *e = &memo->entry[i];
        if (e->key[0] == d.word[0] && e->key[1] == d.word[1] && e->count == count) {
            const uint64_t *word = memo->word + e->first;
            memcpy(finished, word, sizeof *finished);
            memcpy(score, word + FINISHED_WORDS, (size_t)count * sizeof *score);
            return true;
        }
    }
    return false;
}

void sri_memo_free(sri_memo *memo)
{
    sri_buffer_free(&memo->line);
    sri_free(memo->word);
    sri_free(memo->entry);
    *memo = (sri_memo){0};
}
