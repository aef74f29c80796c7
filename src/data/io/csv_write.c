/* The CSV writer: a header, then rows; quotes where RFC 4180 wants them or the reader needs them.
 */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/io/csv_parts.h"

enum { FLUSH = 1 << 16 };

/* Tabs for names that end in .tsv, compressed or not. */
static char delimiter_for(const char *name)
{
    const char *dot = strrchr(name, '.');
    size_t length = strlen(name);
    if (dot && (strcasecmp(dot, ".gz") == 0 || strcasecmp(dot, ".zst") == 0))
        length = (size_t)(dot - name);
    const bool tabs = length >= 4 && (strncasecmp(name + length - 4, ".tsv", 4) == 0 ||
                                      strncasecmp(name + length - 4, ".tab", 4) == 0);
    return tabs ? '\t' : ',';
}

/* What the reader would take for something else: delimiters, quotes, line ends, blanks at the
 * ends, a comment; and the empty text, so that a row of one column is no blank line. */
static bool needs_quotes(const char *text, char delimiter)
{
    const size_t n = strlen(text);
    return n == 0 || strchr(text, delimiter) || strpbrk(text, "\"\r\n\t") || text[0] == ' ' ||
           text[n - 1] == ' ' || text[0] == '#';
}

static specreg_status put_text(specreg_context *ctx, sri_buffer *b, const char *text,
                               char delimiter)
{
    if (!needs_quotes(text, delimiter))
        return sri_buffer_add(ctx, b, text, strlen(text));
    SRI_CALL(sri_buffer_add(ctx, b, "\"", 1));
    for (const char *s = text; *s;) {
        const size_t n = strcspn(s, "\"");
        SRI_CALL(sri_buffer_add(ctx, b, s, n));
        s += n;
        if (*s == '"') {
            SRI_CALL(sri_buffer_add(ctx, b, "\"\"", 2));
            s++;
        }
    }
    return sri_buffer_add(ctx, b, "\"", 1);
}

/* A missing value is an empty cell; alone in its row it is NA, for blank lines are skipped. */
static specreg_status put_row(specreg_context *ctx, sri_buffer *b, const specreg_table *t,
                              int64_t row, const double *value, char delimiter)
{
    const int64_t cols = specreg_table_cols(t);
    for (int64_t j = 0; j < cols; j++) {
        char number[32];
        const char *text = specreg_table_text(t, row, j);
        if (j > 0)
            SRI_CALL(sri_buffer_add(ctx, b, &delimiter, 1));
        if (text)
            SRI_CALL(put_text(ctx, b, text, delimiter));
        else if (!isnan(value[j])) {
            sri_format_double(value[j], number);
            SRI_CALL(sri_buffer_add(ctx, b, number, strlen(number)));
        } else if (cols == 1)
            SRI_CALL(sri_buffer_add(ctx, b, "NA", 2));
    }
    return sri_buffer_add(ctx, b, "\n", 1);
}

static specreg_status put_header(specreg_context *ctx, sri_buffer *b, const specreg_table *t,
                                 char delimiter)
{
    const int64_t cols = specreg_table_cols(t);
    for (int64_t j = 0; j < cols; j++) {
        const char *name = specreg_table_name(t, j);
        if (j > 0)
            SRI_CALL(sri_buffer_add(ctx, b, &delimiter, 1));
        SRI_CHECK(ctx, name, SPECREG_E_NOMEM, "out of memory");
        SRI_CALL(put_text(ctx, b, name, delimiter));
    }
    return sri_buffer_add(ctx, b, "\n", 1);
}

specreg_status sri_csv_append(specreg_context *ctx, const specreg_table *t, sri_output *output,
                              bool first)
{
    specreg_status st = SPECREG_OK;
    sri_buffer b = {0};
    double *value = NULL;
    const char delimiter = delimiter_for(sri_output_name(output));
    SRI_ALLOC(ctx, value, specreg_table_cols(t), 1);
    if (first)
        SRI_TRY(put_header(ctx, &b, t, delimiter));
    for (int64_t i = 0; i < t->rows; i++) {
        sri_table_row(t, i, value);
        SRI_TRY(put_row(ctx, &b, t, i, value, delimiter));
        if (b.length >= FLUSH) {
            SRI_TRY(sri_output_write(ctx, output, b.data, (size_t)b.length));
            b.length = 0;
        }
    }
    SRI_TRY(sri_output_write(ctx, output, b.data, (size_t)b.length));
done:
    sri_free(value);
    sri_buffer_free(&b);
    return st;
}

specreg_status sri_csv_write(specreg_context *ctx, const specreg_table *t, sri_output *output)
{
    return sri_csv_append(ctx, t, output, true);
}
