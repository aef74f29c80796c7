/* A set of distinct texts: codes by order of first appearance, found by hashing. */
#include <string.h>
#include <utf8proc.h>

#include "core/memory.h"
#include "core/text.h"
#include "core/written.h"
#include "data/table.h"

/* FNV-1a: texts in data are short, so a byte at a time is quick enough. */
static uint64_t hash(const char *text, size_t length)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return h ^ h >> 32;
}

/* The slot where the text is, or the free one where it would go. */
static int64_t find_slot(const sri_texts *t, const char *text, size_t length)
{
    const uint64_t mask = (uint64_t)t->slots - 1;
    for (uint64_t i = hash(text, length) & mask;; i = (i + 1) & mask) {
        const int64_t code = t->slot[i] - 1;
        if (code < 0 ||
            (strncmp(t->text[code], text, length) == 0 && t->text[code][length] == '\0'))
            return (int64_t)i;
    }
}

int32_t sri_texts_find(const sri_texts *t, const char *text, size_t length)
{
    if (t->slots == 0 || memchr(text, '\0', length))
        return -1;
    return (int32_t)(t->slot[find_slot(t, text, length)] - 1);
}

/* Keeps the table at most half full. */
static specreg_status keep_slots_free(specreg_context *ctx, sri_texts *t)
{
    if (t->count * 2 < t->slots)
        return SPECREG_OK;
    sri_texts bigger = *t;
    bigger.slots = t->slots ? t->slots * 2 : 16;
    bigger.slot = sri_calloc(ctx, bigger.slots, 1, sizeof *bigger.slot);
    if (!bigger.slot)
        return SPECREG_E_NOMEM;
    for (int64_t code = 0; code < t->count; code++)
        bigger.slot[find_slot(&bigger, t->text[code], strlen(t->text[code]))] = code + 1;
    sri_free(t->slot);
    *t = bigger;
    return SPECREG_OK;
}

size_t sri_utf8_length(const unsigned char *s, size_t left)
{
    if (s[0] < 0x80)
        return 1;
    const size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

specreg_status sri_check_text(specreg_context *ctx, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        const size_t n = sri_utf8_length((const unsigned char *)text + i, length - i);
        if (n == 0)
            return sri_fail(ctx, SPECREG_E_FORMAT, "'%.*s...' is not UTF-8 text",
                            (int)(i < 40 ? i : 40), text);
        if (text[i] == '\0')
            return sri_fail(ctx, SPECREG_E_FORMAT, "'%.40s...' contains a NUL byte", text);
        i += n;
    }
    return SPECREG_OK;
}

/* Whether a text may be something else in normal form: marks that combine begin at U+0300, whose
 * first byte is 0xcc. */
static bool may_combine(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] >= 0xcc)
            return true;
    return false;
}

specreg_status sri_text_normalise(specreg_context *ctx, const char *text, size_t length, char **out)
{
    const utf8proc_option_t how = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
    const utf8proc_uint8_t *bytes = (const utf8proc_uint8_t *)text;
    utf8proc_int32_t *points = NULL;
    *out = NULL;
    if (!may_combine(text, length))
        return SPECREG_OK;
    utf8proc_ssize_t n = utf8proc_decompose(bytes, (utf8proc_ssize_t)length, NULL, 0, how);
    SRI_CHECK(ctx, n >= 0, SPECREG_E_FORMAT, "a text has no normal form");
    SRI_NEW(ctx, points, (int64_t)n + 1, 1);
    n = utf8proc_decompose(bytes, (utf8proc_ssize_t)length, points, n, how);
    n = n < 0 ? n : utf8proc_reencode(points, n, how); /* in place, ends with a zero byte */
    if (n >= 0) {
        sri_written(points, (size_t)n + 1);
        *out = sri_strndup(ctx, (const char *)points, (size_t)n);
    }
    sri_free(points);
    SRI_CHECK(ctx, n >= 0, SPECREG_E_FORMAT, "a text has no normal form");
    return *out ? SPECREG_OK : SPECREG_E_NOMEM;
}

/* Enters a text that is UTF-8 in normal form, unless it is there. */
static specreg_status enter(specreg_context *ctx, sri_texts *t, const char *text, size_t length,
                            int32_t *code)
{
    *code = sri_texts_find(t, text, length);
    if (*code >= 0)
        return SPECREG_OK;
    SRI_CALL(keep_slots_free(ctx, t));
    SRI_CALL(SRI_GROW(ctx, t->text, t->capacity, t->count + 1));
    t->text[t->count] = sri_strndup(ctx, text, length);
    if (!t->text[t->count])
        return SPECREG_E_NOMEM;
    t->slot[find_slot(t, text, length)] = t->count + 1;
    *code = (int32_t)t->count++;
    return SPECREG_OK;
}

specreg_status sri_texts_code(specreg_context *ctx, sri_texts *t, const char *text, size_t length,
                              int32_t *code)
{
    const int32_t known = sri_texts_find(t, text, length);
    char *normal = NULL;
    if (known >= 0) {
        *code = known;
        return SPECREG_OK;
    }
    SRI_CHECK(ctx, t->count < INT32_MAX, SPECREG_E_FORMAT, "more than 2^31 different texts");
    SRI_CALL(sri_check_text(ctx, text, length));
    SRI_CALL(sri_text_normalise(ctx, text, length, &normal));
    const specreg_status st =
        enter(ctx, t, normal ? normal : text, normal ? strlen(normal) : length, code);
    sri_free(normal);
    return st;
}

specreg_status sri_texts_enter(specreg_context *ctx, sri_texts *t, char *const *text, int64_t count)
{
    specreg_status st = SPECREG_OK;
    int32_t code;
    for (int64_t k = 0; k < count && st == SPECREG_OK; k++)
        st = sri_texts_code(ctx, t, text[k], strlen(text[k]), &code);
    return st;
}

void sri_texts_free(sri_texts *t)
{
    sri_free_list(t->text, t->count);
    sri_free(t->slot);
    *t = (sri_texts){0};
}

bool sri_is_missing(const char *text, size_t length)
{
    if (length == 0 || (length == 1 && *text == '?'))
        return true;
    return length <= 4 && (sri_is_word(text, length, "na") || sri_is_word(text, length, "nan") ||
                           sri_is_word(text, length, "n/a") || sri_is_word(text, length, "#n/a") ||
                           sri_is_word(text, length, "null"));
}
