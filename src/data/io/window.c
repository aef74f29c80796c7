#include "data/io/window.h"

#include <string.h>

#include "core/memory.h"

/* The first size fits a second-level cache; a test build may take a tiny one to meet window ends
 * everywhere. */
#ifndef SRI_WINDOW_FIRST
#define SRI_WINDOW_FIRST (1 << 18)
#endif
enum { FIRST = SRI_WINDOW_FIRST, LONGEST_LINE = 1 << 28 };

specreg_status sri_window_more(specreg_context *ctx, sri_window *w, int64_t line)
{
    specreg_status st = SPECREG_OK;
    size_t kept = (size_t)(w->end - w->begin);
    if (kept > 0)
        memmove(w->data, w->begin, kept);
    w->begin = w->data;
    w->end = w->data + kept;
    SRI_TRY(sri_poll(ctx));
    if ((int64_t)kept > w->capacity / 2) {
        SRI_REQUIRE(ctx, kept < LONGEST_LINE, SPECREG_E_FORMAT,
                    "%s:%lld: the line is longer than 256 MiB (a quote that is not closed?)",
                    sri_stream_name(w->stream), (long long)line);
        SRI_TRY(
            sri_grow(ctx, (void **)&w->data, &w->allocated, w->capacity * 2 + SRI_WINDOW_PAD, 1));
        w->capacity *= 2;
    }
    while (kept < (size_t)w->capacity - 1 && !w->eof) { /* one byte left for a last newline */
        size_t got;
        SRI_TRY(
            sri_stream_read(ctx, w->stream, w->data + kept, (size_t)w->capacity - 1 - kept, &got));
        w->eof = got == 0;
        kept += got;
    }
    if (w->eof && kept > 0 && w->data[kept - 1] != '\n' && w->data[kept - 1] != '\r')
        w->data[kept++] = '\n';
done:
    w->begin = w->data;
    w->end = w->data + kept;
    memset(w->data + kept, 0, SRI_WINDOW_PAD);
    return st;
}

specreg_status sri_window_open(specreg_context *ctx, sri_stream *stream, sri_window *w)
{
    *w = (sri_window){.stream = stream, .capacity = FIRST};
    SRI_CALL(sri_grow(ctx, (void **)&w->data, &w->allocated, FIRST + SRI_WINDOW_PAD, 1));
    w->begin = w->end = w->data;
    SRI_CALL(sri_window_more(ctx, w, 1));
    const char *name = sri_stream_name(stream);
    SRI_CHECK(ctx, w->begin < w->end, SPECREG_E_FORMAT, "%s: is empty", name);
    SRI_CHECK(ctx, memcmp(w->begin, "\xff\xfe", 2) != 0 && memcmp(w->begin, "\xfe\xff", 2) != 0,
              SPECREG_E_FORMAT, "%s: is UTF-16 text; save it as UTF-8", name);
    if (memcmp(w->begin, "\xef\xbb\xbf", 3) == 0)
        w->begin += 3;
    return SPECREG_OK;
}

void sri_window_close(sri_window *w)
{
    sri_free(w->data);
    *w = (sri_window){0};
}
