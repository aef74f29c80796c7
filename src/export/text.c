#include "export/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "data/io/output.h"

void sri_text_put(sri_text *text, const char *format, ...)
{
    char few[512], *line = few;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(few, sizeof few, format, args);
    va_end(args);
    if (length >= (int)sizeof few && text->st == SPECREG_OK) {
        line = sri_alloc(text->ctx, length + 1, 1, 1);
        if (line)
            vsnprintf(line, (size_t)length + 1, format, again);
        else
            text->st = SPECREG_E_NOMEM;
    }
    va_end(again);
    if (text->st == SPECREG_OK)
        text->st = sri_buffer_add(text->ctx, &text->buffer, line, (size_t)length);
    if (line != few)
        sri_free(line);
}

void sri_text_number(sri_text *text, double value)
{
    char number[32];
    sri_format_double(value, number);
    if (text->st == SPECREG_OK)
        text->st = sri_buffer_add(text->ctx, &text->buffer, number, strlen(number));
}

void sri_text_formula(sri_text *text, const char *formula, ...)
{
    va_list args;
    va_start(args, formula);
    for (const char *c = formula; *c; c++) {
        const double value = *c == '#' ? va_arg(args, double) : 0;
        if (*c != '#') {
            sri_text_put(text, "%c", *c);
            continue;
        }
        sri_text_put(text, "%s", value < 0 ? "(" : "");
        sri_text_number(text, value);
        sri_text_put(text, "%s", value < 0 ? ")" : "");
    }
    va_end(args);
}

specreg_status sri_text_finish(sri_text *text, const char *path)
{
    specreg_status st = text->st;
    sri_output *out = NULL;
    SRI_TRY(st);
    SRI_TRY(sri_output_open(text->ctx, path, &out));
    SRI_TRY(sri_output_write(text->ctx, out, text->buffer.data, (size_t)text->buffer.length));
    st = sri_output_commit(text->ctx, out);
    out = NULL;
done:
    sri_output_abandon(out);
    sri_buffer_free(&text->buffer);
    return st;
}
