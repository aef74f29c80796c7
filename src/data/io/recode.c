#include "data/io/recode.h"

#include <errno.h>
#include <iconv.h>
#include <string.h>
#include <strings.h>

#include "core/memory.h"
#include "core/text.h"

enum { CHUNK = 1 << 16, CHARACTER = 16 /* no character takes more bytes */ };

struct sri_recoder {
    sri_stream *from;
    const char *encoding;
    iconv_t state;
    bool is_open, ended;
    char *left; /* the next byte to convert, of `count` */
    size_t count;
    /* Where a request has no room for a whole character: what was converted for it, how many of
     * these bytes were handed out, and how many there are. */
    char made[CHARACTER];
    size_t given, ready;
    char bytes[CHUNK];
};

/* Names that people use, and what iconv calls them.  Excel's Latin-1 is Windows-1252. */
static const char *iconv_name(const char *encoding)
{
    static const char *const name[][2] = {{"latin1", "WINDOWS-1252"},
                                          {"latin-1", "WINDOWS-1252"},
                                          {"iso-8859-1", "WINDOWS-1252"},
                                          {"utf16", "UTF-16"}};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (strcasecmp(encoding, name[i][0]) == 0)
            return name[i][1];
    return encoding;
}

/* UTF-16 in the first bytes: its byte-order mark, or every other byte zero.  NULL: it is not. */
static const char *find_utf16(const char *head, size_t length)
{
    enum { LOOK = 16 };
    if (length >= 2 && memcmp(head, "\xff\xfe", 2) == 0)
        return "UTF-16LE";
    if (length >= 2 && memcmp(head, "\xfe\xff", 2) == 0)
        return "UTF-16BE";
    size_t even = 0, odd = 0;
    for (size_t i = 0; i < LOOK && i < length; i++)
        *(i % 2 ? &odd : &even) += head[i] == '\0';
    if (length < LOOK || even + odd != LOOK / 2 || (even && odd))
        return NULL;
    return even ? "UTF-16BE" : "UTF-16LE";
}

/* Moves what is left to the front and reads more behind it. */
static specreg_status refill(specreg_context *ctx, sri_recoder *r)
{
    size_t got = 0;
    memmove(r->bytes, r->left, r->count);
    r->left = r->bytes;
    SRI_CALL(sri_stream_read(ctx, r->from, r->bytes + r->count, CHUNK - r->count, &got));
    r->ended = got == 0;
    r->count += got;
    return SPECREG_OK;
}

static int64_t fail(specreg_context *ctx, const sri_recoder *r)
{
    sri_fail(ctx, SPECREG_E_FORMAT, "%s: is not %s text (see --encoding)", sri_stream_name(r->from),
             r->encoding);
    return SPECREG_E_FORMAT;
}

/* The next bytes as UTF-8, into a buffer of at least CHARACTER. */
static int64_t convert(specreg_context *ctx, sri_recoder *r, char *out, size_t size)
{
    size_t room = size;
    while (room == size) {
        if (r->count < 8 && !r->ended && refill(ctx, r) != SPECREG_OK)
            return SPECREG_E_IO;
        if (r->count == 0)
            return 0;
        errno = 0;
        const size_t made = iconv(r->state, &r->left, &r->count, &out, &room);
        if (made != (size_t)-1 || errno == E2BIG)
            continue;
        if (errno != EINVAL || r->ended) /* EINVAL: a character is not complete yet */
            return fail(ctx, r);
        if (refill(ctx, r) != SPECREG_OK)
            return SPECREG_E_IO;
    }
    return (int64_t)(size - room);
}

static int64_t next_bytes(specreg_context *ctx, void *payload, void *buffer, size_t size)
{
    sri_recoder *r = payload;
    if (r->given == r->ready) {
        if (size >= CHARACTER)
            return convert(ctx, r, buffer, size);
        const int64_t got = convert(ctx, r, r->made, sizeof r->made);
        if (got < 0)
            return got;
        r->given = 0;
        r->ready = (size_t)got;
    }
    const size_t n = size < r->ready - r->given ? size : r->ready - r->given;
    memcpy(buffer, r->made + r->given, n);
    r->given += n;
    return (int64_t)n;
}

/* A name that iconv does not know is a usage error, unless it is one of ours: then iconv lacks
 * memory or its files. */
static specreg_status open_state(specreg_context *ctx, sri_recoder *r, const char *name, bool ours)
{
    errno = 0;
    r->state = iconv_open("UTF-8", name);
    r->is_open = r->state != (iconv_t)-1;
    SRI_CHECK(ctx, r->is_open || ours || errno != EINVAL, SPECREG_E_ARG,
              "unknown encoding '%s' (auto, utf-8, latin1, utf-16, or a name that iconv knows)",
              r->encoding);
    SRI_CHECK(ctx, r->is_open, SPECREG_E_IO, "%s: cannot convert from %s: %s",
              sri_stream_name(r->from), r->encoding, strerror(errno));
    return SPECREG_OK;
}

specreg_status sri_recode_open(specreg_context *ctx, sri_stream *from, const char *encoding,
                               sri_recoder **recoder, sri_stream **out)
{
    specreg_status st = SPECREG_OK;
    sri_recoder *r = NULL;
    const char *head;
    size_t length;
    *recoder = NULL;
    *out = NULL;
    SRI_CALL(sri_stream_peek(ctx, from, &head, &length));
    const bool automatic = strcasecmp(encoding, "auto") == 0;
    const char *name = automatic ? find_utf16(head, length) : iconv_name(encoding);
    if (!name || strcasecmp(name, "utf-8") == 0 || strcasecmp(name, "utf8") == 0)
        return SPECREG_OK;
    SRI_CALLOC(ctx, r, 1, 1);
    r->from = from;
    r->encoding = automatic ? "UTF-16" : encoding;
    r->left = r->bytes;
    SRI_TRY(open_state(ctx, r, name, automatic || name != encoding));
    SRI_TRY(sri_stream_from_source(ctx, sri_stream_name(from), next_bytes, r, out));
    SRI_MOVE(*recoder, r);
done:
    sri_recode_close(r);
    return st;
}

void sri_recode_close(sri_recoder *r)
{
    if (r && r->is_open)
        iconv_close(r->state);
    sri_free(r);
}
