/* Texts of a CSV file that says nothing about its encoding: UTF-8, or where it cannot be that,
 * Windows-1252, which has the characters of Latin-1. */
#include <string.h>

#include "core/text.h"
#include "data/io/csv.h"

/* What the bytes 0x80 to 0x9f are; 0: nothing. */
static const uint16_t upper[32] = {0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                   0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                   0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                   0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

/* Writes a byte of Windows-1252 as UTF-8 and returns its length; 0: it has no meaning. */
static size_t put_byte(unsigned char byte, char *out)
{
    const unsigned c = byte >= 0x80 && byte < 0xa0 ? upper[byte - 0x80] : byte;
    if (c == 0)
        return 0;
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    out[0] = (char)(0xe0 | c >> 12);
    out[1] = (char)(0x80 | (c >> 6 & 0x3f));
    out[2] = (char)(0x80 | (c & 0x3f));
    return 3;
}

static bool is_ascii(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] >= 0x80)
            return false;
    return true;
}

/* As Windows-1252, where no text so far was UTF-8 beyond ASCII. */
static specreg_status enter_latin(specreg_context *ctx, sri_texts *t, const char *text,
                                  size_t length, int32_t *code)
{
    specreg_status st = SPECREG_OK;
    sri_buffer b = {0};
    for (size_t i = 0; i < length; i++) {
        char bytes[4];
        const size_t n = put_byte((unsigned char)text[i], bytes);
        SRI_REQUIRE(ctx, n > 0, SPECREG_E_FORMAT,
                    "'%.*s...' is neither UTF-8 nor Windows-1252 (see --encoding)",
                    (int)(i < 40 ? i : 40), text);
        SRI_TRY(sri_buffer_add(ctx, &b, bytes, n));
    }
    SRI_TRY(sri_texts_code(ctx, t, b.data, (size_t)b.length, code));
done:
    sri_buffer_free(&b);
    return st;
}

specreg_status sri_csv_enter(specreg_context *ctx, sri_csv_charset *charset, sri_texts *t,
                             const char *text, size_t length, int32_t *code)
{
    specreg_status st = sri_texts_code(ctx, t, text, length, code);
    if (st == SPECREG_OK) {
        charset->utf8 = charset->utf8 || !is_ascii(text, length);
    } else if (st == SPECREG_E_FORMAT && charset->guess && !charset->utf8 &&
               !memchr(text, '\0', length)) {
        st = enter_latin(ctx, t, text, length, code);
        charset->latin = true;
    }
    if (st == SPECREG_OK && charset->utf8 && charset->latin)
        st = sri_fail(ctx, SPECREG_E_FORMAT,
                      "some texts are UTF-8 and some are not: --encoding says what they are");
    return st;
}
