#include "data/text/words.h"

#include <string.h>

#include "data/table.h"

/* Characters from first to last; every step-th has its small form `difference` further on. */
typedef struct range {
    uint32_t first, last, step;
    int32_t difference;
} range;

static const range letters[] = {
#define LETTERS(first, last) {first, last, 1, 0},
#include "data/text/letters.def"
#undef LETTERS
};

static const range capitals[] = {
#define SMALL(first, last, step, difference) {first, last, step, difference},
#include "data/text/letters.def"
#undef SMALL
};

/* The range that has the character; NULL: none. */
static const range *find(const range *list, size_t count, uint32_t c)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (list[middle].last < c)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && list[low].first <= c ? &list[low] : NULL;
}

uint32_t sri_letter(uint32_t c)
{
    if (c < 0x80)
        return (c | 0x20) - 'a' < 26u ? c | 0x20 : 0;
    if (!find(letters, sizeof letters / sizeof *letters, c))
        return 0;
    const range *r = find(capitals, sizeof capitals / sizeof *capitals, c);
    return r && (c - r->first) % r->step == 0 ? (uint32_t)((int32_t)c + r->difference) : c;
}

/* The character at *at, which moves on; a byte that is no UTF-8 is a character of its own and no
 * letter. */
static uint32_t next_character(const unsigned char **at, const unsigned char *end)
{
    const unsigned char *s = *at;
    if (*s < 0x80) { /* most of the time */
        ++*at;
        return *s;
    }
    const size_t n = sri_utf8_length(s, (size_t)(end - s));
    *at += n ? n : 1;
    switch (n) {
    case 2:
        return (uint32_t)(s[0] & 0x1f) << 6 | (s[1] & 0x3f);
    case 3:
        return (uint32_t)(s[0] & 0x0f) << 12 | (uint32_t)(s[1] & 0x3f) << 6 | (s[2] & 0x3f);
    case 4:
        return (uint32_t)(s[0] & 0x07) << 18 | (uint32_t)(s[1] & 0x3f) << 12 |
               (uint32_t)(s[2] & 0x3f) << 6 | (s[3] & 0x3f);
    default:
        return 0;
    }
}

static size_t put_character(uint32_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    const size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)((n == 2 ? 0xc0 : n == 3 ? 0xe0 : 0xf0) | c);
    return n;
}

sri_word_reader sri_words_of(const char *text, int64_t shortest, int64_t longest)
{
    return (sri_word_reader){.at = (const unsigned char *)text,
                             .end = (const unsigned char *)text + strlen(text),
                             .shortest = shortest,
                             .longest = longest};
}

bool sri_word_next(sri_word_reader *r)
{
    while (r->at < r->end) {
        int64_t characters = 0;
        uint32_t c;
        r->length = 0;
        while (r->at < r->end && (c = sri_letter(next_character(&r->at, r->end)))) {
            if (characters++ < r->longest)
                r->length += put_character(c, r->word + r->length);
        }
        if (characters >= r->shortest && characters <= r->longest && characters > 0)
            return true;
    }
    return false;
}
