/* Documents, one a line: `label<TAB>text`, or text alone.  The first line that is not blank tells
 * which.  With labels blank lines are skipped; without, each is an empty document. */
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "data/io/format.h"
#include "data/io/window.h"
#include "data/text/documents.h"

typedef struct reader {
    sri_window w;
    sri_documents d;
    const char *file;
    int64_t line;
    int64_t *lines, capacity; /* of the rows */
} reader;

/* The end of the line at w.begin, or NULL when the window must grow; a NUL byte ends it too. */
static const char *line_end(const reader *r, int *newline)
{
    const char *p = r->w.begin + strcspn(r->w.begin, "\r\n");
    *newline = p < r->w.end ? sri_newline(&r->w, p) : -1;
    return *newline < 0 ? NULL : p;
}

static bool is_blank(const char *text, size_t length)
{
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    return length == 0;
}

static void trim(const char **text, size_t *length)
{
    while (*length && **text == ' ') {
        ++*text;
        --*length;
    }
    while (*length && (*text)[*length - 1] == ' ')
        --*length;
}

static specreg_status add_line(specreg_context *ctx, reader *r, const char *text, size_t length)
{
    char place[1024];
    const char *label = text, *tab = r->d.labelled ? memchr(text, '\t', length) : NULL;
    size_t label_length = tab ? (size_t)(tab - text) : 0;
    if (r->d.labelled && is_blank(text, length))
        return SPECREG_OK;
    snprintf(place, sizeof place, "%s:%lld", r->file, (long long)r->line);
    SRI_CHECK(ctx, tab || !r->d.labelled, SPECREG_E_FORMAT,
              "%s: no tab: the lines before it have a label, a tab and the text", place);
    trim(&label, &label_length);
    if (tab) {
        length -= (size_t)(tab + 1 - text);
        text = tab + 1;
    }
    SRI_CALL(sri_grow(ctx, (void **)&r->lines, &r->capacity, r->d.t->rows + 1, sizeof *r->lines));
    r->lines[r->d.t->rows] = r->line;
    return sri_documents_add(ctx, &r->d, place, label, label_length, text, length);
}

/* Documents without labels that came before the first line with words are all blank. */
static specreg_status start(specreg_context *ctx, reader *r, const char *text, size_t length)
{
    const bool labelled = memchr(text, '\t', length) != NULL;
    const int64_t first = r->line;
    SRI_CALL(sri_documents_start(ctx, r->file, labelled, &r->d));
    for (r->line = 1; r->line < first; r->line++)
        SRI_CALL(add_line(ctx, r, "", 0));
    return SPECREG_OK;
}

static specreg_status read_lines(specreg_context *ctx, reader *r)
{
    for (r->line = 1; r->w.begin < r->w.end || !r->w.eof;) {
        int newline = -1;
        const char *end = r->w.begin < r->w.end ? line_end(r, &newline) : NULL;
        if (!end) {
            SRI_CHECK(ctx, !r->w.eof, SPECREG_E_FORMAT,
                      "%s:%lld: a NUL byte: this is not a text file", r->file, (long long)r->line);
            SRI_CALL(sri_window_more(ctx, &r->w, r->line));
            continue;
        }
        SRI_CHECK(ctx, newline > 0, SPECREG_E_FORMAT,
                  "%s:%lld: a NUL byte: this is not a text file", r->file, (long long)r->line);
        const size_t length = (size_t)(end - r->w.begin);
        if (!r->d.t && !is_blank(r->w.begin, length))
            SRI_CALL(start(ctx, r, r->w.begin, length));
        if (r->d.t)
            SRI_CALL(add_line(ctx, r, r->w.begin, length));
        r->w.begin = end + newline;
        r->line++;
    }
    SRI_CHECK(ctx, r->d.t && r->d.t->rows > 0, SPECREG_E_FORMAT, "%s: has only blank lines",
              r->file);
    return SPECREG_OK;
}

static specreg_status text_read(specreg_context *ctx, sri_stream *stream, const char *path,
                                const char *inner, const specreg_options *options,
                                specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    reader r = {.file = sri_stream_name(stream)};
    (void)path;
    (void)inner;
    (void)options;
    *out = NULL;
    SRI_TRY(sri_window_open(ctx, stream, &r.w));
    SRI_TRY(read_lines(ctx, &r));
    *out = sri_documents_finish(&r.d);
    (*out)->line = r.lines;
    r.lines = NULL;
done:
    sri_free(r.lines);
    sri_documents_free(&r.d);
    sri_window_close(&r.w);
    return st;
}

/* Any text may be documents: that has to be said. */
static bool text_sniff(const char *head, size_t length)
{
    (void)head;
    (void)length;
    return false;
}

const sri_format sri_format_text = {
    .name = "text",
    .extensions = "",
    .sniff = text_sniff,
    .read = text_read,
};
