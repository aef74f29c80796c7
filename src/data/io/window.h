/* A moving window over a text stream, for parsers that work in place: they read from `begin`, and
 * when they meet `end` in the middle of a line they ask for more and start that line again. */
#ifndef SRI_DATA_IO_WINDOW_H
#define SRI_DATA_IO_WINDOW_H

#include "data/io/stream.h"

enum { SRI_WINDOW_PAD = 64 }; /* readable zero bytes after `end` */

typedef struct sri_window {
    sri_stream *stream;
    char *data;
    int64_t capacity, allocated; /* bytes of text, and with what stands behind them */
    const char *begin, *end;     /* *end is '\0' */
    bool eof;                    /* nothing comes after `end`; the last line has its newline */
} sri_window;

/* Opens over a stream (kept, not owned) and reads the first part; skips a UTF-8 byte-order mark. */
specreg_status sri_window_open(specreg_context *ctx, sri_stream *stream, sri_window *w);
/* What lies before `begin` goes; what comes next is added.  Without progress the window doubles;
 * a line beyond 256 MiB is an error that names `line`. */
specreg_status sri_window_more(specreg_context *ctx, sri_window *w, int64_t line);
void sri_window_close(sri_window *w);

/* The length of the line end at s: "\n", "\r\n" or a lone "\r"; 0 when there is none; -1 when the
 * window must grow to tell. */
static inline int sri_newline(const sri_window *w, const char *s)
{
    if (*s == '\n')
        return 1;
    if (*s != '\r')
        return 0;
    if (s + 1 == w->end && !w->eof)
        return -1;
    return s[1] == '\n' ? 2 : 1;
}

#endif
