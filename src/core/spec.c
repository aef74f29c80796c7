#include "core/spec.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"

enum { MAX_VALUES = 1000000 };

/* A copy without blanks at the ends. */
static char *trimmed(specreg_context *ctx, const char *text, size_t length)
{
    while (length && (*text == ' ' || *text == '\t')) {
        text++;
        length--;
    }
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    return sri_strndup(ctx, text, length);
}

/* The first `stop` outside braces, or the end. */
static const char *find_outside_braces(const char *s, char stop)
{
    int depth = 0;
    for (; *s; s++) {
        depth += *s == '{';
        depth -= *s == '}' && depth > 0;
        if (*s == stop && depth == 0)
            break;
    }
    return s;
}

specreg_status sri_spec_parse(specreg_context *ctx, const char *what, const char *text,
                              sri_spec *out)
{
    specreg_status st = SPECREG_OK;
    *out = (sri_spec){0};
    /* The name ends at the first ':' unless a '=' comes before it ("lambda=log:1:2:3"). */
    const size_t head = strcspn(text, ":=");
    const bool named = text[head] != '=';
    const char *rest = !named ? text : text[head] ? text + head + 1 : text + head;
    out->name = named ? trimmed(ctx, text, head) : sri_strdup(ctx, "");
    out->rest = trimmed(ctx, rest, strlen(rest));
    SRI_TRY(out->name && out->rest ? SPECREG_OK : SPECREG_E_NOMEM);
    for (const char *s = out->rest; *s;) {
        const char *end = find_outside_braces(s, ',');
        const char *equal = find_outside_braces(s, '=');
        SRI_REQUIRE(ctx, out->count < SRI_SPEC_MAX, SPECREG_E_ARG, "%s '%s': too many values", what,
                    text);
        char **key = &out->arg[out->count].key, **value = &out->arg[out->count].value;
        out->count++;
        if (equal < end)
            *key = trimmed(ctx, s, (size_t)(equal - s));
        const char *from = equal < end ? equal + 1 : s;
        *value = trimmed(ctx, from, (size_t)(end - from));
        SRI_TRY((*key || equal >= end) && *value ? SPECREG_OK : SPECREG_E_NOMEM);
        SRI_REQUIRE(ctx, **value && (!*key || **key), SPECREG_E_ARG,
                    "%s '%s': write key=value after the colon, separated by commas", what, text);
        s = *end ? end + 1 : end;
    }
done:
    if (st != SPECREG_OK)
        sri_spec_free(out);
    return st;
}

void sri_spec_free(sri_spec *spec)
{
    for (int i = 0; i < spec->count; i++) {
        sri_free(spec->arg[i].key);
        sri_free(spec->arg[i].value);
    }
    sri_free(spec->name);
    sri_free(spec->rest);
    *spec = (sri_spec){0};
}

specreg_status sri_number_parse(specreg_context *ctx, const char *what, const char *text,
                                double *out)
{
    if (!sri_parse_double(text, strlen(text), out) || !isfinite(*out))
        return sri_fail(ctx, SPECREG_E_ARG, "%s: '%s' is not a number", what, text);
    return SPECREG_OK;
}

/* Up to `want` numbers separated by ':'; fails unless there are exactly `want`. */
static specreg_status colon_numbers(specreg_context *ctx, const char *what, const char *text,
                                    int want, double *out)
{
    const char *s = text;
    for (int i = 0; i < want; i++) {
        const size_t length = strcspn(s, ":");
        const bool last = i == want - 1;
        if (!sri_parse_double(s, length, &out[i]) || !isfinite(out[i]) || (s[length] == 0) != last)
            return sri_fail(ctx, SPECREG_E_ARG, "%s: '%s' is not a range %s", what, text,
                            want == 2 ? "from:to" : "from:to:count");
        s += length + 1;
    }
    return SPECREG_OK;
}

static specreg_status spaced_values(specreg_context *ctx, const char *what, const char *text,
                                    bool log_scale, sri_values *out)
{
    double r[3];
    SRI_CALL(colon_numbers(ctx, what, text + 4, 3, r));
    if (r[2] < 1 || r[2] > MAX_VALUES || r[2] != floor(r[2]))
        return sri_fail(ctx, SPECREG_E_ARG,
                        "%s: '%s': the count must be a whole number from 1 to %d", what, text,
                        (int)MAX_VALUES);
    if (log_scale && (r[0] <= 0 || r[1] <= 0))
        return sri_fail(ctx, SPECREG_E_ARG, "%s: '%s': both ends must be positive", what, text);
    const int64_t count = (int64_t)r[2];
    SRI_NEW(ctx, out->v, count, 1);
    out->count = count;
    for (int64_t i = 0; i < count; i++) {
        const double f = count > 1 ? (double)i / (double)(count - 1) : 0;
        out->v[i] = i == 0           ? r[0]
                    : i == count - 1 ? r[1]
                    : log_scale      ? pow(10, log10(r[0]) + f * (log10(r[1]) - log10(r[0])))
                                     : r[0] + f * (r[1] - r[0]);
    }
    return SPECREG_OK;
}

