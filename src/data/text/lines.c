#include "data/text/lines.h"

#include <math.h>
#include <string.h>

#include "core/quote.h"

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

const char *sri_lines_head(sri_lines *l, const char *word, size_t *length)
{
    return sri_lines_next(l) ? sri_lines_after(l, word, length) : NULL;
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
    const char *text = sri_lines_head(l, word, &length);
    if (!text || !sri_take_whole(&text, &length, least, &number) || length)
        return sri_lines_broken(l, what);
    *out = (int64_t)number;
    return SPECREG_OK;
}

specreg_status sri_lines_name(const sri_lines *l, const char *text, size_t length, char **out)
{
    SRI_CALL(sri_json_unquote(l->ctx, text, length, out));
    return *out ? SPECREG_OK : sri_lines_broken(l, "a name in double quotes should stand here");
}
