#include "data/text/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/memory.h"

bool sri_lines_next(sri_lines *l)
{
    if (l->at == l->end)
        return false;
    const char *newline = memchr(l->at, '\n', (size_t)(l->end - l->at));
    l->text = l->at;
    l->length = (size_t)((newline ? newline : l->end) - l->at);
    l->at = newline ? newline + 1 : l->end;
    l->length -= l->length > 0 && l->text[l->length - 1] == '\r';
    l->line++;
    return true;
}

specreg_status sri_lines_broken(const sri_lines *l, const char *what)
{
    return sri_fail(l->ctx, SPECREG_E_FORMAT, "%s:%lld: %s", l->name, (long long)l->line, what);
}

const char *sri_lines_after(const sri_lines *l, const char *word, size_t *length)
{
    const size_t n = strlen(word);
    if (l->length <= n || memcmp(l->text, word, n) != 0 || l->text[n] != ' ')
        return NULL;
    *length = l->length - n - 1;
    return l->text + n + 1;
}

bool sri_take_whole(const char **text, size_t *length, double least, double *out)
{
    size_t n = 0;
    while (n < *length && (*text)[n] != ' ' && (*text)[n] != '\t')
        n++;
    if (!sri_parse_double(*text, n, out) || !(*out >= least && *out < 9e15) || *out != floor(*out))
        return false;
    n += n < *length;
    *text += n;
    *length -= n;
    return true;
}

specreg_status sri_lines_whole(sri_lines *l, const char *word, double least, const char *what,
                               int64_t *out)
{
    size_t length = 0;
    double number;
    const char *text = sri_lines_next(l) ? sri_lines_after(l, word, &length) : NULL;
    if (!text || !sri_take_whole(&text, &length, least, &number) || length)
        return sri_lines_broken(l, what);
    *out = (int64_t)number;
    return SPECREG_OK;
}

specreg_status sri_lines_name(const sri_lines *l, const char *text, size_t length, char **out)
{
    specreg_status st = SPECREG_OK;
    json_error_t error = {0};
    json_t *json = json_loadb(text, length, JSON_DECODE_ANY, &error);
    SRI_REQUIRE(l->ctx,
                json || (error.text[0] && json_error_code(&error) != json_error_out_of_memory),
                SPECREG_E_NOMEM, "out of memory");
    if (!json_is_string(json))
        SRI_TRY(sri_lines_broken(l, "a name in double quotes should stand here"));
    SRI_STRDUP(l->ctx, *out, json_string_value(json));
done:
    json_decref(json);
    return st;
}

specreg_status sri_print_name(specreg_context *ctx, sri_buffer *out, const char *name)
{
    specreg_status st = SPECREG_OK;
    json_t *json = json_string(name);
    char *text = NULL;
    const size_t length = json ? json_dumpb(json, NULL, 0, JSON_ENCODE_ANY) : 0;
    SRI_REQUIRE(ctx, length > 0, SPECREG_E_NOMEM, "out of memory");
    SRI_ALLOC(ctx, text, (int64_t)length, 1);
    SRI_REQUIRE(ctx, json_dumpb(json, text, length, JSON_ENCODE_ANY) == length, SPECREG_E_NOMEM,
                "out of memory");
    SRI_TRY(sri_buffer_add(ctx, out, text, length));
done:
    free(text);
    json_decref(json);
    return st;
}
