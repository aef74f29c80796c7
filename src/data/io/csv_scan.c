/* Cells and rows of CSV text, in place. */
#include <string.h>

#include "core/memory.h"
#include "data/io/csv.h"

/* With the delimiter ' ' any run of blanks and tabs parts two cells. */
static bool is_blank(char c, char delimiter)
{
    return c == ' ' || (c == '\t' && delimiter != '\t');
}

/* At s, behind a cell: what comes next?  Moves over it. */
static sri_csv_end after_cell(const sri_window *w, char delimiter, const char **s)
{
    const char *p = *s;
    const bool apart = is_blank(*p, delimiter);
    while (is_blank(*p, delimiter))
        p++;
    const int newline = sri_newline(w, p);
    if (newline < 0 || (*p == '\0' && p == w->end))
        return SRI_CSV_MORE;
    if (newline > 0) {
        *s = p + newline;
        return SRI_CSV_ROW;
    }
    if (*p == delimiter || (delimiter == ' ' && apart)) {
        *s = p + (delimiter != ' ');
        return SRI_CSV_CELL;
    }
    return *p == '\0' ? SRI_CSV_NUL : SRI_CSV_GARBAGE;
}

static sri_csv_end scan_quoted(const sri_window *w, char delimiter, const char **s,
                               sri_csv_cell *cell)
{
    const char *p = *s + 1;
    cell->text = p;
    for (;; p++) {
        if (*p == '"') {
            if (p[1] != '"')
                break;
            cell->doubled = true;
            p++;
        } else if (*p == '\n') {
            cell->lines++;
        } else if (*p == '\r') {
            cell->lines += p[1] != '\n';
        } else if (*p == '\0') {
            if (p < w->end)
                return SRI_CSV_NUL;
            return w->eof ? SRI_CSV_QUOTE : SRI_CSV_MORE;
        }
    }
    if (p + 1 == w->end && !w->eof)
        return SRI_CSV_MORE; /* the next byte may be a second quote */
    cell->length = (size_t)(p - cell->text);
    *s = p + 1;
    return after_cell(w, delimiter, s);
}

sri_csv_end sri_csv_scan(const sri_window *w, char delimiter, const char **s, sri_csv_cell *cell)
{
    const char *p = *s;
    while (is_blank(*p, delimiter))
        p++;
    *cell = (sri_csv_cell){.text = p};
    if (*p == '"') {
        *s = p;
        return scan_quoted(w, delimiter, s, cell);
    }
    while (*p != delimiter && *p != '\n' && *p != '\r' && *p != '\0' &&
           !(delimiter == ' ' && *p == '\t'))
        p++;
    if (*p == '\0')
        return p == w->end ? SRI_CSV_MORE : SRI_CSV_NUL;
    const char *last = p;
    while (last > cell->text && is_blank(last[-1], delimiter))
        last--;
    cell->length = (size_t)(last - cell->text);
    *s = p;
    return after_cell(w, delimiter, s);
}

sri_csv_end sri_csv_skip(const sri_window *w, char delimiter, const char **s, int64_t *line)
{
    for (;;) {
        const char *p = *s;
        while (is_blank(*p, delimiter))
            p++;
        if (*p == '#' && w->end - p < 4 && !w->eof)
            return SRI_CSV_MORE;
        if (*p == '#' &&
            !(w->end - p >= 4 && memcmp(p, "#N/A", 4) == 0)) /* Excel's missing value */
            while (*p != '\n' && *p != '\r' && p < w->end)
                p++;
        if (p == w->end)
            return w->eof ? SRI_CSV_ROW : SRI_CSV_MORE;
        const int newline = sri_newline(w, p);
        if (newline < 0)
            return SRI_CSV_MORE;
        if (newline == 0) {
            if (delimiter == ' ')
                *s = p;
            return SRI_CSV_CELL;
        }
        *s = p + newline;
        ++*line;
    }
}

specreg_status sri_csv_text(specreg_context *ctx, const sri_csv_cell *cell, char **buffer,
                            int64_t *capacity, const char **text, size_t *length)
{
    *text = cell->text;
    *length = cell->length;
    if (!cell->doubled)
        return SPECREG_OK;
    const specreg_status st = sri_grow(ctx, (void **)buffer, capacity, (int64_t)cell->length, 1);
    if (st != SPECREG_OK)
        return st;
    size_t n = 0;
    for (size_t i = 0; i < cell->length; i++) {
        (*buffer)[n++] = cell->text[i];
        i += cell->text[i] == '"';
    }
    *text = *buffer;
    *length = n;
    return SPECREG_OK;
}

specreg_status sri_csv_fail(specreg_context *ctx, const char *name, int64_t line, sri_csv_end why)
{
    const char *what = why == SRI_CSV_NUL     ? "a NUL byte: this is not a text file"
                       : why == SRI_CSV_QUOTE ? "a quote that is not closed"
                                              : "a closing quote must end the value";
    return sri_fail(ctx, SPECREG_E_FORMAT, "%s:%lld: %s", name, (long long)line, what);
}