static specreg_status integer_values(specreg_context *ctx, const char *what, const char *text,
                                     sri_values *out)
{
    double r[2];
    SRI_CALL(colon_numbers(ctx, what, text, 2, r));
    if (r[0] != floor(r[0]) || r[1] != floor(r[1]) || r[1] < r[0] || r[1] - r[0] >= MAX_VALUES)
        return sri_fail(ctx, SPECREG_E_ARG,
                        "%s: '%s': a range from:to takes whole numbers, upward, at most %d of them",
                        what, text, (int)MAX_VALUES);
    const int64_t count = (int64_t)(r[1] - r[0]) + 1;
    SRI_NEW(ctx, out->v, count, 1);
    out->count = count;
    for (int64_t i = 0; i < count; i++)
        out->v[i] = r[0] + (double)i;
    return SPECREG_OK;
}

static specreg_status braced_values(specreg_context *ctx, const char *what, const char *text,
                                    sri_values *out)
{
    const size_t length = strlen(text);
    if (text[length - 1] != '}' || length < 3)
        return sri_fail(ctx, SPECREG_E_ARG, "%s: '%s': write a list as {1,2,3}", what, text);
    int64_t capacity = 0;
    for (const char *s = text + 1;;) {
        const size_t n = strcspn(s, ",}");
        char *item = trimmed(ctx, s, n);
        if (!item)
            return SPECREG_E_NOMEM;
        double v;
        specreg_status st = sri_number_parse(ctx, what, item, &v);
        sri_free(item);
        if (st == SPECREG_OK)
            st = sri_grow(ctx, (void **)&out->v, &capacity, out->count + 1, sizeof *out->v);
        if (st != SPECREG_OK)
            return st;
        out->v[out->count++] = v;
        if (s[n] == '}')
            return s[n + 1]
                       ? sri_fail(ctx, SPECREG_E_ARG, "%s: '%s': text after the list", what, text)
                       : SPECREG_OK;
        s += n + 1;
    }
}

specreg_status sri_values_parse(specreg_context *ctx, const char *what, const char *text,
                                sri_values *out)
{
    specreg_status st = SPECREG_OK;
    *out = (sri_values){0};
    if (strcmp(text, "auto") == 0)
        return SPECREG_OK;
    if (text[0] == '{') {
        SRI_TRY(braced_values(ctx, what, text, out));
    } else if (strncmp(text, "log:", 4) == 0 || strncmp(text, "lin:", 4) == 0) {
        SRI_TRY(spaced_values(ctx, what, text, text[1] == 'o', out));
    } else if (strchr(text, ':')) {
        SRI_TRY(integer_values(ctx, what, text, out));
    } else {
        SRI_ALLOC(ctx, out->v, 1, 1);
        SRI_TRY(sri_number_parse(ctx, what, text, out->v));
        out->count = 1;
    }
done:
    if (st != SPECREG_OK)
        sri_values_free(out);
    return st;
}

specreg_status sri_values_copy(specreg_context *ctx, const sri_values *values, sri_values *out)
{
    *out = (sri_values){0};
    if (!values->count)
        return SPECREG_OK;
    SRI_NEW(ctx, out->v, values->count, 1);
    out->count = values->count;
    memcpy(out->v, values->v, (size_t)values->count * sizeof *out->v);
    return SPECREG_OK;
}

void sri_values_free(sri_values *values)
{
    sri_free(values->v);
    *values = (sri_values){0};
}

specreg_status sri_size_parse(specreg_context *ctx, const char *what, const char *text,
                              int64_t *out)
{
    static const char letters[] = "KMGT";
    size_t length = strlen(text);
    double unit = 1;
    if (length > 2 && strcmp(text + length - 2, "iB") == 0)
        length -= 2;
    else if (length > 1 && text[length - 1] == 'B')
        length -= 1;
    const char *letter = length ? strchr(letters, text[length - 1] & ~0x20) : NULL;
    if (letter && *letter) {
        unit = pow(1024, (double)(letter - letters + 1));
        length--;
    }
    double v;
    if (!sri_parse_double(text, length, &v) || !(v * unit >= 1) || !(v * unit < 9e18))
        return sri_fail(ctx, SPECREG_E_ARG, "%s: '%s' is not a size such as 8G or 512M", what,
                        text);
    *out = (int64_t)(v * unit);
    return SPECREG_OK;
}
